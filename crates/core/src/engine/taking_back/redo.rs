//! Redo of a changeset: what was taken back in several files is put back in all of them.
//!
//! In: a changeset, of which `revert` took changes back in two files, with an entry in each. Out: both entries taken
//! back, in all files or in none.
//!
//! Several changesets that were taken back at once are put back at once: their entries have one time in all files. Example:
//! one changeset wrote `a` and `b`, a later one `b` and `c`, and both were taken back together. Redo of the later one puts
//! back what was taken back of `a`, `b` and `c`. Where a file was reverted before the others, it is put back after them, by a
//! redo of its own: a redo puts back what one revert took out.

use crate::engine::EngineError;
use crate::id::{ChangesetId, Timestamp};
use crate::record::history::{Entry, EntryKind, FileHistory};
use crate::record::store::Store;

/// Returns when anything of a changeset was taken back last that is to be put back. What an earlier revert took out of its
/// other files stays out: the user may have reverted these one by one.
pub(in crate::engine) fn time_taken_back(
    store: &Store,
    id: ChangesetId,
) -> Result<Option<Timestamp>, EngineError> {
    let mut newest = None;
    for path in store.history_paths()? {
        let history = store.history(&path)?;
        let found = reverts(&history).find(|entry| of(&history, entry) == Some(id));
        newest = newest.max(found.map(|entry| entry.time));
    }
    Ok(newest)
}

/// Returns when anything was taken back last, and of which changeset, if anything is to be put back.
pub(in crate::engine) fn last_taken_back(
    store: &Store,
) -> Result<Option<(Timestamp, ChangesetId)>, EngineError> {
    let mut newest = None;
    for path in store.history_paths()? {
        let history = store.history(&path)?;
        let found = reverts(&history).find_map(|entry| Some((entry.time, of(&history, entry)?)));
        newest = newest.max(found);
    }
    Ok(newest)
}

/// Returns the reverts of changes that are in effect and were made at this time.
pub(super) fn reverts_at(history: &FileHistory, time: Option<Timestamp>) -> Vec<u64> {
    let meant =
        reverts(history).filter(|entry| Some(entry.time) == time && of(history, entry).is_some());
    meant.map(|entry| entry.version).collect()
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
