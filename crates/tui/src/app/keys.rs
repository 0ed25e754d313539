//! Key handling: what a key means where it is pressed, and the part that it goes to.
//!
//! In: keys and pastes. Out: changed panes, and commands for the session.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use signoff_core::id::HunkId;
use signoff_llm::session::Command;

use super::conversation::MenuOutcome;
use super::dialog::Dialog;
use super::focus::{Escaped, PermissionOutcome};
use super::help::HelpPage;
use super::overlay::Overlay;
use super::slash::Typed;
use super::type_ahead::Cause;
use super::{App, Exit, Handover, Query};
use crate::background_page::{BackgroundKey, BackgroundOutcome};
use crate::composer::Edit;
use crate::keymap::{self, Action, Context};
use crate::pasted_image::PastedImage;
use crate::review::note_page::NotePage;
use crate::review::sign_off::SignOffStage;
use crate::review::{ArrangeKey, ReviewKey};
use crate::transcript::Scroll;

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
    pub(super) fn on_key(&mut self, key: KeyEvent) -> Vec<Command> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        self.status.hush();
        let below = (self.conversation.composer(), &self.review);
        if let Some(outcome) = self.focus.palette_key(key, (&self.keys, self.now), below) {
            return self.on_palette(outcome);
        }
        self.review.key_pressed();
        let typed = keymap::typed(key);
        // What to look for in the transcript takes the keys while it is typed.
        if matches!(self.focus.overlay(), Some(Overlay::Transcript))
            && let Some(outcome) = self.transcript.type_sought(key, typed)
        {
            self.browsed(outcome);
            return Vec::new();
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
                self.status.say(self.stray());
                return Vec::new();
            }
            (Some(cause), _) if answers => {
                self.say_too_early(cause);
                return Vec::new();
            }
            _ => {}
        }
        match (action, typed) {
            (Some(action), _) => {
                let commands = self.act(action);
                self.guard_sign_off((context, action), key);
                commands
            }
            (None, Some(c)) => {
                self.type_or_refuse(c);
                Vec::new()
            }
            (None, None) => Vec::new(),
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
    pub(super) fn on_burst(&mut self, keys: &[KeyEvent]) -> Vec<Command> {
        let mut commands = Vec::new();
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
            commands.extend(self.on_key(*key));
        }
        commands
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
                self.conversation.paste(text, &self.changes.history);
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
        (self.conversation).paste_image(image, &self.changes.history);
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
    pub(super) fn press_button(&mut self, action: Action) -> Vec<Command> {
        self.status.hush();
        self.second_press = SecondPress::Same;
        self.review.key_pressed();
        let sends = action == Action::Send && self.focus.dialog().is_none();
        if sends && !matches!(self.conversation.read(), Typed::Prompt(_)) {
            let send = self.keys.name(Context::Composer, "send");
            self.status
                .say(format!("A click sends prompts only: {send} does a command"));
            return Vec::new();
        }
        self.act(action)
    }

    /// Does what a key means.
    pub(super) fn act(&mut self, action: Action) -> Vec<Command> {
        match action {
            Action::Edit(edit) => self.edit(edit),
            Action::Scroll(scroll) => {
                if !self.focus.scroll(scroll) {
                    self.scroll_transcript(scroll);
                }
            }
            Action::Review(key) => return self.review_key(key),
            Action::Arrange(key) => self.arrange(key),
            Action::History(key) => {
                let outcome = self.changes.handle(key);
                return self.on_changes(outcome);
            }
            Action::Diff(key) => {
                let overlay = self.focus.overlay_mut();
                let said = overlay.and_then(|overlay| overlay.diff_key(key));
                self.say(said);
            }
            Action::Place(choice) => {
                if let Some(page) = self.focus.overlay().and_then(Overlay::places) {
                    let outcome = self.changes.choose_place(page, choice);
                    return self.on_changes(outcome);
                }
            }
            Action::Background(key) => self.background_key(key),
            Action::Blame => self.show_note(NotePage::blame, Query::Blame),
            Action::Placement => self.show_note(
                |hunk| NotePage::placement(hunk.proposal),
                |hunk| Query::Placement(hunk.proposal),
            ),
            Action::Permission(key) => match self.focus.answer_permission(key) {
                PermissionOutcome::Handled => {}
                PermissionOutcome::Say(line) => self.status.say(line),
                PermissionOutcome::Permit(command) => return vec![command],
            },
            Action::RevertLast => return self.revert_last(None),
            Action::Undo => return self.on_changes(self.changes.ask_undo()),
            Action::ApproveAnd(after) => {
                let outcome = self.review.approve_and(after);
                return self.reviewed(outcome);
            }
            Action::Write(after) => {
                let outcome = self.focus.sign_off(after, &mut self.review);
                return self.follow_up(outcome);
            }
            Action::NextMode => return vec![Command::SetMode(self.conversation.mode.next())],
            Action::Menu(key) => match self.conversation.menu_key(key, &self.changes.history) {
                MenuOutcome::Handled => {}
                MenuOutcome::Send => return self.send(),
                MenuOutcome::Command(command) => return vec![command],
            },
            Action::SearchPrompts if self.composes() => self.conversation.search_prompts(),
            Action::EditPrompt if self.composes() => {
                let text = self.conversation.text_to_edit();
                self.outgoing.hand_over(Handover::Prompt(text));
            }
            Action::SearchPrompts | Action::EditPrompt => {}
            Action::Suspend => self.outgoing.hand_over(Handover::Stop),
            Action::Unqueue => self.status.say(self.conversation.unqueue()),
            Action::Send => return self.send(),
            Action::Escape => return self.escape(),
            Action::Interrupt => return self.interrupt(),
            Action::Quit => self.outgoing.end(Exit::Left),
            Action::SwitchFocus => self.switch_focus(),
            Action::OpenHistory => self.open_history(),
            Action::Help => self.open_help(),
            Action::Redraw => self.outgoing.redraw(),
            Action::OpenOutputs => self.open_outputs(),
            Action::Retry => return vec![Command::Retry],
            Action::CancelCall => return vec![Command::CancelCall(None)],
            Action::Yes => {
                let target = self.focus.confirm();
                return target.map(Command::Revert).into_iter().collect();
            }
            Action::Rewind(extent) => {
                let prompt = self.focus.rewind(extent);
                let rewind = prompt.map(|prompt| Command::Rewind { prompt, extent });
                return rewind.into_iter().collect();
            }
            Action::Whole => {
                if let Some(changeset) = self.focus.dialog().and_then(Dialog::whole) {
                    return self.on_changes(self.changes.ask_whole(changeset));
                }
            }
            Action::No => drop(self.focus.take_dialog()),
            Action::OpenTranscript => self.open_transcript(None),
            Action::Browse(key) => {
                let outcome = self.transcript.browse(key);
                self.browsed(outcome);
            }
            Action::OpenPalette => self.open_palette(),
        }
        Vec::new()
    }

    fn background_key(&mut self, key: BackgroundKey) {
        let overlay = self.focus.overlay_mut();
        let Some(page) = overlay.and_then(Overlay::background_mut) else {
            return;
        };
        match page.handle(key) {
            BackgroundOutcome::Handled => {}
            BackgroundOutcome::Ask(request) => self.outgoing.ask_background(request),
            BackgroundOutcome::Type(id) => {
                let command = format!("/bg say {id} ");
                self.begin_typing(&command);
            }
            BackgroundOutcome::Asked => self.focus.guard(Cause::Question),
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
                    self.conversation.edit(edit, &self.changes.history);
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

    pub(super) fn review_key(&mut self, key: ReviewKey) -> Vec<Command> {
        if self.review.is_stray(key) {
            self.status.say(self.stray());
            self.focus.guard_from_now(Cause::Stray, self.now);
            return Vec::new();
        }
        let outcome = self.review.handle(key);
        if matches!(key, ReviewKey::Tool(tool) if tool.jumps()) {
            // Far from what the user looked at: the next key is no answer yet.
            self.focus.guard(Cause::Rows);
        }
        self.reviewed(outcome)
    }

    fn arrange(&mut self, key: ArrangeKey) {
        // The rows are others: what answers waits until they were read, as where letters of a word arrive.
        self.focus.guard(Cause::Rows);
        let said = self.review.arrange(key);
        self.say(said);
        self.outgoing
            .ask(self.review.wants_around().map(Query::Around));
    }

    fn switch_focus(&mut self) {
        if !self.focus.switch(self.review.list()) {
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
            self.status.say("No hunk is selected");
            return;
        };
        self.focus.open_overlay(Overlay::Note(Box::new(page(hunk))));
        self.outgoing.ask([query(hunk)]);
    }

    /// Closes what lies above, or stops what runs.
    fn escape(&mut self) -> Vec<Command> {
        match self.focus.escape() {
            Escaped::Reason(scope) => self.review.draft(scope, ""),
            Escaped::Text(about) => {
                let said = about.give_up(&mut self.review);
                self.say(said);
            }
            Escaped::Above => {}
            Escaped::Review if self.review.drop_question() => {}
            Escaped::Review if self.review.end_lines() => {}
            Escaped::Review if self.review.end_search() => {}
            Escaped::Review if let Some(hunk) = self.review.awaits_answer() => {
                return vec![Command::CancelAsk(hunk)];
            }
            Escaped::Composer if self.status.is_busy() => return self.cancel(),
            Escaped::Composer if self.can_rewind() => {
                if self.second_press == SecondPress::Rewind {
                    self.second_press = SecondPress::Same;
                    return vec![Command::Prompts];
                }
                self.second_press = SecondPress::Rewind;
                self.status.say("Esc again: back to an earlier prompt");
            }
            Escaped::Review | Escaped::Composer => self.focus.close_review(self.review.list()),
        }
        Vec::new()
    }

    fn cancel(&mut self) -> Vec<Command> {
        self.conversation.give_queue_back(&self.status);
        self.status.stopping();
        vec![Command::Cancel]
    }

    /// Returns whether Esc has nothing nearer to do than to go back to an earlier prompt.
    fn can_rewind(&self) -> bool {
        let is_empty = self.conversation.composer().is_empty();
        is_empty && self.status.is_ready() && !self.focus.shows_review()
    }

    /// Closes, clears or stops; the second time in a row it quits.
    fn interrupt(&mut self) -> Vec<Command> {
        if self.second_press == SecondPress::Quit {
            self.outgoing.end(Exit::Left);
            return Vec::new();
        }
        self.second_press = SecondPress::Quit;
        let mut commands = Vec::new();
        let closed = self.focus.close_all() | self.conversation.end_search();
        if !closed && !self.conversation.composer().is_empty() {
            self.conversation.clear();
        } else if !closed && self.status.is_busy() {
            commands = self.cancel();
        }
        self.status.say("Press Ctrl-C again to quit");
        commands
    }
}
