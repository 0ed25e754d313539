//! A workspace in memory, with failures on demand.
//!
//! In: files, and the number of the step that shall fail. Out: the same answers as from disk.
//! Clones share their files, so that a test can look on and a later process can be played.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::attributes::Attributes;
use super::{
    AccessError, DirEntry, DirEntryKind, Draft, FileImage, LINK_MODE, Swap, Workspace,
    WorkspacePath, encoded,
};
use crate::text::{Fingerprint, Source};

/// How a step fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// This one step fails with an error; later ones work.
    Error,
    /// This step and all later ones fail, as if the process had died before it.
    Crash,
}

/// Files in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryWorkspace(Arc<Mutex<Files>>);

#[derive(Debug, Default)]
struct Files {
    files: BTreeMap<String, FileImage>,
    drafts: BTreeMap<(String, String), FileImage>,
    steps: usize,
    failure: Option<(usize, Failure)>,
    save: Option<Save>,
}

/// The step before which the user saves, the file, and its bytes; none if it is removed.
type Save = (usize, String, Option<Vec<u8>>);

impl MemoryWorkspace {
    /// Puts a file there, as a user would with an editor.
    pub fn save(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.lock().save(path, bytes.into());
    }

    /// Puts a file or link there with its permission bits.
    pub fn put(&self, path: &str, image: FileImage) {
        self.lock().files.insert(path.to_owned(), image);
    }

    /// Removes a file, as a user would.
    pub fn remove(&self, path: &str) {
        self.lock().files.remove(path);
    }

    /// Returns the bytes of a file.
    pub fn load(&self, path: &str) -> Option<Vec<u8>> {
        self.lock()
            .files
            .get(path)
            .and_then(|file| file.source.encoded())
    }

    /// Returns how many drafts lie about.
    pub fn drafts(&self) -> usize {
        self.lock().drafts.len()
    }

    /// Makes the `step`-th writing step from now (0-based) fail; none heals.
    pub fn fail_at(&self, failure: Option<(usize, Failure)>) {
        let mut files = self.lock();
        files.steps = 0;
        files.failure = failure;
    }

    /// Lets the user save a file, or remove it, right before the writing step of this number.
    pub fn save_at(&self, save: Option<(usize, String, Option<Vec<u8>>)>) {
        self.lock().save = save;
    }

    /// Returns how many writing steps were taken since [`Self::fail_at`].
    pub fn steps(&self) -> usize {
        self.lock().steps
    }

    fn lock(&self) -> MutexGuard<'_, Files> {
        // Whoever panicked with the lock held a test that fails by that already.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step(
        &self,
        step: &'static str,
        path: &WorkspacePath,
    ) -> Result<MutexGuard<'_, Files>, AccessError> {
        let mut files = self.lock();
        let number = files.steps;
        files.steps += 1;
        if let Some((_, path, bytes)) = files.save.take_if(|(at, ..)| *at == number) {
            match bytes {
                Some(bytes) => files.save(&path, bytes),
                None => drop(files.files.remove(&path)),
            }
        }
        let fails = files.failure.is_some_and(|(at, failure)| match failure {
            Failure::Error => number == at,
            Failure::Crash => number >= at,
        });
        if fails {
            let source = io::Error::from(io::ErrorKind::StorageFull);
            return Err(AccessError::Io {
                step,
                path: path.to_string(),
                source,
            });
        }
        Ok(files)
    }
}

impl Files {
    fn save(&mut self, path: &str, bytes: Vec<u8>) {
        let mode = self.files.get(path).map_or(0o644, |file| file.mode);
        let source = Source::decode(bytes);
        self.files
            .insert(path.to_owned(), FileImage { source, mode });
    }

    /// Swaps what is under the draft's name with what is at its target, either of which may be
    /// nothing; returns what was at the target.
    fn exchange(&mut self, draft: &Draft) -> Option<FileImage> {
        let new = self.drafts.remove(&key(draft));
        let old = self.files.remove(draft.path.as_str());
        new.into_iter()
            .for_each(|new| drop(self.files.insert(draft.path.as_str().to_owned(), new)));
        old.iter()
            .for_each(|old| drop(self.drafts.insert(key(draft), old.clone())));
        old
    }
}

impl Workspace for MemoryWorkspace {
    fn root(&self) -> PathBuf {
        PathBuf::from("/memory")
    }

    fn canonical(&self, path: &WorkspacePath) -> Result<WorkspacePath, AccessError> {
        Ok(path.clone())
    }

    fn entry(&self, path: &WorkspacePath) -> Result<WorkspacePath, AccessError> {
        Ok(path.clone())
    }

    fn read(&self, path: &WorkspacePath) -> Result<Option<FileImage>, AccessError> {
        Ok(self.lock().files.get(path.as_str()).cloned())
    }

    fn link_target(&self, path: &WorkspacePath) -> Result<Option<Vec<u8>>, AccessError> {
        let image = self.lock().files.get(path.as_str()).cloned();
        let link = image.filter(|image| image.source.is_link());
        Ok(link.map(|image| image.source.bytes().to_vec()))
    }

