//! Key handling.
//!
//! In: keys and pastes. Out: changed panes, and commands for the session.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use signoff_core::engine::LinesAround;
use signoff_llm::session::Command;

use super::conversation::Queued;
use super::dialog::{Dialog, Overlay, ReviewText};
use super::help::HelpPage;
use super::slash::{self, Typed};
use super::type_ahead::Cause;
use super::{App, Exit, Handover, notes};
use crate::composer::Edit;
use crate::keymap::{self, Action, Context};
use crate::review::history::RevertQuestion;
use crate::review::sign_off::SignOffStage;
use crate::review::{ArrangeKey, Manuscript, Outcome, ReviewKey};
use crate::transcript::Scroll;

impl App {
    /// Returns what is said of a letter that means nothing in the review.
    fn stray(&self) -> String {
        let context = match self.context() {
            Context::Permission => Context::Permission,
            _ => Context::Review,
        };
        format!("{} to type", self.keys.name(context, Action::SwitchFocus))
    }

    /// Says of a key that it came too early to be an answer.
    pub(super) fn say_too_early(&mut self, cause: Cause) {
        let said = match cause {
            Cause::Opened => "Just opened: press the key again in a moment".to_owned(),
            Cause::Question => "Just asked: read, then press the key again".to_owned(),
            Cause::Rows => "Just shown: read, then press the key again".to_owned(),
            Cause::Stray => self.stray(),
        };
        self.status.say(said);
    }

    /// Carries out what a key means where it was pressed.
    pub(super) fn on_key(&mut self, key: KeyEvent) -> Vec<Command> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        self.status.hush();
        if let Some(commands) = self.palette_key(key) {
            return commands;
        }
        self.review.key_pressed();
        if self.type_sought(key) {
            return Vec::new();
        }
        let typed = keymap::typed(key);
        let context = self.context();
        let wait = self.focus.key(&self.composer, self.now);
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
        if action != Some(Action::Interrupt) {
            self.leaving = false;
        }
        if action != Some(Action::Escape) {
            self.escaped = false;
        }
        // Whatever key it is: the user's approve may be Enter or F5. Esc refuses, and is never held back.
        let answers = action.is_some_and(Action::answers) && key.code != KeyCode::Esc;
        let unseen = answers && typed.is_none() && !self.focus.is_drawn(context, &self.review);
        let wait = wait.or(unseen.then_some(Cause::Opened));
        match (wait, typed) {
            (Some(Cause::Stray), Some(_)) if self.focus.is_guarded(&self.composer) => {
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
                Context::Confirm if typed => continue,
                Context::SignOff => continue,
                Context::Palette if matches!(action, Some(Action::Menu(_))) => continue,
                _ if action == Some(Action::SwitchFocus) => continue,
                // A line break or a control character of a paste, where the user made one an answer.
                _ if action.is_some_and(Action::answers) && !typed => continue,
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
        self.leaving = false;
        self.focus.key(&self.composer, self.now);
        if self.palette_paste(text) {
            return;
        }
        let has_lines = self.focus.dialog().is_some_and(Dialog::has_lines);
        match self.focus.dialog_mut().map(Dialog::line) {
            Some(Some(line)) if has_lines => {
                line.paste(text);
                self.keep_draft();
            }
            Some(Some(line)) => {
                line.paste(&text.replace(['\n', '\r'], " "));
                self.keep_draft();
            }
            Some(None) => {}
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
                self.status.say(self.stray());
                self.focus.guard_from_now(Cause::Stray, self.now);
            }
            Context::SignOff => {
                let write = self.keys.name(Context::SignOff, Action::Write(None));
                self.status.say(format!("{write} writes, Esc goes back"));
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
                let outcome = self.history.handle(key);
                return self.on_history_outcome(outcome);
            }
            Action::Diff(key) => self.diff_key(key),
            Action::Place(choice) => return self.choose_place(choice),
            Action::Blame => return self.show_blame(),
            Action::Placement => return self.show_placement(),
            Action::Permission(key) => return self.answer_permission(key),
            Action::RevertLast => return self.revert_last(None),
            Action::Undo => return self.ask_of_history(self.history.ask_undo()),
            Action::ApproveAnd(after) => {
                let outcome = self.review.approve_and(after);
                return self.reviewed(outcome);
            }
            Action::Write(after) => return self.write(after),
            Action::NextMode => return vec![Command::SetMode(self.conversation.mode.next())],
            Action::Menu(key) => return self.menu_key(key),
            Action::SearchPrompts => self.search_prompts(),
            Action::EditPrompt => self.edit_prompt(),
            Action::Suspend => self.handover = Some(Handover::Stop),
            Action::Unqueue => self.unqueue(),
            Action::Send => return self.send(),
            Action::Escape => return self.escape(),
            Action::Interrupt => return self.interrupt(),
            Action::Quit => self.exit = Some(Exit::Left),
            Action::SwitchFocus => self.switch_focus(),
            Action::OpenHistory => return self.open_history(),
            Action::Help => self.open_help(),
            Action::Redraw => self.redraw = true,
            Action::OpenOutputs => self.open_outputs(),
            Action::Retry => return vec![Command::Retry],
            Action::CancelCall => return vec![Command::CancelCall(None)],
            Action::Yes => return self.confirmed(),
            Action::Whole => return self.ask_whole(),
            Action::No => drop(self.focus.take_dialog()),
            Action::OpenTranscript => self.open_transcript(),
            Action::Browse(key) => self.browse(key),
            Action::OpenPalette => self.open_palette(),
        }
        Vec::new()
    }

