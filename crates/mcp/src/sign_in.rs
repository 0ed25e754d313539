//! Sign-ins: OAuth 2.1 with authorization code and PKCE, for servers that are reached by HTTP.
//!
//! In: a server that answers 401, and what the user configured. Out: access and refresh tokens in a file, and a client that
//! sends and refreshes them.
//!
//! ```text
//! POST https://tickets.example/mcp                     401, resource_metadata="https://tickets.example/.well-known/..."
//! GET  https://tickets.example/.well-known/...         resource, authorization_servers: https://auth.example
//! GET  https://auth.example/.well-known/...            issuer, authorization_endpoint, token_endpoint
//! POST https://auth.example/register                   client_id, unless the user configured one
//!      https://auth.example/authorize?...              the user opens it in a browser
//! GET  http://127.0.0.1:PORT/callback?code=...         from the browser
//! POST https://auth.example/token                      tokens for this resource alone
//! ```
//!
//! A server that lies gains nothing but a sign-in at an authorization server of its choice: the user is shown where the browser
//! goes and who gets the code, tokens are kept for one address of a server and sent nowhere else, an answer of another
//! authorization server than the one that was asked is refused (RFC 9207), and [`guarded_http`] asks no address inside.
//!
//! OAuth 2.1 for servers that are reached by HTTP, by `rmcp`'s `auth`: `guarded_http` asks what servers name,
//! `callback` waits for the browser, `kept` is the file of the tokens, `advice` what the user is told where they
//! are missing.
//!
//! **Invariant:** what a server publishes is asked for by `guarded_http` alone, and tokens are in no error and no
//! log.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use rmcp::transport::auth::{
    AuthClient, AuthError, AuthorizationManager, AuthorizationMetadata, CredentialStore as _,
    InMemoryCredentialStore, OAuthClientConfig,
};
use secrecy::ExposeSecret as _;
use signoff_providers::web_address::WebAddress;
use tokio::time::timeout;

use crate::definition::SignInSettings;
use crate::foreign_text::line;

mod advice;
mod callback;
mod guarded_http;
mod kept;

pub(crate) use advice::{advice, is_bare_401};
use callback::{Callback, CallbackError, CallbackListener};
use guarded_http::{GuardedHttp, HttpRefusal, MOST_REQUESTS};
use kept::{KeptSignIn, KnownClient, SignInFile, TokenService};

/// How long the user has in the browser.
const WITHIN: Duration = Duration::from_secs(300);
/// Bytes of the address that the user opens.
const MOST_ADDRESS: usize = 8 * 1024;
/// Scopes that are asked for.
const MOST_SCOPES: usize = 64;
/// Bytes of one scope.
const MOST_SCOPE: usize = 256;
/// Bytes of what a server says of an error: some sentences on the screen and to the model, which it could fill.
pub(crate) const MOST_ERROR: usize = 300;
/// The name under which signoff is registered.
const CLIENT_NAME: &str = "signoff";
/// The parameters of an authorization request: an authorization endpoint has none of them.
const OWN_FIELDS: [&str; 8] = [
    "client_id",
    "code_challenge",
    "code_challenge_method",
    "redirect_uri",
    "resource",
    "response_type",
    "scope",
    "state",
];

/// What the user is to open in a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInInvitation {
    /// The address.
    pub address: String,
    /// The host that it leads to.
    pub host: String,
    /// The host that gives the tokens.
    pub token_host: String,
    /// What the tokens are for.
    pub resource: String,
    /// The scopes that are asked for.
    pub scopes: Vec<String>,
    /// How long the user has.
    pub within: Duration,
}

/// Why there are no tokens.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// The server is not reached by HTTP, or a token for it is configured.
    #[error("{0}")]
    Unfit(String),
    /// The server answers without.
    #[error("the server answers without a sign-in")]
    NotAsked,
    /// It cannot be asked.
    #[error("{0}")]
    Broken(String),
    /// The metadata of the server or of its authorization server is of no use.
    #[error("the server's metadata on sign-ins cannot be used: {0}")]
    Metadata(String),
    /// The authorization server knows no dynamic registration.
    #[error(
        "the authorization server registers no clients by itself: register signoff there, and write the `client_id` that \
         you get below [mcp.NAME.sign_in]"
    )]
    NoRegistration,
    /// The authorization server does not register signoff.
    #[error("the authorization server did not register signoff: {0}")]
    Unregistered(String),
    /// The user or the authorization server said no.
    #[error("the authorization server refused: {0}")]
    Refused(String),
    /// Nobody came back.
    #[error("nobody signed in within {0} s; the address is of no more use")]
    Late(u64),
    /// The browser cannot come back.
    #[error("the browser cannot come back to this machine: {0}")]
    Callback(String),
    /// The code brought no tokens.
    #[error("the authorization server gave no tokens: {0}")]
    NoTokens(String),
    /// The file cannot be written.
    #[error("the tokens cannot be kept: {0}")]
    File(#[from] io::Error),
}

