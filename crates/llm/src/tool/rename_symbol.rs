//! `rename_symbol`: what a name stands for gets another one, in all files, by the language server.

use std::collections::BTreeMap;
use std::time::Duration;

use signoff_core::quote;
use signoff_verify::language_server::{FileOperation, Target};

use super::arguments::{HasSchema, Told, arguments, integer, parse, text};
use super::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};
use crate::code_index::Asked;
use crate::language_servers::patience;

/// Files named that still have the name.
const MAX_LEFT: usize = 10;

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
            description: "Rename what `name` on this line stands for, in all files.",
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
            let operations = client.rename(&target, to, &read, wait)?;
            Ok((operations, client.warning().map(str::to_owned)))
        });
        match renamed {
            Ok((operations, warning)) => {
                let description = format!("Rename {name} to {to}");
                let left = left(context, name, &operations);
                if let (Some(warning), Some(left)) = (&warning, &left) {
                    // It would most likely leave a part of what is meant.
                    return super::context::refused(&format!(
                        "the language server does not know all of the project ({warning}), and would leave {left}"
                    ));
                }
                let mut output =
                    context.propose_operations("rename_symbol", &description, operations);
                if let (true, Some(left)) = (output.ok, left) {
                    output.content += &format!(
                        "\nleft as it is, since the language server does not say that it is the same: {left}"
                    );
                }
                output
            }
            Err(why) => super::context::refused(&why),
        }
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(patience())
    }
}

/// Says which files the index has the name in, and the server has not changed: what it cannot see, as a project that is
/// not configured, and other things of the same name.
fn left(
    context: &ToolContext<'_>,
    name: &str,
    operations: &BTreeMap<String, FileOperation>,
) -> Option<String> {
    let index = context.code_index().ok()?;
    let staged = context.staged_paths().ok()?.into_iter();
    let staged: Vec<String> = staged.map(|(path, _)| path).collect();
    let read = |path: &str| context.read(path).ok().flatten();
    let places = index.places(Asked::References, name, &staged, &read).ok()?;
    let mut files: Vec<_> = places.into_iter().map(|place| place.path).collect();
    files.dedup();
    files.retain(|path| !operations.contains_key(path));
    let more = files.len().saturating_sub(MAX_LEFT);
    let files: Vec<_> = files
        .iter()
        .take(MAX_LEFT)
        .map(|path| quote::name(path))
        .collect();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    (!files.is_empty()).then(|| format!("`{name}` in {}{more}", files.join(", ")))
}
