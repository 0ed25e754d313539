//! Updates from session events.
//!
//! In: [`Event`]s. Out: changed panes, and questions back to the session.

use signoff_llm::session::{Command, Event, FaultKind, Speaker, TurnEnd};

use super::focus::{Focus, Pane};
use super::keys::STOPPING;
use super::type_ahead::Cause;
use super::{App, notes};
use crate::wrap::Row;

impl App {
    /// Takes over one event.
    pub(super) fn on_event(&mut self, event: Event) -> Vec<Command> {
        if !matches!(event, Event::Stalled { .. }) {
            self.status.heard(self.now);
        }
        match event {
            Event::Ready { about, hint } => return self.on_ready(about, hint),
            Event::Phase { phase } => self.status.set_phase(phase, self.now),
            Event::User { text } => self.transcript.user(&text),
            Event::Text { text } => {
                self.status.flowing();
                self.said.push_str(&text);
                self.transcript.text(&text);
            }
            Event::Reasoning { text } => {
                self.status.flowing();
                self.transcript.reasoning(&text);
            }
            Event::CallStarted { call, tool } => {
                // What was said before is no plan.
                self.said.clear();
                self.transcript.call_started(call, tool);
            }
            Event::Named { call, path } => {
                let description = String::new();
                self.transcript
                    .call_announced(&call, path, None, description);
            }
            Event::Described { call, description } => {
                let path = String::new();
                self.transcript
                    .call_announced(&call, path, None, description);
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
            } => {
                self.transcript.lines(notes::permission(&tool, &subject));
                self.ask_permission(call, tool, &subject);
            }
            Event::CallInput { call, input, .. } => self.transcript.call_input(&call, input),
            Event::CallStreams { call, streams } => self.transcript.call_ended(&call, streams),
            Event::CallOutput { call, tail, lines } => {
                self.transcript.call_printed(&call, &tail, lines);
            }
            Event::Plan { steps } => self.transcript.lines(notes::plan(&steps)),
            Event::CallDone {
                call,
                tool,
                ok,
                mut summary,
                took_ms,
            } => {
                self.permission_is_over(Some(&call));
                if let Some(took) = took_ms {
                    summary += &format!("  {}", notes::took(took));
                }
                self.transcript.call_done(&call, tool, ok, summary);
            }
            Event::Spent {
                session, context, ..
            } => self.status.spent(session, context),
            Event::Info { text } => self.transcript.lines(notes::info(&text)),
            Event::Retrying {
                reason,
                attempt,
                wait_ms,
            } => self.on_retrying(&reason, attempt, wait_ms),
            Event::History { entries } => self.history.set(entries),
            Event::RevertPreview(preview) => self.on_foreseen(preview),
            Event::Coloured(colours) => self.review.coloured(colours),
            event => return self.on_change(event),
        }
        Vec::new()
    }

    /// Takes over what concerns the conversation as a whole.
    fn on_conversation(&mut self, event: Event) {
        match event {
            Event::Stalled { seconds } => {
                let line = format!("no data for {seconds} s: Ctrl-R asks again, Esc stops");
                self.transcript.lines(notes::info(&line));
            }
            Event::Compacted { before, after } => {
                let line = notes::compacted(before, after);
                self.transcript.lines(notes::info(&line));
            }
            Event::Session { id, prompts, .. } => {
                // The first one of a run needs no word unless it goes on.
                if prompts > 0 || self.in_session {
                    self.transcript.lines(notes::session(&id, prompts));
                }
                self.in_session = true;
            }
            Event::Earlier { speaker, text } => match speaker {
                Speaker::User => self.transcript.user(&text),
                Speaker::Model => self.transcript.text(&format!("{text}\n\n")),
            },
            Event::Sessions { sessions } => {
                self.transcript.lines(notes::sessions(&sessions));
            }
            _ => {}
        }
    }

