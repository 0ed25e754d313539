//! A program that runs beside this process and is given input, with a supervisor that ends it.
//!
//! In: a program. Out: the pipes to its three streams, and a value that ends the program when it is dropped. The
//! supervisor's own standard input is the socket to this process, so the program's input reaches the supervisor through
//! that socket, as a descriptor in a message of one byte.

use std::io::{self, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::ending::Ending;
use super::link::{LAST_REPORT, OWN, SUPERVISE_FED, TERMINATE};
use super::orphans::Leader;
use super::strays::{Mark, end_all};
use super::{Ended, Program, ended, find};
use crate::{descriptor, polling};

/// The ends of a program's streams that are this process's. All three become descriptors, for a reader that waits
/// without a thread.
#[derive(Debug)]
pub struct Pipes {
    /// What is written here is the program's standard input; the input ends when this is dropped.
    pub input: PipeWriter,
    /// The program's standard output.
    pub output: ChildStdout,
    /// The program's standard error. Somebody has to read it, or a program that prints much waits forever.
    pub errors: ChildStderr,
}

/// A program that runs until it ends, this is dropped, or this process ends.
#[derive(Debug)]
pub struct Fed {
    supervisor: Child,
    leader: Leader,
    mark: Mark,
    /// The socket to the supervisor; nothing once it was closed.
    socket: Option<UnixStream>,
}

impl Fed {
    /// Starts a program under a supervisor, whatever [`Program::supervision`] says: without one, a program that runs on
    /// by itself would outlive a process that is killed.
    ///
    /// # Errors
    ///
    /// Fails if there is no such program, or no process can be started.
    pub fn start(program: &Program) -> io::Result<(Self, Pipes)> {
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_read_timeout(Some(LAST_REPORT))?;
        let (reader, input) = io::pipe()?;
        descriptor::send(&socket, reader)?;
        let mark = Mark::new();
        let mut command = Command::new(OWN);
        command
            .arg(SUPERVISE_FED)
            .arg(find::executable(&program.name, &program.folder)?)
            .args(&program.arguments);
        super::prepare(&mut command, program, &mark);
        command.stdin(Stdio::from(OwnedFd::from(theirs)));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut supervisor, leader) = Leader::start(|| command.spawn(), Child::id)?;
        let (output, errors) = (supervisor.stdout.take(), supervisor.stderr.take());
        let fed = Self {
            supervisor,
            leader,
            mark,
            socket: Some(socket),
        };
        match (output, errors) {
            (Some(output), Some(errors)) => Ok((
                fed,
                Pipes {
                    input,
                    output,
                    errors,
                },
            )),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Returns whether the program is over. What it started may still be ending.
    pub fn is_over(&mut self) -> bool {
        !matches!(self.supervisor.try_wait(), Ok(None))
    }

    /// Asks the program to end, waits `grace` at most, and kills it with all that it started. Returns how it ended.
    ///
    /// # Errors
    ///
    /// Fails if the system does not say how.
    pub fn end(mut self, grace: Duration) -> io::Result<Ended> {
        if let (false, Some(socket)) = (grace.is_zero(), &mut self.socket) {
            // A supervisor that is gone has taken the program along.
            let _gone = io::Write::write_all(socket, &[TERMINATE]);
        }
        let _over = polling::until(Instant::now() + grace, || self.is_over().then_some(()));
        self.kill()
    }

    /// Kills what is left, and returns how the program ended.
    fn kill(&mut self) -> io::Result<Ended> {
        let ending = self.socket.take().and_then(|socket| {
            socket.shutdown(std::net::Shutdown::Write).ok()?;
            Ending::read(socket)
        });
        if ending.is_none() {
            // The supervisor was killed or stopped.
            end_all(&self.leader, &self.mark);
        }
        let status = self.supervisor.wait()?;
        Ok(ending.map_or_else(|| ended(status), Into::into))
    }
}

impl Drop for Fed {
    fn drop(&mut self) {
        // Nobody is left to be told how it ended.
        let _ended = self.kill();
    }
}
