//! Half-applied edits.
//!
//! In: a change, and where its rows stand. Out: the line on which text stands already that the change
//! would insert once more: lines of the file beside the place that equal the added lines and that the
//! request does not show.

use std::collections::HashSet;

use super::insertion;
use super::normal::{Level, is_form, letters, normal};
use super::view::string;
use crate::budget::Budget;
use crate::edit::locate::limits::TELLING_TEXT;
use crate::edit::locate::script::{Alignment, Script};
use crate::text::{Slice, Source};

/// Number of added lines that are evidence without the rest of them.
const SOME: usize = 2;
/// Number of added lines that are compared without the rest: each prefix is a comparison.
const MANY: usize = 32;

/// Returns the 0-based line on which lines stand that a change would put there again.
pub(crate) fn half_made(
    budget: &Budget,
    source: &Source,
    script: &Script,
    alignment: &Alignment,
) -> Option<usize> {
    let shown: HashSet<usize> = alignment.lines.iter().copied().flatten().collect();
    let mut rows_before = 0;
    let mut done = 0;
    for block in script.blocks() {
        let upto = script.rows.slice(done..block.start);
        rows_before += upto.iter().filter(|row| row.is_before()).count();
        let rows = script.rows.slice(block.clone());
        let removed = rows.iter().filter(|row| row.is_before()).count();
        let own = alignment.lines.slice(rows_before..rows_before + removed);
        let place = match own {
            [] => insertion(script, alignment, block.start).map(|at| (at, at)),
            lines => lines
                .first()
                .copied()
                .flatten()
                .zip(lines.last().copied().flatten()),
        };
        (rows_before, done) = (rows_before + removed, block.end);
        let Some((start, last)) = place else {
            continue;
        };
        let end = if removed == 0 { last } else { last + 1 };
        let added: Vec<String> = rows
            .iter()
            .filter(|row| !row.is_before())
            .map(|row| normal(budget, row.text(), Level::Blanks))
            .collect();
        let beside = HalfNeighbours {
            budget,
            source,
            shown: &shown,
        };
        if let Some(line) = beside
            .above(start, &added)
            .or_else(|| beside.below(end, &added))
        {
            return Some(line);
        }
    }
    None
}

/// The lines beside a place.
struct HalfNeighbours<'a> {
    budget: &'a Budget,
    source: &'a Source,
    shown: &'a HashSet<usize>,
}

impl HalfNeighbours<'_> {
    /// Returns where the first of the lines that come stand right above `start`.
    fn above(&self, start: usize, added: &[String]) -> Option<usize> {
        counts(added.len()).find_map(|count| {
            let own = added.get(..count)?;
            let at = start.checked_sub(count)?;
            self.stand(at, own, count == added.len()).then_some(at)
        })
    }

    /// Returns where the last of the lines that come stand right below, from `end` on.
    fn below(&self, end: usize, added: &[String]) -> Option<usize> {
        counts(added.len()).find_map(|count| {
            let own = added.get(added.len() - count..)?;
            self.stand(end, own, count == added.len()).then_some(end)
        })
    }

    /// Returns whether the file has these lines at `at`, and those that the request does not show
    /// among them say enough.
    fn stand(&self, at: usize, own: &[String], all: bool) -> bool {
        let same = |(index, form): (usize, &String)| {
            let text = string(self.source, at + index);
            is_form(self.budget, &text, form, Level::Blanks)
        };
        let hidden = own
            .iter()
            .enumerate()
            .filter(|(index, _)| !self.shown.contains(&(at + index)));
        let letters: usize = hidden.map(|(_, form)| letters(form)).sum();
        let enough = if all {
            letters >= TELLING_TEXT
        } else {
            own.len() >= SOME && letters >= 2 * TELLING_TEXT
        };
        enough && at + own.len() <= self.source.line_count() && own.iter().enumerate().all(same)
    }
}

fn counts(all: usize) -> impl Iterator<Item = usize> {
    std::iter::once(all).chain((1..all.min(MANY)).rev())
}
