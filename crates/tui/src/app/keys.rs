//! Key handling.
//!
//! In: keys and pastes. Out: changed panes, and commands for the session.

use ratatui::crossterm::event::{KeyEvent, KeyEventKind};
use signoff_core::engine::LinesAround;
use signoff_core::id::HunkId;
use signoff_llm::session::Command;

use super::changes::ChangesOutcome;
use super::conversation::Queued;
use super::dialog::Dialog;
use super::focus::PermissionOutcome;
use super::help::HelpPage;
use super::overlay::Overlay;
use super::review_text::{ReviewText, ReviewTextOutcome};
use super::slash::{self, Typed};
use super::type_ahead::Cause;
use super::{App, Exit, Handover, notes};
use crate::composer::Edit;
use crate::keymap::{self, Action, Context};
use crate::review::note_page::NotePage;
use crate::review::sign_off::SignOffStage;
use crate::review::{ArrangeKey, Manuscript, Outcome, ReviewKey};
use crate::transcript::{BrowseOutcome, Scroll};

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

/// What is said of a letter that means nothing in the review.
const STRAY: &str = "Tab to type";

/// Returns what is said of a key that came too early to be an answer.
fn too_early(cause: Cause) -> &'static str {
    match cause {
        Cause::Opened => "Just opened: press the key again in a moment",
        Cause::Question => "Just asked: read, then press the key again",
        Cause::Rows => "Just shown: read, then press the key again",
        Cause::Stray => STRAY,
    }
}

