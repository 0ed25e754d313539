//! Updates from session events.
//!
//! In: [`Event`]s. Out: changed panes, and questions back to the session. One match names every event, so that a new
//! one does not compile until it is shown or left out on purpose.

use std::sync::Arc;

use signoff_checks::check::CheckReport;
use signoff_core::id::HunkId;
use signoff_core::stage::review::AnswerEnd;
use signoff_core::stage::review::critique::CritiqueEvent;
use signoff_core::stage::review::{ReviewListing, StagedProposals};
use signoff_llm::foreign::ServersReport;
use signoff_llm::message::CallId;
use signoff_llm::plan::Deviation;
use signoff_llm::provider::About;
use signoff_llm::session::{
    Command, CommittedFile, Event, FaultKind, NamedSkill, Phase, RewindFiles, RewindScope, TurnEnd,
    TurnSummary,
};

use super::permission_prompt::PermissionPrompt;
use super::{App, AppEffect, Query, critique_notes, notes};
use crate::app::keymap::Context;
use crate::review::sign_off::SignOffStage;
use crate::review::words;
use crate::wrap::Row;

impl App {
    /// Takes over one event.
    pub(super) fn on_event(&mut self, event: Event) {
        if !matches!(event, Event::Stalled { .. }) {
            self.status.heard(self.now);
        }
        match event {
            Event::Ready { about, hint } => self.on_ready(about, hint),
            Event::Skills { skills } => self.on_skills(skills),
            Event::Hooks { lines } => self.status.know_hooks(lines),
            Event::Servers(report) => self.on_servers(report),
            Event::Agents { agents } => self.transcript.lines(notes::agents(&agents)),
            Event::Phase { phase } => self.on_phase(phase),
            Event::User { text } => self.transcript.user(&text),
            Event::Images { images } => self.transcript.lines(notes::images(&images)),
            Event::Unsent { text } => self.conversation.give_back(&text),
            Event::Text { text } => self.on_text(&text),
            Event::Reasoning { text } => self.on_reasoning(&text),
            Event::CallStarted { call, tool } => self.on_call_started(call, tool),
            Event::Named { call, path } => self.transcript.call_named(&call, path),
            Event::Described { call, description } => {
                self.transcript.call_described(&call, description);
            }
            Event::Intent {
                call,
                path,
                operation,
                description,
            } => self
                .transcript
                .call_announced(&call, path, operation, description),
            Event::Progress { call, lines } => self.transcript.call_progress(&call, lines),
            Event::PermissionAsked {
                call,
                tool,
                subject,
            } => self.on_permission_asked(call, tool, &subject),
            Event::CallInput { call, input, .. } => self.transcript.call_input(&call, input),
            Event::CallStreams { call, streams } => self.transcript.call_ended(&call, streams),
            Event::CallOutput { call, tail, lines } => {
                self.transcript.call_printed(&call, &tail, lines);
            }
            Event::Changed { files, .. } => self.on_written(notes::changed(&files)),
            Event::Plan { steps } => self.transcript.lines(notes::plan(&steps)),
            Event::PlanDeviation { step, deviation } => self.on_deviation(step, &deviation),
            Event::CallDone {
                call,
                tool,
                ok,
                summary,
                took_ms,
            } => self.on_call_done(&call, tool, ok, notes::answered(summary, took_ms)),
            Event::Timed(timing) => self.transcript.lines(notes::timed(timing)),
            Event::Staged(staged) => self.on_staged(staged),
            Event::Review(list) => self.on_review(list),
            Event::Decided {
                committed,
                approved,
                denied,
                pending,
            } => self.on_decided(&committed, (approved, denied), pending),
            Event::Undecided => self.on_undecided(),
            Event::Asked { hunk, path, text } => self.review.asked(hunk, &path, &text),
            Event::Answered { hunk, text, end } => self.on_answered(hunk, &text, end.as_ref()),
            Event::Reverted { path, summary } => self.on_written(notes::reverted(&path, &summary)),
            Event::Retrying {
                reason,
                attempt,
                wait_ms,
            } => self.on_retrying(&reason, attempt, wait_ms),
            Event::Stalled { seconds } => self.stalled(seconds),
            Event::Compacted { before, after } => self.on_compacted(before, after),
            Event::Session { id, prompts, .. } => self.on_session(&id, prompts),
            Event::Earlier { speaker, text } => self.transcript.said_before(speaker, &text),
            Event::Prompts { prompts } => self.on_prompts(prompts),
            Event::RewindScope(scope) => self.on_rewind_scope(scope),
            Event::Rewound { prompt, with_files } => self.on_rewound(&prompt, with_files),
            Event::Attached { files, likely } => self.on_attached(&files, &likely),
            Event::Checking => self.on_checking(),
            Event::CheckBegins { step } => self.background.check_begins(step),
            Event::Checked { report } => self.on_checked(&report),
            Event::Critique(event) => self.on_critique(&event),
            Event::Info { text } => self.transcript.remark(notes::info(&text)),
            Event::Fault(fault) => self.on_fault(&fault),
            // What a request took is in the sum that `Spent` tells.
            Event::Used(_) => {}
            Event::Spent {
                session, context, ..
            } => self.status.spent(session, context),
            Event::Mode { mode } => self.conversation.mode = mode,
            Event::LeftUndone { staged, edits } => self.tell(notes::left_undone(staged, &edits)),
            Event::TurnSummary(summary) => self.on_turn_summary(summary),
            Event::TurnEnded { end } => self.on_turn_end(end),
        }
    }

