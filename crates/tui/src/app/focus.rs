//! Input focus: which part of the interface the next key is for.
//!
//! In: what opens, asks and closes, and the keys with their times. Out: the context of the next key, and whether it may
//! be an answer. What lies above has the keys: a dialog, an overlay, a permission prompt, the review, the composer.
//!
//! Example: a proposal arrives while nothing is typed. The review is shown, and takes the keyboard after a second
//! without a key; Tab gives it back to the composer, Esc puts the review away.
//!
//! **Invariant:** the keys go elsewhere only when the user does something (Tab, Esc, a click, a paste, a command), or here:
//! - `take_keyboard`: to what was offered, once the prompt is empty and no key came for a second;
//! - `is_meant_for_composer`: back to the prompt, if that was in the middle of a word;
//! - what had them is over: nothing is left to review, the call that asked has ended, the sign-off page came true or is void.
//!
//! A list that is refreshed moves them never.

mod palette;
mod permission;
mod sign_off;

use ratatui::crossterm::event::KeyEvent;
use signoff_core::id::Timestamp;
use signoff_core::stage::review::{RevertOutcome, RevertTarget};
use signoff_llm::message::CallId;
use signoff_llm::session::Command;

use super::dialog::Dialog;
use super::overlay::Overlay;
use super::palette::Palette;
use super::permission_prompt::PermissionPrompt;
use super::rewind_question::RewindQuestion;
use super::type_ahead::{Cause, TypeAhead};
use crate::app::keymap::{Context, RewindExtent};
use crate::composer::Composer;
use crate::response::{RevertQuestion, ReviewText};
use crate::review::foreseen::Foreseen;
use crate::review::sign_off::SignOffStage;
use crate::review::{Review, ReviewList};
use crate::row_window::Scroll;

/// Whether the review pane is on the screen, and has the keys where nothing lies over it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ReviewPane {
    /// It is not.
    #[default]
    Closed,
    /// The user closed it with work left; it does not come back by itself.
    Dismissed,
    /// It is; the composer has the keys.
    Shown,
    /// It is, and has the keys.
    Focused,
}

/// Where keys go.
#[derive(Debug, Default)]
pub(crate) struct Focus {
    review: ReviewPane,
    overlay: Option<Overlay>,
    dialog: Option<Dialog>,
    permission: Option<PermissionPrompt>,
    /// The command palette, over all others.
    palette: Option<Palette>,
    /// True while the review or a permission prompt is to take the keyboard once nothing is typed.
    offered: bool,
    /// True while the user waits for a review of which it is not known whether something is in it.
    wanted: bool,
    type_ahead: TypeAhead,
    /// The letter that opened the question where text can be typed, and the letters that came before it could be read: they
    /// may begin a word (`a_word_that_begins_with_the_key_for_undo_is_typed`).
    letters: String,
}

/// Which part has the keys.
impl Focus {
    /// Returns what the next key is pressed in.
    pub(crate) fn context(&self, composer: &Composer) -> Context {
        if self.palette.is_some() {
            return Context::Palette;
        }
        match (&self.dialog, &self.overlay) {
            (Some(Dialog::Reason { .. } | Dialog::Instead { .. }), _) => Context::Reason,
            (Some(Dialog::Text { about, .. }), _) => Context::from(*about),
            (Some(Dialog::Confirm { .. }), _) => Context::Confirm,
            (Some(Dialog::Rewind { question, .. }), _) if question.offers_files() => {
                Context::Rewind
            }
            (Some(Dialog::Rewind { .. }), _) => Context::RewindConversation,
            (None, Some(Overlay::Help(_) | Overlay::Note(_))) => Context::Help,
            (None, Some(Overlay::Diff(_))) => Context::Diff,
            (None, Some(Overlay::Places(_))) => Context::Places,
            (None, Some(Overlay::Background(page))) if page.asks() => Context::BackgroundEnd,
            (None, Some(Overlay::Background(_))) => Context::Background,
            (None, Some(Overlay::History)) => Context::History,
            (None, Some(Overlay::Transcript)) => Context::Transcript,
            (None, Some(Overlay::SignOff(page))) => match page.stage() {
                SignOffStage::Ready | SignOffStage::Sent => Context::SignOff,
                SignOffStage::Written => Context::Written,
            },
            (None, None) if let Some(prompt) = self.permission.as_ref().filter(|it| it.focused) => {
                prompt.context()
            }
            (None, None) if self.is_in_review() => Context::Review,
            (None, None) if composer.menu().is_some() => Context::Menu,
            (None, None) if composer.is_empty() => Context::EmptyComposer,
            (None, None) => Context::Composer,
        }
    }

