//! Key handling: what a key means where it is pressed, and the part that it goes to.
//!
//! In: keys and pastes. Out: changed panes, and effects.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use signoff_core::id::HunkId;
use signoff_llm::session::Command;

use super::dialog::Dialog;
use super::help::HelpPage;
use super::overlay::Overlay;
use super::slash::Typed;
use super::type_ahead::Cause;
use super::{App, AppEffect, Query};
use crate::background_page::{BackgroundKey, BackgroundPage};
use crate::composer::Edit;
use crate::keymap::{self, Action, Context};
use crate::pasted_image::PastedImage;
use crate::response::Response;
use crate::review::diff_page::{DiffPage, DiffPageKey};
use crate::review::history::{History, HistoryKey};
use crate::review::note_page::NotePage;
use crate::review::sign_off::SignOffStage;
use crate::review::{ArrangeKey, ReviewKey};
use crate::transcript::{BrowseKey, Scroll, Transcript};

/// What the key that was pressed last does when it is pressed once more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SecondPress {
    /// The same as before.
    #[default]
    Same,
    /// Esc goes back to an earlier prompt.
    Rewind,
    /// Ctrl-C quits.
    Quit,
}

/// Keys and pastes as they come.
impl App {
    /// Carries out what a key means where it was pressed.
    pub(super) fn on_key(&mut self, key: KeyEvent) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        self.status.hush();
        if self.focus.palette().is_some() && self.palette_key(key) {
            return;
        }
        self.review.key_pressed();
        let typed = keymap::typed(key);
        // What to look for in the transcript takes the keys while it is typed.
        if matches!(self.focus.overlay(), Some(Overlay::Transcript)) {
            match self.transcript.type_sought(key, typed) {
                Response::NotMine => {}
                response => return self.respond(response),
            }
        }
        let context = self.context();
        let wait = self.focus.key(self.conversation.composer(), self.now);
        let is_text = |c| {
            self.focus
                .is_meant_for_composer((context, wait), c, &self.review)
        };
        if typed.is_some_and(is_text) {
            self.focus.type_instead();
        }
        if context == Context::Written && self.keys.own(context, key).is_none() {
            self.focus.close_sign_off(SignOffStage::Written);
        }
        let action = self.keys.action(self.context(), key);
        match (self.second_press, action) {
            (SecondPress::Rewind, Some(Action::Escape))
            | (SecondPress::Quit, Some(Action::Interrupt)) => {}
            _ => self.second_press = SecondPress::Same,
        }
        // Whatever key it is: the user's approve may be Enter or F5. Esc refuses, and is never held back.
        let answers = action.is_some_and(Action::answers) && key.code != KeyCode::Esc;
        let unseen = answers && typed.is_none() && !self.focus.is_drawn(context, &self.review);
        let wait = wait.or(unseen.then_some(Cause::Opened));
        match (wait, typed) {
            (Some(Cause::Stray), Some(_))
                if self.focus.is_guarded(self.conversation.composer()) =>
            {
                return self.status.say(self.stray());
            }
            (Some(cause), _) if answers => return self.say_too_early(cause),
            _ => {}
        }
        match (action, typed) {
            (Some(action), _) => {
                self.act(action);
                self.guard_sign_off((context, action), key);
            }
            (None, Some(c)) => self.type_or_refuse(c),
            (None, None) => {}
        }
    }

    /// Where a verdict has the key that writes on the sign-off page, the page that it opened waits for longer: the next
    /// press was meant for another hunk.
    fn guard_sign_off(&mut self, (from, action): (Context, Action), key: KeyEvent) {
        let opened = self.context() == Context::SignOff && from != Context::SignOff;
        let writes = matches!(self.keys.own(Context::SignOff, key), Some(Action::Write(_)));
        if opened && writes && action != Action::Review(ReviewKey::Submit) {
            self.focus.guard(Cause::Opened);
        }
    }

    /// Takes keys that came faster than anybody types. Their letters are text, as those of a paste:
    /// they answer nothing.
    pub(super) fn on_burst(&mut self, keys: &[KeyEvent]) {
        for key in keys {
            let typed = keymap::typed(*key).is_some();
            let action = self.keys.action(self.context(), *key);
            match self.context() {
                Context::Review | Context::Lines | Context::Permission if typed => {
                    self.focus.type_instead();
                }
                Context::Confirm | Context::BackgroundEnd if typed => continue,
                Context::SignOff | Context::Rewind | Context::RewindConversation => continue,
                Context::Palette if matches!(action, Some(Action::Menu(_))) => continue,
                _ if action == Some(Action::SwitchFocus) => continue,
                // A line break or a control character of a paste, where the user made one an answer.
                _ if action.is_some_and(Action::answers) && !typed => continue,
                _ => {}
            }
            self.conversation.close_menu();
            self.on_key(*key);
        }
    }

    /// Puts pasted text where text can be typed; a paste is never taken for keys.
    pub(super) fn on_paste(&mut self, text: &str) {
        self.status.hush();
        self.second_press = SecondPress::Same;
        self.focus.key(self.conversation.composer(), self.now);
        if self.focus.palette_paste(text) {
            return;
        }
        match self.focus.dialog_mut() {
            Some(dialog) => {
                dialog.paste(text);
                dialog.keep(&mut self.review);
            }
            None => {
                self.focus.close_overlay();
                self.focus.type_instead();
                self.conversation.paste(text, &self.history);
            }
        }
    }

    /// Puts an image whose path was pasted into the prompt; anywhere else the path is text.
    pub(super) fn on_pasted_image(&mut self, image: &PastedImage) {
        if self.focus.dialog().is_some() || self.focus.palette().is_some() {
            return self.on_paste(&image.text);
        }
        self.status.hush();
        self.second_press = SecondPress::Same;
        self.focus.key(self.conversation.composer(), self.now);
        self.focus.close_overlay();
        self.focus.type_instead();
        (self.conversation).paste_image(image, &self.history);
    }

    fn type_or_refuse(&mut self, c: char) {
        match self.context() {
            Context::Review | Context::Lines | Context::Permission => {
                self.status.say(self.stray());
                self.focus.guard_from_now(Cause::Stray, self.now);
            }
            Context::SignOff => {
                let write = self.keys.name(Context::SignOff, "write");
                self.status.say(format!("{write} writes, Esc goes back"));
                self.focus.guard_from_now(Cause::Stray, self.now);
            }
            _ => self.edit(Edit::Insert(c)),
        }
    }
}

