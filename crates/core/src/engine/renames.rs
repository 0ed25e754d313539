//! Renames outside of signoff: history and staged work go with a file that was moved without it.
//!
//! In: the files that history has, and those that there are. Out: for each that is not at its path any more and whose text is in one
//! other file, an entry that says so, and all its history under the new path. Where several files have the text, it stays, and these
//! are named.
//!
//! Only what is asked about history looks, and only if a file of it is missing. Moves one after the other are one entry; a file that
//! is back where it was has none. Staged work is looked at as its file is found gone, once: what is in conflict then stays there.

use std::collections::BTreeMap;

use super::EngineError;
use super::state::WorkspaceState;
use crate::disk::workspace::{MAX_FILE_BYTES, WorkspacePath};
use crate::edit::plan::Presence;
use crate::record::history::rename_detection::{
    MIN_BYTES, MIN_COMPARED, RenameCandidate, RenameOutcome, renames,
};
use crate::record::history::{Entry, EntryKind};
use crate::record::store::StoreLock;
use crate::text::{EditSet, Encoding, Source};

/// A file of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedFile {
    /// Relative to the workspace.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
}

/// Returns the files of the workspace that no ignore file names.
pub type FileWalk = Box<dyn Fn() -> Vec<WalkedFile> + Send>;

/// What is known of files that were moved outside of signoff.
#[derive(Default)]
pub(super) struct Renames {
    /// Lists the files; without it nothing is followed.
    pub(super) walk: Option<FileWalk>,
    /// Files that are not at their paths, and those that they could have become.
    ambiguous: BTreeMap<WorkspacePath, Vec<WorkspacePath>>,
}

impl Renames {
    /// Says why a file that is not at its path is not followed, if several files could be what it became.
    pub(super) fn why_ambiguous(&self, path: &WorkspacePath) -> Option<String> {
        let found = self.ambiguous.get(path)?;
        let named: Vec<&str> = found.iter().map(WorkspacePath::as_str).collect();
        Some(match named.as_slice() {
            [only] => format!(
                "{path} is not there any more, and {only} could be what became of it or of another file: \
                 move it back to {path} first"
            ),
            _ => format!(
                "{path} is not there any more, and it is not certain which file it became: {}. Move the right one back to \
                 {path} first",
                named.join(", ")
            ),
        })
    }
}

impl WorkspaceState {
    /// Takes the writers' turn as [`Self::begin`] does, and lets history follow files that were moved outside of signoff.
    pub(super) fn begin_following(&mut self) -> Result<StoreLock, EngineError> {
        let lock = self.begin()?;
        self.follow_renames()?;
        Ok(lock)
    }

    fn follow_renames(&mut self) -> Result<(), EngineError> {
        self.renames.ambiguous.clear();
        let Some(walk) = &self.renames.walk else {
            return Ok(());
        };
        let missing = self.missing()?;
        if missing.is_empty() {
            return Ok(());
        }
        let (paths, texts): (Vec<WorkspacePath>, Vec<Source>) = missing.into_iter().unzip();
        let candidates = self.candidates(walk(), &texts)?;
        let outcomes = renames(&texts, &candidates);
        for ((path, text), outcome) in paths.into_iter().zip(&texts).zip(outcomes) {
            match outcome {
                RenameOutcome::Gone => {}
                RenameOutcome::At(to) => self.follow(&path, &to, text.encoding())?,
                RenameOutcome::Ambiguous(found) => {
                    self.renames.ambiguous.insert(path, found);
                }
            }
        }
        Ok(())
    }

