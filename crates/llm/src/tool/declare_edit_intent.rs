//! `declare_edit_intent`: says what is going to happen to a file before the content of it is
//! written. The user sees it at once and can stop it.

use signoff_core::edit::intent::Operation;

use super::arguments::{Told, arguments, one_of, text};
use super::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};

/// The tool.
pub(super) struct DeclareEditIntent;

const DESCRIPTION: &str = "Announce a long edit before writing its content.";

arguments! {
    pub(super) struct Arguments {
        path: String = Told::Required(text()),
        operation: Operation = Told::Required(one_of(&["create", "modify", "rewrite", "move", "delete"])),
        description: String = Told::Required(text()),
    }
}

impl PlainTool for DeclareEditIntent {
    type Arguments = Arguments;
    const NAME: &'static str = "declare_edit_intent";
    const DESCRIPTION: &'static str = DESCRIPTION;
    const REACH: Reach = Reach::Observe;

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        CallFacts::path(&arguments.path)
    }

    fn run(&self, arguments: &Arguments, _context: &ToolContext<'_>) -> ToolOutput {
        let Arguments {
            path,
            operation,
            description,
        } = arguments;
        ToolOutput::done(
            "ok: the user was told. Nothing was changed yet; go on with the edit.",
            format!("{operation} {path}: {description}"),
        )
    }
}
