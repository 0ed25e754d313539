//! `edit_section`: replaces pieces of one file by other text.

use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::parse;
use super::subjects::{self, HasSubjects, Subjects};
use super::{Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(super) struct EditSection;

const DESCRIPTION: &str = "Replace pieces of one file. old_text is copied from the file without \
                           line numbers and occurs once, unless replace_all. All edits match the \
                           text before any of them.";

#[derive(Deserialize)]
struct Arguments {
    path: String,
    description: Option<String>,
    /// Pairs; the engine reads them.
    edits: Option<Value>,
    /// The one pair, where there is no list.
    #[serde(alias = "oldText", alias = "old_string")]
    old_text: Option<String>,
    #[serde(alias = "newText", alias = "new_string")]
    new_text: Option<String>,
    #[serde(default, alias = "replaceAll")]
    replace_all: bool,
}

impl HasSubjects for Arguments {
    fn subjects(&self) -> Subjects {
        Subjects::path(&self.path)
    }
}

impl Tool for EditSection {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "edit_section",
            description: DESCRIPTION,
            reach: Reach::Stage,
            subjects: subjects::of::<Arguments>,
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "operation": { "enum": ["modify"] },
                    "description": { "type": "string" },
                    "edits": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "old_text": { "type": "string" },
                                "new_text": { "type": "string" },
                            },
                            "required": ["old_text", "new_text"],
                        },
                    },
                    "replace_all": { "type": "boolean" },
                },
                "required": ["path", "description", "edits"],
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
            "strategy": "section",
            "operation": "modify",
            "description": arguments.description,
            "section": {
                "edits": arguments.edits,
                "old_text": arguments.old_text,
                "new_text": arguments.new_text,
                "replace_all": arguments.replace_all,
            },
        }))
    }
}