    /// Returns true if the review has the keys where nothing lies over it.
    pub(crate) fn is_in_review(&self) -> bool {
        self.review == ReviewPane::Focused
    }

    /// Returns true if nothing lies over the panes, and nothing is asked.
    pub(super) fn is_in_panes(&self) -> bool {
        self.dialog.is_none()
            && self.overlay.is_none()
            && self.permission.is_none()
            && self.palette.is_none()
    }

    /// Returns true if the review is on the screen, or would be if no overlay hid it.
    pub(crate) fn shows_review(&self) -> bool {
        matches!(self.review, ReviewPane::Shown | ReviewPane::Focused)
    }

    /// Returns what lies over the panes.
    pub(crate) fn overlay(&self) -> Option<&Overlay> {
        self.overlay.as_ref()
    }

    /// Tells whether a line to type in has the keys, a list to pick from included, and is empty. A hunk's text is none: it may
    /// be made empty.
    pub(super) fn has_empty_line(&self, composer: &Composer) -> bool {
        if let Some(palette) = &self.palette {
            return palette.line().is_empty();
        }
        match &self.dialog {
            Some(Dialog::Text {
                about: ReviewText::NewText(_),
                ..
            }) => false,
            Some(dialog) => dialog.typed().is_some_and(|(line, _)| line.is_empty()),
            None => self.overlay.is_none() && composer.menu().is_some() && composer.is_empty(),
        }
    }

    /// Returns the question in the place of the composer.
    pub(crate) fn dialog(&self) -> Option<&Dialog> {
        self.dialog.as_ref()
    }

    /// Returns the call that waits for the user's permission.
    pub(crate) fn permission(&self) -> Option<&PermissionPrompt> {
        self.permission.as_ref()
    }

    pub(super) fn overlay_mut(&mut self) -> Option<&mut Overlay> {
        self.overlay.as_mut()
    }

    pub(super) fn dialog_mut(&mut self) -> Option<&mut Dialog> {
        self.dialog.as_mut()
    }

    /// Returns the call that waits for the user's permission, to be laid out.
    pub(super) fn permission_mut(&mut self) -> Option<&mut PermissionPrompt> {
        self.permission.as_mut()
    }

    /// Returns true if the user is not in the middle of anything.
    fn is_undisturbed(&self, composer: &Composer) -> bool {
        !self.is_in_review()
            && composer.is_empty()
            && composer.menu().is_none()
            && self.dialog.is_none()
            && self.overlay.is_none()
            && self.palette.is_none()
    }
}

/// What opens, asks and closes.
impl Focus {
    /// Shows the review, unless the user is in the middle of something else. It takes the keyboard
    /// once nothing was typed for a while.
    pub(super) fn offer_review(&mut self, composer: &Composer, list: &ReviewList) {
        if self.is_undisturbed(composer) && list.needs_user() {
            self.review = ReviewPane::Shown;
            self.offered = true;
        }
    }

    /// The same once more, unless the user put the review away.
    pub(super) fn offer_review_again(&mut self, composer: &Composer, list: &ReviewList) {
        if self.review != ReviewPane::Dismissed {
            self.offer_review(composer, list);
        }
    }

    /// Gives the keys to the review.
    pub(super) fn open_review(&mut self) {
        self.type_ahead.chosen();
        self.review = ReviewPane::Focused;
    }

    /// Gives the keys to the review; false if nothing is in it.
    pub(super) fn show_review(&mut self, list: &ReviewList) -> bool {
        if !list.is_empty() {
            self.open_review();
        }
        !list.is_empty()
    }

    /// Has the review shown once it is known what waits.
    pub(super) fn want_review(&mut self) {
        self.wanted = true;
    }

    /// Shows the review that the user waits for, now that it is known what waits. Returns false if that is nothing.
    pub(super) fn show_wanted(&mut self, list: &ReviewList) -> bool {
        !std::mem::take(&mut self.wanted) || self.show_review(list)
    }

    /// Puts the review away.
    pub(super) fn close_review(&mut self, list: &ReviewList) {
        self.review = if list.is_empty() {
            ReviewPane::Closed
        } else {
            ReviewPane::Dismissed
        };
    }

