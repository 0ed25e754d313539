//! Models that are there without configuration: of servers on this machine, and of services whose keys are set.
//!
//! In: servers that were found, keys, and who answers first. Out: a provider that lists all of these models and goes to
//! the one that is picked. No service is connected before one of its models is picked.

use std::sync::Arc;

use super::catalogue::Model;
use super::http::Server;
use super::{About, DeltaStream, Provider, ProviderError};
use crate::message::Prompt;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

/// Models of one server, which can be asked as soon as one is picked.
#[derive(Clone)]
pub struct Offer {
    /// The server.
    pub server: Server,
    /// Its models.
    pub models: Vec<Model>,
}

/// Someone who answers, and models that can be picked instead.
pub struct WithOffers {
    answers: Arc<dyn Provider>,
    offers: Arc<[Offer]>,
}

impl WithOffers {
    /// Returns a provider that answers as this one until a model is picked.
    pub fn new(answers: Arc<dyn Provider>, offers: Vec<Offer>) -> Self {
        Self {
            answers,
            offers: offers.into(),
        }
    }

    /// Returns the server that has a model; of two, the first.
    fn offered(&self, name: &str) -> Option<&Server> {
        let latest = format!("{name}:latest");
        self.offers
            .iter()
            .find(|offer| {
                let mut models = offer.models.iter();
                models.any(|model| model.name == name || model.name == latest)
            })
            .map(|offer| &offer.server)
    }
}

impl Provider for WithOffers {
    fn about(&self) -> About {
        self.answers.about()
    }

    fn stream(&self, prompt: Prompt) -> DeltaStream {
        self.answers.stream(prompt)
    }

    /// Lists the models of who answers, then those that are offered and not among them. Where who answers cannot be
    /// reached, the others are what the user needs.
    fn models(&self) -> BoxFuture<'static, Result<Vec<Model>, ProviderError>> {
        let (own, offers) = (self.answers.models(), Arc::clone(&self.offers));
        async move {
            let mut models = match own.await {
                Err(error) if offers.is_empty() => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, "the models of who answers are not listed");
                    Vec::new()
                }
                Ok(models) => models,
            };
            for offered in offers.iter().flat_map(|offer| &offer.models) {
                if !models.iter().any(|model| model.name == offered.name) {
                    models.push(offered.clone());
                }
            }
            Ok(models)
        }
        .boxed()
    }

    fn takes_images(&self) -> BoxFuture<'static, Option<bool>> {
        self.answers.takes_images()
    }

    fn with_model(&self, name: &str) -> Option<Arc<dyn Provider>> {
        let picked = match self.offered(name) {
            Some(server) => Provider::with_model(server, name),
            None => self.answers.with_model(name),
        };
        Some(Arc::new(Self {
            answers: picked?,
            offers: Arc::clone(&self.offers),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Protocol;
    use crate::provider::http::Endpoint;
    use crate::provider::scripted::Scripted;

    fn offer(url: &str, names: &[&str]) -> Offer {
        let endpoint = Endpoint::open(Protocol::Openai, url.to_owned(), String::new());
        Offer {
            server: Server::new(endpoint).unwrap(),
            models: names
                .iter()
                .map(|name| Model {
                    name: (*name).to_owned(),
                    ..Model::default()
                })
                .collect(),
        }
    }

    fn names(provider: &dyn Provider) -> Vec<String> {
        let models = provider.models().now_or_never().unwrap().unwrap();
        models.into_iter().map(|model| model.name).collect()
    }

    #[test]
    fn who_answers_changes_when_a_model_is_picked_and_the_offers_stay() {
        let offers = vec![
            offer("http://127.0.0.1:1/v1", &["a", "b:latest"]),
            offer("http://127.0.0.1:2/v1", &["a", "c"]),
        ];
        let first = WithOffers::new(Arc::new(Scripted::parse("").unwrap()), offers);
        assert_eq!(first.about().provider, "scripted");
        assert_eq!(names(&first), ["replay", "a", "b:latest", "c"]);
        for (name, endpoint) in [("a", ":1/"), ("b", ":1/"), ("c", ":2/")] {
            let picked = first.with_model(name).unwrap();
            assert_eq!(picked.about().model, name);
            assert!(picked.about().endpoint.contains(endpoint), "{name}");
            let again = picked.with_model("c").unwrap();
            assert!(again.about().endpoint.contains(":2/"));
        }
        assert!(first.with_model("d").is_none(), "nobody has it");
    }
}
