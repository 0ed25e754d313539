//! `move`: a file, or each file of a folder, gets another path; its text stays.

use serde::Deserialize;
use serde_json::json;
use signoff_core::intent::Operation;

use super::arguments::parse;
use super::{Desk, Reach, Tool, ToolOutput, ToolSpec};

/// The tool.
pub(super) struct MoveFile;

const DESCRIPTION: &str = "Move or rename a file or a folder. Folders are made as needed.";

#[derive(Deserialize)]
struct Arguments {
    path: String,
    description: Option<String>,
    to: String,
}

impl Tool for MoveFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "move",
            description: DESCRIPTION,
            reach: Reach::Stage,
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "description": { "type": "string" },
                    "to": { "type": "string" },
                },
                "required": ["path", "description", "to"],
            }),
        }
    }

    fn run(&self, arguments: &str, desk: &Desk<'_>) -> ToolOutput {
        let arguments: Arguments = match parse(arguments) {
            Ok(arguments) => arguments,
            Err(answer) => return answer,
        };
        desk.propose_one(json!({
            "file": arguments.path,
            "strategy": "move",
            "operation": Operation::Move,
            "description": arguments.description,
            "move": { "to": arguments.to },
        }))
    }
}
