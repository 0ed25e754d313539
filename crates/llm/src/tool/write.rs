//! `write`: the whole text of one file, or text behind what it holds.

use serde::Deserialize;
use signoff_core::edit::intent::Operation;
use signoff_core::edit::request::{Change, Request, WholePlacement, WholeRequest, content_text};
use signoff_core::quote;

use super::arguments::{HasSchema, Told, arguments, names_of, one_of, parse, text};
use super::context::change;
use super::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(super) struct Write;

/// Name of the tool.
pub(super) const WRITE: &str = "write";

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
        #[serde(alias = "file_text", deserialize_with = "content_text")]
        content: String = Told::Required(text()),
        /// `create` of text editors of other programs, which is about a file that is not there.
        command: Option<String> = Told::Untold,
    }
}

/// A text for a file.
pub(super) struct WrittenText {
    change: Change,
    /// Whether the file must not be there.
    is_new: bool,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WriteMode {
    #[default]
    Overwrite,
    Append,
}

impl Tool for Write {
    type Arguments = WrittenText;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: WRITE,
            description: DESCRIPTION,
            reach: Reach::Stage,
            parameters: Arguments::schema(),
        }
    }

    fn read(&self, arguments: &str) -> Result<WrittenText, ToolOutput> {
        let arguments: Arguments = parse(arguments)?;
        let request = Request::Whole(WholeRequest {
            content: arguments.content,
            placement: match arguments.mode {
                WriteMode::Overwrite => WholePlacement::Everything,
                WriteMode::Append => WholePlacement::End,
            },
        });
        let named = change(arguments.path, arguments.description, request);
        Ok(WrittenText {
            is_new: arguments.command.as_deref() == Some("create"),
            change: Change {
                operation: arguments.operation,
                ..named
            },
        })
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        Some(names_of::<Arguments>())
    }

    fn facts(&self, written: &WrittenText) -> CallFacts {
        CallFacts::path(&written.change.file)
    }

    fn new_text<'a>(&self, written: &'a WrittenText) -> Option<&'a str> {
        match &written.change.request {
            Request::Whole(whole) => Some(&whole.content),
            _ => None,
        }
    }

    fn run(&self, written: &WrittenText, context: &ToolContext<'_>) -> ToolOutput {
        let path = &written.change.file;
        if written.is_new {
            let there = match context.read(path) {
                Ok(None) => None,
                Ok(Some(_)) => Some(format!(
                    "{} is there already, and create makes a new file: edit_section changes parts of it, and write without \
                     command replaces all of it",
                    quote::name(path)
                )),
                // What cannot be read may be a file that would be lost.
                Err(why) => Some(why),
            };
            if let Some(why) = there {
                return ToolOutput::failed(
                    format!("error: {why}. Nothing was changed."),
                    "no new file",
                );
            }
        }
        context.propose(vec![written.change.clone()])
    }
}
