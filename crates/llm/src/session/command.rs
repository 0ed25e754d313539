//! Commands from the user to the session.

use signoff_core::id::HunkId;
use signoff_core::stage::review::{AfterApproval, HunkQuestion, RevertTarget, Ruling};
use signoff_sandbox::waiting_commits::SettledChange;

use super::PromptRef;
use crate::foreign::ServerRequest;
use crate::image::Image;
use crate::message::CallId;
use crate::mode::Mode;

/// What the user asks of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A prompt, to begin a turn with.
    Submit(String),
    /// Paths outside of the workspace that the user typed or pasted: images behind them may be attached to the prompt
    /// that comes next. Without this no such path is read, whoever wrote it.
    TypedPaths(Vec<String>),
    /// Images of the prompt that comes next, before those that it names: an editor sends their bytes.
    GiveImages(Vec<Image>),
    /// A command line of the user's, to be run as the model's are; no request is sent. The model learns of it with the
    /// next one.
    Run(String),
    /// Give an agent a task; the model learns of it with the next request.
    Delegate {
        /// The agent's name.
        agent: String,
        /// The task.
        task: String,
    },
    /// Have the review agent look at all that waits.
    Critique,
    /// Stop the review agent; what it said until then stays.
    CancelCritique,
    /// Send who can be given tasks, as [`super::Event::Agents`].
    Agents,
    /// Send the prompts of the conversation, as [`super::Event::Prompts`].
    Prompts,
    /// Send what there is to go back to from a prompt, as [`super::Event::RewindScope`].
    RewindScope(PromptRef),
    /// Go back to before a prompt. Staged work stays.
    Rewind {
        /// Which.
        prompt: PromptRef,
        /// What was shown of the files, where they go back as well.
        files: Option<RevertTarget>,
    },
    /// Stop what runs; staged work stays.
    Cancel,
    /// Stop one call, or the newest, and let the turn go on; the model learns of it.
    CancelCall(Option<CallId>),
    /// Drop the request that runs, keep what came of it, and ask again; or take up a turn that
    /// ended with a fault.
    Retry,
    /// Make the conversation shorter.
    Compact,
    /// Say which files requests hold, why, and what it costs.
    ListAttached,
    /// Say which tools the model is offered, and what each may do.
    ListTools,
    /// Do this with the servers of the Model Context Protocol, and say how they stand, as [`super::Event::Servers`].
    Servers(ServerRequest),
    /// Leave this file out of requests from now on.
    Detach(String),
    /// Go on with another conversation.
    Switch(Switch),
    /// Verdicts about hunks; approved ones are written, all or none.
    Decide(Vec<Ruling>),
    /// Verdicts about commits of programs were carried out: what became of these, and whether something was approved of what
    /// was decided on together.
    CommitsDecided {
        /// What became of them.
        settled: Vec<SettledChange>,
        /// Whether something was approved.
        is_done: bool,
    },
    /// Ask the model about a hunk; the turn that runs goes on. The answer comes as [`super::Event::Answered`].
    Ask(Box<HunkQuestion>),
    /// Have the model write a hunk again, with a remark; nothing else may change in that turn.
    Regenerate(Box<HunkQuestion>),
    /// Stop the answer about a hunk.
    CancelAsk(HunkId),
    /// Say whether a call may run that [`super::Event::PermissionAsked`] asked about.
    Permit {
        /// Which call.
        call: CallId,
        /// The answer.
        grant: Grant,
    },
    /// What the model does once the next verdicts are carried out.
    AfterApproval(AfterApproval),
    /// Carry out the plan in this prompt step by step, in the mode for that; one without numbered steps is sent as it is.
    CarryOut(String),
    /// Go on with a plan that is held.
    GoOnWithPlan {
        /// Whether the step that it is held at counts as done.
        skips: bool,
    },
    /// Go to a mode.
    SetMode(Mode),
    /// Check what is staged, and run all tests of the project on it.
    TestAll,
    /// Take back what was written.
    Revert(RevertTarget),
    /// Propose an edit that fits several places at one of them.
    Place {
        /// The question, as the engine numbers it.
        question: u64,
        /// Which place, counted from 0.
        choice: usize,
    },
    /// Propose this rule as a line of the project's instructions.
    AddRule(String),
    /// Send the present review list again, as [`super::Event::Review`].
    Review,
    /// Ask this model from the next request on.
    UseModel(String),
}

/// What the user says of a call that needs permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grant {
    /// This call may run.
    Once,
    /// It may run, and so may the very same call until signoff ends.
    Session,
    /// It may run, and so may the very same call from now on: a host in later sessions as well, all others until signoff ends.
    Always,
    /// It may not; without a reason the turn ends with it.
    Refuse {
        /// What the model should do instead.
        reason: Option<String>,
    },
}

/// Which conversation to go on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switch {
    /// One in which nothing was said.
    New,
    /// A copy of this one; this one stays as it is.
    Fork,
    /// An earlier one: its id, the first characters of it, or its place in the list.
    Resume(String),
}
