//! `rename_symbol`: what a name stands for gets another one, in all files, by the language server.

use std::collections::BTreeMap;
use std::time::Duration;

use signoff_checks::language_server::{FileOperation, LanguageServer, Target};
use signoff_core::quote;

use super::arguments::{Told, arguments, integer, text};
use super::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};
use crate::code_index::Asked;
use crate::language_servers::patience;
use crate::tool_output::LEFT_BY_SERVER;

/// Files named that still have the name.
const MAX_LEFT: usize = 10;
/// Files with the name that are sent to a server before it is asked: with a few hundred it has most projects whole.
const MAX_SENT: usize = 200;

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

impl PlainTool for RenameSymbol {
    type Arguments = Arguments;
    const NAME: &'static str = "rename_symbol";
    const DESCRIPTION: &'static str = "Rename what `name` on this line stands for, in all files.";
    const REACH: Reach = Reach::Stage;

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
        let holders = holders(context, name);
        let renamed = context.ask_language_server(path, &mut |client, wait| {
            // A server that just started may not have found all files of the project yet, and renames in those it has.
            let own = holders.iter().flatten();
            let own = own.filter(|held| LanguageServer::of(held) == LanguageServer::of(path));
            for held in own.take(MAX_SENT) {
                if let Some(text) = read(held) {
                    client.send_text(held, &text)?;
                }
            }
            let operations = client.rename(&target, to, &read, wait)?;
            Ok((operations, client.warning().map(str::to_owned)))
        });
        match renamed {
            Ok((operations, warning)) => {
                let description = format!("Rename {name} to {to}");
                let left = left(holders.as_deref(), name, &operations);
                if let (Some(warning), Some(left)) = (&warning, &left) {
                    // It would most likely leave a part of what is meant.
                    return super::context::refused(&format!(
                        "the language server does not know all of the project ({warning}), and would leave {left}"
                    ));
                }
                let mut output =
                    context.propose_operations("rename_symbol", &description, operations);
                if let (true, Some(left)) = (output.ok, left) {
                    output.content += &format!("\n{LEFT_BY_SERVER}{left}");
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

/// Returns the files that the index has the name in; none if there is no index.
fn holders(context: &ToolContext<'_>, name: &str) -> Option<Vec<String>> {
    let index = context.code_index().ok()?;
    let staged = context.staged_paths().ok()?.into_iter();
    let staged: Vec<String> = staged.map(|(path, _)| path).collect();
    let places = index
        .places(Asked::References, name, &staged, &|path| {
            context.read(path).ok().flatten()
        })
        .ok()?;
    let mut files: Vec<_> = places.into_iter().map(|place| place.path).collect();
    files.dedup();
    Some(files)
}

/// Says which files have the name, and the server has not changed: what it cannot see, as a project that is not
/// configured, and other things of the same name. Without an index that is unknown, and not none.
fn left(
    holders: Option<&[String]>,
    name: &str,
    operations: &BTreeMap<String, FileOperation>,
) -> Option<String> {
    let Some(holders) = holders else {
        return Some(format!("`{name}` in files unknown, as there is no index"));
    };
    let left = holders
        .iter()
        .filter(|path| !operations.contains_key(*path));
    let files: Vec<&String> = left.collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_keep_the_name_are_named_or_said_to_be_unknown() {
        let paths =
            |names: &[&str]| -> Vec<String> { names.iter().map(|&name| name.to_owned()).collect() };
        let operations = BTreeMap::from([("a.py".to_owned(), FileOperation::Delete)]);
        let many: Vec<String> = (0..12).map(|number| format!("{number}.py")).collect();
        for (holders, expected) in [
            (None, Some("`load` in files unknown, as there is no index")),
            (Some(paths(&["a.py"])), None),
            (Some(paths(&["a.py", "b.py"])), Some("`load` in b.py")),
            (
                Some(many),
                Some(
                    "`load` in 0.py, 1.py, 2.py, 3.py, 4.py, 5.py, 6.py, 7.py, 8.py, 9.py and 2 more",
                ),
            ),
        ] {
            let left = left(holders.as_deref(), "load", &operations);
            assert_eq!(left.as_deref(), expected, "{holders:?}");
        }
    }
}
