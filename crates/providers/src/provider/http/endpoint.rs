//! Endpoint: address, model, keys and time limits.
//!
//! In: what was configured. Out: checked headers; a key that cannot be sent is refused before
//! anything is.

use std::fmt;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Proxy};
use secrecy::{ExposeSecret, SecretString};

use super::url::shown_of;
use crate::provider::Protocol;

/// Where a model is, and what opens the door.
#[derive(Clone)]
pub struct Endpoint {
    /// How it is spoken to.
    pub protocol: Protocol,
    /// The server's address, with or without `/v1` or the full path.
    pub base_url: String,
    /// The model's name as the server knows it.
    pub model: String,
    /// The key, where the server wants one.
    pub key: Option<SecretString>,
    /// Further headers of every request; their values may be secret.
    pub headers: Vec<(String, SecretString)>,
    /// The proxy; without one, those of the environment hold for servers elsewhere.
    pub proxy: Option<SecretString>,
    /// Certificates in PEM form that are trusted beside the system's.
    pub authorities: Vec<u8>,
}

impl Endpoint {
    /// Returns an address that is open to everybody.
    pub fn open(protocol: Protocol, base_url: String, model: String) -> Self {
        Self {
            protocol,
            base_url,
            model,
            key: None,
            headers: Vec::new(),
            proxy: None,
            authorities: Vec::new(),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("protocol", &self.protocol)
            .field("base_url", &shown_of(&self.base_url))
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Why an [`Endpoint`] cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// The address is none.
    #[error("{url:?} is no address of a server: {detail}")]
    Url {
        /// What was given.
        url: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The key cannot be sent.
    #[error("the key holds characters that cannot be sent; was more than the key pasted?")]
    Key,
    /// The proxy's address is none.
    #[error("the proxy's address cannot be used")]
    Proxy,
    /// The certificates cannot be read.
    #[error("the certificates are not in PEM form")]
    Certificates,
    /// A header cannot be sent.
    #[error("the header {name:?} holds characters that cannot be sent")]
    Header {
        /// Its name.
        name: String,
    },
}

/// How long to wait. There is no limit for the whole: long answers are no fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect: Duration,
    /// Until the answer begins; a local model reads the whole prompt, or loads, before.
    pub first: Duration,
    /// Between two pieces of the answer.
    pub idle: Duration,
    /// For the rest, once the model has said that it is done.
    pub closing: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first: Duration::from_secs(600),
            idle: Duration::from_secs(180),
            closing: Duration::from_secs(2),
        }
    }
}

impl Endpoint {
    /// Returns the headers of every request; those that may be secret are marked so.
    pub(super) fn headers_of(&self) -> Result<HeaderMap, EndpointError> {
        let mut headers = HeaderMap::new();
        headers.insert(
            ACCEPT,
            HeaderValue::from_static("text/event-stream, application/json"),
        );
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let key = self.key.as_ref().map(|key| key.expose_secret().trim());
        if let Some(key) = key.filter(|key| !key.is_empty()) {
            let (name, value) = match self.protocol {
                Protocol::Openai | Protocol::Responses | Protocol::Ollama => {
                    (AUTHORIZATION, format!("Bearer {key}"))
                }
                Protocol::Anthropic => (HeaderName::from_static("x-api-key"), key.to_owned()),
                Protocol::Gemini => (HeaderName::from_static("x-goog-api-key"), key.to_owned()),
            };
            headers.insert(name, secret_value(&value).ok_or(EndpointError::Key)?);
        }
        if self.protocol == Protocol::Anthropic {
            let version = HeaderValue::from_static("2023-06-01");
            headers.insert(HeaderName::from_static("anthropic-version"), version);
        }
        for (name, value) in &self.headers {
            let value = secret_value(value.expose_secret().trim());
            let (Ok(sent_as), Some(value)) = (HeaderName::try_from(name), value) else {
                return Err(EndpointError::Header { name: name.clone() });
            };
            headers.insert(sent_as, value);
        }
        Ok(headers)
    }

    pub(super) fn proxy_of(&self) -> Result<Option<Proxy>, EndpointError> {
        let proxy = self.proxy.as_ref().map(|url| url.expose_secret().trim());
        let Some(url) = proxy.filter(|url| !url.is_empty()) else {
            return Ok(None);
        };
        // What is wrong with it is not repeated: it may hold a password.
        let proxy = Proxy::all(url).map_err(|_unusable| EndpointError::Proxy)?;
        Ok(Some(proxy))
    }

    pub(super) fn authorities_of(&self) -> Result<Vec<Certificate>, EndpointError> {
        let found = Certificate::from_pem_bundle(&self.authorities);
        let found = found.map_err(|_unreadable| EndpointError::Certificates)?;
        if found.is_empty() && !self.authorities.is_empty() {
            Err(EndpointError::Certificates)
        } else {
            Ok(found)
        }
    }
}

fn secret_value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}