    /// Puts the question for permission, in front of the composer unless the user is in the middle of something;
    /// it takes the keyboard once nothing was typed for a while.
    pub(super) fn ask_permission(&mut self, prompt: PermissionPrompt, composer: &Composer) {
        self.offered = self.is_undisturbed(composer);
        self.permission = Some(prompt);
    }

    /// Drops the question for permission if it is about this call, or about any.
    pub(super) fn permission_is_over(&mut self, call: Option<&CallId>) {
        let over = |prompt: &PermissionPrompt| call.is_none_or(|call| prompt.is_about(call));
        self.permission.take_if(|prompt| over(prompt));
        if matches!(&self.dialog, Some(Dialog::Instead { prompt, .. }) if over(prompt)) {
            self.dialog = None;
        }
    }

    /// Asks something in the place of the composer.
    pub(super) fn ask(&mut self, dialog: Dialog) {
        self.outdate_palette();
        self.dialog = Some(dialog);
    }

    /// Takes the question in the place of the composer away.
    pub(super) fn take_dialog(&mut self) -> Option<Dialog> {
        self.dialog.take()
    }

    /// Asks whether something is to be taken back; only keys that come after the question answer it.
    pub(super) fn ask_revert(&mut self, question: RevertQuestion) {
        self.type_ahead.begin(Cause::Question);
        self.ask(Dialog::confirm(question));
    }

    /// Takes over what a revert would do, if that is still the question.
    pub(super) fn foresee(&mut self, preview: RevertOutcome) {
        if preview.part().is_some() {
            // The question is another now.
            self.type_ahead.begin(Cause::Question);
        }
        if let Some(dialog) = &mut self.dialog {
            dialog.foresee(preview);
        }
    }

    /// Takes over that what is asked about is to be taken back, and returns what that is.
    pub(super) fn confirm(&mut self) -> Option<RevertTarget> {
        match self.dialog.take()? {
            Dialog::Confirm { question, foreseen } => {
                self.overlay = None;
                let offered = foreseen.and_then(Foreseen::offered);
                Some(offered.unwrap_or(question.target))
            }
            Dialog::Reason { .. }
            | Dialog::Instead { .. }
            | Dialog::Text { .. }
            | Dialog::Rewind { .. } => None,
        }
    }

    /// Asks what goes back to an earlier prompt; only keys that come after the question answer it.
    pub(super) fn ask_rewind(&mut self, question: RewindQuestion, preview: Option<RevertOutcome>) {
        self.type_ahead.begin(Cause::Question);
        self.ask(Dialog::rewind(question, preview));
    }

    /// Takes over what is to go back, and returns what is to be done; none if that was not offered.
    pub(super) fn rewind(&mut self, extent: RewindExtent) -> Option<Command> {
        let (question, foreseen) = match self.dialog.take()? {
            Dialog::Rewind { question, foreseen } => (question, foreseen),
            other => {
                self.dialog = Some(other);
                return None;
            }
        };
        match question.answered(extent) {
            Ok(command) => Some(command),
            Err(question) => {
                let question = Box::new(question);
                self.dialog = Some(Dialog::Rewind { question, foreseen });
                None
            }
        }
    }

    /// Returns true if something lies over the panes, or asks.
    pub(super) fn is_taken(&self) -> bool {
        self.dialog.is_some() || self.overlay.is_some() || self.permission.is_some()
    }

    /// Lays an overlay over the panes; where it asks something, only keys that come after that answer it.
    pub(super) fn open_overlay(&mut self, overlay: Overlay) {
        self.outdate_palette();
        if overlay.places().is_some() {
            self.type_ahead.begin(Cause::Question);
        }
        self.overlay = Some(overlay);
    }

    /// Moves through what lies over the panes; false if nothing does that has rows of its own.
    pub(super) fn scroll(&mut self, scroll: Scroll) -> bool {
        if let Some(foreseen) = self.dialog.as_mut().and_then(Dialog::foreseen_mut) {
            foreseen.scroll(scroll);
            return true;
        }
        (self.overlay.as_mut()).is_some_and(|overlay| overlay.scroll(scroll))
    }

    /// Takes the overlay away.
    pub(super) fn close_overlay(&mut self) {
        self.overlay = None;
    }