    fn has_other_names(&self, _path: &WorkspacePath) -> Result<bool, AccessError> {
        Ok(false)
    }

    fn list(&self, path: &WorkspacePath) -> Result<Vec<DirEntry>, AccessError> {
        let files = self.lock();
        let prefix = if path.as_str().is_empty() {
            String::new()
        } else {
            format!("{path}/")
        };
        let mut found: BTreeMap<String, DirEntry> = BTreeMap::new();
        for (name, file) in &files.files {
            let Some(rest) = name.strip_prefix(&prefix) else {
                continue;
            };
            let (name, kind, size) = match rest.split_once('/') {
                Some((folder, _)) => (folder, DirEntryKind::Dir, 0),
                None => (rest, DirEntryKind::File, file.source.bytes().len() as u64),
            };
            found.insert(
                name.to_owned(),
                DirEntry {
                    name: name.to_owned(),
                    kind,
                    size,
                },
            );
        }
        Ok(found.into_values().collect())
    }

    fn check_writable(&self, path: &WorkspacePath) -> Result<(), AccessError> {
        match self.lock().files.get(path.as_str()) {
            Some(file) if file.mode & 0o222 == 0 => Err(AccessError::ReadOnly {
                path: path.to_string(),
            }),
            _ => Ok(()),
        }
    }

    fn attributes(&self, path: &WorkspacePath) -> Result<Option<Attributes>, AccessError> {
        let files = self.lock();
        let file = files.files.get(path.as_str());
        Ok(file.map(|file| Attributes::of_mode(file.mode)))
    }

    fn draft(
        &mut self,
        draft: &Draft,
        text: &Source,
        attributes: Option<&Attributes>,
    ) -> Result<Vec<String>, AccessError> {
        let mode = match attributes {
            _ if text.is_link() => LINK_MODE,
            Some(attributes) => attributes.mode,
            None => 0o644,
        };
        let image = |source: Source| FileImage { source, mode };
        if !text.is_link() {
            let bytes = encoded(&draft.path, text)?;
            let (half, _) = bytes.split_at(bytes.len() / 2);
            self.step("write", &draft.path)?
                .drafts
                .insert(key(draft), image(Source::decode(half.to_vec())));
        }
        // Here a process may die with half a draft.
        self.step("write on", &draft.path)?
            .drafts
            .insert(key(draft), image(text.clone()));
        Ok(Vec::new())
    }

    fn drafted(&self, draft: &Draft) -> Result<Option<Source>, AccessError> {
        Ok(self
            .lock()
            .drafts
            .get(&key(draft))
            .map(|image| image.source.clone()))
    }

    fn publish(
        &mut self,
        draft: &Draft,
        expected: Option<Fingerprint>,
    ) -> Result<Swap, AccessError> {
        let mut files = self.step("replace", &draft.path)?;
        // What came or went in the very instant stops the exchange itself.
        if files.files.contains_key(draft.path.as_str()) != expected.is_some() {
            return Ok(Swap::Changed);
        }
        let old = files.exchange(draft);
        drop(files);
        if old.as_ref().map(|old| old.source.fingerprint()) != expected {
            self.step("give back", &draft.path)?.exchange(draft);
            return Ok(Swap::Changed);
        }
        // Here a process may die with the old text under the draft's name.
        if old.is_some() {
            self.discard(draft)?;
        }
        Ok(Swap::Done)
    }

    fn withdraw(&mut self, draft: &Draft, expected: Fingerprint) -> Result<Swap, AccessError> {
        let mut files = self.step("delete", &draft.path)?;
        if !files.files.contains_key(draft.path.as_str()) {
            return Ok(Swap::Changed);
        }
        let old = files.exchange(draft);
        drop(files);
        if old.is_none_or(|old| old.source.fingerprint() != expected) {
            self.step("give back", &draft.path)?.exchange(draft);
            return Ok(Swap::Changed);
        }
        self.discard(draft)?;
        Ok(Swap::Done)
    }

    fn redraft(&mut self, draft: &Draft, to: &Draft) -> Result<(), AccessError> {
        let mut files = self.step("rename beside", &draft.path)?;
        if let Some(image) = files.drafts.remove(&key(draft)) {
            files.drafts.insert(key(to), image);
        }
        Ok(())
    }

    fn discard(&mut self, draft: &Draft) -> Result<(), AccessError> {
        self.step("clean up beside", &draft.path)?
            .drafts
            .remove(&key(draft));
        Ok(())
    }

    fn missing_folders(&self, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, AccessError> {
        let files = self.lock();
        Ok(path
            .folders()
            .take_while(|folder| {
                let prefix = format!("{folder}/");
                !files.files.keys().any(|name| name.starts_with(&prefix))
            })
            .collect())
    }

    fn remove_folder(&mut self, folder: &WorkspacePath) -> Result<(), AccessError> {
        self.step("remove the folder", folder).map(drop)
    }

    fn sync_folder(&mut self, path: &WorkspacePath) -> Result<(), AccessError> {
        self.step("make durable", path).map(drop)
    }
}

fn key(draft: &Draft) -> (String, String) {
    (draft.path.as_str().to_owned(), draft.tag.clone())
}
