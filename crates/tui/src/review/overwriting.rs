//! Approving a hunk in conflict over what the user has there.
//!
//! In: a hunk. Out: what is asked first, and what has to be displayed before. For example, `sed` put `three`
//! where the user saved `mine`: "This overwrites 1 line of yours: a again approves it".

use signoff_core::edit::intent::Operation;
use signoff_core::plural::counted;
use signoff_core::stage::review::{HunkStatus, HunkView, ProposalView};

/// Returns why all of a hunk has to be displayed before it is approved; nothing if a second key will do.
pub(super) fn never_waived(file: &ProposalView, hunk: &HunkView) -> Option<&'static str> {
    match hunk.status {
        _ if file.runs.is_some() => Some("a program runs it"),
        HunkStatus::Conflict { .. } => Some("it overwrites yours"),
        _ if file.held.is_some() => Some("it needs a look"),
        _ => None,
    }
}

/// Returns what the user is asked before a hunk takes the place of what they have there; nothing if it is not in
/// conflict.
pub(super) fn overwriting(file: &ProposalView, hunk: &HunkView, letter: &str) -> Option<String> {
    if !matches!(hunk.status, HunkStatus::Conflict { .. }) {
        return None;
    }
    let there = match (file.operation, hunk.removed as usize) {
        (Operation::Delete, 0) => "the file as you left it".to_owned(),
        (Operation::Delete, lines) => {
            format!("the file as you left it, {}", counted(lines, "line"))
        }
        (_, 0) => "what you left there".to_owned(),
        (_, lines) => format!("{} of yours", counted(lines, "line")),
    };
    let does = match file.operation {
        Operation::Delete => "deletes",
        _ => "overwrites",
    };
    Some(format!("This {does} {there}: {letter} again approves it"))
}
