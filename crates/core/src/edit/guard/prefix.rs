//! Guard: diff signs and line numbers left in the text.
//!
//! Alarms at added lines that all begin with `+` or `-`, at headers of a diff, and at lines that begin with their own
//! numbers.

use super::scene::{Added, Scene};
use super::{Alarm, Guard, MAX_ALARMS, Severity};
use crate::syntax::Language;

/// What a diff begins with.
const HEADERS: &[&str] = &[
    "@@ -",
    "--- a/",
    "+++ b/",
    "diff --git ",
    "*** Begin Patch",
    "*** Update File: ",
];

/// Files whose lines may begin with anything.
const DIFFS: &[&str] = &["diff", "patch", "rej", "snap", "stderr", "stdout", "out"];

pub(super) fn inspect(scene: &Scene<'_>) -> Vec<Alarm> {
    let is_diff = scene
        .path
        .extension()
        .is_some_and(|ext| DIFFS.contains(&ext.as_str()));
    if is_diff || scene.language == Some(Language::Markdown) {
        return Vec::new();
    }
    let mut alarms = Vec::new();
    for run in scene.runs() {
        let run: Vec<&Added<'_>> = run
            .iter()
            .filter(|line| !line.text.trim().is_empty())
            .collect();
        alarms.extend(signs(scene, &run).or_else(|| numbers(scene, &run)));
        alarms.extend(run.iter().filter_map(|line| header(scene, line)));
        if alarms.len() >= MAX_ALARMS {
            break;
        }
    }
    alarms.truncate(MAX_ALARMS);
    alarms
}

/// Files without a grammar may hold what looks like a diff or a listing for good reason.
fn severity(scene: &Scene<'_>) -> Severity {
    if scene.language.is_some() {
        Severity::Refuse
    } else {
        Severity::Warn
    }
}

fn header(scene: &Scene<'_>, line: &Added<'_>) -> Option<Alarm> {
    let found = line.begins && HEADERS.iter().any(|header| line.text.starts_with(header));
    if !found || scene.was_there(line.text) || scene.in_string(line.start) {
        return None;
    }
    Some(scene.alarm(
        Guard::Prefix,
        severity(scene),
        line,
        "the header of a diff is added",
    ))
}

fn signs(scene: &Scene<'_>, run: &[&Added<'_>]) -> Option<Alarm> {
    let first = run.iter().find(|line| line.text.starts_with('+'))?;
    if !run
        .iter()
        .all(|line| line.begins && line.text.starts_with(['+', '-']))
        || first.text.starts_with("++")
    {
        return None;
    }
    // Where the lines around begin so, the file is written like that.
    let (top, end) = (run.first()?.row, run.last()?.row);
    let neighbours = [
        top.checked_sub(1).and_then(|row| scene.kept(row)),
        scene.kept(end + 1),
    ];
    let usual = neighbours
        .iter()
        .flatten()
        .any(|line| line.starts_with(['+', '-']));
    if usual || scene.was_there(first.text) || scene.in_string(first.start) {
        return None;
    }
    let severity = if run.len() > 1 {
        severity(scene)
    } else {
        Severity::Warn
    };
    let message = match run.len() {
        1 => "the added line begins with `+`, as in a diff".to_owned(),
        count => format!("all {count} added lines begin with `+` or `-`, as in a diff"),
    };
    Some(scene.alarm(Guard::Prefix, severity, first, message))
}

/// What stands between a number and its line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// Nothing else is written so.
    Sure,
    /// Keys of a map are, too.
    Colon,
}

fn numbers(scene: &Scene<'_>, run: &[&Added<'_>]) -> Option<Alarm> {
    let first = run.first()?;
    let mut expected = None;
    let mut sure = true;
    for line in run {
        let (number, gap) = numbered(line.text).filter(|_| line.begins)?;
        if expected.is_some_and(|expected| expected != number) {
            return None;
        }
        sure &= gap == Gap::Sure;
        expected = Some(number + 1);
    }
    let own = numbered(first.text).is_some_and(|(number, _)| number.abs_diff(first.row + 1) <= 1);
    if run.len() == 1 && !(own && sure) || !sure && !own {
        return None;
    }
    if scene.was_there(first.text) || scene.in_string(first.start) {
        return None;
    }
    let severity = if sure {
        severity(scene)
    } else {
        Severity::Warn
    };
    Some(scene.alarm(
        Guard::Prefix,
        severity,
        first,
        "added lines begin with line numbers",
    ))
}

/// Returns the number that a line begins with as a listing writes it.
fn numbered(line: &str) -> Option<(usize, Gap)> {
    let line = line.trim_start();
    let line = line.strip_prefix('L').unwrap_or(line);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let number = line.get(..digits)?.parse().ok().filter(|_| digits <= 7)?;
    let rest = line.get(digits..)?;
    let bare = rest.trim_start_matches(' ');
    if rest.starts_with('\t') || bare.starts_with(['|', '│', '→']) {
        return Some((number, Gap::Sure));
    }
    rest.starts_with(':').then_some((number, Gap::Colon))
}
