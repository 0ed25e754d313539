//! Workspace: the folder that signoff may touch.
//!
//! In: [`WorkspacePath`]s, which cannot lead out. Out: what is there, and the few steps from
//! which [`crate::disk::transaction`] makes a commit. [`disk`] is the real one, [`memory`] the one
//! that can be told to fail.
//!
//! **Invariant:** only `workspace/disk.rs`, with `disk/folder.rs` below it, writes to the user's files, and only as
//! drafts renamed over their targets, or by removing a file. The one exception is `/export PATH`, which the user
//! types: it makes a new file, and refuses where one is.
//!
//! **Invariant:** a path that a model or a user names is resolved afresh at every use, all symbolic links followed.
//! One that leads out of the workspace, or that points at nothing, is refused. A link is read and written as one
//! only under its own name, which programs change and the stage keeps (`docs/decisions/0029`).
//!
//! **Invariant:** what is written goes through no symbolic link. Staged paths have all links resolved; each step of
//! a commit opens the folder part by part without following any (`disk/folder`) and names files relative to it. A
//! folder that became a link between staging and writing, to `.git` or elsewhere, is an error, and nothing is
//! written.
//!
//! `executed` says what makes a program run when it is written: `executed/table` has the names as data, by kind and
//! with sources, from which a page (`docs/executed-files.md`) is printed; `executed/lock_file` says what a change
//! of a lock file comes to.
//!
//! `link_walk` tells where a link leads, among all that may stand at each path. The caller says what does:
//! `engine/links/executed/link_places` the disk and the stage, `signoff run` the layer as well.
//!
//! **Invariant:** where a link leads is never told from its text alone.

pub mod attributes;
pub mod disk;
pub mod executed;
pub mod link_walk;
pub mod memory;

use std::path::PathBuf;

use crate::text::{Encoding, Fingerprint, Source};
use attributes::Attributes;
use reserved::ReservedFolders;
pub use signoff_source::path::{PathError, WorkspacePath, git_folder, reserved};

/// Files above this size are neither read as text nor edited.
pub const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// The permission bits of every symbolic link.
const LINK_MODE: u32 = 0o777;

/// A file or symbolic link as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileImage {
    /// Its bytes, or the target of the link.
    pub source: Source,
    /// Its permission bits.
    pub mode: u32,
}

/// What a name in a folder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DirEntryKind {
    /// A folder.
    Dir,
    /// A regular file.
    File,
    /// A symbolic link, to whatever.
    Symlink,
    /// A pipe, a socket or a device.
    Other,
}

/// One name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// The name, without folders; lossy where it is not UTF-8.
    pub name: String,
    /// What it is.
    pub kind: DirEntryKind,
    /// Size in bytes, for regular files.
    pub size: u64,
}

/// Why something in the workspace cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The path itself, or a symbolic link on it, leads out.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Nothing has this name.
    #[error("{} does not exist", crate::quote::name(.path))]
    Missing {
        /// Relative path.
        path: String,
    },
    /// A file stands where the path needs a folder.
    #[error("{} cannot exist: {} is not a folder", crate::quote::name(.path), crate::quote::name(.file))]
    BelowFile {
        /// Relative path.
        path: String,
        /// The part of it that is not a folder.
        file: String,
    },
    /// A folder stands where a file is meant.
    #[error("{} is a folder; name a file in it", crate::quote::name(.path))]
    IsFolder {
        /// Relative path.
        path: String,
    },
    /// A file stands where a folder is meant.
    #[error("{} is not a folder", crate::quote::name(.path))]
    NotFolder {
        /// Relative path.
        path: String,
    },
    /// A pipe, a socket or a device.
    #[error("{} is a pipe, a socket or a device; only regular files are read and edited", crate::quote::name(.path))]
    NotRegular {
        /// Relative path.
        path: String,
    },
    /// Larger than [`MAX_FILE_BYTES`].
    #[error("{} has {size} bytes; files above {MAX_FILE_BYTES} are neither read nor edited", crate::quote::name(.path))]
    TooLarge {
        /// Relative path.
        path: String,
        /// Size in bytes.
        size: u64,
    },
    /// The file's encoding has not all characters of the text.
    #[error("{}: the text has characters that {encoding}, the file's encoding, has not", crate::quote::name(.path))]
    Encoding {
        /// Relative path.
        path: String,
        /// The encoding.
        encoding: Encoding,
    },
    /// No write permission.
    #[error("{} is read-only; only the user can make it writable", crate::quote::name(.path))]
    ReadOnly {
        /// Relative path.
        path: String,
    },
    /// No write permission on the folder, in which files are replaced.
    #[error("{} is in a read-only folder; only the user can make it writable", crate::quote::name(.path))]
    FolderReadOnly {
        /// Relative path.
        path: String,
    },
    /// An attribute that says who may use the file cannot be given to its new text.
    #[error("cannot keep {name} of {}: {source}", crate::quote::name(.path))]
    Attribute {
        /// Relative path.
        path: String,
        /// Which attribute.
        name: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system returned an error.
    #[error("cannot {step} {}: {source}", crate::quote::name(.path))]
    Io {
        /// What was tried: `read`, `write`, ...
        step: &'static str,
        /// Relative path.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// A file about to be put in place: written beside its target, not yet visible under its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Draft {
    /// The target.
    pub path: WorkspacePath,
    /// Tells drafts of different transactions apart.
    pub tag: String,
}

/// Whether a target was as expected when it was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Swap {
    /// It was, and is replaced.
    Done,
    /// It was not, and is as it was.
    Changed,
}

