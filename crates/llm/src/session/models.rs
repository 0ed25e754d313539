//! Models offered and the one in use.
//!
//! In: what the provider offers, and that another model was taken. Out: events for the user.

use serde::Serialize;

use super::outbox::Outbox;
use super::{Effect, FaultKind};
use crate::provider::catalogue::Model;
use crate::provider::{About, ProviderError};

/// A model in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedModel {
    /// Its name, by which it is asked for.
    pub name: String,
    /// What is known of it, as its context and its price; empty if nothing is.
    pub known: String,
}

impl From<&Model> for ListedModel {
    fn from(model: &Model) -> Self {
        Self {
            name: model.name.clone(),
            known: model.in_words(),
        }
    }
}

/// Has a model asked that the user named, unless the server lists others only. What a server that lists nothing
/// has is seen when it is asked.
pub(super) fn found(
    name: String,
    about: &About,
    models: Result<Vec<Model>, ProviderError>,
    out: &mut Outbox,
) {
    let models = models.unwrap_or_default();
    let latest = format!("{name}:latest");
    match models
        .iter()
        .find(|model| model.name == name || model.name == latest)
    {
        None if !models.is_empty() => {
            let message = format!("{} does not list {name}", place(about));
            let hint = format!(
                "{} is asked as before; /model lists the models",
                about.model
            );
            out.fault(FaultKind::Usage, message, &hint);
        }
        _ => out.want(Effect::UseModel { name }),
    }
}

/// Returns where models are, as the user knows it.
fn place(about: &About) -> &str {
    match about.endpoint.as_str() {
        "" => about.provider.as_str(),
        endpoint => endpoint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::ChosenModel;
    use crate::memory::{Recall, Record};
    use crate::provider::catalogue::Catalogue;
    use crate::session::test_kit::{Stage, specs};
    use crate::session::{Command, Config, Input};

    fn about(model: &str) -> About {
        About {
            provider: "anthropic".to_owned(),
            model: model.to_owned(),
            endpoint: "https://a.com/v1".to_owned(),
        }
    }

    #[test]
    fn models_are_listed_and_one_is_taken() {
        let known = ["claude-haiku-4-5", "mine"].map(|name| Catalogue::standard().find(name));
        let listed = known.map(|model| ListedModel::from(&model).known);
        assert_eq!(
            listed,
            ["200k tokens of context, $1 in, $5 out per 1M tokens", ""]
        );
        let mut stage = Stage::new();
        stage.feed(Input::Command(Command::UseModel("other".to_owned())));
        stage.feed(Input::ModelChosen(None));
        insta::assert_snapshot!(stage.take_log(), @r#"
        > find model other
        < fault usage there is no other model; connect a server first null
        "#);
    }

    #[test]
    fn a_model_that_the_server_does_not_list_is_not_asked() {
        for (listed, expected) in [
            (&["a", "b"][..], "> use model b"),
            (&["a", "b:latest"], "> use model b"),
            (&["a"], "does not list b"),
            (&[], "> use model b"),
        ] {
            let mut stage = Stage::new();
            stage.feed(Input::Command(Command::UseModel("b".to_owned())));
            assert_eq!(stage.take_log(), "> find model b");
            let models = listed.iter().map(|name| Catalogue::standard().find(name));
            stage.feed(Input::ModelFound {
                name: "b".to_owned(),
                about: about("a"),
                models: Ok(models.collect()),
            });
            let log = stage.take_log();
            assert!(log.contains(expected), "{listed:?}: {log}");
        }
    }

    fn models(stage: &Stage) -> Vec<&str> {
        let models = stage.records.iter().filter_map(|record| match record {
            Record::Model(model) => Some(model.name.as_str()),
            _ => None,
        });
        models.collect()
    }

    #[test]
    fn a_chosen_model_is_written_down_once_and_after_something_was_said() {
        let mut stage = Stage::with(Config {
            remember: true,
            ..Config::new(specs())
        });
        choose(&mut stage, "b");
        assert!(stage.records.is_empty(), "no conversation begins with that");
        stage.submit("hi");
        stage.says("Hello.");
        assert_eq!(models(&stage), ["b"]);
        choose(&mut stage, "b");
        choose(&mut stage, "c");
        assert_eq!(models(&stage), ["b", "c"]);
        // A new conversation is asked of the same model.
        stage.feed(Input::Switched(Ok(Recall::default())));
        stage.submit("again");
        assert_eq!(models(&stage), ["b", "c", "c"]);
        stage.says("Hello.");
        let recall = Recall {
            id: "s".to_owned(),
            entries: stage.session.transcript().entries().to_vec(),
            model: Some(ChosenModel::from(&about("d"))),
            ..Recall::default()
        };
        stage.feed(Input::Switched(Ok(recall)));
        choose(&mut stage, "d");
        stage.submit("and again");
        assert_eq!(models(&stage), ["b", "c", "c"], "it is known there");
    }

    fn choose(stage: &mut Stage, name: &str) {
        stage.feed(Input::ModelChosen(Some(about(name))));
    }
}
