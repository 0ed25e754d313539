//! Reversals as changes: what somebody may propose who may not take back.
//!
//! ```text
//! a.rs was edited    the text that it had before, whole
//! a.rs was created   a deletion
//! a.rs was moved     a move back
//! ```

use super::ready::ReadyReversal;
use super::work_out::{ChangesetWorkedOut, WorkedOut};
use crate::edit::request::{Change, Request, WholePlacement, WholeRequest};
use crate::engine::state::WorkspaceState;
use crate::text::Source;

/// What a reversal would be as changes.
#[derive(Clone, Debug, PartialEq)]
pub enum ReversalChanges {
    /// These changes come to the same.
    Possible(Vec<Change>),
    /// There is nothing to take back, for this reason.
    Nothing(String),
    /// It cannot be done, or not by changes of text, for this reason.
    Refused(String),
}

pub(super) fn of_file(state: &WorkspaceState, worked_out: WorkedOut) -> ReversalChanges {
    match worked_out {
        WorkedOut::Nothing(why) => ReversalChanges::Nothing(why),
        WorkedOut::Blocked(why) => ReversalChanges::Refused(why),
        WorkedOut::Ready(ready) => of_all(state, vec![*ready]),
    }
}

pub(super) fn of_files(state: &WorkspaceState, worked_out: ChangesetWorkedOut) -> ReversalChanges {
    match worked_out {
        ChangesetWorkedOut::Nothing => {
            ReversalChanges::Nothing("nothing of it is in effect".to_owned())
        }
        ChangesetWorkedOut::Blocked(why) => ReversalChanges::Refused(why),
        ChangesetWorkedOut::Ready(files) => of_all(state, files),
    }
}

fn of_all(state: &WorkspaceState, files: Vec<ReadyReversal>) -> ReversalChanges {
    let mut changes = Vec::new();
    for file in files {
        match of_one(state, file) {
            Ok(own) => changes.extend(own),
            Err(why) => return ReversalChanges::Refused(why),
        }
    }
    ReversalChanges::Possible(changes)
}

/// Returns the changes that take one file back.
fn of_one(state: &WorkspaceState, file: ReadyReversal) -> Result<Vec<Change>, String> {
    let commit = file.commit;
    let path = commit.path.to_string();
    if state.overlay.stage.key_of(&commit.path).is_some() {
        return Err(format!(
            "{path}: what is staged in it is to be decided first"
        ));
    }
    let is_link = |side: &Option<Source>| side.as_ref().is_some_and(Source::is_link);
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
        let whole = WholeRequest {
            content: text.to_owned(),
            placement: WholePlacement::Everything,
        };
        changes.push(Change::new(path.clone(), Request::Whole(whole)));
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

fn described(change: Change, description: &str) -> Change {
    Change {
        description: Some(description.to_owned()),
        ..change
    }
}
