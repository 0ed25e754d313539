//! What a program left in the shadow: files that it changed, and what cannot be told of them.

use signoff_source::file::ProgramFile;

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
    /// Whether something in git's own folder was written; that is dropped.
    pub git: bool,
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
