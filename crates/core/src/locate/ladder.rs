//! Ladder: the searches less exact than exact, in order.
//!
//! In: a change that is not in the text as it was written. Out: its place by the first rung
//! that gives an answer.

use super::fuzzy;
use super::loose::forms::{Asked, Form, forms};
use super::loose::hunt::Hunt;
use super::loose::normal::Level;
use super::loose::{self, Found, Scope, Views};
use crate::budget;

/// What a line that is looked for takes of the work's budget, in each form.
const STEPS_PER_LINE: usize = 64;

/// Finds a change that exact search did not find.
pub(crate) fn find(views: &Views<'_>, asked: &Asked, scope: Scope) -> Found {
    if !budget::spend(1) {
        return Found::Missing;
    }
    let mut hunt = Hunt::new(scope);
    if let Some(found) = hunt.take(loose::find(views, asked, scope)) {
        return found;
    }
    hunt.take(nearly(views, asked, scope))
        .unwrap_or_else(|| hunt.rest())
}

/// Finds the form of a change that fits best, of those that nearly fit.
fn nearly(views: &Views<'_>, asked: &Asked, scope: Scope) -> Found {
    let found = |form: Form| {
        if !budget::spend(form.asked.before().len() * STEPS_PER_LINE) {
            return Found::Missing;
        }
        let mut script = form.asked.script(Level::Blanks);
        if !script.changes() {
            // Quotes and dashes are all that changes.
            script = form.asked.script(Level::Trailing);
        }
        let mut found = fuzzy::find(views, &script, scope);
        if let Found::At(matches) = &mut found {
            for found in matches.iter_mut().filter(|_| !form.undone.is_empty()) {
                found.finding.how = format!("{}, {}", found.finding.how, form.undone.join(", "));
                found.undone.clone_from(&form.undone);
            }
        }
        found
    };
    let score = |found: &Found| match found {
        Found::At(matches) => matches
            .first()
            .and_then(|found| found.finding.score)
            .unwrap_or_default(),
        _ => 100,
    };
    let found = forms(asked).into_iter().rev().map(found);
    found
        .filter(|found| !matches!(found, Found::Missing))
        .max_by_key(score)
        .unwrap_or(Found::Missing)
}