    /// Closes all that lies over the panes; false if nothing does. A call that was to be refused asks again: it waits.
    pub(super) fn close_all(&mut self) -> bool {
        let dialog = self.dialog.take();
        let any = dialog.is_some() | self.overlay.take().is_some();
        if let Some(Dialog::Instead { prompt, .. }) = dialog {
            self.permission = Some(*prompt);
        }
        any
    }

    /// Goes back from a page of the overlay to the one before, or takes the overlay away; false if there is none.
    pub(super) fn leave_overlay(&mut self) -> bool {
        let Some(overlay) = &mut self.overlay else {
            return false;
        };
        if !overlay.back() {
            self.overlay = overlay.below();
        }
        true
    }

    /// Has a call ask for permission again that was to be refused: it waits.
    pub(super) fn ask_again(&mut self, prompt: PermissionPrompt) {
        self.permission = Some(prompt);
    }

    /// Gives the keys to the question for permission and back, else to the review and back; false if there is no
    /// review to go to.
    pub(super) fn switch(&mut self, list: &ReviewList) -> bool {
        self.offered = false;
        if let Some(prompt) = &mut self.permission {
            prompt.focused = !prompt.focused;
            if prompt.focused {
                self.type_ahead.chosen();
                self.type_ahead.begin(Cause::Question);
            }
            return true;
        }
        if self.is_in_review() {
            self.review = ReviewPane::Shown;
            return true;
        }
        self.show_review(list)
    }

    /// Gives the keys to the composer: what comes is typing.
    pub(super) fn type_instead(&mut self) {
        self.offered = false;
        if self.is_in_review() {
            self.review = ReviewPane::Shown;
        }
        if let Some(prompt) = &mut self.permission {
            prompt.focused = false;
        }
    }

    /// Takes over that a letter opened a question where text can be typed.
    pub(super) fn opened_by(&mut self, c: char) {
        self.letters = String::from(c);
    }

    /// Takes over a letter that is pressed in a context. Where a letter opened the question there, and this one came too early
    /// for an answer and is none, they begin a word: the question is closed, and the word is returned.
    pub(super) fn word_begun(
        &mut self,
        context: Context,
        c: char,
        is_early_text: bool,
    ) -> Option<String> {
        if context != Context::Confirm || !self.type_ahead.waits() {
            self.letters.clear();
        }
        if self.letters.is_empty() {
            return None;
        }
        self.letters.push(c);
        if !is_early_text {
            return None;
        }
        self.dialog = None;
        Some(std::mem::take(&mut self.letters))
    }

    /// Takes over that text is typed: nothing takes the keyboard by itself.
    pub(super) fn typed(&mut self) {
        self.offered = false;
    }
}

/// Which keys count as answers, and when something takes the keyboard by itself.
impl Focus {
    /// Takes over that time went by.
    pub(super) fn tick(&mut self, now: Timestamp) {
        self.type_ahead.tick(now);
    }

    /// Takes over that the frame that was laid out last is on the screen.
    pub(super) fn shown(&mut self, now: Timestamp) {
        self.type_ahead.framed(now);
    }

    /// Keys count as answers only after a frame and a pause.
    pub(super) fn guard(&mut self, cause: Cause) {
        self.type_ahead.begin(cause);
    }

    /// The same from now on: what it is about is on the screen.
    pub(super) fn guard_from_now(&mut self, cause: Cause, now: Timestamp) {
        self.type_ahead.begin(cause);
        self.type_ahead.framed(now);
    }

    /// A key that was on its way answers no proposal that came meanwhile.
    pub(super) fn guard_news(&mut self) {
        self.outdate_palette();
        if self.is_in_review() {
            self.type_ahead.begin(Cause::Opened);
        }
    }

    /// Takes over that a key was pressed, or something pasted; returns why it is no answer, where it could be one.
    pub(super) fn key(
        &mut self,
        composer: &Composer,
        (key, now): (Option<KeyEvent>, Timestamp),
    ) -> Option<Cause> {
        let is_guarded = self.is_guarded(composer);
        let wait = self.type_ahead.key(now, key, is_guarded);
        wait.filter(|_| is_guarded)
    }

    /// Tells whether a letter that was typed at the review or a permission prompt belongs into the composer: that took the
    /// keyboard by itself just now, or the letter begins a command.
    pub(super) fn is_meant_for_composer(
        &self,
        (context, wait): (Context, Option<Cause>),
        c: char,
    ) -> bool {
        // `/` searches in the review once it counts.
        let begins_command = c == '/' && context.asks_permission();
        Self::has_typing_beside(context) && (begins_command || wait == Some(Cause::Taken))
    }

