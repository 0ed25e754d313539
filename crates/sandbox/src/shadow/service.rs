//! A service: a program in the shadow that runs beside signoff and is spoken to through pipes.
//!
//! In: a shadow, staged, and a program. Out: pipes to its streams. It is confined as every program in the shadow is, and
//! ends when the [`Service`] is dropped, or signoff ends.
//!
//! It sees the workspace as it was staged when it started. The lower layer is the user's folder, so that files without
//! staged work are seen as they are saved; files with staged work keep the text of the start until the service is
//! started again. A language server gets newer texts by its protocol.
//!
//! What it writes in the workspace stays in its layers: a program of the same origin finds it there at the next start,
//! as a build folder, and nobody else does. It is never proposed and never written to the workspace.

use std::io;
use std::time::Duration;

use super::{Launch, Shadow};
use crate::process::{Ended, Fed, Pipes, Program, Supervision};

/// A program in the shadow until it ends or this is dropped.
#[derive(Debug)]
pub struct Service {
    // Before the shadow: its layers are free once nothing writes to them.
    program: Fed,
    shadow: Shadow,
}

impl Service {
    /// Starts a program in a shadow that was staged.
    ///
    /// # Errors
    ///
    /// Fails if no process can be started. A shadow that cannot be made ends the program at once, with [`super::UNMADE`];
    /// [`Self::failure`] says why.
    pub fn start(shadow: Shadow, launch: &Launch<'_>) -> io::Result<(Self, Pipes)> {
        let (name, arguments) = shadow.wrap(launch)?;
        let (program, pipes) = Fed::start(&Program {
            name,
            arguments,
            folder: shadow.setup.root.clone(),
            inherits: false,
            hidden: Vec::new(),
            variables: Vec::new(),
            supervision: Supervision::OwnExecutable,
        })?;
        Ok((Self { program, shadow }, pipes))
    }

    /// Returns the shadow that it runs in.
    pub fn shadow(&self) -> &Shadow {
        &self.shadow
    }

    /// Returns whether the program is over.
    pub fn is_over(&mut self) -> bool {
        self.program.is_over()
    }

    /// Returns why the shadow could not be made, if so.
    pub fn failure(&self) -> Option<String> {
        self.shadow.failure()
    }

    /// Asks the program to end, waits `grace` at most, and kills it with all that it started. Returns how it ended, and
    /// the shadow, for another start.
    ///
    /// # Errors
    ///
    /// Fails if the system does not say how it ended.
    pub fn end(self, grace: Duration) -> io::Result<(Ended, Shadow)> {
        let ended = self.program.end(grace)?;
        Ok((ended, self.shadow))
    }
}
