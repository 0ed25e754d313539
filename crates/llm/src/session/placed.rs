//! Edits that the user chose a place for.
//!
//! In: what became of one. Out: its proposals for the screen, and a notice for the model.

use signoff_core::engine::Placed;

use super::{Effect, Event, Fault, Session};
use crate::notice::Notice;

impl Session {
    /// Takes what became of an edit that the user chose a place for.
    pub(super) fn placed(&mut self, outcome: Result<Placed, Fault>) {
        self.reported();
        match outcome {
            Ok(Placed::Answered { path, line, answer }) if answer.staged || answer.written => {
                self.pending_hunks.forget(&answer.rewritten);
                self.pending_hunks.stage(&answer.proposals);
                self.ledger.tell(Notice::Placed { path, line });
                self.outbox.emit(Event::Staged {
                    proposals: answer.proposals,
                });
                self.consult(Effect::ReadReview);
            }
            Ok(Placed::Answered { answer, .. }) => {
                let why = answer.results.iter().find_map(|own| own.error.clone());
                self.outbox
                    .inform(&why.unwrap_or_else(|| "the edit was not staged".to_owned()));
            }
            Ok(Placed::Gone) => self
                .outbox
                .inform("the edit does not wait for a place any more"),
            Err(fault) => self.outbox.emit(Event::Fault(fault)),
        }
    }
}
