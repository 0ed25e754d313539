//! Responses carried out: what panes answer keys with, and what is typed when Enter comes.
//!
//! In: responses, prompts, slash commands, answers to dialogs. Out: changed panes, and effects.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use signoff_core::edit::rule::draft::draft;
use signoff_core::plural::counted;
use signoff_core::stage::review::Ruling;
use signoff_llm::session::{Command, Speaker};

use super::conversation::{Picker, Queued};
use super::dialog::Dialog;
use super::keys::SecondPress;
use super::overlay::Overlay;
use super::palette::Palette;
use super::slash::Typed;
use super::type_ahead::Cause;
use super::{App, AppEffect, BackgroundRequest, Exit, Query, notes};
use crate::app::background_page::{BackgroundNews, BackgroundPage};
use crate::app::keymap::Context;
use crate::event_lines;
use crate::response::{Manuscript, Response, ReviewText, Scope};
use crate::review::Review;
use crate::review::diff_page::DiffPage;
use crate::review::history::History;
use crate::row_window::Scroll;
use crate::transcript::Transcript;

/// Longer texts are not copied: terminals drop sequences of more than 100,000 bytes, of which a text takes four thirds.
const LONGEST_COPY: usize = 74_000;

/// What panes answer.
impl App {
    /// Carries out what a pane answers.
    pub(super) fn respond(&mut self, response: Response) {
        match response {
            Response::Handled | Response::NotMine => {}
            Response::Say(line) => self.status.say(line),
            Response::Decide(rulings) => self.decide(rulings),
            Response::SignOff => self.focus.open_sign_off(&mut self.review),
            Response::AskReason(scope, draft) => self.focus.ask(match draft {
                Some(draft) => Dialog::reason(scope, &draft),
                None => Dialog::denial(scope, &self.review),
            }),
            Response::AskText(about) => self.focus.ask(Dialog::text(about, &self.review)),
            // What would change is shown with the question.
            Response::AskRevert(question) => {
                if self.history.commit_of(&question.target).is_none() {
                    self.query(Query::Forecast(question.target.clone()));
                }
                self.focus.ask_revert(question);
            }
            Response::ShowDiff(scope, name) => {
                let mut page = DiffPage::new(scope, name);
                page.is_over_history = true;
                self.focus.open_overlay(Overlay::Diff(Box::new(page)));
            }
            Response::Copy(text) => self.copy(text),
            Response::OpenFile(place) => self.effects.push(AppEffect::OpenFile(place)),
            Response::Edit(manuscript) => self.effects.push(AppEffect::EditHunk(manuscript)),
            Response::EditInPlace { hunk, outdated } => {
                // What was begun before the hunk changed is kept in the transcript.
                if let Some(Manuscript { path, text, .. }) = outdated {
                    self.transcript.remark(notes::not_edited(&path, &text));
                }
                self.respond(Response::AskText(ReviewText::NewText(hunk)));
            }
        }
    }

    /// Has the review answer a key; a question that it asks is answered by later keys.
    pub(super) fn in_review(&mut self, key: impl FnOnce(&mut Review) -> Response) {
        let response = key(&mut self.review);
        if self.review.question().is_some() {
            self.focus.guard(Cause::Question);
        }
        self.respond(response);
    }

    /// Has the history answer a key.
    pub(super) fn in_history(&mut self, key: impl FnOnce(&mut History) -> Response) {
        let response = key(&mut self.history);
        self.respond(response);
    }

    /// Has the transcript answer a key while it is browsed.
    pub(super) fn in_transcript(&mut self, key: impl FnOnce(&mut Transcript) -> Response) {
        let response = key(&mut self.transcript);
        self.respond(response);
    }

    /// Has a page of diffs answer a key, if one is open.
    pub(super) fn in_diff(&mut self, key: impl FnOnce(&mut DiffPage) -> Response) {
        if let Some(page) = self.focus.overlay_mut().and_then(Overlay::diff_mut) {
            let response = key(page);
            self.respond(response);
        }
    }

    /// Has the page of background agents answer a key, if it is open; what it asks is answered by later keys.
    pub(super) fn in_background<T>(
        &mut self,
        key: impl FnOnce(&mut BackgroundPage) -> T,
    ) -> Option<T> {
        let overlay = self.focus.overlay_mut();
        let page = overlay.and_then(Overlay::background_mut)?;
        let answer = key(page);
        if page.asks() {
            self.focus.guard(Cause::Question);
        }
        Some(answer)
    }

