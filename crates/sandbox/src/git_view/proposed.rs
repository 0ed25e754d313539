//! What a program made of a repository: refs that it moved, and the commits that they hold.
//!
//! A [`RepositoryChange`] is a value, and [`super::LeftRepository`] works it out.
//!
//! ```text
//! on disk        refs/heads/main 1f0c
//! in the copy    refs/heads/main c23c, refs/tags/v1 c23c
//! told           main 1f0c -> c23c, v1 -> c23c, commit c23c "mine" with its files
//! ```

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use signoff_source::quote;

use super::as_of::{NO_CHARACTER, intended};
use super::signed_kind::looks_like;
use super::under_way::UnderWayStep;

/// Maximum length of the first line of a message as it is shown, in bytes.
const MAX_SUBJECT: usize = 72;
/// Maximum number of entries of the index that are named in one line each: `git add` of a new folder has hundreds.
const MAX_STAGING: usize = 3;
/// Letters of an object's name that are shown.
const SHORT: usize = 7;

/// The refs that are taken over, by their folders. Not `refs/replace/`: it has git read other objects than were looked at; nor
/// `refs/signoff/`.
const KINDS: [(&str, &str); 4] = [
    ("refs/heads/", "branch"),
    ("refs/tags/", "tag"),
    ("refs/notes/", "notes"),
    ("refs/remotes/", "remote branch"),
];

/// Returns whether a ref is of a kind that is taken over. Notes of signoff's say what people signed, which no program does.
pub(super) fn is_taken_over(name: &str) -> bool {
    let is_own = name.starts_with("refs/notes/signoff") || name == "refs/notes/ai";
    !is_own && KINDS.iter().any(|(folder, _)| name.starts_with(folder))
}

/// What differs between a repository and what a program left of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepositoryChange {
    /// What is checked out in the repository.
    pub before: CheckedOut,
    /// What the program left checked out.
    pub after: CheckedOut,
    /// Branches, tags, notes and remote branches that differ, by name.
    pub refs: Vec<RefChange>,
    /// New commits, the newest first.
    pub commits: Vec<ProposedCommit>,
    /// Whether there are more commits than are told.
    pub is_cut: bool,
    /// The workspace below the top of the work tree, in which all files are that differ: nothing, or with a slash at its end.
    #[serde(default)]
    pub below: String,
    /// The files in which the commits differ that are checked out, and those of which the index differs.
    pub files: Vec<CheckedOutFile>,
    /// Files among them that differ and cannot be staged, so that they will not be on disk as they are committed.
    #[serde(default)]
    pub unproposed: Vec<String>,
    /// What the commits have that no diff of files shows; none of a change that was stored before this was looked for.
    #[serde(default)]
    pub undisplayed: Option<Vec<UndisplayedTexts>>,
    /// What the program changed of the index that it found.
    #[serde(default)]
    pub index: Vec<IndexChange>,
    /// Entries among these that git has no file of in the work tree, as in a sparse checkout (`skip-worktree`).
    #[serde(default)]
    pub skipped: SkippedEntries,
    /// The stash, if it differs.
    #[serde(default)]
    pub stash: Option<StashChange>,
    /// What becomes of a merge or its like that the user has under way, if something does.
    #[serde(default)]
    pub step: Option<UnderWayStep>,
    /// Hooks that the user's git would have run at the commits, and that were not there for the program.
    #[serde(default)]
    pub hooks: Vec<String>,
    /// The index with the conflicts that the change resolves; none before it is made.
    #[serde(default)]
    pub conflicts: Option<Vec<u8>>,
    /// What the program left under way, as a rebase: it has to end before the change can be made.
    pub under_way: Option<String>,
    /// Refs that differ and are of no kind that is taken over, as symbolic ones.
    pub other_refs: Vec<String>,
    /// Whether it comes of commands alone that the user typed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_user: bool,
}

/// What is checked out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedOut {
    /// `ref: refs/heads/main`, or the name of a commit.
    pub name: String,
    /// The commit; none on a branch without one.
    pub commit: Option<String>,
}