impl SignInError {
    /// Returns the same with its texts passed through what takes out secrets: servers repeat what they are sent.
    pub(crate) fn map_text(self, cleaned: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Unfit(why) => Self::Unfit(cleaned(&why)),
            Self::Broken(why) => Self::Broken(cleaned(&why)),
            Self::Metadata(why) => Self::Metadata(cleaned(&why)),
            Self::Unregistered(why) => Self::Unregistered(cleaned(&why)),
            Self::Refused(why) => Self::Refused(cleaned(&why)),
            Self::Callback(why) => Self::Callback(cleaned(&why)),
            Self::NoTokens(why) => Self::NoTokens(cleaned(&why)),
            other @ (Self::NotAsked | Self::NoRegistration | Self::Late(_) | Self::File(_)) => {
                other
            }
        }
    }
}

/// A sign-in that is to be made.
pub(crate) struct SignInRequest<'a> {
    /// The address of the server.
    pub(crate) url: &'a str,
    pub(crate) settings: &'a SignInSettings,
    /// Scopes that are asked for beside those that were granted before.
    pub(crate) scopes: &'a [String],
    /// What the server said with its 401.
    pub(crate) challenge: Option<&'a str>,
}

/// Signs the user in, and keeps the tokens.
pub(crate) async fn sign_in(
    request: &SignInRequest<'_>,
    invite: &mut dyn FnMut(&SignInInvitation),
) -> Result<(), SignInError> {
    let SignInRequest { url, settings, .. } = request;
    let address = WebAddress::parse(url).map_err(|why| SignInError::Unfit(why.to_string()))?;
    let http = Arc::new(GuardedHttp::new(&address, &settings.inside, MOST_REQUESTS));
    let listener = CallbackListener::open(settings.port).await;
    let listener = listener.map_err(|error| SignInError::Callback(error.to_string()))?;
    let mut manager =
        AuthorizationManager::new_with_oauth_http_client(*url, Arc::clone(&http) as _)
            .await
            .map_err(|error| unusable(&error))?;
    let tokens = InMemoryCredentialStore::new();
    manager.set_credential_store(tokens.clone());
    let resolved = manager.resolve_metadata_from_challenge(request.challenge);
    let resolved = resolved.await.map_err(|error| unusable(&error))?;
    let metadata = resolved.metadata;
    let hosts =
        endpoints(&http, &metadata).map_err(|why| SignInError::Metadata(why.to_string()))?;
    let service = TokenService::of(&metadata);
    let reads_documents = reads_metadata_documents(&metadata);
    manager.set_metadata(metadata);
    let scopes = wanted_scopes(request, &manager).await?;
    let names: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let back = listener.address();
    let client = client(&mut manager, settings, &back, &names, reads_documents).await?;
    let opened = manager.get_authorization_url(&names).await;
    let opened = opened.map_err(|error| unusable(&error))?;
    if opened.len() > MOST_ADDRESS {
        let why = format!("the address to open has more than {MOST_ADDRESS} bytes");
        return Err(SignInError::Metadata(why));
    }
    let (state, resource) = (field(&opened, "state")?, field(&opened, "resource")?);
    invite(&SignInInvitation {
        address: opened,
        host: hosts.0,
        token_host: hosts.1,
        resource: line(&resource, MOST_ERROR),
        scopes,
        within: WITHIN,
    });
    let came = timeout(WITHIN, listener.wait(&state)).await;
    let came = came.map_err(|_elapsed| SignInError::Late(WITHIN.as_secs()))?;
    let (code, issuer) = match came {
        Ok(Callback::Code { code, issuer }) => (code, issuer),
        Ok(Callback::Refused(why)) => return Err(SignInError::Refused(line(&why, MOST_ERROR))),
        Err(error @ (CallbackError::Flood | CallbackError::Io(_))) => {
            return Err(SignInError::Callback(error.to_string()));
        }
    };
    manager
        .exchange_code_for_token_with_issuer(&code, &state, issuer.as_deref())
        .await
        .map_err(|error| SignInError::NoTokens(of_tokens(&error)))?;
    let credentials = tokens.load().await.map_err(|error| unusable(&error))?;
    let credentials = credentials.ok_or_else(|| SignInError::NoTokens("none came".to_owned()))?;
    SignInFile::new(&settings.file).write(&KeptSignIn {
        server: (*url).to_owned(),
        resource,
        service,
        client,
        credentials,
    })?;
    Ok(())
}

