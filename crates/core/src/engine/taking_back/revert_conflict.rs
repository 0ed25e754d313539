//! Conflicts of a revert: what something later is in the way of.
//!
//! ```text
//! history     1 -> one, on line 1
//! the file    one became eins, and a line was added at the end
//! conflict    the hunk that would make 1 of one; in its place is eins
//! ```

use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::hunk;
use crate::edit::diff::instead::{Saved, instead};
use crate::edit::diff::line::LineKind;
use crate::edit::diff::lines::difference;
use crate::engine::EngineError;
use crate::record::history::{Entry, FileHistory};
use crate::record::store::Store;
use crate::stage::review::RevertHunk;
use crate::text::{Mismatch, Source};

/// Maximum number of places named in a message.
const MOST_PLACES: usize = 4;

/// Returns the hunks of one version that something later is in the way of, in a file as it is `now`; nothing where the
/// file is not there.
pub(super) fn conflicts(
    store: &Store,
    path: &WorkspacePath,
    history: &FileHistory,
    version: u64,
    now: Option<&Source>,
) -> Result<Vec<RevertHunk>, EngineError> {
    let written = store.committed(path)?.flatten();
    let Some((mut after, now)) = written.zip(now) else {
        return Ok(Vec::new());
    };
    for entry in history.entries.iter().rev() {
        if entry.version == version {
            return Ok(conflicts_of(entry, &after, now)?);
        }
        after = entry.undone(&after)?.1;
    }
    Ok(Vec::new())
}

/// Returns the hunks of an entry that something later is in the way of; `after` is the text that it made.
fn conflicts_of(entry: &Entry, after: &Source, now: &Source) -> Result<Vec<RevertHunk>, Mismatch> {
    let edits = entry.edits.invert();
    // A damaged store is an error, and not lines that no file had.
    edits.apply(after.bytes())?;
    let edits = hunk::by_line(after, &edits);
    let saved = difference(after, now);
    let numbers = hunk::group(after, &edits);
    let (places, mut found) = (Saved::new(&saved), Vec::new());
    for shown in hunk::render(after, &edits, &numbers) {
        let place = instead(&shown, after, now, &places);
        let yours: Vec<String> = place
            .clone()
            .map(|line| now.line_text(line).into_owned())
            .collect();
        let made = shown.lines.iter().filter(|l| l.kind == LineKind::Removed);
        if !made.map(|line| &line.text).eq(&yours) {
            found.push(RevertHunk {
                header: shown.header,
                lines: shown.lines,
                line: Some(place.start + 1),
                yours,
            });
        }
    }
    Ok(found)
}

/// Names the places of conflicts: `line 3`, `lines 3 to 5`, `what it made is gone at line 3`.
pub(super) fn places(conflicts: &[RevertHunk]) -> Option<String> {
    let places: Vec<String> = conflicts
        .iter()
        .filter_map(|hunk| Some((hunk.line?, hunk)))
        .take(MOST_PLACES)
        .map(|(first, hunk)| match hunk.yours.len() {
            0 => format!("what it made is gone at line {first}"),
            1 => format!("line {first}"),
            several => format!("lines {first} to {}", first + several - 1),
        })
        .collect();
    let more = conflicts.len().saturating_sub(MOST_PLACES);
    match (places.is_empty(), more) {
        (true, _) => None,
        (_, 0) => Some(places.join(", ")),
        _ => Some(format!("{} and {more} more places", places.join(", "))),
    }
}
