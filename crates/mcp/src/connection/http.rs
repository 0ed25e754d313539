//! Connections by HTTP.
//!
//! In: the address of a server, and headers. Out: what a transport is made of.

use std::collections::HashMap;
use std::str::FromStr as _;

use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use secrecy::{ExposeSecret as _, SecretString};

use super::MOST_MESSAGE;
use crate::foreign_text::line;
use crate::sign_in::MOST_ERROR;
use crate::sign_in::with_sources;

/// Returns a client for an address, and what it sends. No redirect is followed, and no proxy is asked for this machine.
pub(super) fn client(
    url: &str,
    headers: &[(String, SecretString)],
) -> Result<(Client, StreamableHttpClientTransportConfig), String> {
    let parsed = reqwest::Url::parse(url)
        .map_err(|error| format!("the address is not understood: {error}"))?;
    let is_local = match parsed.host_str() {
        Some("localhost" | "127.0.0.1" | "[::1]") => true,
        Some(_) | None => false,
    };
    if parsed.scheme() != "https" && !(parsed.scheme() == "http" && is_local) {
        return Err("the address must begin with https://, or http:// on this machine".to_owned());
    }
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let header = HeaderName::from_str(name)
            .ok()
            .zip(HeaderValue::from_str(value.expose_secret()).ok());
        let Some((header, mut value)) = header else {
            return Err(format!("the header {} is none", line(name, 60)));
        };
        value.set_sensitive(true);
        custom.insert(header, value);
    }
    // An error means that the process has a provider already, which serves as well.
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("signoff/", env!("CARGO_PKG_VERSION")))
        // What is sent, a token in it, is for the address that the user named.
        .redirect(redirect::Policy::none())
        .pool_max_idle_per_host(0);
    if is_local {
        builder = builder.no_proxy();
    }
    if is_local && parsed.scheme() == "http" {
        // No certificate is looked at: a machine without any can talk to itself.
        builder = builder.tls_certs_only([]);
    }
    let client = builder
        .build()
        .map_err(|error| line(&with_sources(&error), MOST_ERROR))?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    config.custom_headers = custom;
    config.max_sse_event_size = MOST_MESSAGE;
    config.max_json_response_size = MOST_MESSAGE;
    Ok((client, config))
}
