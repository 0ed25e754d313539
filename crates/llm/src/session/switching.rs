//! Switching between conversations.
//!
//! In: which other one, and what was said in it. Out: the same session goes on with that.

use super::{Effect, Event, Fault, Rest, Session, Switch};
use crate::memory::Recall;

impl Session {
    /// Asks for another conversation.
    pub(super) fn switch(&mut self, to: Switch) {
        if self.turn.is_some() {
            return self
                .outbox
                .misused("a turn runs; stop it before you go to another conversation");
        }
        if self.is_held() {
            return self
                .outbox
                .misused("another conversation is being opened, or files are being taken back");
        }
        self.cancel_questions();
        self.rest = Rest::Switching;
        self.outbox.want(Effect::Switch(to));
    }

    /// Goes on with another conversation; what is staged stays, whichever staged it.
    pub(super) fn switched(&mut self, outcome: Result<Recall, Fault>) {
        if self.turn.is_some() {
            tracing::error!("another conversation was opened over a turn");
            return;
        }
        self.rest = Rest::Plain;
        match outcome {
            Ok(recall) => self.take_up(recall),
            Err(fault) => self.outbox.emit(Event::Fault(fault)),
        }
        if let Some(prompt) = self.queue.pop_front() {
            self.begin(Some(prompt));
        }
    }

    fn take_up(&mut self, recall: Recall) {
        self.resume = false;
        self.ledger.take_up(recall, &mut self.outbox);
        self.pending_hunks.claim(self.ledger.told().staged());
    }
}
