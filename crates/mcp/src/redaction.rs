//! Redaction: what a server is told and nobody else may read does not come back from it.
//!
//! In: the definition of a server, and what it says: messages, errors, the end of its standard error. Out: the same with
//! `[secret]` in the place of keys, so that they reach neither the screen nor the model, and no file that keeps what was said.
//!
//! ```text
//! headers = { Authorization = "Bearer t0p-s3cret" }
//! "401: t0p-s3cret is no token"  ->  "401: [secret] is no token"
//! ```
//!
//! Every message of a server passes [`Redactor::message`] before anything else reads it, and every error [`Redactor::line`].
//!
//! **Invariant:** each message of a server passes `Redactor::message` in the transport, and each error
//! `Redactor::line`, before anything else reads it.

use std::path::PathBuf;

use rmcp::service::{RoleClient, RxJsonRpcMessage};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};
use signoff_providers::provider::http::secrets::{Secrets, of_header, of_url};
use signoff_providers::provider::url_credentials::{is_secret_name, without_credentials};

use crate::definition::{ServerDefinition, ServerEndpoint};
use crate::foreign_text::line;
use crate::sign_in::tokens_of;

/// A shorter part of an address is a word: keys in the paths of addresses (`/mcp/s/4f9c...`) have 20 characters and more.
const MIN_KEY_IN_PATH: usize = 16;
/// A shorter value of a variable or header that does not name a key is a setting, as `x86-64`.
const MIN_UNNAMED: usize = 8;

/// Takes the secrets of one server out of what it says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Redactor {
    fixed: Secrets,
    /// The address, and the file with the tokens for it, which are renewed while a connection is open.
    tokens: Option<(String, PathBuf)>,
}

impl Redactor {
    /// Returns what takes out the secrets of a server.
    pub(crate) fn of(definition: &ServerDefinition) -> Self {
        let mut plain = Vec::new();
        let given = definition.given.iter().map(|given| given.expose_secret());
        plain.extend(given.filter(|it| !is_setting(it)).map(str::to_owned));
        let mut tokens = None;
        match &definition.endpoint {
            ServerEndpoint::Program(program) => {
                plain.extend(of_arguments(&program.arguments));
                plain.extend(of_pairs(&program.variables, |value| vec![value.to_owned()]));
            }
            ServerEndpoint::Http {
                url,
                headers,
                sign_in,
            } => {
                plain.extend(of_address(url));
                plain.extend(of_pairs(headers, of_header));
                if let Some(settings) = sign_in {
                    let secret = settings.client_secret.as_ref();
                    plain.extend(secret.map(|it| it.expose_secret().to_owned()));
                    plain.extend(tokens_of(url, &settings.file));
                    tokens = Some((url.clone(), settings.file.clone()));
                }
            }
        }
        Self {
            fixed: Secrets::of_texts(plain),
            tokens,
        }
    }

    /// Returns a text without secrets, on one line, cut to `most` bytes.
    pub(crate) fn line(&self, text: &str, most: usize) -> String {
        line(&self.taken_out(text), most)
    }

    /// Returns a text without secrets and without credentials in addresses.
    pub(crate) fn taken_out(&self, text: &str) -> String {
        let text = self.fixed.taken_out(text);
        let text = match self.current() {
            Some(current) => current.taken_out(&text).into_owned(),
            None => text.into_owned(),
        };
        without_credentials(&text).into_owned()
    }

    /// Returns the tokens as they are now; those that a connection began with are known.
    fn current(&self) -> Option<Secrets> {
        let (url, file) = self.tokens.as_ref()?;
        Some(Secrets::of_texts(tokens_of(url, file)))
    }

    /// Returns a message without secrets; none if it is no message any more.
    pub(crate) fn message(
        &self,
        message: RxJsonRpcMessage<RoleClient>,
    ) -> Option<RxJsonRpcMessage<RoleClient>> {
        let mut value = serde_json::to_value(&message).ok()?;
        let current = self.current();
        let secrets = [Some(&self.fixed), current.as_ref()];
        let mut is_changed = false;
        for part in ["params", "result", "error"] {
            if let Some(part) = value.get_mut(part) {
                for secrets in secrets.into_iter().flatten() {
                    is_changed |= take_out(secrets, part);
                }
            }
        }
        if is_changed {
            serde_json::from_value(value).ok()
        } else {
            Some(message)
        }
    }
}

/// Returns a text about a server without what is secret of its definition.
pub fn without_secrets(definition: &ServerDefinition, text: &str) -> String {
    Redactor::of(definition).taken_out(text)
}

