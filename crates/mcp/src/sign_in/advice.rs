//! What is said where a server answers nothing without tokens.
//!
//! In: a server, and an error. Out: one sentence on what is missing, and what the user can do.

use std::error::Error;

use rmcp::transport::auth::{AuthError, WWWAuthenticateParams};
use rmcp::transport::streamable_http_client::{InsufficientScopeError, StreamableHttpError};

use super::{is_scope, is_signed_in, of_tokens};
use crate::definition::{ServerDefinition, ServerEndpoint};

/// Scopes that are named of those that a server wants.
const MOST_NAMED: usize = 8;

/// Returns what is said of an error; nothing if the error is about something else.
pub(crate) fn advice(
    definition: &ServerDefinition,
    error: &(dyn Error + 'static),
    challenge: Option<&str>,
) -> Option<String> {
    if let Some(error) = cause::<AuthError>(error) {
        let why = of_tokens(error);
        return Some(match error {
            AuthError::AuthorizationRequired => missing(definition),
            _ => format!(
                "the sign-in at the server cannot be renewed ({why}); `signoff sign-in {}` signs in anew",
                definition.name.as_str()
            ),
        });
    }
    match challenge {
        Some(challenge) => Some(match more_scopes(definition, challenge) {
            Some(told) => told,
            None if cause::<InsufficientScopeError>(error).is_some() => {
                "the server does not let the user do this (HTTP 403)".to_owned()
            }
            None => missing(definition),
        }),
        None => is_bare_401(error).then(|| missing(definition)),
    }
}

/// Returns what is said where the tokens are good, but not for this.
fn more_scopes(definition: &ServerDefinition, challenge: &str) -> Option<String> {
    // The address is only for pointers to metadata, which are not followed here.
    let nowhere = reqwest::Url::parse("https://localhost").ok()?;
    let said = WWWAuthenticateParams::parse(challenge, &nowhere);
    if !said.is_insufficient_scope() {
        return None;
    }
    let name = definition.name.as_str();
    let scopes = said.scope.iter().flat_map(|scopes| scopes.split(' '));
    // They are shown as words of a shell.
    let named: String = scopes
        .filter(|scope| is_scope(scope) && !scope.contains('\''))
        .take(MOST_NAMED)
        .map(|scope| format!(" --scope '{scope}'"))
        .collect();
    Some(match &definition.endpoint {
        ServerEndpoint::Http {
            sign_in: Some(_), ..
        } if !named.is_empty() => format!(
            "the server wants scopes that the sign-in does not have: the user runs `signoff sign-in {name}{named}` in a \
             terminal, then /mcp {name}"
        ),
        _ => "the server wants scopes that the token does not have".to_owned(),
    })
}

/// Returns what is said where there are no tokens that the server takes.
fn missing(definition: &ServerDefinition) -> String {
    let name = definition.name.as_str();
    match &definition.endpoint {
        ServerEndpoint::Program(_) => "the server asks for authorization".to_owned(),
        ServerEndpoint::Http { sign_in: None, .. } => {
            "the server does not take the token in `headers` that is configured for it".to_owned()
        }
        ServerEndpoint::Http {
            url,
            sign_in: Some(settings),
            ..
        } => {
            let what = match is_signed_in(url, settings) {
                Ok(true) => "the sign-in at the server has ended",
                Ok(false) | Err(_) => "the server asks for a sign-in",
            };
            format!(
                "{what}: the user runs `signoff sign-in {name}` in a terminal, then /mcp {name}"
            )
        }
    }
}

/// Tells whether a server answered 401 without saying how the user is to sign in.
pub(crate) fn is_bare_401(error: &(dyn Error + 'static)) -> bool {
    let answer = cause::<StreamableHttpError<reqwest::Error>>(error);
    matches!(answer, Some(StreamableHttpError::UnexpectedServerResponse(said)) if said.starts_with("HTTP 401"))
}

/// Returns the cause of this type.
fn cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut current = Some(error);
    while let Some(error) = current {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        current = error.source();
    }
    None
}