impl App {
    /// Carries out what a key means where it was pressed.
    pub(super) fn on_key(&mut self, key: KeyEvent) -> Vec<Command> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        self.status.hush();
        self.review.key_pressed();
        let typed = keymap::typed(key);
        if self.type_sought(key, typed) {
            return Vec::new();
        }
        let context = self.context();
        let wait = self.focus.key(&self.composer, self.now);
        let is_text = |c| {
            self.focus
                .is_meant_for_composer((context, wait), c, &self.review)
        };
        if typed.is_some_and(is_text) {
            self.focus.type_instead();
        }
        if context == Context::Written && !keymap::binds(context, key) {
            self.focus.close_sign_off(SignOffStage::Written);
        }
        let action = keymap::action(self.context(), key);
        match (self.second_press, action) {
            (SecondPress::Rewind, Some(Action::Escape))
            | (SecondPress::Quit, Some(Action::Interrupt)) => {}
            _ => self.second_press = SecondPress::Same,
        }
        let answers = action.is_some_and(Action::answers) && action != Some(Action::Escape);
        match (wait, typed) {
            (Some(Cause::Stray), Some(_)) if self.focus.is_guarded(&self.composer) => {
                self.status.say(STRAY);
                return Vec::new();
            }
            (Some(cause), _)
                if answers && (typed.is_some() || action.is_some_and(Action::is_entered)) =>
            {
                self.status.say(too_early(cause));
                return Vec::new();
            }
            _ => {}
        }
        match (action, typed) {
            (Some(action), _) => self.act(action),
            (None, Some(c)) => {
                self.type_or_refuse(c);
                Vec::new()
            }
            (None, None) => Vec::new(),
        }
    }

    /// Takes keys that came faster than anybody types. Their letters are text, as those of a paste:
    /// they answer nothing.
    pub(super) fn on_burst(&mut self, keys: &[KeyEvent]) -> Vec<Command> {
        let mut commands = Vec::new();
        for key in keys {
            let typed = keymap::typed(*key).is_some();
            match self.context() {
                Context::Review | Context::Lines | Context::Permission if typed => {
                    self.focus.type_instead();
                }
                Context::Confirm if typed => continue,
                Context::SignOff => continue,
                context if keymap::action(context, *key) == Some(Action::SwitchFocus) => continue,
                _ => {}
            }
            self.composer.offer(None);
            commands.extend(self.on_key(*key));
        }
        commands
    }

    /// Puts pasted text where text can be typed; a paste is never taken for keys.
    pub(super) fn on_paste(&mut self, text: &str) {
        self.status.hush();
        self.second_press = SecondPress::Same;
        self.focus.key(&self.composer, self.now);
        match self.focus.dialog_mut() {
            Some(dialog) => {
                dialog.paste(text);
                dialog.keep(&mut self.review);
            }
            None => {
                self.focus.close_overlay();
                self.focus.type_instead();
                self.composer.paste_folded(text);
                self.complete();
            }
        }
    }

    fn type_or_refuse(&mut self, c: char) {
        match self.context() {
            Context::Review | Context::Lines | Context::Permission => {
                self.status.say(STRAY);
                self.focus.guard_from_now(Cause::Stray, self.now);
            }
            Context::SignOff => {
                self.status.say("Enter writes, Esc goes back");
                self.focus.guard_from_now(Cause::Stray, self.now);
            }
            _ => self.edit(Edit::Insert(c)),
        }
    }

    pub(super) fn act(&mut self, action: Action) -> Vec<Command> {
        match action {
            Action::Edit(edit) => self.edit(edit),
            Action::Scroll(scroll) => self.scroll(scroll),
            Action::Review(key) => return self.review_key(key),
            Action::Arrange(key) => return self.arrange(key),
            Action::History(key) => {
                let outcome = self.changes.handle(key);
                return self.on_changes(outcome);
            }
            Action::Diff(key) => {
                let overlay = self.focus.overlay_mut();
                if let Some(said) = overlay.and_then(|overlay| overlay.diff_key(key)) {
                    self.status.say(said);
                }
            }
            Action::Place(choice) => {
                if let Some(page) = self.focus.overlay().and_then(Overlay::places) {
                    let outcome = self.changes.choose_place(page, choice);
                    return self.on_changes(outcome);
                }
            }
            Action::Blame => return self.show_note(NotePage::blame),
            Action::Placement => return self.show_note(|hunk| NotePage::placement(hunk.proposal)),
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
            Action::Menu(key) => return self.menu_key(key),
            Action::SearchPrompts => self.search_prompts(),
            Action::EditPrompt => self.edit_prompt(),
            Action::Suspend => self.outgoing.hand_over(Handover::Stop),
            Action::Unqueue => self.unqueue(),
            Action::Send => return self.send(),
            Action::Escape => return self.escape(),
            Action::Interrupt => return self.interrupt(),
            Action::Quit => self.outgoing.end(Exit::Left),
            Action::SwitchFocus => self.switch_focus(),
            Action::OpenHistory => return self.open_history(),
            Action::Help => self.open_help(),
            Action::Redraw => self.outgoing.redraw(),
            Action::OpenOutputs => self.open_outputs(),
            Action::Retry => return vec![Command::Retry],
            Action::CancelCall => return vec![Command::CancelCall(None)],
            Action::Yes => {
                let target = self.focus.confirm();
                return target.map(Command::Revert).into_iter().collect();
            }
            Action::Whole => {
                if let Some(changeset) = self.focus.dialog().and_then(Dialog::whole) {
                    return self.on_changes(self.changes.ask_whole(changeset));
                }
            }
            Action::No => drop(self.focus.take_dialog()),
            Action::OpenTranscript => self.open_transcript(),
            Action::Browse(key) => {
                let outcome = self.transcript.browse(key);
                self.browsed(outcome);
            }
        }
        Vec::new()
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
                if edit == Edit::Up && self.requeue() {
                    return;
                }
                self.composer.edit(edit);
                if !matches!(edit, Edit::Up | Edit::Down) {
                    self.complete();
                }
            }
        }
    }

    fn scroll(&mut self, scroll: Scroll) {
        if !self.focus.scroll(scroll) {
            self.transcript.scroll(scroll);
        }
    }

    /// Takes a key while what to look for in the transcript is typed; false if that is not so.
    fn type_sought(&mut self, key: KeyEvent, typed: Option<char>) -> bool {
        if !matches!(self.focus.overlay(), Some(Overlay::Transcript)) {
            return false;
        }
        match self.transcript.type_sought(key, typed) {
            Some(outcome) => {
                self.browsed(outcome);
                true
            }
            None => false,
        }
    }

    fn browsed(&mut self, outcome: BrowseOutcome) {
        match outcome {
            BrowseOutcome::Handled => {}
            BrowseOutcome::Copy(text) => self.status.say(self.outgoing.copy(text)),
            BrowseOutcome::Say(line) => self.status.say(line),
        }
    }

    fn open_transcript(&mut self) {
        if self.transcript.begin_browsing() {
            self.focus.open_overlay(Overlay::Transcript);
        } else {
            self.status.say("Nothing was said yet");
        }
    }

    fn open_outputs(&mut self) {
        if self.takes_text() && self.composer.unfold() {
            return;
        }
        if !self.transcript.toggle_outputs() {
            self.status.say("No output is cut");
        }
    }

    pub(super) fn open_help(&mut self) {
        let page = HelpPage::at(self.context());
        self.focus.open_overlay(Overlay::Help(page));
    }

    pub(super) fn review_key(&mut self, key: ReviewKey) -> Vec<Command> {
        if self.review.is_stray(key) {
            self.status.say(STRAY);
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

    fn arrange(&mut self, key: ArrangeKey) -> Vec<Command> {
        // The rows are others: what answers waits until they were read, as where letters of a word arrive.
        self.focus.guard(Cause::Rows);
        if let Some(said) = self.review.arrange(key) {
            self.status.say(said);
        }
        let around = self.review.wants_around();
        let around = around.map(|request| Command::ShowAround(Box::new(request)));
        around.into_iter().collect()
    }

    /// Takes over lines around a hunk.
    pub(super) fn on_lines_around(&mut self, lines: LinesAround) {
        if let Some(said) = self.review.around(lines) {
            self.status.say(said);
        }
    }

    fn reviewed(&mut self, outcome: Outcome) -> Vec<Command> {
        if self.review.question().is_some() {
            self.focus.guard(Cause::Question);
        }
        self.follow_up(outcome)
    }

    pub(super) fn follow_up(&mut self, outcome: Outcome) -> Vec<Command> {
        match outcome {
            Outcome::Handled => {}
            Outcome::Decide(rulings) => {
                let after = self.review.take_after().map(Command::AfterApproval);
                return after
                    .into_iter()
                    .chain([Command::Decide(rulings)])
                    .collect();
            }
            Outcome::SignOff => self.focus.open_sign_off(&mut self.review),
            Outcome::AskReason(scope) => self.focus.ask(Dialog::denial(scope, &self.review)),
            Outcome::AskQuestion(hunk) => self.ask_for(ReviewText::Question(hunk)),
            Outcome::AskComment(hunk) => self.ask_for(ReviewText::Comment(hunk)),
            Outcome::AskLineComment(hunk, line) => {
                self.ask_for(ReviewText::LineComment(hunk, line));
            }
            Outcome::AskQuery => self.ask_for(ReviewText::Search),
            Outcome::Edit(manuscript) => self.outgoing.hand_over(Handover::Hunk(manuscript)),
            Outcome::EditInPlace { hunk, outdated } => {
                // What was begun before the hunk changed is kept in the transcript.
                if let Some(Manuscript { path, text, .. }) = outdated {
                    self.transcript.remark(notes::not_edited(&path, &text));
                }
                self.ask_for(ReviewText::NewText(hunk));
            }
            Outcome::Copy(text) => self.status.say(self.outgoing.copy(text)),
            Outcome::Open(place) => self.outgoing.hand_over(Handover::Place(place)),
            Outcome::Say(line) => self.status.say(line),
        }
        Vec::new()
    }

    /// Takes over what the user's editor left of a text, or why there is nothing.
    pub(crate) fn edited(
        &mut self,
        manuscript: &Manuscript,
        text: Result<String, String>,
    ) -> Vec<Command> {
        self.outgoing.redraw();
        let told = match text {
            Ok(text) => match self.review.edited(manuscript, text.clone()) {
                Some(outcome) => return self.follow_up(outcome),
                None => notes::not_edited(&manuscript.path, &text),
            },
            Err(why) => notes::info(&why),
        };
        self.transcript.remark(told);
        Vec::new()
    }

    /// Asks for a text about the review.
    fn ask_for(&mut self, about: ReviewText) {
        self.focus.ask(Dialog::text(about, &self.review));
    }

    /// Does what a text about the review comes to.
    fn on_review_text(&mut self, outcome: ReviewTextOutcome) -> Vec<Command> {
        match outcome {
            ReviewTextOutcome::Handled => {}
            ReviewTextOutcome::Command(command) => return vec![command],
            ReviewTextOutcome::NotAsked(text) => self.give_question_back(&text),
            ReviewTextOutcome::Edited(manuscript, text) => {
                return self.edited(&manuscript, Ok(text));
            }
            ReviewTextOutcome::Slash(command) => return self.slash(command),
            ReviewTextOutcome::Answer(line) => self.answer(&line),
        }
        Vec::new()
    }

    /// Puts a question about a hunk that is gone where it can be sent as a prompt.
    fn give_question_back(&mut self, text: &str) {
        if self.composer.is_empty() {
            self.composer.set(text);
            self.status
                .say("The hunk does not wait any more: the question is in the composer");
        } else {
            let line = format!("Not asked, since the hunk does not wait any more: {text}");
            self.transcript.remark(notes::info(&line));
        }
    }

    pub(super) fn send(&mut self) -> Vec<Command> {
        self.composer.offer(None);
        match self.focus.take_dialog() {
            Some(Dialog::Reason { scope, mut line }) => {
                let reason = line.take().trim().to_owned();
                self.review.draft(scope, "");
                let outcome = self
                    .review
                    .deny(scope, (!reason.is_empty()).then_some(reason));
                return self.follow_up(outcome);
            }
            Some(Dialog::Text { about, mut line }) => {
                let outcome = about.enter(&line.take(), &mut self.review);
                return self.on_review_text(outcome);
            }
            Some(Dialog::Instead { prompt, mut line }) => {
                let answer = self.focus.refuse(*prompt, line.take().trim());
                return answer.into_iter().collect();
            }
            Some(dialog @ Dialog::Confirm { .. }) => self.focus.ask(dialog),
            None => {}
        }
        match slash::read(&self.composer.text()) {
            Typed::Nothing => Vec::new(),
            Typed::Answer(line) => {
                self.answer(&line);
                Vec::new()
            }
            Typed::Prompt(prompt) => {
                self.composer.take();
                let prompt = Queued::Prompt(prompt);
                (self.conversation).submit(prompt, &mut self.status, self.now)
            }
            Typed::Run(line) => {
                self.composer.take();
                (self.conversation).submit(Queued::Run(line), &mut self.status, self.now)
            }
            Typed::Slash(command) => {
                self.composer.take();
                self.slash(command)
            }
        }
    }

    pub(super) fn show_review(&mut self) {
        if !self.focus.show_review(self.review.list()) {
            self.status.say("Nothing waits for review");
        }
    }

    fn switch_focus(&mut self) {
        if !self.focus.switch(self.review.list()) {
            self.status.say("Nothing waits for review");
        }
    }

    pub(super) fn open_history(&mut self) -> Vec<Command> {
        let overlay = self.changes.open_history();
        self.focus.open_overlay(overlay);
        vec![Command::History]
    }

    pub(super) fn revert_last(&mut self, path: Option<&str>) -> Vec<Command> {
        let selected = self.review.list().selected_path();
        self.on_changes(self.changes.ask_revert(path, selected))
    }

    /// Shows what is known of the selected hunk.
    fn show_note(&mut self, page: impl FnOnce(HunkId) -> NotePage) -> Vec<Command> {
        let Some(hunk) = self.review.list().selected_hunk() else {
            self.status.say("No hunk is selected");
            return Vec::new();
        };
        let page = page(hunk.id);
        let query = page.query();
        self.focus.open_overlay(Overlay::Note(Box::new(page)));
        vec![Command::Query(query)]
    }

    /// Does what a key or a command about changes comes to.
    pub(super) fn on_changes(&mut self, outcome: ChangesOutcome) -> Vec<Command> {
        match outcome {
            ChangesOutcome::Handled => {}
            ChangesOutcome::Say(line) => self.status.say(line),
            ChangesOutcome::AwaitHistory => {
                self.status.say("The history has not arrived yet");
                return vec![Command::History];
            }
            // What would change is shown with the question.
            ChangesOutcome::Ask(question) => {
                let target = question.target.clone();
                self.focus.ask_revert(question);
                return vec![Command::PreviewRevert(target)];
            }
            ChangesOutcome::Show(overlay) => self.focus.open_overlay(overlay),
            ChangesOutcome::Place(command) => {
                self.focus.close_overlay();
                return vec![command];
            }
        }
        Vec::new()
    }
}
