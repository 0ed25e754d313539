//! Tools: one file each.
//!
//! In: a call's arguments, untrusted. They are read once, into a [`PreparedCall`]. Out: [`ToolOutput`], which is always an
//! answer, a failure included.
//!
//! One file a tool, and `ToolContext`: all that a tool may touch. It refers to three things, by how long they live:
//! the `Ground` of a session (engine, environment of programs, shadow, checks, index), the `ConversationScope`
//! (whose proposals they are, what was read and told before), and the `CallScope` (id, changeset, `Stop`). Each
//! tool declares its arguments in one table (`tool/arguments`): the type, the aliases that are read, and the schema
//! that the model is told. `tool/prepared` reads a call into its typed arguments, and the subjects, files and input
//! that follow from them; edits come out as `Change` values of the engine, whose room `request` reads their blocks.
//! Files with nothing staged over them are read beside the engine, so calls that look do not wait for each other. A
//! text that was read is kept; to read it again costs one question to the system about its file, not opened,
//! because the user may save at any time, and a look whether something is staged.
//!
//! **Invariant:** whatever happens in a tool is an answer. Every answer is bounded.
//!
//! **Invariant:** a call has 20 s, besides the checks that it asks for, `execute_edit` with a small model 200 s,
//! `bash` its own limit. One that is late or was cancelled either has taken effect by then or never does: `Stop`
//! decides, and `ToolContext` asks it under the engine's lock before it stages. One that does not end is answered
//! for a second later, and its thread left to its step budget. No tool holds the engine while it plans or searches.
//!
//! **Invariant:** a tool can stage but not decide: `ToolContext` has no way to write a file. `grep` opens files
//! below the workspace to search them; everything else goes through the engine.
//!
//! **Invariant:** only `bash` runs what the model wrote: confined in the shadow, where its changes are staged, or
//! with permission. What it changed on the disk is in history when it ends, or is named as not recorded. The tools
//! on git show git a view of the repository without its settings (`sandbox/git_view`), so that they run nothing that
//! it names; they show nothing outside of the workspace and leave the index as it is.

use std::time::Duration;

use serde::de::DeserializeOwned;

use self::arguments::HasSchema;

mod apply_structured_edits;
mod arguments;
mod bash;
mod comment;
#[cfg(target_os = "linux")]
mod code_action;
mod declare_edit_intent;
#[cfg(target_os = "linux")]
mod definition;
mod delegate;
mod delete;
mod context;
mod edit;
mod edit_section;
mod execute_edit;
mod find;
mod find_symbol;
mod foreign;
mod git;
mod grep;
mod ground;
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "commands are confined on Linux alone")
)]
mod host_questions;
mod list_dir;
mod move_file;
mod outline;
mod prepared;
mod read;
mod reads;
mod registry;
#[cfg(target_os = "linux")]
mod rename_symbol;
mod repo_map;
mod scope;
mod similar;
mod skill;
mod update_plan;
mod walk;
mod web;
mod write;

pub use crate::subjects::{ForeignSubject, Subjects};
pub use crate::tool_output::{
    CallDeeds, ChangedFile, PlanStep, PlanSteps, PrintedStreams, Setback, StepStatus, SyntaxFault,
    ToolOutput,
};
pub use crate::tool_spec::{Reach, ToolSpec};
pub(crate) use comment::CommentOnHunk;
pub(crate) use context::cut_short;
pub use context::{Aside, Print, Printed, ToolContext};
pub(crate) use delegate::DELEGATE;
pub use delegate::Delegation;
pub(crate) use foreign::CALL;
pub use ground::{Ground, lock};
pub use host_questions::{CommandHosts, HostRuleWriter, written_rule};
pub(crate) use host_questions::{HostQuestion, HostQuestions};
pub use prepared::{CallFacts, PreparedCall};
pub(crate) use reads::Reads;
pub use registry::{OfferedTool, Registry};
pub use scope::{CallScope, ConversationScope};

/// Something that the model can do.
pub(crate) trait Tool: Send + Sync + 'static {
    /// What a call of it asks for.
    type Arguments: Send + Sync + 'static;

    /// Returns its specification for the model.
    fn spec(&self) -> ToolSpec;

    /// Reads the arguments of a call, or returns the answer that says what is wrong with them.
    ///
    /// # Errors
    ///
    /// Fails if the tool could do nothing with them.
    fn read(&self, arguments: &str) -> Result<Self::Arguments, ToolOutput>;

    /// Returns the names of the arguments that it reads; none where what is unknown is refused.
    fn known(&self) -> Option<Vec<&'static str>>;

    /// Returns what a call is about.
    fn facts(&self, arguments: &Self::Arguments) -> CallFacts;

    /// Returns the new text of a file, or of a part of one, where a call brings it.
    fn new_text<'a>(&self, _arguments: &'a Self::Arguments) -> Option<&'a str> {
        None
    }

    /// Returns what an agent is to do, if the call starts one: the driver runs it then, and not [`Self::run`].
    fn delegation<'a>(&self, _arguments: &'a Self::Arguments) -> Option<&'a Delegation> {
        None
    }

    /// Carries out one call; whatever happens is an answer.
    fn run(&self, arguments: &Self::Arguments, context: &ToolContext<'_>) -> ToolOutput;

    /// Returns how long one call may take; none where the tool sees to that by itself.
    fn time_limit(&self) -> Option<Duration> {
        Some(TIME_LIMIT)
    }
}

/// A tool whose arguments are read as they are declared.
pub(crate) trait PlainTool: Send + Sync + 'static {
    type Arguments: HasSchema + DeserializeOwned + Send + Sync + 'static;
    const NAME: &'static str;
    const DESCRIPTION: &'static str;
    const REACH: Reach;

    fn facts(&self, arguments: &Self::Arguments) -> CallFacts;

    fn run(&self, arguments: &Self::Arguments, context: &ToolContext<'_>) -> ToolOutput;

    fn time_limit(&self) -> Option<Duration> {
        Some(TIME_LIMIT)
    }
}

impl<T: PlainTool> Tool for T {
    type Arguments = T::Arguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: T::NAME,
            description: T::DESCRIPTION,
            reach: T::REACH,
            parameters: T::Arguments::schema(),
        }
    }

    fn read(&self, arguments: &str) -> Result<T::Arguments, ToolOutput> {
        arguments::parse(arguments)
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        Some(arguments::names_of::<T::Arguments>())
    }

    fn facts(&self, arguments: &T::Arguments) -> CallFacts {
        PlainTool::facts(self, arguments)
    }

    fn run(&self, arguments: &T::Arguments, context: &ToolContext<'_>) -> ToolOutput {
        PlainTool::run(self, arguments, context)
    }

    fn time_limit(&self) -> Option<Duration> {
        PlainTool::time_limit(self)
    }
}

/// How long a call may take that only looks or stages. Such a call takes milliseconds; what takes
/// this long is cut short, so that the turn goes on.
pub const TIME_LIMIT: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) mod testing;
