//! `apply_structured_edits`: changes to any number of files by any strategy, staged together
//! or not at all.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::json;
use signoff_core::edit::plan;
use signoff_core::edit::request::Payload;

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

/// The arguments of `apply_patch` in other programs: one patch, which may name its files itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PatchAlone {
    #[serde(alias = "input", alias = "diff")]
    patch: String,
    #[serde(alias = "path")]
    file: Option<String>,
    description: Option<String>,
}

impl PatchAlone {
    /// Returns the payload that was meant, JSON text.
    fn payload(self) -> String {
        let change = json!({
            "file": self.file,
            "description": self.description,
            "strategy": "diff",
            "diff": { "patch": self.patch },
        });
        json!({ "changes": [change] }).to_string()
    }
}

impl Tool for ApplyStructuredEdits {
    type Arguments = Payload;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "apply_structured_edits",
            description: DESCRIPTION,
            reach: Reach::Stage,
            parameters: Payload::schema(),
        }
    }

    fn read(&self, arguments: &str) -> Result<Payload, ToolOutput> {
        let alone = serde_json::from_str::<PatchAlone>(arguments).ok();
        let payload = alone.map_or(Cow::Borrowed(arguments), |alone| alone.payload().into());
        Payload::parse(&payload).map_err(|invalid| refused(&invalid.to_string()))
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        None
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

#[cfg(test)]
mod tests {
    use signoff_core::edit::request::RECIPES;

    use super::*;

    #[test]
    fn every_recipe_is_told() {
        for recipe in RECIPES {
            assert!(DESCRIPTION.contains(recipe), "{recipe}");
        }
    }
}