    /// Lets what waits over files that were moved outside of signoff wait over these; returns where they are. A file that is to
    /// be moved by staged work stays, and so does one whose text is in several others.
    pub(super) fn follow_staged(
        &mut self,
        keys: &[WorkspacePath],
    ) -> Result<Vec<WorkspacePath>, EngineError> {
        let Some(walk) = &self.renames.walk else {
            return Ok(Vec::new());
        };
        let gone = keys.iter().filter_map(|key| {
            let text = self.overlay.stage.stacks.get(key)?.movable()?;
            let is_gone = matches!(self.overlay.workspace.mode(key), Ok(None));
            (is_gone && text.bytes().len() >= MIN_BYTES).then(|| (key.clone(), text.clone()))
        });
        let (paths, texts): (Vec<WorkspacePath>, Vec<Source>) = gone.unzip();
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let mut candidates = self.candidates(walk(), &texts)?;
        candidates.retain(|own| self.overlay.stage.key_of(&own.path).is_none());
        let mut saved = Vec::new();
        let mut followed = Vec::new();
        for (from, outcome) in paths.into_iter().zip(renames(&texts, &candidates)) {
            if let RenameOutcome::At(to) = outcome {
                self.overlay.stage.follow_outside(&from, &to);
                saved.extend([from, to.clone()]);
                followed.push(to);
            }
        }
        if !saved.is_empty() {
            self.save(&saved)?;
        }
        Ok(followed)
    }

    /// Returns the files that history has and that are not there any more, with their texts as they were written.
    fn missing(&self) -> Result<Vec<(WorkspacePath, Source)>, EngineError> {
        let mut missing = Vec::new();
        for path in self.store.paths_with_text()? {
            // What is staged over it is decided on first.
            let is_gone = matches!(self.overlay.workspace.mode(&path), Ok(None))
                && self.overlay.stage.key_of(&path).is_none();
            if !is_gone {
                continue;
            }
            let text = self.store.committed(&path)?.flatten();
            let text = text.filter(|text| !text.is_link() && text.bytes().len() >= MIN_BYTES);
            missing.extend(text.map(|text| (path, text)));
        }
        Ok(missing)
    }

    /// Returns the files that history does not know and that are of about the size of one of these texts.
    fn candidates(
        &self,
        walked: Vec<WalkedFile>,
        texts: &[Source],
    ) -> Result<Vec<RenameCandidate>, EngineError> {
        let sizes = texts
            .iter()
            .filter_map(|text| Some(text.encoded()?.len() as u64));
        let sizes: Vec<u64> = sizes.collect();
        let may_be = |size: u64| {
            let share = MIN_COMPARED as u64;
            let mut sizes = sizes.iter();
            size <= MAX_FILE_BYTES
                && sizes.any(|own| own.min(&size) * 100 >= *own.max(&size) * share)
        };
        let mut candidates = Vec::new();
        for file in walked.into_iter().filter(|file| may_be(file.size)) {
            let Ok(path) = WorkspacePath::parse(&file.path, &self.overlay.root) else {
                continue;
            };
            if self.store.committed(&path)?.flatten().is_some() {
                continue;
            }
            // A file that cannot be read is none that can be written.
            if let Ok(Some(image)) = self.overlay.workspace.read_resolved(&path) {
                let text = image.source;
                candidates.push(RenameCandidate { path, text });
            }
        }
        candidates.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(candidates)
    }

    /// Takes a file's history to the path to which it was moved.
    fn follow(
        &mut self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        encoding: Encoding,
    ) -> Result<(), EngineError> {
        let history = self.store.history(from)?;
        let last = history.entries.last();
        let last = last.filter(|entry| entry.kind == EntryKind::MovedOutside);
        let before = last.and_then(|entry| Some((entry.version, entry.moved.clone()?.0)));
        let origin = before.as_ref().map_or(from, |(_, origin)| origin);
        let version = before.as_ref().map(|(version, _)| *version);
        let time = self.time_of_entries()?;
        let entry = (origin != to).then(|| {
            let version = version.unwrap_or_else(|| history.next_version());
            let moved = (origin.clone(), to.clone());
            Entry {
                path: to.clone(),
                version,
                time,
                description: "moved outside of signoff".to_owned(),
                kind: EntryKind::MovedOutside,
                presence: Presence::Kept,
                drift: EditSet::default(),
                edits: EditSet::default(),
                lines: (0, 0),
                attributes: None,
                encoding,
                moved: Some(moved),
                folders: Vec::new(),
                sign_off: None,
            }
        });
        self.store.transact(|writer| {
            if let Some(version) = version {
                writer.remove_entry(from, version)?;
            }
            writer.move_history(from, to)?;
            // It drops none: there is one at most for each that is kept.
            entry.map_or(Ok(()), |entry| writer.add_history(&entry, usize::MAX))
        })?;
        Ok(())
    }
}
