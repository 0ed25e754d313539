//! Reversals worked out: what a revert would write, for one file or for many.
//!
//! In: which changes of a file's history are meant, and the file as it is. Out: what is to be written; or why it cannot
//! be, or what stands in the way. Nothing is written.

use std::collections::HashSet;

use super::ready::{ReadyReversal, mode, preview, ready, rights_left_out};
use super::revert_conflict::{places, revert_conflicts_with};
use super::undo::{ChangesetPreview, RevertForecast, TakenBack};
use crate::disk::workspace::WorkspacePath;
use crate::disk::workspace::attributes::{Attributes, without_new_rights};
use crate::edit::plan::Presence;
use crate::engine::EngineError;
use crate::engine::drift::{Drift, drift};
use crate::engine::state::WorkspaceState;
use crate::record::history::revert::{NoReversal, Reversal, reversal, reversal_of};
use crate::record::history::{Entry, FileHistory};
use crate::record::store::Store;
use crate::stage::review::RevertTo;
use crate::text::EditSet;

/// What a reversal comes to for one file.
pub(super) enum WorkedOut {
    Ready(Box<ReadyReversal>),
    /// There is nothing to take back, for this reason.
    Nothing(String),
    /// Something is in the way.
    Blocked(String),
}

/// What a reversal comes to for the files of a changeset.
pub(super) enum ChangesetWorkedOut {
    Ready(Vec<ReadyReversal>),
    Nothing,
    /// Something is in the way of one file.
    Blocked(String),
}

/// Returns what a revert of one file would do, or why it would not, and does nothing.
pub(in crate::engine) fn forecast(
    state: &WorkspaceState,
    path: &str,
    to: RevertTo,
) -> Result<RevertForecast, EngineError> {
    let path = state.file_at(path)?;
    let worked_out = work_out(state, &path, |history, since| reversal(history, since, to))?;
    Ok(match worked_out {
        WorkedOut::Ready(ready) => RevertForecast::Possible(preview(*ready)),
        WorkedOut::Nothing(why) => RevertForecast::Nothing { why },
        WorkedOut::Blocked(why) => RevertForecast::Conflict { why },
    })
}

/// Returns what taking versions of each file back would do.
pub(super) fn preview_each(
    state: &WorkspaceState,
    chosen: impl Fn(&FileHistory) -> Result<Vec<u64>, String>,
) -> Result<ChangesetPreview, EngineError> {
    Ok(match work_out_each(state, chosen)? {
        ChangesetWorkedOut::Ready(files) => {
            ChangesetPreview::Possible(files.into_iter().map(preview).collect())
        }
        ChangesetWorkedOut::Nothing => ChangesetPreview::Nothing,
        ChangesetWorkedOut::Blocked(why) => ChangesetPreview::Conflict { why },
    })
}

/// Returns the changes to a file that a new entry puts out of effect, and those that it puts
/// into effect again.
pub(super) fn effects(
    store: &Store,
    path: &WorkspacePath,
    entry: &Entry,
) -> Result<(Vec<TakenBack>, Vec<u64>), EngineError> {
    let mut history = store.history(path)?;
    let before = history.in_effect();
    let changes = history.entries.iter();
    let changes = changes.filter(|entry| !entry.kind.is_revert());
    let changes = changes.map(|entry| TakenBack {
        version: entry.version,
        proposal: entry.kind.proposal(),
    });
    let changes: Vec<TakenBack> = changes.collect();
    history.entries.push(entry.clone());
    let after = history.in_effect();
    let only = |one: &HashSet<u64>, other: &HashSet<u64>| {
        let is_only = |version: &u64| one.contains(version) && !other.contains(version);
        let within = changes.iter().filter(move |own| is_only(&own.version));
        within.copied().collect::<Vec<_>>()
    };
    let restored = only(&after, &before);
    let restored = restored.iter().map(|own| own.version).collect();
    Ok((only(&before, &after), restored))
}

