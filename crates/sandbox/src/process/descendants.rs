//! Descendants of this process, where their orphans come to it (a child subreaper).
//!
//! In: the system's list of processes. Out: none of them is left. Linux only.

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, wait, waitid,
};

use super::listing;

/// Kills every descendant: children, and their children once those are orphans and come here.
/// Returns how many there were that had not ended by themselves.
pub(crate) fn kill_descendants() -> usize {
    // The list of processes takes 2 ms where there are two hundred.
    if !has_children() {
        return 0;
    }
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
        let mut options = if any {
            WaitOptions::empty()
        } else {
            WaitOptions::NOHANG
        };
        // All that are over by now: each look at the list takes a while where there are hundreds.
        loop {
            match wait(options) {
                Ok(Some((_, status))) => {
                    let by_kill = status.terminating_signal() == Some(Signal::KILL.as_raw());
                    killed += usize::from(by_kill);
                    options = WaitOptions::NOHANG;
                    any = true;
                }
                Err(Errno::INTR) => {}
                Ok(None) if any => break,
                // None is left, or none that can be seen.
                Ok(None) | Err(_) => return killed,
            }
        }
    }
}

/// Returns whether this process has children, ended ones included.
fn has_children() -> bool {
    let looks = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::All, looks), Err(Errno::CHILD))
}