    /// Takes over what changes the review list, the files or the turn.
    fn on_change(&mut self, event: Event) -> Vec<Command> {
        match event {
            Event::Staged { proposals } => {
                self.transcript.lines(notes::staged(&proposals));
                let dropped = self.review.add(proposals);
                self.tell(notes::unmarked(&dropped));
                self.guard_news();
                self.offer_review();
            }
            Event::Review { proposals } => {
                let dropped = self.review.set(proposals);
                self.tell(notes::unmarked(&dropped));
                self.guard_news();
                if self.review.is_empty() {
                    self.close_review();
                }
            }
            Event::Attached { files, likely } => {
                self.transcript.lines(notes::attached(&files, &likely));
            }
            Event::Checking => self.review.checking(),
            Event::Checked { report } => {
                self.transcript.lines(notes::checked(&report));
                self.review.checked(&report);
            }
            Event::Changed { files, .. } => {
                self.transcript.lines(notes::changed(&files));
                return vec![Command::History];
            }
            Event::Decided {
                committed,
                approved,
                denied,
                pending,
            } => {
                self.decided.approved += approved;
                self.decided.denied += denied;
                let rows = notes::decided(&committed, approved, denied, pending);
                self.transcript.lines(rows);
                self.review.decided();
                return vec![Command::History];
            }
            Event::Undecided => {
                let dropped = self.review.undecided();
                self.tell(notes::unmarked(&dropped));
            }
            Event::Reverted { path, summary } => {
                self.transcript.lines(notes::reverted(&path, &summary));
                return vec![Command::History];
            }
            Event::Fault(fault) => self.on_fault(&fault),
            Event::Mode { mode } => self.mode = mode,
            Event::LeftUndone { staged, edits } => {
                self.transcript.lines(notes::left_undone(staged, &edits));
            }
            Event::TurnSummary(summary) => {
                let seconds = self.status.elapsed(self.now);
                // A check that still runs says what it found in a line of its own.
                let checks = self.review.found_by_checks();
                let rows = notes::summary(summary, checks, seconds);
                self.transcript.lines(rows);
            }
            Event::Timed(timing) => self.transcript.lines(notes::timed(timing)),
            Event::TurnEnded { end } => self.on_turn_end(end),
            event => self.on_conversation(event),
        }
        Vec::new()
    }

    fn tell(&mut self, rows: Vec<Row>) {
        if !rows.is_empty() {
            self.transcript.lines(rows);
        }
    }

    fn on_ready(
        &mut self,
        about: signoff_llm::provider::About,
        hint: Option<String>,
    ) -> Vec<Command> {
        self.status.ready(about);
        if let Some(hint) = hint {
            self.transcript.lines(notes::info(&hint));
        }
        vec![Command::Review, Command::History]
    }

    fn on_retrying(&mut self, reason: &str, attempt: u32, wait_ms: u64) {
        let seconds = wait_ms.div_ceil(1000);
        self.status
            .retrying(format!("attempt {attempt} in {seconds} s"));
        let line = format!("{reason}; attempt {attempt} in {seconds} s");
        self.transcript.lines(notes::info(&line));
    }

    fn on_fault(&mut self, fault: &signoff_llm::session::Fault) {
        self.transcript.lines(notes::fault(fault));
        self.status.settled();
        // A prompt typed ahead was meant for an answer that will not come.
        if fault.kind == FaultKind::Provider {
            self.give_queue_back();
        }
    }

    fn on_turn_end(&mut self, end: TurnEnd) {
        self.transcript.stop_calls();
        self.permission_is_over(None);
        if let Some(rows) = notes::ended(end) {
            self.transcript.lines(rows);
        }
        match end {
            TurnEnd::Review if self.pane != Pane::Dismissed => self.offer_review(),
            TurnEnd::Cancelled | TurnEnd::Failed => {
                if self.status.notice() == Some(STOPPING) {
                    self.status.hush();
                }
                self.give_queue_back();
            }
            TurnEnd::Done => self.offer_plan(),
            TurnEnd::Review | TurnEnd::Limit | TurnEnd::Unmet => {}
        }
    }

    /// A key that was on its way answers no proposal that came meanwhile.
    fn guard_news(&mut self) {
        if self.review.take_news() && self.focus == Focus::Review {
            self.type_ahead.begin(Cause::Opened);
        }
    }

    /// Shows the review, unless the user is in the middle of something else. It takes the keyboard
    /// once nothing was typed for a while.
    fn offer_review(&mut self) {
        let undisturbed = self.focus == Focus::Composer
            && self.composer.is_empty()
            && self.dialog.is_none()
            && self.overlay.is_none();
        if undisturbed && self.review.pending() > 0 {
            self.pane = Pane::Open;
            self.type_ahead.offered = true;
        }
    }
}
