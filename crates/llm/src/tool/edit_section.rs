//! `edit_section`: replaces pieces of one file by other text.

use serde::de::IgnoredAny;
use serde_json::{Value, json};
use signoff_core::edit::request::{Change, Request, Strategy};
use signoff_core::quote;

use super::arguments::{HasSchema, Told, arguments, boolean, list, names_of, one_of, parse, text};
use super::context::modification;
use super::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};
use crate::code_block;

/// The tool.
pub(super) struct EditSection;

/// Name of the tool.
pub(super) const EDIT_SECTION: &str = "edit_section";

const DESCRIPTION: &str = "Replace pieces of one file. old_text is copied from the file without \
                           line numbers and occurs once, unless replace_all. All edits match the \
                           text before any of them.";

arguments! {
    struct Arguments {
        #[serde(alias = "file_path", alias = "filePath")]
        path: String = Told::Required(text()),
        #[serde(default)]
        #[expect(dead_code, reason = "it says what is known: no other operation is meant")]
        operation: IgnoredAny = Told::Optional(one_of(&["modify"])),
        description: Option<String> = Told::Required(text()),
        /// Pairs; the engine reads them.
        edits: Option<Value> = Told::Required(list(&pair())),
        #[serde(default, alias = "replaceAll")]
        replace_all: bool = Told::Optional(boolean()),
        /// The one pair, where there is no list.
        #[serde(alias = "oldText", alias = "old_string", alias = "oldString", alias = "old_str")]
        old_text: Option<String> = Told::Untold,
        #[serde(alias = "newText", alias = "new_string", alias = "newString", alias = "new_str")]
        new_text: Option<String> = Told::Untold,
        /// SEARCH/REPLACE blocks, as `replace_in_file` of Cline has them, or a patch.
        diff: Option<String> = Told::Untold,
        /// What a text editor of other programs is to do: `str_replace`, or what another tool does.
        #[serde(default)]
        #[expect(dead_code, reason = "what is another command was answered")]
        command: IgnoredAny = Told::Untold,
    }
}

/// Returns the schema of a pair.
fn pair() -> Value {
    json!({
        "type": "object",
        "properties": { "old_text": text(), "new_text": text() },
        "required": ["old_text", "new_text"],
    })
}

/// Returns the pairs that a text spells out.
fn pairs(diff: &str) -> Vec<Value> {
    let pairs = code_block::pairs(diff).into_iter().flatten();
    pairs
        .map(|(old, new)| json!({ "old_text": old, "new_text": new }))
        .collect()
}

/// Returns the answer to a command of a text editor of other programs that replaces no text, and that no tool was called for.
fn other_command(arguments: &str) -> Option<ToolOutput> {
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let command = arguments.get("command")?.as_str()?;
    let instead = match command {
        "str_replace" => return None,
        "view" => "read shows a file",
        "create" => "write makes a file",
        "insert" => {
            "edit_section inserts where new_text is old_text and the new lines; edit, if it is offered, inserts by number"
        }
        "undo_edit" => {
            "no tool takes an edit back: edit_section puts the old text in the place of the new, or the user denies it"
        }
        _ => "view, create, str_replace and insert are known",
    };
    let command = quote::name(command);
    Some(ToolOutput::failed(
        format!("error: edit_section does not do {command}: {instead}. Nothing was changed."),
        format!("not done: {command}"),
    ))
}

impl Tool for EditSection {
    type Arguments = Change;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: EDIT_SECTION,
            description: DESCRIPTION,
            reach: Reach::Stage,
            parameters: Arguments::schema(),
        }
    }

    fn read(&self, arguments: &str) -> Result<Change, ToolOutput> {
        if let Some(refusal) = other_command(arguments) {
            return Err(refusal);
        }
        let arguments: Arguments = parse(arguments)?;
        let pairs = arguments.diff.as_deref().map(pairs);
        let edits = match (arguments.edits, pairs) {
            (None, Some(pairs)) if pairs.is_empty() => {
                let patch = json!({ "patch": arguments.diff });
                return modification(arguments.path, arguments.description, Strategy::Diff, patch);
            }
            (None, Some(pairs)) => Some(pairs.into()),
            (edits, _) => edits,
        };
        let block = json!({
            "edits": edits,
            "old_text": arguments.old_text,
            "new_text": arguments.new_text,
            "replace_all": arguments.replace_all,
        });
        modification(
            arguments.path,
            arguments.description,
            Strategy::Section,
            block,
        )
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        Some(names_of::<Arguments>())
    }

    fn facts(&self, change: &Change) -> CallFacts {
        CallFacts::path(&change.file)
    }

    fn new_text<'a>(&self, change: &'a Change) -> Option<&'a str> {
        match &change.request {
            Request::Section(section) => section.edits.first().map(|pair| pair.new.as_str()),
            _ => None,
        }
    }

    fn run(&self, change: &Change, context: &ToolContext<'_>) -> ToolOutput {
        context.propose(vec![change.clone()])
    }
}
