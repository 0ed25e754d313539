//! Guard: conflict markers.
//!
//! Alarms at each added line that marks one side of a merge. Models also write such lines when they take a file for the
//! search and replace blocks of another tool.

use super::scene::Scene;
use super::{Alarm, Guard, MAX_ALARMS, Severity};

/// What such a line begins with, before a blank or its end.
const MARKERS: &[&str] = &["<<<<<<<", ">>>>>>>", "|||||||"];
const BLOCKS: &[&str] = &["------- SEARCH", "+++++++ REPLACE"];

pub(super) fn inspect(scene: &Scene<'_>) -> Vec<Alarm> {
    let lines = scene.added.iter().filter(|line| is_marker(line.text));
    let lines = lines.filter(|line| !scene.was_there(line.text));
    lines
        .take(MAX_ALARMS)
        .map(|line| {
            scene.alarm(
                Guard::Conflict,
                Severity::Refuse,
                line,
                "a conflict marker is added",
            )
        })
        .collect()
}

fn is_marker(line: &str) -> bool {
    MARKERS.iter().any(|marker| is_marked(line, marker)) || BLOCKS.contains(&line.trim_end())
}

fn is_marked(line: &str, marker: &str) -> bool {
    line.strip_prefix(marker)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}
