//! Rows of the terminal: what they show, and how they are turned into other rows.
//!
//! In: what the rows are to show. Out: the bytes that make them so, in a [`Pen`]. Rows that moved are moved by the terminal
//! ([`scroll`]), ends of rows are erased, and cells that are right are not written.

use std::ops::Range;

use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth};
use ratatui::layout::Rect;

use super::pen::Pen;
use super::scroll;

/// Rows of the terminal, from the pen's first row on.
#[derive(Debug)]
pub(super) struct Canvas {
    shown: Buffer,
    pub(super) pen: Pen,
}

impl Canvas {
    /// Returns blank rows.
    pub(super) fn new(pen: Pen, width: u16, height: u16) -> Self {
        Self {
            shown: blank(width, height),
            pen,
        }
    }

    pub(super) fn shown(&self) -> &Buffer {
        &self.shown
    }

    /// Takes over that the rows are blank, and how many they are.
    pub(super) fn forget(&mut self, width: u16, height: u16) {
        self.shown = blank(width, height);
    }

    /// Takes over that there are so many rows: further ones are blank.
    pub(super) fn set_height(&mut self, height: u16) {
        self.shown = with_height(&self.shown, height);
    }

    /// Takes over that the first rows are not among these any more.
    pub(super) fn drop_first(&mut self, rows: u16) {
        let Rect { width, height, .. } = self.shown.area;
        let cells = usize::from(rows.min(height)) * usize::from(width);
        self.shown.content.drain(..cells);
        self.shown.area.height = height.saturating_sub(rows);
    }

    /// Writes what makes the rows show `wanted`, which has as many of them.
    pub(super) fn turn_into(&mut self, wanted: &Buffer) {
        debug_assert_eq!(self.shown.area, wanted.area, "the same rows");
        let Some(rows) = differing(&self.shown, wanted) else {
            return;
        };
        if let Some(shift) = scroll::find(&self.shown, wanted, &rows) {
            let is_bare = shift.loses_blanks(&self.shown);
            self.pen.scroll(&shift, self.shown.area.height, is_bare);
            shift.apply(&mut self.shown);
        }
        let mut wanted = part(wanted, &rows);
        mark_covered(&mut wanted);
        let changed: Vec<(u16, u16)> = part(&self.shown, &rows)
            .diff_iter(&wanted)
            .map(|(x, y, _)| (x, y))
            .collect();
        for row in changed.chunk_by(|one, other| one.1 == other.1) {
            let columns: Vec<u16> = row.iter().map(|(x, _)| *x).collect();
            if let Some((_, y)) = row.first() {
                self.write_row(&wanted, *y, &columns);
            }
        }
        let places = places(&self.shown, &rows);
        let shown = self.shown.content.get_mut(places).into_iter().flatten();
        shown
            .zip(wanted.content)
            .for_each(|(cell, new)| *cell = new);
    }

    fn write_row(&mut self, wanted: &Buffer, y: u16, changed: &[u16]) {
        let (end, shown_end) = (used(wanted, y), used(&self.shown, y));
        // Erasing takes three bytes, a blank one.
        let erases = shown_end > end + 3;
        for x in changed.iter().copied().filter(|x| !erases || *x < end) {
            if let Some(cell) = wanted.cell((x, y)) {
                self.pen.cell(wanted, (x, y), cell);
            }
        }
        if erases {
            self.pen.erase_from(end, y);
        }
    }
}

/// Returns so many rows without anything on them.
pub(super) fn blank(width: u16, height: u16) -> Buffer {
    Buffer::empty(Rect::new(0, 0, width, height))
}

/// Returns the rows with blank ones behind them, or without the last ones.
pub(super) fn with_height(rows: &Buffer, height: u16) -> Buffer {
    let mut other = rows.clone();
    other.resize(Rect {
        height,
        ..rows.area
    });
    other
}

/// Returns the rows from the first one that is another in both buffers to the last one.
fn differing(one: &Buffer, other: &Buffer) -> Option<Range<u16>> {
    let width = usize::from(one.area.width).max(1);
    let mut differ = one
        .content
        .chunks(width)
        .zip(other.content.chunks(width))
        .map(|(one, other)| one != other);
    let first = differ.position(|differs| differs)?;
    let last = differ.rposition(|differs| differs);
    let last = last.map_or(first, |behind| first + 1 + behind);
    Some(u16::try_from(first).ok()?..u16::try_from(last + 1).ok()?)
}

/// Returns some of the rows, by themselves.
fn part(buffer: &Buffer, rows: &Range<u16>) -> Buffer {
    let cells = buffer.content.get(places(buffer, rows));
    Buffer {
        area: Rect {
            y: buffer.area.y + rows.start,
            height: rows.end - rows.start,
            ..buffer.area
        },
        content: cells.unwrap_or_default().to_vec(),
    }
}

/// Returns where the cells of rows are among those of a buffer.
fn places(buffer: &Buffer, rows: &Range<u16>) -> Range<usize> {
    let width = usize::from(buffer.area.width);
    usize::from(rows.start) * width..usize::from(rows.end) * width
}

/// Returns how many columns of a row are not blank at its end.
pub(super) fn used(buffer: &Buffer, y: u16) -> u16 {
    let cells = (0..buffer.area.width).rev();
    let last = cells
        .filter_map(|x| Some((x, buffer.cell((x, y))?)))
        .find(|(_, cell)| !is_blank(cell));
    last.map_or(0, |(x, cell)| x + cell.cell_width().max(1))
}

/// Marks cells behind a wide one, which are blank: what a terminal shows there once the wide one is gone is not known, so that
/// they are written in any case.
pub(super) fn mark_covered(buffer: &mut Buffer) {
    let width = usize::from(buffer.area.width).max(1);
    for row in buffer.content.chunks_mut(width) {
        let mut covered = 0;
        for cell in row {
            if covered > 0 {
                covered -= 1;
                cell.reset();
                cell.set_diff_option(CellDiffOption::AlwaysUpdate);
            } else {
                covered = cell.cell_width().saturating_sub(1);
            }
        }
    }
}

/// Returns whether an erased cell looks like this one.
pub(super) fn is_blank(cell: &Cell) -> bool {
    cell == &Cell::EMPTY
}
