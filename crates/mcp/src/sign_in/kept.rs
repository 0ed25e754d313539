//! What is kept of a sign-in: a file that nobody but the user reads.
//!
//! In: the file, and tokens. Out: what a connection sends, and what renews it. A file holds for one address of a server:
//! that of another one is not looked at. Programs in the shadow do not see the folder.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthError, AuthorizationMetadata, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Bytes of the file.
const MOST_BYTES: u64 = 256 * 1024;
/// How long another process may take to renew the same tokens.
const TURN: Duration = Duration::from_secs(40);
/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(50);

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
pub(super) struct SignInFile(PathBuf);

impl SignInFile {
    pub(super) fn new(file: &Path) -> Self {
        Self(file.to_owned())
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
        let text = match signoff_verify::regular::text(&self.0, MOST_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
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
        if let Some(folder) = self.0.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        let draft = self.0.with_extension(format!("{}.new", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(&draft)?;
        file.write_all(serde_json::to_string(kept)?.as_bytes())?;
        // A token that renews others is often good for one use: the next one must not be lost.
        file.sync_all()?;
        fs::rename(&draft, &self.0)
    }

    /// Removes the file. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be removed.
    pub(super) fn remove(&self) -> io::Result<bool> {
        match fs::remove_file(&self.0) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Waits until no other process renews these tokens.
    fn turn(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(self.0.with_extension("lock"))?;
        let deadline = Instant::now() + TURN;
        while let Err(error) = flock(&file, FlockOperation::NonBlockingLockExclusive) {
            if error != rustix::io::Errno::WOULDBLOCK || Instant::now() > deadline {
                return Err(error.into());
            }
            std::thread::sleep(LOOK);
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