/// Forgets the sign-in at a server. Returns whether there was one. The tokens are not revoked.
pub(crate) fn forget(settings: &SignInSettings) -> io::Result<bool> {
    SignInFile::new(&settings.file).remove()
}

/// Tells whether the user is signed in at a server.
pub(crate) fn is_signed_in(url: &str, settings: &SignInSettings) -> io::Result<bool> {
    let kept = SignInFile::new(&settings.file).read(url)?;
    Ok(kept.is_some())
}

/// Returns the tokens for a server and the secret that they are renewed with, for them to be known where they come back.
pub(crate) fn tokens_of(url: &str, file: &std::path::Path) -> Vec<String> {
    match SignInFile::new(file).read(url) {
        Ok(Some(kept)) => kept.secrets(),
        // Nothing is sent then.
        Ok(None) | Err(_) => Vec::new(),
    }
}

/// Returns a client that sends the tokens for a server and renews them; none if the user is not signed in.
pub(crate) async fn authorized(
    client: &reqwest::Client,
    url: &str,
    settings: &SignInSettings,
) -> Result<Option<AuthClient<reqwest::Client>>, String> {
    let file = SignInFile::new(&settings.file);
    let kept = match file.read(url) {
        Ok(Some(kept)) => kept,
        Ok(None) => return Ok(None),
        Err(error) => return Err(unreadable(&error)),
    };
    let address = WebAddress::parse(url).map_err(|why| why.to_string())?;
    let http = GuardedHttp::new(&address, &settings.inside, u32::MAX);
    // The `resource` of a refresh is that of the first request for tokens.
    let manager =
        AuthorizationManager::new_with_oauth_http_client(kept.resource.as_str(), Arc::new(http));
    let mut manager = manager.await.map_err(|error| error.to_string())?;
    let metadata = kept.service.metadata();
    // What serde says of it may repeat what is in it.
    manager.set_metadata(metadata.map_err(|_secret| unreadable(&io::ErrorKind::InvalidData))?);
    let mut config = OAuthClientConfig::new(kept.client.id, url);
    config.client_secret = kept.client.secret;
    let configured = manager.configure_client(config);
    configured.map_err(|error| unreadable(&line(&error.to_string(), MOST_ERROR)))?;
    manager.set_credential_store(file);
    Ok(Some(AuthClient::new(client.clone(), manager)))
}

fn unreadable(error: &dyn std::fmt::Display) -> String {
    format!("what is kept of the sign-in cannot be read: {error}")
}

/// Returns the host that the browser is sent to, and the one that gives tokens.
fn endpoints(
    http: &GuardedHttp,
    metadata: &AuthorizationMetadata,
) -> Result<(String, String), HttpRefusal> {
    let opened = http.checked(&metadata.authorization_endpoint)?;
    let url = Url::parse(&metadata.authorization_endpoint);
    // The authorization server would know `state`, or `redirect_uri` would be read in two ways.
    if url.as_ref().is_ok_and(|url| {
        let mut fields = url.query_pairs();
        fields.any(|(name, _)| OWN_FIELDS.contains(&name.as_ref()))
    }) {
        let shown = line(&metadata.authorization_endpoint, 200);
        return Err(HttpRefusal::Address(shown));
    }
    let tokens = http.checked(&metadata.token_endpoint)?;
    Ok((opened.host().to_owned(), tokens.host().to_owned()))
}

/// Tells whether an authorization server reads client ID metadata documents.
fn reads_metadata_documents(metadata: &AuthorizationMetadata) -> bool {
    let says = metadata
        .additional_fields
        .get("client_id_metadata_document_supported");
    says.and_then(serde_json::Value::as_bool) == Some(true)
}

