//! The question for permission, answered.
//!
//! In: keys, and what is to be done instead. Out: the answer for the session. What has not been displayed is shown first.

use signoff_llm::session::{Command, Grant};

use super::Focus;
use crate::app::dialog::Dialog;
use crate::app::permission_prompt::PermissionPrompt;
use crate::app::status::Status;
use crate::app::type_ahead::Cause;

impl Focus {
    /// Returns the question for permission, if keys answer it.
    fn listening(&mut self) -> Option<&mut PermissionPrompt> {
        self.permission.as_mut().filter(|prompt| prompt.listens())
    }

    /// Answers the question for permission, if keys answer it. A call runs only after all of what it does was displayed.
    pub(in crate::app) fn answer_permission(
        &mut self,
        grant: Grant,
        status: &mut Status,
    ) -> Option<Command> {
        let prompt = self.listening()?;
        if !matches!(grant, Grant::Refuse { .. }) && prompt.show_unseen() {
            self.type_ahead.begin(Cause::Question);
            status.say("The rest is shown first");
            return None;
        }
        let prompt = self.permission.take()?;
        Some(prompt.permit(grant))
    }

    /// Moves in what the call does.
    pub(in crate::app) fn turn_permission(&mut self, turn: impl FnOnce(&mut PermissionPrompt)) {
        if let Some(prompt) = self.listening() {
            turn(prompt);
        }
    }

    /// Asks what to do instead, if keys answer the question.
    pub(in crate::app) fn answer_instead(&mut self) {
        if self.listening().is_some() {
            self.ask_instead();
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
            self.ask_again(prompt);
            return None;
        }
        let reason = Some(reason.to_owned());
        Some(prompt.permit(Grant::Refuse { reason }))
    }
}
