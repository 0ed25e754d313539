//! Finished rows of the transcript, each handed over once, for a terminal that keeps them in its scrollback.
//!
//! In: a width. Out: the rows that are finished since the last call. A cell is finished when it cannot change any more: a
//! prompt, a note, a call that was answered, a text that something follows. Of a text that still grows, the blocks are
//! finished that end before its last one:
//!
//! ```text
//! › go                  finished: a prompt
//!
//! # Title               finished: a paragraph has begun below
//! The first wor         not finished: the paragraph may go on
//! ```

use super::cell::Cell;
use super::{Position, Transcript};
use crate::wrap::Row;

/// How far the transcript was handed over.
#[derive(Debug, Default)]
pub(super) struct HandedOver {
    /// The first cell that was not handed over whole.
    cell: usize,
    /// How many of its rows were, at the width of the last call.
    rows: usize,
    /// How many bytes of its text these rows show.
    bytes: usize,
    width: usize,
    /// Whether the header is the one that stays.
    has_header: bool,
    /// Whether the last cell is finished although nothing follows it.
    is_closed: bool,
}

impl HandedOver {
    /// Takes over that another cell begins.
    pub(super) fn reopen(&mut self) {
        self.is_closed = false;
    }

    /// Returns true if what is said next begins another cell.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }
}

/// What goes to the scrollback.
impl Transcript {
    /// Takes over that the header will not be replaced any more.
    pub(crate) fn keep_header(&mut self) {
        self.handed_over.has_header = true;
    }

    /// Takes over that the text at the end is finished.
    pub(crate) fn close_text(&mut self) {
        self.handed_over.is_closed = true;
    }

    /// Returns the rows that are finished since the last call. Code waits for its colours while at most `room` rows wait
    /// with it: what is handed over cannot be coloured later.
    pub(crate) fn take_finished(&mut self, width: usize, room: usize) -> Vec<Row> {
        self.set_width(width);
        let mut rows = Vec::new();
        while let Some((end, is_whole)) = self.finished_rows(room) {
            self.hand_over(end, &mut rows);
            if !is_whole {
                break;
            }
            self.go_to_next_cell();
        }
        rows
    }

    /// Returns all rows that were not handed over, finished or not: nothing will change them any more.
    pub(crate) fn take_rest(&mut self, width: usize) -> Vec<Row> {
        self.set_width(width);
        let mut rows = Vec::new();
        while self.handed_over.cell < self.cells.len() {
            let whole = self.height_of(self.handed_over.cell);
            self.hand_over((whole, 0), &mut rows);
            self.go_to_next_cell();
        }
        rows
    }

    /// Decides that the last rows which were not handed over are shown, at most `room`; returns how many these are.
    pub(crate) fn lay_out_unfinished(&mut self, room: usize) -> usize {
        (self.held, self.below, self.missed) = (None, 0, None);
        let begin = Position {
            cell: self.handed_over.cell,
            row: self.handed_over.rows,
        };
        self.first = self.last_rows(room).max(begin);
        let end = Position {
            cell: self.cells.len(),
            row: 0,
        };
        self.height = self.rows_between(self.first, end);
        self.height
    }

    fn set_width(&mut self, width: usize) {
        self.width = width.max(1);
        let known = &mut self.handed_over;
        if known.width == self.width {
            return;
        }
        known.width = self.width;
        if known.rows > 0 {
            let cell = self.cells.get(known.cell);
            known.rows = cell.map_or(0, |cell| cell.rows_of_text(known.bytes, self.width));
        }
    }

    /// Returns how many rows of the first cell that was not handed over are finished, with the bytes that they show, and
    /// whether these are all of it; none after the last cell.
    fn finished_rows(&mut self, room: usize) -> Option<((usize, usize), bool)> {
        let number = self.handed_over.cell;
        let is_last = number + 1 == self.cells.len();
        let is_open = self.open.values().any(|open| *open == number);
        let width = self.width;
        let handed_over = self.handed_over.rows;
        let cell = self.cells.get_mut(number)?;
        let whole = cell.rows(width).len();
        let is_done = match number {
            0 => self.handed_over.has_header,
            _ if cell.grows() => !is_last || self.handed_over.is_closed,
            _ => !is_open,
        };
        let end = if is_done {
            (whole, 0)
        } else {
            cell.settled()
                .unwrap_or((handed_over, self.handed_over.bytes))
        };
        let waits = cell
            .awaits_colours()
            .filter(|(row, _)| (handed_over..end.0).contains(row) && end.0 - row <= room);
        Some(match waits {
            Some(before) => (before, false),
            None => (end, is_done),
        })
    }

    fn hand_over(&mut self, (end, bytes): (usize, usize), rows: &mut Vec<Row>) {
        let known = &mut self.handed_over;
        let laid = self.cells.get(known.cell).map_or(&[][..], Cell::laid_rows);
        if let Some(new) = laid.get(known.rows..end).filter(|new| !new.is_empty()) {
            rows.extend_from_slice(new);
            (known.rows, known.bytes) = (end, bytes);
        }
    }

    fn go_to_next_cell(&mut self) {
        let known = &mut self.handed_over;
        (known.cell, known.rows, known.bytes) = (known.cell + 1, 0, 0);
    }
}

#[cfg(test)]
mod tests;
