//! Reversals as changes: for tools that may only propose, and for files that later changes keep from going back.
//!
//! ```text
//! a.rs was edited                    the text that it had before, whole
//! a.rs was edited, and changed since its text without the edit; what was changed again of its lines goes with it
//! a.rs was created                   a deletion, or its text with what was added since
//! a.rs was moved                     a move back
//! ```

use super::lines_kept::without;
use super::ready::{ReadyReversal, summary};
use super::work_out::WorkedOut;
use crate::disk::workspace::WorkspacePath;
use crate::edit::plan::Presence;
use crate::edit::request::{Change, Request, WholePlacement, WholeRequest};
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;
use crate::record::history::{Entry, FileHistory};
use crate::text::Source;

/// What a reversal would be as changes.
#[derive(Clone, Debug, PartialEq)]
pub enum ReversalChanges {
    /// These changes come to the same.
    Possible(Vec<Change>),
    /// There is nothing to take back, or it cannot be done, or not by changes of text, for this reason.
    Refused(String),
}

/// What would take back a file that stays.
#[derive(Default)]
pub(super) struct HeldChanges {
    /// The changes; none if there are none that would.
    pub(super) changes: Vec<Change>,
    /// Why they are not written without a look.
    pub(super) held: Option<String>,
}

/// Returns what takes all that is meant back as changes.
pub(super) fn of_all(state: &WorkspaceState, worked_out: WorkedOut) -> ReversalChanges {
    if let Some(blocked) = worked_out.blocked.into_iter().next() {
        return ReversalChanges::Refused(blocked.file.why);
    }
    if worked_out.ready.is_empty() {
        return ReversalChanges::Refused(worked_out.nothing);
    }
    let mut changes = Vec::new();
    for file in &worked_out.ready {
        match of_one(state, file) {
            Ok(own) => changes.extend(own),
            Err(why) => return ReversalChanges::Refused(why),
        }
    }
    ReversalChanges::Possible(changes)
}

/// Returns the changes that take one file back, or why there are none.
pub(super) fn of_one(state: &WorkspaceState, file: &ReadyReversal) -> Result<Vec<Change>, String> {
    let commit = &file.commit;
    let path = commit.path.to_string();
    if state.overlay.stage.key_of(&commit.path).is_some() {
        return Err(format!(
            "{path}: what is staged in it is to be decided first"
        ));
    }
    if is_link(&commit.before) || is_link(&commit.after) {
        return Err(format!("{path}: only the user takes a link back"));
    }
    let Some(after) = &commit.after else {
        return Ok(vec![described(
            Change::new(path, Request::Delete),
            &file.entry.description,
        )]);
    };
    let mut changes = Vec::new();
    if commit.before.as_ref() != Some(after) {
        let text = after.text().map_err(|why| format!("{path}: {why}"))?;
        changes.push(Change::new(path.clone(), whole(text)));
    }
    if let Some(to) = &commit.to {
        let to = to.to_string();
        changes.push(Change::new(path.clone(), Request::Move { to }));
    }
    if changes.is_empty() {
        return Err(format!("{path}: only the user takes permissions back"));
    }
    let changes = changes.into_iter();
    Ok(changes
        .map(|change| described(change, &file.entry.description))
        .collect())
}

fn is_link(side: &Option<Source>) -> bool {
    side.as_ref().is_some_and(Source::is_link)
}

/// Returns the changes that take versions of a file back over what was changed since; none where that cannot be done by a
/// change of its text, or something is staged in it.
pub(super) fn over_later(
    state: &WorkspaceState,
    path: &WorkspacePath,
    history: &FileHistory,
    versions: &[u64],
    now: Option<&Source>,
) -> Result<HeldChanges, EngineError> {
    let written = state.store.committed(path)?.flatten();
    let (Some(written), Some(now)) = (written, now) else {
        return Ok(HeldChanges::default());
    };
    let taken = || {
        let entries = history.entries.iter();
        entries.filter(|entry| versions.contains(&entry.version))
    };
    let is_staged = state.overlay.stage.key_of(path).is_some();
    if is_staged || now.is_link() || written.is_link() || !taken().all(is_text) {
        return Ok(HeldChanges::default());
    }
    let without = without(history, versions, written, now)?;
    let is_created = taken().any(|entry| entry.presence == Presence::Created);
    let request = match without.text.text() {
        Ok("") if is_created => Request::Delete,
        Ok(text) if text.as_bytes() != now.bytes() => whole(text),
        _ => return Ok(HeldChanges::default()),
    };
    let change = Change::new(path.to_string(), request);
    Ok(HeldChanges {
        changes: vec![described(change, &summary(history, versions))],
        held: Some(without.held()),
    })
}

fn is_text(entry: &Entry) -> bool {
    entry.moved.is_none() && matches!(entry.presence, Presence::Kept | Presence::Created)
}

fn whole(text: &str) -> Request {
    Request::Whole(WholeRequest {
        content: text.to_owned(),
        placement: WholePlacement::Everything,
    })
}

fn described(change: Change, description: &str) -> Change {
    Change {
        description: Some(description.to_owned()),
        ..change
    }
}
