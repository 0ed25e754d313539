//! Events for the screen; also the lines of `signoff exec --json`.

mod call;

pub use self::call::{CallEnd, CallEvent, CallIntent, CallState};

use serde::Serialize;
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::stage::review::critique::CritiqueEvent;
use signoff_core::stage::review::{AnswerEnd, ReviewListing, StagedProposals};

use signoff_checks::check::{CheckReport, CheckStep};

use super::agents::NamedAgent;
use super::{Phase, RewindScope};
use crate::claims::JudgedSentence;
use crate::foreign::ServersReport;
use crate::message::CallId;
use crate::mode::Mode;
use crate::notice::FailedCall;
use crate::plan::Deviation;
use crate::provider::{About, Usage};
use crate::skill::Skill;
use crate::tool::{ChangedFile, PlanStep};
use crate::usage::{Fill, UsageTotal};

/// A skill as the user sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedSkill {
    /// Its name, of small letters, digits and hyphens.
    pub name: String,
    /// What it is for, in one line.
    pub description: String,
}

impl NamedSkill {
    /// Returns a skill as the user sees it.
    pub(super) fn of(skill: &Skill) -> Self {
        Self {
            name: skill.name().to_owned(),
            description: skill.description().to_owned(),
        }
    }
}

/// What happened, in the order in which it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum Event {
    /// The session can take prompts; sent once.
    Ready {
        /// Who answers.
        about: About,
        /// A line for the user, as how to connect a model.
        hint: Option<String>,
    },
    /// What the user can call for by `/NAME`; sent once, if there is anything.
    Skills {
        /// By name. Stable.
        skills: Vec<NamedSkill>,
    },
    /// Which hooks there are, and whether they run; sent where there are some, and when that changes.
    Hooks {
        /// A line for the user's, and one for those of the workspace.
        lines: Vec<String>,
    },
    /// How the servers of the Model Context Protocol stand, and what can be named of them; on request.
    Servers(ServersReport),
    /// Who can be given tasks, on request.
    Agents {
        /// By name.
        agents: Vec<NamedAgent>,
    },
    /// The phase changed.
    Phase {
        /// The new one.
        phase: Phase,
    },
    /// A turn began.
    User {
        /// The prompt. Stable.
        text: String,
    },
    /// Images were attached to the prompt.
    Images {
        /// The files as the user named them, with their bytes.
        images: Vec<(String, usize)>,
    },
    /// A prompt was not sent; the fault before this says why.
    Unsent {
        /// What the user typed.
        text: String,
    },
    /// More of the model's text.
    Text {
        /// The piece. Stable.
        text: String,
    },
    /// More of what the model thinks aloud.
    Reasoning {
        /// The piece.
        text: String,
    },
    /// A call waits for permission; `exec` refuses such a call instead.
    PermissionAsked {
        /// Which call.
        call: CallId,
        /// The tool.
        tool: String,
        /// What it is used on: a command, or a path.
        subject: String,
    },
    /// A command changed files on disk; those with a version can be reverted.
    Changed {
        /// Which call.
        call: CallId,
        /// The files. Stable.
        files: Vec<ChangedFile>,
    },
    /// What the model is going to do, step by step.
    Plan {
        /// The steps, in order.
        steps: Vec<PlanStep>,
    },
    /// A step of a plan touched other files than it names.
    PlanDeviation {
        /// The step, counted from 1.
        step: usize,
        /// How.
        #[serde(flatten)]
        deviation: Deviation,
    },
    /// Several calls of one answer were answered.
    Timed(RoundTiming),
    /// The turn staged these, as `proposals`*.
    Staged(StagedProposals),
    /// The whole review list, when it may have changed, as `proposals`.
    Review(ReviewListing),
    /// Verdicts were carried out, in the interface.
    Decided {
        /// What was written.
        committed: Vec<CommittedFile>,
        /// Hunks written.
        approved: usize,
        /// Hunks denied.
        denied: usize,
        /// Hunks that still wait.
        pending: usize,
    },
    /// Verdicts were not carried out, and a fault before this says why.
    Undecided,
    /// The user asked the model about a hunk, in the interface.
    Asked {
        /// The hunk.
        hunk: HunkId,
        /// The hunk's file.
        path: String,
        /// The question.
        text: String,
    },
    /// More of the answer to the newest question about a hunk.
    Answered {
        /// The hunk.
        hunk: HunkId,
        /// The piece.
        text: String,
        /// How the answer ended, with its last piece.
        #[serde(skip_serializing_if = "Option::is_none", flatten)]
        end: Option<AnswerEnd>,
    },
    /// Changes to a file were reverted, in the interface.
    Reverted {
        /// The file.
        path: String,
        /// One line: what was reverted.
        summary: String,
    },
    /// Something is done again by itself after a pause.
    Retrying {
        /// Why.
        reason: String,
        /// Which attempt comes, from 2.
        attempt: u32,
        /// The pause in milliseconds.
        wait_ms: u64,
    },
    /// The server has said nothing for a while.
    Stalled {
        /// For how many seconds.
        seconds: u64,
    },
    /// The conversation was made shorter.
    Compacted {
        /// Tokens that it had, about.
        before: u64,
        /// Tokens that it has, about.
        after: u64,
    },
    /// Which conversation this is.
    Session {
        /// Its id. Stable.
        id: String,
        /// The one that it went on from.
        parent: Option<String>,
        /// How many prompts it has.
        prompts: usize,
        /// Ids of the proposals that it staged before.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        staged: Vec<ProposalId>,
    },
    /// Something that was said before, shown when a conversation is taken up.
    Earlier {
        /// By whom.
        speaker: Speaker,
        /// What.
        text: String,
    },
    /// What came of a command that the user ran before, shown when a conversation is taken up.
    EarlierCall {
        /// A call that ran, as it was told then.
        call: CallEvent,
    },
    /// The prompts of the conversation, oldest first, on request.
    Prompts {
        /// Their texts.
        prompts: Vec<String>,
    },
    /// What there is to go back to from a prompt, on request.
    RewindScope(RewindScope),
    /// The conversation goes on from before a prompt.
    Rewound {
        /// The prompt's text.
        prompt: String,
        /// Whether files went back with it.
        with_files: bool,
    },
    /// Files were given to the model with a request.
    Attached {
        /// Files whose text was given, with its bytes.
        files: Vec<(String, usize)>,
        /// Files that were named as likely.
        likely: Vec<String>,
    },
    /// What is staged is being checked.
    Checking,
    /// One of the checks of what is staged begins.
    CheckBegins {
        /// Which one.
        step: CheckStep,
    },
    /// What is staged was checked.
    Checked {
        /// What came of it.
        report: CheckReport,
    },
    /// Tests newly fail, and it was looked for the hunks that make them; comes after `checked`.
    Breaking {
        /// What came of it: a warning at each such hunk.
        report: CheckReport,
    },
    /// What the review agent does and says; the next table.
    Critique(CritiqueEvent),
    /// A remark.
    Info {
        /// The line.
        text: String,
    },
    /// Something did not work. Nothing was lost.
    Fault(Fault),
    /// Tokens used by a request.
    Used(Usage),
    /// What was spent, after each request that the provider counted.
    Spent {
        /// In this turn; `cost` in millionths of a dollar. Stable.
        turn: UsageTotal,
        /// In this conversation. Stable.
        session: UsageTotal,
        /// How full the model's memory is, where its size is known.
        context: Option<Fill>,
    },
    /// The conversation is in another mode.
    Mode {
        /// Which.
        mode: Mode,
    },
    /// What the model does once all that waits is decided on and something approved, unless the user chooses otherwise; sent
    /// where it is not as before.
    AfterApproval {
        /// Whether it goes on.
        goes_on: bool,
    },
    /// Edits that failed in a turn and that it did not make otherwise; before its end.
    LeftUndone {
        /// Whether the turn staged anything.
        staged: bool,
        /// The edits.
        edits: Vec<FailedCall>,
    },
    /// What the model said last of its changes, as far as that could be judged; in `exec` before the turn's end.
    Claims {
        /// The sentences. Stable.
        sentences: Vec<JudgedSentence>,
    },
    /// What a turn came to that staged something; before its end.
    TurnSummary(TurnSummary),
    /// The turn is over; a `phase` or `review` may follow.
    TurnEnded {
        /// Why. Stable.
        end: TurnEnd,
    },
    /// A call streams in, runs or ends.
    #[serde(untagged)]
    Call(CallEvent),
}

