//! A command in the shadow: it sees files as staged, and what it changes is staged.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;

use signoff_core::disk::workspace::MAX_FILE_BYTES;
use signoff_core::engine::ProgramStaged;
use signoff_sandbox::process::{self, Ended, Limits, Report, Stream};
use signoff_sandbox::shadow::{Collected, Launch, Origin, Setup, Shadow};

use super::{PLAIN, ToolContext};
use crate::shadow::{self, ShadowError};

/// What came of a command in the shadow.
pub(in crate::tool) struct Shadowed {
    /// How it ended, and what it printed.
    pub(in crate::tool) report: Report,
    /// Files that it named, that are there, and that no program sees.
    pub(in crate::tool) unseen: Vec<PathBuf>,
    /// What it changed; nothing where it was cancelled.
    pub(in crate::tool) staged: ProgramStaged,
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
        let mut shadow = Shadow::open(Setup { network, ..setup }, Origin::Model)?;
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
        let report = process::run(&program, limits, self.call.stop.flag(), watch)?;
        if let Some(why) = shadow.failure() {
            return Err(io::Error::other(why).into());
        }
        let collected = match report.ended {
            Ended::Stopped => Collected::default(),
            _ => shadow.collect(MAX_FILE_BYTES)?,
        };
        let staged = shadow::stage(
            &mut self.ground.lock(),
            collected,
            command.to_owned(),
            self.origin(),
            Some(self.call.changeset),
        )?;
        let said = [command, &report.out.text(), &report.err.text()].join("\n");
        let unseen = shadow.unseen(&said);
        Ok(Shadowed {
            report,
            staged,
            unseen,
        })
    }
}
