//! Lookup in a diff that is laid out: from rows to hunks and lines, and back.
//!
//! In: a row, an element, or a line of a hunk. Out: where the others are. For example, a hunk whose head is row 3 and that
//! has a warning of two rows has its first line in row 6.

use std::ops::Range;

use signoff_core::edit::diff::line::LineKind;

use super::{Diff, DiffItem, DiffSource, Element, NewNotes};

impl Diff {
    /// Returns a number that layouts have whose lines end in the same columns, and others have not.
    pub(in crate::review) fn key(&self) -> usize {
        const DIGITS: usize = 32;
        (self.format.width * 2 + usize::from(self.format.is_split)) * DIGITS + self.digits
    }

    /// Returns how many rows it has.
    pub(in crate::review) fn len(&self) -> usize {
        self.starts.last().map_or(0, |end| *end as usize)
    }

    /// Returns how many lines are not told apart since white space is ignored.
    pub(in crate::review) fn ignored(&self) -> usize {
        self.ignored
    }

    /// Returns the rows of a hunk, its head included.
    pub(in crate::review) fn span(&self, hunk: usize) -> Range<usize> {
        self.hunks.get(hunk).map_or(0..0, |hunk| hunk.rows.clone())
    }

    /// Returns the hunks of which some rows are among these.
    pub(in crate::review) fn hunks_in(&self, rows: &Range<usize>) -> Range<usize> {
        let first = self
            .hunks
            .partition_point(|hunk| hunk.rows.end <= rows.start);
        let end = self
            .hunks
            .partition_point(|hunk| hunk.rows.start < rows.end);
        first..end.max(first)
    }

    /// Returns the number of the element that a row belongs to.
    pub(in crate::review) fn element_at(&self, row: usize) -> usize {
        let next = self.starts.partition_point(|start| *start as usize <= row);
        next.saturating_sub(1)
            .min(self.elements.len().saturating_sub(1))
    }

    /// Returns the rows of an element.
    pub(in crate::review) fn rows_of(&self, element: usize) -> Range<usize> {
        let start = |at: usize| self.starts.get(at).map_or(0, |start| *start as usize);
        start(element)..start(element + 1)
    }

    /// Returns what an element belongs to; nothing for a gap.
    pub(in crate::review) fn item_of(&self, element: usize) -> Option<DiffItem> {
        match self.elements.get(element)? {
            Element::Gap | Element::Step(_) => None,
            Element::Title { .. } => Some(DiffItem::Title),
            Element::About { proposal, .. } => Some(DiffItem::About(*proposal as usize)),
            _ => {
                let next = self
                    .hunks
                    .partition_point(|hunk| hunk.elements.start <= element);
                next.checked_sub(1).map(DiffItem::Hunk)
            }
        }
    }

    /// Returns true if an element is the head of a hunk.
    pub(in crate::review) fn is_head(&self, element: usize) -> bool {
        self.elements.get(element) == Some(&Element::Head)
    }

    /// Returns whether an element shows a line below its hunk or above it, if it shows one that is around it.
    pub(in crate::review) fn around_side(&self, element: usize) -> Option<bool> {
        match self.elements.get(element)? {
            Element::Around { is_below, .. } => Some(*is_below),
            _ => None,
        }
    }

    /// Returns the elements of a part of the file.
    pub(in crate::review) fn elements_of(&self, item: DiffItem) -> Range<usize> {
        match item {
            DiffItem::Title => 0..self.title,
            DiffItem::About(proposal) => self.about.get(&proposal).cloned().unwrap_or(0..0),
            DiffItem::Hunk(hunk) => self
                .hunks
                .get(hunk)
                .map_or(0..0, |hunk| hunk.elements.clone()),
        }
    }

    /// Returns for each line of a part of the file whether it has to be displayed before a verdict: all but context;
    /// a hunk's head is its first line.
    pub(in crate::review) fn needed(&self, source: &DiffSource<'_>, item: DiffItem) -> Vec<bool> {
        let DiffItem::Hunk(index) = item else {
            return vec![true; self.elements_of(item).len()];
        };
        let Some(hunk) = self.hunks.get(index) else {
            return Vec::new();
        };
        if hunk.is_folded {
            return vec![true];
        }
        let mut needed = vec![true; 1 + hunk.warnings];
        let lines = source.lines(index).iter();
        needed.extend(lines.map(|line| line.kind != LineKind::Context));
        needed.resize(needed.len() + hunk.below, true);
        needed
    }

