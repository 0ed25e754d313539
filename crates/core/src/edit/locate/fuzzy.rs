//! Fuzzy search by line.
//!
//! In: a change in lines and a text in which it is not. Out: the one place whose alignment costs least,
//! if it costs little, no other place comes near, and no [`Veto`] applies.
//!
//! The cost model: each row weighs what it says ([`weight`]), so that a brace counts little and
//! a signature much. A row that stands in the file (white space and typography apart) costs
//! nothing; a context row that reads differently costs what differs of it; one that is missing
//! costs its weight; a line of the file between them costs [`EXTRA`] of its own. Rows that go
//! weigh [`REMOVED`] times as much. The score is what is left of the whole weight, of 100.

mod align;
mod anchor;
mod veto;

use std::collections::{HashMap, HashSet};

use super::context::{ChosenLine, choose};
use super::limits::MAX_REPEATS;
use super::loose::normal::{Level, letters, normal};
use super::loose::squashed::Squashed;
use super::loose::view::string;
use super::loose::{LocateOutcome, LooseMatch, Scope, Views, stands};
use super::nearest::word::differing;
use super::script::{Alignment, Row, Script};
use super::{Finding, Rung, RunnerUp};
use crate::budget::Budget;
use align::{Grid, Path, RowStep};
use veto::Veto;

/// The least score of a place where at most one line reads otherwise and at most [`FEW`] lines
/// differ: two fifths of the context may be gone, as where the surroundings of a block have changed.
/// Where half of it is gone, it may be the block that is gone, and a sibling left.
const FLOOR: u8 = 60;
/// The least score where more lines differ: that is how the sibling of a block looks.
const FLOOR_SIBLING: u8 = 90;
/// Maximum number of lines that may differ where the surroundings of a block have changed.
const FEW: usize = 2;
/// The least distance to the next best place. Copies of a block that differ in one line out of
/// five are 20 apart, and a request that has that line wrong must not choose between them.
const MARGIN: u8 = 20;
/// The least score of a place at the line number that makes any other doubtful: the file may have
/// changed there, and a copy of it may stand elsewhere.
const RIVAL: u8 = 50;
/// Lines above and below the number that count as at it.
const NEAR: usize = 12;
/// Weight of a removed line, where a kept line weighs 1: it is what the place is meant for, and it is
/// what must not be guessed.
const REMOVED: u32 = 2;
/// Part of its weight, of 100, that a line of the file costs which the request leaves out: less
/// than one that the file leaves out, because models shorten more than they invent.
const EXTRA: u32 = 50;
/// Number of beginnings that are tried, each at the cost of one table.
const MAX_STARTS: usize = 12;
/// Changes of more rows than this are not searched for: the table grows with them.
const MAX_ROWS: usize = 1000;
/// The most letters and digits that a row can weigh; beyond that it is unique anyway.
const MAX_WEIGHT: usize = 40;

/// A change, the place that it may have, and the next best one.
struct FuzzyMatch<'a, 'v> {
    views: &'a Views<'v>,
    script: &'a Script,
    /// The rows of the text before.
    rows: &'a [&'a Row],
    path: Path,
    next: Option<Path>,
}

impl FuzzyMatch<'_, '_> {
    fn alignment(&self) -> Alignment {
        Alignment {
            lines: self.path.lines(),
        }
    }

    /// Returns a line of the file.
    fn line(&self, line: usize) -> String {
        string(self.views.source(), line).into_owned()
    }

    /// Returns whether the place scores enough for how it differs.
    fn fits(&self) -> bool {
        let sibling = self.path.defects() > FEW || self.path.reworded() > 1;
        self.path.score() >= if sibling { FLOOR_SIBLING } else { FLOOR }
    }

    /// Returns whether another place is nearly as good.
    fn is_pressed(&self) -> bool {
        self.next
            .as_ref()
            .is_some_and(|next| self.path.score() < next.score().saturating_add(MARGIN))
    }
}

/// Finds a change by its cheapest alignment.
pub(crate) fn find(views: &Views<'_>, script: &Script, scope: Scope) -> LocateOutcome {
    let rows: Vec<&Row> = script.before().collect();
    if rows.len() < 2 || rows.len() > MAX_ROWS || scope.all || !script.changes() {
        return LocateOutcome::Missing;
    }
    let Some((path, next)) = candidate(views, &rows, scope) else {
        return LocateOutcome::Missing;
    };
    let attempt = FuzzyMatch {
        views,
        script,
        rows: &rows,
        path,
        next,
    };
    if !(attempt.fits() || attempt.is_anchored()) || Veto::first(&attempt).is_some() {
        return LocateOutcome::Missing;
    }
    let alignment = attempt.alignment();
    if stands(views, script, &alignment) {
        return LocateOutcome::Done;
    }
    if let Some(found) = made(views.squashed(), script, scope, &attempt.path) {
        return found;
    }
    LocateOutcome::At(vec![LooseMatch {
        script: script.clone(),
        alignment,
        finding: finding(&attempt.path, attempt.next.as_ref()),
        undone: Vec::new(),
        widened: false,
    }])
}

