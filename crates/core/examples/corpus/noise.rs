//! Edits written as models write them.
//!
//! In: edits on their own base. Out: the same with one kind of slip. The truth is as without
//! the slip; it is taken only where the lines that are left in order tell the place, white
//! space aside.

mod context;
mod file;
mod space;
mod writing;

use crate::ask::{Ask, Row};
use crate::case::{Case, Class, Kind, Make};
use crate::clean;
use crate::edit::Edit;
use crate::format::Format;
use crate::random::Random;
use crate::text::{Change, Compare};

/// Returns the classes.
pub(crate) fn classes() -> Vec<Class> {
    let mut all = Vec::new();
    all.extend(space::classes());
    all.extend(context::classes());
    all.extend(writing::classes());
    all.extend(file::classes());
    all
}

fn class(name: &'static str, formats: &'static [Format], make: Make) -> Class {
    Class {
        kind: Kind::Noise,
        name,
        formats,
        weight: 1,
        make,
    }
}

/// Phrases an edit so that its place is told even if white space is not looked at; none where
/// white space is all that it changes.
fn told(edit: &Edit) -> Option<Ask> {
    edit.changes()
        .all(|change| says_more(edit, change))
        .then_some(())?;
    let ask = clean::telling(edit, 3, Compare::Trimmed)?;
    // Blanks at the end that are the author's own cannot be told from the model's.
    let bare = |row: &Row| row.text().trim_end() == row.text();
    ask.hunks
        .iter()
        .flat_map(|hunk| &hunk.rows)
        .all(bare)
        .then_some(ask)
}

fn says_more(edit: &Edit, change: &Change) -> bool {
    let old = edit.base.get(change.old.clone()).unwrap_or_default();
    let words = |lines: &[String]| lines.concat().split_whitespace().collect::<String>();
    words(old) != words(&change.new)
}

/// Phrases an edit, changes each row, and makes a case if that made a difference.
fn by_row(edit: &Edit, format: Format, mut change: impl FnMut(&mut Row)) -> Option<Case> {
    let mut ask = told(edit)?;
    let mut differs = false;
    for row in ask.hunks.iter_mut().flat_map(|hunk| &mut hunk.rows) {
        let before = row.clone();
        change(row);
        differs |= *row != before;
    }
    differs.then(|| clean::case(edit, &ask, format))
}

/// Returns the place of a random context row that has `apart` rows between itself and any
/// change, is no edge, and passes `wanted`.
fn context_row(
    random: &mut Random,
    rows: &[Row],
    apart: usize,
    wanted: impl Fn(&str) -> bool,
) -> Option<usize> {
    let calm = |at: &usize| {
        let near = at.saturating_sub(apart)..(at + apart + 1).min(rows.len());
        rows.get(near)
            .is_some_and(|rows| rows.iter().all(Row::is_context))
    };
    let inner = (1..rows.len().saturating_sub(1)).filter(calm);
    let fitting = inner.filter(|at| rows.get(*at).is_some_and(|row| wanted(row.text())));
    let places: Vec<usize> = fitting.collect();
    random.pick(&places).copied()
}
