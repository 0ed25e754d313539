//! Files that signoff itself writes below a repository's folder, as a draft of its index or a pack.
//!
//! In: a path with a name that signoff chose, bytes. Out: a new regular file of this user's. Whoever made the repository may
//! have put something there before: a link to a file of the user's, a pipe, a folder. That is an error which names it: it is
//! neither written to nor waited for. A regular file is what a killed process left, and is removed.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::getuid;

use crate::git_view::plain;

/// A file until it gets its place; removed when it is dropped before.
#[derive(Debug)]
pub(super) struct OwnFile {
    path: PathBuf,
    file: File,
}

impl OwnFile {
    /// Makes the file. What has its name is removed if a killed process can have left it.
    pub(super) fn new(path: PathBuf) -> io::Result<Self> {
        remove_left(&path)?;
        // The system follows no link where a file has to be new.
        let file = File::create_new(&path)?;
        Ok(Self { path, file })
    }

    /// Makes the file with these bytes.
    pub(super) fn with(path: PathBuf, bytes: &[u8]) -> io::Result<Self> {
        let mut made = Self::new(path)?;
        made.file.write_all(bytes)?;
        Ok(made)
    }

    /// Returns the open file.
    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives the file another name as well, if nothing has that.
    pub(super) fn link_to(&self, to: &Path) -> io::Result<()> {
        fs::hard_link(&self.path, to)
    }

    /// Puts the file in the place of another, durably.
    pub(super) fn replace(self, to: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, to)
    }
}

impl Drop for OwnFile {
    fn drop(&mut self) {
        // After it took another's place, nothing has its name.
        let _gone = fs::remove_file(&self.path);
    }
}

/// Removes what a killed process left under a name of signoff's; something else is an error.
pub(super) fn remove_left(path: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if found.is_file() && found.uid() == getuid().as_raw() {
        return fs::remove_file(path);
    }
    let why =
        format!("{path:?} is in the way, which is no file of signoff's; look at it and remove it");
    Err(io::Error::new(io::ErrorKind::AlreadyExists, why))
}

/// Writes a file of git's, by its path below git's folder `own`, in the place of a regular file or of nothing.
pub(super) fn write_below(own: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    let unwritten = |error: io::Error| format!("{name} of git's folder cannot be written: {error}");
    let path = own.join(name);
    let mut folder = own.to_owned();
    let parts = Path::new(name)
        .parent()
        .into_iter()
        .flat_map(Path::components);
    for part in parts {
        folder.push(part);
        if !plain::folder(&folder)? {
            fs::create_dir(&folder).map_err(unwritten)?;
        }
    }
    if plain::file(&path, u64::MAX)? {
        fs::remove_file(&path).map_err(unwritten)?;
    }
    let mut file = File::create_new(&path).map_err(unwritten)?;
    file.write_all(bytes).map_err(unwritten)
}
