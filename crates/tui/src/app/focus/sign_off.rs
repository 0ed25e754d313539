//! The sign-off page, over the panes: opened when all has a mark, or by a key; Enter writes.
//!
//! In: the review with its marks, keys, and what became of the verdicts. Out: the page, and the verdicts that it tells of.

use signoff_core::engine::OwnTextAlarms;
use signoff_core::stage::review::{AfterApproval, Ruling};

use super::Focus;
use crate::app::overlay::Overlay;
use crate::app::type_ahead::Cause;
use crate::response::Response;
use crate::review::Review;
use crate::review::history::History;
use crate::review::sign_off::{SignOffPage, SignOffStage};
use crate::row_window::Scroll;
use crate::wrap::Row;

impl Focus {
    /// Opens the page; keys count once it was on the screen.
    pub(in crate::app) fn open_sign_off(&mut self, review: &mut Review) {
        let after = review.take_after();
        self.show_sign_off(review.sign_off_page(after), Cause::Rows);
    }

    fn show_sign_off(&mut self, page: SignOffPage, cause: Cause) {
        self.open_overlay(Overlay::SignOff(Box::new(page)));
        self.type_ahead.begin(cause);
    }

    fn sign_off_mut(&mut self) -> Option<&mut SignOffPage> {
        self.overlay.as_mut()?.sign_off_mut()
    }

    /// Hands over what the page says, if that is still what is marked.
    pub(in crate::app) fn sign_off(
        &mut self,
        after: Option<AfterApproval>,
        review: &mut Review,
        history: &History,
    ) -> Response {
        let page = self.sign_off_mut();
        let Some(page) = page.filter(|page| page.stage() == SignOffStage::Ready) else {
            return Response::Handled;
        };
        if page.is_checking() {
            let write = &review.key_names().write;
            return Response::Say(format!(
                "Your text is being checked: {write} writes it once the page says what was found"
            ));
        }
        if !page.is_read() {
            // Behind a long list of files stand commits, what is denied, and checks.
            page.scroll(Scroll::PageDown);
            let write = &review.key_names().write;
            return Response::Say(format!(
                "{write} reads on, and writes at the end of the page"
            ));
        }
        let chosen = page.after();
        if !review.sign_off_page(chosen).agrees_with(page) {
            let said = self.renew_sign_off(review);
            return Response::said(said);
        }
        if review.is_marked_whole() {
            page.sent(history);
        } else {
            // There is more to read: the answer stands in the line above the input.
            self.overlay = None;
        }
        review.hand_over_and(after.or(chosen))
    }

    /// Takes over what was found in texts of the user's: keys count once that was on the screen.
    pub(in crate::app) fn take_own_text(
        &mut self,
        rulings: &[Ruling],
        found: &Result<Vec<OwnTextAlarms>, String>,
    ) {
        let page = self.sign_off_mut();
        if page.is_some_and(|page| page.take_found(rulings, found)) {
            self.type_ahead.begin(Cause::Rows);
        }
    }

    /// Says on an open page what the marks come to by now, and returns what there is to say of that.
    pub(in crate::app) fn renew_sign_off(&mut self, review: &Review) -> Option<String> {
        let page = self.sign_off_mut();
        let page = page.filter(|page| page.stage() == SignOffStage::Ready)?;
        let now = review.sign_off_page(page.after());
        if now.is_void() {
            self.overlay = None;
            return None;
        }
        if now.agrees_with(page) {
            return None;
        }
        self.show_sign_off(now, Cause::Opened);
        let write = &review.key_names().write;
        Some(format!("It changed: look again, then press {write}"))
    }

    /// Takes over what became of verdicts that were handed over.
    pub(in crate::app) fn signed_off(&mut self, said: &[Row], has_written: bool) {
        if let Some(page) = self.sign_off_mut()
            && page.stage() == SignOffStage::Sent
        {
            if has_written {
                page.written(said.to_vec());
            } else {
                self.overlay = None;
            }
        }
    }

    /// Takes the page away, if it is open and as far as this.
    pub(in crate::app) fn close_sign_off(&mut self, stage: SignOffStage) {
        let is_meant = |page: &mut SignOffPage| page.stage() == stage;
        if self.sign_off_mut().is_some_and(is_meant) {
            self.overlay = None;
        }
    }
}
