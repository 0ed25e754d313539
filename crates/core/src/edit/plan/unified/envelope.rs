//! The patch envelope that begins with `*** Begin Patch`.
//!
//! In: its text, with prose and fences around it. Out: [`FilePatch`]es; `@@ line` names a line
//! under which a hunk stands.
//!
//! What is clear though malformed is read all the same, each form with a case in `tests`: no first or
//! last mark, marks with blanks around them, headers of a unified diff, a fence around all of it, and a
//! new file without `+` before its lines.

use super::parse::{FilePatch, PatchHunk, numbers};
use crate::edit::locate::script::Row;
use crate::edit::plan::Presence;

const FILES: [(&str, Presence); 3] = [
    ("*** Update File:", Presence::Kept),
    ("*** Add File:", Presence::Created),
    ("*** Delete File:", Presence::Deleted),
];
pub(super) const MOVE: &str = "*** Move to:";

/// The first and the last line.
const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";

/// Returns whether a text holds an envelope that names a file.
pub(super) fn is_one(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    let names = text.lines().any(|line| file(line).is_some()) || first.is_some_and(begins_file);
    names || begins_one(text) && text.lines().any(begins_file)
}

fn begins_file(line: &str) -> bool {
    file(line.trim()).is_some()
}

/// Returns whether a line, less the blanks around it, begins an envelope.
fn begins_one(text: &str) -> bool {
    text.lines().any(|line| line.trim() == BEGIN)
}

/// Returns what stands in an envelope that names no file: a unified diff, or hunks for the file that
/// the change names.
pub(super) fn unwrapped(text: &str) -> Option<String> {
    // Lines keep their numbers.
    let rest = text
        .lines()
        .map(|line| if is_mark(&line) { "" } else { line });
    begins_one(text).then(|| rest.flat_map(|line| [line, "\n"]).collect())
}

fn is_mark(line: &&str) -> bool {
    matches!(line.trim(), BEGIN | END | END_OF_FILE)
}

/// Returns the file whose part a line begins, and what happens to it.
pub(super) fn file(line: &str) -> Option<(String, Presence)> {
    let mut files = FILES.iter();
    files.find_map(|(mark, presence)| Some((path(line, mark)?, *presence)))
}

fn path(line: &str, mark: &str) -> Option<String> {
    let path = line.strip_prefix(mark)?;
    Some(path.trim().trim_matches('"').to_owned())
}

/// Reads an envelope.
pub(super) fn parse(text: &str) -> Vec<FilePatch> {
    let mut files: Vec<FilePatch> = Vec::new();
    let mut ended = false;
    let lines: Vec<&str> = unfenced(text);
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    for (at, line) in lines.iter().enumerate() {
        // A line with a blank before it is context, unless there is no hunk that it could be of.
        let open = files.last().is_some_and(|file: &FilePatch| file.has_rows());
        let mark = if open && Some(at) != last {
            line.trim_end()
        } else {
            line.trim()
        };
        if mark == BEGIN {
            continue;
        }
        if mark == END {
            ended = true;
            continue;
        }
        if let Some((path, presence)) = file(mark) {
            ended = false;
            files.push(FilePatch {
                path: Some(path),
                presence,
                lines: at..at,
                ..FilePatch::default()
            });
        } else if let (Some(to), Some(file)) = (path(mark, MOVE), files.last_mut()) {
            file.renamed = Some(to).filter(|to| Some(to) != file.path.as_ref());
        } else if let Some(file) = files.last_mut().filter(|_| !ended) {
            let next = lines.get(at + 1).copied().unwrap_or_default();
            if open || !is_header(line, next, lines.get(at.wrapping_sub(1)).copied()) {
                row(file, line);
            }
        }
    }
    for file in &mut files {
        for hunk in &mut file.hunks {
            hunk.end();
        }
        file.hunks.retain(|hunk| !hunk.rows.is_empty());
        file.fold_context();
        // One that others follow is not for the end.
        if let Some(hunk) = file.hunks.last_mut() {
            hunk.at_end |= is_bare(hunk);
        }
        if file.presence == Presence::Created {
            unplussed(file);
        }
    }
    files
}

/// Returns the lines of a text; a last line that only closes a fence is left blank.
fn unfenced(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    let above = lines.iter().take_while(|line| file(line).is_none());
    let opens =
        above.filter(is_fence).count() > 0 || lines.iter().filter(is_fence).count() % 2 == 1;
    let last = lines.iter_mut().rfind(|line| !line.trim().is_empty());
    if let Some(last) = last.filter(|last| opens && last.trim() == "```") {
        *last = "";
    }
    lines
}

fn is_fence(line: &&&str) -> bool {
    line.starts_with("```")
}

/// Returns whether a line above the first row of a part is of the header of a unified diff.
fn is_header(line: &str, next: &str, last: Option<&str>) -> bool {
    let (old, new) = (
        |line: &str| line.starts_with("--- "),
        |line: &str| line.starts_with("+++ "),
    );
    line.starts_with("diff --git ") || old(line) && new(next) || new(line) && last.is_some_and(old)
}

/// Returns whether a hunk shows no line of the file and no place: such a hunk is for the end.
fn is_bare(hunk: &PatchHunk) -> bool {
    let shows = hunk.before().next().is_some();
    !shows && hunk.anchors.is_empty() && hunk.old_start.is_none()
}

/// Takes the lines of a new file of which none has a `+` as they are.
fn unplussed(file: &mut FilePatch) {
    if file.hunks.iter().flat_map(|hunk| &hunk.rows).any(is_added) {
        return;
    }
    for hunk in &mut file.hunks {
        hunk.rows = hunk.as_written();
    }
}

fn is_added(row: &Row) -> bool {
    matches!(row, Row::Added(_))
}

fn row(file: &mut FilePatch, line: &str) {
    if line.trim_end() == END_OF_FILE {
        if let Some(hunk) = file.hunks.last_mut() {
            hunk.at_end = true;
        }
        return;
    }
    if let Some(anchor) = line.strip_prefix("@@") {
        let anchor = anchor.trim().trim_end_matches("@@").trim();
        // Anchors one after another lead further in; after rows, a new hunk begins.
        if file.hunks.last().is_none_or(|hunk| !hunk.rows.is_empty()) {
            file.hunks.push(PatchHunk::default());
        }
        let Some(hunk) = file.hunks.last_mut().filter(|_| !anchor.is_empty()) else {
            return;
        };
        if is_range(anchor) {
            hunk.old_start = numbers(line).0;
        } else {
            hunk.anchors.push(vec![anchor.to_owned()]);
        }
        return;
    }
    if file.hunks.is_empty() {
        file.hunks.push(PatchHunk::default());
    }
    let Some(hunk) = file.hunks.last_mut() else {
        return;
    };
    let text = |mark: &str| line.strip_prefix(mark).unwrap_or(line).to_owned();
    let row = match line.chars().next() {
        Some('+') => Row::Added(text("+")),
        Some('-') => Row::Removed(text("-")),
        _ => Row::Context(text(" ")),
    };
    hunk.push(row, line);
}

/// Returns whether an anchor is a range of line numbers, which does not belong here.
fn is_range(anchor: &str) -> bool {
    anchor.starts_with('-') && anchor.contains('+')
}
