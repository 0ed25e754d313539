//! Servers that speak OpenAI Chat Completions; the only file that opens a socket.
//!
//! In: an [`Endpoint`] and prompts. Out: deltas. Keys are in no error, log or debug text.

use std::fmt;
use std::sync::{Arc, OnceLock};

use futures_util::stream;
use reqwest::header::HeaderMap;
use reqwest::{Client, RequestBuilder, Response, redirect};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::timeout;

use super::openai::{Decoder, Options, encode, one_line};
use super::retry::Schedule;
use super::{About, DeltaStream, Provider, ProviderError};
use crate::message::Prompt;

mod answer;
mod endpoint;
mod exchange;
mod fault;
mod models;
mod url;

pub use endpoint::{Endpoint, EndpointError, Timeouts};

use exchange::Exchange;
use fault::{cut, refused, root_cause};
use url::Addresses;

/// The longest refusal that is read for the server's words.
const MAX_REFUSAL: usize = 64 << 10;
/// The longest list of models that is read.
const MAX_LIST: usize = 4 << 20;

/// A server that speaks OpenAI Chat Completions.
#[derive(Clone)]
pub struct OpenAi {
    shared: Arc<Shared>,
}

/// What requests that run at the same time have in common.
#[derive(Clone)]
struct Shared {
    addresses: Addresses,
    model: String,
    headers: HeaderMap,
    secrets: Vec<SecretString>,
    options: Options,
    schedule: Schedule,
    timeouts: Timeouts,
    /// Made with the first request: it reads certificates, and the first frame comes before.
    client: OnceLock<Client>,
}

impl OpenAi {
    /// Returns the provider; nothing is sent and no connection is made.
    pub fn new(endpoint: Endpoint) -> Result<Self, EndpointError> {
        let addresses = Addresses::of(&endpoint.base_url).map_err(|detail| EndpointError::Url {
            // An address that cannot be parsed may hold a password all the same.
            url: endpoint
                .base_url
                .rsplit('@')
                .next()
                .unwrap_or_default()
                .to_owned(),
            detail,
        })?;
        let headers = endpoint.headers_of()?;
        let secrets = endpoint
            .key
            .into_iter()
            .chain(endpoint.headers.into_iter().map(|(_, v)| v));
        let shared = Shared {
            addresses,
            model: endpoint.model,
            headers,
            secrets: secrets.collect(),
            options: Options::default(),
            schedule: Schedule::default(),
            timeouts: Timeouts::default(),
            client: OnceLock::new(),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// Asks for something beyond the prompt.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        self.with(|shared| shared.options = options)
    }

    /// Repeats failed requests by another schedule.
    #[must_use]
    pub fn with_schedule(self, schedule: Schedule) -> Self {
        self.with(|shared| shared.schedule = schedule)
    }

    /// Waits longer or shorter.
    #[must_use]
    pub fn with_timeouts(self, timeouts: Timeouts) -> Self {
        self.with(|shared| shared.timeouts = timeouts)
    }

    /// Returns the models that the server lists, in its order; it is asked once.
    pub async fn models(&self) -> Result<Vec<String>, ProviderError> {
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
            models::list(&body).ok_or_else(|| ProviderError::Malformed {
                detail: format!("no list of models: {}", one_line(&body)),
            })
        };
        list.await
            .map_err(|error| self.shared.without_secrets(error))
    }

    fn with(mut self, change: impl FnOnce(&mut Shared)) -> Self {
        change(Arc::make_mut(&mut self.shared));
        self
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi")
            .field("about", &self.about())
            .finish_non_exhaustive()
    }
}

impl Provider for OpenAi {
    fn about(&self) -> About {
        About {
            provider: "openai".to_owned(),
            model: self.shared.model.clone(),
            endpoint: self.shared.addresses.shown.clone(),
        }
    }

    fn stream(&self, prompt: Prompt) -> DeltaStream {
        let body = encode(&prompt, &self.shared.model, &self.shared.options).to_string();
        let decoder = Decoder::new(&prompt);
        let exchange = Exchange::new(Arc::clone(&self.shared), body.into_bytes(), decoder);
        Box::pin(stream::unfold(exchange, Exchange::next))
    }
}

impl Shared {
    /// Sends a chat, and returns the response once it begins well.
    async fn send(&self, body: Vec<u8>) -> Result<Response, ProviderError> {
        let request = self.client()?.post(self.addresses.chat.clone()).body(body);
        self.begin(request).await
    }

    async fn begin(&self, request: RequestBuilder) -> Result<Response, ProviderError> {
        let sent = request.headers(self.headers.clone()).send();
        let mut response = match timeout(self.timeouts.first, sent).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.unreachable(root_cause(&error))),
            Err(_) => {
                let seconds = self.timeouts.first.as_secs();
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
        let mut builder = Client::builder()
            .user_agent(concat!("signoff/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.timeouts.connect)
            // A prompt is not sent on to a server that nobody configured.
            .redirect(redirect::Policy::none());
        if self.addresses.is_loopback {
            builder = builder.no_proxy();
        }
        if self.addresses.is_loopback && self.addresses.chat.scheme() == "http" {
            // No certificate is looked at: a machine without any can talk to itself.
            builder = builder.tls_certs_only([]);
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

    /// Takes out what a server may have repeated of the secrets that it was sent.
    fn without_secrets(&self, mut error: ProviderError) -> ProviderError {
        let text = match &mut error {
            ProviderError::Status { message, .. } => message,
            ProviderError::Connect { detail, .. }
            | ProviderError::Cut { detail }
            | ProviderError::Malformed { detail }
            | ProviderError::Replay { detail } => detail,
        };
        for secret in &self.secrets {
            let secret = secret.expose_secret().trim();
            if !secret.is_empty() && text.contains(secret) {
                *text = text.replace(secret, "[secret]");
            }
        }
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
mod tests;
