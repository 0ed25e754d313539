//! The link to a program's supervisor, where it has one.
//!
//! In: a program. Out: the command that starts it, and the way to have it ended.

#[cfg(target_os = "linux")]
use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{Command, Stdio};

use rustix::process::Pid;

#[cfg(target_os = "linux")]
use std::io::Write;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
#[cfg(target_os = "linux")]
use std::os::unix::net::UnixStream;
#[cfg(target_os = "linux")]
use std::time::Duration;

use super::ending::Ending;
use super::{Program, Supervision};

/// How long a supervisor may take to kill what is left. It needs a few milliseconds; one that
/// was stopped must not hold signoff up.
#[cfg(target_os = "linux")]
pub(super) const LAST_REPORT: Duration = Duration::from_secs(2);

#[cfg(target_os = "linux")]
/// First argument of the supervisor; a name, arguments and nothing else follow.
pub(crate) const SUPERVISE: &str = "--signoff-supervise";
#[cfg(target_os = "linux")]
/// First argument of a supervisor whose program gets an input, which comes through the socket.
pub(crate) const SUPERVISE_FED: &str = "--signoff-supervise-fed";
#[cfg(target_os = "linux")]
/// This program, also where its file was replaced since it started.
pub(crate) const OWN: &str = "/proc/self/exe";
#[cfg(target_os = "linux")]
/// What is sent to have the program asked to end.
pub(crate) const TERMINATE: u8 = b't';

#[cfg(target_os = "linux")]
/// Returns the command that runs `name` with `arguments` under a supervisor, whose standard input
/// is to be one end of a socket pair.
fn supervised(name: &OsStr, arguments: &[OsString]) -> Command {
    let mut command = Command::new(OWN);
    command.arg(SUPERVISE).arg(name).args(arguments);
    command
}

/// What ties a program to this process.
#[derive(Debug)]
pub(super) enum Link {
    /// Nothing.
    None,
    /// A socket to its supervisor, and the supervisor's end until it is started.
    #[cfg(target_os = "linux")]
    Supervisor(UnixStream, Option<UnixStream>),
}

impl Link {
    /// Makes the link that a program asks for.
    pub(super) fn new(program: &Program) -> io::Result<Self> {
        match program.supervision {
            Supervision::None => Ok(Self::None),
            #[cfg(target_os = "linux")]
            Supervision::OwnExecutable => {
                let (own, theirs) = UnixStream::pair()?;
                own.set_read_timeout(Some(LAST_REPORT))?;
                Ok(Self::Supervisor(own, Some(theirs)))
            }
            #[cfg(not(target_os = "linux"))]
            Supervision::OwnExecutable => Ok(Self::None),
        }
    }

    /// Returns the command that starts the program.
    pub(super) fn command(&mut self, program: &Program) -> io::Result<Command> {
        let mut command = match self {
            Self::None => {
                let mut command = Command::new(&program.name);
                command.args(&program.arguments).stdin(Stdio::null());
                command
            }
            #[cfg(target_os = "linux")]
            Self::Supervisor(_, theirs) => {
                let name = super::find::executable(&program.name, &program.folder)?;
                let mut command = supervised(name.as_os_str(), &program.arguments);
                let input = theirs.take().map(OwnedFd::from);
                command.stdin(input.map_or_else(Stdio::null, Stdio::from));
                command
            }
        };
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }

    /// Asks the program and its session to end.
    pub(super) fn terminate(&mut self, leader: Option<Pid>) {
        match self {
            Self::None => super::strays::terminate(leader),
            #[cfg(target_os = "linux")]
            Self::Supervisor(own, _) => {
                // A supervisor that is gone has taken the program along.
                let _gone = own.write_all(&[TERMINATE]);
            }
        }
    }

    /// Has the supervisor kill what is left, and returns its report; `None` without a supervisor,
    /// or if it was killed itself.
    pub(super) fn close(self) -> Option<Ending> {
        match self {
            Self::None => None,
            #[cfg(target_os = "linux")]
            Self::Supervisor(own, _) => {
                own.shutdown(std::net::Shutdown::Write).ok()?;
                Ending::read(own)
            }
        }
    }
}
