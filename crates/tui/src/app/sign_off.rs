//! The sign-off page: opened when all has a mark, or by a key; Enter writes.
//!
//! In: marks, keys, and what became of the verdicts. Out: the page, and the verdicts that it tells of.

use signoff_llm::mode::AfterApproval;
use signoff_llm::session::Command;

use super::App;
use super::dialog::Overlay;
use super::type_ahead::Cause;
use crate::keymap::{Action, Context};
use crate::review::sign_off::{SignOffPage, SignOffStage};
use crate::wrap::Row;

impl App {
    /// Opens the page; keys count once it was on the screen.
    pub(super) fn open_sign_off(&mut self) {
        let after = self.review.take_after();
        let page = self.review.sign_off_page(after);
        self.show_sign_off(page, Cause::Rows);
    }

    fn show_sign_off(&mut self, page: SignOffPage, cause: Cause) {
        self.focus.open_overlay(Overlay::SignOff(Box::new(page)));
        self.focus.guard(cause);
    }

    /// Hands over what the page says, if that is still what is marked.
    pub(super) fn write(&mut self, after: Option<AfterApproval>) -> Vec<Command> {
        let Some(page) = self.focus.sign_off_mut() else {
            return Vec::new();
        };
        if page.stage() != SignOffStage::Ready {
            return Vec::new();
        }
        let chosen = page.after();
        if !self.review.sign_off_page(chosen).agrees_with(page) {
            self.renew_sign_off();
            return Vec::new();
        }
        if self.review.is_marked_whole() {
            page.sent();
        } else {
            // There is more to read: the answer stands in the line above the input.
            self.focus.close_overlay();
        }
        let outcome = self.review.hand_over_and(after.or(chosen));
        self.follow_up(outcome)
    }

    /// Says on an open page what the marks come to by now.
    pub(super) fn renew_sign_off(&mut self) {
        let Some(page) = self.focus.sign_off_mut() else {
            return;
        };
        if page.stage() != SignOffStage::Ready {
            return;
        }
        let now = self.review.sign_off_page(page.after());
        if now.is_void() {
            self.focus.close_overlay();
        } else if !now.agrees_with(page) {
            let write = self.keys.name(Context::SignOff, Action::Write(None));
            self.status
                .say(format!("It changed: look again, then press {write}"));
            self.show_sign_off(now, Cause::Opened);
        }
    }

    /// Takes over what became of verdicts that were handed over.
    pub(super) fn signed_off(&mut self, said: &[Row], has_written: bool) {
        if let Some(page) = self.focus.sign_off_mut()
            && page.stage() == SignOffStage::Sent
        {
            if has_written {
                page.written(said.to_vec());
            } else {
                self.focus.close_overlay();
            }
        }
    }
}