/// What keys do.
impl App {
    /// Does what the key of a clicked hint means. What is typed is only sent where it is a prompt: a command may decide.
    pub(super) fn press_button(&mut self, action: Action) {
        self.status.hush();
        self.second_press = SecondPress::Same;
        self.review.key_pressed();
        let sends = action == Action::Send && self.focus.dialog().is_none();
        if sends && !matches!(self.conversation.read(), Typed::Prompt(_)) {
            let send = self.keys.name(Context::Composer, "send");
            return self
                .status
                .say(format!("A click sends prompts only: {send} does a command"));
        }
        self.act(action);
    }

    /// Does what a key means.
    pub(super) fn act(&mut self, action: Action) {
        match action {
            Action::Edit(edit) => self.edit(edit),
            Action::Scroll(scroll) => {
                if !self.focus.scroll(scroll) {
                    self.scroll_transcript(scroll);
                }
            }
            Action::Review(key) => self.review_key(key),
            Action::Arrange(key) => self.arrange(key),
            Action::History(key) => self.in_history(history_key(key)),
            Action::Diff(key) => self.in_diff(diff_key(key)),
            Action::Place(choice) => self.choose_place(choice),
            Action::Background(key) => self.in_background(background_key(key)),
            Action::Blame => self.show_note(NotePage::blame, Query::Blame),
            Action::Placement => self.show_note(
                |hunk| NotePage::placement(hunk.proposal),
                |hunk| Query::Placement(hunk.proposal),
            ),
            Action::Permission(key) => {
                let response = self.focus.answer_permission(key);
                self.respond(response);
            }
            Action::RevertLast => self.revert_last(None),
            Action::Undo => self.undo(),
            Action::ApproveAnd(after) => self.in_review(|review| review.approve_and(after)),
            Action::Write(after) => {
                let response = self.focus.sign_off(after, &mut self.review);
                self.respond(response);
            }
            Action::NextMode => self.ask(Command::SetMode(self.conversation.mode.next())),
            Action::Menu(key) => {
                let response = self.conversation.menu_key(key, &self.history);
                self.respond(response);
            }
            Action::SearchPrompts if self.composes() => self.conversation.search_prompts(),
            Action::EditPrompt if self.composes() => {
                let text = self.conversation.text_to_edit();
                self.effects.push(AppEffect::EditPrompt(text));
            }
            Action::SearchPrompts | Action::EditPrompt => {}
            Action::Suspend => self.effects.push(AppEffect::Suspend),
            Action::Unqueue => self.status.say(self.conversation.unqueue()),
            Action::Send => self.send(),
            Action::Escape => self.escape(),
            Action::Interrupt => self.interrupt(),
            Action::Quit => self.quit(),
            Action::SwitchFocus => self.switch_focus(),
            Action::OpenHistory => self.open_history(),
            Action::Help => self.open_help(),
            Action::Redraw => self.effects.push(AppEffect::Redraw),
            Action::OpenOutputs => self.open_outputs(),
            Action::Retry => self.ask(Command::Retry),
            Action::CancelCall => self.ask(Command::CancelCall(None)),
            Action::Yes => {
                let target = self.focus.confirm();
                self.ask_all(target.map(Command::Revert));
            }
            Action::Rewind(extent) => {
                let command = self.focus.rewind(extent);
                self.ask_all(command);
            }
            Action::Whole => self.ask_whole(),
            Action::No => drop(self.focus.take_dialog()),
            Action::OpenTranscript => self.open_transcript(None),
            Action::Browse(key) => self.in_transcript(browse_key(key)),
            Action::OpenPalette => self.open_palette(),
        }
    }

