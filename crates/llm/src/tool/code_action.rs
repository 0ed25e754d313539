//! `code_action`: what the language server offers for a line, and carries out by its title; `organize_imports` is one of
//! them by name.

use std::time::Duration;

use signoff_verify::language_server::ORGANIZE;

use super::arguments::{HasSchema, Told, arguments, count, integer, parse, said, text};
use super::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};
use crate::language_servers::patience;

/// Actions that are listed.
const MAX_LISTED: usize = 40;

/// `code_action`
pub(super) struct CodeAction;

/// `organize_imports`
pub(super) struct OrganizeImports;

arguments! {
    pub(super) struct ActionArguments {
        path: String = Told::Required(text()),
        line: usize = Told::Required(integer()),
        #[serde(default, deserialize_with = "count")]
        end: Option<usize> = Told::Optional(said(integer(), "last line")),
        title: Option<String> = Told::Optional(said(text(), "of the one to stage; without, they are listed")),
    }
}

arguments! {
    pub(super) struct ImportArguments {
        path: String = Told::Required(text()),
    }
}

impl Tool for CodeAction {
    type Arguments = ActionArguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "code_action",
            description: "List the language server's fixes and refactorings for a line, or stage one.",
            reach: Reach::Stage,
            parameters: ActionArguments::schema(),
        }
    }

    fn read(&self, arguments: &str) -> Result<ActionArguments, ToolOutput> {
        parse(arguments)
    }

    fn facts(&self, arguments: &ActionArguments) -> CallFacts {
        CallFacts::path(&arguments.path)
    }

    fn run(&self, arguments: &ActionArguments, context: &ToolContext<'_>) -> ToolOutput {
        let ActionArguments {
            path,
            line,
            end,
            title,
        } = arguments;
        let lines = (*line, end.unwrap_or(*line));
        let Some(title) = title.as_deref().filter(|title| !title.trim().is_empty()) else {
            let listed = context.ask_language_server(path, &mut |client, wait| {
                client.actions(path, lines, None, wait)
            });
            return match listed {
                Ok(actions) => {
                    let titles = actions.iter().take(MAX_LISTED);
                    let titles: String = titles.map(|own| format!("{}\n", own.title)).collect();
                    let summary = signoff_core::plural::counted(actions.len(), "action");
                    ToolOutput::done(
                        if titles.is_empty() {
                            "none\n".to_owned()
                        } else {
                            titles
                        },
                        format!("{path}: {summary}"),
                    )
                }
                Err(why) => ToolOutput::failed(format!("error: {why}"), why),
            };
        };
        carry_out(
            context,
            (path, lines),
            "code_action",
            &|own| own == title,
            title,
        )
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(patience())
    }
}

impl Tool for OrganizeImports {
    type Arguments = ImportArguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "organize_imports",
            description: "Sort a file's imports and remove unused ones, by the language server.",
            reach: Reach::Stage,
            parameters: ImportArguments::schema(),
        }
    }

    fn read(&self, arguments: &str) -> Result<ImportArguments, ToolOutput> {
        parse(arguments)
    }

    fn facts(&self, arguments: &ImportArguments) -> CallFacts {
        CallFacts::path(&arguments.path)
    }

    fn run(&self, arguments: &ImportArguments, context: &ToolContext<'_>) -> ToolOutput {
        let lines = (1, 1);
        let said = "Organize imports";
        carry_out(
            context,
            (&arguments.path, lines),
            "organize_imports",
            &|_| true,
            said,
        )
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(patience())
    }
}

/// Stages the first action with a title that is meant.
fn carry_out(
    context: &ToolContext<'_>,
    (path, lines): (&str, (usize, usize)),
    tool: &str,
    is_meant: &dyn Fn(&str) -> bool,
    description: &str,
) -> ToolOutput {
    let kind = (tool == "organize_imports").then_some(ORGANIZE);
    let read = |path: &str| context.read(path).ok().flatten();
    let edited = context.ask_language_server(path, &mut |client, wait| {
        let actions = client.actions(path, lines, kind, wait)?;
        let meant = actions.iter().find(|action| is_meant(&action.title));
        meant
            .map(|action| client.carry_out(action, &read, wait))
            .transpose()
    });
    match edited {
        Ok(Some(operations)) => context.propose_operations(tool, description, operations),
        Ok(None) => super::context::refused("the language server offers no such action there"),
        Err(why) => super::context::refused(&why),
    }
}
