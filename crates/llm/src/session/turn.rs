//! Turns: the one that runs, and what the next one waits for.
//!
//! In: prompts, pieces of answers, and results of calls. Out: what the turn has come to. The session sends its requests and
//! tells of it.

use std::collections::{HashMap, HashSet};

use signoff_core::id::{HunkId, ProposalId};

use super::checks::StagedCheck;
use super::ledger::UserPrompt;
use super::outbox::Outbox;
use super::{CallEvent, CheckPolicy, Config, Event, Phase, RequestId, TurnEnd, TurnId};
use crate::message::CallId;
use crate::notice::FailedCall;
use by_example::{Example, FirstRequest};
use going_on::GoingOn;
use loop_detector::LoopDetector;
use modes::Modes;
use reply::Reply;
use round::Round;

pub(super) mod by_example;
mod going_on;
pub(super) mod loop_detector;
mod modes;
mod outcomes;
pub(super) mod permission_prompt;
pub(super) mod reply;
pub(super) mod round;

/// How often a turn's model is asked to go on after its answer broke off.
const MOST_GO_ONS: u32 = 2;

/// The turn that runs, and what the next one waits for.
#[derive(Debug)]
pub(super) struct Turns {
    current: Option<Turn>,
    /// How many there were.
    count: u64,
    phase: Phase,
    rest: Rest,
    /// The hunks that the newest turn was to write again, should it be taken up.
    limit: Option<Vec<HunkId>>,
    /// True if a verdict waits for an answer of the model.
    resumes: bool,
    /// True once nothing new may begin.
    is_leaving: bool,
    pub(super) first_request: FirstRequest,
    pub(super) going_on: GoingOn,
    pub(super) modes: Modes,
    pub(super) check: StagedCheck,
}

/// What there is to know of a conversation while no turn runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Rest {
    /// Nothing.
    #[default]
    Plain,
    /// The newest turn ended with a fault.
    Faulted,
    /// Another conversation is being opened.
    Switching,
    /// Files are taken back, and then the conversation goes back with them.
    Rewinding {
        /// Whether the newest turn ended with a fault.
        was_faulted: bool,
    },
}

/// What a turn begins with.
#[derive(Debug)]
pub(super) enum Beginning {
    /// A prompt.
    Prompt(UserPrompt),
    /// Notices that the model has not seen.
    Notices,
    /// What the newest turn began with, which ended with a fault.
    Again,
}

/// A turn that runs.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of the turn that is independent of the others"
)]
pub(super) struct Turn {
    id: TurnId,
    /// How many requests it took.
    requests: u32,
    step: Step,
    /// True once it staged anything.
    staged: bool,
    /// What its calls gave.
    loop_detector: LoopDetector,
    /// What it staged.
    proposals: Vec<ProposalId>,
    /// The files that it staged something for.
    staged_files: HashSet<String>,
    /// The hunks that it staged, but for those that later ones of it replaced.
    staged_hunks: HashSet<HunkId>,
    /// The hunks that it writes again, where it may change nothing else.
    only: Option<Vec<HunkId>>,
    /// Edits that failed and were not made since, with the request that each answered.
    undone: Vec<(FailedCall, u32)>,
    /// How often edits of a file did not fit.
    misfits: HashMap<String, u32>,
    /// Calls that the user has stopped and that answer for themselves.
    excused: HashSet<CallId>,
    /// How often the model was asked to go on after its answer broke off.
    go_ons: u32,
    /// True once the conversation was made shorter for it.
    compacted: bool,
    /// How often errors in what it staged went back to the model.
    repairs: u32,
    /// True if the newest answer says that the request cannot be met, or shows it and does nothing.
    unmet: bool,
    /// True once edits were read out of the text of an answer.
    edits_in_text: bool,
    /// True once the model was asked about what it only showed.
    pointed_out: bool,
    /// True once its server refused tools, and was asked with them in words.
    wordy: bool,
    example: Example,
    /// True if it is a command of the user's: no request is sent when it has run.
    is_command: bool,
    /// True once names that its edit left undefined went back to the model.
    is_mended: bool,
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
    /// What the review agent says of it.
    Critique,
    /// Which sentences of its last message hold.
    Claims,
}

impl Default for Step {
    fn default() -> Self {
        Self::Round(Round::default())
    }
}

impl Turns {
    /// Returns the turns of a conversation in which nothing was said.
    pub(super) fn new(config: &Config) -> Self {
        Self {
            current: None,
            count: 0,
            phase: Phase::Idle,
            rest: Rest::default(),
            limit: None,
            resumes: false,
            is_leaving: false,
            first_request: FirstRequest::of(config.by_example),
            going_on: GoingOn::new(config.after_approval),
            modes: Modes::new(config.write_through, config.stop),
            check: StagedCheck::default(),
        }
    }

    /// Returns the turn that runs.
    pub(super) fn current(&self) -> Option<&Turn> {
        self.current.as_ref()
    }

    /// Returns the turn that runs, to be changed.
    pub(super) fn current_mut(&mut self) -> Option<&mut Turn> {
        self.current.as_mut()
    }

