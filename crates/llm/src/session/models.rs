//! Which models there are, and which one is asked.
//!
//! In: what the provider offers, and that another model was taken. Out: lines for the user.

use super::{Event, Fault, Session};
use crate::provider::catalogue::Model;
use crate::provider::{About, ProviderError};
use crate::spent::Prices;

/// More are not shown; some servers list hundreds.
const MOST: usize = 60;

impl Session {
    /// Tells which models there are.
    pub(super) fn list_models(&mut self, about: &About, models: Result<Vec<Model>, ProviderError>) {
        match models {
            Ok(models) => {
                let text = listed(about, &models);
                self.emit(Event::Info { text });
            }
            Err(error) => self.emit(Event::Fault(Fault::from(&error))),
        }
    }

    /// Goes by what is known of the model that is asked.
    pub(super) fn meet(&mut self, about: &About) {
        let known = self.catalogue.find(&about.model);
        self.ledger
            .meet(known.price.map(Prices::from), known.context);
    }

    /// Tells that another model is asked from now on.
    pub(super) fn model_chosen(&mut self, about: Option<About>) {
        match about {
            Some(about) => {
                self.meet(&about);
                let hint = Some(format!("From now on {} is asked.", about.model));
                self.emit(Event::Ready { about, hint });
            }
            None => self.misused("there is no other model; connect a server first"),
        }
    }
}

fn listed(about: &About, models: &[Model]) -> String {
    let place = match about.endpoint.as_str() {
        "" => about.provider.as_str(),
        endpoint => endpoint,
    };
    let mut lines = vec![format!("Models at {place}; `/model NAME` asks another:")];
    for model in models.iter().take(MOST) {
        let mark = if model.name == about.model {
            "* "
        } else {
            "  "
        };
        let words = match model.in_words() {
            words if words.is_empty() => words,
            words => format!("  ({words})"),
        };
        lines.push(format!("{mark}{}{words}", model.name));
    }
    if models.len() > MOST {
        lines.push(format!("  and {} more", models.len() - MOST));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::catalogue::Catalogue;
    use crate::session::test_kit::Stage;
    use crate::session::{Command, Input};

    fn about(model: &str) -> About {
        About {
            provider: "anthropic".to_owned(),
            model: model.to_owned(),
            endpoint: "https://a.com/v1".to_owned(),
        }
    }

    #[test]
    fn models_are_listed_and_one_is_taken() {
        let mut stage = Stage::new();
        stage.feed(Input::Command(Command::Models));
        let known = ["claude-haiku-4-5", "mine"].map(|name| Catalogue::standard().find(name));
        let (about, models) = (about("mine"), Ok(known.to_vec()));
        stage.feed(Input::Models { about, models });
        stage.feed(Input::Command(Command::UseModel("other".to_owned())));
        stage.feed(Input::ModelChosen(None));
        insta::assert_snapshot!(stage.take_log(), @r#"
        > list models
        < info Models at https://a.com/v1; `/model NAME` asks another:
          claude-haiku-4-5  (200k tokens of context, $1 in, $5 out a million)
        * mine
        > use model other
        < fault usage there is no other model; connect a server first null
        "#);
    }

    #[test]
    fn a_long_list_is_cut() {
        let models: Vec<Model> = (0..100)
            .map(|number| Model {
                name: number.to_string(),
                ..Model::default()
            })
            .collect();
        let text = listed(&about("0"), &models);
        assert!(text.ends_with("and 40 more") && text.lines().count() == 62);
    }
}