/// A file in which what is checked out differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedOutFile {
    /// Its path in the workspace.
    pub path: String,
    /// What the program left of it in the work tree ([`super::LeftFile::fingerprint`]); none if it is not there.
    pub left: Option<String>,
    /// Whether that is what is committed, and what is staged.
    pub is_as_committed: bool,
}

/// An entry of the index: mode and hash. Of a file in a conflict its mode is one that no commit has.
pub type StagedEntry = (String, String);

/// What becomes of an entry of the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexChange {
    /// Its path, from the top of the work tree.
    pub path: String,
    /// What it was; none if it is new.
    pub before: Option<StagedEntry>,
    /// What it is; none if it is gone.
    pub after: Option<StagedEntry>,
    /// Whether another commit is checked out, and it is what that has: nothing is staged by it.
    pub follows_head: bool,
}

/// Paths of entries of the index without a file in the work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedEntries {
    /// In what the program found.
    pub before: Vec<String>,
    /// In what it left.
    pub after: Vec<String>,
}

/// The stash before and after a program, the newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StashChange {
    /// What it held.
    pub before: Vec<StashEntry>,
    /// What it holds.
    pub after: Vec<StashEntry>,
}

/// An entry of the stash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StashEntry {
    /// The name of its commit.
    pub oid: String,
    /// What `git stash list` says of it.
    pub message: String,
}

impl StashChange {
    /// Returns which entries are new, the newest first, and which are gone, by their numbers before; none if others
    /// changed their order.
    pub fn steps(&self) -> Option<(&[StashEntry], Vec<usize>)> {
        let (kept, gone): (Vec<usize>, Vec<usize>) =
            (0..self.before.len()).partition(|own| self.after.contains(&self.before[*own]));
        let new = self.after.len().checked_sub(kept.len())?;
        let (new, rest) = self.after.split_at_checked(new)?;
        let is_in_order = rest
            .iter()
            .eq(kept.iter().filter_map(|own| self.before.get(*own)));
        is_in_order.then_some((new, gone))
    }

    /// Returns what becomes of each entry that is new or gone.
    fn lines(&self) -> Vec<(bool, String)> {
        let differing = |own: &[StashEntry], other: &[StashEntry]| {
            let own = own.iter().filter(|entry| !other.contains(entry));
            own.map(|entry| quote::one_line(&entry.message, MAX_SUBJECT))
                .collect::<Vec<_>>()
        };
        let new = differing(&self.after, &self.before).into_iter();
        let new = new.map(|message| (false, format!("new stash \"{message}\"")));
        let gone = differing(&self.before, &self.after).into_iter();
        new.chain(gone.map(|message| (true, format!("stash \"{message}\" removed"))))
            .collect()
    }
}

/// A branch or tag that a program made, moved or removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefChange {
    /// Its whole name, as `refs/heads/main`.
    pub name: String,
    /// The object that it names in the repository; none if it is new.
    pub before: Option<String>,
    /// The object that it names in what the program left; none if it is gone.
    pub after: Option<String>,
    /// How many commits it held and does not hold any more. Of one that is gone, those that no branch or tag holds.
    pub loses: usize,
}

/// A commit that a program made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedCommit {
    /// Its name.
    pub oid: String,
    /// The names of its parents.
    pub parents: Vec<String>,
    /// Who wrote it, as `Name <address>`.
    pub author: String,
    /// Who committed it, if that is somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committer: Option<String>,
    /// When it was written, if that is not when it was committed: `2026-11-30 12:00:00 +0100`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authored: Option<String>,
    /// Its headers that git does not write by itself, as `gpgsig`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    /// Its message.
    pub message: String,
    /// The files in which it differs from its first parent, and how: `A`, `M`, `D` or `T`.
    pub files: Vec<(char, String)>,
}

/// What a commit has that no diff of files shows; or a new stash, a new tag with a message, or the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndisplayedTexts {
    /// The name of the commit, of that of the stash, or of the tag; empty for the index.
    pub commit: String,
    /// The files, from the top of the work tree.
    pub paths: Vec<String>,
    /// How the commit changes them, as lines of git's diff; of a tag its text.
    pub diff: Vec<String>,
    /// The number of lines of the diff that are left out of it.
    pub left_out: usize,
    /// Whether these lines were on disk already when the program had run, as the user's own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_user: bool,
}

