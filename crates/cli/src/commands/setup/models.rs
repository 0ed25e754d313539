//! The model: one of those that the server lists, or one that the user names.
//!
//! In: a server, and a number, a name or a part of one. Out: the model's name.

use signoff_llm::provider::discover::can_talk;
use signoff_llm::provider::trouble::Trouble;
use signoff_llm::provider::{Provider, ProviderError};
use signoff_setup::config::ModelChoice;
use signoff_setup::session_setup::model;
use signoff_tui::error_text::in_words;

use super::SetupRun;
use super::answers::{choice, index, text};
use crate::commands::out;

/// Models that are shown at once: a screen of them. A part of a name shows those that have it.
const SHOWN: usize = 30;

/// What came of asking for a model.
pub(super) enum PickedModel {
    Named(String),
    OtherKey,
    OtherServer,
    Stopped,
}

/// Asks for one of the models of a server.
pub(super) fn pick(setup: &SetupRun<'_>, server: &ModelChoice) -> anyhow::Result<PickedModel> {
    let names = match listed(setup, server) {
        Ok(names) => names,
        Err(why) => {
            out::line(&format!("No models are listed: {why}."))?;
            Vec::new()
        }
    };
    if names.is_empty() {
        let moves = ["name a model", "another key", "another server", "stop"].map(str::to_owned);
        return Ok(match choice("What now?", &moves, false)? {
            Some(0) => match text("The model's name, as the server knows it:")? {
                Some(name) if !name.is_empty() => PickedModel::Named(name),
                Some(_) => PickedModel::OtherServer,
                None => PickedModel::Stopped,
            },
            Some(1) => PickedModel::OtherKey,
            Some(2) => PickedModel::OtherServer,
            Some(_) | None => PickedModel::Stopped,
        });
    }
    among(&names)
}

/// Asks for one of these, by its number, its name or a part of it.
fn among(names: &[String]) -> anyhow::Result<PickedModel> {
    let mut shown = first(names);
    loop {
        out::line("Models:")?;
        for (index, name) in shown.iter().enumerate() {
            out::line(&format!("  {}  {name}", index + 1))?;
        }
        let left = names.len().saturating_sub(shown.len());
        let question = if left > 0 {
            format!("Which one? A number, or a part of a name ({left} more are not shown):")
        } else {
            "Which one? A number, or a name:".to_owned()
        };
        let Some(answer) = text(&question)? else {
            return Ok(PickedModel::Stopped);
        };
        if let Some(name) = index(&answer, shown.len(), false).and_then(|at| shown.get(at)) {
            return Ok(PickedModel::Named((*name).clone()));
        }
        if answer.is_empty() {
            continue;
        }
        match Found::of(&answer, names) {
            Found::Model(name) => return Ok(PickedModel::Named(name)),
            Found::Several(found) => shown = first_of(found),
            Found::None => {
                out::line(&format!("The server lists no model with `{answer}`."))?;
                let moves = ["show the list again", "take this name all the same"];
                match choice("What now?", &moves.map(str::to_owned), true)? {
                    Some(0) => shown = first(names),
                    Some(_) => return Ok(PickedModel::Named(answer)),
                    None => return Ok(PickedModel::Stopped),
                }
            }
        }
    }
}

/// What a name or a part of one finds.
#[derive(Debug, PartialEq, Eq)]
enum Found<'a> {
    Model(String),
    Several(Vec<&'a String>),
    None,
}

impl<'a> Found<'a> {
    fn of(answer: &str, names: &'a [String]) -> Self {
        if names.iter().any(|name| name == answer) {
            return Self::Model(answer.to_owned());
        }
        let part = answer.to_lowercase();
        let found = names
            .iter()
            .filter(|name| name.to_lowercase().contains(&part));
        let found: Vec<&String> = found.collect();
        match found.as_slice() {
            [] => Self::None,
            [one] => Self::Model((*one).clone()),
            _ => Self::Several(found),
        }
    }
}

fn first(names: &[String]) -> Vec<&String> {
    first_of(names.iter().collect())
}

fn first_of(mut names: Vec<&String>) -> Vec<&String> {
    names.truncate(SHOWN);
    names
}

/// Returns the models that a server lists and that talk; or why there are none.
fn listed(setup: &SetupRun<'_>, server: &ModelChoice) -> Result<Vec<String>, String> {
    let config = setup.draft.config(server);
    let mut config = config.map_err(|error| in_words(&error))?;
    config.wait = config.wait.hurried();
    let server = model::configured(&config).map_err(|error| in_words(&error))?;
    let server = server.ok_or("the file names no server")?;
    let models = setup.runtime.block_on(Provider::models(&server));
    let models = models.map_err(|error| explained(&error))?;
    let names = models.into_iter().map(|model| model.name);
    Ok(names.filter(|name| can_talk(name)).collect())
}

/// Returns an error with what can be done about it.
pub(super) fn explained(error: &ProviderError) -> String {
    format!("{error}; {}", Trouble::of(error).hint())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_name_finds_models() {
        let names = ["gpt-5", "gpt-5-mini", "Qwen3:8b"].map(str::to_owned);
        for (answer, expected) in [
            ("gpt-5", Found::Model("gpt-5".to_owned())),
            ("qwen", Found::Model("Qwen3:8b".to_owned())),
            ("gpt", Found::Several(vec![&names[0], &names[1]])),
            ("llama", Found::None),
        ] {
            assert_eq!(Found::of(answer, &names), expected, "{answer}");
        }
    }
}
