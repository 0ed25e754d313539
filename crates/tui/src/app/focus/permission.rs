//! The question for permission, answered.
//!
//! In: keys, and what is to be done instead. Out: the answer for the session. What has not been displayed is shown first.

use signoff_llm::session::{Command, Grant};

use super::Focus;
use crate::app::dialog::Dialog;
use crate::app::permission_prompt::{PermissionAnswer, PermissionPrompt};
use crate::app::type_ahead::Cause;
use crate::keymap::PermissionKey;

/// What a key says to the question for permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PermissionOutcome {
    /// Nothing yet.
    Handled,
    /// Nothing yet, and this is to be said.
    Say(&'static str),
    /// The session is told this.
    Permit(Command),
}

impl Focus {
    /// Answers the question for permission.
    pub(in crate::app) fn answer_permission(&mut self, key: PermissionKey) -> PermissionOutcome {
        let listens = |prompt: &&mut PermissionPrompt| prompt.listens();
        let Some(prompt) = self.permission.as_mut().filter(listens) else {
            return PermissionOutcome::Handled;
        };
        match prompt.answer(key) {
            PermissionAnswer::Scrolled => PermissionOutcome::Handled,
            PermissionAnswer::ShowsRest => {
                self.type_ahead.begin(Cause::Question);
                PermissionOutcome::Say("The rest is shown first")
            }
            PermissionAnswer::Instead => {
                self.ask_instead();
                PermissionOutcome::Handled
            }
            PermissionAnswer::Grant(grant) => match self.permission.take() {
                Some(prompt) => PermissionOutcome::Permit(prompt.permit(grant)),
                None => PermissionOutcome::Handled,
            },
        }
    }

    /// Asks what to do instead of the call that waits for permission.
    pub(super) fn ask_instead(&mut self) {
        self.dialog = self.permission.take().map(Dialog::instead);
    }

    /// Refuses the call and says what to do instead; without words the question comes back.
    pub(in crate::app) fn refuse(
        &mut self,
        prompt: PermissionPrompt,
        reason: &str,
    ) -> Option<Command> {
        if reason.is_empty() {
            self.permission = Some(prompt);
            return None;
        }
        let reason = Some(reason.to_owned());
        Some(prompt.permit(Grant::Refuse { reason }))
    }
}