    fn edit(&mut self, edit: Edit) {
        if !self.takes_text() {
            return;
        }
        match self.focus.dialog_mut() {
            Some(dialog) => {
                dialog.edit(edit);
                dialog.keep(&mut self.review);
            }
            None => {
                if matches!(edit, Edit::Insert(_)) {
                    self.focus.typed();
                }
                let requeues = edit == Edit::Up
                    && self.context() == Context::EmptyComposer
                    && self.status.is_ready();
                if !(requeues && self.conversation.requeue()) {
                    self.conversation.edit(edit, &self.history);
                }
            }
        }
    }

    /// Browses the transcript on the whole screen, from its end on or from where this scrolls to.
    fn open_transcript(&mut self, begins: Option<Scroll>) {
        if self.transcript.begin_browsing(begins) {
            self.focus.open_overlay(Overlay::Transcript);
        } else {
            self.status.say("Nothing was said yet");
        }
    }

    /// Tells whether keys go into the prompt.
    fn composes(&self) -> bool {
        self.takes_text() && self.focus.dialog().is_none()
    }

    fn open_outputs(&mut self) {
        if self.takes_text() && self.conversation.unfold() {
            return;
        }
        if !self.transcript.toggle_outputs() {
            self.status.say("No output is cut");
        } else if !self.fills_screen() {
            // What is in the terminal's scrollback stays as it is.
            self.open_transcript(None);
        }
    }

    /// Scrolls the transcript. Where most of it is in the terminal's scrollback, it is shown on the whole screen for that.
    fn scroll_transcript(&mut self, scroll: Scroll) {
        match scroll {
            _ if self.fills_screen() => self.transcript.scroll(scroll),
            Scroll::PageUp | Scroll::Top if self.focus.dialog().is_none() => {
                self.open_transcript(Some(scroll));
            }
            // The end is in sight.
            Scroll::PageUp
            | Scroll::Top
            | Scroll::PageDown
            | Scroll::Bottom
            | Scroll::WheelUp
            | Scroll::WheelDown => {}
        }
    }

    pub(super) fn open_help(&mut self) {
        let page = HelpPage::at(self.context());
        self.focus.open_overlay(Overlay::Help(page));
    }

    pub(super) fn review_key(&mut self, key: ReviewKey) {
        if self.review.is_stray(key) {
            self.status.say(self.stray());
            return self.focus.guard_from_now(Cause::Stray, self.now);
        }
        if matches!(key, ReviewKey::Tool(tool) if tool.jumps()) {
            // Far from what the user looked at: the next key is no answer yet.
            self.focus.guard(Cause::Rows);
        }
        self.in_review(|review| review.handle(key));
    }

    fn arrange(&mut self, key: ArrangeKey) {
        // The rows are others: what answers waits until they were read, as where letters of a word arrive.
        self.focus.guard(Cause::Rows);
        let said = self.review.arrange(key);
        self.say(said);
        let around = self.review.wants_around();
        self.query_all(around.map(Query::Around));
    }

    fn switch_focus(&mut self) {
        if !self.focus.switch(self.review.list()) {
            self.status.say("Nothing waits for review");
        }
    }

    pub(super) fn show_review(&mut self) {
        if !self.focus.show_review(self.review.list()) {
            self.status.say("Nothing waits for review");
        }
    }

    /// Shows what is known of the selected hunk.
    fn show_note(
        &mut self,
        page: impl FnOnce(HunkId) -> NotePage,
        query: impl FnOnce(HunkId) -> Query,
    ) {
        let Some(hunk) = self.review.list().selected_hunk().map(|hunk| hunk.id) else {
            return self.status.say("No hunk is selected");
        };
        self.focus.open_overlay(Overlay::Note(Box::new(page(hunk))));
        self.query(query(hunk));
    }

