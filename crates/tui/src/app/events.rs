//! Updates from session events.
//!
//! In: [`Event`]s. Out: changed panes, rows of the transcript ([`event_lines`]), and questions back to the session.

use std::sync::Arc;

use signoff_core::id::HunkId;
use signoff_core::stage::review::{AnswerEnd, ReviewListing, StagedProposals};
use signoff_llm::claims::JudgedSentence;
use signoff_llm::message::CallId;
use signoff_llm::mode::Mode;
use signoff_llm::session::{
    CallEvent, Command, Event, FaultKind, RewindFiles, RewindScope, TurnEnd, TurnSummary,
};

use super::permission_prompt::PermissionPrompt;
use super::{App, AppEffect, CommitsRequest, Query, notes};
use crate::app::keymap::Context;
use crate::event_lines;
use crate::review::sign_off::SignOffStage;
use crate::review::words;
use crate::wrap::Row;

/// What is said once edits are written at once.
const WRITES_THROUGH: &str =
    "Write-through: edits are on disk at once, without a sign-off; /undo reverts them";

impl App {
    /// Takes over one event.
    pub(super) fn on_event(&mut self, event: Event) {
        let is_known = !self.status.conversation().id.is_empty();
        self.status.take(&event, self.now);
        let rows = event_lines::rows(&event);
        self.show_rows(&event, &rows);
        match event {
            Event::Ready { .. } => {
                self.query(Query::History);
                self.ask(Command::Review);
            }
            Event::Skills { skills } => self.conversation.know_skills(skills, &self.history),
            Event::Servers(report) => self.conversation.know_servers(report),
            Event::Phase { .. } => self.on_phase(),
            Event::User { text } => {
                self.review.set_contradicted(Vec::new());
                let folded = self.conversation.folded(&text);
                self.transcript.user_folded(&text, folded);
            }
            Event::Claims { sentences } => self.on_claims(&sentences),
            Event::Unsent { text } => self.conversation.give_back(&text),
            Event::Text { text } => self.transcript.text(&text),
            Event::Reasoning { text } => self.transcript.reasoning(&text),
            Event::Call(event) => self.on_call(event),
            Event::PermissionAsked {
                call,
                tool,
                subject,
            } => self.on_permission_asked(call, tool, &subject),
            Event::Changed { .. } | Event::Reverted { .. } => self.on_written(),
            Event::Staged(staged) => self.on_staged(staged),
            Event::Review(list) => self.on_review(list),
            Event::Decided {
                committed,
                approved,
                denied,
                ..
            } => {
                self.background.wrote();
                self.review.decided(approved, denied);
                let has_written = !committed.is_empty();
                if !self.go_on_with_commits(&rows, has_written) {
                    self.close_empty_review();
                    self.focus.signed_off(&rows, has_written);
                }
                self.on_written();
            }
            Event::Undecided => self.on_undecided(),
            Event::Asked { hunk, path, text } => self.review.asked(hunk, &path, &text),
            Event::Answered { hunk, text, end } => self.on_answered(hunk, &text, end.as_ref()),
            Event::Stalled { seconds } => {
                let retry = self.keys.name(Context::Anywhere, "retry");
                self.transcript
                    .remark(event_lines::stalled(seconds, &retry));
            }
            // The first one of a run needs no word unless it goes on.
            Event::Session { id, prompts, .. } if is_known || prompts > 0 => {
                self.transcript.lines(event_lines::session(&id, prompts));
            }
            Event::Earlier { speaker, text } => self.transcript.said_before(speaker, &text),
            Event::EarlierCall { call } => self.transcript.call(call),
            Event::Prompts { prompts } => {
                let said = self.conversation.offer_prompts(prompts);
                self.say(said);
            }
            Event::RewindScope(scope) => self.on_rewind_scope(scope),
            Event::Rewound { prompt, .. } => self.conversation.give_back(&prompt),
            Event::Attached { files, .. } => self.conversation.know_attached(&files),
            Event::AfterApproval { goes_on } => {
                self.review.set_goes_on(goes_on);
                self.renew_sign_off();
            }
            Event::Checking => self.on_checking(),
            Event::CheckBegins { step } => self.background.check_begins(step),
            Event::Checked { report } => {
                self.review.checked(&report);
                self.renew_sign_off();
            }
            Event::Breaking { report } => {
                self.review.found_cause(&report);
                self.renew_sign_off();
            }
            // The user need not wait for it: the selection and the line at the top stay.
            Event::Critique(event) => {
                self.background.critique(&event, self.now);
                self.review.critique(&event);
            }
            // The page at the start says that nothing is written before a sign-off.
            Event::Mode {
                mode: Mode::WriteThrough,
            } => self.transcript.remark(event_lines::info(WRITES_THROUGH)),
            Event::Fault(fault) => self.on_fault(&fault),
            Event::TurnSummary(summary) => self.on_turn_summary(summary),
            Event::TurnEnded { end } => self.on_turn_end(end),
            // Its rows are there, or it is in the state of the conversation.
            _ => {}
        }
    }

