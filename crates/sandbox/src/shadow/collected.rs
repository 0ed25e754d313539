//! What a program left in the shadow: files that it changed, and what cannot be told of them.

use std::borrow::Cow;

use signoff_source::file::ProgramFile;
use signoff_source::plural::{counted, size};
use signoff_source::quote;

use crate::waiting_commits::WaitingChange;

/// Maximum number of files that one program's changes may have, and of their bytes together. A rewrite of 5,000 files
/// is staged in two seconds; sixty files of five megabytes, each with a diff, took seven gigabytes of memory.
pub(super) const MAX_FILES: usize = 20_000;
pub(super) const MAX_BYTES: u64 = 64 << 20;

/// Maximum number of differences that are named and not told as bytes. Nobody reads more of them, and a program can make
/// a million empty folders.
const MAX_NAMED: usize = 1_000;

/// What a program left in the shadow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Files that the program changed, by path; none at all where there are too many.
    pub changed: Vec<ProgramFile>,
    /// What differs and is not told as bytes.
    pub not_collected: Vec<NotCollected>,
    /// How many more of these there are, which are not named.
    pub unnamed: usize,
    /// Ignored files that it wrote, which stay in the layer.
    pub kept: Kept,
    /// Ignored files and files of git's that it wrote and that may hold what another file has lost, with their bytes if
    /// they were read.
    pub unproposed: Vec<(String, Option<Vec<u8>>)>,
    /// What it changed of the repository.
    pub git: RepositoryWritten,
    /// Why nothing that it changed is told, if so.
    pub flood: Option<Flood>,
}

impl Collected {
    /// Notes a difference that is not told as bytes.
    pub(super) fn refuse(&mut self, path: String, why: Why) {
        // One that may hold what is gone elsewhere is always among the named: nothing is deleted then.
        let is_first_holder = why.may_hold_text()
            && !self
                .not_collected
                .iter()
                .any(|named| named.why.may_hold_text());
        if self.not_collected.len() < MAX_NAMED || is_first_holder {
            self.not_collected.push(NotCollected { path, why });
        } else {
            self.unnamed += 1;
        }
    }
}

/// What a program changed of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryWritten {
    /// Branches, tags and commits that it made, moved or removed, with those of earlier programs that still wait.
    pub waits: Option<WaitingChange>,
    /// Whether the program put work away in the stash, which waits.
    pub stashed: bool,
    /// What else of it the next program finds, and the repository does not get: a merge under way, the index, a stash.
    pub stays: Vec<String>,
    /// What else it wrote in git's folders, which is dropped.
    pub dropped: Vec<String>,
    /// The folder of hooks that it set, which the repository does not get.
    pub hooks_path: Option<String>,
}

impl RepositoryWritten {
    /// Returns by which command the user decides on what waits.
    pub fn command(&self) -> Option<String> {
        let WaitingChange { id, change } = self.waits.as_ref()?;
        if change.unmakeable().is_some() {
            return Some(format!("`signoff deny {id}` drops it"));
        }
        let makes = format!("`signoff approve {id}` makes it in the repository");
        Some(match change.held() {
            Some(why) => format!("{makes}; `--all` leaves it: {why}"),
            None => makes,
        })
    }

    /// Returns what becomes of it, a sentence each.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some(WaitingChange { change, .. }) = &self.waits {
            let lines = change.lines();
            remarks.push(format!("waits for a sign-off: {}", lines.join("; ")));
            remarks.extend(
                change
                    .unmakeable()
                    .map(|why| format!("it cannot be made: {why}")),
            );
            remarks.extend(change.unrun_hooks());
        }
        if !self.stays.is_empty() {
            let stays = self.stays.join(", ");
            remarks.push(format!(
                "the next program of its kind finds {stays}; the repository does not get it"
            ));
        }
        if !self.dropped.is_empty() {
            let dropped = self.dropped.join(", ");
            remarks.push(format!(
                "not taken over of what it wrote to git's folder: {dropped}"
            ));
        }
        remarks
    }
}

