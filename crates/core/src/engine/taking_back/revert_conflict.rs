//! Revert conflicts.
//!
//! In: a file's history, the text after its newest entry, and the file as it is. Out: the hunks of a change that
//! something later touched, each with what is in its place now.

use std::ops::Range;

use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::hunk;
use crate::edit::diff::instead::{Saved, instead};
use crate::edit::diff::line::{DiffLine, LineKind};
use crate::edit::diff::lines::difference;
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;
use crate::record::history::FileHistory;
use crate::record::history::revert::versions;
use crate::record::store::Store;
use crate::stage::review::RevertTo;
use crate::text::{Mismatch, Source};

/// Maximum number of places named in a message.
const MOST_PLACES: usize = 4;

/// A hunk that cannot be taken back, since its lines are not what it made of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevertConflict {
    /// `@@ -3,7 +3,8 @@ enclosing line`, of the hunk that would take it back.
    pub header: String,
    /// What taking it back would remove and add.
    pub lines: Vec<DiffLine>,
    /// The 1-based lines of the file in its place, `end` not among them.
    pub place: Range<usize>,
    /// Those lines.
    pub yours: Vec<String>,
}

/// Returns what is in the way of a revert of one version; nothing where several are meant.
pub(in crate::engine) fn revert_conflicts(
    state: &WorkspaceState,
    path: &str,
    to: RevertTo,
) -> Result<Vec<RevertConflict>, EngineError> {
    let path = state.file_at(path)?;
    let history = state.store.history(&path)?;
    let meant = versions(&history, to).unwrap_or_default();
    let [version] = meant.as_slice() else {
        return Ok(Vec::new());
    };
    let now = state.overlay.on_disk(&path)?;
    revert_conflicts_with(&state.store, &path, &history, *version, now.as_ref())
}

/// Returns what is in the way of one version in a file as it is `now`; nothing where the file
/// is not there.
pub(super) fn revert_conflicts_with(
    store: &Store,
    path: &WorkspacePath,
    history: &FileHistory,
    version: u64,
    now: Option<&Source>,
) -> Result<Vec<RevertConflict>, EngineError> {
    let written = store.committed(path)?.flatten();
    Ok(match written.zip(now) {
        Some((written, now)) => conflicts_of(history, version, written, now)?,
        None => Vec::new(),
    })
}

/// Returns what is in the way of one version; `written` is the text after the newest entry.
fn conflicts_of(
    history: &FileHistory,
    version: u64,
    written: Source,
    now: &Source,
) -> Result<Vec<RevertConflict>, Mismatch> {
    let entries = &history.entries;
    let Some(at) = entries.iter().position(|entry| entry.version == version) else {
        return Ok(Vec::new());
    };
    let (upto, later) = entries.split_at(at + 1);
    let [.., entry] = upto else {
        return Ok(Vec::new());
    };
    let after = later.iter().rev().try_fold(written, |after, entry| {
        entry.undone(&after).map(|(_, below)| below)
    })?;
    let edits = entry.edits.invert();
    // A damaged store is an error, and not lines that no file had.
    edits.apply(after.bytes())?;
    let edits = hunk::by_line(&after, &edits);
    let saved = difference(&after, now);
    let numbers = hunk::group(&after, &edits);
    let (places, mut found) = (Saved::new(&saved), Vec::new());
    for shown in hunk::render(&after, &edits, &numbers) {
        let place = instead(&shown, &after, now, &places);
        let yours: Vec<String> = place
            .clone()
            .map(|line| now.line_text(line).into_owned())
            .collect();
        let made = shown.lines.iter().filter(|l| l.kind == LineKind::Removed);
        if !made.map(|line| &line.text).eq(&yours) {
            found.push(RevertConflict {
                header: shown.header,
                lines: shown.lines,
                place: place.start + 1..place.end + 1,
                yours,
            });
        }
    }
    Ok(found)
}

/// Names the places of clashes: `line 3`, `lines 3 to 5`, `nothing is left at line 3`.
pub(in crate::engine) fn places(revert_conflicts: &[RevertConflict]) -> Option<String> {
    let place = |conflict: &RevertConflict| {
        let (first, last) = (conflict.place.start, conflict.place.end.saturating_sub(1));
        match conflict.place.len() {
            0 => format!("what it made is gone at line {first}"),
            1 => format!("line {first}"),
            _ => format!("lines {first} to {last}"),
        }
    };
    let places: Vec<String> = revert_conflicts
        .iter()
        .take(MOST_PLACES)
        .map(place)
        .collect();
    let more = revert_conflicts.len().saturating_sub(MOST_PLACES);
    match (places.is_empty(), more) {
        (true, _) => None,
        (_, 0) => Some(places.join(", ")),
        _ => Some(format!("{} and {more} more places", places.join(", "))),
    }
}
