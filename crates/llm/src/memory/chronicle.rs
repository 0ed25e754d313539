//! Chronicle: the file of a conversation that goes on.
//!
//! In: records. Out: lines at the end of the file, which is made with the first prompt: what was recorded before it,
//! as a mode or a revert, waits for it, so that no conversation is kept in which nothing was asked.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::PathBuf;

use signoff_sandbox::private_file::PrivateFile;

use super::image_files::ImageFiles;
use super::{MemoryError, Record, RecordLine, failed};

/// A conversation that is being written down. While it lives no other process writes it.
#[derive(Debug)]
pub struct Chronicle {
    path: PathBuf,
    file: Option<File>,
    parent: Option<String>,
    /// What was recorded before the first prompt.
    held: Vec<RecordLine>,
}

impl Chronicle {
    /// Returns one of which nothing is written; `parent` is the one that it goes on from.
    pub(super) fn begin(path: PathBuf, parent: Option<String>) -> Self {
        Self {
            path,
            file: None,
            parent,
            held: Vec::new(),
        }
    }

    /// Returns one that goes on in an open file.
    pub(super) fn go_on(path: PathBuf, file: File) -> Self {
        Self {
            file: Some(file),
            ..Self::begin(path, None)
        }
    }

    /// Writes a record down; `at` is in milliseconds since 1970.
    pub fn write(&mut self, at: i64, record: Record) -> Result<(), MemoryError> {
        if self.file.is_none() && !record.has_prompt() {
            self.held.push(RecordLine { at, record });
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            let files = ImageFiles::of(folder);
            record.images().try_for_each(|image| files.keep(image))?;
        }
        let mut lines = Vec::new();
        let mut push =
            |line: RecordLine| serde_json::to_writer(&mut lines, &line).map(|()| lines.push(b'\n'));
        let mut put = Ok(());
        if self.file.is_none() {
            let parent = self.parent.take();
            let record = Record::Began { parent };
            put = push(RecordLine { at, record });
            let held = std::mem::take(&mut self.held);
            put = put.and_then(|()| held.into_iter().try_for_each(&mut push));
        }
        let put = put.and_then(|()| push(RecordLine { at, record }));
        put.map_err(|error| failed("write", &self.path)(error.into()))?;
        let path = self.path.clone();
        let written = self.open()?.write_all(&lines);
        written.map_err(failed("write", &path))
    }

    fn open(&mut self) -> Result<&mut File, MemoryError> {
        if self.file.is_none() {
            let file = PrivateFile::new(self.path.clone()).append();
            let file = file.map_err(MemoryError::Private)?;
            // Held while the file is open: lines of two processes would get between each other.
            file.lock().map_err(failed("lock", &self.path))?;
            return Ok(self.file.insert(file));
        }
        let path = &self.path;
        self.file
            .as_mut()
            .ok_or_else(|| failed("open", path)(io::Error::from(io::ErrorKind::NotFound)))
    }
}
