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

use std::collections::BTreeSet;

use super::super::proposed::UndisplayedTexts;
use super::{CommitWithObjects, LeftRepository, MAX_TOLD, Side};

/// Maximum number of bytes of diffs that are kept for the card of a change. A commit of a generated file has megabytes.
const MAX_DIFF: usize = 64 << 10;

/// What the diffs of files show of a change.
#[derive(Debug, Default)]
pub(super) struct Displayed {
    /// Files that are committed as they are in the work tree.
    pub(super) paths: BTreeSet<String>,
    /// The objects of these.
    pub(super) objects: BTreeSet<String>,
}

impl LeftRepository<'_> {
    /// Returns what new commits have that no diff of files shows: texts that neither these nor the repository have, and all that
    /// a commit changes which `head`, the one that is checked out, does not lead to.
    pub(super) fn undisplayed(
        &self,
        commits: &[CommitWithObjects],
        head: Option<&str>,
        displayed: &Displayed,
    ) -> Result<Vec<UndisplayedTexts>, String> {
        let new = self.new_objects()?;
        let led_to = led_to(commits, head);
        let mut found = Vec::new();
        let mut room = MAX_DIFF;
        for CommitWithObjects { commit, objects } in commits {
            let paths = commit.files.iter().map(|(_, path)| path);
            let is_beside = !led_to.contains(commit.oid.as_str());
            let paths = paths.zip(objects).filter(|(path, object)| {
                let is_other_text = new.contains(*object) && !displayed.objects.contains(*object);
                is_other_text || is_beside && !displayed.paths.contains(*path)
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
        arguments.extend([commit, "--"]);
        arguments.extend(paths.iter().map(String::as_str));
        self.ask(Side::Real, &arguments, MAX_TOLD)
    }

    /// Returns the objects that are new: those of the pack, which has none that the repository has.
    fn new_objects(&self) -> Result<BTreeSet<String>, String> {
        let Some(pack) = self.pack() else {
            return Ok(BTreeSet::new());
        };
        let index = pack.with_extension("idx").to_string_lossy().into_owned();
        let listed = self.ask(Side::Real, &["verify-pack", "-v", &index], MAX_TOLD)?;
        let names = listed.lines().filter_map(|line| line.split(' ').next());
        Ok(names.map(str::to_owned).collect())
    }
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
