//! Answers to the question whether a call may run.
//!
//! In: keys, and what is to be done instead. Out: the answer for the session.

use signoff_llm::session::{Command, Grant};

use super::App;
use super::permission_prompt::{PermissionAnswer, PermissionPrompt};
use super::type_ahead::Cause;
use crate::keymap::PermissionKey;

impl App {
    /// Answers the question for permission; what has not been displayed is shown first.
    pub(super) fn answer_permission(&mut self, key: PermissionKey) -> Vec<Command> {
        let listens = |prompt: &&mut PermissionPrompt| prompt.listens();
        let Some(prompt) = self.focus.permission_mut().filter(listens) else {
            return Vec::new();
        };
        match prompt.answer(key) {
            PermissionAnswer::Scrolled => {}
            PermissionAnswer::ShowsRest => {
                self.focus.guard(Cause::Question);
                self.status.say("The rest is shown first");
            }
            PermissionAnswer::Instead => self.focus.ask_instead(),
            PermissionAnswer::Grant(grant) => {
                let prompt = self.focus.take_permission();
                return prompt.map(|it| it.permit(grant)).into_iter().collect();
            }
        }
        Vec::new()
    }

    /// Refuses the call and says what to do instead; without words the question comes back.
    pub(super) fn refuse_with(&mut self, prompt: PermissionPrompt, reason: &str) -> Vec<Command> {
        if reason.is_empty() {
            self.focus.ask_permission_again(prompt);
            return Vec::new();
        }
        let reason = Some(reason.to_owned());
        vec![prompt.permit(Grant::Refuse { reason })]
    }
}
