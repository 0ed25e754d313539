//! Alignment of a request's rows with lines, at least cost.
//!
//! In: rows, a view of the text, and lines near which they may begin. Out: the [`Path`] of
//! least cost. Each beginning costs a band of the table, and reading two lines side by side is
//! done at most [`MAX_READINGS`] times, so that no text makes this slow.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{EXTRA, REMOVED, form, weight};
use crate::budget::Budget;
use crate::edit::locate::limits::TELLING_LINE;
use crate::edit::locate::loose::Scope;
use crate::edit::locate::loose::normal::letters;
use crate::edit::locate::loose::squashed::Squashed;
use crate::edit::locate::script::{Alignment, Row};
use crate::edit::locate::similarity::{Marks, PairCounts};

/// Number of lines by which the file may run ahead of the rows or behind them: what a model leaves out
/// in one place is seldom more.
pub(super) const BAND: usize = 24;
/// Maximum number of pairs of lines read side by side; beyond that, lines that differ count as
/// wholly different.
const MAX_READINGS: u32 = 20_000;
/// Lines less similar than this, of 100, are different lines and not one reworded.
const ALIKE: u32 = 60;
/// A line of more bytes than this is compared for equality only: it is data, not code.
const MAX_LINE: usize = 400;
/// Columns of the band.
const WIDTH: usize = 2 * BAND + 1;
/// A cost that nothing reaches.
const FAR: u32 = u32::MAX / 4;

/// The table of rows and lines.
pub(super) struct Grid<'a> {
    view: &'a Squashed<'a>,
    forms: Vec<String>,
    /// Per row: its weight, and whether it goes.
    rows: Vec<(u32, bool)>,
    scope: Scope,
    total: u32,
    readings: Cell<u32>,
    /// Per row: whether it says something and some line of the file has it.
    elsewhere: Vec<bool>,
    marks: Vec<Marks>,
    /// How alike rows and lines are that were read.
    read: RefCell<HashMap<(usize, usize), u32>>,
    reader: RefCell<PairCounts>,
}

/// What is known of a line of the file that rows are put beside.
struct LineBeside {
    line: usize,
    /// What it costs where the rows leave it out.
    extra: u32,
    marks: Marks,
}

/// What became of each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) steps: Vec<RowStep>,
    cost: u32,
    total: u32,
    extra: usize,
}

/// What became of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowStep {
    /// It stands on this line.
    Same(usize),
    /// This line stands in its place.
    Reworded(usize),
    /// Nothing does.
    Missing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    Start,
    Same,
    Reworded,
    Missing,
    Extra,
}

impl RowStep {
    /// Returns the line that the row stands on.
    pub(super) fn line(&self) -> Option<usize> {
        match self {
            Self::Same(line) | Self::Reworded(line) => Some(*line),
            Self::Missing => None,
        }
    }
}

impl Path {
    /// Makes the path of an alignment of lines that are as they are.
    pub(super) fn of(alignment: &Alignment) -> Self {
        let steps = alignment
            .lines
            .iter()
            .map(|line| line.map_or(RowStep::Missing, RowStep::Same))
            .collect();
        Self {
            steps,
            cost: 0,
            total: 1,
            extra: 0,
        }
    }

    /// Returns what is left of the whole weight, of 100.
    pub(super) fn score(&self) -> u8 {
        let left = u64::from(self.total.saturating_sub(self.cost)) * 100;
        u8::try_from(left / u64::from(self.total.max(1))).unwrap_or(100)
    }

    /// Returns the first line that a row stands on.
    pub(super) fn first(&self) -> Option<usize> {
        self.steps.iter().find_map(RowStep::line)
    }

    /// Returns the lines from the first that a row stands on to the last.
    pub(super) fn span(&self) -> Option<Range<usize>> {
        let last = self.steps.iter().rev().find_map(RowStep::line)?;
        Some(self.first()?..last + 1)
    }

    /// Returns the lines of the rows.
    pub(super) fn lines(&self) -> Vec<Option<usize>> {
        self.steps.iter().map(RowStep::line).collect()
    }

    /// Returns how many rows have a line that reads otherwise.
    pub(super) fn reworded(&self) -> usize {
        self.steps
            .iter()
            .filter(|step| matches!(step, RowStep::Reworded(_)))
            .count()
    }

    /// Returns how many lines are more, less or otherwise.
    pub(super) fn defects(&self) -> usize {
        self.extra
            + self
                .steps
                .iter()
                .filter(|step| !matches!(step, RowStep::Same(_)))
                .count()
    }
}

