//! Key handling.
//!
//! In: keys and pastes. Out: changed panes, and commands for the session.

use ratatui::crossterm::event::{KeyEvent, KeyEventKind};
use signoff_core::review::RevertPreview;
use signoff_llm::session::Command;

use super::focus::{Dialog, Focus, Overlay};
use super::slash::{self, Typed};
use super::type_ahead::Cause;
use super::typing::{STRAY, SUBMIT, too_early};
use super::{App, Exit, notes};
use crate::composer::{Composer, Edit};
use crate::keymap::{self, Action};
use crate::review::foreseen::Foreseen;
use crate::review::history::{History, Question};
use crate::review::{Manuscript, Outcome, ReviewKey};
use crate::transcript::Scroll;

/// What is shown until a turn has stopped.
pub(super) const STOPPING: &str = "Stopping";

impl App {
    /// Carries out what a key means where it was pressed.
    pub(super) fn on_key(&mut self, key: KeyEvent) -> Vec<Command> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        self.status.hush();
        self.review.key_pressed();
        let typed = keymap::typed(key);
        let (context, guarded) = (self.context(), self.is_guarded());
        let wait = self.type_ahead.key(self.now, guarded).filter(|_| guarded);
        if typed.is_some_and(|c| self.is_meant_for_composer(context, c, wait)) {
            self.type_instead();
        }
        let action = keymap::action(self.context(), key);
        if action != Some(Action::Interrupt) {
            self.leaving = false;
        }
        let answers = action.is_some_and(Action::answers) && action != Some(Action::Escape);
        match (wait, typed) {
            (Some(Cause::Stray), Some(_)) if self.is_guarded() => {
                self.status.say(STRAY);
                return Vec::new();
            }
            (Some(cause), _) if answers && (typed.is_some() || action == Some(SUBMIT)) => {
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

    /// Puts pasted text where text can be typed; a paste is never taken for keys.
    pub(super) fn on_paste(&mut self, text: &str) {
        self.status.hush();
        self.leaving = false;
        let guarded = self.is_guarded();
        self.type_ahead.key(self.now, guarded);
        match &mut self.dialog {
            Some(Dialog::Reason { line, .. } | Dialog::Instead { line, .. }) => {
                line.paste(&text.replace(['\n', '\r'], " "));
                self.keep_draft();
            }
            Some(Dialog::Confirm { .. }) => {}
            None => {
                self.overlay = None;
                self.type_instead();
                self.composer.paste(text);
            }
        }
    }

    pub(super) fn act(&mut self, action: Action) -> Vec<Command> {
        match action {
            Action::Edit(edit) => self.edit(edit),
            Action::Scroll(scroll) => self.scroll(scroll),
            Action::Review(key) => return self.review_key(key),
            Action::History(key) => {
                let question = self.history.handle(key);
                return self.ask(question);
            }
            Action::Permission(key) => return self.answer_permission(key),
            Action::RevertLast => return self.revert_last(None),
            Action::Undo => return self.undo(),
            Action::ApproveAnd(after) => {
                let outcome = self.review.approve_and(after);
                return self.reviewed(outcome);
            }
            Action::NextMode => return vec![Command::SetMode(self.mode.next())],
            Action::Send => return self.send(),
            Action::Escape => return self.escape(),
            Action::Interrupt => return self.interrupt(),
            Action::Quit => self.exit = Some(Exit::Left),
            Action::SwitchFocus => self.switch_focus(),
            Action::OpenHistory => return self.open_history(),
            Action::Help => self.overlay = Some(Overlay::Help { top: 0, room: 0 }),
            Action::Redraw => self.redraw = true,
            Action::OpenOutputs => {
                if !self.transcript.toggle_outputs() {
                    self.status.say("No output is cut");
                }
            }
            Action::Retry => return vec![Command::Retry],
            Action::CancelCall => return vec![Command::CancelCall(None)],
            Action::Yes => return self.confirmed(),
            Action::Whole => return self.ask_whole(),
            Action::No => self.dialog = None,
        }
        Vec::new()
    }

    pub(super) fn edit(&mut self, edit: Edit) {
        if !self.takes_text() {
            return;
        }
        match &mut self.dialog {
            Some(Dialog::Reason { line, .. } | Dialog::Instead { line, .. })
                if edit != Edit::Newline =>
            {
                line.edit(edit);
            }
            Some(_) => {}
            None => {
                self.type_ahead.offered &= !matches!(edit, Edit::Insert(_));
                self.composer.edit(edit);
            }
        }
        self.keep_draft();
    }

    fn scroll(&mut self, scroll: Scroll) {
        if let Some(Dialog::Confirm {
            foreseen: Some(foreseen),
            ..
        }) = &mut self.dialog
        {
            foreseen.scroll(scroll);
            return;
        }
        match &mut self.overlay {
            Some(Overlay::Help { top, room }) => {
                // One row stays in sight.
                let page = room.saturating_sub(1).max(1);
                *top = match scroll {
                    Scroll::PageUp => top.saturating_sub(page),
                    Scroll::PageDown => *top + page,
                    Scroll::Top => 0,
                    Scroll::Bottom => usize::MAX / 2,
                }
            }
            _ => self.transcript.scroll(scroll),
        }
    }

    pub(super) fn review_key(&mut self, key: ReviewKey) -> Vec<Command> {
        let outcome = self.review.handle(key);
        self.reviewed(outcome)
    }

    fn reviewed(&mut self, outcome: Outcome) -> Vec<Command> {
        if self.review.question().is_some() {
            self.type_ahead.begin(Cause::Question);
        }
        self.follow_up(outcome)
    }

    /// Keeps a reason that is being typed.
    fn keep_draft(&mut self) {
        if let Some(Dialog::Reason { scope, line }) = &self.dialog {
            self.review.draft(*scope, line.text());
        }
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
            Outcome::AskReason(scope) => {
                let mut line = Box::new(Composer::default());
                line.set(self.review.drafted(scope));
                self.dialog = Some(Dialog::Reason { scope, line });
            }
            Outcome::Edit(manuscript) => self.manuscript = Some(manuscript),
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
        self.transcript.lines(told);
        Vec::new()
    }

    fn send(&mut self) -> Vec<Command> {
        match self.dialog.take() {
            Some(Dialog::Reason { scope, mut line }) => {
                let reason = line.take().trim().to_owned();
                self.review.draft(scope, "");
                let outcome = self
                    .review
                    .deny(scope, (!reason.is_empty()).then_some(reason));
                return self.follow_up(outcome);
            }
            Some(Dialog::Instead { prompt, mut line }) => {
                let reason = line.take();
                return self.refuse_with(*prompt, &reason);
            }
            dialog => self.dialog = dialog,
        }
        match slash::read(self.composer.text()) {
            Typed::Nothing => Vec::new(),
            Typed::Answer(line) => {
                self.answer(&line);
                Vec::new()
            }
            Typed::Prompt(prompt) => {
                self.composer.take();
                self.submit(prompt)
            }
            Typed::Slash(command) => {
                self.composer.take();
                self.slash(command)
            }
        }
    }

    pub(super) fn show_review(&mut self) {
        if self.review.list().is_empty() {
            self.status.say("Nothing waits for review");
        } else {
            self.open_review();
        }
    }

    fn switch_focus(&mut self) {
        self.type_ahead.offered = false;
        if let Some(prompt) = &mut self.permission {
            prompt.focused = !prompt.focused;
            if prompt.focused {
                self.type_ahead.begin(Cause::Question);
            }
            return;
        }
        match self.focus {
            Focus::Review => self.focus = Focus::Composer,
            Focus::Composer => self.show_review(),
        }
    }

    pub(super) fn open_history(&mut self) -> Vec<Command> {
        self.overlay = Some(Overlay::History);
        vec![Command::History]
    }

    pub(super) fn revert_last(&mut self, path: Option<&str>) -> Vec<Command> {
        let selected = self.review.list().selected_path().map(str::to_owned);
        let question = |history: &History| match path {
            Some(_) => history.revert_last(path),
            None => history
                .revert_last(selected.as_deref())
                .or_else(|| history.revert_last(None)),
        };
        let nothing = match path {
            Some(path) => format!("There is nothing to take back in {path}"),
            None => "There is nothing to take back".to_owned(),
        };
        self.ask_of_history(question, &nothing)
    }

    pub(super) fn undo(&mut self) -> Vec<Command> {
        self.ask_of_history(History::undo, "There is nothing to take back")
    }

    pub(super) fn redo(&mut self) -> Vec<Command> {
        self.ask_of_history(History::redo_last, "There is nothing to put back")
    }

    /// Asks what the history has to ask, or says that there is nothing.
    fn ask_of_history(
        &mut self,
        question: impl FnOnce(&History) -> Option<Question>,
        nothing: &str,
    ) -> Vec<Command> {
        if !self.history.is_known() {
            self.status.say("The history has not arrived yet");
            return vec![Command::History];
        }
        let question = question(&self.history);
        if question.is_none() {
            self.status.say(nothing);
        }
        self.ask(question)
    }

    /// Asks about all files of the changeset instead of the one file that is asked about.
    fn ask_whole(&mut self) -> Vec<Command> {
        let whole = match &self.dialog {
            Some(Dialog::Confirm { question, .. }) => question.whole,
            _ => None,
        };
        self.ask(whole.map(|changeset| self.history.whole(changeset)))
    }

    /// Asks, and has what would change shown with the question.
    fn ask(&mut self, question: Option<Question>) -> Vec<Command> {
        let Some(question) = question else {
            return Vec::new();
        };
        let target = question.target.clone();
        self.type_ahead.begin(Cause::Question);
        self.dialog = Some(Dialog::Confirm {
            question: Box::new(question),
            foreseen: None,
        });
        vec![Command::PreviewRevert(target)]
    }

    /// Takes over what a revert would do, if that is still the question.
    pub(super) fn on_foreseen(&mut self, preview: RevertPreview) {
        if let Some(Dialog::Confirm { question, foreseen }) = &mut self.dialog
            && question.target == preview.target
        {
            *foreseen = Some(Foreseen::new(preview));
        }
    }

    fn confirmed(&mut self) -> Vec<Command> {
        match self.dialog.take() {
            Some(Dialog::Confirm { question, .. }) => {
                self.overlay = None;
                vec![Command::Revert(question.target)]
            }
            _ => Vec::new(),
        }
    }

    fn escape(&mut self) -> Vec<Command> {
        if let Some(Dialog::Reason { scope, .. }) = &self.dialog {
            self.review.draft(*scope, "");
        }
        if let Some(Dialog::Instead { prompt, .. }) = self
            .dialog
            .take_if(|dialog| matches!(dialog, Dialog::Instead { .. }))
        {
            self.permission = Some(*prompt);
            return Vec::new();
        }
        if self.dialog.take().is_some() || self.overlay.take().is_some() {
            return Vec::new();
        }
        if self.focus == Focus::Review && self.review.drop_question() {
            return Vec::new();
        }
        if self.focus == Focus::Composer && self.status.is_busy() {
            return self.cancel();
        }
        self.close_review();
        Vec::new()
    }

    fn cancel(&mut self) -> Vec<Command> {
        self.give_queue_back();
        self.status.say(STOPPING);
        vec![Command::Cancel]
    }

    fn interrupt(&mut self) -> Vec<Command> {
        if self.leaving {
            self.exit = Some(Exit::Left);
            return Vec::new();
        }
        self.leaving = true;
        let mut commands = Vec::new();
        let closed = self.dialog.take().is_some() | self.overlay.take().is_some();
        if !closed && !self.composer.is_empty() {
            self.composer.take();
        } else if !closed && self.status.is_busy() {
            commands = self.cancel();
        }
        self.status.say("Press Ctrl-C again to quit");
        commands
    }
}
