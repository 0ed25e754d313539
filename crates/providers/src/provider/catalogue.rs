//! Model catalogue: context sizes, prices and abilities.
//!
//! In: a data file, what the user adds, and a model's name. Out: a [`Model`]. Of a model that
//! is not listed nothing is assumed.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::Options;
use crate::message::AnswerForm;

/// What is known of a model, or of a family of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The name, or how the names of a family begin.
    pub name: String,
    /// Tokens that request and answer may have together.
    #[serde(default, deserialize_with = "at_least_one")]
    pub context: Option<u64>,
    /// Tokens that an answer may have.
    #[serde(default, deserialize_with = "at_least_one")]
    pub output: Option<u64>,
    /// Dollars for a million tokens: `input`, `output`; `cached` and `stored` if a cache costs something else; `long`
    /// if requests `above` so many tokens cost more, with the same fields.
    #[serde(default)]
    pub price: Option<Price>,
    /// Billions of parameters; what its name says counts more.
    #[serde(default, deserialize_with = "above_nothing")]
    pub billions: Option<f64>,
    /// `false`: it cannot call tools; they are told in words, and calls are read out of its text.
    #[serde(default)]
    pub tools: Option<bool>,
    /// Whether it takes images. Where it is not said, Ollama, llama.cpp and OpenRouter are asked; else images are
    /// sent.
    #[serde(default)]
    pub images: Option<bool>,
    /// `true`: it thinks first; under `responses`, sealed reasoning is asked for.
    #[serde(default)]
    pub reasons: Option<bool>,
    /// `"lines"` (without it) or `"whole"`: what a request by example asks for.
    #[serde(default)]
    pub answers: Option<AnswerForm>,
}

/// Dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens read.
    #[serde(deserialize_with = "dollars")]
    pub input: f64,
    /// Tokens read out of the cache; as much as others without it.
    #[serde(default, deserialize_with = "maybe_dollars")]
    pub cached: Option<f64>,
    /// Tokens put into the cache; as much as others without it.
    #[serde(default, deserialize_with = "maybe_dollars")]
    pub stored: Option<f64>,
    /// Tokens written.
    #[serde(deserialize_with = "dollars")]
    pub output: f64,
    /// What requests that are long cost instead, where they cost more.
    #[serde(default)]
    pub long: Option<LongPrice>,
}

/// Dollars for a million tokens of a request that reads more tokens than a limit, for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrice {
    /// The most tokens read that cost the usual.
    pub above: u64,
    /// Tokens read.
    #[serde(deserialize_with = "dollars")]
    pub input: f64,
    /// Tokens read out of the cache; as much as others without it.
    #[serde(default, deserialize_with = "maybe_dollars")]
    pub cached: Option<f64>,
    /// Tokens put into the cache; as much as others without it.
    #[serde(default, deserialize_with = "maybe_dollars")]
    pub stored: Option<f64>,
    /// Tokens written.
    #[serde(deserialize_with = "dollars")]
    pub output: f64,
}

/// Reads a number of tokens, of which there has to be one.
fn at_least_one<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    match Option::<u64>::deserialize(from)? {
        Some(0) => Err(D::Error::custom("0 is too few: give 1 or more")),
        number => Ok(number),
    }
}

/// Reads how large a model is.
fn above_nothing<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    match Option::<f64>::deserialize(from)? {
        Some(size) if !size.is_finite() || size <= 0.0 => Err(D::Error::custom(format!(
            "{size} is no size: give a number above 0"
        ))),
        size => Ok(size),
    }
}

/// Reads a price in dollars.
fn dollars<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let price = f64::deserialize(from)?;
    if price.is_finite() && price >= 0.0 {
        Ok(price)
    } else {
        Err(D::Error::custom(format!(
            "{price} is no price: give 0 or more"
        )))
    }
}

/// Reads a price in dollars that may be left out.
fn maybe_dollars<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    #[derive(Deserialize)]
    struct Dollars(#[serde(deserialize_with = "dollars")] f64);
    Ok(Option::<Dollars>::deserialize(from)?.map(|Dollars(price)| price))
}

