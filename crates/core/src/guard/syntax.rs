//! Guard: new syntax errors.
//!
//! In: a scene. Out: an alarm for each error that the text before does not have. Languages
//! whose parser alarms on good files warn, and so do files that tests keep for being wrong.

use super::scene::Scene;
use super::{Alarm, Guard, MAX_ALARMS, Severity};
use crate::syntax::health;

/// Folders of such files.
const MEANT: &[&str] = &[
    "invalid",
    "fixtures",
    "__fixtures__",
    "testdata",
    "test-data",
];

pub(super) fn inspect(scene: &Scene<'_>) -> Vec<Alarm> {
    let errors = health::new_errors(scene.cache, scene.path, scene.old, scene.new, scene.edits);
    let meant = scene
        .path
        .as_str()
        .split('/')
        .any(|part| MEANT.contains(&part));
    let alarm = |error: health::SyntaxError| Alarm {
        guard: Guard::Syntax,
        severity: if error.certain && !meant {
            Severity::Refuse
        } else {
            Severity::Warn
        },
        line: error.line,
        column: error.column,
        excerpt: error.excerpt,
        message: format!("new syntax error: {}", error.message),
    };
    errors.into_iter().take(MAX_ALARMS).map(alarm).collect()
}
