//! Valid targets of a move.
//!
//! In: the path that a change names as the file's new one. Out: the path, or why the file
//! cannot go there.

use super::texts::{Texts, in_the_way, text_in};
use crate::disk::workspace::{AccessError, WorkspacePath};
use crate::edit::plan::Outcome;
use crate::edit::request::{Change, Request};
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;

/// Where a change moves a file.
pub(super) enum Destination {
    /// It moves none.
    Unmoved,
    To(WorkspacePath),
    /// It needs no planning: this becomes of it.
    Decided(Outcome),
}

/// Returns where a change moves the file at `path`, or what stands in the way.
pub(super) fn destination(
    state: &mut WorkspaceState,
    path: &WorkspacePath,
    change: &Change,
    texts: &Texts,
) -> Result<Destination, EngineError> {
    let Request::Move { to } = &change.request else {
        return Ok(Destination::Unmoved);
    };
    let parsed = match WorkspacePath::parse(to, &state.overlay.root) {
        Ok(parsed) => state.overlay.as_there(parsed),
        Err(error) => return refused(error.to_string()),
    };
    let to = match state.overlay.workspace.canonical(&parsed) {
        Ok(to) => to,
        Err(error) => return refused(error.to_string()),
    };
    let named = WorkspacePath::parse(&change.file, &state.overlay.root);
    let named = named.map(|named| state.overlay.as_there(named));
    if to != parsed || named.is_ok_and(|named| named != *path) {
        return refused("a move does not go through symbolic links; name the file itself".into());
    }
    if to == *path {
        let why = format!("{path} has this path");
        return Ok(Destination::Decided(Outcome::AlreadyApplied { why }));
    }
    let allowed = to.editable().map_err(AccessError::from);
    if let Err(error) = allowed.and_then(|()| state.overlay.workspace.check_writable(&to)) {
        return refused(error.to_string());
    }
    if text_in(state, path, texts)?.is_none() {
        let missing = nothing_to_move(state, path, &to, texts)?;
        return Ok(Destination::Decided(missing));
    }
    if texts.contains_key(&to) || state.overlay.stage.key_of(&to).is_some() {
        return refused(format!("{to} has staged changes that wait for a verdict"));
    }
    // What is there and cannot be read is in the way as well.
    if !matches!(text_in(state, &to, texts), Ok(None)) {
        return refused(format!("{to} is there already"));
    }
    if let Some(why) = in_the_way(&state.overlay, &to, texts) {
        return refused(why);
    }
    Ok(Destination::To(to))
}

fn refused<E>(why: String) -> Result<Destination, E> {
    Ok(Destination::Decided(Outcome::Refused { why }))
}

/// A file that is not there was moved if that is known; another one at the target is no sign of it.
fn nothing_to_move(
    state: &mut WorkspaceState,
    path: &WorkspacePath,
    to: &WorkspacePath,
    texts: &Texts,
) -> Result<Outcome, EngineError> {
    if text_in(state, to, texts)?.is_none() {
        return Ok(missing(format!("{path} does not exist")));
    }
    let staged = state.overlay.stage.vacated(path) == Some(to)
        || texts.contains_key(path) && texts.contains_key(to);
    Ok(
        if staged || state.store.moved_from(path)?.as_ref() == Some(to) {
            Outcome::AlreadyApplied {
                why: format!("{path} was moved to {to}"),
            }
        } else {
            missing(format!(
                "{path} does not exist; {to} does, but nothing says that it was moved there"
            ))
        },
    )
}

fn missing(why: String) -> Outcome {
    Outcome::NotFound { why, nearest: None }
}