    /// Takes the turn out that runs: it has ended.
    pub(super) fn take(&mut self) -> Option<Turn> {
        self.current.take()
    }

    /// Tells whether a turn runs.
    pub(super) fn is_running(&self) -> bool {
        self.current.is_some()
    }

    /// Tells whether no turn may begin, since the conversation is about to be another.
    pub(super) fn is_held(&self) -> bool {
        matches!(self.rest, Rest::Switching | Rest::Rewinding { .. })
    }

    /// Takes note of what a turn was limited to that has ended.
    pub(super) fn keep_limit(&mut self, turn: &Turn) {
        self.limit.clone_from(&turn.only);
    }

    /// Takes what the newest turn was limited to.
    pub(super) fn take_limit(&mut self) -> Option<Vec<HunkId>> {
        self.limit.take()
    }

    /// Returns what there is to know while no turn runs.
    pub(super) fn rest(&self) -> Rest {
        self.rest
    }

    /// Takes note of what there is to know while no turn runs.
    pub(super) fn set_rest(&mut self, rest: Rest) {
        self.rest = rest;
    }

    /// Returns where the conversation stands.
    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// Goes to a phase.
    pub(super) fn enter(&mut self, phase: Phase, out: &mut Outbox) {
        if self.phase != phase {
            self.phase = phase;
            out.emit(Event::Phase { phase });
        }
    }

    /// Goes to the phase that waits for the right thing, if no turn runs.
    pub(super) fn settle(&mut self, hunks_wait: bool, out: &mut Outbox) {
        if self.current.is_none() {
            let phase = if hunks_wait {
                Phase::AwaitingReview
            } else {
                Phase::Idle
            };
            self.enter(phase, out);
        }
    }

    /// Opens a turn in which nothing has happened yet.
    pub(super) fn open(&mut self, example: Example) {
        self.count += 1;
        self.rest = Rest::Plain;
        self.current = Some(Turn::new(TurnId(self.count), example));
    }

    /// Takes note that a request goes out, of the turn if one runs.
    pub(super) fn ask(&mut self, request: RequestId, phase: Phase) {
        if phase == Phase::Asking {
            self.resumes = false;
        }
        if let Some(turn) = &mut self.current {
            turn.requests += 1;
            turn.step = Step::Reply(Box::new(Reply::new(request)));
        }
    }

    /// Returns the newest turn, which may be over.
    pub(super) fn newest(&self) -> TurnId {
        TurnId(self.count)
    }

    /// Takes note that the model is to go on from the notices once the turn is over.
    pub(super) fn resume_later(&mut self) {
        self.resumes = true;
    }

    /// Takes note that nothing waits for an answer of the model any more.
    pub(super) fn forget_resuming(&mut self) {
        self.resumes = false;
    }

    /// Tells whether a verdict waits for an answer of the model, which may be asked.
    pub(super) fn resumes(&self) -> bool {
        self.resumes && !self.is_leaving
    }

    /// Begins nothing new from here on.
    pub(super) fn leave(&mut self) {
        self.is_leaving = true;
    }

    /// Tells whether nothing new may begin.
    pub(super) fn is_leaving(&self) -> bool {
        self.is_leaving
    }

    /// Returns the calls that run.
    pub(super) fn round(&self) -> Option<&Round> {
        match &self.current.as_ref()?.step {
            Step::Round(round) => Some(round),
            Step::Reply(_) | Step::Checking | Step::Critique | Step::Claims => None,
        }
    }

    /// Returns the calls that run, to be changed.
    pub(super) fn round_mut(&mut self) -> Option<&mut Round> {
        match &mut self.current.as_mut()?.step {
            Step::Round(round) => Some(round),
            Step::Reply(_) | Step::Checking | Step::Critique | Step::Claims => None,
        }
    }

    /// Returns the answer that comes in, whichever request it is to.
    pub(super) fn any_reply(&mut self) -> Option<&mut Reply> {
        match &mut self.current.as_mut()?.step {
            Step::Reply(reply) => Some(reply),
            Step::Round(_) | Step::Checking | Step::Critique | Step::Claims => None,
        }
    }

    /// Returns the answer that comes in, if it is the one to this request.
    pub(super) fn reply_to(&mut self, request: RequestId) -> Option<&mut Reply> {
        self.any_reply().filter(|reply| reply.request() == request)
    }

    /// Takes the answer out of the turn, if it is the one to this request.
    pub(super) fn take_reply(&mut self, request: RequestId) -> Option<Reply> {
        let reply = self.reply_to(request)?;
        Some(std::mem::replace(reply, Reply::new(request)))
    }

    /// Shows what a call prints while it runs.
    pub(super) fn show_output(&self, call: CallId, tail: String, lines: u64, out: &mut Outbox) {
        let round = self.round();
        if round.is_some_and(|round| round.is_running(&call)) {
            out.emit(CallEvent::Output { call, tail, lines });
        }
    }

    /// Shows that a server has been silent, if its answer is waited for.
    pub(super) fn show_silence(&mut self, request: RequestId, seconds: u64, out: &mut Outbox) {
        if self.reply_to(request).is_some() {
            out.emit(Event::Stalled { seconds });
        }
    }