impl From<CallEvent> for Event {
    fn from(event: CallEvent) -> Self {
        Self::Call(event)
    }
}

/// How long the calls of one answer took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoundTiming {
    /// How many there were.
    pub calls: usize,
    /// How many of them ran together with others.
    pub parallel: usize,
    /// Milliseconds from the first to the last.
    pub took_ms: u64,
}

/// What a turn came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TurnSummary {
    /// Files that it staged something for.
    pub files: usize,
    /// Hunks that it staged, those that it replaced included.
    pub hunks: usize,
    /// Requests that it took.
    pub requests: u32,
    /// Tokens in and out.
    pub tokens: u64,
}

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The user.
    User,
    /// The model.
    Model,
}

/// One file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommittedFile {
    /// Path relative to the workspace.
    pub path: String,
    /// Its newest version in history.
    pub version: u64,
    /// Whether it was deleted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
}

/// Something that did not work, for the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// What kind. Stable.
    pub kind: FaultKind,
    /// What happened. Stable.
    pub message: String,
    /// What can be done about it.
    pub hint: Option<String>,
}

/// What kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The model's server.
    Provider,
    /// A file changed on disk since it was shown; nothing was written.
    FileChanged,
    /// A change that conflicts with another.
    Conflict,
    /// A file could not be read or written; nothing was left half done.
    Files,
    /// The store of proposals and history.
    Store,
    /// A conversation could not be written down or taken up.
    Memory,
    /// The command makes no sense now.
    Usage,
}

/// Why a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnEnd {
    /// The model finished.
    Done,
    /// Edits wait for the user.
    Review,
    /// The built-in planner could not meet the request; nothing was staged.
    Unmet,
    /// The user stopped it.
    Cancelled,
    /// A fault stopped it.
    Failed,
    /// A limit stopped it.
    Limit,
}
