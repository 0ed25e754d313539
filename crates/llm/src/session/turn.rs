//! Turn: from a prompt or a verdict to the user's next move.
//!
//! In: a reason to begin, and one to end. Out: requests, and the end. What comes of a request
//! is in `answer`, what comes of its calls in `calls`.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use signoff_core::engine::Decision;
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::plural::counted;

use super::by_example::Example;
use super::ledger::UserPrompt;
use super::loop_detector::LoopDetector;
use super::reply::Reply;
use super::review::CarriedOut;
use super::round::Round;
use super::{Effect, Event, Fault, Phase, RequestId, Rest, Session, TurnEnd, TurnId, TurnSummary};
use crate::gate;
use crate::message::CallId;
use crate::notice::{FailedCall, Interruption, Limit, Notice};
use crate::tool::{Reach, ToolOutput};
use crate::usage::dollars;

/// A turn that runs.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of the turn that is independent of the others"
)]
pub(super) struct Turn {
    pub(super) id: TurnId,
    /// How many requests it took.
    pub(super) requests: u32,
    pub(super) step: Step,
    /// True once it staged anything.
    pub(super) staged: bool,
    /// What its calls gave.
    pub(super) loop_detector: LoopDetector,
    /// What it staged.
    pub(super) proposals: Vec<ProposalId>,
    /// The files that it staged something for.
    pub(super) staged_files: HashSet<String>,
    /// The hunks that it staged, but for those that later ones of it replaced.
    pub(super) staged_hunks: HashSet<HunkId>,
    /// Edits that failed and were not made since, with the request that each answered.
    pub(super) undone: Vec<(FailedCall, u32)>,
    /// How often edits of a file did not fit.
    pub(super) misfits: HashMap<String, u32>,
    /// Calls that the user has stopped and that answer for themselves.
    pub(super) excused: HashSet<CallId>,
    /// How often the model was asked to go on after its answer broke off.
    pub(super) go_ons: u32,
    /// True once the conversation was made shorter for it.
    pub(super) compacted: bool,
    /// How often errors in what it staged went back to the model.
    pub(super) repairs: u32,
    /// True if the newest answer says that the request cannot be met.
    pub(super) unmet: bool,
    /// True once its server refused tools, and was asked with them in words.
    pub(super) wordy: bool,
    pub(super) example: Example,
    /// True if it is a command of the user's: no request is sent when it has run.
    pub(super) is_command: bool,
    /// True once names that its edit left undefined went back to the model.
    pub(super) is_mended: bool,
}

/// What a turn waits for.
#[derive(Debug)]
pub(super) enum Step {
    /// More of an answer.
    Reply(Box<Reply>),
    /// Results of the last answer's calls.
    Round(Round),
    /// What the checks say of what is staged.
    Checking,
}

impl Session {
    /// Begins a turn; none may be running. Without a prompt the model goes on from the notices.
    pub(super) fn begin(&mut self, prompt: Option<UserPrompt>) {
        // A request by example holds one file and no image.
        let text = prompt.as_ref().filter(|prompt| prompt.images.is_empty());
        let target = self.take_target(text.map(|prompt| prompt.text.as_str()));
        if let Some(prompt) = prompt {
            self.going_on.begin();
            if let Some(notice) = self.review.hunks().notice() {
                self.ledger.note(notice);
            }
            self.ledger.append_prompt(prompt, &mut self.outbox);
        }
        self.open_turn(target.map_or(Example::None, Example::Asked));
        self.ask(Phase::Asking);
    }

    /// Opens a turn in which nothing has happened yet.
    pub(super) fn open_turn(&mut self, example: Example) {
        self.turns += 1;
        self.rest = Rest::Plain;
        self.ledger.begin_turn();
        self.turn = Some(Turn {
            id: TurnId(self.turns),
            requests: 0,
            step: Step::Round(Round::default()),
            staged: false,
            loop_detector: LoopDetector::default(),
            proposals: Vec::new(),
            staged_files: HashSet::new(),
            staged_hunks: HashSet::new(),
            undone: Vec::new(),
            misfits: HashMap::new(),
            excused: HashSet::new(),
            go_ons: 0,
            compacted: false,
            repairs: 0,
            unmet: false,
            wordy: false,
            example,
            is_command: false,
            is_mended: false,
        });
    }

    /// Sends a request in the given phase.
    pub(super) fn ask(&mut self, phase: Phase) {
        self.ask_after(phase, Duration::ZERO);
    }

    /// Sends a request in the given phase after a pause.
    pub(super) fn ask_after(&mut self, phase: Phase, pause: Duration) {
        self.ledger.flush();
        self.ledger.make_room(self.review.hunks(), &mut self.outbox);
        if phase == Phase::Asking {
            self.resume = false;
        }
        self.requests += 1;
        let request = RequestId(self.requests);
        if let Some(turn) = &mut self.turn {
            turn.requests += 1;
            turn.step = Step::Reply(Box::new(Reply::new(request)));
        }
        self.enter(phase);
        let prompt = self.ledger.prompt(
            &self.config.instructions,
            (self.config.tools.specs(), gate::tool_choice(phase)),
            self.example().cloned(),
        );
        self.outbox.want(Effect::Ask {
            request,
            prompt,
            pause,
        });
    }

