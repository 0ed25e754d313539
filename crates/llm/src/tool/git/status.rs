//! `git_status`: the branch and the files that differ from it, as they are on disk.

use serde_json::json;
use signoff_verify::git_view::Question;

use super::git;
use crate::tool::subjects::Subjects;
use crate::tool::{Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(in crate::tool) struct GitStatus;

impl Tool for GitStatus {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "git_status",
            description: "git status, short.",
            reach: Reach::Observe,
            subjects: |_arguments| Ok(Subjects::Paths(Vec::new())),
            parameters: json!({ "type": "object", "properties": {} }),
        }
    }

    fn run(&self, _arguments: &str, context: &ToolContext<'_>) -> ToolOutput {
        let question = Question::Status { branch: true };
        git(context, question, None, "nothing to report")
    }
}
