//! `git_diff`: what differs on disk from a commit, or from what is added for the next one.

use signoff_sandbox::git_view::Question;

use super::git;
use super::revision::Revision;
use crate::tool::arguments::{Told, arguments, boolean, text};
use crate::tool::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};

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

impl PlainTool for GitDiff {
    type Arguments = Arguments;
    const NAME: &'static str = "git_diff";
    const DESCRIPTION: &'static str = "git diff of the files on disk.";
    const REACH: Reach = Reach::Observe;

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
