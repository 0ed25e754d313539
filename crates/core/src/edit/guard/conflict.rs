//! Guard: conflict markers.
//!
//! In: a scene. Out: an alarm for each added line that marks one side of a merge, or of a
//! search and replace block that was written into the file.

use super::scene::Scene;
use super::{Alarm, Guard, MAX_ALARMS, Severity};

/// What such a line begins with, before a blank or its end.
const MARKERS: &[&str] = &["<<<<<<<", ">>>>>>>", "|||||||"];
const BLOCKS: &[&str] = &["------- SEARCH", "+++++++ REPLACE"];

pub(super) fn inspect(scene: &Scene<'_>) -> Vec<Alarm> {
    let is_marker = |line: &str| {
        let marks = |marker: &str| {
            line.strip_prefix(marker)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        MARKERS.iter().any(|marker| marks(marker)) || BLOCKS.contains(&line.trim_end())
    };
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
