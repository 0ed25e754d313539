//! `rename_symbol`: what a name stands for gets another one, in all files, by the language server.

use std::time::Duration;

use signoff_verify::language_server::Target;

use super::arguments::{HasSchema, Told, arguments, integer, parse, text};
use super::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};
use crate::language_servers::patience;

/// The tool.
pub(super) struct RenameSymbol;

arguments! {
    pub(super) struct Arguments {
        path: String = Told::Required(text()),
        line: usize = Told::Required(integer()),
        name: String = Told::Required(text()),
        to: String = Told::Required(text()),
    }
}

impl Tool for RenameSymbol {
    type Arguments = Arguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "rename_symbol",
            description: "Rename what `name` on this line stands for, in all files, by the language server.",
            reach: Reach::Stage,
            parameters: Arguments::schema(),
        }
    }

    fn read(&self, arguments: &str) -> Result<Arguments, ToolOutput> {
        parse(arguments)
    }

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        CallFacts::path(&arguments.path)
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        let Arguments {
            path,
            line,
            name,
            to,
        } = arguments;
        let target = Target {
            path: path.clone(),
            line: *line,
            name: name.clone(),
        };
        let read = |path: &str| context.read(path).ok().flatten();
        let renamed = context.ask_language_server(path, &mut |client, wait| {
            client.rename(&target, to, &read, wait)
        });
        match renamed {
            Ok(operations) => {
                let description = format!("Rename {name} to {to}");
                context.propose_operations("rename_symbol", &description, operations)
            }
            Err(why) => super::context::refused(&why),
        }
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(patience())
    }
}
