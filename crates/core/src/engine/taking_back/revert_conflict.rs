//! Revert preview and revert conflicts.
//!
//! In: a file's history, the text after its newest entry, and the file as it is. Out: the hunks
//! that would change; or those of the change that something later touched, each with what is in
//! its place now.

use std::ops::Range;

use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::hunk;
use crate::edit::diff::instead::{Saved, instead};
use crate::edit::diff::line::{DiffLine, LineKind};
use crate::edit::diff::lines::difference;
use crate::engine::{ChangesetPreview, Engine, EngineError, RevertForecast};
use crate::record::history::FileHistory;
use crate::record::history::revert::versions;
use crate::stage::review::{RevertHunk, RevertPreview, RevertTarget, RevertTo};
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

impl Engine {
    /// Returns what a revert would do, or what is in its way, and does nothing.
    pub fn foresee(&mut self, target: &RevertTarget) -> Result<RevertPreview, EngineError> {
        match target {
            RevertTarget::OneFile { path, to } => self.foresee_file(path, *to),
            RevertTarget::Changeset { changeset } => {
                let preview = self.preview_changeset(*changeset)?;
                Ok(foreseen(target, preview))
            }
            RevertTarget::Before { before } => {
                let preview = self.preview_before(*before)?;
                Ok(foreseen(target, preview))
            }
            RevertTarget::Redo { redo } => {
                let preview = self.preview_redo(*redo)?;
                Ok(foreseen(target, preview))
            }
            RevertTarget::Since(written) => {
                let preview = self.foresee_since(written)?;
                Ok(foreseen(target, preview))
            }
        }
    }

    fn foresee_file(&mut self, path: &str, to: RevertTo) -> Result<RevertPreview, EngineError> {
        let mut seen = RevertPreview {
            target: RevertTarget::OneFile {
                path: path.to_owned(),
                to,
            },
            moves_to: None,
            blocked: None,
            hunks: Vec::new(),
        };
        let hunk = |(header, lines)| RevertHunk {
            header,
            lines,
            yours: Vec::new(),
        };
        match self.preview(path, to)? {
            RevertForecast::Possible(preview) => {
                seen.moves_to = preview.to;
                seen.hunks = preview.hunks.into_iter().map(hunk).collect();
            }
            RevertForecast::Nothing { why } => seen.blocked = Some(why),
            RevertForecast::Conflict { why } => {
                let conflict = |conflict: RevertConflict| RevertHunk {
                    header: conflict.header,
                    lines: conflict.lines,
                    yours: conflict.yours,
                };
                seen.blocked = Some(why);
                seen.hunks = self
                    .revert_conflicts(path, to)?
                    .into_iter()
                    .map(conflict)
                    .collect();
            }
        }
        Ok(seen)
    }

    /// Returns what is in the way of a revert of one version; nothing where several are meant.
    pub fn revert_conflicts(
        &mut self,
        path: &str,
        to: RevertTo,
    ) -> Result<Vec<RevertConflict>, EngineError> {
        let _lock = self.state.begin()?;
        let path = self.state.file_at(path)?;
        let history = self.state.store.history(&path)?;
        let meant = versions(&history, to).unwrap_or_default();
        let [version] = meant.as_slice() else {
            return Ok(Vec::new());
        };
        let now = self
            .state
            .overlay
            .workspace
            .read(&path)?
            .map(|image| image.source);
        self.revert_conflicts_with(&path, &history, *version, now.as_ref())
    }

    /// Returns what is in the way of one version in a file as it is `now`; nothing where the file
    /// is not there.
    pub(in crate::engine) fn revert_conflicts_with(
        &self,
        path: &WorkspacePath,
        history: &FileHistory,
        version: u64,
        now: Option<&Source>,
    ) -> Result<Vec<RevertConflict>, EngineError> {
        let written = self.state.store.committed(path)?.flatten();
        Ok(match written.zip(now) {
            Some((written, now)) => revert_conflicts(history, version, written, now)?,
            None => Vec::new(),
        })
    }
}

/// Returns what is in the way of one version; `written` is the text after the newest entry.
fn revert_conflicts(
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

/// Returns what a preview of several files shows.
pub(in crate::engine) fn foreseen(
    target: &RevertTarget,
    preview: ChangesetPreview,
) -> RevertPreview {
    let mut seen = RevertPreview {
        target: target.clone(),
        moves_to: None,
        blocked: None,
        hunks: Vec::new(),
    };
    match preview {
        ChangesetPreview::Possible(mut files) => {
            files.sort_by(|one, other| one.path.cmp(&other.path));
            for file in files {
                let moved = file.to.as_ref().map(|to| format!(" -> {to}"));
                let name = format!("{}{}", file.path, moved.unwrap_or_default());
                let hunk = |(header, lines)| RevertHunk {
                    header: format!("{name}  {header}"),
                    lines,
                    yours: Vec::new(),
                };
                if file.hunks.is_empty() {
                    // A move, or other permissions: the file has to be named all the same.
                    seen.hunks.push(hunk((file.summary, Vec::new())));
                    continue;
                }
                seen.hunks.extend(file.hunks.into_iter().map(hunk));
            }
        }
        ChangesetPreview::Nothing => {
            seen.blocked = Some("nothing of it is in effect".to_owned());
        }
        ChangesetPreview::Conflict { why } => seen.blocked = Some(why),
    }
    seen
}
