//! Fuzzy search by line.
//!
//! In: a change in lines and a text in which it is not. Out: the one alignment that costs least,
//! if it costs little, nothing else comes near, and everything that goes is there.
//!
//! The cost model: each row weighs what it says ([`weight`]), so that a brace counts little and
//! a signature much. A row that stands in the file (white space and typography apart) costs
//! nothing; a context row that reads differently costs what differs of it; one that is missing
//! costs its weight; a line of the file between them costs [`EXTRA`] of its own. Rows that go
//! weigh [`REMOVED`] times as much. The score is what is left of the whole weight, of 100.

mod align;
mod alike;
mod naming;
mod seat;
mod sibling;

use std::collections::{HashMap, HashSet};

use super::context::{Place, choose};
use super::loose::nested::is_nested_otherwise;
use super::loose::normal::{Level, letters, normal};
use super::loose::squashed::Squashed;
use super::loose::view::string;
use super::loose::{Found, Match, Scope, Views, insertion, stands};
use super::script::{Alignment, Row, Script};
use super::{Finding, Rung, RunnerUp};
use align::{Grid, Path, Step};

pub(crate) use alike::{Reader, alike};

/// The least score that is taken where no line reads otherwise, so that all that is wrong is lines
/// more or less: two fifths of the context may be gone, as they are where the surroundings of a block
/// have changed since. Where half of it is gone, it may as well be the block that is gone, and a sibling
/// left.
const FLOOR_GONE: u8 = 60;
/// The least score that is taken where one line reads otherwise: a third of the context may differ,
/// as it does where the model remembers a block and not its surroundings. Below it, requests for
/// another file begin to fit.
const FLOOR_REWORDED: u8 = 66;
/// The least score that is taken where more than [`FEW`] lines differ, or several read otherwise: that
/// is how a block looks that is the sibling of the one that is meant.
const FLOOR_SIBLING: u8 = 90;
/// Maximum number of lines that may differ where the surroundings of a block have changed.
const FEW: usize = 2;
/// The least distance to the next best place. Copies of a block that differ in one line out of
/// five are 20 apart, and a request that has that line wrong must not choose between them.
const MARGIN: u8 = 20;
/// A place at the number with so much of what was asked for makes any other doubtful: the file
/// may have changed there, and a copy of it may stand elsewhere.
const RIVAL: u8 = 50;
/// Lines above and below the number that count as at it.
const NEAR: usize = 12;
/// Weight of a removed line, where a kept line weighs 1: it is what the place is meant for, and it is
/// what must not be guessed.
const REMOVED: u32 = 2;
/// Part of its weight, of 100, that a line of the file costs which the request leaves out: less
/// than one that the file leaves out, because models shorten more than they invent.
const EXTRA: u32 = 50;
/// Lines that occur more often say nothing about the place.
const MAX_REPEATS: usize = 64;
/// Maximum number of starting points tried.
const MAX_STARTS: usize = 12;
/// Changes of more rows than this are not guessed at.
const MAX_ROWS: usize = 1000;
/// The most letters that a row can weigh; beyond that it is unique anyway.
const MAX_WEIGHT: usize = 40;

/// Finds a change by its nearest alignment.
pub(crate) fn find(views: &Views<'_>, script: &Script, scope: Scope) -> Found {
    let rows: Vec<&Row> = script.before().collect();
    if rows.len() < 2 || rows.len() > MAX_ROWS || scope.all || !script.changes() {
        return Found::Missing;
    }
    let view = views.squashed();
    let grid = Grid::new(view, &rows, scope);
    let starts = starts(view, &grid, scope);
    let Some(best) = grid.best(&starts, None) else {
        return Found::Missing;
    };
    let next = grid.best(&starts, Some(&best));
    let Some((path, next)) = decided(views, script, &rows, scope, best, next) else {
        return Found::Missing;
    };
    let alignment = Alignment {
        lines: path.lines(),
    };
    let pressed = next
        .as_ref()
        .is_some_and(|next| path.score() < next.score().saturating_add(MARGIN));
    let likely = sibling::Likeness::of(views, script, &rows, &path, scope);
    let sure = !likely.is_other()
        && (path.score() >= floor(&path) && !likely.is_alike(pressed)
            || seat::is_named(views, script, &rows, &path)
            || seat::is_alone(views, script, &rows, &path, next.as_ref()));
    if !sure
        || passes_what_is_gone(script, &path)
        || has_lost_twin(&rows, &path)
        || !sound(script, &alignment, &path)
        || is_nested_otherwise(views.source(), script, &alignment)
    {
        return Found::Missing;
    }
    if stands(views, script, &alignment) {
        return Found::Done;
    }
    if let Some(found) = made(view, script, scope, &path) {
        return found;
    }
    let finding = finding(&path, next.as_ref());
    Found::At(vec![Match {
        script: script.clone(),
        alignment,
        finding,
        undone: Vec::new(),
        widened: false,
    }])
}

