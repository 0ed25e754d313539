//! `declare_edit_intent`: says what is going to happen to a file before the content of it is
//! written. The user sees it at once and can stop it.

use serde::Deserialize;
use serde_json::json;
use signoff_core::intent::{Intent, Operation};

use super::arguments::parse;
use super::subjects::{self, HasSubjects, Subjects};
use super::{Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(super) struct DeclareEditIntent;

const DESCRIPTION: &str = "Announce a long edit before writing its content.";

#[derive(Deserialize)]
struct Arguments {
    path: String,
    operation: Operation,
    description: String,
}

impl HasSubjects for Arguments {
    fn subjects(&self) -> Subjects {
        Subjects::path(&self.path)
    }
}

impl Tool for DeclareEditIntent {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "declare_edit_intent",
            description: DESCRIPTION,
            reach: Reach::Observe,
            subjects: subjects::of::<Arguments>,
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "operation": { "enum": ["create", "modify", "rewrite", "move", "delete"] },
                    "description": { "type": "string" },
                },
                "required": ["path", "operation", "description"],
            }),
        }
    }

    fn run(&self, arguments: &str, _desk: &ToolContext<'_>) -> ToolOutput {
        match parse::<Arguments>(arguments) {
            Ok(arguments) => noted(Intent {
                path: arguments.path,
                operation: arguments.operation,
                description: arguments.description,
            }),
            Err(answer) => answer,
        }
    }
}

fn noted(intent: Intent) -> ToolOutput {
    let Intent {
        path,
        operation,
        description,
    } = intent;
    ToolOutput::done(
        "ok: the user was told. Nothing was changed yet; go on with the edit.",
        format!("{operation} {path}: {description}"),
    )
}
