//! Effects: what the session wants the driver to do.

use std::time::Duration;

use signoff_core::id::HunkId;
use signoff_core::stage::review::{RevertTarget, Ruling};

use super::{CritiqueScope, Grant, PromptRef, Switch, TrustSubject, TypedPrompt};
use crate::claims::ChangeRecord;
use crate::foreign::ServerRequest;
use crate::memory::Record;
use crate::message::{CallId, Prompt};
use crate::tool::PreparedCall;
use crate::verified::Wanted;

/// Identifies one request to the provider; what arrives for an older one is ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u64);

/// Identifies one turn; the edits of one turn are one changeset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TurnId(pub u64);

/// What the session wants done, in the order in which it wants it begun.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send a request; its end is reported as [`super::Input::RequestEnded`].
    Ask {
        /// Its id.
        request: RequestId,
        /// What it holds.
        prompt: Prompt,
        /// How long to wait before.
        pause: Duration,
    },
    /// Send a request beside the turn's; its pieces and its end are reported as those of [`Self::Ask`].
    AskAside {
        /// Its id.
        request: RequestId,
        /// What it holds.
        prompt: Prompt,
    },
    /// Drop a request that was sent beside the turn's.
    CancelAside {
        /// Its id.
        request: RequestId,
    },
    /// Drop a request; nothing more is to be reported of it.
    CancelRequest {
        /// Its id.
        request: RequestId,
    },
    /// Run a call. Several may be asked for at once, but never one that stages together
    /// with another.
    RunTool {
        /// The turn that it belongs to.
        turn: TurnId,
        /// The call, which the rules and the user allow.
        call: PreparedCall,
    },
    /// Tell an agent what the user says of a call of it.
    PermitAgent {
        /// The call that started the agent.
        delegate: CallId,
        /// The agent's own call.
        call: CallId,
        /// The answer.
        grant: Grant,
    },
    /// Cancel the tools of a turn.
    CancelTools {
        /// The turn.
        turn: TurnId,
    },
    /// Cancel the tool of one call.
    CancelCall {
        /// The call.
        call: CallId,
    },
    /// Write something down.
    Record(Record),
    /// Nothing of what tools said before is in the conversation any more.
    Forget,
    /// Open another conversation.
    Switch(Switch),
    /// Find what there is to know before this prompt, and have hooks look at it; its end is reported as
    /// [`super::Input::Prepared`].
    Prepare(TypedPrompt),
    /// End the hooks that look at a prompt.
    StopPreparing,
    /// Have what the user trusts in force, or leave it; then comes [`super::Input::TrustDecided`].
    Trust {
        /// What.
        subject: TrustSubject,
        /// Whether the user trusts it.
        is_trusted: bool,
    },
    /// Carry verdicts out.
    Decide(Vec<Ruling>),
    /// Write edits at once from now on, or do not.
    WriteThrough(bool),
    /// Take back what was written; then the conversation goes back to before the prompt.
    TakeBack {
        /// What is meant.
        target: RevertTarget,
        /// Which prompt; none where the conversation stays.
        prompt: Option<PromptRef>,
    },
    /// Propose an edit at one of its places.
    Place {
        /// Which edit.
        question: u64,
        /// Which place, counted from 0.
        choice: usize,
    },
    /// Propose a rule as a line of the project's instructions; then comes [`super::Input::RuleProposed`].
    ProposeRule(String),
    /// Read the review list.
    ReadReview,
    /// Read what became of these hunks.
    ReadOutcomes(Vec<HunkId>),
    /// Check what is staged; ends an earlier check.
    Check {
        /// Which one it is.
        check: u64,
        /// What is run.
        wanted: Wanted,
    },
    /// End the check that runs.
    CancelCheck,
    /// Have the review agent look at what waits; ends an earlier look.
    Critique {
        /// Which look it is.
        critique: u64,
        /// At which hunks.
        scope: CritiqueScope,
        /// What the user asked for, in the newest prompts.
        request: String,
    },
    /// End the look that runs.
    CancelCritique,
    /// Hold what the model said against what changed; then comes [`super::Input::ClaimsJudged`].
    JudgeClaims {
        /// The turn that ends with it.
        turn: TurnId,
        /// What was said.
        message: String,
        /// What changed.
        record: Box<ChangeRecord>,
    },
    /// Do what the user asks of the servers of the Model Context Protocol.
    Servers(ServerRequest),
    /// Ask the server whether it lists a model that the user named.
    FindModel {
        /// Its name, as the user typed it.
        name: String,
    },
    /// Ask another model from the next request on.
    UseModel {
        /// Its name, as the provider knows it.
        name: String,
    },
}
