//! Reports on verdicts, for the user and the model.
//!
//! In: what the engine made of them. Out: events, one notice each, and whether the model is to answer, as a denial with a
//! reason asks for.

use signoff_core::engine::{Decided, Decision, HunkOutcome, paths_of};
use signoff_core::stage::review::HunkState;

use super::super::ledger::Ledger;
use super::super::outbox::Outbox;
use super::super::{CommittedFile, Event, Fault, FaultKind};
use super::{Review, moved};
use crate::notice::Notice;

/// What verdicts that were carried out came to.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct CarriedOut {
    /// True if something was written.
    pub(in crate::session) has_written: bool,
    /// True if nothing waits any more.
    pub(in crate::session) is_all: bool,
    /// True if one of them is for the model to answer.
    pub(in crate::session) wants_answer: bool,
}

impl Review {
    /// Takes what came of verdicts.
    pub(in crate::session) fn decided(
        &mut self,
        outcome: Result<Decision, Fault>,
        ledger: &mut Ledger,
        out: &mut Outbox,
    ) -> Option<CarriedOut> {
        self.reported();
        self.is_ruling = false;
        match outcome {
            Ok(Decision::Done(decided)) => return Some(self.carried_out(decided, ledger, out)),
            Ok(Decision::Changed { hunks }) => moved(paths_of(&hunks), ledger, out),
            Ok(Decision::Elsewhere { hunks, others }) => {
                self.inform_of_others(hunks, out);
                match others {
                    0 => {}
                    1 => out.inform("1 other verdict was not carried out and stays marked"),
                    n => out.inform(&format!(
                        "{n} other verdicts were not carried out and stay marked"
                    )),
                }
                out.emit(Event::Undecided);
            }
            Ok(Decision::Refused { why }) => {
                out.fault(FaultKind::Conflict, why, "nothing was written");
                out.emit(Event::Undecided);
            }
            Err(fault) => {
                out.emit(Event::Fault(fault));
                out.emit(Event::Undecided);
            }
        }
        None
    }

    fn carried_out(
        &mut self,
        decided: Decided,
        ledger: &mut Ledger,
        out: &mut Outbox,
    ) -> CarriedOut {
        let (hunks, pending) = (decided.hunks, decided.pending);
        let committed = decided.committed.into_iter();
        let committed = committed.map(|(path, version)| CommittedFile {
            deleted: decided.deleted.contains(&path),
            path,
            version,
        });
        out.emit(Event::Decided {
            committed: committed.collect(),
            approved: count(&hunks, HunkState::Committed),
            denied: count(&hunks, HunkState::Denied),
            pending,
        });
        decided.unkept.iter().for_each(|lost| out.inform(lost));
        let has_written = count(&hunks, HunkState::Committed) > 0;
        // A prompt that came meanwhile may have looked before this did.
        let told = ledger.told();
        let (hunks, known): (Vec<_>, Vec<_>) =
            hunks.into_iter().partition(|judged| told.is_news(judged));
        self.hunks.decide(&known);
        let wants_answer = self.hunks.decide(&hunks);
        if count(&hunks, HunkState::Pending) < hunks.len() {
            ledger.tell(Notice::Verdicts { hunks, pending });
        }
        CarriedOut {
            has_written,
            is_all: pending == 0,
            wants_answer,
        }
    }
}

fn count(hunks: &[HunkOutcome], state: HunkState) -> usize {
    hunks
        .iter()
        .filter(|judged| judged.status.state() == state)
        .count()
}
