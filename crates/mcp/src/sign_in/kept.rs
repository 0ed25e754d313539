//! What is kept of a sign-in: a file that nobody but the user reads.
//!
//! In: the file, and tokens. Out: what a connection sends, and what renews it. A file holds for one address of a server:
//! that of another one is not looked at. Programs in the shadow do not see the folder.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthError, AuthorizationMetadata, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use signoff_sandbox::polling;
use signoff_sandbox::private_file::PrivateFile;

/// How long another process may take to renew the same tokens.
const TURN: Duration = Duration::from_secs(40);

/// A sign-in.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct KeptSignIn {
    /// The address of the server.
    pub(super) server: String,
    /// What the tokens are for, as the server names itself.
    pub(super) resource: String,
    /// Who gives them.
    pub(super) service: TokenService,
    /// As whom signoff asks for them.
    pub(super) client: KnownClient,
    /// The tokens.
    pub(super) credentials: StoredCredentials,
}

/// Who gives tokens.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct TokenService {
    issuer: Option<String>,
    authorization_endpoint: String,
    token_endpoint: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token_endpoint_auth_methods_supported: Option<serde_json::Value>,
}

/// As whom signoff asks for tokens.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct KnownClient {
    pub(super) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<String>,
}

/// The fields of a sign-in that hold secrets, wherever they are.
const SECRET_FIELDS: [&str; 4] = ["access_token", "refresh_token", "id_token", "secret"];

impl KeptSignIn {
    /// Returns its tokens, and the secret of the client.
    pub(super) fn secrets(&self) -> Vec<String> {
        let mut found = Vec::new();
        collect_secrets(&json!(self), &mut found);
        found
    }
}

fn collect_secrets(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if SECRET_FIELDS.contains(&name.as_str()) => {
                        found.push(text.clone());
                    }
                    other => collect_secrets(other, found),
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|one| collect_secrets(one, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

impl TokenService {
    /// Returns what is kept of what a service says of itself.
    pub(super) fn of(metadata: &AuthorizationMetadata) -> Self {
        let methods = "token_endpoint_auth_methods_supported";
        Self {
            issuer: metadata.issuer.clone(),
            authorization_endpoint: metadata.authorization_endpoint.clone(),
            token_endpoint: metadata.token_endpoint.clone(),
            token_endpoint_auth_methods_supported: metadata.additional_fields.get(methods).cloned(),
        }
    }

    /// Returns it as the protocol knows it.
    pub(super) fn metadata(&self) -> Result<AuthorizationMetadata, serde_json::Error> {
        serde_json::from_value(json!(self))
    }
}

/// The file of a sign-in.
#[derive(Clone, Debug)]
pub(super) struct SignInFile(PrivateFile);

impl SignInFile {
    pub(super) fn new(file: &Path) -> Self {
        Self(PrivateFile::new(file.to_owned()))
    }

    /// Reads the sign-in at a server; none if there is none for this address.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or holds something else.
    pub(super) fn read(&self, server: &str) -> io::Result<Option<KeptSignIn>> {
        Ok(self.any()?.filter(|kept| kept.server == server))
    }

    fn any(&self) -> io::Result<Option<KeptSignIn>> {
        let Some(text) = self.0.text()? else {
            return Ok(None);
        };
        // What serde says of it may repeat what is in it.
        let read = serde_json::from_str(&text).map_err(|_secret| ErrorKind::InvalidData)?;
        Ok(Some(read))
    }

    /// Writes a sign-in.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written; what was there before stays.
    pub(super) fn write(&self, kept: &KeptSignIn) -> io::Result<()> {
        // A token that renews others is often good for one use: the next one must not be lost.
        self.0.replace_durably(&serde_json::to_vec(kept)?)
    }

    /// Removes the file. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be removed.
    pub(super) fn remove(&self) -> io::Result<bool> {
        self.0.remove()
    }

    /// Waits until no other process renews these tokens.
    fn turn(&self) -> io::Result<File> {
        let file = self.0.lock_file()?;
        let locked = polling::until(Instant::now() + TURN, || match file.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            locked => Some(locked),
        });
        match locked {
            Some(locked) => locked?,
            None => return Err(ErrorKind::WouldBlock.into()),
        }
        Ok(file)
    }
}

fn failed(error: &io::Error) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

#[async_trait]
impl CredentialStore for SignInFile {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let kept = self.any().map_err(|error| failed(&error))?;
        Ok(kept.map(|kept| kept.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let kept = self.any().map_err(|error| failed(&error))?;
        // The user may have had it forgotten, or signed in anew, in the meantime.
        let Some(kept) = kept.filter(|kept| kept.client.id == credentials.client_id) else {
            return Err(AuthError::CredentialStoreError(
                "it was forgotten".to_owned(),
            ));
        };
        let renewed = KeptSignIn {
            credentials,
            ..kept
        };
        self.write(&renewed).map_err(|error| failed(&error))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.remove().map(drop).map_err(|error| failed(&error))
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let own = self.clone();
        let turn = tokio::task::spawn_blocking(move || own.turn());
        let turn = turn.await.map_err(io::Error::other).flatten();
        let turn = turn.map_err(|error| failed(&error))?;
        Ok(Some(CredentialRefreshGuard::new(turn)))
    }
}
