//! `code_action`: what the language server offers for a line, and carries out by its title. `organize imports` is offered for
//! any line.

use std::time::Duration;

use signoff_checks::language_server::ORGANIZE;

use super::arguments::{Told, arguments, count, integer, text};
use super::{CallFacts, PlainTool, Reach, ToolContext, ToolOutput};
use crate::language_servers::patience;

/// The title that stands for sorting imports and removing those that are not used.
const ORGANIZE_TITLE: &str = "organize imports";
/// Actions that are listed.
const MAX_LISTED: usize = 40;

/// `code_action`
pub(super) struct CodeAction;

arguments! {
    pub(super) struct ActionArguments {
        path: String = Told::Required(text()),
        line: usize = Told::Required(integer()),
        #[serde(default, deserialize_with = "count")]
        end: Option<usize> = Told::Untold,
        title: Option<String> = Told::Optional(text()),
    }
}

impl PlainTool for CodeAction {
    type Arguments = ActionArguments;
    const NAME: &'static str = "code_action";
    const DESCRIPTION: &'static str =
        "List fixes for a line; with title, stage one, or `organize imports`.";
    const REACH: Reach = Reach::Stage;

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
        let organizes = title.eq_ignore_ascii_case(ORGANIZE_TITLE);
        let kind = organizes.then_some(ORGANIZE);
        let edited = context.ask_language_server(path, &mut |client, wait| {
            let actions = client.actions(path, lines, kind, wait)?;
            let meant = actions.iter().find(|own| organizes || own.title == title);
            meant
                .map(|action| {
                    client.carry_out(action, &|path| context.read(path).ok().flatten(), wait)
                })
                .transpose()
        });
        match edited {
            Ok(Some(operations)) => context.propose_operations("code_action", title, operations),
            Ok(None) => super::context::refused("the language server offers no such action there"),
            Err(why) => super::context::refused(&why),
        }
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(patience())
    }
}
