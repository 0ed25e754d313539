//! What a program has started and lost: children in sessions of their own, without its mark.
//!
//! In: the leader of a run. Out: processes whose parent has ended since then and that this process
//! has got in its place, on systems that can arrange that.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, WaitOptions, getsid, waitpid};

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

/// What the system says of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    is_over: bool,
    parent: i32,
    session: i32,
    started: u64,
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
        let started = pid.and_then(entry).map_or(u64::MAX, |entry| entry.started);
        let pid = pid.and_then(Pid::from_raw);
        Ok((child, Self { pid, started }))
    }

    /// Returns the orphans of its run that live, and adds to `killed` those that were until now.
    pub(super) fn orphans(&self, killed: &mut HashSet<Pid>) -> Vec<Pid> {
        let leaders = lock();
        let (own, session) = (process::id().cast_signed(), session());
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let is_lost = |id: i32, entry: &Entry| {
            entry.parent == own
                && entry.started >= self.started
                && session.is_some_and(|session| entry.session != session)
                && !leaders.contains(&id)
                && !Mark::is_on(id)
        };
        let mut alive = Vec::new();
        for id in ids {
            let Some(entry) = entry(id).filter(|entry| is_lost(id, entry)) else {
                continue;
            };
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

/// Returns the session of this process.
fn session() -> Option<i32> {
    let session = getsid(None).ok()?;
    Some(session.as_raw_nonzero().get())
}

fn entry(id: i32) -> Option<Entry> {
    parse(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

/// Reads a line of `/proc/ID/stat`. The name, in parentheses, may hold anything.
fn parse(stat: &str) -> Option<Entry> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse().ok();
    Some(Entry {
        is_over: matches!(*fields.first()?, "Z" | "X"),
        parent: number(1)?,
        session: number(3)?,
        started: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_anything_in_it_is_skipped() {
        let rest = "S 7 9 11 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0";
        let expected = Entry {
            is_over: false,
            parent: 7,
            session: 11,
            started: 4242,
        };
        assert_eq!(parse(&format!("12 (a) R 1 (b) {rest}")), Some(expected));
        assert_eq!(parse("12 (a"), None);
        assert_eq!(parse("12 (a) S 7"), None);
    }
}
