//! Guard: a file that becomes empty.
//!
//! In: a scene. Out: an alarm if a file with text would have none, though its deletion was not
//! asked for.

use super::scene::{Scene, excerpt};
use super::{Alarm, Guard, Severity};
use crate::plan::Strategy;

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
