//! File of the unsent prompt, beside the store of the workspace.
//!
//! In: the text of the composer, whenever it changes. Out: the same in a later run. The file is the user's alone.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use anyhow::Context as _;

use crate::paths::Paths;

/// Where the unsent prompt is kept.
#[derive(Clone, Debug)]
pub struct DraftFile(PathBuf);

impl DraftFile {
    /// Returns the file for a workspace; nothing is made.
    pub fn new(paths: &Paths) -> Self {
        Self(paths.store.with_file_name("draft.txt"))
    }

    /// Reads what an earlier run left, none if it left nothing.
    pub(crate) fn load(&self) -> anyhow::Result<Option<String>> {
        match fs::read_to_string(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read
                .map(Some)
                .with_context(|| format!("cannot read {}", self.0.display())),
        }
    }

    /// Writes the text down; without one the file goes. The file has the earlier text or this one, whatever happens.
    pub(crate) fn save(&self, text: &str) -> anyhow::Result<()> {
        let saved = if text.is_empty() {
            match fs::remove_file(&self.0) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        } else {
            self.replace(text)
        };
        saved.with_context(|| format!("cannot write {}", self.0.display()))
    }

    fn replace(&self, text: &str) -> std::io::Result<()> {
        if let Some(folder) = self.0.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        let new = self.0.with_extension(format!("{}.new", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        options.open(&new)?.write_all(text.as_bytes())?;
        fs::rename(&new, &self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_draft_is_read_as_it_was_written_and_goes_when_it_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let file = DraftFile(folder.path().join("state/draft.txt"));
        assert_eq!(file.load().unwrap(), None);
        file.save("").unwrap();
        file.save("why\n漢?").unwrap();
        assert_eq!(file.load().unwrap().as_deref(), Some("why\n漢?"));
        let mode = fs::metadata(&file.0).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        file.save("").unwrap();
        assert_eq!(file.load().unwrap(), None);
        assert_eq!(
            fs::read_dir(folder.path().join("state")).unwrap().count(),
            0
        );
    }
}