    /// Stops the turn; what is staged stays staged.
    pub(super) fn cancel(&mut self) {
        let Some(turn) = self.turn.take() else {
            return;
        };
        match turn.step {
            Step::Checking => {
                self.outbox.want(Effect::CancelCheck);
                self.newest_check += 1;
                return self.end(TurnEnd::Review);
            }
            Step::Reply(reply) => {
                let request = reply.request();
                self.outbox.want(Effect::CancelRequest { request });
                self.ledger
                    .keep_text(reply.finish().0, "cancelled", &mut self.outbox);
            }
            Step::Round(round) => {
                self.outbox.want(Effect::CancelTools { turn: turn.id });
                self.abandon(round);
            }
        }
        self.ledger.note(Notice::Interrupted {
            by: Interruption::User,
        });
        self.resume = false;
        self.end(TurnEnd::Cancelled);
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
        let turn = self.turn.take();
        let undone = turn.as_ref().map_or(&[][..], |turn| &turn.undone);
        if !undone.is_empty() {
            let edits = undone.iter().map(|(edit, _)| edit.clone()).collect();
            let staged = turn.as_ref().is_some_and(|turn| turn.staged);
            self.outbox.emit(Event::LeftUndone { staged, edits });
        }
        if let Some(turn) = turn.filter(|turn| !turn.staged_files.is_empty()) {
            self.outbox.emit(Event::TurnSummary(TurnSummary {
                files: turn.staged_files.len(),
                hunks: turn.staged_hunks.len(),
                requests: turn.requests,
                tokens: self.ledger.usage().turn().tokens(),
            }));
        }
        self.rest = match end {
            TurnEnd::Failed => Rest::Faulted,
            _ => Rest::Plain,
        };
        self.ledger.end_turn();
        self.outbox.emit(Event::TurnEnded { end });
        self.settle();
        self.begin_next();
    }

    /// Begins the turn that waits, if one does.
    pub(super) fn begin_next(&mut self) {
        if let Some(prompt) = self.queue.pop_front() {
            self.begin(Some(prompt));
        } else if self.resume && !self.leaving {
            self.begin(None);
        }
    }

    /// Returns how a turn ends whose model has nothing more to say.
    pub(super) fn natural_end(&self) -> TurnEnd {
        let staged = self.turn.as_ref().is_some_and(|turn| turn.staged);
        let unmet = self.turn.as_ref().is_some_and(|turn| turn.unmet);
        if staged && self.review.hunks().is_waiting() {
            TurnEnd::Review
        } else if unmet && !staged {
            TurnEnd::Unmet
        } else {
            TurnEnd::Done
        }
    }

    /// Enters the phase that waits for the right thing, if no turn runs.
    pub(super) fn settle(&mut self) {
        if self.turn.is_none() {
            self.enter(if self.review.hunks().is_waiting() {
                Phase::AwaitingReview
            } else {
                Phase::Idle
            });
        }
    }

    /// Answers the calls of a round that have no result and will have none.
    fn abandon(&mut self, round: Round) {
        for call in round.abandon() {
            let executes = call.reach() == Reach::Execute;
            let call = call.call();
            let said = if self.review.is_changing(&call.id) && executes {
                "cancelled by the user; what it had done until then stays"
            } else {
                "cancelled by the user; nothing was changed"
            };
            let output = ToolOutput::failed(said, "cancelled");
            self.ledger
                .answer_call((&call.id, &call.name), output, None, &mut self.outbox);
        }
    }

    /// Takes what came of verdicts. The model goes on at once, or when its turn is over.
    pub(super) fn decided(&mut self, outcome: Result<Decision, Fault>) {
        let carried_out = self
            .review
            .decided(outcome, &mut self.ledger, &mut self.outbox);
        if let Some(CarriedOut {
            has_written,
            is_all,
            wants_answer,
        }) = carried_out
        {
            self.note_changed_files(has_written);
            let goes_on = self.going_on.goes_on() && has_written && is_all && self.config.attended;
            self.settle();
            match ((wants_answer || goes_on) && !self.leaving, &self.turn) {
                (true, None) if !self.is_held() => self.begin(None),
                (true, _) => self.resume = true,
                (false, _) => {}
            }
        }
        self.review.consult(Effect::ReadReview, &mut self.outbox);
    }

    /// Takes note whether files were changed by the user: a call may give something else from then on.
    pub(super) fn note_changed_files(&mut self, is_changed: bool) {
        if let Some(turn) = self.turn.as_mut().filter(|_| is_changed) {
            turn.loop_detector.forget();
        }
    }
}
