//! `apply_structured_edits`: changes to any number of files by any strategy, staged together
//! or not at all.

use serde_json::json;

use super::{Desk, Reach, Tool, ToolOutput, ToolSpec};

/// The tool.
pub(super) struct ApplyStructuredEdits;

const DESCRIPTION: &str = "\
Change several files, all or nothing. Each change names a strategy and fills the field of that \
name. lines: 1-based, inclusive, numbers as before the call. diff: a unified diff or *** Begin Patch, of one file or several. \
recipe: rename_identifier (from, to), remove_headings, ensure_import (import), delete_symbol \
(symbol). move: the file gets the path `to`. delete: the file goes away.";

impl Tool for ApplyStructuredEdits {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "apply_structured_edits",
            description: DESCRIPTION,
            reach: Reach::Stage,
            parameters: json!({
                "type": "object",
                "properties": { "changes": { "type": "array", "items": change() } },
                "required": ["changes"],
            }),
        }
    }

    fn run(&self, arguments: &str, desk: &Desk<'_>) -> ToolOutput {
        desk.propose_payload(arguments)
    }
}

fn change() -> serde_json::Value {
    let text = json!({ "type": "string" });
    let number = json!({ "type": "integer" });
    json!({
        "type": "object",
        "properties": {
            "file": text,
            "operation": { "enum": ["create", "modify", "rewrite", "move", "delete"] },
            "description": text,
            "strategy": { "enum": ["section", "lines", "diff", "whole", "recipe", "move", "delete"] },
            "section": object(&json!({
                "edits": array(&object(&json!({ "old_text": text, "new_text": text }))),
                "replace_all": { "type": "boolean" },
            })),
            "lines": object(&json!({
                "operations": array(&object(&json!({
                    "op": { "enum": ["replace", "insert", "delete"] },
                    "startLine": number,
                    "endLine": number,
                    "afterLine": { "type": "integer", "description": "insert; 0 = start" },
                    "content": array(&text),
                }))),
            })),
            "diff": object(&json!({ "kind": { "enum": ["unified"] }, "patch": text })),
            "whole": object(&json!({ "content": text })),
            "move": object(&json!({ "to": text })),
            "recipe": object(&json!({
                "name": text, "from": text, "to": text, "import": text, "symbol": text,
            })),
            "expected": { "type": "integer", "description": "refuse another number of changes" },
        },
        "required": ["file", "description", "strategy"],
    })
}

fn object(properties: &serde_json::Value) -> serde_json::Value {
    json!({ "type": "object", "properties": properties })
}

fn array(items: &serde_json::Value) -> serde_json::Value {
    json!({ "type": "array", "items": items })
}