    /// Returns true where the composer is in sight and another part has the keys.
    pub(super) fn has_typing_beside(context: Context) -> bool {
        matches!(context, Context::Review | Context::Lines) || context.asks_permission()
    }

    /// Returns true while something has the keys that took them by itself, and nobody can have noticed.
    pub(super) fn has_just_taken(&self) -> bool {
        self.type_ahead.waits_for() == Some(Cause::Taken)
    }

    /// Tells whether what a key would answer was on the screen.
    pub(super) fn is_drawn(&self, context: Context, review: &Review) -> bool {
        match context {
            Context::Review | Context::Lines => review.was_drawn(),
            Context::Permission | Context::HostPermission => {
                self.permission.as_ref().is_some_and(|it| it.listens())
            }
            _ => true,
        }
    }

    /// Returns true where a key may be an answer that cannot be typed by accident.
    pub(super) fn is_guarded(&self, composer: &Composer) -> bool {
        matches!(
            self.context(composer),
            Context::Review
                | Context::Permission
                | Context::HostPermission
                | Context::Confirm
                | Context::Rewind
                | Context::RewindConversation
                | Context::SignOff
                | Context::Places
                | Context::BackgroundEnd
        )
    }

    /// Returns true while keys that answer do not count yet.
    pub(super) fn is_deaf(&self, composer: &Composer) -> bool {
        self.is_guarded(composer) && self.type_ahead.waits()
    }

    /// Returns when the focus changes by itself, or keys begin to count.
    pub(super) fn wakes_at(&self, composer: &Composer, list: &ReviewList) -> Option<Timestamp> {
        let offered = self
            .can_offer(composer, list)
            .then(|| self.type_ahead.undisturbed_at());
        let answers = (self.is_guarded(composer) || self.palette.is_some())
            .then(|| self.type_ahead.answers_at());
        offered.flatten().into_iter().chain(answers.flatten()).min()
    }

    /// Gives the keyboard to what was offered, if nothing was typed for long enough.
    pub(super) fn take_keyboard(&mut self, composer: &Composer, list: &ReviewList, now: Timestamp) {
        if !self.can_offer(composer, list) || !self.type_ahead.is_undisturbed(now) {
            return;
        }
        self.offered = false;
        match &mut self.permission {
            Some(prompt) => prompt.focused = true,
            None => self.open_review(),
        }
        self.type_ahead.begin(Cause::Taken);
    }