/// A data file that is no list of models.
#[derive(Debug, thiserror::Error)]
#[error("the list of models is not understood: {0}")]
pub struct Misshapen(#[from] serde_json::Error);

/// A list of models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    models: Vec<Model>,
    /// How many tokens a model is taken to read of which nothing is said.
    assumed: Option<u64>,
}

/// The data file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Where its prices are from, and when they were looked up; for who keeps it.
    #[serde(rename = "prices")]
    _prices: serde::de::IgnoredAny,
    models: Vec<Model>,
}

impl Catalogue {
    /// Reads a data file.
    pub fn parse(text: &str) -> Result<Self, Misshapen> {
        let File { models, .. } = serde_json::from_str(text)?;
        let assumed = None;
        Ok(Self { models, assumed })
    }

    /// Returns the list that comes with the program; empty if that is broken, which a test
    /// excludes.
    pub fn standard() -> Self {
        Self::parse(include_str!("catalogue.json")).unwrap_or_default()
    }

    /// Returns what is known of the models whose names begin so, in the order of the list.
    pub fn beginning(&self, starts: &[&str]) -> Vec<Model> {
        let mut names: Vec<&str> = Vec::new();
        for model in self
            .models
            .iter()
            .filter(|model| starts.iter().any(|start| model.name.starts_with(start)))
        {
            if !names.contains(&model.name.as_str()) {
                names.push(&model.name);
            }
        }
        names.into_iter().map(|name| self.find(name)).collect()
    }

    /// Returns the same with the user's additions, which count more.
    #[must_use]
    pub fn with(mut self, more: Vec<Model>) -> Self {
        self.models.extend(more);
        self
    }

    /// Returns the same with what a server tells of one of its models, where the user says
    /// nothing of it.
    #[must_use]
    pub fn learning(mut self, told: Model, users: &[Model]) -> Self {
        let said = Self::default().with(users.to_vec()).find(&told.name);
        self.models.push(Model {
            context: told.context.filter(|_| said.context.is_none()),
            tools: told.tools.filter(|_| said.tools.is_none()),
            images: told.images.filter(|_| said.images.is_none()),
            billions: told.billions.filter(|_| said.billions.is_none()),
            ..told
        });
        self
    }

    /// Returns the same, where models of which nothing is said are taken to read so many tokens.
    #[must_use]
    pub fn assuming(self, context: Option<u64>) -> Self {
        Self {
            assumed: context,
            ..self
        }
    }

    /// Returns what is known of a model. Of two entries, the one that says more of the name
    /// counts, and of two of the same name the later one; what it does not say the others do.
    pub fn find(&self, name: &str) -> Model {
        let bare = name.rsplit('/').next().unwrap_or(name);
        let mut fitting: Vec<&Model> = self
            .models
            .iter()
            .filter(|model| model.is_meant_by(name) || model.is_meant_by(bare))
            .collect();
        fitting.sort_by_key(|model| model.name.len());
        let mut known = Model {
            name: name.to_owned(),
            ..Model::default()
        };
        for model in fitting {
            known.context = model.context.or(known.context);
            known.output = model.output.or(known.output);
            known.price = model.price.or(known.price);
            known.billions = model.billions.or(known.billions);
            known.tools = model.tools.or(known.tools);
            known.images = model.images.or(known.images);
            known.reasons = model.reasons.or(known.reasons);
            known.answers = model.answers.or(known.answers);
        }
        known.context = known.context.or(self.assumed);
        known
    }
}

impl Model {
    /// Tells whether a name is this one's, or goes on behind it with a part of its own: `gpt-5`
    /// is meant by `gpt-5-mini`, but not by `gpt-5.4`.
    fn is_meant_by(&self, name: &str) -> bool {
        name.strip_prefix(self.name.as_str())
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.'))
    }

    /// Returns the options of a request to it, with further fields of its body.
    pub fn options(&self, extra: serde_json::Map<String, serde_json::Value>) -> Options {
        Options {
            extra,
            max_output: self.output,
            context: self.context,
            reasons: self.reasons == Some(true),
            likeliest: false,
        }
    }

    /// Returns what is known as a few words; empty if nothing is.
    pub fn in_words(&self) -> String {
        let mut words = Vec::new();
        if let Some(tokens) = self.context {
            words.push(format!("{} tokens of context", short(tokens)));
        }
        if let Some(price) = self.price {
            words.push(format!(
                "${} in, ${} out per 1M tokens",
                price.input, price.output
            ));
        }
        if self.tools == Some(false) {
            words.push("calls as text".to_owned());
        }
        words.join(", ")
    }
}