/// Returns whether two lines are rules of the same columns: `|---|:--|` with a dash more or less, which
/// is how models copy the second line of a table.
fn is_same_rule(a: &str, b: &str) -> bool {
    is_table_rule(a) && is_table_rule(b) && table_columns(a) == table_columns(b)
}

fn table_columns(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.dedup_by(|a, b| a == b && *a == b'-');
    bytes
}

/// True for the line under the heads of a Markdown table.
fn is_table_rule(text: &str) -> bool {
    text.contains("--")
        && text
            .bytes()
            .all(|byte| matches!(byte, b'-' | b'|' | b':' | b'+'))
}

/// Returns what a row of this form weighs where it is missing.
fn weigh(row: &Row, form: &str) -> u32 {
    weight(form) * if row.is_context() { 1 } else { REMOVED }
}

/// Returns the most that a path on some lines can score, of 100, where every row that says something is
/// in the file as given.
pub(super) fn most(budget: &Budget, rows: &[&Row], lines: &HashSet<String>) -> u32 {
    let (mut there, mut total) = (0, 0);
    for row in rows {
        let form = form(budget, row.text());
        let weight = weigh(row, &form);
        let may_stand = letters(&form) < TELLING_LINE || lines.contains(&form);
        there += if may_stand { weight } else { 0 };
        total += weight;
    }
    (there * 100).div_ceil(total.max(1))
}

impl<'a> Grid<'a> {
    pub(super) fn new(view: &'a Squashed<'a>, rows: &[&Row], scope: Scope) -> Self {
        let forms: Vec<String> = rows
            .iter()
            .map(|row| form(view.budget(), row.text()))
            .collect();
        let rows: Vec<(u32, bool)> = rows
            .iter()
            .zip(&forms)
            .map(|(row, form)| (weigh(row, form), !row.is_context()))
            .collect();
        let total = rows.iter().map(|(weight, _)| weight).sum();
        let says = |form: &&String| {
            letters(form) >= TELLING_LINE && view.lines_of(form, 0).next().is_some()
        };
        let elsewhere = forms.iter().map(|form| says(&form)).collect();
        let marks = forms.iter().map(|form| Marks::new(form)).collect();
        Self {
            view,
            forms,
            marks,
            rows,
            elsewhere,
            scope,
            total,
            readings: Cell::new(MAX_READINGS),
            read: RefCell::default(),
            reader: RefCell::default(),
        }
    }

    pub(super) fn forms(&self) -> &[String] {
        &self.forms
    }

    /// Returns the cheapest path from any of the beginnings; none of its rows stands where it
    /// stands in `but`.
    pub(super) fn best(&self, starts: &[usize], but: Option<&Path>) -> Option<Path> {
        let paths = starts.iter().filter_map(|start| self.path(*start, but));
        paths.min_by_key(|path| (path.cost, path.first()))
    }

    /// Fills the band of the table around the diagonal that begins at `start` (counted from
    /// [`Scope::slack`] above the text). Column `slot` of row `row` stands for: so many rows are
    /// done, and [`Self::line`] is the file's next line.
    fn path(&self, start: usize, but: Option<&Path>) -> Option<Path> {
        let origin = start.checked_sub(BAND)?;
        self.view.budget().spend(self.rows.len() * WIDTH).ok()?;
        let lines = self.lines(origin);
        let line = |row: usize, slot: usize| lines.get(row + slot).and_then(Option::as_ref);
        let mut cost = vec![0_u32; WIDTH];
        let mut moves: Vec<[Move; WIDTH]> = Vec::with_capacity(self.rows.len() + 1);
        moves.push([Move::Start; WIDTH]);
        for row in 0..self.rows.len() {
            let mut made = [Move::Missing; WIDTH];
            let mut next: Vec<u32> = Vec::with_capacity(WIDTH);
            for (slot, step) in made.iter_mut().enumerate() {
                let here = cost.get(slot).copied().unwrap_or(FAR);
                let (own, how) = self.reading(row, line(row, slot), but);
                let mut value = here.saturating_add(own);
                *step = how;
                let over = cost.get(slot + 1).copied().unwrap_or(FAR);
                let missing = over.saturating_add(self.weight(row));
                if missing < value {
                    (value, *step) = (missing, Move::Missing);
                }
                let left = slot.checked_sub(1).filter(|_| row + 1 < self.rows.len());
                if let Some(passed) = left.and_then(|left| line(row + 1, left)) {
                    let extra = next.last().copied().unwrap_or(FAR);
                    let extra = extra.saturating_add(passed.extra);
                    if extra < value {
                        (value, *step) = (extra, Move::Extra);
                    }
                }
                next.push(value.min(FAR));
            }
            cost = next;
            moves.push(made);
        }
        self.trace(origin, &cost, &moves)
    }

