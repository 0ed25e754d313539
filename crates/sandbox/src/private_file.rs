//! Files of signoff's own that nobody but the user reads: state, sign-ins, prompts.
//!
//! In: bytes. Out: a file that is there whole or not at all, with mode 0600 in folders with mode 0700, whatever the umask
//! says, and what is in it later.
//!
//! **Invariant:** state outside of the workspace and the store is written through `PrivateFile`.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::regular;

/// The user reads and writes it, and nobody else.
const PRIVATE: u32 = 0o600;
/// What somebody else put in the place of a file is not read to its end.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The path of a file that only the user reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateFile(PathBuf);

impl PrivateFile {
    /// Returns the file at a path; nothing is made.
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Reads the file; none if there is no file.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read, if it is larger than 64 MiB, or if it is no regular file.
    pub fn bytes(&self) -> io::Result<Option<Vec<u8>>> {
        match regular::read(&self.0, MAX_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map(Some).map_err(self.failed("read")),
        }
    }

    /// Reads the file as text; none if there is no file.
    ///
    /// # Errors
    ///
    /// As [`Self::bytes`], and if it is not UTF-8.
    pub fn text(&self) -> io::Result<Option<String>> {
        match regular::text(&self.0, MAX_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map(Some).map_err(self.failed("read")),
        }
    }

    /// Replaces what is in the file. A reader sees the old bytes or the new ones. After a loss of power the file may
    /// be the old one.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written; what was there stays.
    pub fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes, |_draft| Ok(()))
    }

    /// Replaces what is in the file, and returns once the new bytes outlive a loss of power.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written; what was there stays.
    pub fn replace_durably(&self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes, File::sync_all)
    }

    /// Opens the file to add to its end; it is made where it is missing.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be opened.
    pub fn append(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(PRIVATE);
        let opened = self.folder().and_then(make_folder);
        let opened = opened.and_then(|()| options.open(&self.0));
        opened.map_err(self.failed("open"))
    }

    /// Removes the file. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be removed.
    pub fn remove(&self) -> io::Result<bool> {
        match fs::remove_file(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true).map_err(self.failed("remove")),
        }
    }

    /// Opens the file beside it, with the extension `lock`, that processes lock before they change this one.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be opened.
    pub fn lock_file(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options
            .write(true)
            .create(true)
            .truncate(false)
            .mode(PRIVATE);
        let opened = self.folder().and_then(make_folder);
        let opened = opened.and_then(|()| options.open(self.0.with_extension("lock")));
        opened.map_err(self.failed("lock"))
    }

    /// Writes a draft beside the file and renames it: a link in its place is replaced, not written through.
    fn write(&self, bytes: &[u8], settle: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
        let written = self.folder().and_then(|folder| {
            make_folder(folder)?;
            let mut draft = NamedTempFile::new_in(folder)?;
            draft.write_all(bytes)?;
            settle(draft.as_file())?;
            draft.persist(&self.0)?;
            Ok(())
        });
        written.map_err(self.failed("write"))
    }

    /// Names the file in an error.
    fn failed(&self, what: &'static str) -> impl FnOnce(io::Error) -> io::Error {
        move |error| {
            io::Error::new(
                error.kind(),
                format!("cannot {what} {}: {error}", self.0.display()),
            )
        }
    }

    fn folder(&self) -> io::Result<&Path> {
        self.0
            .parent()
            .ok_or_else(|| ErrorKind::InvalidInput.into())
    }
}

/// Makes a folder that only the user enters, with all above it that are missing.
///
/// # Errors
///
/// Fails if it cannot be made.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, symlink};

    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_is_the_users_alone() {
        let around = tempfile::tempdir().unwrap();
        let file = PrivateFile::new(around.path().join("state/deep/marks.json"));
        assert_eq!(file.bytes().unwrap(), None);
        assert!(!file.remove().unwrap());
        file.replace(b"one").unwrap();
        file.replace_durably(b"two").unwrap();
        file.append().unwrap().write_all(b" more").unwrap();
        assert_eq!(file.text().unwrap().as_deref(), Some("two more"));
        let folder = around.path().join("state/deep");
        assert_eq!((mode(file.path()), mode(&folder)), (0o600, 0o700));
        assert!(file.remove().unwrap());
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0, "drafts stay");
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn a_link_in_its_place_is_replaced_and_not_followed() {
        let around = tempfile::tempdir().unwrap();
        let other = around.path().join("other");
        fs::write(&other, "as it was").unwrap();
        let file = PrivateFile::new(around.path().join("link"));
        symlink(&other, file.path()).unwrap();
        file.replace(b"new").unwrap();
        assert_eq!(fs::read_to_string(other).unwrap(), "as it was");
        assert!(fs::symlink_metadata(file.path()).unwrap().is_file());
    }
}
