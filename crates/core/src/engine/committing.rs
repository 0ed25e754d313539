//! Committing: writes what was signed off, all files or none, and enters it in history.
//!
//! In: verdicts, or what a command changed on disk. Out: files, entries of history, and what became of each hunk.

pub(super) mod adopt;
pub(super) mod checked;
pub(super) mod decide;
pub(super) mod elsewhere;
pub(super) mod entries;
pub(super) mod held_together;
pub(super) mod own_text;
pub(super) mod review_required;
pub(super) mod second_signature;
pub(super) mod transact;
pub(super) mod unwritable;

use self::adopt::{Adopted, Outside};
use self::decide::{Decision, Verdicts};
use self::own_text::{OwnTextAlarms, own_text_alarms};
use super::{Engine, EngineError};
use crate::id::ChangesetId;
use crate::stage::proposal::Origin;
use crate::stage::review::{ProposalView, Ruling, StagedProposals};

impl Engine {
    /// Carries verdicts out: writes what is approved, in one transaction, and drops what is
    /// denied. Hunks without a verdict wait on.
    pub fn decide(&mut self, rulings: &[Ruling]) -> Result<Decision, EngineError> {
        let _lock = self.state.begin()?;
        self.verdicts().decide(rulings)
    }

    /// Returns what guards find in files in which verdicts would put a text of the user's. Nothing is written.
    pub fn own_text_alarms(
        &mut self,
        rulings: &[Ruling],
    ) -> Result<Vec<OwnTextAlarms>, EngineError> {
        let _lock = self.state.begin()?;
        own_text_alarms(&self.state.overlay, &self.syntax, rulings)
    }

    /// Approves all pending hunks of these proposals, which were not reviewed: nothing is written if
    /// one of them was found by a guess, comes with a warning, is in a file that makes a program
    /// run, does what was denied before, or removes what would be nowhere then.
    pub fn approve_unseen<'a>(
        &mut self,
        proposals: impl IntoIterator<Item = &'a ProposalView>,
    ) -> Result<Decision, EngineError> {
        let proposals: Vec<_> = proposals.into_iter().collect();
        let _lock = self.state.begin()?;
        self.verdicts().approve_unseen(&proposals)
    }

    /// Writes fresh proposals where that is wanted and none of them has to be seen first; returns
    /// whether it did. The lock is held.
    pub(super) fn write_at_once(
        &mut self,
        proposals: &StagedProposals,
    ) -> Result<bool, EngineError> {
        if !self.write_through {
            return Ok(false);
        }
        let proposals: Vec<_> = proposals.iter().collect();
        let decision = self.verdicts().approve_unseen(&proposals)?;
        Ok(matches!(decision, Decision::Done(_)))
    }

    /// Enters changes into history that a command made. A file that a link stands for, or that
    /// changed again since, is entered as it was seen; one outside the workspace is an error.
    pub fn adopt(
        &mut self,
        changes: Vec<Outside>,
        origin: &Origin,
        changeset: ChangesetId,
        description: &str,
    ) -> Result<Vec<Adopted>, EngineError> {
        let _lock = self.state.begin()?;
        self.committer
            .adopt(&mut self.state, changes, origin, changeset, description)
    }

    fn verdicts(&mut self) -> Verdicts<'_> {
        Verdicts {
            state: &mut self.state,
            by_verdict: &mut self.by_verdict,
            committer: &self.committer,
            second: &self.second,
        }
    }
}