    /// Asks background agents what a key on their page comes to.
    pub(super) fn ask_background(
        &mut self,
        key: impl FnOnce(&mut BackgroundPage) -> Option<BackgroundRequest>,
    ) {
        let request = self.in_background(key).flatten();
        self.effects.extend(request.map(AppEffect::Background));
    }

    /// Begins a prompt for the agent that is selected on their page.
    pub(super) fn begin_prompt_for_agent(&mut self) {
        if let Some(command) = self.in_background(BackgroundPage::say).flatten() {
            self.begin_typing(&command);
        }
    }

    /// Has verdicts carried out, with what was chosen for after them and the comments that wait.
    fn decide(&mut self, rulings: Vec<Ruling>) {
        let after = self.review.take_after();
        self.background.writes(&rulings, self.now);
        let (files, after) = self.hand_over_commits(rulings, after);
        self.ask_all(after.map(Command::AfterApproval));
        self.ask_all((!files.is_empty()).then_some(Command::Decide(files)));
        self.send_comments();
    }

    /// Hands a text to the terminal's clipboard, and says so. Terminals do not say whether they took it.
    pub(super) fn copy(&mut self, text: String) {
        if text.len() > LONGEST_COPY {
            return self.status.say("Too long for the clipboard of terminals");
        }
        let lines = counted(text.lines().count(), "line");
        self.effects.push(AppEffect::Copy(text));
        self.status
            .say(format!("{lines} handed to the terminal to copy"));
    }
}

/// Background agents, and what is begun in the composer.
impl App {
    /// Says what came of a request about background agents, or shows how they stand.
    pub(super) fn told_of_background(&mut self, news: BackgroundNews) {
        let overlay = self.focus.overlay_mut();
        match (overlay.and_then(Overlay::background_mut), news) {
            (_, BackgroundNews::Said(line)) => self.announce(&line),
            (_, BackgroundNews::Ended(line)) => self.background_agent_ended(&line),
            (_, BackgroundNews::Shown(text)) => self.transcript.said_before(Speaker::Model, &text),
            (Some(page), news) => page.take(news),
            (None, BackgroundNews::Failed(why)) => self.announce(&why),
            (None, BackgroundNews::Listed(_) | BackgroundNews::Conversation(..)) => {}
        }
    }

    /// Says that one is done where the user looks, and lists what it proposed with what waits.
    fn background_agent_ended(&mut self, line: &str) {
        self.announce(line);
        self.status.say(line);
        let call = self.attention.unwatched(line);
        self.effects.extend(call.map(AppEffect::Call));
        self.ask(Command::Review);
    }

    /// Asks how background agents stand, where they are shown.
    pub(super) fn refresh_background(&mut self) {
        let overlay = self.focus.overlay_mut();
        let page = overlay.and_then(Overlay::background_mut);
        let wanted = page.map(|page| page.wanted(self.now));
        let wanted = wanted.into_iter().flatten();
        self.effects.extend(wanted.map(AppEffect::Background));
    }

    /// Begins a command in the composer, for the user to go on with.
    pub(super) fn begin_typing(&mut self, text: &str) {
        self.go_to_composer();
        if (self.conversation).begin_command(text, &self.history) {
            self.status.say("What was typed is an earlier prompt now");
        }
    }

    /// Gives the keys to the composer, whatever lies over it.
    pub(super) fn go_to_composer(&mut self) {
        self.focus.close_overlay();
        self.focus.type_instead();
    }
}

/// What keys and commands have in common.
impl App {
    /// Returns what is said of a letter that means nothing in the review.
    pub(super) fn stray(&self) -> String {
        let context = match self.context() {
            asking if asking.asks_permission() => asking,
            _ => Context::Review,
        };
        format!("{} to type", self.keys.name(context, "switch-focus"))
    }

