//! Configuration of one server.
//!
//! In: addresses and headers as written. Out: values that show nothing secret when printed.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use anyhow::Context as _;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::{Map, Value};
use signoff_llm::provider::Protocol;
use signoff_llm::provider::http::shown_of;

use super::Key;
use super::setting_lines::SettingLines;

/// A server, as it is configured.
#[derive(Clone, Debug)]
pub struct Server {
    /// Where it is.
    pub url: Address,
    /// How it is spoken to.
    pub protocol: Protocol,
    /// The model; none asks the server for its first.
    pub model: Option<String>,
    /// The key for it.
    pub key: Key,
    /// Further headers.
    pub headers: Vec<(String, SecretString)>,
    /// The proxy before it.
    pub proxy: Option<SecretString>,
    /// A file of certificates to trust.
    pub ca_file: Option<PathBuf>,
    /// Further fields of every request.
    pub body: Map<String, Value>,
}

/// An address, which may hold a password.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Address(pub String);

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&shown_of(&self.0), f)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown_of(&self.0).fmt(f)
    }
}

/// Returns the variables that headers name.
pub(super) fn variables(written: &BTreeMap<String, SecretString>) -> impl Iterator<Item = String> {
    let named = |value: &SecretString| value.expose_secret().strip_prefix('$').map(str::to_owned);
    written.values().filter_map(named)
}

/// Returns the headers with the variables that they name.
pub(super) fn headers(
    written: &BTreeMap<String, SecretString>,
    lines: &SettingLines,
    variable: impl Fn(&str) -> Option<String>,
) -> anyhow::Result<Vec<(String, SecretString)>> {
    let header = |(name, value): (&String, &SecretString)| {
        let value = match value.expose_secret().strip_prefix('$') {
            None => value.clone(),
            Some(named) => variable(named)
                .with_context(|| {
                    let place = lines.place(&[vec!["headers".to_owned(), name.clone()]]);
                    format!("{place}: the header {name} needs ${named}, which is not set")
                })?
                .into(),
        };
        Ok((name.clone(), value))
    };
    written.iter().map(header).collect()
}