    fn edit(&mut self, edit: Edit) {
        if !self.takes_text() {
            return;
        }
        let has_lines = self.focus.dialog().is_some_and(Dialog::has_lines);
        match self.focus.dialog_mut().map(Dialog::line) {
            Some(Some(line)) if has_lines || edit != Edit::Newline => line.edit(edit),
            Some(_) => {}
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
        self.keep_draft();
    }

    fn scroll(&mut self, scroll: Scroll) {
        if let Some(foreseen) = self.focus.dialog_mut().and_then(Dialog::foreseen_mut) {
            foreseen.scroll(scroll);
            return;
        }
        match self.focus.overlay_mut() {
            Some(Overlay::Help(page)) => page.scroll(scroll),
            Some(Overlay::SignOff(page)) => page.scroll(scroll),
            Some(Overlay::Note(page)) => page.scroll(scroll),
            Some(Overlay::Places(page)) => page.scroll(scroll),
            Some(Overlay::History | Overlay::Diff(_) | Overlay::Transcript) | None => {
                self.transcript.scroll(scroll);
            }
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

    /// Keeps a reason that is being typed.
    fn keep_draft(&mut self) {
        if let Some(Dialog::Reason { scope, line }) = self.focus.dialog() {
            self.review.draft(*scope, &line.text());
        }
        self.keep_review_text();
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
            Outcome::SignOff => self.open_sign_off(),
            Outcome::AskReason(scope) => {
                let draft = self.denial_draft(scope);
                self.focus.ask(Dialog::reason(scope, &draft));
            }
            Outcome::AskQuestion(hunk) => self.ask_for(ReviewText::Question(hunk)),
            Outcome::AskComment(hunk) => self.ask_for(ReviewText::Comment(hunk)),
            Outcome::AskLineComment(hunk, line) => {
                self.ask_for(ReviewText::LineComment(hunk, line));
            }
            Outcome::AskQuery => self.ask_for(ReviewText::Search),
            Outcome::Edit(manuscript) => self.handover = Some(Handover::Hunk(manuscript)),
            Outcome::EditInPlace { hunk, outdated } => self.edit_in_place(hunk, outdated),
            Outcome::Copy(text) => self.copy(text),
            Outcome::Open(place) => self.handover = Some(Handover::Place(place)),
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
        self.redraw = true;
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
                return self.typed_about_review(about, &line.take());
            }
            Some(Dialog::Instead { prompt, mut line }) => {
                return self.refuse_with(*prompt, line.take().trim());
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
        self.history.select_newest();
        self.focus.open_overlay(Overlay::History);
        vec![Command::History]
    }

    pub(super) fn revert_last(&mut self, path: Option<&str>) -> Vec<Command> {
        let selected = self.review.list().selected_path();
        self.ask_of_history(self.history.ask_revert(path, selected))
    }

    /// Asks what the history has to ask, or says that there is nothing.
    pub(super) fn ask_of_history(
        &mut self,
        question: Result<RevertQuestion, String>,
    ) -> Vec<Command> {
        if !self.history.is_known() {
            self.status.say("The history has not arrived yet");
            return vec![Command::History];
        }
        match question {
            Ok(question) => self.ask(question),
            Err(nothing) => {
                self.status.say(nothing);
                Vec::new()
            }
        }
    }

    /// Asks about all files of the changeset instead of the one file that is asked about.
    fn ask_whole(&mut self) -> Vec<Command> {
        match self.focus.dialog() {
            Some(Dialog::Confirm { question, .. }) => match question.whole {
                Some(changeset) => self.ask(self.history.whole(changeset)),
                None => Vec::new(),
            },
            Some(Dialog::Reason { .. } | Dialog::Instead { .. } | Dialog::Text { .. }) | None => {
                Vec::new()
            }
        }
    }

    /// Asks, and has what would change shown with the question.
    pub(super) fn ask(&mut self, question: RevertQuestion) -> Vec<Command> {
        let target = question.target.clone();
        self.focus.guard(Cause::Question);
        self.focus.ask(Dialog::confirm(question));
        vec![Command::PreviewRevert(target)]
    }

    fn confirmed(&mut self) -> Vec<Command> {
        match self.focus.take_dialog() {
            Some(Dialog::Confirm { question, .. }) => {
                self.focus.close_overlay();
                vec![Command::Revert(question.target)]
            }
            Some(Dialog::Reason { .. } | Dialog::Instead { .. } | Dialog::Text { .. }) | None => {
                Vec::new()
            }
        }
    }
}
