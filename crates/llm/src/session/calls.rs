//! Handling the results of calls.
//!
//! In: results. Out: each call's one answer, what was staged, and when all are answered the
//! next request.

use signoff_core::stage::review::StagedProposals;
use signoff_sandbox::waiting_commits::SettledChange;

use super::turn::by_example::Retrial;
use super::turn::permission_prompt::Permitted;
use super::turn::reply::Stopped;
use super::turn::round::{Round, RoundOutcome, Withdrawn};
use super::user_command;
use super::{AgentQuestion, CallEvent, Effect, Event, Grant, Phase, Session};
use crate::gate;
use crate::message::{CallId, TargetFile, ToolCall};
use crate::notice::{Limit, Notice};
use crate::tool::{Aside, PreparedCall, Reach, ToolOutput};

impl Session {
    /// Takes the result of a call.
    pub(super) fn tool_done(
        &mut self,
        call: &CallId,
        mut output: ToolOutput,
        took_ms: Option<u64>,
    ) {
        let running = self
            .turns
            .round_mut()
            .and_then(|round| round.end(call, took_ms));
        let may_have_changed = self.review.end_change(call);
        let written = output.written;
        self.agent_questions.forget(call, &mut self.outbox);
        let Some(running) = running else {
            // A call of a cancelled turn; what it staged nevertheless is shown.
            if may_have_changed {
                self.show_deeds(call, &output);
                self.review.hunks_mut().forget(&output.deeds.rewritten);
                self.show_staged(*output.staged, written);
                self.settle();
            }
            return;
        };
        let staged = output.staged.clone();
        let changes: Vec<SettledChange> = output.deeds.commit.take().into_iter().collect();
        if !changes.is_empty() {
            self.ledger.tell(Notice::Commits { changes });
        }
        self.note_changes(&running, &output);
        self.review.hunks_mut().forget(&output.deeds.rewritten);
        self.show_deeds(call, &output);
        let mut output = match self.turns.current_mut() {
            Some(turn) => turn.take_result(&running, output, &self.config.tools, &mut self.ledger),
            None => output,
        };
        let said = output.said.take();
        self.ledger.answer_call(
            (call, &running.call().name),
            output,
            took_ms,
            &mut self.outbox,
        );
        if let Some(turn) = self.turns.current_mut() {
            turn.stage(&staged);
            // No model sums up what the user had an agent do.
            if let Some(text) = said.filter(|_| turn.is_command()) {
                self.outbox.emit(Event::Text { text });
            }
        }
        self.show_staged(*staged, written);
        self.go_on();
    }

    /// Takes note of what a call changed beside staging, and of the tests that it ran.
    fn note_changes(&mut self, running: &PreparedCall, output: &ToolOutput) {
        self.changes.forget(&output.deeds.rewritten);
        if !output.deeds.changed.is_empty() {
            self.changes.others_changed();
        }
        let name = &running.call().name;
        match running.reach() {
            // An agent, or a tool of a server, may run tests too.
            Reach::Execute | Reach::Delegate => {
                let line = running.input().filter(|_| name == user_command::TOOL);
                let printed = output.printed.as_deref();
                self.changes.ran(line.unwrap_or(name), output.ok, printed);
            }
            Reach::Observe | Reach::Stage => {}
        }
    }

    /// Begins the calls that may begin, or takes the next step if all are answered.
    pub(super) fn go_on(&mut self) {
        let Some((id, requests)) = self
            .turns
            .current()
            .map(|turn| (turn.id(), turn.requests()))
        else {
            return;
        };
        let Some(round) = self.turns.round_mut() else {
            return;
        };
        for call in round.begin() {
            if call.reach() != Reach::Observe {
                self.review.begin_change(call.call().id.clone());
            }
            if let Some(input) = call.input().map(str::to_owned) {
                let ToolCall { id, name, .. } = call.call().clone();
                self.outbox.emit(CallEvent::Input {
                    call: id,
                    tool: name,
                    input,
                });
            }
            self.outbox.want(Effect::RunTool { turn: id, call });
        }
        round.ask_permission(&mut self.outbox);
        if round.is_over() {
            let outcome = std::mem::take(round).close();
            self.next_request(outcome, requests);
        }
    }

