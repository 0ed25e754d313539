//! The files and versions that a target means.
//!
//! Example: since a time, a conversation wrote `a` with two changesets and `b` with the second of them, and the user edited
//! another line of `a`. In: the time and the conversation. Out: both versions of `a`, and that of `b`; the user's line is
//! no version, and stays.
//!
//! The time of writing decides, not that of the proposal: the files go back to what they were at that time, so a hunk that
//! was proposed earlier and approved later is meant as well. What the user took back meanwhile stays taken back.

use super::redo::{reverts_at, time_taken_back};
use crate::disk::workspace::WorkspacePath;
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;
use crate::id::{ChangesetId, Timestamp};
use crate::record::history::revert::{self, NoReversal};
use crate::record::history::{EntryKind, FileHistory};
use crate::stage::review::{RevertTarget, WrittenSince};

/// The files that a target may mean something of, and which versions it means.
pub(super) struct Selection<'t> {
    target: &'t RevertTarget,
    /// When that was taken back which is to be put back.
    time: Option<Timestamp>,
    pub(super) paths: Vec<WorkspacePath>,
}

impl<'t> Selection<'t> {
    /// Finds the files of a target that is meant in whole.
    pub(super) fn of(
        state: &WorkspaceState,
        target: &'t RevertTarget,
    ) -> Result<Self, EngineError> {
        let paths = match target {
            RevertTarget::OneFile { path, .. } => vec![state.file_at(path)?],
            _ => state.store.history_paths()?,
        };
        let time = match target {
            RevertTarget::Redo { redo } => time_taken_back(&state.store, *redo)?,
            _ => None,
        };
        Ok(Self {
            target,
            time,
            paths,
        })
    }

    /// Returns the versions of a file that are meant, or why they cannot be told. Of several files most have none.
    pub(super) fn versions(&self, history: &FileHistory) -> Result<Vec<u64>, NoReversal> {
        match self.target {
            RevertTarget::OneFile { to, .. } => revert::versions(history, *to),
            RevertTarget::Changeset { changeset } => Ok(of_changeset(history, *changeset)),
            RevertTarget::Before { before } => Ok(since_changeset(history, *before)),
            RevertTarget::Redo { .. } => Ok(reverts_at(history, self.time)),
            RevertTarget::Since(written) => since(history, written),
            RevertTarget::Part { .. } => Err(NoReversal::Nothing),
        }
    }
}

/// Returns the versions of a changeset that are in effect.
fn of_changeset(history: &FileHistory, id: ChangesetId) -> Vec<u64> {
    let effective = history.in_effect();
    let entries = history
        .entries
        .iter()
        .filter(|entry| entry.kind.changeset() == Some(id) && effective.contains(&entry.version));
    entries.map(|entry| entry.version).collect()
}

/// Returns the versions from the first of a changeset on; none if the file has nothing of it.
fn since_changeset(history: &FileHistory, id: ChangesetId) -> Vec<u64> {
    let entries = history
        .entries
        .iter()
        .skip_while(|entry| entry.kind.changeset() != Some(id))
        .filter(|entry| entry.kind != EntryKind::MovedOutside);
    entries.map(|entry| entry.version).collect()
}

/// Returns the versions that a conversation wrote since a time and that are in effect, or why not all of them are known:
/// history keeps the newest entries of a file, and to take back some of what was written would leave the file as it never
/// was.
fn since(history: &FileHistory, written: &WrittenSince) -> Result<Vec<u64>, NoReversal> {
    let effective = history.in_effect();
    let meant = history.entries.iter().filter(|entry| {
        let origin = entry.kind.origin();
        effective.contains(&entry.version)
            && origin.is_some_and(|origin| written.includes(&origin.session, entry.time))
    });
    let versions: Vec<u64> = meant.map(|entry| entry.version).collect();
    match history.entries.first() {
        Some(oldest)
            if !versions.is_empty() && oldest.version > 1 && oldest.time > written.since =>
        {
            Err(NoReversal::Dropped {
                oldest: oldest.version,
            })
        }
        _ => Ok(versions),
    }
}
