//! Writer: one transaction of the store.
//!
//! In: staged work, entries of history, journal records. Out: rows, all of them or none.

use rusqlite::Transaction;

use super::StoreError;
use super::checked::{CheckedState, CheckedTable};
use super::denied::DeniedTable;
use super::handed_over::HandedOverTable;
use super::history::HistoryTables;
use super::journal::JournalTable;
use super::size::StoreSize;
use super::stage::StageTables;
use crate::disk::transaction::Prepared;
use crate::disk::workspace::WorkspacePath;
use crate::id::ChangesetId;
use crate::record::history::Entry;
use crate::stage::proposal::Proposal;
use crate::stage::proposal::denial::Denial;
use crate::stage::proposal::stage::Stage;
use crate::stage::review::{DeniedBefore, DiffHunk};
use crate::text::Source;

/// One transaction of the store.
pub struct Writer<'a> {
    pub(super) db: Transaction<'a>,
}

impl Writer<'_> {
    /// Writes what is staged over `paths`, and the proposals `closed` since.
    pub fn save_stage(
        &mut self,
        stage: &Stage,
        paths: &[WorkspacePath],
        closed: &[Proposal],
    ) -> Result<(), StoreError> {
        StageTables(&self.db).save_stage(stage, paths, closed)
    }

    /// Adds an entry and drops the oldest of its file beyond `limit`. Reverts do not count, so that taking changes
    /// back and putting them back again pushes none out, up to as many reverts as ten for each change.
    pub fn add_history(&mut self, entry: &Entry, limit: usize) -> Result<(), StoreError> {
        HistoryTables(&self.db).add_history(entry, limit)
    }

    /// Lets a file's history go with it to another path. What was there of an earlier file of
    /// that name is put on a shelf, and comes back when the path is free again.
    pub fn move_history(
        &mut self,
        from: &WorkspacePath,
        to: &WorkspacePath,
    ) -> Result<(), StoreError> {
        HistoryTables(&self.db).move_history(from, to)
    }

    /// Removes an entry that is as if it had never been: a move that was undone outside of signoff.
    pub fn remove_entry(&mut self, path: &WorkspacePath, version: u64) -> Result<(), StoreError> {
        HistoryTables(&self.db).remove_entry(path, version)
    }

    /// Keeps a file's text after its newest entry.
    pub fn set_committed(
        &mut self,
        path: &WorkspacePath,
        text: Option<&Source>,
    ) -> Result<(), StoreError> {
        HistoryTables(&self.db).set_committed(path, text)
    }

    /// Keeps that a hunk that did this was denied, what it was for and how it was shown.
    pub fn deny(
        &mut self,
        hunk: (&WorkspacePath, &Denial),
        denied: &DeniedBefore,
        shown: (&str, &DiffHunk),
    ) -> Result<(), StoreError> {
        DeniedTable(&self.db).deny(hunk, denied, shown)
    }

    /// Keeps what came of checks on a state of the staged files, in the place of what was kept of another state.
    pub fn set_checked(&mut self, checked: &CheckedState) -> Result<(), StoreError> {
        CheckedTable(&self.db).set(checked)
    }

    /// Records that the changeset of a background agent was handed over.
    pub fn hand_over(&mut self, changeset: ChangesetId) -> Result<(), StoreError> {
        HandedOverTable(&self.db).add(changeset)
    }

    /// Drops whole histories, of the files that were not written for the longest time first, until
    /// history has at most `bytes`. The file written last keeps its own. Staged work has no part in it: the
    /// store grows by what is staged and gives that room back.
    pub fn bound(&mut self, bytes: u64) -> Result<(), StoreError> {
        StoreSize(&self.db).bound(bytes)
    }

    /// Writes down what a transaction is about to do.
    pub fn begin(&mut self, prepared: &Prepared) -> Result<(), StoreError> {
        JournalTable(&self.db).begin(prepared)
    }

    /// Forgets a transaction that ended.
    pub fn end(&mut self, tag: &str) -> Result<(), StoreError> {
        JournalTable(&self.db).end(tag)
    }
}
