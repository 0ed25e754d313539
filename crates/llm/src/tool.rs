//! Tools: one file each.
//!
//! In: a call's arguments, untrusted. They are read once, into a [`PreparedCall`]. Out: [`ToolOutput`], which is always an
//! answer, a failure included.

use std::time::Duration;

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
pub use prepared::{CallFacts, PreparedCall};
pub(crate) use reads::Reads;
pub use registry::{OfferedTool, Registry};
pub use scope::{CallScope, ConversationScope};

/// Something that the model can do.
pub trait Tool: Send + Sync + 'static {
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

/// How long a call may take that only looks or stages. Such a call takes milliseconds; what takes
/// this long is cut short, so that the turn goes on.
pub const TIME_LIMIT: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) mod testing;