/// Returns as whom signoff asks: the client that is configured, or one that is registered now.
async fn client(
    manager: &mut AuthorizationManager,
    settings: &SignInSettings,
    back: &str,
    scopes: &[&str],
    reads_documents: bool,
) -> Result<KnownClient, SignInError> {
    let own = settings.client_id.as_ref();
    let own = own.filter(|id| reads_documents || !id.starts_with("https://"));
    if let Some(id) = own {
        let mut config = OAuthClientConfig::new(id, back);
        let secret = settings.client_secret.as_ref();
        config.client_secret = secret.map(|secret| secret.expose_secret().to_owned());
        let known = KnownClient {
            id: id.clone(),
            secret: config.client_secret.clone(),
        };
        let configured = manager.configure_client(config);
        configured.map_err(|error| unusable(&error))?;
        return Ok(known);
    }
    match manager.register_client(CLIENT_NAME, back, scopes).await {
        Ok(config) => Ok(KnownClient {
            id: config.client_id,
            secret: config.client_secret,
        }),
        Err(AuthError::RegistrationFailed(why)) if why.contains("not supported") => {
            Err(SignInError::NoRegistration)
        }
        Err(AuthError::RegistrationFailed(why)) => {
            Err(SignInError::Unregistered(line(&why, MOST_ERROR)))
        }
        Err(error) => Err(unusable(&error)),
    }
}

/// Returns the scopes that are asked for: those that the user configured, or else that the server names; and where the user
/// names more of them, those that were granted before as well.
async fn wanted_scopes(
    request: &SignInRequest<'_>,
    manager: &AuthorizationManager,
) -> Result<Vec<String>, SignInError> {
    let configured = &request.settings.scopes;
    let mut scopes = if configured.is_empty() {
        manager.select_initial_scopes(&[]).await
    } else {
        configured.clone()
    };
    if !request.scopes.is_empty() {
        let kept = SignInFile::new(&request.settings.file).read(request.url)?;
        let before = kept.map(|kept| kept.credentials.granted_scopes);
        let more = before
            .into_iter()
            .flatten()
            .chain(request.scopes.iter().cloned());
        for scope in more {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
    }
    if scopes.len() > MOST_SCOPES {
        let why = format!("it names more than {MOST_SCOPES} scopes");
        return Err(SignInError::Metadata(why));
    }
    match scopes.iter().find(|scope| !is_scope(scope)) {
        Some(odd) => {
            let why = format!("{} is no scope", line(odd, 100));
            Err(SignInError::Metadata(why))
        }
        None => Ok(scopes),
    }
}

/// Tells whether a text is one scope (RFC 6749, 3.3).
fn is_scope(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MOST_SCOPE
        && text
            .chars()
            .all(|c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\'))
}

/// Returns a field of the address that the user opens.
fn field(address: &str, name: &str) -> Result<String, SignInError> {
    let url = Url::parse(address).ok();
    let value = url.as_ref().and_then(|url| {
        let mut fields = url.query_pairs();
        fields.find_map(|(key, value)| (key == name).then(|| value.into_owned()))
    });
    value.ok_or_else(|| SignInError::Metadata(format!("the address to open has no {name}")))
}

fn unusable(error: &AuthError) -> SignInError {
    SignInError::Metadata(line(&with_sources(error), MOST_ERROR))
}

/// Returns an error with what caused it, as far as that says more.
pub(crate) fn with_sources(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        if !told.contains(&said) {
            told += ": ";
            told += &said;
        }
        source = cause.source();
    }
    told
}

/// Returns why tokens were not given. Of what an authorization server says only the error codes of the protocol are repeated:
/// the rest could be a secret that was sent to it.
fn of_tokens(error: &AuthError) -> String {
    const WORDS: [&str; 8] = [
        "invalid_grant",
        "invalid_client",
        "invalid_request",
        "invalid_scope",
        "invalid_target",
        "unauthorized_client",
        "unsupported_grant_type",
        "access_denied",
    ];
    match error {
        AuthError::AuthorizationServerMismatch { .. }
        | AuthError::AuthorizationServerMissingIssuer { .. }
        | AuthError::AuthorizationFailed(_) => line(&error.to_string(), MOST_ERROR),
        AuthError::TokenExchangeFailed(said)
        | AuthError::TokenRefreshFailed(said)
        | AuthError::TokenRefreshRejected(said) => {
            let word = WORDS.into_iter().find(|word| said.contains(word));
            word.unwrap_or("its answer is not understood, or none came")
                .to_owned()
        }
        AuthError::CredentialStoreError(why) => format!("what is kept of the sign-in: {why}"),
        _ => "the sign-in cannot be renewed".to_owned(),
    }
}
