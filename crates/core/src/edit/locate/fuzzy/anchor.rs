//! Anchored places: what changes stands unbroken with its neighbours where nothing else can.
//!
//! In: a [`FuzzyMatch`] whose surroundings are not as given. Out: whether the lines that change stand
//! one below the other with those next to them, indented as given, on lines that the file has once.
//! Then it is the surroundings that have changed, and not the place that is another.

use std::collections::HashSet;
use std::ops::Range;

use super::align::{Path, RowStep};
use super::{FuzzyMatch, form, weight};
use crate::edit::locate::limits::{STATEMENT, TELLING_LINE};
use crate::edit::locate::loose::normal::letters;
use crate::edit::locate::script::{Row, Script};
use crate::text::indent::leading;
use crate::text::{Slice, shared};

/// The least part of what was asked for that stands as given, of 100 by weight: with less, what is
/// there may be a part of something else.
const LEAST_STANDING: u32 = 40;

impl FuzzyMatch<'_, '_> {
    /// Returns whether what changes is anchored. Two lines that differ from their rows in the same
    /// way are no changed surroundings, but how a sibling differs.
    pub(super) fn is_anchored(&self) -> bool {
        let Some(rows) = self.unbroken() else {
            return false;
        };
        let own = self.rows.slice(rows.clone());
        standing(self) >= LEAST_STANDING
            && unique_letters(self, own) >= STATEMENT
            && self.is_as_far_in(&rows)
            && !differs_twice_alike(self)
    }

    /// Returns the rows that stand unbroken around what changes.
    fn unbroken(&self) -> Option<Range<usize>> {
        widened(&self.path, core(self.script, self.rows.len())?)
    }

    /// Returns whether rows are indented as the lines that they stand on: what is further in is
    /// another block.
    fn is_as_far_in(&self, rows: &Range<usize>) -> bool {
        rows.clone().all(|row| {
            let text = self.rows.get(row).map_or("", |row| row.text());
            let line = self.path.steps.get(row).and_then(RowStep::line);
            text.trim().is_empty()
                || line.is_some_and(|line| leading(&self.line(line)) == leading(text))
        })
    }
}

/// Returns whether all that a request shows is there, in its order, and the next place lacks a line
/// of it that says something: then lines have come in between here, and there it is another block.
pub(super) fn is_whole(rows: &[&Row], path: &Path, next: &Path) -> bool {
    let mut steps = rows.iter().zip(&next.steps);
    path.steps.iter().all(is_same)
        && steps.any(|(row, step)| letters(row.text()) >= TELLING_LINE && !is_same(step))
}

fn is_same(step: &RowStep) -> bool {
    matches!(step, RowStep::Same(_))
}

/// Returns the rows of the text before from the one above the first change to the one below the
/// last; none if text only comes and one side of it is not shown.
fn core(script: &Script, count: usize) -> Option<Range<usize>> {
    let (mut first, mut last, mut before) = (None, 0, 0);
    for row in &script.rows {
        if !row.is_context() {
            first.get_or_insert(before);
            last = before + usize::from(row.is_before());
        }
        before += usize::from(row.is_before());
    }
    let first: usize = first?;
    if !script.removes() && (first == 0 || last == count) {
        return None;
    }
    Some(first.saturating_sub(1)..(last + 1).min(count))
}

/// Returns the run of rows around `core` that stand one below the other, if all of `core` does.
fn widened(path: &Path, core: Range<usize>) -> Option<Range<usize>> {
    let Range { mut start, mut end } = core;
    same_line(path, start)?;
    if !(start..end.saturating_sub(1)).all(|row| follows(path, row)) {
        return None;
    }
    while start > 0 && follows(path, start - 1) {
        start -= 1;
    }
    while follows(path, end - 1) {
        end += 1;
    }
    Some(start..end)
}

fn follows(path: &Path, row: usize) -> bool {
    same_line(path, row).is_some_and(|own| same_line(path, row + 1) == Some(own + 1))
}

fn same_line(path: &Path, row: usize) -> Option<usize> {
    match path.steps.get(row) {
        Some(RowStep::Same(line)) => Some(*line),
        _ => None,
    }
}

/// Returns whether two lines differ from their rows in the same way: so do blocks of the same kind.
fn differs_twice_alike(attempt: &FuzzyMatch<'_, '_>) -> bool {
    let view = attempt.views.squashed();
    let mut met = HashSet::new();
    let steps = attempt.rows.iter().zip(&attempt.path.steps);
    steps.into_iter().any(|(row, step)| match step {
        RowStep::Reworded(line) => {
            let (own, line) = (form(view.budget(), row.text()), view.line(*line));
            let (own, line) = difference(&own, line);
            !met.insert((own.to_owned(), line.to_owned()))
        }
        _ => false,
    })
}

/// Returns what differs between two lines, less what they begin and end with in common.
fn difference<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    let (head, tail) = shared(a, b);
    (a.slice(head..a.len() - tail), b.slice(head..b.len() - tail))
}

/// Returns how much of the rows stands as it is, of 100 by weight.
fn standing(attempt: &FuzzyMatch<'_, '_>) -> u32 {
    let budget = attempt.views.budget();
    let weigh = |row: &Row| weight(&form(budget, row.text()));
    let all: u32 = attempt.rows.iter().map(|row| weigh(row)).sum();
    let steps = attempt.rows.iter().zip(&attempt.path.steps);
    let there = steps.filter(|(_, step)| matches!(step, RowStep::Same(_)));
    let there: u32 = there.map(|(row, _)| weigh(row)).sum();
    there * 100 / all.max(1)
}

/// Returns how many letters and digits of the rows are on lines that the file has once.
fn unique_letters(attempt: &FuzzyMatch<'_, '_>, rows: &[&Row]) -> usize {
    let own = rows.iter().filter_map(|row| {
        let count = letters(row.text());
        (count >= TELLING_LINE && is_once(attempt, row)).then_some(count)
    });
    own.sum()
}

fn is_once(attempt: &FuzzyMatch<'_, '_>, row: &Row) -> bool {
    attempt
        .views
        .squashed()
        .lines_of(&form(attempt.views.budget(), row.text()), 0)
        .nth(1)
        .is_none()
}
