//! Esc and Ctrl-C: what they close, stop and give back.
//!
//! In: the two keys. Out: something closed, a turn that stops, or the end of the interface.

use signoff_llm::session::Command;

use super::focus::Escaped;
use super::keys::SecondPress;
use super::{App, Exit};

/// What is shown until a turn has stopped.
pub(super) const STOPPING: &str = "Stopping";

impl App {
    pub(super) fn escape(&mut self) -> Vec<Command> {
        match self.focus.escape() {
            Escaped::Reason(scope) => self.review.draft(scope, ""),
            Escaped::Text(about) => {
                if let Some(said) = about.give_up(&mut self.review) {
                    self.status.say(said);
                }
            }
            Escaped::Above => {}
            Escaped::Review if self.review.drop_question() => {}
            Escaped::Review if self.review.end_lines() => {}
            Escaped::Review if self.review.end_search() => {}
            Escaped::Review if let Some(hunk) = self.review.awaits_answer() => {
                return vec![Command::CancelAsk(hunk)];
            }
            Escaped::Composer if self.status.is_busy() => return self.cancel(),
            Escaped::Composer if self.can_rewind() => {
                if self.second_press == SecondPress::Rewind {
                    self.second_press = SecondPress::Same;
                    return vec![Command::Prompts];
                }
                self.second_press = SecondPress::Rewind;
                self.status.say("Esc again: back to an earlier prompt");
            }
            Escaped::Review | Escaped::Composer => self.focus.close_review(self.review.list()),
        }
        Vec::new()
    }

    pub(super) fn cancel(&mut self) -> Vec<Command> {
        self.give_queue_back();
        self.status.say(STOPPING);
        vec![Command::Cancel]
    }

    /// Puts prompts that were not sent back where they can be seen and changed.
    pub(super) fn give_queue_back(&mut self) {
        self.conversation
            .give_queue_back(&mut self.composer, &self.status);
    }

    pub(super) fn interrupt(&mut self) -> Vec<Command> {
        if self.second_press == SecondPress::Quit {
            self.outgoing.end(Exit::Left);
            return Vec::new();
        }
        self.second_press = SecondPress::Quit;
        let mut commands = Vec::new();
        let closed = self.focus.close_all() | self.composer.end_search();
        if !closed && !self.composer.is_empty() {
            self.composer.take();
        } else if !closed && self.status.is_busy() {
            commands = self.cancel();
        }
        self.status.say("Press Ctrl-C again to quit");
        commands
    }
}
