//! Reversal of all that a conversation wrote since a time.
//!
//! Example: since the time, a conversation wrote `a` with two changesets and `b` with the second of them, and the user
//! edited another line of `a`. In: the time and the conversation. Out: one new entry of `a`, which takes both changes back
//! and keeps the user's line, and one of `b`; or a conflict, and neither.
//!
//! The time of writing decides, not that of the proposal: the files go back to what they were at that time, so a hunk that
//! was proposed earlier and approved later is taken back as well. What the user took back meanwhile stays taken back.

use std::collections::HashSet;

use super::foresee::foreseen;
use super::undo::ChangesetPreview;
use super::work_out::preview_each;
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;
use crate::record::history::{Entry, FileHistory};
use crate::stage::review::{RevertTarget, SincePreview, WrittenSince};

/// Returns what a reversal of what is meant would do and how much was written, and does nothing; none if nothing of it is in
/// effect, or all of it together changes nothing.
pub(in crate::engine) fn preview_since(
    state: &WorkspaceState,
    written: &WrittenSince,
) -> Result<Option<SincePreview>, EngineError> {
    let (mut changes, mut files, mut newest) = (HashSet::new(), 0, None);
    for path in state.store.history_paths()? {
        let history = state.store.history(&path)?;
        let mut has_own = false;
        for entry in entries_since(&history, written) {
            changes.extend(entry.kind.changeset());
            newest = newest.max(Some(entry.time));
            has_own = true;
        }
        files += usize::from(has_own);
    }
    // What another process writes from here on is not shown, and is not meant.
    let shown = WrittenSince {
        until: newest,
        ..written.clone()
    };
    Ok(
        match preview_each(state, |history| versions_since(history, &shown))? {
            ChangesetPreview::Nothing => None,
            preview => Some(SincePreview {
                changes: changes.len(),
                files,
                preview: foreseen(&RevertTarget::Since(shown), preview),
            }),
        },
    )
}

/// Returns the changes to a file that are meant and in effect.
fn entries_since<'h>(
    history: &'h FileHistory,
    written: &WrittenSince,
) -> impl Iterator<Item = &'h Entry> {
    let effective = history.in_effect();
    let entries = history.entries.iter();
    entries.filter(move |entry| {
        let origin = entry.kind.origin();
        effective.contains(&entry.version)
            && origin.is_some_and(|origin| written.includes(&origin.session, entry.time))
    })
}

/// Returns the versions of the changes that are meant, or why not all of them are known: history keeps the newest entries of
/// a file, and to take back some of what was written would leave the file as it never was.
pub(super) fn versions_since(
    history: &FileHistory,
    written: &WrittenSince,
) -> Result<Vec<u64>, String> {
    let versions: Vec<u64> = entries_since(history, written)
        .map(|entry| entry.version)
        .collect();
    match history.entries.first() {
        Some(oldest)
            if !versions.is_empty() && oldest.version > 1 && oldest.time > written.since =>
        {
            Err(format!(
                "{}: history does not reach back that far; its oldest entry is version {}",
                oldest.path, oldest.version
            ))
        }
        _ => Ok(versions),
    }
}
