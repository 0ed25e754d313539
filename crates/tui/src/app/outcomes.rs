//! Outcomes carried out: what parts hand back, and what is typed when Enter comes.
//!
//! In: outcomes, prompts, slash commands, answers to dialogs. Out: changed panes, and commands for the session.

use signoff_core::plural::counted;
use signoff_core::stage::review::Verdict;
use signoff_llm::session::Command;

use super::changes::ChangesOutcome;
use super::conversation::{Picker, Queued};
use super::dialog::Dialog;
use super::focus::PaletteOutcome;
use super::overlay::Overlay;
use super::palette::{Palette, PaletteDeed};
use super::review_text::{ReviewText, ReviewTextOutcome};
use super::slash::{self, Extent, Slash, Typed};
use super::status_report::status_report;
use super::type_ahead::Cause;
use super::{App, Export, Handover, Query, notes};
use crate::background_page::{BackgroundNews, BackgroundRequest};
use crate::keymap::{Action, Context};
use crate::review::diff_page::DiffPage;
use crate::review::{Manuscript, Outcome, ReviewKey, Scope};
use crate::transcript::{BrowseOutcome, Scroll};

/// What the parts hand back.
impl App {
    /// Does what a key of the review comes to; a question that it asks is answered by later keys.
    pub(super) fn reviewed(&mut self, outcome: Outcome) -> Vec<Command> {
        if self.review.question().is_some() {
            self.focus.guard(Cause::Question);
        }
        self.follow_up(outcome)
    }

    /// Does what verdicts, and keys about them, come to.
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
            Outcome::SuggestReason(scope, reason) => {
                self.focus.ask(Dialog::reason(scope, &reason));
            }
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

    /// Asks for a text about the review.
    fn ask_for(&mut self, about: ReviewText) {
        self.focus.ask(Dialog::text(about, &self.review));
    }

