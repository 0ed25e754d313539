//! `write`: the whole text of one file, or text behind what it holds.

use serde::Deserialize;
use signoff_core::edit::intent::Operation;
use signoff_core::edit::request::{Change, Request, WholePlacement, WholeRequest, content_text};

use super::arguments::{HasSchema, Told, arguments, one_of, parse, text};
use super::context::change;
use super::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(super) struct Write;

const DESCRIPTION: &str =
    "Create a file, replace its whole text, or append to it. Folders are made as needed.";

arguments! {
    struct Arguments {
        #[serde(alias = "file_path", alias = "filePath")]
        path: String = Told::Required(text()),
        operation: Option<Operation> = Told::Optional(one_of(&["create", "rewrite", "modify"])),
        description: Option<String> = Told::Required(text()),
        #[serde(default)]
        mode: WriteMode = Told::Optional(one_of(&["overwrite", "append"])),
        #[serde(deserialize_with = "content_text")]
        content: String = Told::Required(text()),
    }
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WriteMode {
    #[default]
    Overwrite,
    Append,
}

impl Tool for Write {
    type Arguments = Change;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "write",
            description: DESCRIPTION,
            reach: Reach::Stage,
            parameters: Arguments::schema(),
        }
    }

    fn read(&self, arguments: &str) -> Result<Change, ToolOutput> {
        let arguments: Arguments = parse(arguments)?;
        let request = Request::Whole(WholeRequest {
            content: arguments.content,
            placement: match arguments.mode {
                WriteMode::Overwrite => WholePlacement::Everything,
                WriteMode::Append => WholePlacement::End,
            },
        });
        let named = change(arguments.path, arguments.description, request);
        Ok(Change {
            operation: arguments.operation,
            ..named
        })
    }

    fn facts(&self, change: &Change) -> CallFacts {
        CallFacts::path(&change.file)
    }

    fn new_text<'a>(&self, change: &'a Change) -> Option<&'a str> {
        match &change.request {
            Request::Whole(whole) => Some(&whole.content),
            _ => None,
        }
    }

    fn run(&self, change: &Change, context: &ToolContext<'_>) -> ToolOutput {
        context.propose(vec![change.clone()])
    }
}
