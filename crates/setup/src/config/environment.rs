//! Variables of the environment that count.
//!
//! In: the process's environment. Out: what it says of servers and keys, and which variables hold passwords.

use std::ffi::OsString;

use secrecy::SecretString;
use signoff_llm::provider::url_credentials::has_credentials;

use super::service::{SERVICES, Service};

/// The variables that count.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `SIGNOFF_MODEL`
    pub model: Option<String>,
    /// `SIGNOFF_URL`
    pub url: Option<String>,
    /// `SIGNOFF_PROTOCOL`
    pub protocol: Option<String>,
    /// `SIGNOFF_API_KEY`
    pub key: Option<SecretString>,
    /// The keys of the known services, in their order.
    pub(crate) service_keys: Vec<(&'static Service, SecretString)>,
    /// The names of the variables whose values hold credentials in URLs.
    pub with_credentials: Vec<String>,
}

impl Environment {
    /// Reads the process's environment.
    pub fn read() -> Self {
        Self {
            model: variable("SIGNOFF_MODEL"),
            url: variable("SIGNOFF_URL"),
            protocol: variable("SIGNOFF_PROTOCOL"),
            key: variable("SIGNOFF_API_KEY").map(SecretString::from),
            service_keys: SERVICES
                .iter()
                .filter_map(|service| {
                    let key = service.variables.iter().find_map(|name| variable(name))?;
                    Some((service, SecretString::from(key)))
                })
                .collect(),
            with_credentials: with_credentials(std::env::vars_os()),
        }
    }
}

/// Returns the known services, each with the variable that holds its key, if one is set.
pub fn service_variables() -> Vec<(&'static Service, Option<&'static str>)> {
    let services = SERVICES.iter().map(|service| {
        let mut variables = service.variables.iter();
        let set = variables.find(|name| variable(name).is_some());
        (service, set.copied())
    });
    services.collect()
}

/// Returns the names of the variables whose values hold credentials in URLs. A proxy's address may
/// do without `http://`.
pub(super) fn with_credentials(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<String> {
    let variables = variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let found = variables.filter(|(name, value)| {
        let value = value.to_string_lossy();
        let is_proxy = name.to_ascii_lowercase().ends_with("_proxy");
        has_credentials(&value) || (is_proxy && value.contains('@'))
    });
    found.map(|(name, _)| name).collect()
}

/// Returns a variable that is not empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
