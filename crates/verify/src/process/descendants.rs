//! Descendants of this process, where their orphans come to it (a child subreaper).
//!
//! In: the system's list of processes. Out: none of them is left. Linux only.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};

use super::listing;

/// Kills every descendant: children, and their children once those are orphans and come here.
/// Returns how many there were that had not ended by themselves.
pub(crate) fn kill_descendants() -> usize {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let mut killed = 0;
    loop {
        let mut any = false;
        for id in listing::numbers() {
            let is_child =
                listing::entry(id).is_some_and(|entry| entry.parent == own && !entry.is_over);
            if let Some(pid) = Pid::from_raw(id).filter(|_| is_child) {
                any |= kill_process(pid, Signal::KILL).is_ok();
            }
        }
        // A killed child ends soon; without one, only what is over already is waited for.
        let options = if any {
            WaitOptions::empty()
        } else {
            WaitOptions::NOHANG
        };
        match wait(options) {
            Ok(Some((_, status))) => {
                killed += usize::from(status.terminating_signal() == Some(Signal::KILL.as_raw()));
            }
            Err(Errno::INTR) => {}
            // None is left, or none that can be seen.
            Ok(None) | Err(_) => return killed,
        }
    }
}
