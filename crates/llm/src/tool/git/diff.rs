//! `git_diff`: what differs on disk from a commit, or from what is added for the next one.

use serde::Deserialize;
use serde_json::json;
use signoff_verify::git_view::Question;

use super::git;
use super::revision::Revision;
use crate::tool::arguments::parse;
use crate::tool::subjects::{self, HasSubjects, Subjects};
use crate::tool::{Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(in crate::tool) struct GitDiff;

#[derive(Deserialize)]
struct Arguments {
    path: Option<String>,
    #[serde(default)]
    staged: bool,
    commit: Option<String>,
}

impl HasSubjects for Arguments {
    fn subjects(&self) -> Subjects {
        Subjects::Paths(self.path.iter().cloned().collect())
    }
}

impl Tool for GitDiff {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "git_diff",
            description: "git diff of the files on disk.",
            reach: Reach::Observe,
            subjects: subjects::of::<Arguments>,
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "staged": { "type": "boolean" },
                    "commit": { "type": "string" },
                },
            }),
        }
    }

    fn run(&self, arguments: &str, context: &ToolContext<'_>) -> ToolOutput {
        let Arguments {
            path,
            staged,
            commit,
        } = match parse(arguments) {
            Ok(arguments) => arguments,
            Err(answer) => return answer,
        };
        let revision = commit.filter(|commit| !commit.trim().is_empty());
        let revision = match revision.as_deref().map(Revision::parse).transpose() {
            Ok(revision) => revision,
            Err(why) => return ToolOutput::failed(format!("error: {why}"), "no commit"),
        };
        let question = Question::Diff {
            staged,
            commit: revision.as_ref().map(Revision::as_str),
        };
        git(context, question, path.as_deref(), "no difference")
    }
}