    fn on_phase(&mut self, phase: Phase) {
        self.status.set_phase(phase, self.now);
        if self.status.is_busy() {
            self.attention.runs(self.now);
        }
        // What the model does next is not to be hidden by what was written.
        if self.status.is_busy() {
            self.focus.close_sign_off(SignOffStage::Written);
        }
    }

    fn on_compacted(&mut self, before: u64, after: u64) {
        let line = notes::compacted(before, after);
        self.transcript.lines(notes::info(&line));
    }

    fn on_text(&mut self, text: &str) {
        self.status.flowing();
        self.conversation.hear(text);
        self.transcript.text(text);
    }

    fn on_reasoning(&mut self, text: &str) {
        self.status.flowing();
        self.transcript.reasoning(text);
    }

    fn on_call_started(&mut self, call: CallId, tool: String) {
        self.conversation.acts();
        self.transcript.call_started(call, tool);
    }

    fn on_call_done(&mut self, call: &CallId, tool: String, ok: bool, summary: String) {
        self.places.outdate(!ok);
        self.focus.permission_is_over(Some(call));
        self.transcript.call_done(call, tool, ok, summary);
    }

    fn on_permission_asked(&mut self, call: CallId, tool: String, subject: &str) {
        self.transcript.lines(notes::permission(&tool, subject));
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

    /// Takes over what became of verdicts.
    fn on_decided(
        &mut self,
        committed: &[CommittedFile],
        (approved, denied): (usize, usize),
        pending: usize,
    ) {
        self.background.wrote();
        self.review.decided(approved, denied);
        self.close_empty_review();
        let rows = notes::decided(committed, approved, denied, pending);
        self.focus.signed_off(&rows, !committed.is_empty());
        self.on_written(rows);
    }

    fn on_deviation(&mut self, step: usize, deviation: &Deviation) {
        self.transcript.remark(notes::deviation(step, deviation));
    }

    /// Says what was written to files: the history has it too.
    fn on_written(&mut self, rows: Vec<Row>) {
        self.outdate_diff();
        self.transcript.lines(rows);
        self.query(Query::History);
    }

    fn on_staged(&mut self, staged: StagedProposals) {
        self.places.outdate(false);
        self.transcript.lines(notes::staged(&staged));
        self.relist(staged.listing);
        self.focus.close_sign_off(SignOffStage::Written);
        (self.focus).offer_review(self.conversation.composer(), self.review.list());
    }

    fn on_review(&mut self, listing: ReviewListing) {
        self.relist(listing);
        self.close_empty_review();
    }

    fn relist(&mut self, listing: ReviewListing) {
        self.outdate_diff();
        let dropped = self.review.set(Arc::unwrap_or_clone(listing.proposals));
        self.tell(notes::unmarked(&dropped));
        self.renew_sign_off();
        self.guard_news();
    }

    /// Gives the keys back to the composer as soon as nothing is left to review.
    fn close_empty_review(&mut self) {
        if self.review.list().is_empty() {
            self.focus.close_review(self.review.list());
        }
    }

    fn on_undecided(&mut self) {
        self.background.wrote();
        let dropped = self.review.undecided();
        self.focus.signed_off(&[], false);
        self.tell(notes::unmarked(&dropped));
    }

    fn on_checking(&mut self) {
        self.background.checks(self.now);
        self.review.checking();
        self.renew_sign_off();
    }

    fn on_checked(&mut self, report: &CheckReport) {
        self.transcript.lines(notes::checked(report));
        self.review.checked(report);
        self.renew_sign_off();
    }

    /// Takes over what the review agent does. The user need not wait for it: the selection and the line at the top stay.
    fn on_critique(&mut self, event: &CritiqueEvent) {
        self.background.critique(event, self.now);
        self.review.critique(event);
        match event {
            CritiqueEvent::Began { hunks, left_out } => {
                self.transcript
                    .lines(critique_notes::began(hunks.len(), *left_out));
            }
            CritiqueEvent::Comment(_) => {}
            CritiqueEvent::Ended(report) => self.transcript.lines(critique_notes::ended(report)),
        }
    }

    fn on_session(&mut self, id: &str, prompts: usize) {
        // The first one of a run needs no word unless it goes on.
        if self.conversation.know() || prompts > 0 {
            self.transcript.lines(notes::session(id, prompts));
        }
    }

    fn on_turn_summary(&mut self, summary: TurnSummary) {
        let seconds = self.status.elapsed(self.now);
        // A check that still runs says what it found in a line of its own.
        let checks = self.review.checks().found();
        let rows = notes::summary(summary, checks, seconds);
        self.transcript.lines(rows);
    }

    /// Says on an open sign-off page what the marks come to by now.
    fn renew_sign_off(&mut self) {
        let said = self.focus.renew_sign_off(&self.review);
        self.say(said);
    }

    /// Takes a piece of the model's answer about a hunk; once it is over, the transcript has question and answer.
    fn on_answered(&mut self, hunk: HunkId, text: &str, end: Option<&AnswerEnd>) {
        let rows = self.review.answered(hunk, text, end);
        if !rows.is_empty() {
            self.transcript.lines(rows);
        }
    }

    fn on_attached(&mut self, files: &[(String, usize)], likely: &[String]) {
        self.conversation.know_attached(files);
        self.transcript.lines(notes::attached(files, likely));
    }

    fn on_prompts(&mut self, prompts: Vec<String>) {
        let said = self.conversation.offer_prompts(prompts);
        self.say(said);
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

    fn on_rewound(&mut self, prompt: &str, with_files: bool) {
        self.transcript.remark(notes::rewound(prompt, with_files));
        self.conversation.give_back(prompt);
    }

    fn tell(&mut self, rows: Vec<Row>) {
        if !rows.is_empty() {
            self.transcript.remark(rows);
        }
    }

    fn on_skills(&mut self, skills: Vec<NamedSkill>) {
        self.conversation.know_skills(skills, &self.history);
    }

    fn on_servers(&mut self, report: ServersReport) {
        self.tell(notes::servers(&report.lines));
        self.conversation.know_servers(report);
    }

    fn on_ready(&mut self, about: About, hint: Option<String>) {
        self.status.ready(about);
        if let Some(hint) = hint {
            self.transcript.lines(notes::info(&hint));
        }
        self.query(Query::History);
        self.ask(Command::Review);
    }

    fn on_retrying(&mut self, reason: &str, attempt: u32, wait_ms: u64) {
        let seconds = wait_ms.div_ceil(1000);
        self.status
            .retrying(format!("attempt {attempt} in {seconds} s"));
        let line = format!("{reason}; attempt {attempt} in {seconds} s");
        self.transcript.lines(notes::info(&line));
    }

    pub(super) fn on_fault(&mut self, fault: &signoff_llm::session::Fault) {
        self.transcript.remark(notes::fault(fault));
        self.status.settled();
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
        let why = match self.pending() {
            0 => "done".to_owned(),
            pending => words::waiting(pending, 0),
        };
        self.call(&why);
        if let Some(rows) = notes::ended(end) {
            self.transcript.lines(rows);
        }
        match end {
            TurnEnd::Review => self
                .focus
                .offer_review_again(self.conversation.composer(), self.review.list()),
            TurnEnd::Cancelled | TurnEnd::Failed => {
                self.status.stopped();
                self.conversation.give_queue_back(&self.status);
            }
            TurnEnd::Done => {
                if self.conversation.propose_plan() {
                    let send = self.keys.name(Context::Composer, "send");
                    let said = format!("Edit the plan; {send} carries it out, step by step");
                    self.status.say(said);
                }
            }
            TurnEnd::Limit | TurnEnd::Unmet => {}
        }
    }

    /// Says that the server is silent, and which key asks again.
    fn stalled(&mut self, seconds: u64) {
        let retry = self.keys.name(Context::Anywhere, "retry");
        self.transcript.remark(notes::stalled(seconds, &retry));
    }

    /// A key that was on its way answers no proposal that came meanwhile.
    fn guard_news(&mut self) {
        if self.review.take_news() {
            self.focus.guard_news();
        }
    }
}
