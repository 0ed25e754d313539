//! Connection faults.
//!
//! In: a response that is a refusal, or an error of the connection. Out: a [`ProviderError`]
//! of one line, without the address as it was configured, which may hold credentials.

use std::error::Error;
use std::time::Duration;

use reqwest::{Response, StatusCode};

use crate::provider::ProviderError;
use crate::provider::openai::{flat, refusal_text};

/// Returns a refusal in the server's own words, or the usual ones for its status.
pub(super) fn refused(response: &Response, body: &str) -> ProviderError {
    let status = response.status();
    let mut message = refusal_text(body);
    if message.is_empty() {
        message = reason(status);
    }
    if status.is_redirection()
        && let Some(to) = header(response, "location")
    {
        message = format!("{message}: it points to {}", flat(to));
    }
    let seconds = header(response, "retry-after").and_then(|text| text.trim().parse().ok());
    let retry_after = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    ProviderError::Status {
        code: status.as_u16(),
        message,
        retry_after,
    }
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

fn reason(status: StatusCode) -> String {
    status
        .canonical_reason()
        .unwrap_or("no reason given")
        .to_lowercase()
}

/// Returns the innermost cause: the outer ones repeat the address, credentials included.
pub(super) fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if cause.is::<reqwest::Error>() {
        return "the request could not be sent".to_owned();
    }
    flat(&cause.to_string())
}

/// Returns the error of an answer that is not whole.
pub(super) fn cut(detail: String) -> ProviderError {
    ProviderError::Cut { detail }
}
