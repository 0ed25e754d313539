//! The question for permission, answered.
//!
//! In: keys, and what is to be done instead. Out: the answer for the session. What has not been displayed is shown first.

use signoff_llm::session::Grant;

use super::Focus;
use crate::app::dialog::Dialog;
use crate::app::permission_prompt::PermissionPrompt;
use crate::app::type_ahead::Cause;
use crate::keymap::PermissionKey;
use crate::response::Response;

impl Focus {
    /// Answers the question for permission.
    pub(in crate::app) fn answer_permission(&mut self, key: PermissionKey) -> Response {
        let listens = |prompt: &&mut PermissionPrompt| prompt.listens();
        let Some(prompt) = self.permission.as_mut().filter(listens) else {
            return Response::Handled;
        };
        match key {
            PermissionKey::Next => prompt.page_down(),
            PermissionKey::Previous => prompt.page_up(),
            PermissionKey::Instead => self.ask_instead(),
            PermissionKey::Once | PermissionKey::Always if prompt.show_unseen() => {
                self.type_ahead.begin(Cause::Question);
                return Response::say("The rest is shown first");
            }
            PermissionKey::Once => return self.permit(Grant::Once),
            PermissionKey::Always => return self.permit(Grant::Always),
            PermissionKey::Refuse => return self.permit(Grant::Refuse { reason: None }),
        }
        Response::Handled
    }

    fn permit(&mut self, grant: Grant) -> Response {
        let prompt = self.permission.take();
        prompt.map_or(Response::Handled, |prompt| prompt.permit(grant))
    }

    /// Asks what to do instead of the call that waits for permission.
    pub(super) fn ask_instead(&mut self) {
        self.dialog = self.permission.take().map(Dialog::instead);
    }

    /// Refuses the call and says what to do instead; without words the question comes back.
    pub(in crate::app) fn refuse(&mut self, prompt: PermissionPrompt, reason: &str) -> Response {
        if reason.is_empty() {
            self.ask_again(prompt);
            return Response::Handled;
        }
        let reason = Some(reason.to_owned());
        prompt.permit(Grant::Refuse { reason })
    }
}
