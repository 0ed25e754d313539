//! `apply_structured_edits`: changes to any number of files by any strategy, staged together
//! or not at all.

use serde_json::json;
use signoff_core::plan;
use signoff_core::request::{Payload, RECIPES, Strategy};

use super::context::refused;
use super::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(super) struct ApplyStructuredEdits;

const DESCRIPTION: &str = "\
Change several files, all or nothing. Each change names a strategy and fills the field of that \
name; further fields are tried if it cannot be done. lines: 1-based, inclusive, numbers as before \
the call. diff: a unified diff or *** Begin Patch, of one file or several. ast: a tree-sitter query; \
@name in the template is a capture. struct: a pattern with holes, :[x], or $A and $$$ARGS, and what \
it becomes. ast and struct change every match. recipe: rename_identifier (from, to; the defining and \
all importing files in one call), ensure_import (import), add_function (code; in, after or before), replace_symbol_body (symbol; body or code), \
delete_symbol (symbol), wrap_call (call, with), add_jsx_prop (component, prop, value), \
remove_headings; line or all picks of several. move: the file gets the path `to`. delete: the file \
goes away.";

impl Tool for ApplyStructuredEdits {
    type Arguments = Payload;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "apply_structured_edits",
            description: DESCRIPTION,
            reach: Reach::Stage,
            parameters: json!({
                "type": "object",
                "properties": {
                    "changes": { "type": "array", "items": change() },
                    "verify": {
                        "type": "object",
                        "description": "run checks on what is staged and answer with their new diagnostics",
                        "properties": {
                            "tsc": { "type": "boolean", "description": "types, of any language" },
                            "eslint": { "type": "boolean", "description": "linters" },
                            "build": { "type": "boolean" },
                            "timeoutMs": { "type": "integer" },
                        },
                    },
                },
                "required": ["changes"],
            }),
        }
    }

    fn read(&self, arguments: &str) -> Result<Payload, ToolOutput> {
        Payload::parse(arguments).map_err(|invalid| refused(&invalid.to_string()))
    }

    /// Tells rules of every file that a payload names: in its changes, in its patches, as targets of moves.
    fn facts(&self, payload: &Payload) -> CallFacts {
        let files = payload.changes.iter().map(|change| change.file.clone());
        CallFacts::paths(plan::paths(&payload.changes)).about(files.collect())
    }

    fn run(&self, payload: &Payload, context: &ToolContext<'_>) -> ToolOutput {
        context.propose_payload(payload.clone())
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
            "strategy": { "enum": Strategy::ALL },
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
            "diff": object(&json!({ "kind": { "enum": ["unified", "dmp"] }, "patch": text })),
            "ast": object(&json!({
                "language": text,
                "query": text,
                "capture": text,
                "action": { "enum": ["insert", "replace", "delete"] },
                "position": { "enum": ["before", "after", "start", "end"] },
                "template": text,
            })),
            "struct": object(&json!({ "pattern": text, "replacement": text })),
            "whole": object(&json!({ "content": text })),
            "move": object(&json!({ "to": text })),
            "recipe": recipe(),
            "expected": { "type": "integer", "description": "refuse another number of changes" },
        },
        "required": ["file", "description", "strategy"],
    })
}

fn recipe() -> serde_json::Value {
    let texts = [
        "from",
        "to",
        "import",
        "code",
        "in",
        "after",
        "before",
        "symbol",
        "body",
        "call",
        "with",
        "component",
        "prop",
        "value",
    ];
    let mut properties = json!({
        "name": { "enum": RECIPES },
        "line": { "type": "integer" },
        "all": { "type": "boolean" },
    });
    for text in texts {
        properties[text] = json!({ "type": "string" });
    }
    object(&properties)
}

fn object(properties: &serde_json::Value) -> serde_json::Value {
    json!({ "type": "object", "properties": properties })
}

fn array(items: &serde_json::Value) -> serde_json::Value {
    json!({ "type": "array", "items": items })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_is_told() {
        for recipe in RECIPES {
            assert!(DESCRIPTION.contains(recipe), "{recipe}");
        }
    }
}
