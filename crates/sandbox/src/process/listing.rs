//! Process listing from `/proc`.
//!
//! In: nothing, or a process. Out: numbers, what the system says of one, and its environment.

use std::fs;
use std::path::Path;
use std::process;

/// What the system says of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessStat {
    pub(crate) is_over: bool,
    pub(crate) parent: i32,
    /// Zero where its leader is outside, as a session's.
    pub(crate) group: i32,
    /// Zero where the session's leader is outside this process's namespace, as it is in a container.
    pub(crate) session: i32,
    /// When it started, in the system's own count.
    pub(crate) started: u64,
}

/// Returns the numbers of all processes; of none where they are not the numbers that signals go by.
pub(crate) fn numbers() -> impl Iterator<Item = i32> {
    // In a namespace of processes, `/proc` may still be that of the one around it.
    let is_own =
        fs::read_link("/proc/self").is_ok_and(|id| id == Path::new(&process::id().to_string()));
    let all = is_own.then(|| fs::read_dir("/proc").ok()).flatten();
    let names = all.into_iter().flatten().flatten();
    names.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Returns what is known of one, or nothing if it is gone.
pub(crate) fn entry(id: i32) -> Option<ProcessStat> {
    parse(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

/// Returns whether one has a variable, given as `NAME=value`, that is so. One that is over has none,
/// and another user's cannot be read.
pub(crate) fn has_variable(id: i32, is_so: impl Fn(&[u8]) -> bool) -> bool {
    let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(is_so)
}

/// Reads a line of `/proc/ID/stat`. The name, in parentheses, may hold anything.
fn parse(stat: &str) -> Option<ProcessStat> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(ProcessStat {
        is_over: matches!(*fields.first()?, "Z" | "X"),
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_anything_in_it_is_skipped() {
        let rest = "S 7 9 11 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0";
        let expected = ProcessStat {
            is_over: false,
            parent: 7,
            group: 9,
            session: 11,
            started: 4242,
        };
        assert_eq!(parse(&format!("12 (a) R 1 (b) {rest}")), Some(expected));
        assert_eq!(parse("12 (a"), None);
        assert_eq!(parse("12 (a) S 7"), None);
    }

    #[test]
    fn a_leader_outside_a_container_has_no_number() {
        let line = "2 (cat) R 1 0 0 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0";
        assert_eq!(parse(line).map(|entry| entry.session), Some(0));
    }
}