/// Returns the best place and the next best: it is clearly the best, or has what the other cannot
/// have, or the number is at one that is as good. A number moves with every change above it, so it is
/// no reason to take a place that fits less well, however little.
fn candidate(views: &Views<'_>, rows: &[&Row], scope: Scope) -> Option<(Path, Option<Path>)> {
    let (best, next) = best_two(views, rows, scope)?;
    if next
        .as_ref()
        .is_some_and(|next| are_one_off(views, rows, &best, next))
    {
        return None;
    }
    if next
        .as_ref()
        .is_none_or(|next| is_clear(&best, next) || anchor::is_whole(rows, &best, next))
    {
        let doubtful = other_at_number(views, rows, scope, &best).is_some();
        return (!doubtful).then_some((best, next));
    }
    let (near, other) = best_two(views, rows, scope.around_number(rows.len())?)?;
    if near.score() < best.score() || other.is_some_and(|other| !is_clear(&near, &other)) {
        return None;
    }
    let other = if near.first() == best.first() {
        next
    } else {
        Some(best)
    };
    Some((near, other))
}

fn best_two(views: &Views<'_>, rows: &[&Row], scope: Scope) -> Option<(Path, Option<Path>)> {
    let grid = Grid::new(views.squashed(), rows, scope);
    let starts = starts(views.squashed(), &grid, scope);
    let best = grid.best(&starts, None)?;
    let next = grid.best(&starts, Some(&best));
    Some((best, next))
}

/// Returns whether a place lacks a line, and another has all of them but for one word: then both are one
/// line off, however little that line says. User: a function like the one that is meant, which lacks
/// the closing brace, where a word of that one was changed meanwhile.
fn are_one_off(views: &Views<'_>, rows: &[&Row], best: &Path, next: &Path) -> bool {
    let lacks = best
        .steps
        .iter()
        .any(|step| !matches!(step, RowStep::Same(_)));
    let others = next.steps.iter().enumerate();
    let mut others = others.filter(|(_, step)| !matches!(step, RowStep::Same(_)));
    let (Some((index, step)), None) = (others.next(), others.next()) else {
        return false;
    };
    let line = step
        .line()
        .or_else(|| Some(line_of(next, index.checked_sub(1))? + 1))
        .or_else(|| line_of(next, Some(index + 1))?.checked_sub(1));
    let (Some(line), Some(row)) = (line, rows.get(index)) else {
        return false;
    };
    lacks && differing(row.text(), &string(views.source(), line)).is_some()
}

fn line_of(path: &Path, index: Option<usize>) -> Option<usize> {
    path.steps.get(index?).and_then(RowStep::line)
}

fn is_clear(best: &Path, next: &Path) -> bool {
    best.score() >= next.score().saturating_add(MARGIN)
}

/// Returns what follows if the lines after the change fit the file as well as those before it do
/// on `path`: it is made where both stand in the same place, or where those after it fit clearly
/// better. Elsewhere they may be a twin's, and the number decides between places that fit alike.
fn made(view: &Squashed<'_>, script: &Script, scope: Scope, path: &Path) -> Option<LocateOutcome> {
    let turned = script.reversed();
    let rows: Vec<&Row> = turned.before().collect();
    if !turned.removes() || rows.len() > MAX_ROWS || !is_visible(view.budget(), script) {
        return None;
    }
    let grid = Grid::new(view, &rows, scope);
    let best = grid.best(&starts(view, &grid, scope), None)?;
    if !is_whole(&rows, &best) || best.score() < path.score() {
        return None;
    }
    let (own, other) = (path.span()?, best.span()?);
    let apart = own.end <= other.start || other.end <= own.start;
    if !apart || best.score() >= path.score().saturating_add(MARGIN) {
        return Some(LocateOutcome::Done);
    }
    let number = scope.number.filter(|_| best.score() == path.score());
    match choose(vec![own.start, other.start], number) {
        ChosenLine::One { line, .. } if line == own.start => None,
        ChosenLine::One { .. } => Some(LocateOutcome::Done),
        _ => Some(LocateOutcome::Many(
            vec![own.start.min(other.start), own.start.max(other.start)],
            "where one of them is as it would be after the change".into(),
        )),
    }
}

/// True if a path has every line that a change removes or adds as it is given. A line of the context that is the same text
/// is needed beside it: where one `)` is there, it is not the one that is added before it.
fn is_whole(rows: &[&Row], path: &Path) -> bool {
    let is_changed = |text: &str| {
        let mut changed = rows.iter().filter(|row| !row.is_context());
        changed.any(|row| row.text().trim() == text.trim())
    };
    let mut steps = path.steps.iter().zip(rows);
    steps.all(|(step, row)| {
        matches!(step, RowStep::Same(_)) || row.is_context() && !is_changed(row.text())
    })
}

/// Returns whether the lines after a change differ from those before it in more than white space
/// and typography, so that one can be told from the other.
fn is_visible(budget: &Budget, script: &Script) -> bool {
    let before = script.before().map(|row| form(budget, row.text()));
    !before.eq(script.after().map(|row| form(budget, row)))
}