/// Works out how to take versions back in every file that has some.
pub(super) fn work_out_each(
    state: &WorkspaceState,
    chosen: impl Fn(&FileHistory) -> Result<Vec<u64>, String>,
) -> Result<ChangesetWorkedOut, EngineError> {
    let mut ready = Vec::new();
    // What is taken back at once has one time in all files.
    let now = (state.ambient.now)();
    for path in state.store.history_paths()? {
        let versions = match chosen(&state.store.history(&path)?) {
            Ok(versions) => versions,
            Err(why) => return Ok(ChangesetWorkedOut::Blocked(why)),
        };
        if versions.is_empty() {
            continue;
        }
        let worked_out = work_out(state, &path, |history, since| {
            reversal_of(history, since, &versions)
        })?;
        match worked_out {
            WorkedOut::Ready(mut file) => {
                file.entry.time = now;
                ready.push(*file);
            }
            WorkedOut::Nothing(_) => {}
            WorkedOut::Blocked(why) => return Ok(ChangesetWorkedOut::Blocked(why)),
        }
    }
    Ok(if ready.is_empty() {
        ChangesetWorkedOut::Nothing
    } else {
        ChangesetWorkedOut::Ready(ready)
    })
}

/// Works a reversal out for one file.
pub(super) fn work_out(
    state: &WorkspaceState,
    path: &WorkspacePath,
    reverse: impl FnOnce(&FileHistory, &EditSet) -> Result<Reversal, NoReversal>,
) -> Result<WorkedOut, EngineError> {
    let history = state.store.history(path)?;
    let before = state
        .overlay
        .workspace
        .read(path)?
        .map(|image| image.source);
    let since = match drift(&state.store, path, before.as_ref())? {
        Drift::Edited(since) => since,
        Drift::Unknown(why) if !history.entries.is_empty() => {
            return Ok(WorkedOut::Blocked(why));
        }
        Drift::Unknown(_) => EditSet::default(),
    };
    let reversal = match reverse(&history, &since) {
        Ok(reversal) => reversal,
        Err(error @ NoReversal::Conflict { version, alone }) => {
            let places = if alone {
                places(&revert_conflicts_with(
                    &state.store,
                    path,
                    &history,
                    version,
                    before.as_ref(),
                )?)
            } else {
                None
            };
            let places = places.map(|places| format!(": {places}"));
            let places = places.unwrap_or_default();
            return Ok(WorkedOut::Blocked(format!("{path}: {error}{places}")));
        }
        Err(error) => return Ok(WorkedOut::Nothing(format!("{path}: {error}"))),
    };
    let as_then = || WorkedOut::Nothing(format!("{path}: it is as it was then"));
    // What came and went again, under whatever name, is not there either way.
    if before.is_none() && reversal.presence != Presence::Created {
        return Ok(as_then());
    }
    if let Some(to) = &reversal.to
        && !matches!(state.overlay.workspace.read(to), Ok(None))
    {
        let why = format!("{path}: it cannot go back to {to}, which is there again");
        return Ok(WorkedOut::Blocked(why));
    }
    let now = (state.ambient.now)();
    let comes = before.is_none() || reversal.to.is_some();
    let attributes = state.overlay.workspace.attributes(path)?;
    let given = attributes.as_ref().map(|own| {
        let mode = mode(&history, &reversal.versions, own.mode);
        let (given, names) = without_new_rights(mode, own.mode);
        let given = (given != own.mode).then_some(given);
        (given, rights_left_out(path, &names))
    });
    let mut ready = ready(path, &history, before, since, now, reversal)?;
    let stays_file = ready
        .commit
        .after
        .as_ref()
        .is_some_and(|own| !own.is_link());
    let given = given.filter(|_| stays_file);
    let (mode, left_out) = given.unwrap_or_default();
    ready.left_out.extend(left_out);
    let stays = ready.commit.before == ready.commit.after && ready.commit.to.is_none();
    if stays && mode.is_none() {
        return Ok(as_then());
    }
    if mode.is_some() || !stays_file {
        ready.commit.mode = mode;
        ready.entry.attributes = attributes.map(|own| Attributes {
            replaced_by: mode,
            ..own
        });
    }
    if comes {
        ready.entry.folders = state
            .overlay
            .workspace
            .missing_folders(ready.commit.name())?;
    }
    Ok(WorkedOut::Ready(Box::new(ready)))
}
