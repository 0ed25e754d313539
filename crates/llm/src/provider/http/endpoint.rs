//! Where a model is, and how long to wait for it.
//!
//! In: what was configured. Out: checked headers; a key that cannot be sent is refused before
//! anything is.

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

/// Where a model is, and what opens the door.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The server's address, with or without `/v1` or the full path.
    pub base_url: String,
    /// The model's name as the server knows it.
    pub model: String,
    /// The key, where the server wants one.
    pub key: Option<SecretString>,
    /// Further headers of every request; their values may be secret.
    pub headers: Vec<(String, SecretString)>,
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
            let value = secret_value(&format!("Bearer {key}")).ok_or(EndpointError::Key)?;
            headers.insert(AUTHORIZATION, value);
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
}

fn secret_value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}
