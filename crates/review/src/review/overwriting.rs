//! Approving a hunk by itself: in conflict, over what the user has there, or not displayed, by its hash.
//!
//! In: a hunk. Out: what is asked first, and what has to be displayed before. For example, `sed` put `three`
//! where the user saved `mine`: "This overwrites 1 line of yours: a again approves it". Of a file of 18,001 lines:
//! "This brings 18001 lines, not displayed: a again signs it by its size and hash".

use signoff_core::edit::diff::line::DiffLine;
use signoff_core::edit::intent::Operation;
use signoff_core::plural::counted;
use signoff_core::stage::review::{HunkStatus, HunkView, ProposalView};

/// Returns why all of a hunk has to be displayed before it is approved; nothing if a second key will do.
pub(super) fn never_waived(file: &ProposalView, hunk: &HunkView) -> Option<&'static str> {
    match hunk.status {
        _ if file.runs.is_some() => Some("a program runs it"),
        HunkStatus::Conflict { .. } => Some("it overwrites yours"),
        _ if hunk.undisplayed.is_some() => Some("it is signed by its hash"),
        _ if file.held.is_some() => Some("it needs a look"),
        // Counted as one line, it would be approved for thousands of columns that nobody saw.
        _ if hunk.lines.iter().any(DiffLine::shows_much) => Some("a line of it is long"),
        _ => None,
    }
}

/// Returns what the user is asked before a hunk is approved that is never approved with others; nothing of any other.
pub(super) fn asked_alone(file: &ProposalView, hunk: &HunkView, letter: &str) -> Option<String> {
    overwriting(file, hunk, letter).or_else(|| undisplayed(hunk, letter))
}

/// Returns what the user is asked before a hunk is approved whose lines are not displayed.
fn undisplayed(hunk: &HunkView, letter: &str) -> Option<String> {
    hunk.undisplayed.as_ref()?;
    let (does, lines) = match (hunk.added, hunk.removed) {
        (0, removed) => ("removes", removed),
        (added, _) => ("brings", added),
    };
    let lines = counted(lines as usize, "line");
    Some(format!(
        "This {does} {lines}, not displayed: {letter} again signs it by its size and hash"
    ))
}

/// Returns what the user is asked before a hunk takes the place of what they have there; nothing if it is not in
/// conflict.
fn overwriting(file: &ProposalView, hunk: &HunkView, letter: &str) -> Option<String> {
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
    let undisplayed = if hunk.is_told_by_sizes() {
        " by a text that is not displayed"
    } else {
        ""
    };
    Some(format!(
        "This {does} {there}{undisplayed}: {letter} again approves it"
    ))
}