/// Returns whether a line that goes is beside one that is the same and that the file has not: which
/// of the two is there cannot be told.
fn has_lost_twin(rows: &[&Row], path: &Path) -> bool {
    let forms: Vec<String> = rows.iter().map(|row| form(row.text())).collect();
    let at = |index: usize| Some((rows.get(index)?, path.steps.get(index)?));
    let lost = |index: usize| {
        at(index).is_some_and(|(row, step)| row.is_context() && *step == Step::Missing)
    };
    let goes = |index: usize| {
        at(index).is_some_and(|(row, step)| !row.is_context() && step.line().is_some())
    };
    let twins = |(index, pair): (usize, &[String])| {
        matches!(pair, [a, b] if a == b)
            && (lost(index) && goes(index + 1) || goes(index) && lost(index + 1))
    };
    forms.windows(2).enumerate().any(twins)
}

/// Returns whether lines only change places, and not all that they pass are as they are shown: then
/// nothing tells where they are to be, or whether they are there.
fn passes_what_is_gone(script: &Script, path: &Path) -> bool {
    let forms = |wanted: fn(&Row) -> bool| {
        let rows = script.rows.iter().filter(|row| wanted(row));
        let mut forms: Vec<String> = rows.map(|row| form(row.text())).collect();
        forms.sort_unstable();
        forms
    };
    let gone = forms(|row| matches!(row, Row::Removed(_)));
    if gone != forms(|row| matches!(row, Row::Added(_))) {
        return false;
    }
    let blocks = script.blocks();
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
        return false;
    };
    let count = |rows: &[Row]| rows.iter().filter(|row| row.is_before()).count();
    let above = count(script.rows.get(..first.start).unwrap_or_default());
    let within = count(script.rows.get(first.start..last.end).unwrap_or_default());
    let mut passed = path.steps.iter().skip(above).take(within);
    !passed.all(|step| matches!(step, Step::Same(_)))
}

/// Returns what follows if the lines after the change fit the file as well as those before it do
/// on `path`: it is made where both stand in the same place, or where those after it fit clearly
/// better. Elsewhere they may be a twin's, and the number decides between places that fit alike.
fn made(view: &Squashed<'_>, script: &Script, scope: Scope, path: &Path) -> Option<Found> {
    let turned = |row: &Row| match row {
        Row::Added(text) => Row::Removed(text.clone()),
        Row::Removed(text) => Row::Added(text.clone()),
        Row::Context(text) => Row::Context(text.clone()),
    };
    let turned = Script {
        rows: script.rows.iter().map(turned).collect(),
    };
    let rows: Vec<&Row> = turned.before().collect();
    if !turned.removes() || rows.len() > MAX_ROWS || !is_visible(script) {
        return None;
    }
    let grid = Grid::new(view, &rows, scope);
    let best = grid.best(&starts(view, &grid, scope), None)?;
    let whole = |path: &Path| {
        let steps = path.steps.iter().zip(&rows);
        steps
            .filter(|(_, row)| !row.is_context())
            .all(|(step, _)| matches!(step, Step::Same(_)))
    };
    if !whole(&best) || best.score() < path.score() {
        return None;
    }
    let (own, other) = (path.span()?, best.span()?);
    let apart = own.end <= other.start || other.end <= own.start;
    if !apart || best.score() >= path.score().saturating_add(MARGIN) {
        return Some(Found::Done);
    }
    let number = scope.number.filter(|_| best.score() == path.score());
    match choose(vec![own.start, other.start], number) {
        Place::One { line, .. } if line == own.start => None,
        Place::One { .. } => Some(Found::Done),
        _ => Some(Found::Many(
            vec![own.start.min(other.start), own.start.max(other.start)],
            "where one of them is as it would be after the change".into(),
        )),
    }
}

/// Returns whether the lines after a change differ from those before it in more than white space
/// and typography, so that one can be told from the other.
fn is_visible(script: &Script) -> bool {
    let before = script.before().map(|row| form(row.text()));
    !before.eq(script.after().map(form))
}

/// Returns the least score at which a path is taken.
fn floor(path: &Path) -> u8 {
    let reworded = |step: &&Step| matches!(step, Step::Reworded(_));
    match path.steps.iter().filter(reworded).count() {
        _ if path.defects() > FEW => FLOOR_SIBLING,
        0 => FLOOR_GONE,
        1 => FLOOR_REWORDED,
        _ => FLOOR_SIBLING,
    }
}

