//! Texts as lines, and what differs between them.
//!
//! In: lines. Out: changes, the text after them, and where a block of lines stands. The diff is
//! not the engine's own, so that the engine is not judged by itself.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Lines without endings; each ends with a newline.
pub(crate) type Lines = Vec<String>;

/// Lines `old` of a text become `new`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) old: Range<usize>,
    pub(crate) new: Lines,
}

/// Returns the changes from one text to another, in order.
pub(crate) fn changes(old: &[String], new: &[String]) -> Vec<Change> {
    let ops = capture_diff_slices(Algorithm::Patience, old, new);
    let changed = ops
        .into_iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }));
    let mut found: Vec<Change> = Vec::new();
    for op in changed {
        let new = new.get(op.new_range()).unwrap_or_default().to_vec();
        match found.last_mut() {
            Some(last) if last.old.end == op.old_range().start => {
                last.old.end = op.old_range().end;
                last.new.extend(new);
            }
            _ => found.push(Change {
                old: op.old_range(),
                new,
            }),
        }
    }
    found
}

/// Returns the text after `changes`, which are in order and disjoint.
pub(crate) fn apply<'a>(base: &[String], changes: impl IntoIterator<Item = &'a Change>) -> Lines {
    let mut after = Vec::with_capacity(base.len());
    let mut at = 0;
    for change in changes {
        after.extend_from_slice(base.get(at..change.old.start).unwrap_or_default());
        after.extend_from_slice(&change.new);
        at = change.old.end;
    }
    after.extend_from_slice(base.get(at..).unwrap_or_default());
    after
}

/// Moves `mine` over `theirs`, both made for the same text; none unless an unchanged line is
/// between each two, so that what both together give is beyond doubt.
pub(crate) fn transfer(mine: &[Change], theirs: &[Change]) -> Option<Vec<Change>> {
    let mut moved = Vec::with_capacity(mine.len());
    let (mut next, mut removed, mut added) = (0, 0, 0);
    for change in mine {
        while let Some(other) = theirs
            .get(next)
            .filter(|other| other.old.end < change.old.start)
        {
            removed += other.old.len();
            added += other.new.len();
            next += 1;
        }
        if theirs
            .get(next)
            .is_some_and(|other| other.old.start <= change.old.end)
        {
            return None;
        }
        let place = |line: usize| line + added - removed;
        moved.push(Change {
            old: place(change.old.start)..place(change.old.end),
            new: change.new.clone(),
        });
    }
    Some(moved)
}

/// Returns the lines with a newline after each.
pub(crate) fn join(lines: &[String]) -> String {
    let mut text = String::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// Where each line of a text stands, by its trimmed form.
pub(crate) struct Index<'a> {
    lines: &'a [String],
    places: HashMap<&'a str, Vec<usize>>,
}

/// How two lines are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compare {
    /// Byte by byte.
    Exact,
    /// Without white space around.
    Trimmed,
}

impl<'a> Index<'a> {
    /// Indexes `lines`.
    pub(crate) fn new(lines: &'a [String]) -> Self {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            places.entry(line.trim()).or_default().push(at);
        }
        Self { lines, places }
    }

    /// Returns the lines at which `block` begins.
    pub(crate) fn places(&self, block: &[impl AsRef<str>], compare: Compare) -> Vec<usize> {
        let times = |line: &str| self.places.get(line.trim()).map_or(0, Vec::len);
        let rarest = (0..block.len()).min_by_key(|at| block.get(*at).map(|l| times(l.as_ref())));
        let Some(rarest) = rarest else {
            return Vec::new();
        };
        let key = block.get(rarest).map_or("", |line| line.as_ref().trim());
        let candidates = self.places.get(key).map(Vec::as_slice).unwrap_or_default();
        let starts = candidates.iter().filter_map(|at| at.checked_sub(rarest));
        starts
            .filter(|start| self.stands(block, *start, compare))
            .collect()
    }

    /// Returns whether `block` is there exactly once.
    pub(crate) fn has_one(&self, block: &[impl AsRef<str>], compare: Compare) -> bool {
        self.places(block, compare).len() == 1
    }

    /// Returns whether a line is there, but for the white space around it.
    pub(crate) fn knows(&self, line: &str) -> bool {
        self.places.contains_key(line.trim())
    }

    fn stands(&self, block: &[impl AsRef<str>], start: usize, compare: Compare) -> bool {
        let Some(lines) = self.lines.get(start..start + block.len()) else {
            return false;
        };
        lines.iter().zip(block).all(|(line, wanted)| match compare {
            Compare::Exact => line == wanted.as_ref(),
            Compare::Trimmed => line.trim() == wanted.as_ref().trim(),
        })
    }
}

/// Returns whether a line says something of its own.
pub(crate) fn telling(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= 4
}
