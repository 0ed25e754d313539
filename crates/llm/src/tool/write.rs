//! `write`: the whole text of one file, or text behind what it holds.

use serde::Deserialize;
use serde_json::json;
use signoff_core::intent::Operation;

use super::arguments::parse;
use super::subjects::{self, HasSubjects, Subjects};
use super::{Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(super) struct Write;

const DESCRIPTION: &str =
    "Create a file, replace its whole text, or append to it. Folders are made as needed.";

#[derive(Deserialize)]
struct Arguments {
    path: String,
    operation: Option<Operation>,
    description: Option<String>,
    content: String,
    #[serde(default)]
    mode: Mode,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Overwrite,
    Append,
}

impl HasSubjects for Arguments {
    fn subjects(&self) -> Subjects {
        Subjects::path(&self.path)
    }
}

impl Tool for Write {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "write",
            description: DESCRIPTION,
            reach: Reach::Stage,
            subjects: subjects::of::<Arguments>,
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "operation": { "enum": ["create", "rewrite", "modify"] },
                    "description": { "type": "string" },
                    "mode": { "enum": ["overwrite", "append"] },
                    "content": { "type": "string" },
                },
                "required": ["path", "description", "content"],
            }),
        }
    }

    fn run(&self, arguments: &str, context: &ToolContext<'_>) -> ToolOutput {
        let arguments: Arguments = match parse(arguments) {
            Ok(arguments) => arguments,
            Err(answer) => return answer,
        };
        let mode = match arguments.mode {
            Mode::Overwrite => "overwrite",
            Mode::Append => "append",
        };
        context.propose_one(json!({
            "file": arguments.path,
            "strategy": "whole",
            "operation": arguments.operation,
            "description": arguments.description,
            "whole": { "content": arguments.content, "mode": mode },
        }))
    }
}
