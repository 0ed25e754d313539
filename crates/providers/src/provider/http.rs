//! HTTP transport for all protocols; of models, the only file that opens a socket.
//!
//! In: an [`Endpoint`] and prompts. Out: deltas. Keys are in no error, log or debug text.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use reqwest::header::HeaderMap;
use reqwest::{Certificate, Client, Proxy, RequestBuilder, Response, redirect};
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::catalogue::{Catalogue, Model};
use super::openai::flat;
use super::retry::Schedule;
use super::text::{self, CodeBlockReader, Lenience};
use super::trouble::Trouble;
use super::{About, DeltaStream, Options, Protocol, Provider, ProviderError};
use crate::message::Prompt;

mod answer;
mod endpoint;
mod exchange;
mod fault;
mod models;
pub mod secrets;
mod url;

#[cfg(test)]
pub(crate) use answer::AnswerReader;
pub use endpoint::{Endpoint, EndpointError, Timeouts};
pub use url::shown_of;

use exchange::Exchange;
use fault::{cut, refused, root_cause};
use secrets::Secrets;
use url::Addresses;

/// The longest refusal that is read for the server's words: a proxy may answer with a page without an end.
const MAX_REFUSAL: usize = 64 << 10;
/// The longest list of models that is read.
const MAX_LIST: usize = 4 << 20;

/// Tells before each request whether it may still be sent; an error says why not.
pub type RequestGuard = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// A server that speaks one of the protocols.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
    /// True once it has refused tools: from then on they are put into words.
    refuses_tools: Arc<AtomicBool>,
}

/// What requests that run at the same time have in common.
#[derive(Clone)]
struct Shared {
    protocol: Protocol,
    addresses: Addresses,
    model: String,
    proxy: Option<Proxy>,
    authorities: Vec<Certificate>,
    headers: HeaderMap,
    secrets: Secrets,
    /// Further fields of every request.
    extra: Map<String, Value>,
    catalogue: Arc<Catalogue>,
    /// Reads edits out of fences of code, where the model cannot call tools.
    code: Option<CodeBlockReader>,
    base_url: String,
    schedule: Schedule,
    timeouts: Timeouts,
    /// Of a server that was found: who listens there may be another one by now.
    guard: Option<RequestGuard>,
    /// Made with the first request: it reads certificates, and the first frame comes before.
    client: OnceLock<Client>,
}

impl Server {
    /// Returns the provider; nothing is sent and no connection is made.
    pub fn new(endpoint: Endpoint) -> Result<Self, EndpointError> {
        let protocol = endpoint.protocol;
        let addresses = Addresses::of(&endpoint.base_url, protocol, &endpoint.model);
        let addresses = addresses.map_err(|detail| EndpointError::Url {
            url: shown_of(&endpoint.base_url),
            detail,
        })?;
        let headers = endpoint.headers_of()?;
        let (proxy, authorities) = (endpoint.proxy_of()?, endpoint.authorities_of()?);
        let shared = Shared {
            protocol,
            addresses,
            secrets: Secrets::of(&endpoint),
            model: endpoint.model,
            proxy,
            authorities,
            headers,
            extra: Map::new(),
            catalogue: Arc::default(),
            code: None,
            base_url: endpoint.base_url,
            schedule: Schedule::default(),
            timeouts: Timeouts::default(),
            guard: None,
            client: OnceLock::new(),
        };
        Ok(Self {
            shared: Arc::new(shared),
            refuses_tools: Arc::default(),
        })
    }

    /// Asks for something beyond the prompt: further fields of every request.
    #[must_use]
    pub fn with_extra(self, extra: Map<String, Value>) -> Self {
        self.with(|shared| shared.extra = extra)
    }

    /// Goes by what a catalogue knows of models.
    #[must_use]
    pub fn with_catalogue(self, catalogue: Catalogue) -> Self {
        self.with(|shared| shared.catalogue = Arc::new(catalogue))
    }

    /// Takes fences of code for edits, where the model cannot call tools or answers by example.
    #[must_use]
    pub fn with_code_blocks(self, code: CodeBlockReader) -> Self {
        self.with(|shared| shared.code = Some(code))
    }

    /// Repeats failed requests by another schedule.
    #[must_use]
    pub fn with_schedule(self, schedule: Schedule) -> Self {
        self.with(|shared| shared.schedule = schedule)
    }

    /// Asks this before each request.
    #[must_use]
    pub fn with_guard(self, guard: RequestGuard) -> Self {
        self.with(|shared| shared.guard = Some(guard))
    }

