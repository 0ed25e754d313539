//! Whether what changes sits where nothing else can.
//!
//! In: the path of a change whose surroundings are not as given, and what comes next. Out: whether the
//! lines that change stand unbroken with their neighbours, on lines that the file has once; and one of
//! them gives a name, or no other place is like the one that is asked for. Then it is the surroundings
//! that have changed: siblings of a block that is gone have other names, and mostly others of their kind.

use std::collections::HashSet;
use std::ops::Range;

use super::align::{Path, Step};
use super::naming::named;
use super::{form, weight};
use crate::locate::loose::Views;
use crate::locate::loose::normal::letters;
use crate::locate::loose::squashed::Squashed;
use crate::locate::loose::view::string;
use crate::locate::script::{Row, Script};
use crate::text::indent::leading;
use crate::text::shared;

/// A line with fewer letters stands in any block.
const TELLING: usize = 4;
/// So many letters stand on lines that the file has once.
const OWN: usize = 20;
/// All lines of a file.
const ANYWHERE: Range<usize> = 0..usize::MAX;
/// So much of what was asked for is there, of 100 by weight: else what is there may be a part of
/// something else.
const LEAST: u32 = 40;
/// What comes next has no more of it than this.
const MOST_ELSEWHERE: u8 = 25;

/// Returns whether the place of a path is sure by the lines that change and those next to them, and no
/// other place is like it.
pub(super) fn is_alone(
    views: &Views<'_>,
    script: &Script,
    rows: &[&Row],
    path: &Path,
    next: Option<&Path>,
) -> bool {
    seat(views, script, rows, path).is_some()
        && next.is_none_or(|next| next.score() <= MOST_ELSEWHERE)
        && !is_same_twice(views.squashed(), rows, path)
}

/// Returns whether the place of a path is sure by the lines that change and those next to them, and by a
/// name: one of them gives it, or the head of the block in which they are.
pub(super) fn is_named(views: &Views<'_>, script: &Script, rows: &[&Row], path: &Path) -> bool {
    seat(views, script, rows, path).is_some_and(|seat| {
        gives_name(views.squashed(), rows.get(seat.clone()).unwrap_or_default())
            || is_headed(views, script, rows, path)
    })
}

/// Returns the rows that stand unbroken around what changes, if enough stands as it is, and they are as
/// far in as they are shown and say something that the file has once.
fn seat(views: &Views<'_>, script: &Script, rows: &[&Row], path: &Path) -> Option<Range<usize>> {
    let seat = widened(path, core(script, rows.len())?)?;
    let at = path.steps.get(seat.start).and_then(Step::line)?;
    let own = rows.get(seat.clone())?;
    let sure = standing(rows, path) >= LEAST
        && own_letters(views.squashed(), own, &ANYWHERE) >= OWN
        && is_as_far_in(views, own, at);
    sure.then_some(seat)
}

/// Returns whether all that a request shows is there, in its order, and the next place lacks a line
/// of it that says something: then lines have come in between here, and there it is another block.
pub(super) fn is_whole(rows: &[&Row], path: &Path, next: &Path) -> bool {
    let same = |step: &Step| matches!(step, Step::Same(_));
    let telling = |row: &&Row| letters(row.text()) >= TELLING;
    path.steps.iter().all(same)
        && rows
            .iter()
            .zip(&next.steps)
            .any(|(row, step)| telling(row) && !same(step))
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
    let line = |row: usize| match path.steps.get(row) {
        Some(Step::Same(line)) => Some(*line),
        _ => None,
    };
    let follows = |row: usize| line(row).is_some_and(|own| line(row + 1) == Some(own + 1));
    let Range { mut start, mut end } = core;
    line(start)?;
    if !(start..end.saturating_sub(1)).all(follows) {
        return None;
    }
    while start > 0 && follows(start - 1) {
        start -= 1;
    }
    while follows(end - 1) {
        end += 1;
    }
    Some(start..end)
}