    /// Does what a key or a command about changes comes to.
    pub(super) fn on_changes(&mut self, outcome: ChangesOutcome) -> Vec<Command> {
        match outcome {
            ChangesOutcome::Handled => {}
            ChangesOutcome::Say(line) => self.status.say(line),
            ChangesOutcome::AwaitHistory => {
                self.status.say("The history has not arrived yet");
                self.outgoing.ask([Query::History]);
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

    /// Does what a key comes to while the transcript is browsed.
    pub(super) fn browsed(&mut self, outcome: BrowseOutcome) {
        match outcome {
            BrowseOutcome::Handled => {}
            BrowseOutcome::Copy(text) => self.status.say(self.outgoing.copy(text)),
            BrowseOutcome::Say(line) => self.status.say(line),
        }
    }
}

/// What is taken from the command palette.
impl App {
    /// Does what a key of the command palette comes to.
    pub(super) fn on_palette(&mut self, outcome: PaletteOutcome) -> Vec<Command> {
        match outcome {
            PaletteOutcome::Handled => {}
            PaletteOutcome::Say(line) => self.status.say(line),
            PaletteOutcome::TooEarly(cause) => self.say_too_early(cause),
            PaletteOutcome::Take(deed, context) if self.context() == context => {
                return self.do_deed(deed, context);
            }
            PaletteOutcome::Take(..) => self
                .status
                .say("Another part of the screen was opened meanwhile: nothing was done"),
        }
        Vec::new()
    }

    fn do_deed(&mut self, deed: PaletteDeed, context: Context) -> Vec<Command> {
        match deed {
            PaletteDeed::Act(action) => {
                self.review.key_pressed();
                let commands = self.act(action);
                if self.context() == Context::SignOff && context != Context::SignOff {
                    // The next Enter may have been meant for the palette.
                    self.focus.guard(Cause::Opened);
                }
                commands
            }
            PaletteDeed::Slash(command) => self.slash(command),
            PaletteDeed::Pick(picker) => {
                self.go_to_composer();
                self.open_picker(picker);
                Vec::new()
            }
            PaletteDeed::Begin(text) => {
                self.begin_typing(&text);
                Vec::new()
            }
        }
    }

    /// Says what came of a request about background agents, or shows how they stand.
    pub(super) fn told_of_background(&mut self, news: BackgroundNews) {
        let overlay = self.focus.overlay_mut();
        match (overlay.and_then(Overlay::background_mut), news) {
            (_, BackgroundNews::Said(lines)) => lines.iter().for_each(|line| self.answer(line)),
            (Some(page), news) => page.take(news),
            (None, BackgroundNews::Failed(why)) => self.answer(&why),
            (None, BackgroundNews::Listed(_) | BackgroundNews::Conversation(..)) => {}
        }
    }

    /// Asks how background agents stand, where they are shown.
    pub(super) fn refresh_background(&mut self) {
        let overlay = self.focus.overlay_mut();
        let page = overlay.and_then(Overlay::background_mut);
        let wanted = page.map(|page| page.wanted(self.now));
        for request in wanted.into_iter().flatten() {
            self.outgoing.ask_background(request);
        }
    }

    /// Begins a command in the composer, for the user to go on with.
    pub(super) fn begin_typing(&mut self, text: &str) {
        self.go_to_composer();
        if (self.conversation).begin_command(text, &self.changes.history) {
            self.status.say("What was typed is an earlier prompt now");
        }
    }

    /// Gives the keys to the composer, whatever lies over it.
    fn go_to_composer(&mut self) {
        self.focus.close_overlay();
        self.focus.type_instead();
    }
}

/// What keys and commands have in common.
impl App {
    /// Returns what is said of a letter that means nothing in the review.
    pub(super) fn stray(&self) -> String {
        let context = match self.context() {
            Context::Permission => Context::Permission,
            _ => Context::Review,
        };
        format!("{} to type", self.keys.name(context, "switch-focus"))
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

    /// Opens the list of what can be done here.
    pub(super) fn open_palette(&mut self) {
        let hides_question = self.asking().is_some() || self.question().is_some();
        let place = (self.context(), hides_question);
        let hunk = self.review.list().selected_hunk().map(|hunk| hunk.id);
        let palette = Palette::new(&self.keys, place, hunk);
        self.focus.open_palette(palette);
    }

    fn show_review(&mut self) {
        if !self.focus.show_review(self.review.list()) {
            self.status.say("Nothing waits for review");
        }
    }

    pub(super) fn open_history(&mut self) {
        let overlay = self.changes.open_history();
        self.focus.open_overlay(overlay);
        self.outgoing.ask([Query::History]);
    }

    pub(super) fn revert_last(&mut self, path: Option<&str>) -> Vec<Command> {
        let selected = self.review.list().selected_path();
        self.on_changes(self.changes.ask_revert(path, selected))
    }
}

/// What is typed.
impl App {
    /// Carries out what is typed: the answer of a dialog, or else what the composer holds.
    pub(super) fn send(&mut self) -> Vec<Command> {
        self.conversation.close_menu();
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
            Some(dialog @ (Dialog::Confirm { .. } | Dialog::Rewind { .. })) => {
                self.focus.ask(dialog)
            }
            None => {}
        }
        match self.conversation.read() {
            Typed::Nothing => Vec::new(),
            Typed::Answer(line) => {
                self.answer(&line);
                Vec::new()
            }
            Typed::Prompt(prompt) => {
                let prompt = Queued::Prompt(prompt);
                (self.conversation).send(prompt, &mut self.status, self.now)
            }
            Typed::Run(line) => {
                (self.conversation).send(Queued::Run(line), &mut self.status, self.now)
            }
            Typed::Slash(command) => {
                self.conversation.clear();
                self.slash(command)
            }
        }
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
        if self.conversation.propose(text) {
            self.status
                .say("The hunk does not wait any more: the question is in the composer");
        } else {
            let line = format!("Not asked, since the hunk does not wait any more: {text}");
            self.transcript.remark(notes::info(&line));
        }
    }

    /// Does what a command of the interface asks.
    fn slash(&mut self, command: Slash) -> Vec<Command> {
        if command.is_answered_in_transcript() {
            self.make_room();
        }
        match command {
            Slash::Help => self.act(Action::Help),
            Slash::Diff(scope) => {
                let page = DiffPage::of(scope);
                self.focus.open_overlay(Overlay::Diff(Box::new(page)));
                Vec::new()
            }
            Slash::Background(request) => {
                if request == BackgroundRequest::List {
                    let page = Box::default();
                    self.focus.open_overlay(Overlay::Background(page));
                }
                self.outgoing.ask_background(request);
                Vec::new()
            }
            Slash::Places => self.on_changes(self.changes.open_places()),
            Slash::History => {
                self.open_history();
                Vec::new()
            }
            Slash::Status => self.tell_status(),
            Slash::Quit => self.act(Action::Quit),
            Slash::Copy => {
                self.status.say(match self.transcript.last_answer() {
                    Some(text) => self.outgoing.copy(text),
                    None => "Nothing was answered yet".to_owned(),
                });
                Vec::new()
            }
            Slash::Export(path) => {
                let text = self.transcript.exported();
                self.outgoing.export(Export { path, text });
                Vec::new()
            }
            Slash::Revert(path) => self.revert_last(path.as_deref()),
            Slash::Undo => self.on_changes(self.changes.ask_undo()),
            Slash::Redo => self.on_changes(self.changes.ask_redo()),
            Slash::Theme(name) => {
                self.set_theme(name);
                self.status
                    .say(format!("The theme is {}, for this run", name.word()));
                Vec::new()
            }
            Slash::Mode(Some(mode)) => vec![Command::SetMode(mode)],
            Slash::Mode(None) => {
                let now = self.conversation.mode.word();
                self.status.say(format!(
                    "The mode is {now}; /mode plan, step, turn or write-through"
                ));
                Vec::new()
            }
            Slash::Retry => vec![Command::Retry],
            Slash::Compact => vec![Command::Compact],
            Slash::Comments(is_sent) => self.comments(is_sent),
            Slash::Critique(true) => vec![Command::Critique],
            Slash::Critique(false) => vec![Command::CancelCritique],
            Slash::Agents => vec![Command::Agents],
            Slash::Plan => vec![Command::GoOnWithPlan],
            Slash::Task { agent, task } => vec![Command::Delegate { agent, task }],
            Slash::Attached => vec![Command::ListAttached],
            Slash::Servers(request) => vec![Command::Servers(request)],
            Slash::Detach(path) => vec![Command::Detach(path)],
            Slash::Sessions => {
                self.open_picker(Picker::Sessions);
                Vec::new()
            }
            Slash::Switch(to) => vec![Command::Switch(to)],
            Slash::Model(None) => {
                self.open_picker(Picker::Models);
                Vec::new()
            }
            Slash::Model(Some(name)) => vec![Command::UseModel(name)],
            Slash::Review => {
                self.show_review();
                vec![Command::Review]
            }
            // The whole list may be decided only once it was on the screen.
            Slash::Approve(_) | Slash::Deny(_) if !self.review.was_drawn() => {
                self.show_review();
                Vec::new()
            }
            Slash::Approve(Extent::Displayed) => {
                let commands = self.review_key(ReviewKey::ApproveAll);
                if self.review.question().is_some() {
                    self.focus.open_review();
                }
                commands
            }
            Slash::Approve(Extent::All) => {
                let outcome = self.review.approve_unseen();
                if matches!(outcome, Outcome::Say(_)) && self.review.list().pending() > 0 {
                    self.focus.open_review();
                }
                self.follow_up(outcome)
            }
            Slash::Deny(reason) => self.deny_all(reason),
        }
    }

    /// Denies all that wait; where something has not been displayed, after it was asked for.
    fn deny_all(&mut self, reason: Option<String>) -> Vec<Command> {
        if reason
            .as_deref()
            .is_some_and(|word| self.review.list().names(word))
        {
            self.answer(slash::DENY_ALL);
            return Vec::new();
        }
        let verdict = Verdict::Deny { reason };
        let unseen = self.review.waiting(&verdict).unseen;
        if unseen == 0 {
            let outcome = self.review.rule_all(&verdict);
            return self.follow_up(outcome);
        }
        self.focus.open_review();
        let draft = match &verdict {
            Verdict::Deny {
                reason: Some(reason),
            } => reason,
            _ => "",
        };
        self.focus.ask(Dialog::reason(Scope::All, draft));
        Vec::new()
    }

    /// Says how many comments wait, or sends them.
    fn comments(&mut self, is_sent: bool) -> Vec<Command> {
        match self.review.comment_count() {
            0 => {
                let key = self.keys.name(Context::Review, "comment");
                self.status.say(format!(
                    "There are no comments: {key} in the review makes one"
                ));
            }
            _ if is_sent => return self.send_comments(),
            count => {
                let comments = counted(count, "comment");
                self.status.say(format!(
                    "{comments} to be sent: /comments send, or with the verdicts"
                ));
            }
        }
        Vec::new()
    }

    /// Asks for a list to pick from.
    fn open_picker(&mut self, picker: Picker) {
        let said = self.conversation.open_picker(picker);
        self.say(said);
        self.outgoing.ask([picker.query()]);
    }

    fn tell_status(&mut self) -> Vec<Command> {
        self.answer(&status_report(self));
        Vec::new()
    }

    /// Says what a command of the user's comes to, where it can be read: a review that leaves no room for it is put
    /// away, and Tab brings it back.
    pub(super) fn answer(&mut self, text: &str) {
        let rows = notes::info(text);
        self.transcript.scroll(Scroll::Bottom);
        if self.focus.shows_review() && !self.transcript.has_room(&rows) {
            self.focus.close_review(self.review.list());
        }
        self.transcript.lines(rows);
    }

    /// Makes room for an answer that the session is asked for.
    fn make_room(&mut self) {
        self.transcript.scroll(Scroll::Bottom);
        if self.focus.shows_review() && self.transcript.height() == 0 {
            self.focus.close_review(self.review.list());
        }
    }
}
