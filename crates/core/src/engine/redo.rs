//! Redo of a changeset: what was taken back in several files is put back in all of them.
//!
//! In: a changeset, of which `revert` took changes back in two files, with an entry in each. Out: both entries taken
//! back, in all files or in none.

use super::undo::{ChangesetPreview, ChangesetUndone};
use super::{Engine, EngineError};
use crate::history::{Entry, EntryKind, FileHistory};
use crate::id::ChangesetId;

impl Engine {
    /// Puts back what was last taken back of a changeset in each file, in all files or in none.
    pub fn redo_changeset(&mut self, id: ChangesetId) -> Result<ChangesetUndone, EngineError> {
        self.take_each_back(|history| reverts_of(history, id))
    }

    /// Returns what [`Self::redo_changeset`] would do, and does nothing.
    pub fn preview_redo(&mut self, id: ChangesetId) -> Result<ChangesetPreview, EngineError> {
        self.preview_each(|history| reverts_of(history, id))
    }

    /// Returns the changeset of which anything was taken back last, if anything is to be put back.
    pub fn last_taken_back(&mut self) -> Result<Option<ChangesetId>, EngineError> {
        let _lock = self.begin()?;
        let mut newest = None;
        for path in self.store.history_paths()? {
            let history = self.store.history(&path)?;
            let found =
                reverts(&history).find_map(|entry| Some((entry.time, of(&history, entry)?)));
            newest = newest.max(found);
        }
        Ok(newest.map(|(_, id)| id))
    }
}

/// Returns the newest revert in effect that takes back changes of a changeset.
fn reverts_of(history: &FileHistory, id: ChangesetId) -> Vec<u64> {
    let is_of_it = |entry: &&Entry| of(history, entry) == Some(id);
    let newest = reverts(history).find(is_of_it);
    newest.map(|entry| entry.version).into_iter().collect()
}

/// Returns the reverts that are in effect, newest first.
fn reverts(history: &FileHistory) -> impl Iterator<Item = &Entry> {
    let effective = history.in_effect();
    let entries = history.entries.iter().rev();
    entries.filter(move |entry| entry.kind.is_revert() && effective.contains(&entry.version))
}

/// Returns the changeset of the newest change that a revert takes back; none for one that puts others back.
fn of(history: &FileHistory, revert: &Entry) -> Option<ChangesetId> {
    let EntryKind::Revert(versions) = &revert.kind else {
        return None;
    };
    let changes = history.entries.iter().rev();
    let mut changes = changes.filter(|entry| versions.contains(&entry.version));
    changes.find_map(|entry| entry.kind.changeset())
}