    /// Returns whether new errors go back to the model once more.
    pub(super) fn may_repair(&self, policy: CheckPolicy) -> bool {
        let repairs = self.current.as_ref().map_or(0, |turn| turn.repairs);
        policy.may_repair(repairs)
    }

    /// Returns how a turn ends whose model has nothing more to say.
    pub(super) fn natural_end(&self, hunks_wait: bool) -> TurnEnd {
        let staged = self.current.as_ref().is_some_and(|turn| turn.staged);
        let unmet = self.current.as_ref().is_some_and(|turn| turn.unmet);
        if staged && hunks_wait {
            TurnEnd::Review
        } else if unmet && !staged {
            TurnEnd::Unmet
        } else {
            TurnEnd::Done
        }
    }

    /// Takes note whether the user changed files: a call may give something else from then on.
    pub(super) fn note_changed_files(&mut self, is_changed: bool) {
        if let Some(turn) = self.current.as_mut().filter(|_| is_changed) {
            turn.loop_detector.forget();
        }
    }
}

impl Turn {
    fn new(id: TurnId, example: Example) -> Self {
        Self {
            id,
            example,
            ..Self::default()
        }
    }

    /// Returns its id.
    pub(super) fn id(&self) -> TurnId {
        self.id
    }

    /// Has it write these hunks again and change nothing else, if there are some.
    pub(super) fn limit_to(&mut self, only: Option<Vec<HunkId>>) {
        self.only = only;
    }

    /// Returns the hunks that it writes again, if it may change nothing else.
    pub(super) fn only(&self) -> Option<&[HunkId]> {
        self.only.as_deref()
    }

    /// Returns what it waits for, as it ends.
    pub(super) fn into_step(self) -> Step {
        self.step
    }

    /// Returns how many requests it took.
    pub(super) fn requests(&self) -> u32 {
        self.requests
    }

    /// Waits for the results of the calls of an answer; `is_unmet` if it says that the request cannot be met.
    pub(super) fn begin_round(&mut self, round: Round, is_unmet: bool) {
        self.unmet = is_unmet;
        self.step = Step::Round(round);
    }

    /// Waits for the result of a command of the user's.
    pub(super) fn begin_command(&mut self, round: Round) {
        self.is_command = true;
        self.step = Step::Round(round);
    }

    /// Tells whether it is a command of the user's.
    pub(super) fn is_command(&self) -> bool {
        self.is_command
    }

    /// Waits for what the checks say of what is staged.
    pub(super) fn begin_check(&mut self) {
        self.step = Step::Checking;
    }

    /// Tells whether it waits for what the checks say.
    pub(super) fn is_checking(&self) -> bool {
        matches!(self.step, Step::Checking)
    }

    /// Waits for what the review agent says of what is staged.
    pub(super) fn begin_critique(&mut self) {
        self.step = Step::Critique;
    }

    /// Waits for which sentences of its last message hold.
    pub(super) fn begin_claims(&mut self) {
        self.step = Step::Claims;
    }

    /// Tells whether it waits for which sentences of its last message hold.
    pub(super) fn is_judged(&self) -> bool {
        matches!(self.step, Step::Claims)
    }

    /// Tells whether it waits for the review agent.
    pub(super) fn is_critiqued(&self) -> bool {
        matches!(self.step, Step::Critique)
    }

    /// Takes note that errors in what it staged go back to the model.
    pub(super) fn repair(&mut self) {
        self.repairs += 1;
    }

    /// Takes note that the model is asked to go on after its answer broke off. Returns how often it was by now; none if it
    /// was often enough, or if the turn may take no more than `most_requests`.
    pub(super) fn go_on_again(&mut self, most_requests: u32) -> Option<u32> {
        if self.go_ons >= MOST_GO_ONS || self.requests >= most_requests {
            return None;
        }
        self.go_ons += 1;
        Some(self.go_ons)
    }

    /// Returns once whether the conversation may be made shorter for it.
    pub(super) fn may_compact(&mut self) -> bool {
        !std::mem::replace(&mut self.compacted, true)
    }

    /// Returns once whether its server may be asked with the tools in words.
    pub(super) fn may_use_words(&mut self) -> bool {
        !std::mem::replace(&mut self.wordy, true)
    }

    /// Tells whether edits in its text are its only ones.
    pub(super) fn is_open_to_text(&self) -> bool {
        !self.staged || self.edits_in_text
    }

    /// Takes note that its edits are in the text of its answers.
    pub(super) fn take_edits_from_text(&mut self) {
        self.edits_in_text = true;
    }

    /// Returns once whether the model may be asked about what it only showed.
    pub(super) fn may_point_out(&mut self, most_requests: u32) -> bool {
        self.requests < most_requests && !std::mem::replace(&mut self.pointed_out, true)
    }

    /// Takes note that an answer shows what was asked and does nothing.
    pub(super) fn leave_unmet(&mut self) {
        self.unmet = true;
    }

    /// Takes note of a call that the user has stopped and that answers for itself.
    pub(super) fn excuse(&mut self, call: CallId) {
        self.excused.insert(call);
    }
}
