//! Ladder: the searches less exact than exact, in order.
//!
//! In: a change, in one or more ways to read it, and where it may be. Out: its place by the first rung
//! that gives an answer. Rows begin at the exact rung; the texts of a pair or of a stretch may begin
//! within lines, so their strategies look for them letter by letter before they come here.

use super::limits::STEPS_PER_LINE;
use super::loose::forms::{Form, LINE_BREAKS, LineChange, forms};
use super::loose::hunt::Hunt;
use super::loose::normal::Level;
use super::loose::{self, LocateOutcome, Scope, Views};
use super::quoted::quoted;
use super::{fuzzy, rows};
use crate::budget::OutOfBudget;

/// Finds a change; of several ways to read it, the first at the strictest rung.
pub(crate) fn find(
    views: &Views<'_>,
    asked: &[LineChange],
    scope: Scope,
) -> Result<LocateOutcome, OutOfBudget> {
    let exact = asked.iter().filter_map(|asked| match asked {
        LineChange::Rows(script) => Some(Ok(rows::find(views, script, scope))),
        LineChange::Texts(_) => None,
    });
    let below = asked.iter().map(|asked| below_exact(views, asked, scope));
    let mut found = Hunt::new(scope).run(exact.chain(below))?;
    if let LocateOutcome::At(matches) = &mut found {
        // Of all places of a change the first one is told.
        for found in matches.iter_mut().take(1) {
            if found.finding.is_guess() {
                found.finding.quoted = quoted(views.source(), found);
            }
        }
    }
    // A part of the work that was cut short may have found nothing where something is.
    views.budget().check()?;
    Ok(found)
}

fn below_exact(
    views: &Views<'_>,
    asked: &LineChange,
    scope: Scope,
) -> Result<LocateOutcome, OutOfBudget> {
    views.budget().spend(1)?;
    let rungs = [loose::find, nearly];
    Hunt::new(scope).run(rungs.into_iter().map(|rung| rung(views, asked, scope)))
}

/// Finds the form of a change that fits best, of those that nearly fit.
fn nearly(
    views: &Views<'_>,
    asked: &LineChange,
    scope: Scope,
) -> Result<LocateOutcome, OutOfBudget> {
    // In a text with lines of its own, `\n` is mostly the file's: were it taken for a line break where
    // not all lines are as given, every such string would be written anew. Case:
    // `line_breaks_in_strings_stay_where_the_place_is_nearly_as_given`.
    let forms = forms(asked, views.source())
        .into_iter()
        .filter(|form| !(form.undone.contains(&LINE_BREAKS) && asked.before().len() > 1));
    let found = forms.rev().map(|form| nearly_as(views, &form, scope));
    let found: Vec<LocateOutcome> = found.collect::<Result<_, _>>()?;
    let found = found.into_iter();
    let best = found
        .filter(|found| !matches!(found, LocateOutcome::Missing))
        .max_by_key(score);
    Ok(best.unwrap_or(LocateOutcome::Missing))
}

/// Finds a form of a change, if it nearly fits somewhere.
fn nearly_as(views: &Views<'_>, form: &Form, scope: Scope) -> Result<LocateOutcome, OutOfBudget> {
    let budget = views.budget();
    budget.spend(form.asked.before().len() * STEPS_PER_LINE)?;
    let mut script = form.asked.script(budget, Level::Blanks);
    if !script.changes() {
        // Quotes and dashes are all that changes.
        script = form.asked.script(budget, Level::Trailing);
    }
    let mut found = fuzzy::find(views, &script, scope);
    if let LocateOutcome::At(matches) = &mut found {
        for found in matches.iter_mut().filter(|_| !form.undone.is_empty()) {
            found.finding.how = format!("{}, {}", found.finding.how, form.undone.join(", "));
            found.undone.clone_from(&form.undone);
        }
    }
    Ok(found)
}

/// Returns how well a form fits, of 100. One that is made already, or fits several places, is as good as any.
fn score(found: &LocateOutcome) -> u8 {
    match found {
        LocateOutcome::At(matches) => matches
            .first()
            .and_then(|found| found.finding.score)
            .unwrap_or_default(),
        _ => 100,
    }
}
