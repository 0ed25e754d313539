//! New syntax errors.
//!
//! In: a scene. Out: an alarm for each error that the text before does not have. Languages
//! whose parser alarms on good files warn.

use super::scene::Scene;
use super::{Alarm, Guard, MAX_ALARMS, Severity};
use crate::syntax::health;

pub(super) fn inspect(scene: &Scene<'_>) -> Vec<Alarm> {
    let errors = health::new_errors(scene.path, scene.old, scene.new, scene.edits);
    let alarm = |error: health::SyntaxError| Alarm {
        guard: Guard::Syntax,
        severity: if error.certain {
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