    /// Shows the rows of an event; some must not be missed while the transcript is off the screen.
    fn show_rows(&mut self, event: &Event, rows: &[Row]) {
        if rows.is_empty() {
            return;
        }
        match event {
            Event::Info { .. }
            | Event::Fault(_)
            | Event::Servers(_)
            | Event::PlanDeviation { .. }
            | Event::LeftUndone { .. }
            | Event::Rewound { .. } => self.transcript.remark(rows.to_vec()),
            Event::Claims { sentences }
                if sentences.iter().any(JudgedSentence::is_contradicted) =>
            {
                self.transcript.remark(rows.to_vec());
            }
            Event::Reverted { .. } => self.transcript.list(rows.to_vec()),
            _ => self.transcript.lines(rows.to_vec()),
        }
    }

    fn on_phase(&mut self) {
        if self.status.is_busy() {
            self.attention.runs(self.now);
            // What the model does next is not to be hidden by what was written.
            self.focus.close_sign_off(SignOffStage::Written);
        }
    }

    fn on_call(&mut self, event: CallEvent) {
        if let CallEvent::Done { call, ok, .. } = &event {
            self.places.outdate(!ok);
            self.focus.permission_is_over(Some(call));
            if self.focus.permission().is_none() {
                self.transcript.close_questions();
            }
            self.ask_commits(CommitsRequest::List);
        }
        self.transcript.call(event);
    }

    fn on_permission_asked(&mut self, call: CallId, tool: String, subject: &str) {
        let why = format!("{tool} waits for your permission");
        self.call(&why);
        let prompt = PermissionPrompt::new(call, tool, subject);
        (self.focus).ask_permission(prompt, self.conversation.composer());
    }

    /// Calls a user who looks elsewhere, or whom nobody would expect to look for so long.
    fn call(&mut self, why: &str) {
        let call = self.attention.waits(why, self.now);
        self.effects.extend(call.map(AppEffect::Call));
    }

    /// Takes over that files or staged work changed.
    fn outdate_diff(&mut self) {
        if let Some(overlay) = self.focus.overlay_mut() {
            overlay.outdate();
        }
    }

    /// Takes over that files were written: the history has it too.
    pub(super) fn on_written(&mut self) {
        self.outdate_diff();
        self.query(Query::History);
    }

    fn on_staged(&mut self, staged: StagedProposals) {
        self.places.outdate(false);
        self.relist(staged.listing);
        self.focus.close_sign_off(SignOffStage::Written);
        // The output of a command stays in sight; the status line says what waits.
        if !self.conversation.runs_command() {
            (self.focus).offer_review(self.conversation.composer(), self.review.list());
        }
    }

    fn on_review(&mut self, listing: ReviewListing) {
        self.relist(listing);
        self.close_empty_review();
        if !self.focus.show_wanted(self.review.list()) {
            self.status.say("Nothing waits for review");
        }
    }

    fn relist(&mut self, listing: ReviewListing) {
        self.outdate_diff();
        self.ask_commits(CommitsRequest::List);
        let dropped = self.review.set(Arc::unwrap_or_clone(listing.proposals));
        self.tell(notes::unmarked(&dropped));
        self.renew_sign_off();
        self.guard_news();
    }

