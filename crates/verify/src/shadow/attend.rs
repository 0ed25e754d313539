//! Waiting for a child while the terminal's signals are the child's alone.
//!
//! In: a child. Out: how it ended. Interrupts from the keyboard reach the child by themselves; a
//! request to end, or a closed terminal, is passed on.

use std::io;
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process, set_child_subreaper};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::process::descendants::kill_descendants;

/// Starts a command, waits for it, and kills whatever it has left.
pub(super) fn spawn_and_end_all(command: &mut Command) -> io::Result<ExitStatus> {
    // Its orphans come to this process.
    set_child_subreaper(Some(Pid::INIT))?;
    let status = spawn(command, Child::try_wait)?;
    kill_descendants();
    Ok(status)
}

/// Starts a command and waits for it. `reap` is called whenever a child may have ended.
pub(super) fn spawn(
    command: &mut Command,
    mut reap: impl FnMut(&mut Child) -> io::Result<Option<ExitStatus>>,
) -> io::Result<ExitStatus> {
    // Before there is a child: its end must not be missed. Handlers, unlike ignored signals, are
    // not inherited.
    let mut signals = Signals::new([SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    let mut child = command.spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    loop {
        if let Some(status) = reap(&mut child)? {
            return Ok(status);
        }
        for signal in signals.wait() {
            let passed = match signal {
                SIGTERM => Signal::TERM,
                SIGHUP => Signal::HUP,
                _ => continue,
            };
            if let Some(pid) = pid {
                let _gone = kill_process(pid, passed);
            }
        }
    }
}
