//! Ground: the workspace that tools work on.
//!
//! In: an engine, and an environment for programs. Out: the same for all calls of one session. A session has its own:
//! several run side by side in one process, each with its engine and what is staged in it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signoff_core::disk::workspace::reserved::ReservedFolders;
use signoff_core::engine::{Engine, Reading};
use signoff_sandbox::process::Supervision;
#[cfg(target_os = "linux")]
use signoff_sandbox::shadow::Setup;
use signoff_sandbox::waiting_commits::SettledChange;
#[cfg(target_os = "linux")]
use signoff_sandbox::waiting_commits::WaitingCommits;
use signoff_sandbox::watch::{Bounds, Watch};

use super::CommandHosts;
use crate::code_index::{Asked, CodeIndex, CodePlace};
use crate::foreign::ForeignServers;
use crate::hook::Hooks;
#[cfg(target_os = "linux")]
use crate::language_servers::LanguageServers;
use crate::permission::{Policy, Unreadable};
use crate::verified::ProjectChecks;

/// The engine of a session, and what programs run on: the files as they are on disk, and an environment.
pub struct Ground {
    engine: Arc<Mutex<Engine>>,
    root: PathBuf,
    /// Folders of signoff's own, which no tool looks into.
    reserved: ReservedFolders,
    watch: Mutex<Watch>,
    /// Variables that no program gets to see, as those that hold keys.
    hidden: Vec<String>,
    supervision: Supervision,
    /// How the shadow is made in which commands run, if they do.
    #[cfg(target_os = "linux")]
    shadow: Option<Setup>,
    /// What must not be read.
    policy: Policy,
    /// The hosts that commands in the shadow reach.
    hosts: Arc<CommandHosts>,
    /// The language servers, if there are any on the path.
    #[cfg(target_os = "linux")]
    language_servers: Option<LanguageServers>,
    /// What is known of the workspace's code, if there is an index.
    code: Option<Arc<dyn CodeIndex>>,
    /// Servers of the Model Context Protocol, if some are configured.
    servers: Option<Arc<dyn ForeignServers>>,
    /// What is asked before tools and told after them, if there is something.
    hooks: Option<Arc<Hooks>>,
    /// Runs the checks of what is staged, if there is something to run them in.
    checks: Option<ProjectChecks>,
}

impl Ground {
    /// Returns the ground of an engine's workspace.
    pub fn new(engine: Arc<Mutex<Engine>>) -> Self {
        let (root, reserved) = {
            let engine = lock(&engine);
            (engine.root().to_owned(), engine.reserved())
        };
        Self {
            engine,
            watch: Mutex::new(Watch::new(
                root.clone(),
                reserved.clone(),
                Bounds::default(),
            )),
            root,
            reserved,
            hidden: Vec::new(),
            supervision: Supervision::None,
            #[cfg(target_os = "linux")]
            shadow: None,
            policy: Policy::default(),
            hosts: Arc::default(),
            #[cfg(target_os = "linux")]
            language_servers: None,
            code: None,
            servers: None,
            hooks: None,
            checks: None,
        }
    }

    /// Returns the same, where programs do not get to see these variables.
    #[must_use]
    pub fn with_hidden(self, hidden: Vec<String>) -> Self {
        Self { hidden, ..self }
    }

    /// Returns the same, where programs are ended by this if the process is gone.
    #[must_use]
    pub fn with_supervision(self, supervision: Supervision) -> Self {
        Self {
            supervision,
            ..self
        }
    }

    /// Returns the same with an index of the workspace's code.
    #[must_use]
    pub fn with_code_index(self, code: Arc<dyn CodeIndex>) -> Self {
        let code = Some(code);
        Self { code, ..self }
    }

    /// Returns the same with servers of the Model Context Protocol, if there are some.
    #[must_use]
    pub fn with_servers(self, servers: Option<Arc<dyn ForeignServers>>) -> Self {
        Self { servers, ..self }
    }

    /// Returns the same, where these hooks are asked about calls.
    #[must_use]
    pub(crate) fn with_hooks(self, hooks: Arc<Hooks>) -> Self {
        let hooks = Some(hooks);
        Self { hooks, ..self }
    }

    /// Returns the same, where this checks what is staged, if something does.
    #[must_use]
    pub fn with_checks(self, checks: Option<ProjectChecks>) -> Self {
        Self { checks, ..self }
    }

