//! Model selection at start.
//!
//! In: what is configured. Out: a provider, and a line for the user where it is not what they
//! might expect.

use std::sync::Arc;

use anyhow::Context as _;
use signoff_llm::provider::catalogue::{Catalogue, Model};
use signoff_llm::provider::discover::{CANDIDATES, can_talk, discover};
use signoff_llm::provider::http::{Endpoint, Server};
use signoff_llm::provider::offline::Offline;
use signoff_llm::provider::scripted::Scripted;
use signoff_llm::provider::{About, Protocol, Provider};

use crate::config::{self, Address, Config, Source, Wait};

/// How to get from the planner to a model.
const HOW_TO_CONNECT: &str = "No model is connected: this is the built-in offline planner; type \
     `help` for what it understands. To connect a model, start Ollama, llama.cpp, LM Studio or \
     vLLM on its usual port, or set SIGNOFF_URL and SIGNOFF_MODEL (or --url and --model), with \
     the key in SIGNOFF_API_KEY; or name a model and have OPENAI_API_KEY, ANTHROPIC_API_KEY or \
     GEMINI_API_KEY set.";

/// Someone who answers.
pub(crate) struct Chosen {
    /// Who.
    pub provider: Arc<dyn Provider>,
    /// What the user should know of it.
    pub hint: Option<String>,
    /// What is known of models, that of whoever answers included.
    pub catalogue: Catalogue,
}

/// Chooses who answers; looks for a server on this machine where nothing is configured.
pub(crate) async fn choose(config: &Config) -> anyhow::Result<Chosen> {
    let users = &config.models;
    let catalogue = Catalogue::standard().with(users.clone());
    let chosen = |provider: Arc<dyn Provider>, hint, catalogue: Catalogue| Chosen {
        provider,
        hint,
        catalogue,
    };
    match &config.source {
        Source::Offline => Ok(chosen(Arc::new(Offline), None, catalogue)),
        Source::Replay(file) => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            let script = Scripted::parse(&text);
            let script = script.with_context(|| format!("{} is no script", file.display()))?;
            Ok(chosen(Arc::new(script), None, catalogue))
        }
        Source::Server(configured) => {
            let catalogue = catalogue.assuming(assumed(configured.protocol));
            let server = connect(configured, config.wait)?;
            let Some(_) = &configured.model else {
                let first = first_model(&server, &configured.url).await?;
                let named = first.name.clone();
                let catalogue = catalogue.learning(first, users);
                let server = server.with_catalogue(catalogue.clone());
                let named = server.with_model(&named);
                let provider = named.context("the server's first model has no address")?;
                return Ok(chosen(provider, None, catalogue));
            };
            let server = server.with_catalogue(catalogue.clone());
            Ok(chosen(Arc::new(server), None, catalogue))
        }
        Source::Look { model } => match discover(&CANDIDATES).await {
            Some(found) => {
                let hint = format!("Found {} on this machine.", found.name);
                let model = model.clone().unwrap_or_else(|| found.model.name.clone());
                let catalogue = catalogue.learning(found.model, users);
                let catalogue = catalogue.assuming(assumed(found.protocol));
                let endpoint = Endpoint::open(found.protocol, found.base_url, model);
                let server = config.wait.of(Server::new(endpoint)?);
                let server = server.with_catalogue(catalogue.clone());
                Ok(chosen(Arc::new(server), Some(hint), catalogue))
            }
            None => {
                let hint = Some(HOW_TO_CONNECT.to_owned());
                Ok(chosen(Arc::new(Offline), hint, catalogue))
            }
        },
    }
}

/// Returns the configured server; runs the command that prints its key, if there is one.
fn connect(configured: &config::Server, wait: Wait) -> anyhow::Result<Server> {
    let authorities = match &configured.ca_file {
        Some(file) => std::fs::read(file)
            .with_context(|| format!("cannot read ca_file {}", file.display()))?,
        None => Vec::new(),
    };
    let endpoint = Endpoint {
        protocol: configured.protocol,
        base_url: configured.url.0.clone(),
        model: configured.model.clone().unwrap_or_default(),
        key: configured.key.read()?,
        headers: configured.headers.clone(),
        proxy: configured.proxy.clone(),
        authorities,
    };
    let server = Server::new(endpoint)?.with_extra(configured.body.clone());
    Ok(wait.of(server))
}

/// Returns how many tokens a model is taken to read of which nothing is said.
fn assumed(protocol: Protocol) -> Option<u64> {
    (protocol == Protocol::Ollama).then_some(Protocol::OLLAMA_CONTEXT)
}

async fn first_model(server: &Server, url: &Address) -> anyhow::Result<Model> {
    let models = server.models().await;
    let models = models.with_context(|| format!("no model is named, and {url} lists none"))?;
    let first = models.into_iter().find(|model| can_talk(&model.name));
    let first =
        first.with_context(|| format!("{url} lists no model to talk to; name one with --model"))?;
    Ok(server.describe(&first.name).await.unwrap_or(first))
}

/// Returns who answers as one line.
pub(crate) fn name(about: &About) -> String {
    match about.endpoint.as_str() {
        "" => about.model.clone(),
        endpoint => format!("{} at {endpoint}", about.model),
    }
}
