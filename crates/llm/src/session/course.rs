//! Course of a turn: how it begins, asks, and ends.
//!
//! In: a reason to begin, and one to end. Out: requests, and the end. What comes of a request
//! is in `answer`, what comes of its calls in `calls`.

use std::time::Duration;

use signoff_checks::check::CheckReport;
use signoff_core::engine::Decision;
use signoff_core::plural::counted;
use signoff_core::stage::review::ReviewListing;
use signoff_sandbox::waiting_commits::SettledChange;

use super::ledger::UserPrompt;
use super::review::CarriedOut;
use super::turn::by_example::Example;
use super::turn::round::Round;
use super::turn::{Beginning, Rest, Step, Turn};
use super::user_command;
use super::{
    CallEvent, CheckPolicy, CritiqueNews, CritiquePolicy, CritiqueScope, Effect, Event, Fault,
    FaultKind, Phase, Session, TurnEnd, TurnId, checks, regenerating,
};
use crate::claims::JudgedSentence;
use crate::gate;
use crate::image::NamedImages;
use crate::message::ToolCall;
use crate::mode::Mode;
use crate::notice::{Interruption, Limit, Notice};
use crate::tool::{Reach, ToolOutput};
use crate::transcript::ASKS_NOTHING;
use crate::usage::dollars;
use crate::verified::Wanted;

/// Prompts that the review agent is told of.
const MOST_PROMPTS: usize = 3;

impl Session {
    /// Begins a turn; none may be running.
    pub(super) fn begin(&mut self, beginning: Beginning) {
        if let Some(notice) = self.review.hunks().notice() {
            self.ledger.note(notice);
        }
        let (example, only) = match beginning {
            Beginning::Prompt(prompt) => {
                let hunk = prompt.about.as_ref().map(|about| vec![about.hunk.id]);
                (self.take_prompt(prompt), hunk)
            }
            Beginning::Notices => (self.turns.first_request.take(None), None),
            Beginning::Again => {
                let only = self.turns.take_limit();
                (self.turns.first_request.take(None), only)
            }
        };
        self.open_turn(example);
        if let Some(turn) = self.turns.current_mut() {
            turn.limit_to(only);
        }
        self.ask(Phase::Asking);
    }

    fn take_prompt(&mut self, mut prompt: UserPrompt) -> Example {
        // A request by example would hold the whole file, of which all but one hunk is to stay.
        let whole = Some(&prompt).filter(|prompt| prompt.about.is_none());
        let example = self.turns.first_request.take(whole);
        if let Some(about) = &prompt.about {
            prompt.text = regenerating::prompt(about);
        }
        self.changes.begin_prompt();
        self.turns.going_on.begin();
        self.ledger.append_prompt(prompt, &mut self.outbox);
        example
    }

    fn open_turn(&mut self, example: Example) {
        self.ledger.begin_turn();
        self.turns.open(example);
    }

    /// Sends a request in the given phase.
    pub(super) fn ask(&mut self, phase: Phase) {
        self.ask_after(phase, Duration::ZERO);
    }

    /// Sends a request in the given phase after a pause.
    pub(super) fn ask_after(&mut self, phase: Phase, pause: Duration) {
        self.ledger.flush();
        self.ledger.make_room(self.review.hunks(), &mut self.outbox);
        let request = self.outbox.next_request();
        self.turns.ask(request, phase);
        self.turns.enter(phase, &mut self.outbox);
        let target = self.turns.current().and_then(|turn| turn.target().cloned());
        let prompt = self.ledger.prompt(
            &self.config.instructions,
            (self.config.tools.specs(), gate::tool_choice(phase)),
            target,
        );
        self.outbox.want(Effect::Ask {
            request,
            prompt,
            pause,
        });
    }

