//! Texts that new commits have and no diff of files shows: the card of the commits shows them.
//!
//! In: new commits with the objects of their files, and which of these the work tree has. Out: for each commit the files, and
//! the diff that git prints of them.
//!
//! ```text
//! base            a.txt `base`
//! commit one      a.txt `secret`      in no diff of files, but in the history that `git push` sends
//! commit two      a.txt `good`        as in the work tree, whose diff is `-base +good`
//! told            one: a.txt, -base +secret
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::super::proposed::UndisplayedTexts;
use super::{CommitWithObjects, LeftRepository, MAX_TOLD, Side};

/// Maximum number of bytes of diffs that are kept for the card of a change. A commit of a generated file has megabytes.
const MAX_DIFF: usize = 64 << 10;

/// Maximum number of files that are looked up in the commit before.
const MAX_KNOWN: usize = 1_000;

/// What the diffs of files show of a change.
#[derive(Debug, Default)]
pub(super) struct Displayed {
    /// Files that are committed as they are in the work tree, each with its object; none of one that goes.
    pub(super) files: BTreeMap<String, Option<String>>,
}

impl LeftRepository<'_> {
    /// Returns what new commits have that no diff of files shows: texts at paths at which neither these nor the commit `before`
    /// have them, and all that a commit changes which `head`, the one that is checked out, does not lead to. A text that the
    /// repository has at another path is shown as well: an example becomes what runs.
    pub(super) fn undisplayed(
        &self,
        commits: &[CommitWithObjects],
        (before, head): (Option<&str>, Option<&str>),
        displayed: &Displayed,
    ) -> Result<Vec<UndisplayedTexts>, String> {
        let is_displayed = |path: &String, object: &String| {
            let own = displayed.files.get(path);
            own.is_some_and(|own| own.as_ref() == Some(object))
        };
        let pairs = commits.iter().flat_map(|own| {
            let paths = own.commit.files.iter().map(|(_, path)| path);
            paths.zip(&own.objects)
        });
        let others = pairs.filter(|(path, object)| is_text(object) && !is_displayed(path, object));
        let known = self.known(before, others.map(|(path, _)| path.as_str()).collect())?;
        let led_to = led_to(commits, head);
        let mut found = Vec::new();
        let mut room = MAX_DIFF;
        for CommitWithObjects { commit, objects } in commits {
            let paths = commit.files.iter().map(|(_, path)| path);
            let is_beside = !led_to.contains(commit.oid.as_str());
            let paths = paths.zip(objects).filter(|(path, object)| {
                let is_other_text = is_text(object)
                    && !is_displayed(path, object)
                    && known.get(*path) != Some(object);
                is_other_text || is_beside && !displayed.files.contains_key(*path)
            });
            let paths: Vec<String> = paths.map(|(path, _)| path.clone()).collect();
            if paths.is_empty() {
                continue;
            }
            let diff = if room == 0 {
                String::new()
            } else {
                self.diff(&commit.oid, &paths)?
            };
            let mut shown = Vec::new();
            for line in diff.lines() {
                room = room.saturating_sub(line.len() + 1);
                if room == 0 {
                    break;
                }
                shown.push(line.to_owned());
            }
            found.push(UndisplayedTexts {
                commit: commit.oid.clone(),
                left_out: diff.lines().count() - shown.len(),
                paths,
                diff: shown,
            });
        }
        Ok(found)
    }

    /// Returns how a commit changes files.
    fn diff(&self, commit: &str, paths: &[String]) -> Result<String, String> {
        let mut arguments = vec!["--literal-pathspecs", "show", "--format="];
        arguments.extend(["--diff-merges=first-parent", "--no-renames", "--no-color"]);
        arguments.extend(["--no-ext-diff", "--no-textconv", "--no-show-signature"]);
        // Of another repository the diff is its commit.
        arguments.extend(["--ignore-submodules=none", "--submodule=short"]);
        arguments.extend([commit, "--"]);
        arguments.extend(paths.iter().map(String::as_str));
        self.ask(Side::Real, &arguments, MAX_TOLD)
    }

    /// Returns which objects a commit has at paths.
    fn known(
        &self,
        commit: Option<&str>,
        paths: BTreeSet<&str>,
    ) -> Result<BTreeMap<String, String>, String> {
        let (Some(commit), false) = (commit, paths.is_empty()) else {
            return Ok(BTreeMap::new());
        };
        let mut arguments = vec!["--literal-pathspecs", "ls-tree", "-z", commit, "--"];
        // Of more than a command line takes, all is shown.
        arguments.extend(paths.into_iter().take(MAX_KNOWN));
        let listed = self.ask(Side::Real, &arguments, MAX_TOLD)?;
        let entries = listed.split_terminator('\0').filter_map(|entry| {
            let (kind, path) = entry.split_once('\t')?;
            Some((path.to_owned(), kind.rsplit(' ').next()?.to_owned()))
        });
        Ok(entries.collect())
    }
}

/// Returns whether an object is that of a file that is there.
fn is_text(object: &str) -> bool {
    object.bytes().any(|digit| digit != b'0')
}

/// Returns the commits that one leads to, itself among them.
fn led_to<'c>(commits: &'c [CommitWithObjects], head: Option<&'c str>) -> BTreeSet<&'c str> {
    let mut led_to: BTreeSet<&str> = head.into_iter().collect();
    // Children come before their parents.
    for CommitWithObjects { commit, .. } in commits {
        if led_to.contains(commit.oid.as_str()) {
            led_to.extend(commit.parents.iter().map(String::as_str));
        }
    }
    led_to
}
