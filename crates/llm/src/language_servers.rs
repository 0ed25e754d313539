//! Language servers of one workspace: started when something is asked of them, and kept.
//!
//! In: the engine with what is staged, and a question. Out: the server's answer about the staged texts. Before each
//! question the server is sent every staged text of its language that it has not got. It is started anew if it is over,
//! did not answer the last time, or if other files are made and removed by staged work than when it started, since
//! those it finds by their names.
//!
//! The language servers of a workspace: started when something is asked of them, kept, sent what is staged before
//! each question, and started anew after a failure. `tool/context/language` makes proposals of their edits.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use signoff_checks::language_server::{Client, LanguageServer, ServerFault, Wait};
use signoff_core::engine::{Engine, EngineError};
use signoff_core::file::{ProgramContent, ProgramFile};
use signoff_sandbox::shadow::{Launch, Origin, Setup, Shadow};

use crate::permission::Policy;
use crate::shadow;

/// What servers find in their environment beside what programs do.
const VARIABLES: [(&str, &str); 3] = [
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    // They have no network, and say so sooner.
    ("CARGO_NET_OFFLINE", "true"),
];
/// Staged files that are sent to one server.
const MAX_SENT: usize = 500;

/// Why a language server could not be asked, or did not answer.
#[derive(Debug, thiserror::Error)]
pub enum AskFault {
    /// The server.
    #[error(transparent)]
    Server(#[from] ServerFault),
    /// The engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// No server for the file is on the path.
    #[error("no language server for {0} is on the path")]
    None(String),
}

/// The program of a server, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerCommand {
    /// A name on the path, or where it is.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// The servers of a workspace.
pub struct LanguageServers {
    setup: Setup,
    /// What they must not read.
    policy: Policy,
    commands: BTreeMap<LanguageServer, ServerCommand>,
    running: Mutex<BTreeMap<LanguageServer, Running>>,
}

/// A server that runs.
struct Running {
    client: Client,
    /// Files that were made, or removed, by what was staged when it started.
    made: BTreeSet<(String, bool)>,
}

impl LanguageServers {
    /// Returns servers, none of which is started.
    pub fn new(
        setup: Setup,
        policy: Policy,
        commands: BTreeMap<LanguageServer, ServerCommand>,
    ) -> Self {
        Self {
            setup,
            policy,
            commands,
            running: Mutex::default(),
        }
    }

    /// Returns the server for a file, if there is one.
    pub fn of(&self, path: &str) -> Option<LanguageServer> {
        LanguageServer::of(path).filter(|server| self.commands.contains_key(server))
    }

    /// Asks the server for a file about the workspace as staged.
    ///
    /// # Errors
    ///
    /// Fails if there is no such server, or it does not answer.
    pub fn ask<T>(
        &self,
        engine: &Mutex<Engine>,
        path: &str,
        wait: Wait<'_>,
        question: &mut dyn FnMut(&mut Client) -> Result<T, ServerFault>,
    ) -> Result<T, AskFault> {
        let server = self
            .of(path)
            .ok_or_else(|| AskFault::None(path.to_owned()))?;
        // Held until the answer is there: a server is taken out while it is asked, and a second question would start another.
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let staged = lock(engine).for_program()?;
        let made = made(&self.setup.root, &staged);
        let kept = running.remove(&server);
        let kept = kept.filter(|kept| kept.made == made);
        let kept = kept.and_then(|mut kept| (!kept.client.is_over()).then_some(kept));
        let mut own = match kept {
            Some(kept) => kept,
            None => Running {
                client: self.start(server, engine, &staged, wait)?,
                made,
            },
        };
        send(&mut own.client, server, engine, &staged)?;
        let answer = question(&mut own.client);
        // After the other faults it is not known which texts the server has: it is started anew for the next question.
        let is_usable = match &answer {
            Ok(_) | Err(ServerFault::Refused(_) | ServerFault::Unfit(_)) => true,
            Err(
                ServerFault::Io(_)
                | ServerFault::Ended(_)
                | ServerFault::Silent(_)
                | ServerFault::Stopped
                | ServerFault::Unreadable(_),
            ) => false,
        };
        if is_usable {
            running.insert(server, own);
        }
        Ok(answer?)
    }

    fn start(
        &self,
        server: LanguageServer,
        engine: &Mutex<Engine>,
        staged: &[ProgramFile],
        wait: Wait<'_>,
    ) -> Result<Client, ServerFault> {
        let setup = shadow::hiding(&self.setup, &self.policy, engine)?;
        let mut shadow = Shadow::open(setup, Origin::LanguageServers)?;
        shadow.stage(staged.to_vec())?;
        let command = self
            .commands
            .get(&server)
            .ok_or_else(|| ServerFault::Refused("it is not on the path".to_owned()))?;
        let arguments: Vec<_> = command.arguments.iter().map(Into::into).collect();
        let launch = Launch {
            name: command.program.as_ref(),
            arguments: &arguments,
            folder: None,
            variables: &VARIABLES,
        };
        Client::start(shadow, server, &launch, wait)
    }
}

impl fmt::Debug for LanguageServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("LanguageServers");
        told.field("commands", &self.commands)
            .finish_non_exhaustive()
    }
}

/// Returns the files that are there on disk and not as staged, or the other way round.
fn made(root: &Path, staged: &[ProgramFile]) -> BTreeSet<(String, bool)> {
    let each = staged.iter().filter_map(|file| {
        let is_staged = file.content.is_some();
        let is_on_disk = std::fs::symlink_metadata(root.join(&file.path)).is_ok();
        (is_staged != is_on_disk).then(|| (file.path.clone(), is_staged))
    });
    each.collect()
}

/// Sends a server the staged texts of its language, and of files that are not staged any more the text that is there.
fn send(
    client: &mut Client,
    server: LanguageServer,
    engine: &Mutex<Engine>,
    staged: &[ProgramFile],
) -> Result<(), AskFault> {
    for file in staged
        .iter()
        .filter(|path| LanguageServer::of(&path.path) == Some(server))
        .take(MAX_SENT)
    {
        if let Some(ProgramContent::File { bytes, .. }) = &file.content
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            client.send_text(&file.path, text)?;
        }
    }
    for path in client.sent() {
        if let Some(text) = text(engine, &path) {
            client.send_text(&path, &text)?;
        }
    }
    Ok(())
}

/// Returns the text of a file as staged.
pub(crate) fn text(engine: &Mutex<Engine>, path: &str) -> Option<String> {
    let source = lock(engine).read(path).ok().flatten()?;
    source.text().ok().map(str::to_owned)
}

/// Returns the engine, also where a tool broke down while it held it.
fn lock(engine: &Mutex<Engine>) -> MutexGuard<'_, Engine> {
    engine.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns how long a call waits for a server: it reads a project when it is started.
pub(crate) const fn patience() -> std::time::Duration {
    std::time::Duration::from_secs(90)
}

/// Returns the end of a wait that begins now.
pub(crate) fn deadline() -> Instant {
    Instant::now() + patience()
}
