//! Bounds on what all processes of a program take together: memory, and the disk that holds the layers.
//!
//! Somebody looks from outside, twice a second, and ends the program where it takes too much. Where memory goes faster
//! than that, the system's own choice falls on the program: see [`offer_to_the_system`].

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::beneath::Tree;
use super::crew::Crew;
use crate::process::listing;

/// How often somebody looks.
const EVERY: Duration = Duration::from_millis(500);
/// Of the machine's memory, what a program's processes may have to themselves, in percent: the rest keeps an editor
/// and signoff alive while a linker runs.
const MEMORY_PERCENT: u64 = 75;
/// Bytes that stay free on the disk that holds the layers.
const DISK_LEFT: u64 = 512 << 20;
/// Files that can still be made on it.
const FILES_LEFT: u64 = 10_000;
/// How much likelier than others the program is chosen where memory is out; 1,000 is the most.
const OFFERED: &str = "900";

/// What a program has too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Excess {
    #[error("its processes took {0} MiB of memory, more than {MEMORY_PERCENT}% of the machine's")]
    Memory(u64),
    #[error("the disk that holds its files has less than {} MiB, or {FILES_LEFT} files, left", DISK_LEFT >> 20)]
    Disk,
}

/// Watches a child, with all that it starts, and the disk of `layers`, until this process ends.
pub(super) fn watch(child: &Child, layers: Tree, crew: &Crew) -> io::Result<()> {
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
        return Ok(());
    };
    let _unwaited = crew.begin(move || {
        loop {
            thread::sleep(EVERY);
            let Some(excess) = excess(pid, &layers) else {
                continue;
            };
            let _unread = writeln!(io::stderr(), "signoff: the program was ended: {excess}");
            if excess == Excess::Disk {
                // Without room for the mark, the layers stay, and the next program is ended as well.
                let _unmarked = layers.create(Path::new(super::FULL));
            }
            let _gone = kill_process(pid, Signal::KILL);
            return;
        }
    })?;
    Ok(())
}

fn excess(top: Pid, layers: &Tree) -> Option<Excess> {
    let most =
        memory_of_machine(&fs::read_to_string("/proc/meminfo").ok()?)? / 100 * MEMORY_PERCENT;
    let taken = family(top.as_raw_nonzero().get());
    let taken = taken.into_iter().filter_map(|process| {
        own_memory(&fs::read_to_string(format!("/proc/{process}/status")).ok()?)
    });
    let taken = taken.sum::<u64>();
    if taken > most {
        return Some(Excess::Memory(taken >> 20));
    }
    let disk = rustix::fs::statvfs(layers.handle()).ok()?;
    let is_full = disk.f_bavail.saturating_mul(disk.f_frsize) < DISK_LEFT;
    // Some file systems have no number of files.
    let has_names = disk.f_files == 0 || disk.f_favail > FILES_LEFT;
    (is_full || !has_names).then_some(Excess::Disk)
}

/// Returns a process and all that descend from it; orphans are their first ancestor's.
fn family(top: i32) -> Vec<i32> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for id in listing::numbers() {
        if let Some(entry) = listing::entry(id) {
            children.entry(entry.parent).or_default().push(id);
        }
    }
    let mut family = vec![top];
    let mut looked_at = 0;
    while let Some(next) = family.get(looked_at) {
        looked_at += 1;
        family.extend(children.remove(next).unwrap_or_default());
    }
    family
}

/// Returns the bytes of memory in `/proc/meminfo`.
fn memory_of_machine(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

/// Returns the bytes of memory that stand for no file, of a process's `status`.
fn own_memory(text: &str) -> Option<u64> {
    let swapped = size_of(text, "VmSwap:").unwrap_or_default();
    Some((size_of(text, "RssAnon:")? + size_of(text, "RssShmem:")? + swapped) << 10)
}

fn size_of(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()
}

/// Has the system choose this process and its children first where memory is out.
pub(super) fn offer_to_the_system() {
    // Where it cannot, the system chooses as for any other process.
    let _as_any = fs::write("/proc/self/oom_score_adj", OFFERED);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_stands_for_no_file_is_counted() {
        let status =
            "Name:\tx\nRssAnon:\t 3 kB\nRssFile:\t 9 kB\nRssShmem:\t 2 kB\nVmSwap:\t 1 kB\n";
        assert_eq!(own_memory(status), Some(6 << 10));
        assert_eq!(own_memory(""), None);
        let text = "MemTotal:       16000 kB\nMemFree: 1 kB\n";
        assert_eq!(memory_of_machine(text), Some(16_000 << 10));
    }
}