/// Reads files of a workspace beside it.
pub trait Reader: Send {
    /// Returns the file, or none if nothing has this name.
    fn image(&self, path: &WorkspacePath) -> Result<Option<FileImage>, AccessError>;
}

/// Reads the workspace and takes the steps of a commit.
pub trait Workspace: Send {
    /// Returns the absolute path of the folder.
    fn root(&self) -> PathBuf;

    /// Returns the folders that are no part of it: signoff's own.
    fn reserved(&self) -> ReservedFolders {
        ReservedFolders::default()
    }

    /// Returns the permission bits that the user's new files do not get.
    fn umask(&self) -> u32 {
        0o022
    }

    /// Returns what reads files beside this, so that several are read at once; none where that
    /// cannot be.
    fn reader(&self) -> Option<Box<dyn Reader>> {
        None
    }

    /// Returns the one path that a file has, whatever symbolic links lead to it.
    fn canonical(&self, path: &WorkspacePath) -> Result<WorkspacePath, AccessError>;

    /// Returns a path with the links of its folders resolved; a link that it ends in stays.
    fn entry(&self, path: &WorkspacePath) -> Result<WorkspacePath, AccessError>;

    /// Returns the file, or none if nothing has this name. A link that the path ends in is read as such.
    fn read(&self, path: &WorkspacePath) -> Result<Option<FileImage>, AccessError>;

    /// Returns the file as [`Self::read`] does; refuses a path of which a folder has become a link since it was resolved.
    fn read_resolved(&self, path: &WorkspacePath) -> Result<Option<FileImage>, AccessError> {
        read_entry(self, path)
    }

    /// Returns the target of a symbolic link; none if something else, or nothing, has this name.
    fn link_target(&self, path: &WorkspacePath) -> Result<Option<Vec<u8>>, AccessError>;

    /// Returns whether a file has other names as well, by hard links.
    fn has_other_names(&self, path: &WorkspacePath) -> Result<bool, AccessError>;

    /// Returns the names in a folder, sorted.
    fn list(&self, path: &WorkspacePath) -> Result<Vec<DirEntry>, AccessError>;

    /// Refuses a target that may not be written, without touching it.
    fn check_writable(&self, path: &WorkspacePath) -> Result<(), AccessError>;

    /// Returns the attributes of a file, or none if no file has this name.
    fn attributes(&self, path: &WorkspacePath) -> Result<Option<Attributes>, AccessError>;

    /// Returns the permission bits alone, of a file that is staged over and so was resolved.
    fn mode(&self, path: &WorkspacePath) -> Result<Option<u32>, AccessError> {
        Ok(self.attributes(path)?.map(|own| own.mode))
    }

    /// Writes a text, or makes a link, beside the target and makes it durable; parents are made as
    /// needed. Without attributes, the file gets what the system gives new files. Returns the names of
    /// those that are not permitted.
    fn draft(
        &mut self,
        draft: &Draft,
        text: &Source,
        attributes: Option<&Attributes>,
    ) -> Result<Vec<String>, AccessError>;

    /// Returns the text under a draft's name, or none if there is nothing.
    fn drafted(&self, draft: &Draft) -> Result<Option<Source>, AccessError>;

    /// Puts a draft in the place of its target, if the target is what `expected` says. Where
    /// the system can exchange two files in one step, a save that comes in the very instant is
    /// noticed and given back.
    fn publish(
        &mut self,
        draft: &Draft,
        expected: Option<Fingerprint>,
    ) -> Result<Swap, AccessError>;

    /// Removes the target, if it is what `expected` says; noticed likewise.
    fn withdraw(&mut self, draft: &Draft, expected: Fingerprint) -> Result<Swap, AccessError>;

    /// Gives whatever stands under a draft's name that of another draft of the same target.
    fn redraft(&mut self, draft: &Draft, to: &Draft) -> Result<(), AccessError>;

    /// Removes a draft if it is there.
    fn discard(&mut self, draft: &Draft) -> Result<(), AccessError>;

    /// Returns the folders that have to be made before a file can have this path, deepest first.
    fn missing_folders(&self, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, AccessError>;

    /// Removes a folder if it is there and empty.
    fn remove_folder(&mut self, folder: &WorkspacePath) -> Result<(), AccessError>;

    /// Makes the folder of a path durable.
    fn sync_folder(&mut self, path: &WorkspacePath) -> Result<(), AccessError>;
}

/// Reads a file whose path leads through no link, as [`Workspace::read_resolved`] does.
fn read_entry<W: Workspace + ?Sized>(
    workspace: &W,
    path: &WorkspacePath,
) -> Result<Option<FileImage>, AccessError> {
    if workspace.entry(path)? == *path {
        return workspace.read(path);
    }
    let path = path.to_string();
    Err(PathError::Relinked { path }.into())
}

/// Returns the bytes that a file has with a text.
pub(crate) fn encoded(path: &WorkspacePath, text: &Source) -> Result<Vec<u8>, AccessError> {
    text.encoded().ok_or_else(|| AccessError::Encoding {
        path: path.to_string(),
        encoding: text.encoding(),
    })
}
