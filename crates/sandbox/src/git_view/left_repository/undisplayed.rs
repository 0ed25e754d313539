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

use super::super::proposed::{RepositoryChange, StagedEntry, StashChange, UndisplayedTexts};
use super::{CommitWithObjects, LeftRepository, MAX_TOLD, Side};

/// Maximum number of bytes of diffs that are kept for the card of a change. A commit of a generated file has megabytes.
const MAX_DIFF: usize = 64 << 10;

/// Maximum number of files that are looked up in the commit before.
const MAX_KNOWN: usize = 1_000;

/// What the diffs of files show of a change.
#[derive(Debug, Default)]
pub(super) struct Displayed {
    /// Files that are committed as they are in the work tree, each with its mode and object; none of one that goes.
    pub(super) files: BTreeMap<String, Option<StagedEntry>>,
    /// Those of them that differ on disk already: hunks that wait have the program's lines alone.
    pub(super) of_user: BTreeSet<String>,
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
        let is_displayed = |path: &String, entry: &StagedEntry| {
            let own = displayed.files.get(path);
            own.is_some_and(|own| own.as_ref() == Some(entry))
        };
        let pairs = commits.iter().flat_map(|own| {
            let paths = own.commit.files.iter().map(|(_, path)| path);
            paths.zip(&own.objects)
        });
        let others = pairs.filter(|(path, object)| is_text(object) && !is_displayed(path, object));
        let known = self.known(before, others.map(|(path, _)| path.as_str()).collect())?;
        let led_to = led_to(commits, head);
        let mut found = Vec::new();
        let mut room = DiffRoom(MAX_DIFF);
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
            let of_user = commit.files.iter().map(|(_, path)| path);
            let of_user = of_user.filter(|path| displayed.of_user.contains(*path));
            let of_user = of_user.filter(|path| !paths.contains(path)).cloned();
            let of_user: Vec<String> = of_user.collect();
            for (paths, is_of_user) in [(paths, false), (of_user, true)] {
                if paths.is_empty() {
                    continue;
                }
                let diff = if room.is_full() {
                    String::new()
                } else {
                    self.diff(&commit.oid, &paths)?
                };
                found.push(UndisplayedTexts {
                    of_user: is_of_user,
                    ..room.take(&commit.oid, paths, &diff)
                });
            }
        }
        Ok(found)
    }

    /// Returns what of a change is beside its commits and in no diff of files: of the index what a commit would have of it that
    /// the work tree has not, what is in new stashes, and the texts of new tags.
    pub(super) fn beside_commits(
        &self,
        change: &RepositoryChange,
        displayed: &Displayed,
    ) -> Result<Vec<UndisplayedTexts>, String> {
        let mut room = DiffRoom(MAX_DIFF);
        let mut found = Vec::new();
        let staged = change.index.iter().filter(|own| {
            let is_there = own.after.is_some() && !own.follows_head;
            is_there && !displayed.files.contains_key(&own.path)
        });
        let staged: Vec<String> = staged.map(|own| own.path.clone()).collect();
        if !staged.is_empty() {
            let base = match &change.after.commit {
                Some(commit) => commit.clone(),
                None => self.empty_tree()?,
            };
            let mut arguments = vec!["--literal-pathspecs", "diff", "--cached"];
            arguments.extend(PLAIN_DIFF);
            arguments.extend([base.as_str(), "--"]);
            arguments.extend(staged.iter().take(MAX_KNOWN).map(String::as_str));
            let diff = self.ask(Side::Left, &arguments, MAX_TOLD)?;
            found.push(room.take("", staged, &diff));
        }
        let steps = change.stash.as_ref().and_then(StashChange::steps);
        for entry in steps.map_or(&[][..], |(new, _)| new) {
            let diff = self.stashed(&entry.oid)?;
            found.push(room.take(&entry.oid, Vec::new(), &diff));
        }
        let tags = change
            .refs
            .iter()
            .filter(|own| own.name.starts_with("refs/tags/"));
        let tags = tags
            .filter(|own| own.after.is_some())
            .map(|own| own.name.as_str());
        let mut arguments = vec!["for-each-ref", TAG_FORMAT];
        arguments.extend(tags);
        if arguments.len() == 2 {
            return Ok(found);
        }
        let listed = self.ask(Side::Left, &arguments, MAX_TOLD)?;
        let mut fields = listed
            .split('\0')
            .map(|field| field.trim_start_matches('\n'));
        while let (Some(oid), Some(kind), Some(text)) =
            (fields.next(), fields.next(), fields.next())
        {
            if kind == "tag" {
                found.push(room.take(oid, Vec::new(), text));
            }
        }
        Ok(found)
    }

    /// Returns what a stash has: its work tree, its index where that differs, and files that were not tracked.
    fn stashed(&self, oid: &str) -> Result<String, String> {
        let listed = self.ask(
            Side::Left,
            &["rev-list", "--parents", "--max-count=1", oid],
            MAX_TOLD,
        )?;
        let parents: Vec<&str> = listed.split_whitespace().skip(1).collect();
        let Some((base, rest)) = parents.split_first() else {
            return Ok(String::new());
        };
        let empty = self.empty_tree()?;
        let untracked = rest.get(1).map(|own| (empty.as_str(), *own));
        let index = rest.first().map(|own| (*base, *own));
        let mut texts = Vec::new();
        for (from, to) in [Some((*base, oid)), index, untracked].into_iter().flatten() {
            let mut arguments = vec!["diff"];
            arguments.extend(PLAIN_DIFF);
            arguments.extend([from, to]);
            let diff = self.ask(Side::Left, &arguments, MAX_TOLD)?;
            if !texts.contains(&diff) {
                texts.push(diff);
            }
        }
        Ok(texts.concat())
    }

    /// Returns how a commit changes files.
    fn diff(&self, commit: &str, paths: &[String]) -> Result<String, String> {
        let mut arguments = vec!["--literal-pathspecs", "show", "--format="];
        arguments.extend(["--diff-merges=first-parent", "--no-show-signature"]);
        arguments.extend(PLAIN_DIFF);
        arguments.extend([commit, "--"]);
        arguments.extend(paths.iter().map(String::as_str));
        self.ask(Side::Real, &arguments, MAX_TOLD)
    }

    /// Returns which modes and objects a commit has at paths.
    fn known(
        &self,
        commit: Option<&str>,
        paths: BTreeSet<&str>,
    ) -> Result<BTreeMap<String, StagedEntry>, String> {
        let (Some(commit), false) = (commit, paths.is_empty()) else {
            return Ok(BTreeMap::new());
        };
        let mut arguments = vec!["--literal-pathspecs", "ls-tree", "-z", commit, "--"];
        // Of more than a command line takes, all is shown.
        arguments.extend(paths.into_iter().take(MAX_KNOWN));
        let listed = self.ask(Side::Real, &arguments, MAX_TOLD)?;
        let entries = listed.split_terminator('\0').filter_map(|entry| {
            let (kind, path) = entry.split_once('\t')?;
            let mut parts = kind.split(' ');
            let (mode, oid) = (parts.next()?, parts.next_back()?);
            Some((path.to_owned(), (mode.to_owned(), oid.to_owned())))
        });
        Ok(entries.collect())
    }
}

/// How a diff is asked for that runs nothing; of another repository it is its commit.
const PLAIN_DIFF: [&str; 6] = [
    "--no-renames",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=none",
    "--submodule=short",
];

/// How git is asked for tags: name of the object, its kind, who tagged and the text.
const TAG_FORMAT: &str =
    "--format=%(objectname)%00%(objecttype)%00by %(taggername) %(taggeremail)%0a%(contents)%00";

/// How many bytes of diffs are kept yet.
struct DiffRoom(usize);

impl DiffRoom {
    fn is_full(&self) -> bool {
        self.0 == 0
    }

    /// Takes as many lines of a diff as there is room for.
    fn take(&mut self, commit: &str, paths: Vec<String>, diff: &str) -> UndisplayedTexts {
        let mut shown = Vec::new();
        for line in diff.lines() {
            self.0 = self.0.saturating_sub(line.len() + 1);
            if self.is_full() {
                break;
            }
            shown.push(line.to_owned());
        }
        UndisplayedTexts {
            commit: commit.to_owned(),
            left_out: diff.lines().count() - shown.len(),
            paths,
            diff: shown,
            of_user: false,
        }
    }
}

/// Returns whether an object is that of a file that is there.
fn is_text((_, object): &StagedEntry) -> bool {
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