    /// Returns the lines of its item that an element shows for the user to decide on.
    pub(in crate::review) fn lines_of(&self, element: usize) -> [Option<usize>; 2] {
        let line = |index: u32| self.before_lines(element) + index as usize;
        match self.elements.get(element) {
            Some(Element::Title { place, .. } | Element::About { place, .. }) => {
                [Some(*place as usize), None]
            }
            Some(Element::Head) => [Some(0), None],
            Some(Element::Said { place, .. }) => [Some(*place as usize), None],
            Some(Element::Line(index)) => [Some(line(*index)), None],
            Some(Element::Pair(old, new)) => [old.map(line), new.map(line)],
            Some(
                Element::Gap
                | Element::Step(_)
                | Element::Note(_)
                | Element::Alike(..)
                | Element::Around { .. },
            )
            | None => [None, None],
        }
    }

    /// Returns the line of its hunk that an element shows, if that is one of the diff.
    pub(in crate::review) fn changed_line(&self, element: usize) -> Option<usize> {
        match self.elements.get(element)? {
            Element::Line(_) | Element::Pair(..) => {
                self.lines_of(element).into_iter().flatten().next()
            }
            _ => None,
        }
    }

    /// Returns the first row that shows something of a line.
    pub(in crate::review) fn row_of(&self, item: DiffItem, line: usize) -> Option<usize> {
        let mut elements = self.elements_of(item);
        let element = elements.find(|element| self.lines_of(*element).contains(&Some(line)))?;
        Some(self.rows_of(element).start)
    }

    /// Returns the rows of notes below a hunk or one of its lines, if there are any.
    pub(in crate::review) fn rows_of_notes(
        &self,
        hunk: usize,
        new: NewNotes,
    ) -> Option<Range<usize>> {
        let item = DiffItem::Hunk(hunk);
        let is_note =
            |element: &usize| matches!(self.elements.get(*element), Some(Element::Note(_)));
        let own = self.elements_of(item);
        let notes = match new {
            NewNotes::BelowLine(line) => {
                let mut elements = own.clone();
                let line = Some(self.hunks.get(hunk)?.warnings + 1 + line);
                let shows = elements.find(|element| self.lines_of(*element).contains(&line))?;
                let behind = own.end - (shows + 1..own.end).skip_while(is_note).count();
                shows + 1..behind
            }
            NewNotes::BelowHunk | NewNotes::Last(_) => {
                let all = own.clone().rev().take_while(is_note).count();
                let count = if let NewNotes::Last(count) = new {
                    count.min(all)
                } else {
                    all
                };
                own.end - count..own.end
            }
        };
        let last = notes.clone().next_back()?;
        Some(self.rows_of(notes.start).start..self.rows_of(last).end)
    }

    /// Returns how many lines of a hunk begin or go on above and below the rows that are shown.
    pub(in crate::review) fn out_of_sight(
        &self,
        hunk: usize,
        shown: &Range<usize>,
    ) -> (usize, usize) {
        let span = self.span(hunk);
        let elements = self.elements_of(DiffItem::Hunk(hunk));
        let above = if span.start < shown.start {
            self.element_at(shown.start.min(span.end) - 1) + 1 - elements.start
        } else {
            0
        };
        let below = if span.end > shown.end {
            elements.end - self.element_at(shown.end.max(span.start))
        } else {
            0
        };
        (above, below)
    }

    /// Returns how many lines of a hunk come before those of its diff: its head and the warnings.
    fn before_lines(&self, element: usize) -> usize {
        let hunk = match self.item_of(element) {
            Some(DiffItem::Hunk(hunk)) => self.hunks.get(hunk),
            _ => None,
        };
        1 + hunk.map_or(0, |hunk| hunk.warnings)
    }
}
