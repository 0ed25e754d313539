//! Layout of a hunk's lines: stacked, side by side, or alike but for white space.
//!
//! In: the lines of a hunk. Out: elements, with the rows that each takes.

use std::ops::Range;

use signoff_core::diff::lines::diff_lines;
use signoff_core::review::{DiffLine, LineKind};

use super::{Diff, Element};
use crate::review::line_rows::Side;
use crate::review::pairs::pairs;

impl Diff {
    pub(super) fn push_around(&mut self, lines: &[DiffLine], is_below: bool) {
        for (index, line) in lines.iter().enumerate() {
            let index = index as u32;
            let rows = self.line_format(Side::New).height(line);
            self.push(Element::Around { is_below, index }, rows);
        }
    }

    pub(super) fn push_lines(&mut self, lines: &[DiffLine]) {
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

/// Returns a text without its white space.
fn squeezed(text: &str) -> Vec<u8> {
    let bytes = text.bytes();
    bytes.filter(|byte| !byte.is_ascii_whitespace()).collect()
}