/// Returns what a row weighs.
pub(super) fn weight(text: &str) -> u32 {
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

/// Returns the best path within a few lines of the number that the request names, if nothing
/// else there comes near.
fn at_number(views: &Views<'_>, rows: &[&Row], scope: Scope) -> Option<Path> {
    let scope = scope.around_number(rows.len())?;
    let view = views.squashed();
    let grid = Grid::new(view, rows, scope);
    let starts = starts(view, &grid, scope);
    let best = grid.best(&starts, None)?;
    let next = grid.best(&starts, Some(&best));
    let clear = next.is_none_or(|next| best.score() >= next.score() + MARGIN);
    clear.then_some(best)
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
    let line = |line: usize| form(&string(views.source(), line));
    let lines: HashSet<String> = (near.from..near.to).map(line).collect();
    if align::most(&rows, &lines) < u32::from(RIVAL) {
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
    let nearer = |path: &Path| path.first().map(|line| line.abs_diff(number));
    (path.score() >= RIVAL && nearer(&path) < nearer(taken)).then_some(path)
}

/// Decides between the best path and others: it is clearly the best, or has what they cannot have, or
/// the number is at one that is as good. A number moves with every change above it, so it is no
/// reason to take a place that fits less well, however little.
fn decided(
    views: &Views<'_>,
    script: &Script,
    rows: &[&Row],
    scope: Scope,
    best: Path,
    next: Option<Path>,
) -> Option<(Path, Option<Path>)> {
    let clear = next.as_ref().is_none_or(|next| {
        best.score() >= next.score() + MARGIN
            || seat::is_whole(rows, &best, next)
            || seat::is_named(views, script, rows, &best)
    });
    if clear {
        let doubtful = other_at_number(views, rows, scope, &best).is_some();
        return (!doubtful).then_some((best, next));
    }
    let near = at_number(views, rows, scope)?;
    let top = best.score();
    let other = if near.first() == best.first() {
        next
    } else {
        Some(best)
    };
    (near.score() >= top).then_some((near, other))
}

/// Returns whether what changes has a sure place: all that goes is there, without a gap, and
/// what comes stands beside a line that is there, with nothing unknown in between.
fn sound(script: &Script, alignment: &Alignment, path: &Path) -> bool {
    let mut before = 0;
    for block in script.blocks() {
        let rows = script.rows.get(block.clone()).unwrap_or_default();
        before += script.rows.get(..block.start).map_or(0, count_before) - before;
        let removed = count_before(rows);
        let steps = path.steps.get(before..before + removed).unwrap_or_default();
        if !steps.iter().all(|step| matches!(step, Step::Same(_))) {
            return false;
        }
        let lines: Vec<usize> = steps.iter().filter_map(Step::line).collect();
        if lines
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a + 1 != *b))
        {
            return false;
        }
        let step = |index: Option<usize>| index.and_then(|index| path.steps.get(index));
        let (above, below) = (step(before.checked_sub(1)), step(Some(before + removed)));
        let fits = || insertion(script, alignment, block.start).is_some();
        if removed == 0 && !(beside(above, below) && fits()) {
            return false;
        }
    }
    true
}

fn count_before(rows: &[Row]) -> usize {
    rows.iter().filter(|row| row.is_before()).count()
}

/// Returns whether a place between two rows is known.
fn beside(above: Option<&Step>, below: Option<&Step>) -> bool {
    let same = |step: Option<&Step>| matches!(step, Some(Step::Same(_)));
    match (above.and_then(Step::line), below.and_then(Step::line)) {
        (Some(above_line), Some(below_line)) => {
            above_line + 1 == below_line && (same(above) || same(below))
        }
        (Some(_), None) => same(above),
        (None, Some(_)) => same(below),
        (None, None) => false,
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
    let how = match (rung, path.defects()) {
        (Rung::Loose, 0) => "loose: white space apart".to_owned(),
        (Rung::Loose, _) => format!(
            "loose: one line of context differs ({} of 100{next})",
            path.score()
        ),
        (_, 1) => format!(
            "fuzzy: one line of context differs ({} of 100{next})",
            path.score()
        ),
        (_, defects) => format!(
            "fuzzy: {defects} lines of context differ ({} of 100{next})",
            path.score()
        ),
    };
    Finding {
        rung,
        how,
        score: Some(path.score()),
        runner_up,
    }
}

/// Returns the normal form that rows and lines are compared by.
pub(super) fn form(text: &str) -> String {
    normal(text, Level::Squashed)
}

#[cfg(test)]
mod tests;