/// More changes than are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flood {
    /// Too many files.
    #[error("it changed more than {MAX_FILES} files")]
    Files,
    /// Too many bytes.
    #[error("the files that it changed have more than {} MiB together", MAX_BYTES >> 20)]
    Bytes,
}

/// A difference that is not told as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCollected {
    /// Path relative to the workspace.
    pub path: String,
    /// Why.
    pub why: Why,
}

/// Why a difference is not told as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// It is larger than files may be.
    #[error("it has {0} bytes")]
    TooLarge(u64),
    /// A pipe, a socket or a device.
    #[error("it is a pipe, a socket or a device")]
    Special,
    /// Its name is no text.
    #[error("its name is not UTF-8")]
    Name,
    /// A folder that holds nothing.
    #[error("it is an empty folder")]
    EmptyFolder,
    /// The same in the place of a file.
    #[error("it is an empty folder in the place of a file")]
    EmptyFolderForFile,
    /// An empty folder that was removed.
    #[error("it is an empty folder, which stays")]
    EmptyFolderGone,
    /// A folder with other permissions.
    #[error("its permissions are a folder's, which stay")]
    FolderPermissions,
    /// It is signoff's own folder.
    #[error("it belongs to signoff itself and is part of no workspace")]
    Reserved,
    /// It cannot be opened.
    #[error("it cannot be read")]
    Unreadable,
}

impl Why {
    /// Returns whether bytes of other files may be in it.
    pub fn may_hold_text(self) -> bool {
        match self {
            Self::TooLarge(_) | Self::Name | Self::Unreadable | Self::EmptyFolderForFile => true,
            Self::Special
            | Self::EmptyFolder
            | Self::EmptyFolderGone
            | Self::FolderPermissions
            | Self::Reserved => false,
        }
    }
}

/// Ignored files in the layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// How many.
    pub files: usize,
    /// Their bytes together.
    pub bytes: u64,
    /// The outermost ignored files and folders.
    pub paths: Vec<String>,
}

/// Ignored files and folders that are named at once.
const NAMED: usize = 3;

impl Kept {
    /// Says that they are not on the disk, for [`Self::line`].
    pub fn stays(&self) -> &'static str {
        if self.files == 1 {
            "stays in the shadow"
        } else {
            "stay in the shadow"
        }
    }

    /// Says in a line what became of them: `412 ignored files (88.0 MB) stay in the shadow: target`.
    pub fn line(&self, become_of_them: &str) -> String {
        let named = self.paths.iter().take(NAMED);
        let mut named: Vec<Cow<'_, str>> = named.map(|path| quote::name(path)).collect();
        if self.paths.len() > NAMED {
            named.push("...".into());
        }
        let files = counted(self.files, "ignored file");
        let (size, named) = (size(self.bytes), named.join(", "));
        format!("{files} ({size}) {become_of_them}: {named}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_hold_text_is_named_among_however_many_others() {
        for (others, expected, unnamed) in [
            (3, 4, 0),
            (MAX_NAMED - 1, MAX_NAMED, 0),
            (MAX_NAMED, MAX_NAMED + 1, 0),
            (MAX_NAMED + 7, MAX_NAMED + 1, 7),
        ] {
            let mut collected = Collected::default();
            for other in 0..others {
                collected.refuse(format!("e{other}"), Why::EmptyFolder);
            }
            collected.refuse("archive".to_owned(), Why::TooLarge(9 << 20));
            assert_eq!(collected.not_collected.len(), expected, "{others}");
            assert_eq!(collected.unnamed, unnamed, "{others}");
            let last = collected.not_collected.last().map(|own| own.path.as_str());
            assert_eq!(last, Some("archive"), "{others}");
            collected.refuse("more".to_owned(), Why::Name);
            let is_named = others + 1 < MAX_NAMED;
            assert_eq!(
                collected.unnamed,
                unnamed + usize::from(!is_named),
                "{others}"
            );
        }
    }
}