    /// Holds a call back that a hook has the user asked about.
    pub(super) fn hold_call(&mut self, call: &CallId, why: &str) {
        self.outbox.inform(why);
        if !self.config.attended {
            let why = format!("{why}, and this run is not attended");
            return self.tool_done(call, refused_by_hook(&why), None);
        }
        self.review.end_change(call);
        if let Some(round) = self.turns.round_mut() {
            round.hold(call);
        }
        self.go_on();
    }

    /// Counts what an agent used for the turn, and ends the agents where that is more than the turn may use.
    pub(super) fn agent_spent(&mut self, aside: Aside) {
        self.ledger.count_aside(Some(aside), &mut self.outbox);
        let spent = self.ledger.usage().turn();
        if self.config.limit(0, spent).is_none() {
            return;
        }
        let running = self.turns.round().into_iter().flat_map(Round::running);
        for call in running.filter(|call| call.reach() == Reach::Delegate) {
            let call = call.call().id.clone();
            self.outbox.want(Effect::CancelCall { call });
        }
    }

    /// Takes a question of an agent. One whose agent was stopped meanwhile is not asked.
    pub(super) fn agent_asks(&mut self, question: AgentQuestion) {
        let round = self.turns.round();
        if round.is_some_and(|round| round.is_running(&question.delegate)) {
            self.agent_questions.add(question, &mut self.outbox);
        }
    }

    /// Takes the user's word on a question of trust, or on a call, of an agent or of the conversation.
    pub(super) fn permit(&mut self, id: &CallId, grant: Grant) {
        if self.answer_trust(id, &grant)
            || self.agent_questions.answer(id, &grant, &mut self.outbox)
        {
            return;
        }
        let policy = &mut self.config.policy;
        let permitted = match self.turns.round_mut() {
            Some(round) => round.permit(id, grant, policy),
            None => Permitted::NotAsked,
        };
        match permitted {
            Permitted::NotAsked => self
                .outbox
                .misused("this call does not wait for permission any more"),
            Permitted::Granted => self.go_on(),
            Permitted::Refused {
                call,
                output,
                ends_turn,
            } => {
                let call = call.call();
                if let Some(turn) = self.turns.current_mut() {
                    turn.compare(call, None, &output);
                }
                self.answer(call, output);
                if ends_turn {
                    self.cancel()
                } else {
                    self.go_on()
                }
            }
        }
    }

    /// Stops one call, or the newest that is not answered.
    pub(super) fn cancel_call(&mut self, wanted: Option<&CallId>) {
        let stopped = match self.turns.any_reply() {
            Some(reply) => match reply.stop_call(wanted) {
                Some(Stopped::Streaming) => return self.cut_short(),
                Some(Stopped::Whole) => true,
                None => false,
            },
            None => self.withdraw(wanted),
        };
        if !stopped {
            self.outbox.inform("no call runs that could be stopped");
        }
    }

    /// Stops a call that waits or runs. One that may be changing something is told to stop and
    /// answers for itself: it may be done by now.
    fn withdraw(&mut self, wanted: Option<&CallId>) -> bool {
        let round = self.turns.round_mut();
        let Some(withdrawn) = round.and_then(|round| round.stop(wanted)) else {
            return false;
        };
        match withdrawn {
            Withdrawn::Waiting(call) => self.answer(call.call(), cancelled()),
            Withdrawn::Looking(call) => {
                let id = call.call().id.clone();
                self.outbox.want(Effect::CancelCall { call: id });
                self.answer(call.call(), cancelled());
            }
            Withdrawn::Changing(id) => {
                if let Some(turn) = self.turns.current_mut() {
                    turn.excuse(id.clone());
                }
                self.outbox.want(Effect::CancelCall { call: id });
            }
        }
        self.go_on();
        true
    }

    /// Shows what a call did besides answering.
    fn show_deeds(&mut self, call: &CallId, output: &ToolOutput) {
        if !output.deeds.changed.is_empty() {
            self.outbox.emit(Event::Changed {
                call: call.clone(),
                files: output.deeds.changed.clone(),
            });
        }
        if let Some(steps) = output.plan.clone().map(|plan| plan.0) {
            self.turns.going_on.plan(&steps);
            self.outbox.emit(Event::Plan { steps });
        }
    }

