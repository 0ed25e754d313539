//! Files that conversations are exported to.
//!
//! In: a conversation as Markdown, and a path if the user gave one. Out: a new file, and a line that names it. A file
//! that exists is never written over.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::app::Export;

/// The folder for conversations that the user gives no path for.
#[derive(Clone, Debug)]
pub struct ExportFolder {
    folder: PathBuf,
    /// What relative paths are relative to.
    root: PathBuf,
}

impl ExportFolder {
    /// Returns the folder beside the store of a workspace; nothing is made.
    pub fn new(root: &Path, store: &Path) -> Self {
        Self {
            folder: store.with_file_name("exports"),
            root: root.to_owned(),
        }
    }

    /// Writes a conversation, and says where it is or why it is nowhere.
    pub(crate) fn write(&self, export: &Export) -> String {
        let (path, written) = match &export.path {
            Some(path) => {
                let path = self.root.join(path);
                let written = write_new(&path, &export.text);
                (path, written)
            }
            None => self.write_next(&export.text),
        };
        let name = path.display();
        match written {
            Ok(()) => format!("The conversation is in {name}"),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                format!("{name} exists and stays as it is: /export PATH takes another name")
            }
            Err(error) => format!("Nothing is exported: {name}: {error}"),
        }
    }

    /// Writes to the first file of the folder that is not there yet.
    fn write_next(&self, text: &str) -> (PathBuf, io::Result<()>) {
        let mut folder = DirBuilder::new();
        if let Err(error) = folder.recursive(true).mode(0o700).create(&self.folder) {
            return (self.folder.clone(), Err(error));
        }
        let mut number = 1_u32;
        loop {
            let path = self.folder.join(format!("conversation-{number}.md"));
            match write_new(&path, text) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                written => return (path, written),
            }
        }
    }
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_exists_is_not_written_over() {
        let root = tempfile::tempdir().unwrap();
        let exports = ExportFolder {
            folder: root.path().join("state/exports"),
            root: root.path().to_owned(),
        };
        let export = |path: Option<&str>| Export {
            path: path.map(str::to_owned),
            text: "said".to_owned(),
        };
        assert!(exports.write(&export(None)).ends_with("conversation-1.md"));
        assert!(exports.write(&export(None)).ends_with("conversation-2.md"));
        assert!(exports.write(&export(Some("mine.md"))).ends_with("mine.md"));
        let again = Export {
            text: "other".to_owned(),
            ..export(Some("mine.md"))
        };
        assert!(exports.write(&again).contains("exists and stays"));
        assert_eq!(
            std::fs::read_to_string(root.path().join("mine.md")).unwrap(),
            "said"
        );
    }
}