impl RepositoryChange {
    /// Returns whether a branch, a tag, what is checked out, the stash or the index differs.
    pub fn is_some(&self) -> bool {
        !self.is_staging() || !self.index.is_empty()
    }

    /// Returns whether nothing but the index differs.
    pub fn is_staging(&self) -> bool {
        self.before.name == self.after.name
            && self.refs.is_empty()
            && self.stash.is_none()
            && self.step.is_none()
    }

    /// Returns whether it can be made of a part of its files: what is staged, or a row of commits on the branch that is
    /// checked out, which may be a new one.
    pub fn is_divisible(&self) -> bool {
        if self.is_staging() {
            return true;
        }
        let [moved] = self.refs.as_slice() else {
            return false;
        };
        let newest = self.commits.first().map(|own| &own.oid);
        let older = self.commits.iter().skip(1).map(|own| Some(&own.oid));
        let mut below = older.chain([self.before.commit.as_ref()]);
        let is_row = self
            .commits
            .iter()
            .all(|own| own.parents.len() <= 1 && below.next() == Some(own.parents.first()));
        is_row
            && newest.is_some()
            && !self.is_cut
            && self.stash.is_none()
            && self.is_on(moved)
            && moved.after.as_ref() == newest
            && self.after.name.strip_prefix("ref: ") == Some(moved.name.as_str())
    }

    /// Returns whether the branch that it moves was checked out before, or is a new one that begins there.
    fn is_on(&self, moved: &RefChange) -> bool {
        match &moved.before {
            Some(before) => {
                self.before.name == self.after.name && self.before.commit.as_ref() == Some(before)
            }
            None => {
                let is_unborn = self.before.commit.is_none();
                moved.name.starts_with("refs/heads/")
                    && (!is_unborn || self.before.name == self.after.name)
            }
        }
    }

    /// Returns the change that takes this one back. It makes no commit.
    pub fn reversed(&self) -> Self {
        let refs = self.refs.iter().map(|own| RefChange {
            name: own.name.clone(),
            before: own.after.clone(),
            after: own.before.clone(),
            loses: 0,
        });
        let index = self.index.iter().map(|own| IndexChange {
            before: own.after.clone(),
            after: own.before.clone(),
            ..own.clone()
        });
        let stash = self.stash.as_ref().map(|own| StashChange {
            before: own.after.clone(),
            after: own.before.clone(),
        });
        let skipped = SkippedEntries {
            before: self.skipped.after.clone(),
            after: self.skipped.before.clone(),
        };
        Self {
            skipped,
            before: self.after.clone(),
            after: self.before.clone(),
            refs: refs.collect(),
            index: index.collect(),
            stash,
            step: self.step.as_ref().map(UnderWayStep::reversed),
            conflicts: self.conflicts.clone(),
            ..Self::default()
        }
    }

