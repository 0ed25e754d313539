//! Model selection at start.
//!
//! In: what is configured. Out: a provider, and a line for the user where it is not what they
//! might expect.

use std::sync::Arc;

use anyhow::Context as _;
use signoff_core::plural::counted;
use signoff_llm::code_block;
use signoff_llm::driver::FoundModel;
use signoff_llm::offline::Offline;
use signoff_llm::provider::catalogue::{Catalogue, Model};
use signoff_llm::provider::discover::{CANDIDATES, can_talk, discover};
use signoff_llm::provider::http::{Endpoint, EndpointError, Server};
use signoff_llm::provider::offers::{Offer, WithOffers};
use signoff_llm::provider::scripted::Scripted;
use signoff_llm::provider::{About, Protocol, Provider};
use signoff_sandbox::listener;

use crate::config::{self, Address, Config, Service, Source, Wait};
use crate::definitions::trust::TrustFile;
use crate::paths::Paths;

mod found;

use found::{FoundModelServer, FoundModelServers};
pub use found::{LocalServer, LocalServers, WHAT_IT_GETS, find_local};

/// How to get from the planner to a model.
const HOW_TO_CONNECT: &str = "No model is connected: this is the built-in offline planner; type \
     `help` for what it understands. `signoff setup` in a terminal connects a model and keeps it. Or start Ollama, \
     llama.cpp, LM Studio or vLLM on its usual port; or set SIGNOFF_URL and SIGNOFF_MODEL (or --url and --model), with \
     the key in SIGNOFF_API_KEY; or name a model and have OPENAI_API_KEY, ANTHROPIC_API_KEY or \
     GEMINI_API_KEY set.";

/// How to get from the planner to a model of a service whose key is set.
const HOW_TO_PICK: &str = "No model is named: the built-in offline planner answers. /model in the \
     interface picks one, --model NAME names one. Its service gets the key that is set for it, and nothing is sent \
     before. `signoff setup` keeps one in the configuration file.";

/// Someone who answers.
pub struct Chosen {
    /// Who.
    pub provider: Arc<dyn Provider>,
    /// What the user should know of it.
    pub hint: Option<String>,
    /// What is known of models, that of whoever answers included.
    pub catalogue: Catalogue,
    /// True if nobody but the planner answers, and there are models to pick from.
    pub is_to_be_picked: bool,
    /// A model of this machine that answers once the user agrees.
    pub found: Option<FoundModel>,
}

impl Chosen {
    fn new(provider: Arc<dyn Provider>, catalogue: Catalogue) -> Self {
        Self {
            provider,
            hint: None,
            catalogue,
            is_to_be_picked: false,
            found: None,
        }
    }
}

/// Chooses who answers; looks for a server on this machine where nothing is configured.
pub async fn choose(config: &Config, paths: &Paths) -> anyhow::Result<Chosen> {
    let users = &config.models;
    let catalogue = Catalogue::standard().with(users.clone());
    match &config.source {
        Source::Offline => Ok(Chosen::new(Arc::new(Offline), catalogue)),
        Source::Replay(file) => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            let script = Scripted::parse(&text);
            let script = script.with_context(|| format!("{} is no script", file.display()))?;
            Ok(Chosen::new(Arc::new(script), catalogue))
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
                return Ok(Chosen::new(provider, catalogue));
            };
            let server = server.with_catalogue(catalogue.clone());
            Ok(Chosen::new(Arc::new(server), catalogue))
        }
        Source::Look { model, services } => {
            let trust = TrustFile::of_machine(paths);
            let found = discover(&CANDIDATES).await;
            let found = FoundModelServers::sorted(found, &trust, listener::at);
            let services = service_offers(services, config.wait, &catalogue)?;
            let has_services = !services.is_empty();
            let answering = |servers: &[&FoundModelServer], catalogue: Catalogue| {
                let Some(first) = servers.first() else {
                    return Ok(None);
                };
                let model = model
                    .clone()
                    .unwrap_or_else(|| first.server.model.name.clone());
                let hint = found_in_words(servers, &model);
                let mut offers = local_offers(servers, config.wait, &catalogue)?;
                offers.extend(services.iter().cloned());
                let catalogue = catalogue.learning(first.server.model.clone(), users);
                let catalogue = catalogue.assuming(assumed(first.server.protocol));
                let endpoint =
                    Endpoint::open(first.server.protocol, first.server.base_url.clone(), model);
                let server = config.wait.of(server(endpoint)?);
                let server = found::guarded(server, first).with_catalogue(catalogue.clone());
                let provider: Arc<dyn Provider> =
                    Arc::new(WithOffers::new(Arc::new(server), offers));
                anyhow::Ok(Some((provider, hint, catalogue)))
            };
            let asked = if found.has_open() {
                answering(&found.usable(), catalogue.clone())?
            } else {
                None
            };
            let question = asked.map(|(provider, ..)| found.question(provider));
            let (provider, hint, catalogue, is_to_be_picked) =
                match answering(&found.allowed(), catalogue.clone())? {
                    Some((provider, hint, catalogue)) => (provider, hint, catalogue, false),
                    None => {
                        let provider = WithOffers::new(Arc::new(Offline), services.clone());
                        let hint = match (found.has_open(), has_services) {
                            (true, _) => "",
                            (false, true) => HOW_TO_PICK,
                            (false, false) => HOW_TO_CONNECT,
                        };
                        let provider: Arc<dyn Provider> = Arc::new(provider);
                        let is_to_be_picked = has_services && !found.has_open();
                        (provider, hint.to_owned(), catalogue, is_to_be_picked)
                    }
                };
            let remarks = found.remarks().chain([hint]);
            let remarks: Vec<String> = remarks.filter(|text| !text.is_empty()).collect();
            Ok(Chosen {
                hint: Some(remarks.join(" ")),
                is_to_be_picked,
                found: question,
                ..Chosen::new(provider, catalogue)
            })
        }
    }
}

