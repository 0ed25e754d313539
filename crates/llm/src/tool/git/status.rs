//! `git_status`: the branch and the files that differ from it, as they are on disk.

use serde::de::IgnoredAny;
use serde_json::json;
use signoff_sandbox::git_view::Question;

use super::git;
use crate::tool::arguments::unfit;
use crate::tool::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(in crate::tool) struct GitStatus;

impl Tool for GitStatus {
    type Arguments = ();

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "git_status",
            description: "git status, short.",
            reach: Reach::Observe,
            parameters: json!({ "type": "object", "properties": {} }),
        }
    }

    /// Takes none: whatever the model gives is passed over.
    fn read(&self, arguments: &str) -> Result<(), ToolOutput> {
        let read = serde_json::from_str::<IgnoredAny>(arguments);
        read.map(|_| ()).map_err(|error| unfit(&error))
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        Some(Vec::new())
    }

    fn facts(&self, (): &()) -> CallFacts {
        CallFacts::none()
    }

    fn run(&self, (): &(), context: &ToolContext<'_>) -> ToolOutput {
        let question = Question::Status { branch: true };
        git(context, question, None, "nothing to report")
    }
}
