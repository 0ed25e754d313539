//! Ending a program and all that it started.
//!
//! In: the leader of its session, and a mark that its children inherit. Out: nothing of it is
//! left. A child that has left the session is found by the mark, on systems that have `/proc`; one
//! that has left the mark behind as well, once its parent has ended.

use std::collections::HashSet;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::listing;
use super::orphans::Leader;

/// A variable that tells a program's processes from all others.
#[derive(Debug)]
pub(super) struct Mark(String);

/// A program that starts new processes faster than they are ended is given up on after this
/// many looks.
const LOOKS: usize = 100;
/// Number of looks in a row that have to find nothing.
const QUIET: usize = 3;

impl Mark {
    /// The variable's name.
    pub(super) const VARIABLE: &'static str = "SIGNOFF_RUN";

    /// Returns a mark that no other run has.
    pub(super) fn new() -> Self {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}-{run}", process::id()))
    }

    /// Returns the variable's value.
    pub(super) fn value(&self) -> &str {
        &self.0
    }

    /// Tells whether a process has the mark of any run.
    pub(super) fn is_on(id: i32) -> bool {
        let start = format!("{}=", Self::VARIABLE);
        listing::has_variable(id, |variable| variable.starts_with(start.as_bytes()))
    }

    /// Returns the processes that have it.
    fn bearers(&self) -> Vec<Pid> {
        let wanted = format!("{}={}", Self::VARIABLE, self.0);
        let is_bearer =
            |id: &i32| listing::has_variable(*id, |variable| variable == wanted.as_bytes());
        let ids = listing::numbers().filter(is_bearer);
        ids.filter_map(Pid::from_raw).collect()
    }
}

/// Asks a program and its session to end.
pub(super) fn terminate(leader: Option<Pid>) {
    if let Some(leader) = leader {
        // Whoever is gone already need not be asked.
        let _gone = kill_process_group(leader, Signal::TERM);
    }
}

/// Ends whatever is left, and returns how many processes besides the leader that was.
pub(super) fn end_all(leader: &Leader, mark: &Mark) -> usize {
    let mut ended = HashSet::new();
    let mut quiet = 0;
    for _ in 0..LOOKS {
        let mut left = mark.bearers();
        if let Some(leader) = leader.pid {
            let _gone = kill_process_group(leader, Signal::KILL);
        }
        left.extend(leader.orphans(&mut ended));
        // A process that becomes another program just now has no environment to look at.
        quiet = if left.is_empty() { quiet + 1 } else { 0 };
        if quiet == QUIET {
            break;
        }
        for pid in left {
            let _gone = kill_process(pid, Signal::KILL);
            ended.insert(pid);
        }
    }
    ended
        .into_iter()
        .filter(|pid| Some(*pid) != leader.pid)
        .count()
}
