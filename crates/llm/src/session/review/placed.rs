//! Edits that the user chose a place for.
//!
//! In: what became of one. Out: its proposals for the screen, and a notice for the model.

use signoff_core::engine::Placed;

use super::super::ledger::Ledger;
use super::super::outbox::Outbox;
use super::super::{Event, Fault};
use super::Review;
use crate::notice::Notice;

impl Review {
    /// Takes what became of an edit that the user chose a place for.
    pub(in crate::session) fn placed(
        &mut self,
        outcome: Result<Placed, Fault>,
        is_over: bool,
        ledger: &mut Ledger,
        out: &mut Outbox,
    ) {
        self.reported();
        match outcome {
            Ok(Placed::Answered { path, line, answer }) if answer.staged || answer.written => {
                self.hunks.forget(&answer.rewritten);
                ledger.tell(Notice::Placed { path, line });
                self.stage(answer.proposals, answer.written, is_over, out);
            }
            Ok(Placed::Answered { answer, .. }) => {
                let why = answer.results.iter().find_map(|own| own.error.clone());
                out.inform(&why.unwrap_or_else(|| "the edit was not staged".to_owned()));
            }
            Ok(Placed::Gone) => out.inform("the edit does not wait for a place any more"),
            Err(fault) => out.emit(Event::Fault(fault)),
        }
    }
}
