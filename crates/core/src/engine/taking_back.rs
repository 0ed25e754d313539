//! Taking back: reverts of what history has, redo, and previews of both.
//!
//! In: a target, as a file, a changeset or a time. Out: files written, all that go back or none, with new entries of
//! history, and proposals for those that stay; or why not.

pub(super) mod selection;
pub(super) mod ready;
pub(super) mod revert_conflict;
mod lines_kept;
pub(super) mod work_out;
pub(super) mod as_changes;
mod copies;
pub(super) mod undo;
pub(super) mod redo;

use self::as_changes::{HeldChanges, ReversalChanges};
use self::undo::take_back;
use self::work_out::WorkedOut;
use super::staging::propose::SubmittedPayload;
use super::{Engine, EngineError};
use crate::edit::request::{Payload, Verify};
use crate::id::{ChangesetId, Timestamp};
use crate::stage::proposal::Origin;
use crate::stage::review::{RevertOutcome, RevertTarget};

impl Engine {
    /// Returns what taking a target back would do, or what is in its way, and does nothing.
    pub fn foresee(&mut self, target: &RevertTarget) -> Result<RevertOutcome, EngineError> {
        let _lock = self.state.begin_following()?;
        let worked_out = WorkedOut::of(&self.state, target)?;
        let mut outcome = worked_out.told(target);
        for (file, ready) in outcome.files.iter_mut().zip(worked_out.ready) {
            file.hunks = ready.hunks();
        }
        Ok(outcome)
    }

    /// Takes a target back and keeps what the user changed since: writes all files in one transaction, or none where one
    /// cannot go back that is not apart in the target. What would take back those that are apart is staged then.
    pub fn take_back(&mut self, target: &RevertTarget) -> Result<RevertOutcome, EngineError> {
        let _lock = self.state.begin_following()?;
        let mut worked_out = WorkedOut::of(&self.state, target)?;
        let blocked = worked_out.blocked.iter_mut();
        let apart: Vec<HeldChanges> = blocked
            .map(|blocked| std::mem::take(&mut blocked.proposed))
            .collect();
        let mut outcome = take_back(&mut self.state, &self.committer, target, worked_out)?;
        if outcome.written {
            self.propose_apart(&mut outcome, apart);
            if outcome.proposals.is_empty() {
                outcome.proposals.listing = self.numbered_list();
            }
        }
        Ok(outcome)
    }

    /// Returns what taking a target back would do as changes that can be proposed, and does nothing.
    pub fn as_changes(&mut self, target: &RevertTarget) -> Result<ReversalChanges, EngineError> {
        let _lock = self.state.begin_following()?;
        let worked_out = WorkedOut::of(&self.state, target)?;
        Ok(as_changes::of_all(&self.state, worked_out))
    }

    /// Returns when anything was taken back last, and of which changeset, if anything is to be put back.
    pub fn last_taken_back(&mut self) -> Result<Option<(Timestamp, ChangesetId)>, EngineError> {
        let _lock = self.state.begin_following()?;
        redo::last_taken_back(&self.state.store)
    }

    /// Returns when anything of a changeset was taken back last that is to be put back.
    pub fn time_taken_back(&mut self, id: ChangesetId) -> Result<Option<Timestamp>, EngineError> {
        let _lock = self.state.begin_following()?;
        redo::time_taken_back(&self.state.store, id)
    }

    /// Stages what would take back the files that stay, each on its own. The other files are written by then, so an
    /// error here is reported for its file and does not end the whole.
    fn propose_apart(&mut self, outcome: &mut RevertOutcome, apart: Vec<HeldChanges>) {
        let changeset = Some(ChangesetId((self.state.ambient.uuid)()));
        for (file, HeldChanges { changes, held }) in outcome.blocked.iter_mut().zip(apart) {
            if changes.is_empty() {
                continue;
            }
            let verify = Verify::default();
            let asked = SubmittedPayload {
                payload: Payload { changes, verify },
                origin: Origin::default(),
                changeset,
                only: None,
            };
            let staged = self.stage_waiting(asked, held);
            let why = match staged {
                Ok(answer) if answer.staged => {
                    outcome.proposals.extend(answer.proposals);
                    continue;
                }
                Ok(answer) => answer.results.into_iter().find_map(|result| result.error),
                Err(error) => Some(error.to_string()),
            };
            file.proposable = false;
            let left = format!("{} is not proposed", file.path);
            outcome.unkept.push(match why {
                Some(why) => format!("{left}: {why}"),
                None => left,
            });
        }
    }
}
