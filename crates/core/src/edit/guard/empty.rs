//! Guard: a file that becomes empty.
//!
//! Refuses to leave a file with text without any, unless its deletion was asked for. Where the request says that the
//! file is to be empty, the guard warns.

use super::scene::{Scene, excerpt};
use super::{Alarm, Guard, Severity};
use crate::edit::intent::Operation;
use crate::edit::plan::Strategy;
use crate::edit::request::{Change, Request};

/// Words of a description that ask for an empty file: `Empty the changelog for the next release`.
const EMPTIES: &[&str] = &[
    "empty",
    "empties",
    "emptied",
    "clear",
    "clears",
    "cleared",
    "blank",
    "truncate",
    "truncated",
    "wipe",
];

pub(super) fn inspect(scene: &Scene<'_>) -> Option<Alarm> {
    let old = scene.old?;
    let asked = matches!(scene.strategy, Strategy::Delete | Strategy::Lines);
    if asked || old.trim().is_empty() || !scene.new.trim().is_empty() {
        return None;
    }
    let lines = old.lines().count();
    Some(Alarm {
        guard: Guard::Empty,
        severity: Severity::Refuse,
        line: 1,
        column: 1,
        excerpt: excerpt(old.lines().next().unwrap_or_default()),
        message: format!(
            "the file would be empty, and has {lines} {}; to remove it use `delete`, \
             to empty it `lines` with `delete`",
            if lines == 1 { "line" } else { "lines" }
        ),
    })
}

/// Returns whether a change says that its file is to be empty: it gives a whole text, that is empty, and
/// it is described so. An empty text alone may be one that was lost on its way.
pub(super) fn is_asked(change: &Change) -> bool {
    let Request::Whole(whole) = &change.request else {
        return false;
    };
    let description = change
        .description
        .as_deref()
        .unwrap_or_default()
        .to_lowercase();
    let mut words = description.split(|char: char| !char.is_alphanumeric());
    let says = words.any(|word| EMPTIES.contains(&word));
    whole.content.trim().is_empty() && (says || change.operation == Some(Operation::Delete))
}