    /// Returns true while the review or a permission prompt may take the keyboard by itself.
    fn can_offer(&self, composer: &Composer, list: &ReviewList) -> bool {
        let prompt = self.permission.as_ref();
        self.offered
            && self.is_undisturbed(composer)
            && prompt.map_or(list.needs_user(), |prompt| !prompt.focused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composer::Edit;
    use crate::kit::file;
    use crate::response::Scope;
    use crate::review::diff_page::DiffPage;
    use crate::review::history::History;
    use signoff_core::stage::review::DiffScope;

    /// What happens; a second passes after each.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Offer,
        OfferAgain,
        AskPermission,
        Wait,
        Tab,
        Esc,
        CtrlC,
        Type,
        TypeInstead,
        Keys,
        AskWhy,
        AskInstead,
        AskRevert,
        DiffOfHistory,
    }

    fn run(steps: &[Step]) -> (Focus, Composer) {
        let (mut focus, mut composer) = (Focus::default(), Composer::default());
        let mut review = Review::default();
        review.set(vec![file("above")]);
        for (second, step) in (0..).zip(steps) {
            let now = Timestamp(second * 1_000);
            let list = review.list();
            match step {
                Step::Offer => focus.offer_review(&composer, list),
                Step::OfferAgain => focus.offer_review_again(&composer, list),
                Step::AskPermission => {
                    let call = CallId("call".to_owned());
                    let prompt = PermissionPrompt::new(call, "shell".to_owned(), "ls");
                    focus.ask_permission(prompt, &composer);
                }
                Step::Wait => focus.take_keyboard(&composer, list, now),
                Step::Tab => assert!(focus.switch(list)),
                Step::Esc => match focus.take_dialog() {
                    Some(Dialog::Instead { prompt, .. }) => focus.ask_again(*prompt),
                    Some(_) => {}
                    None if focus.leave_overlay() => {}
                    None => focus.close_review(list),
                },
                Step::CtrlC => assert!(focus.close_all()),
                Step::Type => {
                    focus.key(&composer, (None, now));
                    focus.typed();
                    composer.edit(Edit::Insert('x'));
                }
                Step::TypeInstead => focus.type_instead(),
                Step::Keys => focus.open_overlay(Overlay::Help(Default::default())),
                Step::AskWhy => focus.ask(Dialog::reason(Scope::All, "")),
                Step::AskInstead => focus.ask_instead(),
                Step::DiffOfHistory => {
                    let mut page = DiffPage::of(DiffScope::Waiting);
                    page.is_over_history = true;
                    focus.open_overlay(Overlay::Diff(Box::new(page)));
                }
                Step::AskRevert => {
                    let whole = History::default().whole(file("above").changeset);
                    focus.ask(Dialog::confirm(whole));
                }
            }
        }
        (focus, composer)
    }

    #[test]
    fn the_next_key_goes_to_what_lies_above() {
        use Context::{
            Composer, Confirm, Diff, EmptyComposer, Help, History, Permission, Reason, Review,
        };
        use Step::*;
        const SHOWN: bool = true;
        const AWAY: bool = false;
        let check = |steps: &[Step], expected: (Context, bool)| {
            let (focus, composer) = run(steps);
            let is = (focus.context(&composer), focus.shows_review());
            assert_eq!(is, expected, "{steps:?}");
        };
        check(&[], (EmptyComposer, AWAY));
        check(&[Type], (Composer, AWAY));
        // A review that is offered is shown at once, and takes the keyboard in a pause.
        check(&[Offer], (EmptyComposer, SHOWN));
        check(&[Offer, Wait], (Review, SHOWN));
        check(&[Offer, Type, Wait], (Composer, SHOWN));
        check(&[Type, Offer, Wait], (Composer, AWAY));
        check(&[Keys, Offer, Wait], (Help, AWAY));
        // Tab, and what is typed.
        check(&[Tab], (Review, SHOWN));
        check(&[Tab, Tab], (EmptyComposer, SHOWN));
        check(&[Offer, Tab, Tab, Wait], (EmptyComposer, SHOWN));
        check(&[Tab, TypeInstead], (EmptyComposer, SHOWN));
        check(&[Offer, TypeInstead, Wait], (EmptyComposer, SHOWN));
        // Esc: what lies above first.
        check(&[Tab, Esc], (EmptyComposer, AWAY));
        check(&[Tab, Esc, OfferAgain, Wait], (EmptyComposer, AWAY));
        check(&[Tab, Esc, Offer, Wait], (Review, SHOWN));
        check(&[Tab, Keys, Esc], (Review, SHOWN));
        check(&[Tab, Keys, AskRevert], (Confirm, SHOWN));
        check(&[Tab, Keys, AskRevert, Esc], (Help, SHOWN));
        check(&[Tab, DiffOfHistory, AskRevert, Esc], (Diff, SHOWN));
        check(&[Tab, DiffOfHistory, Esc], (History, SHOWN));
        check(&[Tab, DiffOfHistory, Esc, Esc], (Review, SHOWN));
        check(&[Tab, AskWhy], (Reason, SHOWN));
        check(&[Tab, AskWhy, Esc], (Review, SHOWN));
        // A call that asks goes before the review.
        check(&[AskPermission], (EmptyComposer, AWAY));
        check(&[AskPermission, Wait], (Permission, AWAY));
        check(&[Offer, AskPermission, Wait], (Permission, SHOWN));
        check(&[Type, AskPermission, Wait], (Composer, AWAY));
        check(&[Type, AskPermission, Tab], (Permission, AWAY));
        check(&[AskPermission, Tab, Tab], (EmptyComposer, AWAY));
        check(&[Tab, AskPermission, Wait], (Review, SHOWN));
        check(&[AskPermission, Tab, AskInstead], (Reason, AWAY));
        check(&[AskPermission, Tab, AskInstead, Esc], (Permission, AWAY));
        check(&[AskPermission, Tab, AskInstead, CtrlC], (Permission, AWAY));
        check(&[AskPermission, Tab, Keys], (Help, AWAY));
        check(&[AskPermission, Tab, TypeInstead], (EmptyComposer, AWAY));
    }
}