    /// Runs a command line of the user's.
    pub(super) fn run_command(&mut self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return self.outbox.misused("the command is empty");
        }
        self.run_by_user(format!("!{line}"), user_command::call(line));
    }

    /// Gives an agent a task of the user's.
    pub(super) fn give_task(&mut self, agent: &str, task: &str) {
        let (agent, task) = (agent.trim(), task.trim());
        self.run_by_user(
            format!("/agent {agent} {task}"),
            user_command::task(agent, task),
        );
    }

    /// Runs a call of the user's, who typed `text`.
    fn run_by_user(&mut self, text: String, call: ToolCall) {
        if self.turns.is_running() || self.turns.is_held() {
            return self
                .outbox
                .misused("the command was not run: something else runs");
        }
        if self.config.tools.reach(&call.name).is_none() {
            return self
                .outbox
                .misused("the command was not run: this conversation has no tool for it");
        }
        self.open_turn(Example::None);
        self.outbox.emit(Event::User { text: text.clone() });
        let prompt = format!("{text}{ASKS_NOTHING}");
        match self.ledger.append_command(prompt, call) {
            Some(call) => self.begin_command(&call),
            None => self.end(TurnEnd::Failed),
        }
    }

    fn begin_command(&mut self, call: &ToolCall) {
        self.outbox.emit(CallEvent::Started {
            call: call.id.clone(),
            tool: call.name.clone(),
        });
        self.turns.enter(Phase::Working, &mut self.outbox);
        let (round, refusal) = match user_command::round(&self.config, call) {
            Ok(round) => (round, None),
            Err(output) => (Round::default(), Some(output)),
        };
        if let Some(turn) = self.turns.current_mut() {
            turn.begin_command(round);
        }
        if let Some(output) = refusal {
            self.answer(call, output);
        }
        self.go_on();
    }

    /// Stops the turn; what is staged stays staged.
    pub(super) fn cancel(&mut self) {
        let natural = self.natural_end();
        let Some(turn) = self.turns.take() else {
            return;
        };
        let id = turn.id();
        let end = if turn.is_checking() || turn.is_critiqued() {
            TurnEnd::Review
        } else if turn.is_judged() {
            natural
        } else {
            TurnEnd::Cancelled
        };
        self.planned.ended(&turn, end, &mut self.outbox);
        match turn.into_step() {
            Step::Checking => {
                self.turns.check.cancel(&mut self.outbox);
                return self.end(end);
            }
            Step::Critique => {
                self.critiques.cancel(&mut self.outbox);
                return self.end(end);
            }
            Step::Claims => return self.end(end),
            Step::Reply(reply) => {
                let request = reply.request();
                self.outbox.want(Effect::CancelRequest { request });
                self.ledger
                    .keep_text(reply.finish().0, "cancelled", &mut self.outbox);
            }
            Step::Round(round) => {
                self.outbox.want(Effect::CancelTools { turn: id });
                self.abandon(round);
            }
        }
        self.ledger.note(Notice::Interrupted {
            by: Interruption::User,
        });
        self.turns.forget_resuming();
        self.end(end);
    }

    /// Ends the turn at a limit.
    pub(super) fn stop_at(&mut self, limit: Limit) {
        self.outbox.inform(&match &limit {
            Limit::SameFailure { tool } => {
                format!("stopped: the model made the same failing call twice ({tool})")
            }
            Limit::SameResult { tool } => {
                format!("stopped: {tool} gave the model the same result three times")
            }
            Limit::Requests { most } => {
                let requests = counted(*most as usize, "request");
                format!("stopped after {requests} in one turn")
            }
            Limit::Tokens { most } => format!("stopped at your limit of {most} tokens in one turn"),
            Limit::Cost { most } => {
                format!("stopped at your limit of {} in one turn", dollars(*most))
            }
        });
        self.ledger.note(Notice::Limit { limit });
        self.end(TurnEnd::Limit);
    }

    /// Ends the turn, and begins the next one if something waits for it.
    pub(super) fn end(&mut self, end: TurnEnd) {
        let mut by_model = false;
        if let Some(turn) = self.turns.take() {
            by_model = !turn.is_command();
            self.planned.ended(&turn, end, &mut self.outbox);
            let tokens = self.ledger.usage().turn().tokens();
            self.outbox.emit_all(turn.closing_events(tokens));
            self.turns.keep_limit(&turn);
        }
        self.turns.set_rest(match end {
            TurnEnd::Failed => Rest::Faulted,
            _ => Rest::Plain,
        });
        self.ledger.end_turn();
        self.dress();
        let plan_goes_on = self.planned.goes_on();
        if let Some(goes_on) = self
            .turns
            .going_on
            .news(plan_goes_on)
            .filter(|_| self.config.attended)
        {
            self.outbox.emit(Event::AfterApproval { goes_on });
        }
        self.outbox.emit(Event::TurnEnded { end });
        self.settle();
        if by_model && end == TurnEnd::Review {
            self.critique_beside();
        }
        self.begin_next();
    }

    /// Begins the turn that waits, if one does.
    pub(super) fn begin_next(&mut self) {
        if let Some(prompt) = self.prompts.next_ready() {
            return self.begin_prompt(prompt);
        }
        if self.turns.resumes() {
            return self.begin(Beginning::Notices);
        }
        self.begin_step();
    }

    /// Carries out a plan step by step, in the mode for that. A text without steps is a prompt.
    pub(super) fn carry_out(&mut self, plan: String) {
        if self.turns.modes.now == Mode::Plan {
            self.set_mode(Mode::Step);
        }
        if !self.planned.approve(&plan) {
            return self.send(plan, NamedImages::default(), None);
        }
        if self.turns.is_running() || self.turns.is_held() {
            self.outbox
                .inform("the plan is carried out when this turn ends");
        } else {
            self.begin_step();
        }
    }

    /// Goes on with a plan that is held.
    pub(super) fn go_on_with_plan(&mut self, skips: bool) {
        let waits = self.review.hunks().is_waiting();
        match self.planned.go_on(waits, skips) {
            Ok(()) if self.turns.is_running() || self.turns.is_held() => {
                self.outbox.inform("the plan goes on when this turn ends");
            }
            Ok(()) => self.begin_step(),
            Err(why) => self.outbox.misused(why),
        }
    }

    /// Begins the turn of the plan's next step, if one is to begin; the check of the step before it goes first.
    fn begin_step(&mut self) {
        if self.turns.is_leaving() || self.turns.is_held() {
            return;
        }
        if let Some(line) = self.planned.next_check() {
            let check = self
                .turns
                .check
                .start(Wanted::StepCheck { line }, &mut self.outbox);
            return self.planned.check_began(check);
        }
        let Some(text) = self.planned.next_prompt(&mut self.outbox) else {
            return;
        };
        let images = Vec::new();
        let about = None;
        self.begin(Beginning::Prompt(UserPrompt {
            text,
            images,
            about,
        }));
        if let Some(turn) = self.turns.current() {
            self.planned.begun(turn.id());
        }
    }

    /// Enters the phase that waits for the right thing, if no turn runs.
    pub(super) fn settle(&mut self) {
        let waits = self.review.hunks().is_waiting();
        self.turns.settle(waits, &mut self.outbox);
    }

    /// Returns how a turn ends whose model has nothing more to say.
    pub(super) fn natural_end(&self) -> TurnEnd {
        self.turns.natural_end(self.review.hunks().is_waiting())
    }

    /// Ends a turn whose model has nothing more to say, and has what it said held against what it did. Where nobody attends,
    /// the turn ends after that.
    pub(super) fn close_after(&mut self, message: String) {
        let is_judged = !self.changes.is_empty() && !message.trim().is_empty();
        let Some(turn) = self.turns.current_mut().filter(|_| is_judged) else {
            return self.close();
        };
        let id = turn.id();
        let waits = !self.config.attended;
        if waits {
            turn.begin_claims();
            self.turns.enter(Phase::Working, &mut self.outbox);
        }
        self.outbox.want(Effect::JudgeClaims {
            turn: id,
            message,
            record: Box::new(self.changes.record()),
        });
        if !waits {
            self.close();
        }
    }

    /// Takes which sentences of a turn's last message hold; those of an earlier turn are no news.
    pub(super) fn claims_judged(&mut self, turn: TurnId, sentences: Vec<JudgedSentence>) {
        let current = self.turns.current();
        let waits = current.is_some_and(|current| current.id() == turn && current.is_judged());
        if self.turns.newest() == turn && !sentences.is_empty() {
            self.outbox.emit(Event::Claims { sentences });
        }
        if waits {
            self.close();
        }
    }

    /// Ends a turn whose model has nothing more to say, once what it staged is checked where errors are to
    /// be repaired.
    pub(super) fn close(&mut self) {
        let end = self.natural_end();
        let (policy, attended) = (self.config.checks, self.config.attended);
        if end != TurnEnd::Review || !policy.checks(attended) {
            return self.end_looked_at(end);
        }
        let waits = self.turns.may_repair(policy) || policy.is_gate(attended);
        self.turns.check.forget_told();
        let wanted = staged_check(attended);
        if let Some(turn) = self.turns.current_mut().filter(|_| waits) {
            turn.begin_check();
            self.turns.enter(Phase::Working, &mut self.outbox);
            self.turns.check.start(wanted, &mut self.outbox);
            return;
        }
        self.turns.check.start(wanted, &mut self.outbox);
        self.end_looked_at(end);
    }

    /// Checks what is left of staged work once a part of it was decided on; nothing where a turn goes on, which ends with a
    /// check of its own.
    fn check_rest(&mut self) {
        let (policy, attended) = (self.config.checks, self.config.attended);
        if self.turns.is_running() || self.turns.is_held() || self.turns.is_leaving() {
            return;
        }
        if self.planned.is_checking() {
            return;
        }
        if !self.review.hunks().is_waiting() {
            self.turns.check.outdate(&mut self.outbox);
        } else if policy.checks(attended) {
            let wanted = staged_check(attended);
            self.turns.check.start(wanted, &mut self.outbox);
        }
    }

    /// Checks what is staged, with all tests, because the user asks.
    pub(super) fn test_all(&mut self) {
        if self.config.checks == CheckPolicy::Off {
            let hint = "remove checks = \"off\" from [turn] of config.toml, or checks = false from .signoff.toml";
            let message = "no tests run: checks are switched off".to_owned();
            self.outbox.fault(FaultKind::Usage, message, hint);
        } else if self.review.hunks().is_waiting() {
            self.turns.check.start(Wanted::AllTests, &mut self.outbox);
        } else {
            self.outbox.misused("nothing waits for a verdict");
        }
    }

    /// Takes what came of a check.
    pub(super) fn checked(&mut self, check: u64, outcome: Result<CheckReport, String>) {
        let ended = self.turns.check.ended(check, outcome, &mut self.outbox);
        let Some(report) = ended else {
            return;
        };
        if self.turns.check.was_for_cause() {
            if !report.new.is_empty() {
                self.ledger.tell(checks::notice(report, false));
            }
            return;
        }
        self.changes.checked(&report);
        let repair = report.errors() > 0 && self.turns.may_repair(self.config.checks);
        let turn = self.turns.current_mut();
        let waiting = turn.filter(|turn| turn.is_checking());
        let waits = waiting.is_some();
        if let Some(turn) = waiting.filter(|_| repair) {
            turn.repair();
            self.outbox
                .inform("the model is told of the new errors and repairs them; Esc stops it");
            self.ledger.note(checks::notice(report, true));
            return self.ask(Phase::Asking);
        }
        let of_step = self.planned.checked(check, &report, &mut self.outbox);
        if self.config.attended && of_step.is_none() && report.breaks_tests() {
            self.turns.check.start(Wanted::Breaking, &mut self.outbox);
        }
        // The prompt of the step says what its check found.
        if of_step.is_none() && self.turns.check.is_news(&report.new) {
            self.ledger.tell(checks::notice(report, false));
        }
        if waits {
            self.end_looked_at(TurnEnd::Review);
        } else if of_step == Some(true) && !self.turns.is_running() {
            self.begin_step();
        }
    }

    /// Ends a turn whose model has nothing more to say; where nobody attends, once the review agent has looked at what it
    /// staged.
    fn end_looked_at(&mut self, end: TurnEnd) {
        let looks = self.config.critic.policy == CritiquePolicy::BeforeEnd
            && end == TurnEnd::Review
            && self.critiques.has_model();
        let Some(turn) = self.turns.current_mut().filter(|_| looks) else {
            return self.end(end);
        };
        turn.begin_critique();
        self.turns.enter(Phase::Working, &mut self.outbox);
        self.start_critique(CritiqueScope::Unseen);
    }

    /// Has the review agent look at what a turn staged that has ended, where that is configured.
    fn critique_beside(&mut self) {
        let looks = self.config.critic.policy == CritiquePolicy::Beside;
        if looks && self.critiques.has_model() && !self.turns.is_leaving() {
            self.start_critique(CritiqueScope::Unseen);
        }
    }

    /// Has the review agent look at all that waits, because the user asks.
    pub(super) fn ask_for_critique(&mut self) {
        if self.config.critic.policy == CritiquePolicy::Off {
            let hint = "set agent = \"asked\" in [review] of config.toml";
            let message = "the review agent is switched off".to_owned();
            self.outbox.fault(FaultKind::Usage, message, hint);
        } else if !self.critiques.has_model() {
            let hint = "connect a server: `signoff doctor` says how";
            let message = "the review agent needs a model, and none is connected".to_owned();
            self.outbox.fault(FaultKind::Usage, message, hint);
        } else if self.critiques.is_running() {
            self.outbox
                .misused("the review agent is at work; /critique stop ends it");
        } else if !self.review.hunks().is_waiting() {
            self.outbox.misused("nothing waits for a verdict");
        } else {
            self.start_critique(CritiqueScope::All);
        }
    }

    /// Stops the review agent, because the user asks.
    pub(super) fn cancel_critique(&mut self) {
        if !self.critiques.cancel(&mut self.outbox) {
            self.outbox.misused("the review agent is not at work");
        }
        self.end_critiqued();
    }

    fn start_critique(&mut self, scope: CritiqueScope) {
        let request = self.ledger.newest_prompts(MOST_PROMPTS);
        self.critiques.start(scope, request, &mut self.outbox);
    }

    /// Takes what a look of the review agent comes to. What it spends counts for the turn, whose limits stop it.
    pub(super) fn take_critique(&mut self, critique: u64, news: CritiqueNews) {
        if let CritiqueNews::Spent(aside) = &news {
            self.ledger.count_aside(Some(*aside), &mut self.outbox);
            let spent = self.ledger.usage().turn();
            if self.config.limit(0, spent).is_some() && self.critiques.is_running() {
                self.outbox
                    .inform("the review agent reached your limit for a turn");
                self.cancel_critique();
            }
        }
        if self.critiques.take(critique, news, &mut self.outbox) {
            self.end_critiqued();
        }
    }

    /// Ends the turn that waits for the review agent, if one does.
    fn end_critiqued(&mut self) {
        if self.turns.current().is_some_and(Turn::is_critiqued) {
            self.end(TurnEnd::Review);
        }
    }

    /// Takes what came of verdicts. The model goes on at once, or when its turn is over.
    pub(super) fn decided(
        &mut self,
        outcome: Result<Decision, Fault>,
        listing: Option<ReviewListing>,
    ) {
        let carried_out = self
            .review
            .decided(outcome, &mut self.ledger, &mut self.outbox);
        let is_carried_out = carried_out.is_some();
        if let Some(carried_out) = carried_out {
            self.settle_verdicts(carried_out);
        }
        match listing {
            Some(listing) => {
                let is_over = self.turns.is_leaving();
                self.review.list(listing, is_over, &mut self.outbox);
                self.settle();
            }
            None => self.review.consult(Effect::ReadReview, &mut self.outbox),
        }
        if is_carried_out {
            self.check_rest();
        }
        self.advance();
    }

    /// Goes on with what waited for verdicts.
    fn settle_verdicts(&mut self, carried_out: CarriedOut) {
        let CarriedOut {
            has_written,
            is_all,
            wants_answer,
        } = carried_out;
        self.turns.note_changed_files(has_written);
        let wants_more = self.turns.going_on.goes_on();
        let goes_on = wants_more && has_written && is_all && self.config.attended;
        self.settle();
        // The model is told of the verdicts with the next step.
        if is_all && self.planned.decided(&mut self.outbox) {
            if !self.turns.is_running() {
                self.begin_step();
            }
        } else if (wants_answer || goes_on) && !self.turns.is_leaving() {
            self.resume();
        }
    }

    /// Has the model go on, once it may. A prompt that waited for the verdicts begins the turn that answers them.
    fn resume(&mut self) {
        let is_busy = self.turns.is_running() || self.turns.is_held();
        if is_busy || self.prompts.is_typed() {
            self.turns.resume_later();
        } else {
            self.begin(Beginning::Notices);
        }
    }

    /// Takes what became of commits on which the user decided. The model goes on as after files.
    pub(super) fn commits_decided(&mut self, settled: Vec<SettledChange>, is_done: bool) {
        self.ledger.tell_commits(settled, false);
        let wants_more = self.turns.going_on.goes_on();
        let is_all = !self.review.hunks().is_waiting();
        let goes_on = wants_more && is_done && is_all && self.config.attended;
        if goes_on && !self.turns.is_leaving() {
            self.resume();
        }
    }

    /// Answers a call that was not run.
    pub(super) fn answer(&mut self, call: &ToolCall, output: ToolOutput) {
        let (id, out) = ((&call.id, call.name.as_str()), &mut self.outbox);
        self.ledger.answer_call(id, output, None, out);
    }

    /// Answers the calls of a round that have no result and will have none.
    fn abandon(&mut self, round: Round) {
        for call in round.abandon() {
            let reach = call.reach();
            let call = call.call();
            let said = match reach {
                Reach::Execute | Reach::Delegate if self.review.is_changing(&call.id) => {
                    "cancelled by the user; what it had done until then stays"
                }
                Reach::Observe | Reach::Stage | Reach::Execute | Reach::Delegate => {
                    "cancelled by the user; nothing was changed"
                }
            };
            let output = ToolOutput::failed(said, "cancelled");
            self.answer(call, output);
        }
    }
}

/// Returns what checks staged work: related tests too, where the user reads the review beside which they run.
fn staged_check(attended: bool) -> Wanted {
    if attended {
        Wanted::Beside
    } else {
        Wanted::Found
    }
}