    /// Returns why a change is carried out only if it is named, if it is: it loses commits, or
    /// has texts that no diff of files shows.
    pub fn held(&self) -> Option<String> {
        let loses = self.refs.iter().filter(|own| own.loses > 0);
        let mut reasons: Vec<String> = loses.map(ToString::to_string).collect();
        reasons.extend(self.unmakeable());
        let stash = self.stash.iter().flat_map(StashChange::lines);
        reasons.extend(stash.map(|(_, line)| line));
        let mut commits = self.commits.iter();
        let odd = commits.find_map(|own| Some((own.short(), own.headers.first()?)));
        reasons.extend(
            odd.map(|(commit, header)| format!("{commit} has the header {}", quote::name(header))),
        );
        let cut = self.is_cut.then_some("it has more commits than are listed");
        let old = self.undisplayed.is_none() && !self.commits.is_empty();
        let old = old.then_some(
            "it was stored by a signoff that did not look for texts which no diff shows",
        );
        reasons.extend(cut.into_iter().chain(old).map(str::to_owned));
        let unseen = self.other_texts();
        if let Some(first) = unseen.first() {
            let more = match unseen.len() - 1 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            reasons.push(format!(
                "it {} {}{more} otherwise than the work tree has it",
                if self.is_staging() {
                    "stages"
                } else {
                    "commits"
                },
                shown(first)
            ));
        }
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Returns why it cannot be made as it is, whatever is decided on its files, if so.
    pub fn unmakeable(&self) -> Option<String> {
        if let Some(what) = &self.under_way {
            return Some(format!(
                "a {what} is under way in it; end or abort it with another program"
            ));
        }
        let mut commits = self.commits.iter();
        if let Some((commit, kind)) = commits.find_map(|own| Some((own, looks_like(&own.message)?)))
        {
            return Some(format!(
                "the message of {} reads like {kind} of signoff, which no program makes: deny it",
                commit.short()
            ));
        }
        if let Some(path) = self.odd_name() {
            return Some(format!(
                "the name of {} in it is not UTF-8: commit that file yourself, and the rest without it",
                shown(path)
            ));
        }
        let first = quote::name(self.unproposed.first()?);
        Some(format!(
            "{first} of it cannot be staged, and would not be on disk as it is committed"
        ))
    }

    /// Returns a path that it has and that is not UTF-8, if there is one: neither hunks nor the index can have it.
    fn odd_name(&self) -> Option<&str> {
        let committed = self.commits.iter().flat_map(|own| &own.files);
        let committed = committed.map(|(_, path)| path);
        let paths = self.files.iter().map(|own| &own.path);
        let paths = paths.chain(self.index.iter().map(|own| &own.path));
        let mut paths = paths.chain(committed).map(String::as_str);
        paths.find(|path| path.contains(NO_CHARACTER))
    }

    /// Says which hooks did not run, if some did not.
    pub fn unrun_hooks(&self) -> Option<String> {
        let hooks = self.hooks.join(", ");
        (!hooks.is_empty()).then(|| format!("hooks of git did not run: {hooks}"))
    }

    /// Returns the paths of which it has texts that no hunk shows.
    pub fn other_texts(&self) -> BTreeSet<&str> {
        let other = self.files.iter().filter(|own| !own.is_as_committed);
        let other = other.map(|own| own.path.as_str());
        let beside = self.undisplayed.iter().flatten();
        let beside = beside.filter(|own| !own.of_user && !self.is_stash(&own.commit));
        let beside = beside.flat_map(|own| &own.paths);
        let beside = beside.map(|path| path.strip_prefix(&self.below).unwrap_or(path));
        other.chain(beside).collect()
    }

    /// Returns whether a name is that of a new entry of the stash, which is held for itself.
    fn is_stash(&self, oid: &str) -> bool {
        let mut entries = self.stash.iter().flat_map(|own| &own.after);
        entries.any(|entry| entry.oid == oid)
    }

    /// Returns what it has beside its commits that no diff of files shows, each with what that is.
    pub fn texts_beside_commits(&self) -> impl Iterator<Item = (String, &UndisplayedTexts)> {
        let texts = self.undisplayed.iter().flatten();
        texts.filter_map(|own| {
            let mut entries = self.stash.iter().flat_map(|stash| &stash.after);
            let mut refs = self.refs.iter();
            let title = if own.commit.is_empty() {
                "the index".to_owned()
            } else if let Some(entry) = entries.find(|entry| entry.oid == own.commit) {
                format!("stash \"{}\"", quote::one_line(&entry.message, MAX_SUBJECT))
            } else if self.commits.iter().any(|commit| commit.oid == own.commit) {
                return None;
            } else {
                let after = Some(&own.commit);
                refs.find(|tag| tag.after.as_ref() == after)?.to_string()
            };
            Some((title, own))
        })
    }

    /// Returns what is staged or not any more, and what becomes of the stash, in words, and whether something goes by it.
    pub fn staging_lines(&self) -> Vec<(bool, String)> {
        let staged = self.index.iter().filter(|own| !own.follows_head);
        let staged = staged.map(|own| {
            let becomes = match (&own.before, &own.after) {
                (None, Some((mode, _))) if intended(mode).is_some() => "intended to be added to",
                (None, Some(_)) => "added to",
                (Some(_), None) => "removed from",
                _ => "changed in",
            };
            (
                false,
                format!("{} {becomes} the index", quote::name(&own.path)),
            )
        });
        let stash = self.stash.iter().flat_map(StashChange::lines);
        let step = self.step.iter().map(|own| (false, own.line()));
        step.chain(stash).chain(staged).collect()
    }

    /// Returns each part in words where the change is taken back: what was under way is so again.
    pub fn lines_reversed(&self) -> Vec<String> {
        let step = self.step.as_ref().map(UnderWayStep::reversed);
        let reversed = Self {
            step,
            ..self.clone()
        };
        reversed.lines()
    }

    /// Returns each part in words: `commit c23c935 "mine" (2 files) on branch main from 1f0c to c23c935`.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for change in &self.refs {
            let is_tip = |own: &&ProposedCommit| Some(&own.oid) == change.after.as_ref();
            lines.push(match self.commits.iter().find(is_tip) {
                Some(commit) => format!("{commit} on {change}"),
                None => change.to_string(),
            });
        }
        if self.before.name != self.after.name {
            let after = &self.after.name;
            let place = after.strip_prefix("ref: ");
            let place = place.map_or_else(|| short(after), short_name);
            lines.push(format!("{place} is checked out"));
        }
        let mut staging = self.staging_lines();
        let more = staging.len().saturating_sub(MAX_STAGING);
        staging.truncate(MAX_STAGING);
        lines.extend(staging.into_iter().map(|(_, line)| line));
        if let (1.., Some(last)) = (more, lines.last_mut()) {
            *last += &format!(" and {more} more");
        }
        if let (count @ 2.., Some(last)) = (self.commits.len(), lines.last_mut()) {
            let more = if self.is_cut { "more than " } else { "" };
            *last += &format!("; {more}{count} new commits in all");
        }
        lines
    }
}

