//! The patch envelope that begins with `*** Begin Patch`.
//!
//! In: its text, with prose and fences around it. Out: [`FilePatch`]es; `@@ line` names a line
//! under which a hunk stands.

use super::parse::{FilePatch, Hunk};
use crate::locate::script::Row;
use crate::plan::Presence;

const FILES: [(&str, Presence); 3] = [
    ("*** Update File:", Presence::Kept),
    ("*** Add File:", Presence::Created),
    ("*** Delete File:", Presence::Deleted),
];
pub(super) const MOVE: &str = "*** Move to:";

/// Returns whether a text holds an envelope.
pub(super) fn is_one(text: &str) -> bool {
    let begins = |line: &str| {
        line.trim_end() == "*** Begin Patch" || FILES.iter().any(|(mark, _)| line.starts_with(mark))
    };
    text.lines().any(begins)
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
    for (at, line) in text.lines().enumerate() {
        if line.trim_end() == "*** Begin Patch" {
            continue;
        }
        if line.trim_end() == "*** End Patch" {
            ended = true;
            continue;
        }
        if let Some((path, presence)) = file(line) {
            ended = false;
            files.push(FilePatch {
                path: Some(path),
                presence,
                lines: at..at,
                ..FilePatch::default()
            });
        } else if let (Some(to), Some(file)) = (path(line, MOVE), files.last_mut()) {
            file.renamed = Some(to).filter(|to| Some(to) != file.path.as_ref());
        } else if let Some(file) = files.last_mut().filter(|_| !ended) {
            row(file, line);
        }
    }
    for file in &mut files {
        for hunk in &mut file.hunks {
            hunk.end();
        }
        file.hunks.retain(|hunk| !hunk.rows.is_empty());
    }
    files
}

fn row(file: &mut FilePatch, line: &str) {
    if line.trim_end() == "*** End of File" {
        return;
    }
    if let Some(anchor) = line.strip_prefix("@@") {
        let anchor = anchor.trim().trim_end_matches("@@").trim();
        // Anchors one after another lead further in; after rows, a new hunk begins.
        if file.hunks.last().is_none_or(|hunk| !hunk.rows.is_empty()) {
            file.hunks.push(Hunk::default());
        }
        if let Some(hunk) = file
            .hunks
            .last_mut()
            .filter(|_| !anchor.is_empty() && !is_range(anchor))
        {
            hunk.anchors.push(anchor.to_owned());
        }
        return;
    }
    if file.hunks.is_empty() {
        file.hunks.push(Hunk::default());
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
