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
use crate::record::history::revert::{NoReversal, reversal_of};
use crate::record::history::{Entry, FileHistory};
use crate::record::store::Store;
use crate::stage::review::RevertHunk;
use crate::text::{EditSet, Mismatch, Source};

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

/// Several versions of a file that cannot be taken back together.
pub(super) struct SeveralVersions<'a> {
    history: &'a FileHistory,
    /// What the user changed since the last version.
    since: &'a EditSet,
    /// The versions, oldest first.
    versions: Vec<u64>,
}

impl<'a> SeveralVersions<'a> {
    pub(super) fn of(history: &'a FileHistory, since: &'a EditSet, versions: &[u64]) -> Self {
        let mut versions = versions.to_vec();
        versions.sort_unstable();
        Self {
            history,
            since,
            versions,
        }
    }

    /// Returns the oldest version that something is in the way of which is to stay, and its hunks there. What later ones of
    /// the versions did to its lines is not in the way: they go back with it.
    pub(super) fn conflict(
        &self,
        store: &Store,
        path: &WorkspacePath,
        now: Option<&Source>,
    ) -> Result<Option<(u64, Vec<RevertHunk>)>, EngineError> {
        let Some(now) = now else {
            return Ok(None);
        };
        for (at, version) in self.versions.iter().enumerate() {
            let later: Vec<u64> = self.versions.iter().skip(at + 1).copied().collect();
            let without = match reversal_of(self.history, self.since, &later) {
                Ok(reversal) => Source::new(reversal.edits.apply(now.bytes())?),
                Err(NoReversal::Nothing) => now.clone(),
                Err(_) => continue,
            };
            let kept = conflicts(store, path, self.history, *version, Some(&without))?;
            let mut found = conflicts(store, path, self.history, *version, Some(now))?;
            found.retain(|hunk| kept.iter().any(|own| own.header == hunk.header));
            if !found.is_empty() {
                return Ok(Some((*version, found)));
            }
        }
        Ok(None)
    }

    /// Says which of the versions can be taken back alone, if one can.
    pub(super) fn way_on(&self, path: &WorkspacePath) -> String {
        let mut newest_first = self.versions.iter().rev();
        let alone = newest_first
            .find(|version| reversal_of(self.history, self.since, &[**version]).is_ok());
        alone.map_or_else(String::new, |version| {
            format!("; version {version} can be reverted alone: `signoff revert {path} --only {version}`")
        })
    }
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
