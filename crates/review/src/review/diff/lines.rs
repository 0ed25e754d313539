//! Layout of a hunk's lines: stacked, side by side, or alike but for white space.
//!
//! In: the lines of a hunk. Out: elements, with the rows that each takes.

use std::ops::Range;

use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::diff::lines::diff_lines;

use super::{Diff, Element};
use crate::review::comments::HunkNotes;
use crate::review::line_rows::Side;
use crate::review::pairs::pairs;
use crate::wrap::{self, Break, Row};

impl Diff {
    pub(super) fn push_around(&mut self, lines: &[DiffLine], is_below: bool) {
        for (index, line) in lines.iter().enumerate() {
            let index = index as u32;
            let rows = self.line_format(Side::New).height(line);
            self.push(Element::Around { is_below, index }, rows);
        }
    }

    /// Appends the lines of a hunk, each with what stands below it.
    pub(super) fn push_noted(&mut self, lines: &[DiffLine], notes: &HunkNotes) {
        let from = self.elements.len();
        let mut before = self.len();
        self.push_lines(lines);
        if notes.by_line.is_empty() {
            return;
        }
        let elements = self.elements.split_off(from);
        let ends = self.starts.split_off(from + 1);
        for (element, end) in elements.into_iter().zip(ends) {
            self.push(element, end as usize - before);
            before = end as usize;
            let own = lines_in(element).into_iter().flatten();
            let own = own.filter_map(|line| notes.by_line.get(&line));
            own.flatten().for_each(|row| self.push_note(row));
        }
    }

    /// Appends a text that need not be displayed before a verdict.
    pub(super) fn push_note(&mut self, row: &Row) {
        let rows = wrap::wrap(row, self.format.width, 2, Break::Words);
        self.push(Element::Note(self.said.len() as u32), rows.len());
        self.said.push(rows);
    }

    fn push_lines(&mut self, lines: &[DiffLine]) {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            if line.kind == LineKind::Context {
                let rows = self.line_format(Side::New).height(line);
                self.push(Element::Line(at as u32), rows);
                at += 1;
                continue;
            }
            let rest = lines.get(at..).unwrap_or_default();
            let run = |from: usize, kind| {
                let own = rest.iter().skip(from);
                own.take_while(|line| line.kind == kind).count()
            };
            let old = run(0, LineKind::Removed);
            let new = run(old, LineKind::Added);
            self.push_change(lines, at..at + old, at + old..at + old + new);
            at += old + new;
        }
    }

    /// Appends lines that go, and lines that come in their place.
    fn push_change(&mut self, lines: &[DiffLine], old: Range<usize>, new: Range<usize>) {
        if !self.format.ignores_blanks || old.is_empty() || new.is_empty() {
            return self.push_sides(lines, old, new);
        }
        let [left, right] = [&old, &new].map(|side| {
            let lines = lines.get(side.clone()).unwrap_or_default();
            let squeezed = lines.iter().map(|line| squeezed(&line.text));
            squeezed.collect::<Vec<_>>()
        });
        let [left, right] =
            [&left, &right].map(|side| side.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let mut at = (old.start, new.start);
        for change in diff_lines(&left, &right) {
            let (a, b) = (old.start + change.old.start, new.start + change.new.start);
            self.push_alike(lines, at, a);
            self.push_sides(
                lines,
                a..old.start + change.old.end,
                b..new.start + change.new.end,
            );
            at = (old.start + change.old.end, new.start + change.new.end);
        }
        self.push_alike(lines, at, old.end);
    }

    /// Appends lines from `at` up to the old one `end` that differ from the new ones in white space alone.
    fn push_alike(&mut self, lines: &[DiffLine], at: (usize, usize), end: usize) {
        for (old, new) in (at.0..end).zip(at.1..) {
            let rows = self.pair_heights(lines, Some(old), Some(new));
            let rows = if self.format.is_split {
                rows[0].max(rows[1])
            } else {
                rows[1]
            };
            self.push(Element::Alike(old as u32, new as u32), rows);
            self.ignored += 1;
        }
    }

    fn push_sides(&mut self, lines: &[DiffLine], old: Range<usize>, new: Range<usize>) {
        if !self.format.is_split {
            for index in old.chain(new) {
                let format = self.line_format(Side::New);
                let rows = lines.get(index).map_or(1, |line| format.height(line));
                self.push(Element::Line(index as u32), rows);
            }
            return;
        }
        let texts = |side: &Range<usize>| -> Vec<&str> {
            let lines = lines.get(side.clone()).unwrap_or_default();
            lines.iter().map(|line| line.text.as_str()).collect()
        };
        for (a, b) in pairs(&texts(&old), &texts(&new)) {
            let (a, b) = (a.map(|at| old.start + at), b.map(|at| new.start + at));
            let [left, right] = self.pair_heights(lines, a, b);
            let index = |at: Option<usize>| at.map(|at| at as u32);
            self.push(Element::Pair(index(a), index(b)), left.max(right));
        }
    }

    fn pair_heights(
        &self,
        lines: &[DiffLine],
        old: Option<usize>,
        new: Option<usize>,
    ) -> [usize; 2] {
        [(old, Side::Old), (new, Side::New)].map(|(index, side)| {
            let line = index.and_then(|index| lines.get(index));
            line.map_or(0, |line| self.line_format(side).height(line))
        })
    }
}

impl Diff {
    /// Returns which line of its hunk an element shows, where lines are one below another.
    pub(in crate::review) fn hunk_line(&self, element: usize) -> Option<usize> {
        let lines = lines_in(*self.elements.get(element)?);
        lines.into_iter().flatten().next()
    }
}

/// Returns the lines of its hunk that an element shows.
fn lines_in(element: Element) -> [Option<usize>; 2] {
    let line = |index: u32| index as usize;
    match element {
        Element::Line(index) => [Some(line(index)), None],
        Element::Alike(old, new) => [Some(line(new)), Some(line(old))],
        Element::Pair(old, new) => [new.map(line), old.map(line)],
        Element::Gap
        | Element::Title { .. }
        | Element::About { .. }
        | Element::Step(_)
        | Element::Head
        | Element::Said { .. }
        | Element::Note(_)
        | Element::Around { .. } => [None, None],
    }
}

/// Returns a text without its white space.
fn squeezed(text: &str) -> Vec<u8> {
    let bytes = text.bytes();
    bytes.filter(|byte| !byte.is_ascii_whitespace()).collect()
}
