//! Keys that were meant for the composer, and keys that come too early to be an answer.
//!
//! In: keys and frames, with their times. Out: where a key goes, and when the review or a permission
//! prompt takes the keyboard by itself.

use ratatui::crossterm::event::KeyEvent;
use signoff_core::id::Timestamp;
use signoff_llm::session::Command;

use super::App;
use super::focus::Focus;
use super::type_ahead::Cause;
use crate::composer::Edit;
use crate::keymap::{self, Action, Context};
use crate::review::ReviewKey;

/// What is said of a letter that means nothing in the review.
pub(super) const STRAY: &str = "Tab to type";

/// Hands the marks over, also by a key that types nothing.
pub(super) const SUBMIT: Action = Action::Review(ReviewKey::Submit);

/// Returns what is said of a key that came too early to be an answer.
pub(super) fn too_early(cause: Cause) -> &'static str {
    match cause {
        Cause::Opened => "Just opened: press the key again in a moment",
        Cause::Question => "Just asked: read, then press the key again",
        Cause::Rows => "Just shown: read, then press the key again",
        Cause::Stray => STRAY,
    }
}

impl App {
    /// Takes over that the frame that was laid out last is on the screen.
    pub fn shown(&mut self, now: Timestamp) {
        self.type_ahead.framed(now);
    }

    /// Returns when the interface changes by itself, if it does: it wants a [`Msg::Tick`] then.
    pub fn wakes_at(&self) -> Option<Timestamp> {
        let offered = self.can_offer().then(|| self.type_ahead.undisturbed_at());
        let answers = self.is_guarded().then(|| self.type_ahead.answers_at());
        offered.flatten().into_iter().chain(answers.flatten()).min()
    }

    /// Returns true while keys that answer do not count yet.
    pub(crate) fn is_deaf(&self) -> bool {
        self.is_guarded() && self.type_ahead.waits()
    }

    /// Returns true where a key may be an answer that cannot be typed by accident.
    pub(super) fn is_guarded(&self) -> bool {
        matches!(
            self.context(),
            Context::Review | Context::Permission | Context::Confirm
        )
    }

    /// Returns true while the review or a permission prompt may take the keyboard by itself.
    fn can_offer(&self) -> bool {
        let prompt = self.permission.as_ref();
        self.type_ahead.offered
            && self.focus == Focus::Composer
            && self.composer.is_empty()
            && self.dialog.is_none()
            && self.overlay.is_none()
            && prompt.map_or(self.review.list().pending() > 0, |prompt| !prompt.focused)
    }

    /// Gives the keyboard to what was offered, if nothing was typed for long enough.
    pub(super) fn take_keyboard(&mut self) {
        if !self.can_offer() || !self.type_ahead.is_undisturbed(self.now) {
            return;
        }
        self.type_ahead.offered = false;
        match &mut self.permission {
            Some(prompt) => prompt.focused = true,
            None => self.open_review(),
        }
        self.type_ahead.begin(Cause::Opened);
    }

    /// Gives the keyboard to the composer: what comes is typing.
    pub(super) fn type_instead(&mut self) {
        self.type_ahead.offered = false;
        self.focus = Focus::Composer;
        if let Some(prompt) = &mut self.permission {
            prompt.focused = false;
        }
    }

    /// Tells whether a letter that was typed at the review or a permission prompt belongs into the
    /// composer: it came before anybody could have read what it would answer, or begins a command.
    pub(super) fn is_meant_for_composer(
        &self,
        context: Context,
        c: char,
        wait: Option<Cause>,
    ) -> bool {
        let drawn = match context {
            Context::Review => self.review.was_drawn(),
            Context::Permission => self.permission.as_ref().is_some_and(|it| it.listens()),
            _ => return false,
        };
        c == '/' || wait == Some(Cause::Opened) || !drawn
    }

    pub(super) fn type_or_refuse(&mut self, c: char) {
        if matches!(self.context(), Context::Review | Context::Permission) {
            self.status.say(STRAY);
            self.type_ahead.begin(Cause::Stray);
            self.type_ahead.framed(self.now);
        } else {
            self.edit(Edit::Insert(c));
        }
    }

    /// Takes keys that came faster than anybody types. Their letters are text, as those of a paste:
    /// they answer nothing.
    pub(super) fn on_burst(&mut self, keys: &[KeyEvent]) -> Vec<Command> {
        let mut commands = Vec::new();
        for key in keys {
            let typed = keymap::typed(*key).is_some();
            match self.context() {
                Context::Review | Context::Permission if typed => self.type_instead(),
                Context::Confirm if typed => continue,
                context if keymap::action(context, *key) == Some(Action::SwitchFocus) => continue,
                _ => {}
            }
            commands.extend(self.on_key(*key));
        }
        commands
    }
}
