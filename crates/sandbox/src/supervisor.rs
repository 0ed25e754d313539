//! Supervisor: a process between signoff and a program, which ends the program with signoff.
//!
//! signoff runs itself anew as supervisor. The supervisor starts the program, gets all orphans
//! among its descendants (a child subreaper), and holds one end of a socket whose other end signoff
//! has. When the program is over, or signoff is gone and the socket with it, however it ended, the
//! supervisor kills whatever is left and ends. The program itself is told by the system to end
//! with the supervisor. Linux only; a single thread.
//!
//! A process between signoff and a program, on Linux: signoff itself, run anew, which `main` asks first. It gets
//! the orphans among the program's descendants and holds a socket to signoff. When the socket closes, or the
//! program is over, it kills all that is left.
//!
//! **Invariant:** a program lives no longer than signoff, however signoff ends. What holds and what does not is in
//! `docs/decisions/0024`.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, getppid, kill_process, kill_process_group, pidfd_open,
    set_child_subreaper, set_parent_process_death_signal, setsid,
};

use crate::descriptor;
use crate::process::NOT_STARTED;
use crate::process::descendants::kill_descendants;
use crate::process::ending::Ending;
use crate::process::link::{OWN, SUPERVISE, SUPERVISE_FED, TERMINATE};

/// First argument of the step that binds the program to the supervisor and becomes the program.
const BIND: &str = "--signoff-bind";
/// The name in process lists, so that `pkill signoff` leaves the supervisor to do its work.
const NAME: &std::ffi::CStr = c"run-supervisor";

/// Does what a re-executed program is asked to do by its first argument, if it is. Must be called
/// first in `main`, before there is another thread. Returns the exit code.
pub fn enter(mut arguments: impl Iterator<Item = OsString>) -> Option<u8> {
    let _program = arguments.next();
    let first = arguments.next()?;
    let rest: Vec<OsString> = arguments.collect();
    let code = match first.to_str() {
        Some(SUPERVISE) => supervise(&rest, |_| Ok(Stdio::null())).unwrap_or(NOT_STARTED),
        Some(SUPERVISE_FED) => supervise(&rest, |socket| Ok(descriptor::receive(socket)?.into()))
            .unwrap_or(NOT_STARTED),
        Some(BIND) => bind(&rest),
        _ => crate::shadow::enter(&first, &rest)?,
    };
    Some(u8::try_from(code).unwrap_or(u8::MAX))
}

/// Runs a program and reports how it ended. `input` makes its standard input, given the socket to signoff.
fn supervise(
    words: &[OsString],
    input: impl FnOnce(&UnixStream) -> io::Result<Stdio>,
) -> io::Result<i32> {
    // The name and the session are conveniences: without them, the rest still holds.
    let _unnamed = rustix::thread::set_name(NAME);
    let _unled = setsid();
    set_child_subreaper(Some(Pid::INIT))?;
    let own_input = io::stdin().as_fd().try_clone_to_owned()?;
    let mut signoff = UnixStream::from(own_input);
    let own = rustix::process::getpid().as_raw_nonzero().to_string();
    let mut bound = Command::new(OWN);
    bound.arg(BIND).arg(own).args(words).stdin(input(&signoff)?);
    let mut child = bound.spawn()?;
    // The program alone holds its input: with the program gone, writing to it fails.
    drop(bound);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or(Errno::SRCH)?;
    let over = pidfd_open(pid, PidfdFlags::empty())?;
    let abandoned = !wait_for(&mut signoff, &over, pid)?;
    if abandoned {
        let _gone = kill_process_group(pid, Signal::KILL);
        let _gone = kill_process(pid, Signal::KILL);
    }
    let status = child.wait()?;
    let strays = kill_descendants();
    let ending = Ending::new(status, strays);
    // Nobody reads it where signoff is gone.
    let _unread = write!(signoff, "{ending}");
    Ok(ending.code.unwrap_or(NOT_STARTED))
}

/// Waits until the program is over; false if signoff is gone before.
fn wait_for(signoff: &mut UnixStream, over: &OwnedFd, pid: Pid) -> io::Result<bool> {
    loop {
        let (word, ended) = {
            let mut sources = [
                PollFd::new(signoff, PollFlags::IN),
                PollFd::new(over, PollFlags::IN),
            ];
            match poll(&mut sources, None) {
                Err(Errno::INTR) => continue,
                other => other?,
            };
            let [word, ended] = sources.map(|source| !source.revents().is_empty());
            (word, ended)
        };
        if ended {
            return Ok(true);
        }
        if word {
            let mut said = [0];
            match signoff.read(&mut said) {
                Ok(1) if said == [TERMINATE] => {
                    let _gone = kill_process_group(pid, Signal::TERM);
                }
                Ok(1) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => return Ok(false),
            }
        }
    }
}

/// Becomes the program, in a session of its own, which the system ends with the supervisor.
fn bind(words: &[OsString]) -> i32 {
    let [supervisor, name, arguments @ ..] = words else {
        return NOT_STARTED;
    };
    let _unled = setsid();
    let bound = set_parent_process_death_signal(Some(Signal::KILL));
    // If the supervisor has ended before this was said, its parent has changed.
    let parent = getppid().map(|parent| parent.as_raw_nonzero().to_string());
    if bound.is_err() || parent.as_deref() != supervisor.to_str() {
        return NOT_STARTED;
    }
    let error = Command::new(name).args(arguments).exec();
    let _unread = writeln!(io::stderr(), "{}: {error}", name.to_string_lossy());
    NOT_STARTED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_arguments_are_left_alone() {
        for arguments in [&["signoff"][..], &["signoff", "exec", SUPERVISE]] {
            assert_eq!(enter(arguments.iter().map(OsString::from)), None);
        }
    }
}