fn short(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}k", tokens / 1_000),
        _ => format!("{}M", tokens / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_that_comes_with_the_program_is_sound() {
        let list = Catalogue::parse(include_str!("catalogue.json")).unwrap();
        assert!(list.models.len() > 15);
        for model in &list.models {
            assert!(!model.name.is_empty() && model.context.is_none_or(|size| size >= 4096));
            assert!(
                model
                    .output
                    .zip(model.context)
                    .is_none_or(|(out, all)| out <= all)
            );
            let Some(price) = model.price else { continue };
            assert!(price.input <= price.output && is_cheaper(price.cached, price.input));
            assert!(price.stored.is_none_or(|stored| stored > price.input));
            let Some(long) = price.long else { continue };
            assert!(long.input > price.input && long.output > price.output);
            assert!(is_cheaper(long.cached, long.input) && Some(long.above) < model.context);
        }
    }

    fn is_cheaper(cached: Option<f64>, input: f64) -> bool {
        cached.is_none_or(|cached| cached < input)
    }

    #[test]
    fn the_longest_name_counts_and_then_the_users_word() {
        let list = r#"{"prices":null,"models":[{"name":"a","context":10,"tools":false},
            {"name":"a-big","context":20},{"name":"a-big","output":7}]}"#;
        let list = Catalogue::parse(list).unwrap().with(vec![Model {
            name: "a-big".to_owned(),
            context: Some(30),
            ..Model::default()
        }]);
        assert_eq!(told(&list, "a-small"), (Some(10), None, Some(false)));
        assert_eq!(told(&list, "a-big-2"), (Some(30), Some(7), Some(false)));
        assert_eq!(
            told(&list, "vendor/a-big"),
            (Some(30), Some(7), Some(false))
        );
        assert_eq!(told(&list, "b"), (None, None, None));
        assert_eq!(told(&list, "a.5"), (None, None, None));
    }

    fn told(list: &Catalogue, name: &str) -> (Option<u64>, Option<u64>, Option<bool>) {
        let model = list.find(name);
        (model.context, model.output, model.tools)
    }

    #[test]
    fn a_server_is_believed_where_the_user_says_nothing() {
        let list = r#"{"prices":null,"models":[{"name":"a","context":10,"tools":false}]}"#;
        let told = model("a:8b", Some(20), Some(true));
        let find = |users: &[Model]| {
            let list = Catalogue::parse(list).unwrap().with(users.to_vec());
            let list = list.learning(told.clone(), users).assuming(Some(7));
            assert_eq!(list.find("b").context, Some(7));
            let found = list.find("a:8b");
            (found.context, found.tools)
        };
        assert_eq!(find(&[]), (Some(20), Some(true)));
        let users = [model("a", Some(30), None)];
        assert_eq!(find(&users), (Some(30), Some(true)));
    }

    fn model(name: &str, context: Option<u64>, tools: Option<bool>) -> Model {
        Model {
            name: name.to_owned(),
            context,
            tools,
            ..Model::default()
        }
    }

    /// The entry of a family would put a price on each of these that is not theirs.
    #[test]
    fn a_model_that_costs_unlike_its_family_has_an_entry() {
        let standard = Catalogue::standard();
        for (name, expected) in [
            ("gpt-5.1-codex-mini", Some(0.25)),
            ("gpt-5.2-pro", Some(21.0)),
            ("gpt-5.5-cyber", Some(12.5)),
            ("gpt-4.1-nano-2025-04-14", Some(0.1)),
            ("o3-mini", Some(1.1)),
            ("google/gemini-3.5-flash-lite", Some(0.3)),
            ("gemini-3-pro-preview", None),
        ] {
            assert_eq!(
                standard.find(name).price.map(|price| price.input),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn what_is_known_in_a_few_words() {
        let standard = Catalogue::standard();
        assert_eq!(standard.find("no-such-model").in_words(), "");
        let words = standard.find("claude-sonnet-4-5-20250929").in_words();
        assert_eq!(
            words,
            "200k tokens of context, $3 in, $15 out per 1M tokens"
        );
    }
}
