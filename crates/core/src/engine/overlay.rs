//! Overlay: the workspace with all staged changes applied.
//!
//! In: paths. Out: texts and folders, for every tool that reads.

pub(super) mod reading;
pub(super) mod seen;

use std::collections::BTreeMap;

use super::{Engine, EngineError};
use crate::disk::workspace::{DirEntry, EntryKind, WorkspacePath};
use crate::text::Source;

impl Engine {
    /// Returns a file's text with everything staged in it; none if it would not be there.
    pub fn read(&mut self, path: &str) -> Result<Option<Source>, EngineError> {
        let _lock = self.begin()?;
        let path = self.path(path)?;
        let source = reading::text(&path, self.overlay(&path)?)?;
        let key = self.stage.key_of(&path).unwrap_or(&path);
        let on_disk = match self.stage.stacks.get(key) {
            Some(stack) => stack.base.clone(),
            None => source.clone(),
        };
        self.seen.remember(key, on_disk);
        Ok(source)
    }

    /// Returns the names in a folder, sorted, as they would be with everything staged.
    pub fn list(&mut self, folder: &str) -> Result<Vec<DirEntry>, EngineError> {
        let _lock = self.begin()?;
        let folder = self.path(folder)?;
        self.listed(&folder)
    }

    /// Returns the names in a folder while the lock is held.
    pub(super) fn listed(&self, folder: &WorkspacePath) -> Result<Vec<DirEntry>, EngineError> {
        let staged = self.staged()?;
        let prefix = match folder.as_str() {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        let below = staged
            .iter()
            .any(|(path, text)| text.is_some() && path.as_str().starts_with(&prefix));
        let on_disk = match self.workspace.list(folder) {
            Err(_absent) if below => Vec::new(),
            listed => listed?,
        };
        let mut entries: BTreeMap<String, DirEntry> = on_disk
            .into_iter()
            .map(|entry| (entry.name.clone(), entry))
            .collect();
        for (path, text) in staged {
            let Some(rest) = path.as_str().strip_prefix(&prefix) else {
                continue;
            };
            match (rest.split_once('/'), text) {
                (None, None) => drop(entries.remove(rest)),
                (None, Some(text)) => {
                    let size = text.bytes().len() as u64;
                    let entry = DirEntry {
                        name: rest.to_owned(),
                        kind: if text.is_link() {
                            EntryKind::Symlink
                        } else {
                            EntryKind::File
                        },
                        size,
                    };
                    entries.insert(rest.to_owned(), entry);
                }
                (Some((name, _)), Some(_)) => {
                    let entry = DirEntry {
                        name: name.to_owned(),
                        kind: EntryKind::Dir,
                        size: 0,
                    };
                    entries.entry(name.to_owned()).or_insert(entry);
                }
                (Some(_), None) => {}
            }
        }
        Ok(entries.into_values().collect())
    }

    /// Returns whether anything is staged over a file.
    pub fn is_staged(&mut self, path: &str) -> Result<bool, EngineError> {
        let _lock = self.begin()?;
        let path = self.path(path)?;
        Ok(self.stage.stacks.contains_key(&path))
    }

    /// Returns the files with staged work, and whether each would be there.
    pub fn staged_paths(&mut self) -> Result<Vec<(String, bool)>, EngineError> {
        let _lock = self.begin()?;
        let staged = self.staged()?.into_iter();
        Ok(staged
            .map(|(path, text)| (path.to_string(), text.is_some()))
            .collect())
    }

    /// Returns a file's text with everything staged in it, moved onto the file as it is now.
    pub(super) fn overlay(&mut self, path: &WorkspacePath) -> Result<Option<Source>, EngineError> {
        self.settle(path)?;
        match self.stage.text(path) {
            Some(text) => Ok(text?),
            None => Ok(self.workspace.read(path)?.map(|image| image.source)),
        }
    }

    fn staged(&self) -> Result<Vec<(WorkspacePath, Option<Source>)>, EngineError> {
        let each = self.stage.texts();
        each.map(|(path, text)| Ok((path.clone(), text?))).collect()
    }
}