/// Returns the line near its number at which a change that stands elsewhere as given would nearly fit
/// as well.
pub(crate) fn rival(
    views: &Views<'_>,
    script: &Script,
    scope: Scope,
    found: &Alignment,
) -> Option<usize> {
    let rows: Vec<&Row> = script.before().collect();
    if rows.len() > MAX_ROWS {
        return None;
    }
    // To read the few lines there is quicker than to make a table of all.
    let near = scope.around_number(rows.len())?;
    let lines: HashSet<String> = (near.from..near.to)
        .map(|line| form(views.budget(), &string(views.source(), line)))
        .collect();
    if align::most(views.budget(), &rows, &lines) < u32::from(RIVAL) {
        return None;
    }
    let taken = Path::of(found);
    let path = other_at_number(views, &rows, scope, &taken)?;
    path.first()
}

/// Returns a path near the number that has at least half of what was asked for and nothing in
/// common with `taken`.
fn other_at_number(views: &Views<'_>, rows: &[&Row], scope: Scope, taken: &Path) -> Option<Path> {
    let scope = scope.around_number(rows.len())?;
    let view = views.squashed();
    let grid = Grid::new(view, rows, scope);
    let path = grid.best(&starts(view, &grid, scope), Some(taken))?;
    let number = scope.number?;
    (path.score() >= RIVAL && distance(number, &path) < distance(number, taken)).then_some(path)
}

fn distance(number: usize, path: &Path) -> Option<usize> {
    path.first().map(|line| line.abs_diff(number))
}

/// Returns what a row weighs.
fn weight(text: &str) -> u32 {
    2 * (1 + letters(text).min(MAX_WEIGHT) as u32)
}

/// Returns the lines at which an alignment may begin, by the rows that are in the file as they
/// are: those that put most weight on the same beginning.
fn starts(view: &Squashed<'_>, grid: &Grid<'_>, scope: Scope) -> Vec<usize> {
    let mut rows: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, form) in grid
        .forms()
        .iter()
        .enumerate()
        .filter(|(_, form)| !form.is_empty())
    {
        rows.entry(form).or_default().push(index);
    }
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for form in rows.keys() {
        let lines = view.lines_of(form, scope.from);
        let within = lines.take_while(|line| *line < scope.to);
        let lines: Vec<usize> = within.take(MAX_REPEATS + 1).collect();
        places.insert(form, lines);
    }
    let mut votes: HashMap<usize, u32> = HashMap::new();
    for (form, lines) in places
        .iter()
        .filter(|(_, lines)| lines.len() <= MAX_REPEATS)
    {
        let own = rows.get(form).map(Vec::as_slice).unwrap_or_default();
        for row in own.iter().take(MAX_REPEATS) {
            for line in lines {
                *votes
                    .entry((line + scope.slack()).saturating_sub(*row))
                    .or_default() += weight(form);
            }
        }
    }
    let mut starts: Vec<(usize, u32)> = votes.into_iter().collect();
    starts.sort_unstable_by_key(|(start, votes)| (std::cmp::Reverse(*votes), *start));
    let mut chosen: Vec<usize> = Vec::new();
    for (start, _) in starts {
        // A beginning this near to another lies well within its band.
        if chosen
            .iter()
            .all(|other| other.abs_diff(start) > align::BAND / 2)
        {
            chosen.push(start);
        }
        if chosen.len() == MAX_STARTS {
            break;
        }
    }
    chosen
}

impl Scope {
    /// Beginnings are counted from this much above the text, since the first rows of a change
    /// may be missing at its top.
    fn slack(self) -> usize {
        MAX_ROWS + align::BAND
    }

    /// Returns the part of the scope that is near its number.
    fn around_number(self, rows: usize) -> Option<Self> {
        let number = self.number?;
        let from = number.saturating_sub(NEAR).max(self.from);
        let to = (number + rows + NEAR).min(self.to);
        (from < to).then_some(Self { from, to, ..self })
    }
}

fn finding(path: &Path, next: Option<&Path>) -> Finding {
    let runner_up = next.and_then(|next| {
        Some(RunnerUp {
            line: next.first()? + 1,
            score: next.score(),
        })
    });
    // One line of context more, less or otherwise is no guess.
    let rung = if path.defects() <= 1 {
        Rung::Loose
    } else {
        Rung::Fuzzy
    };
    let next = runner_up.map_or_else(String::new, |next| {
        format!(", next best {} at line {}", next.score, next.line)
    });
    let how = match path.defects() {
        0 => "with other white space".to_owned(),
        1 => format!(
            "one context line differs (similarity {} of 100{next})",
            path.score()
        ),
        defects => format!(
            "{defects} context lines differ (similarity {} of 100{next})",
            path.score()
        ),
    };
    Finding {
        rung,
        how,
        score: Some(path.score()),
        runner_up,
        quoted: Vec::new(),
    }
}

/// Returns the normal form that rows and lines are compared by.
fn form(budget: &Budget, text: &str) -> String {
    normal(budget, text, Level::Squashed)
}

#[cfg(test)]
mod tests;