    /// Returns the lines that a band from `origin` on goes through.
    fn lines(&self, origin: usize) -> Vec<Option<LineBeside>> {
        let slots = 0..self.rows.len() + WIDTH;
        slots
            .map(|slot| {
                self.line(origin, 0, slot)
                    .map(|line| self.line_beside(line))
            })
            .collect()
    }

    fn line_beside(&self, line: usize) -> LineBeside {
        let form = self.view.line(line);
        LineBeside {
            line,
            extra: weight(form) * EXTRA / 100,
            marks: Marks::new(form),
        }
    }

    /// Follows the cheapest path back to its beginning.
    fn trace(&self, origin: usize, cost: &[u32], moves: &[[Move; WIDTH]]) -> Option<Path> {
        let (mut slot, cost) = cost
            .iter()
            .copied()
            .enumerate()
            .min_by_key(|(_, cost)| *cost)?;
        let mut row = self.rows.len();
        let mut steps = Vec::with_capacity(row);
        let mut extra = 0;
        while row > 0 {
            match moves.get(row)?.get(slot)? {
                Move::Start => return None,
                Move::Extra => {
                    slot = slot.checked_sub(1)?;
                    extra += 1;
                    continue;
                }
                Move::Same => steps.push(RowStep::Same(self.line(origin, row - 1, slot)?)),
                Move::Reworded => {
                    steps.push(RowStep::Reworded(self.line(origin, row - 1, slot)?))
                }
                Move::Missing => {
                    steps.push(RowStep::Missing);
                    slot += 1;
                }
            }
            row -= 1;
        }
        steps.reverse();
        Some(Path {
            steps,
            cost,
            total: self.total,
            extra,
        })
    }

    /// Returns the file's next line after `row` rows in column `slot`, if it has one there.
    fn line(&self, origin: usize, row: usize, slot: usize) -> Option<usize> {
        let line = (origin + row + slot).checked_sub(self.scope.slack())?;
        (line >= self.scope.from && line < self.scope.to).then_some(line)
    }

    fn weight(&self, row: usize) -> u32 {
        self.rows.get(row).map_or(0, |(weight, _)| *weight)
    }

    /// Returns what it costs to let a row stand on a line.
    fn reading(&self, row: usize, beside: Option<&LineBeside>, but: Option<&Path>) -> (u32, Move) {
        let taken = |line: usize| {
            but.and_then(|but| but.steps.get(row))
                .and_then(RowStep::line)
                == Some(line)
        };
        let (Some(beside), Some(form)) = (
            beside.filter(|beside| !taken(beside.line)),
            self.forms.get(row),
        ) else {
            return (FAR, Move::Same);
        };
        let other = self.view.line(beside.line);
        if form == other || is_same_rule(form, other) {
            return (0, Move::Same);
        }
        if self.elsewhere.get(row).is_some_and(|elsewhere| *elsewhere) {
            // What the file has word for word is not reworded here.
            return (FAR, Move::Reworded);
        }
        match self.alike(row, beside, form, other) {
            alike if alike < ALIKE => (FAR, Move::Reworded),
            alike => (
                (self.weight(row) * (100 - alike)).div_ceil(100),
                Move::Reworded,
            ),
        }
    }

    /// Returns how alike two lines are, of 100, as far as there is time to read them; any number
    /// below [`ALIKE`] if they are not.
    fn alike(&self, row: usize, beside: &LineBeside, a: &str, b: &str) -> u32 {
        let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
        if short * 200 < long * ALIKE as usize || long > MAX_LINE {
            return 0;
        }
        let own = self.marks.get(row);
        if own.is_some_and(|own| own.at_most(&beside.marks) < ALIKE) {
            return 0;
        }
        let key = (row, beside.line);
        if let Some(known) = self.read.borrow().get(&key) {
            return *known;
        }
        if self.readings.get() == 0 {
            return 0;
        }
        self.readings.set(self.readings.get() - 1);
        let mut reader = self.reader.borrow_mut();
        reader.take(row, a);
        let alike = reader.alike(b);
        self.read.borrow_mut().insert(key, alike);
        alike
    }
}
