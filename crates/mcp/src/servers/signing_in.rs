//! Signing in to a server, and forgetting it.
//!
//! In: a definition that may be asked. Out: tokens for it in their file, once the user has agreed in a browser.

use std::io;

use signoff_providers::trust::TrustStanding;
use tokio::runtime::Builder;

use crate::connection::{Challenge, Connection};
use crate::definition::{ServerDefinition, ServerEndpoint, SignInSettings};
use crate::redaction::without_secrets;
use crate::sign_in::{self, SignInError, SignInInvitation, SignInRequest};

/// Signs the user in to a server. `invite` shows what to open in a browser, which is then waited for. Further scopes are
/// asked for beside those that were granted before.
///
/// # Errors
///
/// Fails if the server may not be asked, wants no sign-in, or if no tokens came of it. What was kept before stays then.
pub fn sign_in(
    definition: &ServerDefinition,
    scopes: &[String],
    invite: &mut dyn FnMut(&SignInInvitation),
) -> Result<(), SignInError> {
    let (url, settings) = endpoint(definition)?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let signed_in = runtime.block_on(async {
        let challenge = Connection::challenge(definition).await;
        let challenge = match challenge.map_err(SignInError::Broken)? {
            Challenge::None => return Err(SignInError::NotAsked),
            Challenge::Mute => None,
            Challenge::Said(said) => Some(said),
        };
        let request = SignInRequest {
            url,
            settings,
            scopes,
            challenge: challenge.as_deref(),
        };
        sign_in::sign_in(&request, invite).await
    });
    signed_in.map_err(|error| error.map_text(|why| without_secrets(definition, why)))
}

/// Forgets the sign-in at a server. Returns whether there was one. The tokens are not revoked: they are good until
/// they expire.
///
/// # Errors
///
/// Fails if the server knows no sign-in, or if the file cannot be removed.
pub fn forget_sign_in(definition: &ServerDefinition) -> Result<bool, SignInError> {
    let (_, settings) = settings(definition)?;
    Ok(sign_in::forget(settings)?)
}

/// Tells whether the user is signed in at a server; none if it knows no sign-in.
pub fn is_signed_in(definition: &ServerDefinition) -> Option<io::Result<bool>> {
    let (url, settings) = settings(definition).ok()?;
    Some(sign_in::is_signed_in(url, settings))
}

/// Returns the address of a server that may be asked, and how the user signs in to it.
fn endpoint(definition: &ServerDefinition) -> Result<(&str, &SignInSettings), SignInError> {
    let name = definition.name.as_str();
    let unfit = match definition.standing() {
        Ok(TrustStanding::Trusted) => return settings(definition),
        Ok(TrustStanding::Changed | TrustStanding::Unknown) => format!(
            "the workspace names the server {name}, and it is not allowed: /mcp allow {name} in the interface does that"
        ),
        Ok(TrustStanding::Refused) => {
            format!(
                "the server {name} is refused: /mcp allow {name} in the interface lets it be asked"
            )
        }
        Err(why) => format!("the server {name} cannot be used: {why}"),
    };
    Err(SignInError::Unfit(unfit))
}

/// Returns the address of a server, and how the user signs in to it.
fn settings(definition: &ServerDefinition) -> Result<(&str, &SignInSettings), SignInError> {
    let name = definition.name.as_str();
    match &definition.endpoint {
        ServerEndpoint::Http {
            url,
            sign_in: Some(settings),
            ..
        } => Ok((url, settings)),
        ServerEndpoint::Http { sign_in: None, .. } => Err(SignInError::Unfit(format!(
            "the server {name} is told who asks by the header `Authorization` that is configured for it"
        ))),
        ServerEndpoint::Program(_) => Err(SignInError::Unfit(format!(
            "the server {name} is a program; there is no sign-in to those that are not reached by `url`"
        ))),
    }
}

#[cfg(test)]
mod tests;
