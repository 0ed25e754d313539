//! Orphaned processes of a program.
//!
//! In: the leader of a run. Out: processes whose parent has ended since then and that this process
//! has got in its place, on systems that can arrange that.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, WaitOptions, waitpid};

use super::listing::{self, ProcessStat};
use super::strays::Mark;

/// The leaders of all runs that are not over: children of this process like orphans, but not lost.
static LEADERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// A leader from its start until it was asked how it ended.
#[derive(Debug)]
pub(super) struct Leader {
    pub(super) pid: Option<Pid>,
    /// When it started, in the system's own count.
    started: u64,
}

/// This process, as the others are compared with it.
struct Own {
    id: i32,
    session: i32,
}

impl Leader {
    /// Starts a leader; `id` tells its number.
    pub(super) fn start<T>(
        spawn: impl FnOnce() -> io::Result<T>,
        id: impl FnOnce(&T) -> u32,
    ) -> io::Result<(T, Self)> {
        adopt();
        // Nobody looks for orphans before it is known that this is none.
        let mut leaders = lock();
        let child = spawn()?;
        let pid = i32::try_from(id(&child)).ok();
        leaders.extend(pid);
        let started = pid
            .and_then(listing::entry)
            .map_or(u64::MAX, |entry| entry.started);
        let pid = pid.and_then(Pid::from_raw);
        Ok((child, Self { pid, started }))
    }

    /// Returns the orphans of its run that live, and adds to `killed` those that were until now.
    pub(super) fn orphans(&self, killed: &mut HashSet<Pid>) -> Vec<Pid> {
        let leaders = lock();
        let mut alive = Vec::new();
        let Some(own) = Own::read() else {
            return alive;
        };
        for id in listing::numbers() {
            let Some(entry) = listing::entry(id) else {
                continue;
            };
            if !is_lost(&entry, &own, self.started) || leaders.contains(&id) || Mark::is_on(id) {
                continue;
            }
            let Some(pid) = Pid::from_raw(id) else {
                continue;
            };
            if !entry.is_over {
                alive.push(pid);
            } else if let Ok(Some((_, status))) = waitpid(Some(pid), WaitOptions::NOHANG)
                && status.terminating_signal() == Some(Signal::KILL.as_raw())
            {
                // It may have been killed with its group, before it could be told apart.
                killed.insert(pid);
            }
        }
        alive
    }
}

impl Own {
    /// Returns nothing where the system does not list processes.
    fn read() -> Option<Self> {
        let id = process::id().cast_signed();
        let session = listing::entry(id)?.session;
        Some(Self { id, session })
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if let Some(pid) = self.pid {
            lock().remove(&pid.as_raw_nonzero().get());
        }
    }
}

fn lock() -> MutexGuard<'static, BTreeSet<i32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has the system give this process the orphans among its descendants.
fn adopt() {
    #[cfg(target_os = "linux")]
    {
        // Where it cannot, orphans go elsewhere, and only those with a mark are found.
        let _unable = rustix::process::set_child_subreaper(Some(Pid::INIT));
    }
}

/// Tells whether a process was started by the run of a leader and then lost by its parent.
fn is_lost(entry: &ProcessStat, own: &Own, since: u64) -> bool {
    entry.parent == own.id && entry.started >= since && entry.session != own.session
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_left_the_session_is_lost_in_a_container_too() {
        // In a container, the session of this process may be led from outside: it is zero then.
        for session in [0, 40] {
            let own = Own { id: 41, session };
            assert!(is_lost(&entry(41, 52, 100), &own, 100));
            assert!(!is_lost(&entry(41, 52, 99), &own, 100), "older");
            assert!(!is_lost(&entry(1, 52, 100), &own, 100), "another's");
            assert!(!is_lost(&entry(41, session, 100), &own, 100), "not lost");
        }
    }

    fn entry(parent: i32, session: i32, started: u64) -> ProcessStat {
        ProcessStat {
            is_over: false,
            parent,
            group: session,
            session,
            started,
        }
    }
}
