//! A command in the shadow: it sees files as staged, and what it changes is staged.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use signoff_core::disk::workspace::MAX_FILE_BYTES;
use signoff_core::engine::ProgramStaged;
use signoff_sandbox::network::{Broker, HostTraffic, Traffic, Unattended};
use signoff_sandbox::process::{self, Ended, Limits, Report, Stream};
use signoff_sandbox::shadow::{Collected, Kept, Launch, Origin, RepositoryWritten, Shadow};

use super::{PLAIN, ToolContext};
use crate::shadow::{self, ShadowError};
use crate::tool::host_questions::CommandAsker;

/// What came of a command in the shadow.
pub(in crate::tool) struct Shadowed {
    /// How it ended, and what it printed.
    pub(in crate::tool) report: Report,
    /// Files that it named, that are there, and that no program sees.
    pub(in crate::tool) unseen: Vec<PathBuf>,
    /// The hosts that it asked for, those that were refused first.
    pub(in crate::tool) traffic: Vec<HostTraffic>,
    /// What it changed; nothing where it was cancelled.
    pub(in crate::tool) staged: ProgramStaged,
    /// Ignored files that it wrote.
    pub(in crate::tool) ignored: Kept,
    /// What it changed of the repository.
    pub(in crate::tool) git: RepositoryWritten,
}

impl ToolContext<'_> {
    /// Runs a command line in the shadow; `print` shows what it prints meanwhile.
    pub(in crate::tool) fn run_in_shadow(
        &self,
        command: &str,
        network: bool,
        limits: Limits,
        watch: &mut dyn FnMut(Stream, &[u8]),
    ) -> Result<Shadowed, ShadowError> {
        let (setup, policy) = self.ground.shadow();
        let setup = setup.ok_or_else(|| io::Error::from(io::ErrorKind::Unsupported))?;
        let setup = shadow::hiding(setup, policy, self.ground.engine())?;
        let mut shadow = Shadow::open(setup, Origin::Model)?;
        shadow.set_by_user(self.call.by_user);
        let waited = Arc::default();
        if network {
            shadow.connect_by(self.broker(command, &waited)?)?;
        }
        let seen = self.ground.lock().for_program()?;
        shadow.stage(seen)?;
        let words = [OsString::from("-c"), command.into()];
        let (name, arguments) = shadow.wrap(&Launch {
            name: OsStr::new("/bin/bash"),
            arguments: &words,
            folder: None,
            variables: &PLAIN,
        })?;
        let mut program = self.program("", &[]);
        program.inherits = false;
        (program.name, program.arguments) = (name, arguments);
        let stop = self.call.stop.flag();
        let report = process::run_waiting(&program, limits, (stop, &waited), watch);
        if let Some(questions) = self.conversation.host_questions() {
            questions.forget(&self.call.call);
        }
        let report = report?;
        if let Some(why) = shadow.failure() {
            return Err(io::Error::other(why).into());
        }
        let collected = match report.ended {
            Ended::Stopped => Collected::default(),
            _ => shadow.collect(MAX_FILE_BYTES)?,
        };
        let ignored = collected.kept.clone();
        let git = collected.git.clone();
        let staged = shadow::stage(
            &mut self.ground.lock(),
            collected,
            (command.to_owned(), Vec::new()),
            self.origin(),
            Some(self.call.changeset),
        )?;
        let said = [command, &report.out.text(), &report.err.text()].join("\n");
        let unseen = shadow.unseen(&said);
        Ok(Shadowed {
            report,
            staged,
            git,
            unseen,
            ignored,
            traffic: shadow.traffic().map_or_else(Vec::new, told),
        })
    }

    /// Returns what connects a command to the hosts that rules and the user allow.
    fn broker(&self, command: &str, waited: &Arc<AtomicU64>) -> io::Result<Broker> {
        let hosts = self.ground.hosts();
        let (rules, upstream) = (hosts.rules(), hosts.upstream()?);
        let Some(questions) = self.conversation.host_questions() else {
            return shadow::broker(rules, upstream, Unattended, Vec::new());
        };
        let asker = CommandAsker {
            questions: Arc::clone(questions),
            hosts: Arc::clone(hosts),
            call: self.call.call.clone(),
            asking: format!("{}, by `{command}`", self.conversation.asker(self.call)),
            stop: self.call.stop.clone(),
            waited: Arc::clone(waited),
        };
        shadow::broker(rules, upstream, asker, Vec::new())
    }
}

/// Returns the traffic as the model is told of it: what was refused first.
fn told(traffic: &Traffic) -> Vec<HostTraffic> {
    let mut hosts = traffic.by_host();
    hosts.sort_by_key(|host| host.refused == 0);
    hosts
}