    /// Waits longer or shorter.
    #[must_use]
    pub fn with_timeouts(self, timeouts: Timeouts) -> Self {
        self.with(|shared| shared.timeouts = timeouts)
    }

    /// Returns the models that the server lists, in its order, with what it tells of them; it is
    /// asked once.
    pub async fn models(&self) -> Result<Vec<Model>, ProviderError> {
        let list = async {
            let request = self
                .shared
                .client()?
                .get(self.shared.addresses.models.clone());
            let mut response = self.shared.begin(request).await?;
            let list = read_up_to(&mut response, MAX_LIST);
            let body = timeout(self.shared.timeouts.idle, list)
                .await
                .unwrap_or_default();
            models::list(&body, self.shared.protocol).ok_or_else(|| ProviderError::Malformed {
                detail: format!("no list of models: {}", flat(&body)),
            })
        };
        list.await.map_err(|error| self.shared.shown(error))
    }

    /// Returns what the server tells of a model beyond its list, where its protocol has a way to
    /// ask; it is asked once.
    pub async fn describe(&self, name: &str) -> Option<Model> {
        let address = self.shared.addresses.show.clone()?;
        let body = serde_json::json!({ "model": name }).to_string();
        let request = self.shared.client().ok()?.post(address).body(body);
        let mut response = self.shared.begin(request).await.ok()?;
        let told = read_up_to(&mut response, MAX_LIST);
        let told = timeout(self.shared.timeouts.idle, told).await.ok()?;
        models::shown(name, &told)
    }

    /// Returns what Ollama says of its release; it is asked once.
    pub async fn version(&self) -> Option<String> {
        /// Bytes of a release that is shown: `0.12.6-rc1`.
        const MOST_VERSION: usize = 24;
        let address = self.shared.addresses.show.as_ref()?.join("version").ok()?;
        let request = self.shared.client().ok()?.get(address);
        let mut response = self.shared.begin(request).await.ok()?;
        let told = read_up_to(&mut response, MAX_REFUSAL);
        let told = timeout(self.shared.timeouts.idle, told).await.ok()?;
        let told: Value = serde_json::from_str(&told).ok()?;
        let version = told.get("version")?.as_str()?;
        let is_plain = version.len() <= MOST_VERSION
            && version
                .chars()
                .all(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
        is_plain.then(|| version.to_owned())
    }

    fn with(mut self, change: impl FnOnce(&mut Shared)) -> Self {
        change(Arc::make_mut(&mut self.shared));
        self
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("about", &self.about())
            .finish_non_exhaustive()
    }
}

impl Provider for Server {
    fn about(&self) -> About {
        About {
            provider: self.shared.protocol.word().to_owned(),
            model: self.shared.model.clone(),
            endpoint: self.shared.addresses.shown.clone(),
        }
    }

    fn stream(&self, prompt: Prompt) -> DeltaStream {
        let (protocol, model) = (self.shared.protocol, &self.shared.model);
        let known = self.shared.catalogue.find(model);
        let options = Options {
            likeliest: prompt.target.is_some(),
            ..known.options(self.shared.extra.clone())
        };
        // No order is needed: a request that goes out just before it is known is refused as well, and says so again.
        let refused = Arc::clone(&self.refuses_tools);
        let tools = if refused.load(Ordering::Relaxed) {
            Some(false)
        } else {
            known.tools
        };
        let by_example = prompt.target.as_ref().map(text::by_example);
        let in_words = || (tools == Some(false)).then(|| text::in_words(&prompt));
        let in_words = by_example.or_else(in_words);
        let body = protocol.encode(in_words.as_ref().unwrap_or(&prompt), model, &options);
        let decoder = protocol.decoder(&prompt, model);
        let body = body.to_string().into_bytes();
        let exchange = Exchange::new(Arc::clone(&self.shared), body, decoder);
        let pieces = stream::unfold(exchange, Exchange::next);
        let answer: DeltaStream = Box::pin(pieces.inspect(move |piece| {
            if matches!(piece, Err(error) if Trouble::of(error) == Trouble::NoTools) {
                refused.store(true, Ordering::Relaxed);
            }
        }));
        let lenience = match (&prompt.target, tools) {
            (Some(_), _) | (None, Some(false)) => Lenience::Lenient,
            (None, None) => Lenience::Strict,
            (None, Some(true)) => return answer,
        };
        text::read(answer, &prompt, lenience, self.shared.code)
    }

