//! Review: staged work that waits, verdicts on it, and what the engine reports of both.
//!
//! In: verdicts, and reports of the engine. Out: requests to the engine, events, and notices for the model. Verdicts are
//! handed to the engine one lot at a time, after all of its reports have come. They say what the user looked at, and the
//! engine refuses those about hunks that are something else by then.

use std::collections::{HashSet, VecDeque};

use signoff_core::engine::{HunkOutcome, decided_by_others};
use signoff_core::stage::review::{ReviewListing, Ruling, StagedProposals};

use super::ledger::Ledger;
use super::outbox::Outbox;
use super::{Effect, Event, Fault, FaultKind};
use crate::message::CallId;
use crate::notice::Notice;
pub use external_decisions::Inquiry;
pub(super) use pending_hunks::PendingHunks;
pub(super) use verdict::CarriedOut;

mod external_decisions;
mod pending_hunks;
mod placed;
mod reverts;
mod rules;
mod verdict;

/// What waits for the user or the engine.
#[derive(Debug, Default)]
pub(super) struct Review {
    hunks: PendingHunks,
    /// The number of the newest review list.
    newest_listing: u64,
    /// Verdicts that wait until the engine has carried out what was asked of it before.
    rulings: VecDeque<Vec<Ruling>>,
    /// How many reports of the engine are on their way that may change the review list.
    consulting: usize,
    /// True while the engine carries verdicts out.
    is_ruling: bool,
    /// Calls that may be changing something now, those of a cancelled turn included.
    staging: HashSet<CallId>,
}

impl Review {
    /// Returns the hunks that wait.
    pub(super) fn hunks(&self) -> &PendingHunks {
        &self.hunks
    }

    /// Returns the hunks that wait, to be changed.
    pub(super) fn hunks_mut(&mut self) -> &mut PendingHunks {
        &mut self.hunks
    }

    /// Tells whether something that was decided is still being carried out.
    pub(super) fn is_deciding(&self) -> bool {
        self.consulting > 0 || !self.staging.is_empty() || !self.rulings.is_empty()
    }

    /// Tells whether verdicts of the user's wait for the engine, or for its report.
    pub(super) fn is_ruling(&self) -> bool {
        self.is_ruling || !self.rulings.is_empty()
    }

    /// Takes note of a call that may change something until it ends.
    pub(super) fn begin_change(&mut self, call: CallId) {
        self.staging.insert(call);
    }

    /// Takes note that a call has ended, and returns whether it may have changed something.
    pub(super) fn end_change(&mut self, call: &CallId) -> bool {
        self.staging.remove(call)
    }

    /// Tells whether a call may be changing something.
    pub(super) fn is_changing(&self, call: &CallId) -> bool {
        self.staging.contains(call)
    }

    /// Asks something of the engine whose report may change the review list.
    pub(super) fn consult(&mut self, effect: Effect, out: &mut Outbox) {
        self.consulting += 1;
        out.want(effect);
    }

    /// Takes note that a report has come that [`Self::consult`] asked for.
    pub(super) fn reported(&mut self) {
        self.consulting = self.consulting.saturating_sub(1);
    }

    /// Takes verdicts about what the screen shows.
    pub(super) fn rule(&mut self, rulings: Vec<Ruling>) {
        self.rulings.push_back(rulings);
    }

    /// Hands verdicts to the engine, if all of its reports have come.
    pub(super) fn release(&mut self, out: &mut Outbox) {
        if self.consulting == 0
            && self.staging.is_empty()
            && let Some(rulings) = self.rulings.pop_front()
        {
            self.is_ruling = true;
            self.consult(Effect::Decide(rulings), out);
        }
    }

    /// Takes in and shows what was staged, with the review list that was made right after. The list is read again where
    /// some of it was written since, or a newer one was shown before this came.
    pub(super) fn stage(
        &mut self,
        staged: StagedProposals,
        is_written: bool,
        is_over: bool,
        out: &mut Outbox,
    ) {
        self.hunks.stage(&staged);
        let is_newest = self.take_listing(&staged.listing, is_over, out);
        out.emit(Event::Staged(staged));
        if is_written || !is_newest {
            self.consult(Effect::ReadReview, out);
        }
    }

    /// Takes in a review list, and returns true if none was newer; `is_over` if nobody wants to know any more what became
    /// of hunks.
    fn take_listing(&mut self, listing: &ReviewListing, is_over: bool, out: &mut Outbox) -> bool {
        if listing.number < self.newest_listing {
            return false;
        }
        self.newest_listing = listing.number;
        let gone = self.hunks.read(listing);
        if !gone.is_empty() && !is_over {
            self.consult(Effect::ReadOutcomes(gone), out);
        }
        true
    }

    /// Takes in and shows the review list, unless a newer one was shown.
    pub(super) fn list(&mut self, listing: ReviewListing, is_over: bool, out: &mut Outbox) {
        if self.take_listing(&listing, is_over, out) {
            out.emit(Event::Review(listing));
        }
    }

    /// Takes the review list; `is_over` if nobody wants to know any more what became of hunks. Returns whether it came.
    pub(super) fn reviewed(
        &mut self,
        outcome: Result<ReviewListing, Fault>,
        is_over: bool,
        out: &mut Outbox,
    ) -> bool {
        self.reported();
        match outcome {
            Ok(listing) => {
                self.list(listing, is_over, out);
                true
            }
            Err(fault) => {
                out.emit(Event::Fault(fault));
                false
            }
        }
    }

    /// Takes what became of hunks that do not wait any more, though nothing here decided on them.
    pub(super) fn outcomes_read(&mut self, hunks: Vec<HunkOutcome>, out: &mut Outbox) {
        self.reported();
        self.inform_of_others(hunks, out);
    }

    /// Reports what another process decided to the user, and with the next prompt to the model.
    fn inform_of_others(&mut self, hunks: Vec<HunkOutcome>, out: &mut Outbox) {
        for line in decided_by_others(&hunks) {
            out.inform(&line);
        }
        let _answer = self.hunks.decide(&hunks);
    }
}

/// Says that files changed on disk, so that verdicts on them are not carried out.
fn moved(paths: Vec<String>, ledger: &mut Ledger, out: &mut Outbox) {
    let message = format!("changed on disk since it was shown: {}", paths.join(", "));
    let hint = "nothing was written; look at the changes again, then decide";
    out.fault(FaultKind::FileChanged, message, hint);
    out.emit(Event::Undecided);
    ledger.tell(Notice::FileMoved { paths });
}
