//! Taking back: reverts of what history has, redo, and previews of both.
//!
//! In: a file, a changeset or a time. Out: files written, all or none, with new entries of history; or why not.

pub(super) mod versions;
pub(super) mod ready;
pub(super) mod revert_conflict;
pub(super) mod work_out;
pub(super) mod as_changes;
pub(super) mod undo;
pub(super) mod redo;
pub(super) mod written_since;
pub(super) mod foresee;

use self::as_changes::{ReversalChanges, of_file, of_files};
use self::redo::{reverts_at, times_taken_back};
use self::revert_conflict::RevertConflict;
use self::undo::{ChangesetPreview, ChangesetUndone, Reversals, RevertForecast, Undone};
use self::versions::{of_changeset, since_changeset};
use self::work_out::{forecast, preview_each, work_out, work_out_each};
use self::written_since::versions_since;
use super::{Engine, EngineError};
use crate::id::ChangesetId;
use crate::record::history::revert::reversal;
use crate::stage::review::{RevertPreview, RevertTarget, RevertTo, SincePreview, WrittenSince};

impl Engine {
    /// Takes changes to a file back and keeps what the user changed since.
    pub fn revert(&mut self, path: &str, to: RevertTo) -> Result<Undone, EngineError> {
        let _lock = self.state.begin()?;
        self.reversals().revert(path, to)
    }

    /// Returns what [`Self::revert`] would do, or why it would not, and does nothing.
    pub fn preview(&mut self, path: &str, to: RevertTo) -> Result<RevertForecast, EngineError> {
        let _lock = self.state.begin()?;
        forecast(&self.state, path, to)
    }

    /// Takes back everything that was written with a changeset, in all files or in none.
    pub fn revert_changeset(&mut self, id: ChangesetId) -> Result<ChangesetUndone, EngineError> {
        let _lock = self.state.begin()?;
        self.reversals()
            .take_each_back(|history| Ok(of_changeset(history, id)))
    }

    /// Returns what [`Self::revert_changeset`] would do, file by file, or why it would not, and
    /// does nothing.
    pub fn preview_changeset(&mut self, id: ChangesetId) -> Result<ChangesetPreview, EngineError> {
        let _lock = self.state.begin()?;
        preview_each(&self.state, |history| Ok(of_changeset(history, id)))
    }

    /// Returns what [`Self::revert`] would do as changes that can be proposed, and does nothing.
    pub fn reversal_changes(
        &mut self,
        path: &str,
        to: RevertTo,
    ) -> Result<ReversalChanges, EngineError> {
        let _lock = self.state.begin()?;
        let path = self.state.file_at(path)?;
        let worked_out = work_out(&self.state, &path, |history, since| {
            reversal(history, since, to)
        })?;
        Ok(of_file(&self.state, worked_out))
    }

    /// Returns what [`Self::revert_changeset`] would do as changes that can be proposed, and does nothing.
    pub fn changeset_reversal_changes(
        &mut self,
        id: ChangesetId,
    ) -> Result<ReversalChanges, EngineError> {
        let _lock = self.state.begin()?;
        let worked_out = work_out_each(&self.state, |history| Ok(of_changeset(history, id)))?;
        Ok(of_files(&self.state, worked_out))
    }

    /// Takes everything back that was written with a changeset, and since then to the same files, in all of them or in
    /// none.
    pub fn revert_to_before(&mut self, id: ChangesetId) -> Result<ChangesetUndone, EngineError> {
        let _lock = self.state.begin()?;
        self.reversals()
            .take_each_back(|history| Ok(since_changeset(history, id)))
    }

    /// Returns what [`Self::revert_to_before`] would do, and does nothing.
    pub fn preview_before(&mut self, id: ChangesetId) -> Result<ChangesetPreview, EngineError> {
        let _lock = self.state.begin()?;
        preview_each(&self.state, |history| Ok(since_changeset(history, id)))
    }

    /// Takes all back that a conversation wrote since a time, in all files or in none.
    pub fn revert_since(&mut self, written: &WrittenSince) -> Result<ChangesetUndone, EngineError> {
        let _lock = self.state.begin()?;
        self.reversals()
            .take_each_back(|history| versions_since(history, written))
    }

    /// Returns what [`Self::revert_since`] would do and how much was written, and does nothing; none if nothing of it is in
    /// effect, or all of it together changes nothing.
    pub fn preview_since(
        &mut self,
        written: &WrittenSince,
    ) -> Result<Option<SincePreview>, EngineError> {
        let _lock = self.state.begin()?;
        written_since::preview_since(&self.state, written)
    }

    /// Puts back what was last taken back of a changeset in each file, in all files or in none.
    pub fn redo_changeset(&mut self, id: ChangesetId) -> Result<ChangesetUndone, EngineError> {
        let _lock = self.state.begin()?;
        let times = times_taken_back(&self.state.store, id)?;
        self.reversals()
            .take_each_back(|history| Ok(reverts_at(history, &times)))
    }

    /// Returns what [`Self::redo_changeset`] would do, and does nothing.
    pub fn preview_redo(&mut self, id: ChangesetId) -> Result<ChangesetPreview, EngineError> {
        let _lock = self.state.begin()?;
        let times = times_taken_back(&self.state.store, id)?;
        preview_each(&self.state, |history| Ok(reverts_at(history, &times)))
    }

    /// Returns the changeset of which anything was taken back last, if anything is to be put back.
    pub fn last_taken_back(&mut self) -> Result<Option<ChangesetId>, EngineError> {
        let _lock = self.state.begin()?;
        redo::last_taken_back(&self.state.store)
    }

    /// Returns what a revert would do, or what is in its way, and does nothing.
    pub fn foresee(&mut self, target: &RevertTarget) -> Result<RevertPreview, EngineError> {
        let _lock = self.state.begin()?;
        foresee::foresee(&self.state, target)
    }

    /// Returns what is in the way of a revert of one version; nothing where several are meant.
    pub fn revert_conflicts(
        &mut self,
        path: &str,
        to: RevertTo,
    ) -> Result<Vec<RevertConflict>, EngineError> {
        let _lock = self.state.begin()?;
        revert_conflict::revert_conflicts(&self.state, path, to)
    }

    fn reversals(&mut self) -> Reversals<'_> {
        Reversals {
            state: &mut self.state,
            committer: &self.committer,
        }
    }
}
