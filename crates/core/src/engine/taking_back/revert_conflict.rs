//! Conflicts of a revert: what something later is in the way of, and what the file would be without that.
//!
//! ```text
//! history     1 -> one, on line 1
//! the file    one became eins, and a line was added at the end
//! conflict    the hunk that would make 1 of one; in its place is eins
//! taken back  1, and the line at the end: what clashes with the hunk goes with it
//! ```

use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::hunk;
use crate::edit::diff::instead::{Saved, instead};
use crate::edit::diff::line::LineKind;
use crate::edit::diff::lines::{difference, narrowed};
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

/// Returns a file's text without these versions, the newest first: where something later touches the same lines, that goes
/// with them. `written` is the text after the newest entry.
pub(super) fn without(
    history: &FileHistory,
    versions: &[u64],
    written: Source,
    now: &Source,
) -> Result<Source, Mismatch> {
    let (mut after, mut now) = (written, now.clone());
    let oldest = versions.iter().min();
    for entry in history.entries.iter().rev() {
        if oldest.is_none_or(|oldest| entry.version < *oldest) {
            break;
        }
        if versions.contains(&entry.version) {
            now = without_entry(entry, &after, &now)?;
        }
        after = entry.undone(&after)?.1;
    }
    Ok(now)
}

fn without_entry(entry: &Entry, after: &Source, now: &Source) -> Result<Source, Mismatch> {
    let taken = narrowed(&entry.edits);
    let later = narrowed(&difference(after, now));
    let clashing = taken.clashes(&later);
    let later = later.select(|index| !clashing.contains(&index));
    let kept = later.apply(after.bytes())?;
    let carried = match taken.commute(&later) {
        Ok((_, carried)) => carried,
        // Nothing of it clashes any more.
        Err(dependent) => return Err(Mismatch { at: dependent.at }),
    };
    Ok(Source::new(carried.invert().apply(&kept)?))
}
