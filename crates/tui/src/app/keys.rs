//! Key handling: what a key means where it is pressed, and the part that it goes to.
//!
//! In: keys and pastes. Out: changed panes, and effects.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use signoff_core::id::HunkId;
use signoff_core::stage::review::{AfterApproval, RevertTarget};
use signoff_llm::session::{Command, Grant};

use super::dialog::Dialog;
use super::help::HelpPage;
use super::overlay::Overlay;
use super::slash::Typed;
use super::type_ahead::Cause;
use super::{App, AppEffect, CommitsRequest, Query};
use crate::app::focus::Focus;
use crate::app::keymap::{self, Binding, Context, KeyMark, RewindExtent};
use crate::composer::Edit;
use crate::composer::pasted_image::PastedImage;
use crate::response::Response;
use crate::review::note_page::NotePage;
use crate::review::sign_off::SignOffStage;
use crate::review::{ArrangeKey, ReviewKey};
use crate::row_window::Scroll;

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
    /// Enter sends a prompt that reads like a key of the review.
    Send,
}

/// Keys and pastes as they come.
impl App {
    /// Carries out what a key means where it was pressed.
    pub(super) fn on_key(&mut self, key: KeyEvent) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        self.status.hush();
        if self.leaves_empty_line(key) {
            return self.quit();
        }
        if self.focus.palette().is_some() && self.palette_key(key) {
            return;
        }
        self.review.key_pressed();
        let typed = keymap::typed(key);
        // What is searched for takes the keys while it is typed.
        let response = match self.focus.overlay_mut() {
            Some(Overlay::Transcript) => self.transcript.type_sought(key, typed),
            Some(Overlay::Help(page)) => page.type_sought(key, typed),
            _ => Response::NotMine,
        };
        if response != Response::NotMine {
            return self.respond(response);
        }
        let context = self.context();
        let wait = (self.focus).key(self.conversation.composer(), (Some(key), self.now));
        let is_text = |c| self.focus.is_meant_for_composer((context, wait), c);
        if typed.is_some_and(is_text) {
            self.focus.type_instead();
        }
        let begun = typed.and_then(|c| {
            let answers = self.keys.own(context, key).is_some_and(Binding::answers);
            self.focus
                .word_begun(context, c, wait.is_some() && !answers)
        });
        if let Some(word) = begun {
            self.focus.close_sign_off(SignOffStage::Written);
            return word.chars().for_each(|c| self.edit(Edit::Insert(c)));
        }
        if context == Context::Written && self.keys.own(context, key).is_none() {
            self.focus.close_sign_off(SignOffStage::Written);
        }
        let binding = self.keys.binding(self.context(), key);
        match (self.second_press, binding) {
            (SecondPress::Rewind, Some(key)) if key.is_row(Context::Composer, "close") => {}
            (SecondPress::Quit, Some(key)) if key.is_row(Context::Anywhere, "interrupt") => {}
            (SecondPress::Send, Some(key)) if key.is_row(Context::Composer, "send") => {}
            _ => self.second_press = SecondPress::Same,
        }
        // Whatever key it is: the user's approve may be Enter or F5. Esc refuses, and is never held back.
        let answers = binding.is_some_and(Binding::answers) && key.code != KeyCode::Esc;
        let unseen = answers && !self.focus.is_drawn(self.context(), &self.review);
        let wait = wait.or(unseen.then_some(Cause::Opened));
        if let Some(cause) = wait.filter(|_| answers) {
            return self.say_too_early(cause);
        }
        match (binding, typed) {
            (Some(binding), _) => {
                (binding.run)(self);
                self.guard_sign_off((context, binding), key);
                if let (Context::Written, Some(c)) = (context, typed) {
                    self.focus.opened_by(c);
                }
            }
            (None, Some(c)) => self.type_or_refuse(c),
            (None, None) => {}
        }
    }

    /// Tells whether a key quits in an empty composer, and a line in which nothing is typed has the keys.
    fn leaves_empty_line(&self, key: KeyEvent) -> bool {
        let own = self.keys.own(Context::EmptyComposer, key);
        own.is_some_and(|it| it.is_row(Context::EmptyComposer, "quit"))
            && self.focus.has_empty_line(self.conversation.composer())
    }

    /// Where a verdict has the key that writes on the sign-off page, the page that it opened waits for longer: the next
    /// press was meant for another hunk.
    fn guard_sign_off(&mut self, (from, pressed): (Context, &Binding), key: KeyEvent) {
        let opened = self.context() == Context::SignOff && from != Context::SignOff;
        let writes = (self.keys.own(Context::SignOff, key)).is_some_and(Binding::answers);
        if opened && writes && !pressed.is_row(Context::Review, "sign-off") {
            self.focus.guard(Cause::Opened);
        }
    }

    /// Takes keys that came faster than anybody types. Their letters are text, as those of a paste: they answer nothing.
    /// Where all of them are keys of the pane that has them, they are presses that a busy machine hands over together.
    pub(super) fn on_burst(&mut self, keys: &[KeyEvent]) {
        if self.are_held_up(keys) {
            return self.on_held_up(keys);
        }
        for key in keys {
            let typed = keymap::typed(*key).is_some();
            let binding = self.keys.binding(self.context(), *key);
            let is_of_palette = binding.is_some_and(|it| it.context == Context::Palette);
            let switches = binding.is_some_and(|it| it.id == "switch-focus");
            match self.context() {
                Context::Review
                | Context::Lines
                | Context::Permission
                | Context::HostPermission
                    if typed =>
                {
                    self.focus.type_instead();
                }
                Context::Written if typed => self.focus.close_sign_off(SignOffStage::Written),
                Context::Confirm | Context::BackgroundEnd if typed => continue,
                Context::SignOff | Context::Rewind | Context::RewindConversation => continue,
                Context::Palette if is_of_palette => continue,
                _ if switches => continue,
                // A line break or a control character of a paste, where the user made one an answer.
                _ if binding.is_some_and(Binding::answers) && !typed => continue,
                _ => {}
            }
            self.conversation.close_menu();
            self.on_key(*key);
        }
    }

    /// Tells whether keys are presses for the pane that has the keys, and not a paste.
    fn are_held_up(&self, keys: &[KeyEvent]) -> bool {
        let context = self.context();
        let is_own = |key: &KeyEvent| self.keys.own(context, *key).is_some();
        Focus::has_typing_beside(context) && !self.focus.has_just_taken() && keys.iter().all(is_own)
    }

    /// Moves by keys that were held up. Nobody saw what the others were pressed at: they do nothing, wherever they lead.
    fn on_held_up(&mut self, keys: &[KeyEvent]) {
        let context = self.context();
        let own = |key: &KeyEvent| self.keys.own(context, *key);
        let moves = |key: &&KeyEvent| own(key).is_some_and(|it| it.is(KeyMark::Moves));
        let moving: Vec<KeyEvent> = keys.iter().filter(moves).copied().collect();
        let is_all = moving.len() == keys.len();
        moving.into_iter().for_each(|key| self.on_key(key));
        if !is_all {
            self.focus.guard_from_now(Cause::Rows, self.now);
            self.say_too_early(Cause::Rows);
        }
    }

    /// Puts pasted text where text can be typed; a paste is never taken for keys.
    pub(super) fn on_paste(&mut self, text: &str) {
        self.status.hush();
        self.second_press = SecondPress::Same;
        (self.focus).key(self.conversation.composer(), (None, self.now));
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
        (self.focus).key(self.conversation.composer(), (None, self.now));
        self.focus.close_overlay();
        self.focus.type_instead();
        (self.conversation).paste_image(image, &self.history);
    }

    fn type_or_refuse(&mut self, c: char) {
        match self.context() {
            Context::Review | Context::Lines | Context::Permission | Context::HostPermission => {
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
    pub(super) fn press_button(&mut self, button: &Binding) {
        self.status.hush();
        self.second_press = SecondPress::Same;
        self.review.key_pressed();
        let sends = button.id == "send" && self.focus.dialog().is_none();
        if sends && !matches!(self.conversation.read(), Typed::Prompt(_)) {
            let send = self.keys.name(Context::Composer, "send");
            return self
                .status
                .say(format!("A click sends prompts only: {send} does a command"));
        }
        (button.run)(self);
    }

    /// Moves through what lies above, else through the transcript.
    pub(super) fn scroll(&mut self, scroll: Scroll) {
        if !self.focus.scroll(scroll) {
            self.scroll_transcript(scroll);
        }
    }

    /// Writes what the sign-off page says; nothing is chosen for the model unless it is here.
    pub(super) fn write(&mut self, after: Option<AfterApproval>) {
        let response = (self.focus).sign_off(after, &mut self.review, &self.history);
        self.respond(response);
    }

    pub(super) fn answer_permission(&mut self, grant: Grant) {
        let command = self.focus.answer_permission(grant, &mut self.status);
        self.ask_all(command);
    }

    /// Takes the choice in the list above the composer.
    pub(super) fn take_choice(&mut self) {
        if let Some(command) = self.conversation.take_listed() {
            self.ask(command);
        } else if self.conversation.take_choice(&self.history) {
            self.send();
        }
    }

    pub(super) fn go_to_next_mode(&mut self) {
        self.ask(Command::SetMode(self.status.conversation().mode.next()));
    }

    pub(super) fn search_prompts(&mut self) {
        if self.composes() {
            self.conversation.search_prompts();
        }
    }

    /// Edits the prompt in the user's editor.
    pub(super) fn edit_prompt(&mut self) {
        if self.composes() {
            let text = self.conversation.text_to_edit();
            self.effects.push(AppEffect::EditPrompt(text));
        }
    }

    pub(super) fn unqueue(&mut self) {
        self.status.say(self.conversation.unqueue());
    }

    /// Has what is asked about taken back.
    pub(super) fn confirm(&mut self) {
        let Some(target) = self.focus.confirm() else {
            return;
        };
        match (self.history.commit_of(&target), &target) {
            (Some(id), RevertTarget::Redo { .. }) => {
                self.ask_commits(CommitsRequest::MakeAgain(id));
            }
            (Some(id), _) => self.ask_commits(CommitsRequest::TakeBack(id)),
            (None, _) => self.ask(Command::Revert(target)),
        }
    }

    /// Goes back to an earlier prompt.
    pub(super) fn rewind(&mut self, extent: RewindExtent) {
        let command = self.focus.rewind(extent);
        self.ask_all(command);
    }

    /// Edits what is typed: in the palette, a dialog or the prompt.
    pub(super) fn edit(&mut self, edit: Edit) {
        if self.focus.edit_palette(edit) || !self.takes_text() {
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
    pub(super) fn open_transcript(&mut self, begins: Option<Scroll>) {
        if self.transcript.begin_browsing(begins) {
            self.focus.open_overlay(Overlay::Transcript);
        } else {
            self.status.say("Nothing was said yet");
        }
    }

    /// Tells whether keys go into the prompt.
    pub(crate) fn composes(&self) -> bool {
        self.takes_text() && self.focus.dialog().is_none()
    }

    pub(super) fn open_outputs(&mut self) {
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

    /// Searches the help, if that is open.
    pub(super) fn find_in_help(&mut self) {
        if let Some(Overlay::Help(page)) = self.focus.overlay_mut() {
            page.find();
        }
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

    pub(super) fn arrange(&mut self, key: ArrangeKey) {
        // The rows are others: what answers waits until they were read, as where letters of a word arrive.
        self.focus.guard(Cause::Rows);
        let said = self.review.arrange(key);
        self.say(said);
        let around = self.review.wants_around();
        self.query_all(around.map(Query::Around));
    }

    pub(super) fn switch_focus(&mut self) {
        if !self.focus.switch(self.review.list()) {
            self.look_for_review();
        }
    }

    pub(super) fn show_review(&mut self) {
        if !self.focus.show_review(self.review.list()) {
            self.look_for_review();
        }
    }

    /// Asks what waits: another process may have staged something.
    fn look_for_review(&mut self) {
        self.focus.want_review();
        self.ask(Command::Review);
    }

    /// Shows what is known of the selected hunk.
    pub(super) fn show_note(
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

    /// Shows how the selected hunk was placed.
    pub(super) fn open_placement_note(&mut self) {
        self.show_note(
            |hunk| NotePage::placement(hunk.proposal),
            |hunk| Query::Placement(hunk.proposal),
        );
    }

    /// Closes what lies above, or stops what runs.
    pub(super) fn escape(&mut self) {
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
            Dialog::Text { about, .. } => {
                let said = about.give_up(&mut self.review);
                self.say(said);
            }
            Dialog::Instead { prompt, .. } => self.focus.ask_again(*prompt),
            // A reason is kept as it is typed, and offered again.
            Dialog::Reason { .. } | Dialog::Confirm { .. } | Dialog::Rewind { .. } => {}
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
    pub(super) fn interrupt(&mut self) {
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