/// Returns whether rows are indented as the lines from `at` on: what is further in is another block.
fn is_as_far_in(views: &Views<'_>, rows: &[&Row], at: usize) -> bool {
    let mut lines = (at..).zip(rows.iter().map(|row| row.text()));
    lines.all(|(line, text)| {
        text.trim().is_empty() || leading(&string(views.source(), line)) == leading(text)
    })
}

/// Returns whether one of the rows names something, on a line that the file has once.
fn gives_name(view: &Squashed<'_>, rows: &[&Row]) -> bool {
    let mut names = rows.iter().filter(|row| named(row.text()).is_some());
    names.any(|row| is_once(view, row, &ANYWHERE))
}

/// Returns whether the block in which lines change has a head that gives a name, shown as it stands, on a
/// line that the file has once, and it is the head of the block there as well.
fn is_headed(views: &Views<'_>, script: &Script, rows: &[&Row], path: &Path) -> bool {
    let depth = |text: &str| leading(text).len();
    let changed = script.rows.iter().filter(|row| !row.is_context());
    let within = changed
        .map(Row::text)
        .filter(|text| !text.trim().is_empty());
    let Some(within) = within.map(depth).min() else {
        return false;
    };
    let is_head = |text: &str| depth(text) < within && named(text).is_some();
    let first = script
        .rows
        .iter()
        .take_while(|row| row.is_context())
        .count();
    let above = rows.iter().zip(&path.steps).take(first).rev();
    let mut heads = above.filter(|(row, _)| is_head(row.text()));
    let Some((head, Step::Same(line))) = heads.next() else {
        return false;
    };
    let end = path.span().map_or(0, |span| span.end);
    let inner = |line: usize| is_head(&string(views.source(), line));
    is_once(views.squashed(), head, &ANYWHERE) && !(line + 1..end).any(inner)
}

fn is_once(view: &Squashed<'_>, row: &Row, within: &Range<usize>) -> bool {
    let again = view.lines_of(&form(row.text()), within.start).nth(1);
    again.is_none_or(|line| line >= within.end)
}

/// Returns whether two lines differ from their rows in the same way: so do blocks of the same kind.
fn is_same_twice(view: &Squashed<'_>, rows: &[&Row], path: &Path) -> bool {
    let reworded = rows
        .iter()
        .zip(&path.steps)
        .filter_map(|(row, step)| match step {
            Step::Reworded(line) => Some((form(row.text()), view.line(*line))),
            _ => None,
        });
    let mut met = HashSet::new();
    for (own, line) in reworded {
        let (own, line) = difference(&own, line);
        if !met.insert((own.to_owned(), line.to_owned())) {
            return true;
        }
    }
    false
}

/// Returns what differs between two lines, less what they begin and end with in common.
fn difference<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    let (head, tail) = shared(a, b);
    let rest = |text: &'a str| text.get(head..text.len() - tail).unwrap_or_default();
    (rest(a), rest(b))
}

/// Returns how much of the rows stands as it is, of 100 by weight.
fn standing(rows: &[&Row], path: &Path) -> u32 {
    let weigh = |row: &Row| weight(&form(row.text()));
    let all: u32 = rows.iter().map(|row| weigh(row)).sum();
    let steps = rows.iter().zip(&path.steps);
    let there = steps.filter(|(_, step)| matches!(step, Step::Same(_)));
    let there: u32 = there.map(|(row, _)| weigh(row)).sum();
    there * 100 / all.max(1)
}

/// Returns how many letters of the rows are on lines that are once within these lines of the file.
pub(super) fn own_letters(view: &Squashed<'_>, rows: &[&Row], within: &Range<usize>) -> usize {
    let own = rows.iter().filter_map(|row| {
        let count = letters(row.text());
        (count >= TELLING && is_once(view, row, within)).then_some(count)
    });
    own.sum()
}
