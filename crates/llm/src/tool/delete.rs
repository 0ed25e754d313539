//! `delete`: one file, staged to go away.

use serde::Deserialize;
use serde_json::json;

use super::arguments::parse;
use super::subjects::{self, HasSubjects, Subjects};
use super::{Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(super) struct Delete;

#[derive(Deserialize)]
struct Arguments {
    path: String,
    description: Option<String>,
}

impl HasSubjects for Arguments {
    fn subjects(&self) -> Subjects {
        Subjects::path(&self.path)
    }
}

impl Tool for Delete {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "delete",
            description: "Delete a file.",
            reach: Reach::Stage,
            subjects: subjects::of::<Arguments>,
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "description": { "type": "string" },
                },
                "required": ["path", "description"],
            }),
        }
    }

    fn run(&self, arguments: &str, context: &ToolContext<'_>) -> ToolOutput {
        let arguments: Arguments = match parse(arguments) {
            Ok(arguments) => arguments,
            Err(answer) => return answer,
        };
        context.propose_one(json!({
            "file": arguments.path,
            "strategy": "delete",
            "operation": "delete",
            "description": arguments.description,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::testing::Folder;

    #[test]
    fn a_file_is_staged_to_go_away() {
        let folder = Folder::new(&[("a", "x\n")]);
        let output = folder.call("delete", json!({ "path": "a", "description": "drop a" }));
        assert!(output.ok && output.staged.len() == 1, "{}", output.content);
        assert_eq!(folder.disk("a").as_deref(), Some("x\n"));
        assert!(!folder.call("read", json!({ "path": "a" })).ok);
    }

    #[test]
    fn what_is_not_there_cannot_go_away() {
        let folder = Folder::new(&[("d/x", "x\n")]);
        for path in ["nothing", "d", "../out"] {
            let output = folder.call("delete", json!({ "path": path, "description": "d" }));
            assert!(output.staged.is_empty(), "{path}: {}", output.content);
        }
    }
}