    fn models(&self) -> BoxFuture<'static, Result<Vec<Model>, ProviderError>> {
        let server = self.clone();
        Box::pin(async move {
            let listed = Self::models(&server).await?;
            Ok(listed
                .into_iter()
                .map(|listed| {
                    let known = server.shared.catalogue.find(&listed.name);
                    Model {
                        context: known.context.or(listed.context),
                        billions: known.billions.or(listed.billions),
                        ..known
                    }
                })
                .collect())
        })
    }

    fn takes_images(&self) -> BoxFuture<'static, Option<bool>> {
        let server = self.clone();
        Box::pin(async move {
            let name = &server.shared.model;
            if let Some(told) = server.describe(name).await {
                return told.images;
            }
            let listed = Self::models(&server).await.ok()?;
            listed.into_iter().find(|model| model.name == *name)?.images
        })
    }

    fn with_model(&self, name: &str) -> Option<Arc<dyn Provider>> {
        let shared = &self.shared;
        // The address of some protocols names the model.
        let addresses = Addresses::of(&shared.base_url, shared.protocol, name).ok()?;
        let server = self.clone().with(|shared| {
            name.clone_into(&mut shared.model);
            shared.addresses = addresses;
        });
        let server = Self {
            refuses_tools: Arc::default(),
            ..server
        };
        Some(Arc::new(server))
    }
}

impl Shared {
    /// Sends a chat, and returns the response once it begins well.
    async fn send(&self, body: Vec<u8>) -> Result<Response, ProviderError> {
        let request = self.client()?.post(self.addresses.chat.clone()).body(body);
        self.begin(request).await
    }

    async fn begin(&self, request: RequestBuilder) -> Result<Response, ProviderError> {
        if let Some(guard) = &self.guard {
            guard().map_err(|why| self.unreachable(why))?;
        }
        let sent = request.headers(self.headers.clone()).send();
        let mut response = match timeout(self.timeouts.first, sent).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if error.is_connect() && error.is_timeout() => {
                let seconds = self.timeouts.connect.as_secs_f64();
                return Err(self.unreachable(format!("no connection within {seconds} s")));
            }
            Ok(Err(error)) => return Err(self.unreachable(root_cause(&error))),
            Err(_) => {
                let seconds = self.timeouts.first.as_secs_f64();
                return Err(cut(format!("no answer began within {seconds} s")));
            }
        };
        if response.status().is_success() {
            return Ok(response);
        }
        // A server that refuses and then stalls is given no more time than one that ends.
        let body = timeout(
            self.timeouts.closing,
            read_up_to(&mut response, MAX_REFUSAL),
        )
        .await;
        Err(refused(&response, &body.unwrap_or_default()))
    }

    fn client(&self) -> Result<&Client, ProviderError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        // An error means that the process has a provider already, which serves as well.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("signoff/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.timeouts.connect)
            // A prompt is not sent on to a server that nobody configured.
            .redirect(redirect::Policy::none());
        if let Some(proxy) = &self.proxy {
            builder = builder.proxy(proxy.clone());
        } else if self.addresses.is_loopback {
            builder = builder.no_proxy();
        }
        if self.addresses.is_loopback && self.addresses.chat.scheme() == "http" {
            // No certificate is looked at: a machine without any can talk to itself.
            builder = builder.tls_certs_only([]);
        } else if !self.authorities.is_empty() {
            builder = builder.tls_certs_merge(self.authorities.clone());
        }
        let client = builder
            .build()
            .map_err(|error| self.unreachable(root_cause(&error)))?;
        Ok(self.client.get_or_init(|| client))
    }

    fn unreachable(&self, detail: String) -> ProviderError {
        ProviderError::Connect {
            url: self.addresses.shown.clone(),
            detail,
        }
    }

    /// Returns an error as it may be shown: without what the server repeated of the secrets that it
    /// was sent, and only then cut to one bounded line. Every error passes here.
    fn shown(&self, mut error: ProviderError) -> ProviderError {
        let text = match &mut error {
            ProviderError::Status { message, .. } => message,
            ProviderError::Connect { detail, .. }
            | ProviderError::Cut { detail }
            | ProviderError::Malformed { detail }
            | ProviderError::Replay { detail } => detail,
        };
        *text = self.secrets.shown(text);
        error
    }
}

async fn read_up_to(response: &mut Response, limit: usize) -> String {
    let mut body = Vec::new();
    while body.len() < limit
        && let Ok(Some(bytes)) = response.chunk().await
    {
        body.extend_from_slice(bytes.get(..limit - body.len()).unwrap_or(&bytes));
    }
    String::from_utf8_lossy(&body).into_owned()
}

#[cfg(test)]
mod protocol_tests;
#[cfg(test)]
mod tests;