    /// Returns the same with a shadow for commands.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub(crate) fn with_shadow(self, setup: Setup) -> Self {
        let shadow = Some(setup);
        Self { shadow, ..self }
    }

    /// Returns the same, where commands in the shadow reach these hosts.
    #[must_use]
    pub fn with_hosts(self, hosts: CommandHosts) -> Self {
        let hosts = Arc::new(hosts);
        Self { hosts, ..self }
    }

    /// Returns the hosts that commands in the shadow reach.
    pub(crate) fn hosts(&self) -> &Arc<CommandHosts> {
        &self.hosts
    }

    /// Returns the same, where commands in the shadow and tools find nothing that the policy denies to read.
    #[must_use]
    pub(crate) fn with_policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Returns the same with language servers.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub(crate) fn with_language_servers(self, servers: LanguageServers) -> Self {
        let language_servers = Some(servers);
        Self {
            language_servers,
            ..self
        }
    }

    /// Returns what tools must leave out that look at more files than they name, if rules say so.
    pub(super) fn unreadable(&self) -> Option<Unreadable<'_>> {
        self.policy.unreadable(self.engine.as_ref())
    }

    /// Returns the engine.
    pub(crate) fn engine(&self) -> &Arc<Mutex<Engine>> {
        &self.engine
    }

    /// Returns the engine for one request.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Engine> {
        lock(&self.engine)
    }

    /// Returns the folder of the workspace.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folders that are no part of the workspace.
    pub(super) fn reserved(&self) -> &ReservedFolders {
        &self.reserved
    }

    /// Returns what notices changes on disk.
    pub(super) fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the variables that no program gets to see.
    pub(super) fn hidden(&self) -> &[String] {
        &self.hidden
    }

    /// Returns what ends programs if the process is gone.
    pub(crate) fn supervision(&self) -> Supervision {
        self.supervision
    }

    /// Returns how the shadow is made, if commands run in one, and what they must not read there.
    #[cfg(target_os = "linux")]
    pub(super) fn shadow(&self) -> (Option<&Setup>, &Policy) {
        (self.shadow.as_ref(), &self.policy)
    }

    /// Says which commits of programs wait for a sign-off, so that no command sends them to others.
    #[cfg(target_os = "linux")]
    pub(crate) fn unsent_commits(&self) -> Option<String> {
        let waiting = WaitingCommits::at(&self.shadow.as_ref()?.commits);
        let waiting = waiting.all().ok()?.into_iter().map(|own| own.change);
        let moved = waiting.filter(|change| !change.refs.is_empty());
        let lines: Vec<String> = moved.flat_map(|change| change.lines()).collect();
        let lines = lines.join("; ");
        (!lines.is_empty()).then(|| {
            format!("{lines} waits for a sign-off and is not in the repository: send it after that")
        })
    }

    /// Returns what became of commits of programs.
    #[cfg(target_os = "linux")]
    pub(crate) fn settled_commits(&self) -> Vec<SettledChange> {
        let commits = self.shadow.as_ref().map(|setup| &setup.commits);
        let settled = commits.map(|commits| WaitingCommits::at(commits).settled());
        settled.unwrap_or(Ok(Vec::new())).unwrap_or_else(|error| {
            tracing::error!(%error, "what became of commits is not known");
            Vec::new()
        })
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn settled_commits(&self) -> Vec<SettledChange> {
        Vec::new()
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn unsent_commits(&self) -> Option<String> {
        None
    }

    /// Returns the language servers, if there are any.
    #[cfg(target_os = "linux")]
    pub(super) fn language_servers(&self) -> Option<&LanguageServers> {
        self.language_servers.as_ref()
    }

    /// Returns the index of the workspace's code, if there is one.
    pub(super) fn code(&self) -> Option<&dyn CodeIndex> {
        self.code.as_deref()
    }

    /// Returns where a name is defined or used with everything staged; none where that is not known. What is read of files
    /// does not count as known to the model.
    pub(crate) fn find_name(&self, asked: Asked, name: &str) -> Option<Vec<CodePlace>> {
        let staged = self.lock().staged_paths().ok()?;
        let staged: Vec<String> = staged.into_iter().map(|(path, _)| path).collect();
        let read = |path: &str| -> Option<String> {
            let begun = self.lock().begin_glance(path).ok()?;
            let source = match begun {
                Reading::Done(source) => source,
                Reading::OnDisk(unread) => unread.read().ok()?,
            };
            Some(source?.text().ok()?.to_owned())
        };
        self.code()?.places(asked, name, &staged, &read).ok()
    }

    /// Returns the servers of the Model Context Protocol, if some are configured.
    pub(crate) fn servers(&self) -> Option<&dyn ForeignServers> {
        self.servers.as_deref()
    }

    /// Returns the hooks that are asked about calls, if there are some.
    pub(crate) fn hooks(&self) -> Option<&Hooks> {
        self.hooks.as_deref()
    }

    /// Returns what checks what is staged, if there is something to do that in.
    pub(crate) fn checks(&self) -> Option<&ProjectChecks> {
        self.checks.as_ref()
    }
}

/// Returns the engine. A tool that broke down while it held it does not end the session:
/// what it was doing was not written, and the engine reads its state anew.
pub fn lock(engine: &Mutex<Engine>) -> MutexGuard<'_, Engine> {
    engine.lock().unwrap_or_else(PoisonError::into_inner)
}