impl ProposedCommit {
    /// Returns the first line of its message, bounded.
    pub fn subject(&self) -> String {
        let subject = self.message.lines().next().unwrap_or("");
        quote::one_line(subject, MAX_SUBJECT)
    }

    /// Returns the first digits of its name.
    pub fn short(&self) -> String {
        short(&self.oid)
    }
}

impl fmt::Display for ProposedCommit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, s) = (
            self.files.len(),
            if self.files.len() == 1 { "" } else { "s" },
        );
        let subject = self.subject();
        write!(
            out,
            "commit {} \"{subject}\" ({files} file{s})",
            short(&self.oid)
        )
    }
}

impl fmt::Display for RefChange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = KINDS
            .iter()
            .find(|(folder, _)| self.name.starts_with(folder));
        let kind = kind.map_or("ref", |(_, kind)| kind);
        let name = format!("{kind} {}", short_name(&self.name));
        match (&self.before, &self.after) {
            (None, Some(after)) => write!(out, "new {name} at {}", short(after))?,
            (Some(_), None) => write!(out, "{name} removed")?,
            (Some(before), Some(after)) => {
                write!(out, "{name} from {} to {}", short(before), short(after))?
            }
            (None, None) => write!(out, "{name}")?,
        }
        match self.loses {
            0 => Ok(()),
            1 => write!(out, ", which loses 1 commit"),
            loses => write!(out, ", which loses {loses} commits"),
        }
    }
}

/// Returns a path as it is shown; bytes of it that are no characters as `\xe9`.
fn shown(path: &str) -> String {
    quote::name(path).replace(NO_CHARACTER, "\\x")
}

/// Returns the name of an object as it is shown.
fn short(oid: &str) -> String {
    oid.chars().take(SHORT).collect()
}

/// Returns the name of a branch or tag without the folder that it is in.
fn short_name(name: &str) -> String {
    let mut kinds = KINDS.iter();
    let short = kinds.find_map(|(folder, _)| name.strip_prefix(folder));
    quote::name(short.unwrap_or(name)).into_owned()
}