    /// Gives the keys back to the composer as soon as nothing is left to review.
    pub(super) fn close_empty_review(&mut self) {
        if self.review.list().is_empty() {
            if self.focus.shows_review() {
                // What was said of it goes with it.
                self.status.hush();
            }
            self.focus.close_review(self.review.list());
        }
    }

    fn on_undecided(&mut self) {
        self.background.wrote();
        let dropped = self.review.undecided();
        self.drop_commit_lot();
        self.focus.signed_off(&[], false);
        self.tell(notes::unmarked(&dropped));
    }

    fn on_checking(&mut self) {
        self.background.checks(self.now);
        self.review.checking();
        self.renew_sign_off();
    }

    fn on_claims(&mut self, sentences: &[JudgedSentence]) {
        let against = sentences.iter().filter_map(JudgedSentence::contradiction);
        self.review.set_contradicted(against.collect());
        self.renew_sign_off();
    }

    fn on_turn_summary(&mut self, summary: TurnSummary) {
        let seconds = self.status.elapsed(self.now);
        // A check that still runs says what it found in a line of its own.
        let checks = self.review.checks().found();
        let rows = event_lines::summary(summary, checks, seconds);
        self.transcript.lines(rows);
    }

    /// Says on an open sign-off page what the marks come to by now.
    pub(super) fn renew_sign_off(&mut self) {
        let said = self.focus.renew_sign_off(&self.review);
        self.say(said);
    }

    /// Takes a piece of the model's answer about a hunk; once it is over, the transcript has question and answer.
    fn on_answered(&mut self, hunk: HunkId, text: &str, end: Option<&AnswerEnd>) {
        let rows = self.review.answered(hunk, text, end);
        if end.is_some()
            && let Some(answer) = self.review.newest_answer(hunk)
        {
            self.transcript.said_beside(answer);
        }
        if !rows.is_empty() {
            self.transcript.lines(rows);
        }
    }

    /// Asks what goes back to a prompt, once it is known what taking files back would do.
    fn on_rewind_scope(&mut self, scope: RewindScope) {
        let RewindScope {
            prompt,
            sent,
            files,
        } = scope;
        match files {
            RewindFiles::Unknown { why } => self.show_rewind(prompt, sent, Err(why)),
            RewindFiles::Written(written) => self.query(Query::Rewind(prompt, written)),
        }
    }

    pub(super) fn tell(&mut self, rows: Vec<Row>) {
        if !rows.is_empty() {
            self.transcript.remark(rows);
        }
    }

    pub(super) fn on_fault(&mut self, fault: &signoff_llm::session::Fault) {
        if !self.status.is_ready() {
            self.background.start_failed();
            self.transcript.keep_header();
        }
        // A prompt typed ahead was meant for an answer that will not come.
        if fault.kind == FaultKind::Provider {
            self.conversation.give_queue_back(&self.status);
        }
    }

    fn on_turn_end(&mut self, end: TurnEnd) {
        self.transcript.stop_calls();
        self.transcript.close_text();
        self.focus.permission_is_over(None);
        self.conversation.note_end(end);
        let why = match self.pending() {
            0 => "done".to_owned(),
            pending => words::waiting(pending, 0),
        };
        self.call(&why);
        if let Some(rows) = event_lines::ended(end) {
            self.transcript.lines(rows);
        }
        match end {
            TurnEnd::Review if self.conversation.runs_command() => {}
            TurnEnd::Review => {
                self.transcript.name_question();
                self.focus
                    .offer_review_again(self.conversation.composer(), self.review.list());
            }
            TurnEnd::Cancelled | TurnEnd::Failed => {
                self.status.stopped();
                self.conversation.give_queue_back(&self.status);
            }
            TurnEnd::Done => {
                if self.conversation.propose_plan(self.status.conversation()) {
                    let send = self.keys.name(Context::Composer, "send");
                    let said = format!("Edit the plan; {send} carries it out, step by step");
                    self.status.say(said);
                }
            }
            TurnEnd::Limit | TurnEnd::Unmet => {}
        }
        self.conversation.turn_ended();
    }

    /// A key that was on its way answers no proposal that came meanwhile.
    pub(super) fn guard_news(&mut self) {
        if self.review.take_news() {
            self.focus.guard_news();
        }
    }
}