    fn next_request(&mut self, outcome: RoundOutcome, requests: u32) {
        let RoundOutcome {
            mut staged,
            failed,
            stuck,
            idle,
            timing,
        } = outcome;
        if timing.calls > 1 {
            self.outbox.emit(Event::Timed(timing));
        }
        // What the user decided meanwhile does not wait any more; another notice tells of it.
        staged.retain(|proposal| self.review.hunks().waits(proposal.id));
        let hunks = self.review.hunks();
        let edits = self
            .turns
            .current()
            .map_or(0, |turn| turn.waiting_edits(hunks));
        let stop = self.turns.modes.now.stop(self.config.stop);
        let phase = gate::after_calls(stop, !staged.is_empty(), !failed.is_empty(), edits);
        let open = phase == Phase::Asking;
        let turn = self.turns.current_mut();
        let (unfinished, edited) = turn.map_or((None, None), |turn| {
            (turn.take_unfinished(), turn.take_edited())
        });
        let is_refused = staged.is_empty();
        let by_user = self.runs_command();
        if !staged.is_empty() {
            self.ledger.flush();
            let proposals = staged;
            self.ledger.note(Notice::Staged {
                proposals,
                open,
                failed,
                by_user,
            });
        }
        if by_user {
            return self.end(self.natural_end());
        }
        let spent = self.ledger.usage().turn();
        let stuck = stuck.map(|tool| Limit::SameFailure { tool });
        let idle = idle.map(|tool| Limit::SameResult { tool });
        let limit = stuck
            .or_else(|| self.config.limit(requests, spent))
            .or(idle);
        let unfinished = unfinished.filter(|_| limit.is_none());
        if let Some(limit) = limit.filter(|_| open) {
            return self.stop_at(limit);
        }
        match (unfinished, edited) {
            (Some(target), _) => self.ask_to_mend(target),
            (None, Some(_)) if phase == Phase::Closing => self.close(),
            (None, Some(target)) if is_refused => {
                if !self.ask_in_next_form(target) {
                    self.close();
                }
            }
            (None, _) => self.ask(phase),
        }
    }

    /// Asks for the rest of an edit.
    fn ask_to_mend(&mut self, target: TargetFile) {
        self.outbox.inform(&format!(
            "the edit of {} leaves names undefined; asking for the rest of it",
            target.name()
        ));
        self.ask_by_example(target);
        self.ask(Phase::Asking);
    }

    /// Asks again after an answer that is no edit, or one that was refused. Returns whether it does.
    pub(super) fn ask_in_next_form(&mut self, target: TargetFile) -> bool {
        match Retrial::after(target) {
            Retrial::Whole { said, target } => {
                self.outbox.inform(&said);
                self.ask_by_example(target);
            }
            Retrial::WithTools { said, notice } => {
                self.outbox.inform(&said);
                self.ledger.note(notice);
            }
            Retrial::Never { said } => {
                self.outbox.inform(&said);
                return false;
            }
        }
        self.ask(Phase::Asking);
        true
    }

    fn ask_by_example(&mut self, target: TargetFile) {
        if let Some(turn) = self.turns.current_mut() {
            turn.ask_by_example(target);
        }
    }

    /// Shows what a call staged; some of it was written since where `is_written`.
    fn show_staged(&mut self, staged: StagedProposals, is_written: bool) {
        if !staged.is_empty() {
            self.changes.stage(&staged);
            if let Some(turn) = self.turns.current_mut() {
                turn.count_staged(&staged);
            }
            self.turns.check.outdate(&mut self.outbox);
            let is_over = self.turns.is_leaving();
            self.review
                .stage(staged, is_written, is_over, &mut self.outbox);
        }
    }
}

/// Returns the answer to a call that a hook would have the user asked about, where nobody is there.
fn refused_by_hook(why: &str) -> ToolOutput {
    let content = format!("refused: {why}. It was not run, and nothing was changed.");
    ToolOutput::failed(content, "refused: a hook asks for your permission")
}

/// Returns the answer to a call that the user stopped.
pub(super) fn cancelled() -> ToolOutput {
    ToolOutput::failed(
        "cancelled: the user stopped this one call. Nothing was changed by it. Do not make it \
         again unless asked; go on with the rest of the request, or say what you need.",
        "stopped by you; the turn goes on",
    )
}