/// Returns the models of servers on this machine.
fn local_offers(
    found: &[&FoundModelServer],
    wait: Wait,
    catalogue: &Catalogue,
) -> anyhow::Result<Vec<Offer>> {
    let offers = found.iter().map(|found| {
        let listed = &found.server;
        let endpoint = Endpoint::open(listed.protocol, listed.base_url.clone(), String::new());
        let known = catalogue.clone().assuming(assumed(listed.protocol));
        let models = listed.models.iter().map(|model| Model {
            context: model.context.or(known.find(&model.name).context),
            ..model.clone()
        });
        Ok(Offer {
            models: models.collect(),
            server: found::guarded(wait.of(server(endpoint)?), found).with_catalogue(known),
        })
    });
    offers.collect()
}

/// Returns the models of services whose keys are set, as far as the catalogue knows them: nothing is asked of a service
/// before the user picks one of its models.
fn service_offers(
    services: &[(&'static Service, config::Server)],
    wait: Wait,
    catalogue: &Catalogue,
) -> anyhow::Result<Vec<Offer>> {
    let offers = services.iter().map(|(service, server)| {
        let server = connect(server, wait)?.with_catalogue(catalogue.clone());
        let models = catalogue.beginning(service.models);
        Ok(Offer { server, models })
    });
    offers.collect()
}

/// Says what was found on this machine, and which model answers.
fn found_in_words(found: &[&FoundModelServer], model: &str) -> String {
    let names: Vec<&str> = found
        .iter()
        .map(|found| found.server.name.as_str())
        .collect();
    let names = names.join(" and ");
    match found.iter().map(|found| found.server.models.len()).sum() {
        1 => format!("Found {names} on this machine."),
        count => format!(
            "Found {names} on this machine, with {}: {model} answers, /model picks another.",
            counted(count, "model")
        ),
    }
}

/// Returns the server that is configured, to be asked for its models; none where no address is.
pub fn configured(config: &Config) -> anyhow::Result<Option<Server>> {
    let Source::Server(server) = &config.source else {
        return Ok(None);
    };
    let catalogue = Catalogue::standard().with(config.models.clone());
    Ok(Some(
        connect(server, config.wait)?.with_catalogue(catalogue),
    ))
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
    let server = server(endpoint)?.with_extra(configured.body.clone());
    Ok(wait.of(server))
}

/// Returns the server at an endpoint, of whose models the fences of code are taken for edits where they call no tools.
fn server(endpoint: Endpoint) -> Result<Server, EndpointError> {
    Ok(Server::new(endpoint)?.with_code_blocks(code_block::edit))
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
pub fn name(about: &About) -> String {
    match about.endpoint.as_str() {
        "" => about.model.clone(),
        endpoint => format!("{} at {endpoint}", about.model),
    }
}
