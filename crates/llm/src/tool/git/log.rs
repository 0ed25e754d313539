//! `git_log`: the newest commits, a line each.

use serde::Deserialize;
use serde_json::json;
use signoff_verify::git_view::Question;

use super::git;
use crate::tool::arguments::{count, parse};
use crate::tool::subjects::{self, HasSubjects, Subjects};
use crate::tool::{Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(in crate::tool) struct GitLog;

/// Commits in one answer unless asked otherwise, and at most.
const USUAL: usize = 20;
const MOST: usize = 200;

#[derive(Deserialize)]
struct Arguments {
    path: Option<String>,
    #[serde(default, deserialize_with = "count")]
    max: Option<usize>,
}

impl HasSubjects for Arguments {
    fn subjects(&self) -> Subjects {
        Subjects::Paths(self.path.iter().cloned().collect())
    }
}

impl Tool for GitLog {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "git_log",
            description: "The newest commits: hash, date, author, subject.",
            reach: Reach::Observe,
            subjects: subjects::of::<Arguments>,
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "max": { "type": "integer" },
                },
            }),
        }
    }

    fn run(&self, arguments: &str, context: &ToolContext<'_>) -> ToolOutput {
        let Arguments { path, max } = match parse(arguments) {
            Ok(arguments) => arguments,
            Err(answer) => return answer,
        };
        let max = format!("--max-count={}", max.unwrap_or(USUAL).clamp(1, MOST));
        let question = Question::Log {
            options: &[&max, "--date=short", "--format=%h %ad %an: %s"],
            commits: None,
        };
        git(context, question, path.as_deref(), "no commits")
    }
}