    /// Says of a key that it came too early to be an answer.
    pub(super) fn say_too_early(&mut self, cause: Cause) {
        let said = match cause {
            Cause::Opened | Cause::Taken => {
                "Just opened: press the key again in a moment".to_owned()
            }
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
}

/// What is typed.
impl App {
    /// Carries out what is typed: the answer of a dialog, or else what the composer holds.
    pub(super) fn send(&mut self) {
        self.conversation.close_menu();
        match self.focus.take_dialog() {
            Some(Dialog::Reason { scope, mut line }) => {
                let reason = line.take().trim().to_owned();
                self.draft_rule(scope, &reason);
                self.review.draft(scope, "");
                let response = self
                    .review
                    .deny(scope, (!reason.is_empty()).then_some(reason));
                self.respond(response);
            }
            Some(Dialog::Text { about, mut line }) => self.enter_text(about, &line.take()),
            Some(Dialog::Instead { prompt, mut line }) => {
                let reason = line.take();
                self.draft_rule(Scope::All, reason.trim());
                let command = self.focus.refuse(*prompt, reason.trim());
                self.ask_all(command);
            }
            Some(dialog @ (Dialog::Confirm { .. } | Dialog::Rewind { .. })) => {
                self.focus.ask(dialog);
                self.send_composed();
            }
            None => self.send_composed(),
        }
    }

    /// Denies for the reason that is typed, and begins a rule of it in the composer.
    pub(super) fn deny_with_rule(&mut self) {
        let typed = self.focus.dialog().and_then(Dialog::typed);
        match typed.map(|(line, _)| line.text().trim().is_empty()) {
            Some(false) => {
                self.send();
                self.begin_rule();
            }
            _ => self.status.say("A rule is made of a reason: type one"),
        }
    }

    /// Drafts the rule that a denial comes to.
    fn draft_rule(&mut self, scope: Scope, reason: &str) {
        if reason.is_empty() {
            return;
        }
        let about = match scope {
            Scope::Hunk(hunk) | Scope::Lines(hunk) => self.review.question_about(hunk, reason),
            Scope::All => None,
        };
        let path = about.as_ref().map_or("", |about| about.path.as_str());
        self.rule_draft = draft(path, reason);
    }

    /// Begins the rule that the newest denial comes to, for the user to edit and send.
    pub(super) fn begin_rule(&mut self) {
        if self.rule_draft.is_empty() {
            return self.answer(
                "/rule TEXT proposes a rule in the project's instructions; once you deny a hunk with a reason, /rule alone drafts \
                 one of it",
            );
        }
        let command = format!("/rule {}", self.rule_draft);
        self.begin_typing(&command);
    }

    fn send_composed(&mut self) {
        match self.conversation.read() {
            Typed::Nothing => {}
            Typed::Answer(line) => self.answer(&line),
            Typed::Prompt(prompt) if self.holds_back(&prompt) => {}
            Typed::Prompt(prompt) => self.send_prompt(Queued::Prompt(prompt)),
            Typed::Run(line) => self.send_prompt(Queued::Run(line)),
            Typed::Slash(command) => {
                self.conversation.clear();
                self.carry_out(command);
            }
        }
    }

    /// Holds a prompt back that is one key of the review while hunks wait, until it is sent once more: the key was meant for
    /// the review, and a request costs money.
    fn holds_back(&mut self, prompt: &str) -> bool {
        let mut letters = prompt.chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else {
            return false;
        };
        let key = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE);
        let is_key = self.keys.own(Context::Review, key).is_some();
        let is_second = std::mem::take(&mut self.second_press) == SecondPress::Send;
        if is_second || !is_key || self.pending() == 0 {
            return false;
        }
        self.second_press = SecondPress::Send;
        let review = self.keys.name(Context::Composer, "switch-focus");
        let send = self.keys.name(Context::Composer, "send");
        self.status.say(format!(
            "{letter} is a review key: {review} goes there, {send} again sends it"
        ));
        true
    }

    fn send_prompt(&mut self, prompt: Queued) {
        let commands = (self.conversation).send(prompt, &mut self.status, self.now);
        self.ask_all(commands);
    }

    pub(super) fn quit(&mut self) {
        self.effects.push(AppEffect::End(Exit::Left));
    }

    /// Asks for a list to pick from.
    pub(super) fn open_picker(&mut self, picker: Picker) {
        let said = self.conversation.open_picker(picker);
        self.say(said);
        self.query(picker.query());
    }

    /// Says what a command of the user's comes to, where it can be read: a review that leaves no room for it is put
    /// away, and Tab brings it back.
    pub(crate) fn answer(&mut self, text: &str) {
        let rows = event_lines::info(text);
        self.transcript.scroll(Scroll::Bottom);
        if self.focus.shows_review() && !self.transcript.has_room(&rows) {
            self.focus.close_review(self.review.list());
        }
        self.transcript.lines(rows);
    }

    /// Says what nobody waits for just now. A review that has the keys keeps them: the line above the input tells of it.
    fn announce(&mut self, text: &str) {
        if self.focus.is_in_review() {
            self.transcript.remark(event_lines::info(text));
        } else {
            self.answer(text);
        }
    }

    /// Makes room for an answer that the session is asked for.
    pub(super) fn make_room(&mut self) {
        self.transcript.scroll(Scroll::Bottom);
        if self.focus.shows_review() && self.transcript.height() == 0 {
            self.focus.close_review(self.review.list());
        }
    }
}