/// Takes secrets out of the texts of a value, names of fields included. Returns whether there was one.
fn take_out(secrets: &Secrets, value: &mut Value) -> bool {
    match value {
        Value::String(text) => {
            let taken = secrets.taken_out(text);
            let is_changed = taken != text.as_str();
            if is_changed {
                *text = taken.into_owned();
            }
            is_changed
        }
        Value::Array(all) => {
            let mut is_changed = false;
            for one in all {
                is_changed |= take_out(secrets, one);
            }
            is_changed
        }
        Value::Object(fields) => {
            let mut is_changed = false;
            let mut cleaned = Map::new();
            for (name, mut value) in std::mem::take(fields) {
                is_changed |= take_out(secrets, &mut value);
                let taken = secrets.taken_out(&name);
                is_changed |= taken != name;
                cleaned.insert(taken.into_owned(), value);
            }
            *fields = cleaned;
            is_changed
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns what is secret of variables or headers: the value of one that is named for a key, and any other value but those
/// that are plainly settings.
fn of_pairs(
    pairs: &[(String, SecretString)],
    secrets_in: impl Fn(&str) -> Vec<String>,
) -> Vec<String> {
    pairs
        .iter()
        .flat_map(|(name, value)| {
            let value = value.expose_secret();
            if !is_secret_name(name) && is_setting(value) {
                return of_url(value);
            }
            let mut found = secrets_in(value);
            // `password=...; host=...`, and addresses with a password.
            found.extend(of_url(value));
            found
        })
        .collect()
}

/// Returns what is secret of an address: credentials, values of its query, and keys in its path.
fn of_address(url: &str) -> Vec<String> {
    let mut found = of_url(url);
    let Ok(parsed) = reqwest::Url::parse(url) else {
        return found;
    };
    found.extend(parsed.password().map(str::to_owned));
    let values = parsed.query_pairs().map(|(_, value)| value.into_owned());
    found.extend(values.filter(|value| !is_setting(value)));
    let parts = parsed.path_segments().into_iter().flatten();
    found.extend(
        parts
            .filter(|part: &&str| {
                part.len() >= MIN_KEY_IN_PATH
                    && part.contains(|c: char| c.is_ascii_digit())
                    && !is_setting(part)
            })
            .map(str::to_owned),
    );
    found
}

/// Returns what is secret of arguments: what follows an option that is named for a key, and credentials in addresses.
fn of_arguments(arguments: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_next = false;
    for argument in arguments {
        found.extend(of_url(argument));
        if is_next {
            found.push(argument.clone());
        }
        let named = argument.split_once('=');
        found.extend(
            named
                .filter(|(name, _)| is_secret_name(name))
                .map(|(_, value)| value.to_owned()),
        );
        is_next = argument.starts_with('-') && named.is_none() && is_secret_name(argument);
    }
    found
}

/// Tells whether a value is plainly a setting: a short one, a number, a path, an address, or words in small letters, as
/// `production` and `application/json`. Such words stand in honest answers.
fn is_setting(value: &str) -> bool {
    value.len() < MIN_UNNAMED
        || value.starts_with(['/', '~'])
        || value.contains("://")
        || value
            .chars()
            .all(|c: char| c.is_ascii_lowercase() || "-_./+*;, ".contains(c))
        || value
            .chars()
            .all(|c: char| c.is_ascii_digit() || "-_.:,".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_told_from_keys() {
        for (value, is) in [
            ("production", true),
            ("application/json", true),
            ("text/event-stream, */*", true),
            ("/srv/data/A1", true),
            ("https://x.org/A1b2C3d4", true),
            ("2026-07-28", true),
            ("x86", true),
            ("s3cr3t-value", false),
            ("Zm9vYmFyYmF6", false),
            ("AKIAIOSFODNN7EXAMPLE", false),
        ] {
            assert_eq!(is_setting(value), is, "{value}");
        }
    }

    #[test]
    fn keys_in_addresses_and_arguments_are_secrets() {
        let found = of_address(
            "https://me:pa55word@x.org/mcp/s/4f9c1d2e3a5b6c7d8e9f/sse?key=aaaa&profile=Q9x8Y7z6&lang=en",
        );
        for secret in ["pa55word", "4f9c1d2e3a5b6c7d8e9f", "aaaa", "Q9x8Y7z6"] {
            assert!(found.iter().any(|it| it == secret), "{found:?}");
        }
        assert!(
            !found.iter().any(|it| it == "en" || it == "mcp"),
            "{found:?}"
        );
        let words = [
            "--api-key",
            "k1",
            "--token=k2",
            "-y",
            "postgres://u:k3@h/db",
        ];
        let words = words.map(str::to_owned);
        let mut found = of_arguments(&words);
        found.retain(|it| !it.is_empty());
        assert_eq!(found, ["k1", "k2", "k3"]);
    }
}
