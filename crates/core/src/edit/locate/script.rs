//! Edit script: kept, removed and added lines.
//!
//! In: old and new text, or the rows of a patch. Out: a [`Script`], which is what the loose and
//! fuzzy rungs look for and what is written once its place is known.

use super::loose::normal::{Level, normal};
use crate::budget::Budget;
use crate::edit::diff::lines::diff_lines;
use crate::text::Slice;

/// The rows of one change, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Script {
    /// The rows.
    pub rows: Vec<Row>,
}

/// One line of a change, without its mark and ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// Stays.
    Context(String),
    /// Goes.
    Removed(String),
    /// Comes.
    Added(String),
}

/// Where the rows of a script stand: for each row that is in the text before, its 0-based
/// line, or none if the file has it not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alignment {
    /// One entry per row that is not [`Row::Added`].
    pub lines: Vec<Option<usize>>,
}

impl Row {
    /// Returns the line.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Context(text) | Self::Removed(text) | Self::Added(text) => text,
        }
    }

    /// Returns the same row with other text.
    pub(crate) fn with(&self, text: String) -> Self {
        match self {
            Self::Context(_) => Self::Context(text),
            Self::Removed(_) => Self::Removed(text),
            Self::Added(_) => Self::Added(text),
        }
    }

    /// Returns whether the row is in the text before.
    pub(crate) fn is_before(&self) -> bool {
        !matches!(self, Self::Added(_))
    }

    /// Returns whether the row stays.
    pub(crate) fn is_context(&self) -> bool {
        matches!(self, Self::Context(_))
    }
}

impl Script {
    /// Compares two texts line by line, where lines count as the same at `level` if also their
    /// indentation is, and the blanks within them: white space at the end of lines that the
    /// request did not mean to change is no change.
    pub(crate) fn between(budget: &Budget, old: &[&str], new: &[&str], level: Level) -> Self {
        let (old_keys, new_keys) = (keys(budget, level, old), keys(budget, level, new));
        let old_keys: Vec<&[u8]> = old_keys.iter().map(String::as_bytes).collect();
        let new_keys: Vec<&[u8]> = new_keys.iter().map(String::as_bytes).collect();
        let mut rows = Vec::new();
        let mut done = 0;
        for change in diff_lines(&old_keys, &new_keys) {
            push_context(old, done..change.old.start, &mut rows);
            let removed = old.slice(change.old.clone());
            rows.extend(removed.iter().map(|line| Row::Removed((*line).to_owned())));
            let added = new.slice(change.new.clone());
            rows.extend(added.iter().map(|line| Row::Added((*line).to_owned())));
            done = change.old.end;
        }
        push_context(old, done..old.len(), &mut rows);
        Self { rows }
    }

    /// Returns the script with lines that go and come again, at the beginning or the end of what changes,
    /// as lines that stay: so what comes beside them is told from what is there already.
    pub(crate) fn settled(self) -> Self {
        let mut rows = Vec::with_capacity(self.rows.len());
        let mut done = 0;
        for block in self.blocks() {
            rows.extend(self.rows.slice(done..block.start).iter().cloned());
            settle(self.rows.slice(block.clone()), &mut rows);
            done = block.end;
        }
        rows.extend(self.rows.slice(done..).iter().cloned());
        Self { rows }
    }

    /// Returns the change back.
    pub(crate) fn reversed(&self) -> Self {
        Self {
            rows: self
                .rows
                .iter()
                .map(|row| match row {
                    Row::Added(text) => Row::Removed(text.clone()),
                    Row::Removed(text) => Row::Added(text.clone()),
                    Row::Context(text) => Row::Context(text.clone()),
                })
                .collect(),
        }
    }

    /// Returns the rows that must be in the file.
    pub(crate) fn before(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.is_before())
    }

    /// Returns the lines that will be in their place.
    pub(crate) fn after(&self) -> impl Iterator<Item = &str> {
        self.rows
            .iter()
            .filter(|row| !matches!(row, Row::Removed(_)))
            .map(Row::text)
    }

    /// Returns whether anything changes.
    pub(crate) fn changes(&self) -> bool {
        self.rows.iter().any(|row| !row.is_context())
    }

    /// Returns whether something goes.
    pub(crate) fn removes(&self) -> bool {
        self.rows.iter().any(|row| matches!(row, Row::Removed(_)))
    }

    /// Returns the runs of rows that change, as ranges over the rows.
    pub(crate) fn blocks(&self) -> Vec<std::ops::Range<usize>> {
        let mut blocks = Vec::new();
        let mut start = None;
        for (index, row) in self.rows.iter().enumerate() {
            match (row.is_context(), start) {
                (false, None) => start = Some(index),
                (true, Some(from)) => {
                    blocks.push(from..index);
                    start = None;
                }
                _ => {}
            }
        }
        blocks.extend(start.map(|from| from..self.rows.len()));
        blocks
    }
}

fn push_context(old: &[&str], range: std::ops::Range<usize>, rows: &mut Vec<Row>) {
    let lines = old.slice(range);
    rows.extend(lines.iter().map(|line| Row::Context((*line).to_owned())));
}

fn keys(budget: &Budget, level: Level, lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| key(budget, line, level)).collect()
}

impl Alignment {
    /// Makes the alignment of rows that stand one below the other from `line` on.
    pub(crate) fn solid(line: usize, rows: usize) -> Self {
        Self {
            lines: (line..line + rows).map(Some).collect(),
        }
    }

    /// Returns the first line that a row stands on.
    pub(crate) fn first(&self) -> Option<usize> {
        self.lines.iter().copied().flatten().next()
    }

    /// Returns the line after the last that a row stands on.
    pub(crate) fn end(&self) -> Option<usize> {
        self.lines
            .iter()
            .rev()
            .copied()
            .flatten()
            .next()
            .map(|line| line + 1)
    }
}

/// Returns how many pairs of rows say the same before one does not.
fn shared<'r>(pairs: impl Iterator<Item = (&'r &'r Row, &'r &'r Row)>) -> usize {
    let same = pairs.take_while(|(one, other)| one.text() == other.text());
    same.count()
}

/// Adds the rows of one block, without what it takes away and gives back at its ends.
fn settle(block: &[Row], rows: &mut Vec<Row>) {
    let (removed, added): (Vec<&Row>, Vec<&Row>) = block.iter().partition(|row| row.is_before());
    let head = shared(removed.iter().zip(&added));
    let rest = removed.iter().skip(head).rev();
    let tail = shared(rest.zip(added.iter().skip(head).rev()));
    if head + tail == 0 {
        return rows.extend(block.iter().cloned());
    }
    rows.extend(removed.iter().take(head).map(as_context));
    rows.extend(changes_of(head, tail, &removed));
    rows.extend(changes_of(head, tail, &added));
    rows.extend(removed.iter().skip(removed.len() - tail).map(as_context));
}

fn changes_of(head: usize, tail: usize, side: &[&Row]) -> Vec<Row> {
    let side = side.slice(head..side.len() - tail);
    side.iter().map(|row| (*row).clone()).collect()
}

fn as_context(row: &&Row) -> Row {
    Row::Context(row.text().to_owned())
}

/// Returns what two lines of a request must share to be the same line.
fn key(budget: &Budget, line: &str, level: Level) -> String {
    let body = line.trim_start_matches([' ', '\t']);
    let indent = if body.trim().is_empty() {
        ""
    } else {
        line.slice(..line.len() - body.len())
    };
    format!(
        "{indent}{}",
        normal(budget, body, level.min(Level::Typography))
    )
}
