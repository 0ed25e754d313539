//! The question whether a call may run, and the answer.
//!
//! In: a call that needs the user's leave, and keys. Out: what the session is told. A key that
//! was pressed before the question was on the screen never answers it.

use signoff_llm::message::CallId;
use signoff_llm::session::{Command, Grant};

use super::App;
use super::focus::{Dialog, Focus};
use crate::composer::Composer;

/// A call that waits for the user's leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leave {
    /// Which call.
    call: CallId,
    /// The tool.
    pub(crate) tool: String,
    /// What it is used on.
    pub(crate) subject: String,
    /// True while keys answer it.
    pub(crate) focused: bool,
    /// True once it was on the screen.
    drawn: bool,
}

/// What a key says to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeaveKey {
    /// This time.
    Once,
    /// From now on.
    Always,
    /// No, and stop.
    Refuse,
    /// No, and say what to do instead.
    Instead,
}

impl Leave {
    /// Notes that the user has seen it.
    pub(crate) fn was_drawn(&mut self) {
        self.drawn = true;
    }

    /// Tells whether keys answer it.
    pub(crate) fn listens(&self) -> bool {
        self.focused && self.drawn
    }
}

impl App {
    /// Puts the question, in front of the composer unless the user is in the middle of something.
    pub(super) fn ask_leave(&mut self, call: CallId, tool: String, subject: String) {
        let undisturbed = self.composer.is_empty()
            && self.focus == Focus::Composer
            && self.dialog.is_none()
            && self.overlay.is_none();
        self.leave = Some(Leave {
            call,
            tool,
            subject,
            focused: undisturbed,
            drawn: false,
        });
    }

    /// Answers the question.
    pub(super) fn answer_leave(&mut self, key: LeaveKey) -> Vec<Command> {
        let Some(leave) = self.leave.take_if(|leave| leave.listens()) else {
            return Vec::new();
        };
        let grant = match key {
            LeaveKey::Once => Grant::Once,
            LeaveKey::Always => Grant::Always,
            LeaveKey::Refuse => Grant::Refuse { reason: None },
            LeaveKey::Instead => {
                let line = Box::new(Composer::default());
                self.dialog = Some(Dialog::Instead { leave, line });
                return Vec::new();
            }
        };
        vec![Command::Permit {
            call: leave.call,
            grant,
        }]
    }

    /// Refuses the call and says what to do instead; without words the question comes back.
    pub(super) fn refuse_with(&mut self, leave: Leave, reason: &str) -> Vec<Command> {
        let reason = reason.trim();
        if reason.is_empty() {
            self.leave = Some(leave);
            return Vec::new();
        }
        let grant = Grant::Refuse {
            reason: Some(reason.to_owned()),
        };
        vec![Command::Permit {
            call: leave.call,
            grant,
        }]
    }

    /// Drops the question if it is about this call, or about any.
    pub(super) fn leave_is_over(&mut self, call: Option<&CallId>) {
        let over = |leave: &Leave| call.is_none_or(|call| *call == leave.call);
        self.leave.take_if(|leave| over(leave));
        if matches!(&self.dialog, Some(Dialog::Instead { leave, .. }) if over(leave)) {
            self.dialog = None;
        }
    }
}
