//! `git_diff`: what differs on disk from a commit, or from what is added for the next one.

use signoff_sandbox::git_view::Question;

use super::git;
use super::revision::Revision;
use crate::tool::arguments::{HasSchema, Told, arguments, boolean, parse, text};
use crate::tool::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(in crate::tool) struct GitDiff;

arguments! {
    pub(in crate::tool) struct Arguments {
        path: Option<String> = Told::Optional(text()),
        #[serde(default)]
        staged: bool = Told::Optional(boolean()),
        commit: Option<String> = Told::Optional(text()),
    }
}

impl Tool for GitDiff {
    type Arguments = Arguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "git_diff",
            description: "git diff of the files on disk.",
            reach: Reach::Observe,
            parameters: Arguments::schema(),
        }
    }

    fn read(&self, arguments: &str) -> Result<Arguments, ToolOutput> {
        parse(arguments)
    }

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        CallFacts::paths(arguments.path.iter().cloned().collect())
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        let Arguments {
            path,
            staged,
            commit,
        } = arguments;
        let revision = commit.as_deref();
        let revision = revision.filter(|commit| !commit.trim().is_empty());
        let revision = match revision.map(Revision::parse).transpose() {
            Ok(revision) => revision,
            Err(why) => return ToolOutput::failed(format!("error: {why}"), "no commit"),
        };
        let question = Question::Diff {
            staged: *staged,
            commit: revision.as_ref().map(Revision::as_str),
        };
        git(context, question, path.as_deref(), "no difference")
    }
}
