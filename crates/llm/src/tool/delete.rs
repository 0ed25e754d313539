//! `delete`: one file, staged to go away.

use signoff_core::edit::intent::Operation;
use signoff_core::edit::request::{Change, Request};

use super::arguments::{HasSchema, Told, arguments, names_of, parse, text};
use super::context::change;
use super::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(super) struct Delete;

arguments! {
    struct Arguments {
        #[serde(alias = "file_path", alias = "filePath")]
        path: String = Told::Required(text()),
        description: Option<String> = Told::Required(text()),
    }
}

impl Tool for Delete {
    type Arguments = Change;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "delete",
            description: "Delete a file.",
            reach: Reach::Stage,
            parameters: Arguments::schema(),
        }
    }

    fn read(&self, arguments: &str) -> Result<Change, ToolOutput> {
        let arguments: Arguments = parse(arguments)?;
        Ok(Change {
            operation: Some(Operation::Delete),
            ..change(arguments.path, arguments.description, Request::Delete)
        })
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        Some(names_of::<Arguments>())
    }

    fn facts(&self, change: &Change) -> CallFacts {
        CallFacts::path(&change.file)
    }

    fn run(&self, change: &Change, context: &ToolContext<'_>) -> ToolOutput {
        context.propose(vec![change.clone()])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
