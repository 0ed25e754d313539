//! `git_log`: the newest commits, a line each.

use signoff_sandbox::git_view::Question;

use super::git;
use crate::tool::arguments::{Told, arguments, count, integer, text};
use crate::tool::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};

/// The tool.
pub(in crate::tool) struct GitLog;

/// Commits in one answer unless asked otherwise, and at most.
const USUAL: usize = 20;
const MOST: usize = 200;

arguments! {
    pub(in crate::tool) struct Arguments {
        path: Option<String> = Told::Optional(text()),
        #[serde(default, deserialize_with = "count")]
        max: Option<usize> = Told::Optional(integer()),
    }
}

impl PlainTool for GitLog {
    type Arguments = Arguments;
    const NAME: &'static str = "git_log";
    const DESCRIPTION: &'static str = "The newest commits: hash, date, author, subject.";
    const REACH: Reach = Reach::Observe;

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        CallFacts::paths(arguments.path.iter().cloned().collect())
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        let Arguments { path, max } = arguments;
        let max = format!("--max-count={}", max.unwrap_or(USUAL).clamp(1, MOST));
        let question = Question::Log {
            options: &[&max, "--date=short", "--format=%h %ad %an: %s"],
            commits: None,
        };
        git(context, question, path.as_deref(), "no commits")
    }
}
