//! Waiting for a child, and passing on the signals that mean the program.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Pid, Signal, kill_process, set_child_subreaper};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag::{register, register_conditional_default};
use signal_hook::iterator::Signals;

use super::UNMADE;
use crate::process::SIGNALLED;
use crate::process::descendants::kill_descendants;

/// The signals that are passed on. The program has a session of its own, so that none of them reaches it by itself.
const PASSED: [(i32, Signal); 4] = [
    (SIGTERM, Signal::TERM),
    (SIGHUP, Signal::HUP),
    (SIGINT, Signal::INT),
    (SIGQUIT, Signal::QUIT),
];

/// Signals that are taken from when this is made, so that none is lost before there is a program to pass it on to.
#[derive(Debug)]
pub(super) struct Attention(Signals);

impl Attention {
    pub(super) fn begin() -> io::Result<Self> {
        // Handlers, unlike ignored signals, are not inherited.
        let numbers = PASSED.map(|(number, _)| number);
        Ok(Self(Signals::new(numbers.iter().chain(&[SIGCHLD]))?))
    }
}

/// Has the second of these signals end this process from now on: there is no program any more to pass them on to, what is left
/// to be done may take long, and one Ctrl-C that came too late for the program would lose all that it did.
pub(super) fn end_by_second_signal() -> io::Result<()> {
    let is_second = Arc::new(AtomicBool::new(false));
    PASSED.iter().try_for_each(|(number, _)| {
        // In this order: the first does not end it.
        register_conditional_default(*number, Arc::clone(&is_second))?;
        register(*number, Arc::clone(&is_second)).map(drop)
    })
}

/// Returns the exit code of shells.
pub(super) fn code(status: ExitStatus) -> i32 {
    let signalled = status.signal().map(|signal| SIGNALLED + signal);
    status.code().or(signalled).unwrap_or(UNMADE)
}

/// Starts a command, waits for it, and kills whatever it has left; all of it where nobody waits any more.
pub(super) fn spawn_and_end_all(
    attention: Attention,
    command: Command,
    is_abandoned: &dyn Fn() -> bool,
    begun: impl FnOnce(&mut Child) -> io::Result<()>,
) -> io::Result<ExitStatus> {
    // Its orphans come to this process.
    set_child_subreaper(Some(Pid::INIT))?;
    let status = spawn(
        attention,
        command,
        |child| {
            if is_abandoned() {
                child.kill()?;
                return child.wait().map(Some);
            }
            child.try_wait()
        },
        begun,
    )?;
    kill_descendants();
    Ok(status)
}

/// Starts a command and waits for it. `begun` is called once it runs, `reap` whenever a child may have ended.
pub(super) fn spawn(
    attention: Attention,
    mut command: Command,
    mut reap: impl FnMut(&mut Child) -> io::Result<Option<ExitStatus>>,
    begun: impl FnOnce(&mut Child) -> io::Result<()>,
) -> io::Result<ExitStatus> {
    let Attention(mut signals) = attention;
    let mut child = command.spawn()?;
    // It holds the child's ends of pipes and terminals.
    drop(command);
    if let Err(error) = begun(&mut child) {
        let _gone = child.kill();
        return Err(error);
    }
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    loop {
        if let Some(status) = reap(&mut child)? {
            return Ok(status);
        }
        for signal in signals.wait() {
            let passed = PASSED.iter().find(|(number, _)| *number == signal);
            if let (Some((_, signal)), Some(pid)) = (passed, pid) {
                let _gone = kill_process(pid, *signal);
            }
        }
    }
}