    /// Closes what lies above, or stops what runs.
    fn escape(&mut self) {
        if let Some(dialog) = self.focus.take_dialog() {
            return self.give_up(dialog);
        }
        if self.focus.leave_overlay() {
            return;
        }
        if self.focus.is_in_review() {
            let ended =
                self.review.drop_question() || self.review.end_lines() || self.review.end_search();
            return match self.review.awaits_answer() {
                _ if ended => {}
                Some(hunk) => self.ask(Command::CancelAsk(hunk)),
                None => self.focus.close_review(self.review.list()),
            };
        }
        if self.status.is_busy() {
            self.cancel();
        } else if !self.can_rewind() {
            self.focus.close_review(self.review.list());
        } else if self.second_press == SecondPress::Rewind {
            self.second_press = SecondPress::Same;
            self.ask(Command::Prompts);
        } else {
            self.second_press = SecondPress::Rewind;
            self.status.say("Esc again: back to an earlier prompt");
        }
    }

    /// Takes over that a question in the place of the composer was closed. A call that was to be refused asks again.
    fn give_up(&mut self, dialog: Dialog) {
        match dialog {
            Dialog::Reason { scope, .. } => self.review.draft(scope, ""),
            Dialog::Text { about, .. } => {
                let said = about.give_up(&mut self.review);
                self.say(said);
            }
            Dialog::Instead { prompt, .. } => self.focus.ask_again(*prompt),
            Dialog::Confirm { .. } | Dialog::Rewind { .. } => {}
        }
    }

    fn cancel(&mut self) {
        self.conversation.give_queue_back(&self.status);
        self.status.stopping();
        self.ask(Command::Cancel);
    }

    /// Returns whether Esc has nothing nearer to do than to go back to an earlier prompt.
    fn can_rewind(&self) -> bool {
        let is_empty = self.conversation.composer().is_empty();
        is_empty && self.status.is_ready() && !self.focus.shows_review()
    }

    /// Closes, clears or stops; the second time in a row it quits.
    fn interrupt(&mut self) {
        if self.second_press == SecondPress::Quit {
            return self.quit();
        }
        self.second_press = SecondPress::Quit;
        let closed = self.focus.close_all() | self.conversation.end_search();
        if !closed && !self.conversation.composer().is_empty() {
            self.conversation.clear();
        } else if !closed && self.status.is_busy() {
            self.cancel();
        }
        self.status.say("Press Ctrl-C again to quit");
    }
}

fn history_key(key: HistoryKey) -> fn(&mut History) -> Response {
    match key {
        HistoryKey::Previous => History::previous,
        HistoryKey::Next => History::next,
        HistoryKey::PageUp => History::page_up,
        HistoryKey::PageDown => History::page_down,
        HistoryKey::Revert => History::revert,
        HistoryKey::Only => History::only,
        HistoryKey::Redo => History::redo,
        HistoryKey::Open => History::open,
        HistoryKey::Fold => History::fold,
        HistoryKey::Show => History::show,
    }
}

fn diff_key(key: DiffPageKey) -> fn(&mut DiffPage) -> Response {
    match key {
        DiffPageKey::Down => DiffPage::go_down,
        DiffPageKey::Up => DiffPage::go_up,
        DiffPageKey::PageDown => DiffPage::page_down,
        DiffPageKey::PageUp => DiffPage::page_up,
        DiffPageKey::NextFile => DiffPage::next_file,
        DiffPageKey::PreviousFile => DiffPage::previous_file,
        DiffPageKey::Top => DiffPage::go_to_top,
        DiffPageKey::Bottom => DiffPage::go_to_bottom,
        DiffPageKey::Sides => DiffPage::toggle_sides,
    }
}

fn background_key(key: BackgroundKey) -> fn(&mut BackgroundPage) -> Response {
    match key {
        BackgroundKey::Previous => BackgroundPage::previous,
        BackgroundKey::Next => BackgroundPage::next,
        BackgroundKey::Look => BackgroundPage::look,
        BackgroundKey::Say => BackgroundPage::say,
        BackgroundKey::Stop => BackgroundPage::ask_to_stop,
        BackgroundKey::End => BackgroundPage::stop,
        BackgroundKey::Keep => BackgroundPage::keep,
    }
}

fn browse_key(key: BrowseKey) -> fn(&mut Transcript) -> Response {
    match key {
        BrowseKey::Next => Transcript::next_block,
        BrowseKey::Previous => Transcript::previous_block,
        BrowseKey::First => Transcript::first_block,
        BrowseKey::Last => Transcript::last_block,
        BrowseKey::Toggle => Transcript::toggle_block,
        BrowseKey::Copy => Transcript::copy_block,
        BrowseKey::Find => Transcript::begin_find,
        BrowseKey::NextHit => Transcript::next_hit,
        BrowseKey::PreviousHit => Transcript::previous_hit,
    }
}
