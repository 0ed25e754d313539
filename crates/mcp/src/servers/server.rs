//! One server, and how it stands.
//!
//! ```text
//! not started -> open -> ended        it broke, hung, or wants to know who asks
//!      |                   |
//!      +-> ended ----------+-> open, four starts unless the user asks for more
//! ```
//!
//! It is starting as long as somebody starts it: a start that is given up leaves nothing behind. What it offered when it was asked
//! last is known in every state.

use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex};

use signoff_providers::trust::TrustStanding;
use tokio::sync::Mutex as AsyncMutex;

use super::lock;
use crate::catalogue::{Catalogue, ListedTool};
use crate::child::Launcher;
use crate::connection::{Connection, ServerTrouble};
use crate::definition::{Confinement, ServerDefinition, ServerEndpoint};

/// Times that a server that ended or hung is started again in a conversation, unless the user asks for it: one that ends
/// at once would be started with every call.
const MOST_STARTS: u32 = 4;

/// One server.
pub(super) struct Server {
    pub(super) definition: Arc<ServerDefinition>,
    /// Held while it is started or asked what it offers: whoever comes meanwhile waits for that.
    starting: AsyncMutex<()>,
    state: Mutex<ServerState>,
}

#[derive(Default)]
struct ServerState {
    run: ServerRun,
    /// How often it was started.
    starts: u32,
    /// What it offered when it was asked last.
    catalogue: Option<Catalogue>,
}

#[derive(Default)]
enum ServerRun {
    #[default]
    NotStarted,
    Open(Arc<Connection>),
    /// Why.
    Ended(String),
}

impl fmt::Display for ServerRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted => f.write_str("not started"),
            Self::Open(connection) => write!(f, "runs: {}", connection.about()),
            Self::Ended(why) => f.write_str(why),
        }
    }
}

impl Server {
    /// Returns a server that is not started.
    pub(super) fn new(definition: ServerDefinition) -> Self {
        Self {
            definition: Arc::new(definition),
            starting: AsyncMutex::default(),
            state: Mutex::default(),
        }
    }

    pub(super) fn name(&self) -> &str {
        self.definition.name.as_str()
    }

    /// Returns the name under which approvals of its tools are kept: those of another definition are no approvals.
    pub(super) fn approval_key(&self) -> String {
        format!("{}@{}", self.name(), self.definition.fingerprint)
    }

    pub(super) fn is_allowed(&self) -> bool {
        self.definition.standing() == Ok(TrustStanding::Trusted)
    }

    pub(super) fn is_confined(&self) -> bool {
        match &self.definition.endpoint {
            ServerEndpoint::Program(program) => program.confinement != Confinement::None,
            ServerEndpoint::Http { .. } => false,
        }
    }

    /// Returns what was read of what it offers, if it was asked for that.
    pub(super) fn offered<T>(&self, read: impl FnOnce(&Catalogue) -> T) -> Option<T> {
        lock(&self.state).catalogue.as_ref().map(read)
    }

    pub(super) fn tool(&self, tool: &str) -> Option<ListedTool> {
        self.offered(|listed| listed.tools.get(tool).cloned())?
    }

    /// Returns its state in words.
    pub(super) fn state(&self) -> String {
        let is_held = self.starting.try_lock().is_err();
        match &lock(&self.state).run {
            ServerRun::NotStarted | ServerRun::Ended(_) if is_held => "starting".to_owned(),
            run => run.to_string(),
        }
    }

    /// Returns a connection that is open, and reads what the server offers where that is not known.
    pub(super) async fn connected(&self, launcher: &Launcher) -> Result<Arc<Connection>, String> {
        let name = self.name();
        match self.definition.standing() {
            Ok(TrustStanding::Trusted) => {}
            Ok(TrustStanding::Changed | TrustStanding::Unknown) => {
                return Err(format!(
                    "the workspace names the server {name}, and the user has not allowed it: /mcp allow {name}"
                ));
            }
            Ok(TrustStanding::Refused) => {
                return Err(format!("the user refused the server {name}"));
            }
            Err(why) => {
                return Err(format!("the server {name} cannot be used: {why}"));
            }
        }
        let _starting = self.starting.lock().await;
        match self.connection() {
            Some(open) if open.is_closed() => {
                self.change(ServerRun::Ended(
                    "the server closed the connection".to_owned(),
                ));
            }
            Some(open) if open.has_changed() => {
                let listed = open.catalogue().await;
                return self.began(listed.map(|listed| (listed, open)));
            }
            Some(open) => return Ok(open),
            None => {}
        }
        self.begin()?;
        self.began(match Connection::open(&self.definition, launcher).await {
            Ok(open) => {
                let listed = open.catalogue().await;
                listed.map(|listed| (listed, Arc::new(open)))
            }
            Err(trouble) => Err(trouble),
        })
    }

    fn connection(&self) -> Option<Arc<Connection>> {
        match &lock(&self.state).run {
            ServerRun::Open(connection) => Some(Arc::clone(connection)),
            ServerRun::NotStarted | ServerRun::Ended(_) => None,
        }
    }

    fn begin(&self) -> Result<(), String> {
        let mut state = lock(&self.state);
        if state.starts >= MOST_STARTS {
            let name = self.name();
            return Err(format!(
                "the server {name} ended {MOST_STARTS} times and is not started again: /mcp {name} does"
            ));
        }
        state.starts += 1;
        Ok(())
    }

    /// Takes over what came of starting it or asking what it offers.
    fn began(
        &self,
        outcome: Result<(Catalogue, Arc<Connection>), ServerTrouble>,
    ) -> Result<Arc<Connection>, String> {
        match outcome {
            Ok((listed, open)) => {
                lock(&self.state).catalogue = Some(listed);
                self.change(ServerRun::Open(Arc::clone(&open)));
                Ok(open)
            }
            Err(trouble) => Err(self.end(&trouble)),
        }
    }

    /// Takes over what came of a request. A connection that is of no more use is closed.
    pub(super) fn answered<T>(&self, answered: Result<T, ServerTrouble>) -> Result<T, String> {
        answered.map_err(|trouble| match trouble {
            ServerTrouble::Refused(_) => trouble.to_string(),
            ServerTrouble::Forbidden(_) | ServerTrouble::Broken(_) => self.end(&trouble),
        })
    }

    /// Closes the connection, and returns why.
    fn end(&self, trouble: &ServerTrouble) -> String {
        if let ServerTrouble::Forbidden(_) = trouble {
            // It did not end; the next connection takes up what the user signs in to in the meantime.
            let mut state = lock(&self.state);
            state.starts = state.starts.saturating_sub(1);
        }
        let why = trouble.to_string();
        self.change(ServerRun::Ended(why.clone()));
        why
    }

    /// Closes the connection, if there is one.
    pub(super) fn close(&self) {
        self.change(ServerRun::NotStarted);
    }

    /// Lets it be started as often as at first.
    pub(super) fn forget_starts(&self) {
        lock(&self.state).starts = 0;
    }

    fn change(&self, run: ServerRun) {
        let previous = mem::replace(&mut lock(&self.state).run, run);
        // A program is given time to end when its connection is dropped, and nobody waits for the state meanwhile.
        drop(previous);
    }
}
