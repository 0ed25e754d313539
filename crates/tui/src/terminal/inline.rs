//! Inline writer: finished rows go to the terminal's scrollback, the rows that still change stay below them.
//!
//! In: rows that are finished since the last frame, and the viewport, which are the rows that still change. Out: bytes. The
//! viewport begins in the row that the cursor was in at first, wherever that is on the screen, and goes down as rows are
//! finished:
//!
//! ```text
//! shown             finished  viewport    on the screen after it
//! > go              (1 row)   | li        > go
//! | l               > go      | ───       | li        <- the viewport begins here
//! | ───                       | › _       | ───
//! | › _                                   | › _
//! ```
//!
//! Rows that were in the viewport and are finished as they are stay where they are, and cost nothing. Rows that enter above
//! it are made with line feeds below it, which scroll the screen only where there is no room, and inserted.
//!
//! All rows are addressed by how far they are from the cursor. A terminal that is asked for the cursor's place answers among
//! the keys; and after a resize no other place on the screen is known.

use std::io::{self, Write};

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Size};

use super::canvas::{self, Canvas};
use super::full_screen::write_frame;
use super::pen::Pen;

/// What a terminal does with rows that are wider than it has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NarrowedRows {
    /// They go on in further rows, as in most terminals.
    Wrap,
    /// They are cut, as in xterm.
    Cut,
}

/// Writes finished rows and a viewport below them.
pub struct InlineScreen<W> {
    out: W,
    /// The viewport as it is on the screen.
    canvas: Canvas,
    size: Size,
    narrowed: NarrowedRows,
}

impl<W: Write> InlineScreen<W> {
    /// Returns the writer for a terminal whose cursor is where the first row is to be.
    pub fn new(out: W, size: Size, narrowed: NarrowedRows) -> Self {
        Self {
            out,
            canvas: Canvas::new(Pen::at_cursor(), size.width, 0),
            size,
            narrowed,
        }
    }

    /// Returns what is written to.
    pub fn writer_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Returns how many rows of the viewport are above the cursor.
    pub fn rows_above_cursor(&self) -> u16 {
        self.canvas.pen.row()
    }

    /// Takes over the size of the terminal. If it has another one, the viewport is erased: its rows may be cut or wrapped.
    pub fn set_size(&mut self, size: Size) {
        if size == self.size {
            return;
        }
        let rows = self.rows_above(size.width);
        self.size = size;
        self.canvas.forget(size.width, 0);
        // A terminal stops at its first row.
        self.canvas
            .pen
            .erase_all_from(rows.min(size.height.saturating_sub(1)));
    }

    /// Returns how many rows are above the cursor up to the first one of the viewport, on a terminal that has become
    /// `width` columns wide.
    fn rows_above(&self, width: u16) -> u16 {
        let (row, column) = (self.canvas.pen.row(), self.column());
        match self.narrowed {
            NarrowedRows::Cut => row,
            NarrowedRows::Wrap => {
                let width = width.max(1);
                let above = (0..row).map(|y| canvas::used(self.canvas.shown(), y));
                let above = above.map(|used| used.div_ceil(width).max(1));
                above.fold(column / width, u16::saturating_add)
            }
        }
    }

    fn column(&self) -> u16 {
        self.canvas.pen.cursor().map_or(0, |at| at.x)
    }

    /// Erases the viewport and leaves the cursor where it began, for whoever has the terminal next.
    pub fn erase(&mut self) -> io::Result<()> {
        if self.canvas.shown().area.height > 0 {
            self.canvas.pen.erase_below(0);
        }
        self.canvas.pen.show_cursor(true);
        self.canvas.forget(self.size.width, 0);
        self.flush()
    }

    /// Takes over that somebody else had the terminal: what is below the cursor is erased, and the viewport begins there.
    pub fn begin_anew(&mut self, size: Size) {
        self.size = size;
        self.canvas.forget(size.width, 0);
        self.canvas.pen.forget();
        self.canvas.pen.erase_all_from(0);
    }

    /// Writes finished rows where the viewport was; it is gone until it is drawn again.
    pub fn print(&mut self, finished: &Buffer) -> io::Result<()> {
        self.print_rows(finished);
        self.flush()
    }

    /// Writes finished rows and, below them, the viewport, which fits the screen; `cursor` is a place in it.
    pub fn draw(
        &mut self,
        finished: &Buffer,
        viewport: &Buffer,
        cursor: Option<Position>,
    ) -> io::Result<()> {
        let height = viewport.area.height;
        debug_assert!(height <= self.size.height, "the viewport fits the screen");
        if height == 0 {
            self.print_rows(finished);
            return self.erase();
        }
        let mut new = finished.area.height;
        let mut wanted = canvas::blank(self.size.width, 0);
        if usize::from(new) + usize::from(height) > usize::from(self.size.height) {
            self.print_rows(finished);
            new = 0;
        } else {
            append(&mut wanted, finished);
        }
        append(&mut wanted, viewport);
        let shown = self.canvas.shown().area.height;
        let rows = wanted.area.height.max(shown);
        if rows > shown {
            // One is there from the start: the cursor is in it.
            let last = shown.saturating_sub(1);
            if rows - 1 > last {
                self.canvas.pen.move_to(Position { x: 0, y: last });
                self.canvas.pen.feed_lines(rows - 1 - last);
            }
            self.canvas.set_height(rows);
        }
        self.canvas.turn_into(&canvas::with_height(&wanted, rows));
        let place = cursor.unwrap_or_default();
        self.canvas.pen.move_to(Position {
            y: place.y.min(height.saturating_sub(1)) + new,
            ..place
        });
        self.canvas.pen.show_cursor(cursor.is_some());
        self.canvas.pen.count_from(new);
        self.canvas.drop_first(new);
        self.canvas.set_height(height);
        self.flush()
    }

    /// Writes rows from the first one of the viewport on, and a line feed after each, however many they are.
    fn print_rows(&mut self, finished: &Buffer) {
        let rows = finished.area.height;
        if rows == 0 {
            return;
        }
        let mut wanted = finished.clone();
        canvas::mark_covered(&mut wanted);
        let shown = self.canvas.shown();
        let same = (0..rows.min(shown.area.height))
            .take_while(|y| cells(shown, *y) == cells(&wanted, *y))
            .count();
        let same = u16::try_from(same).unwrap_or_default();
        match shown.area.height {
            0 => {}
            height if same < height => self.canvas.pen.erase_below(same),
            height => {
                self.canvas.pen.move_to(Position {
                    x: 0,
                    y: height - 1,
                });
                self.canvas.pen.feed_lines(1);
            }
        }
        let blank = canvas::blank(self.size.width, rows);
        let places: Vec<(u16, u16)> = blank.diff_iter(&wanted).map(|(x, y, _)| (x, y)).collect();
        let mut places = places.into_iter().skip_while(|(_, y)| *y < same).peekable();
        for y in same..rows {
            while let Some(place) = places.next_if(|(_, row)| *row == y) {
                if let Some(cell) = wanted.cell(place) {
                    self.canvas.pen.cell(&wanted, place, cell);
                }
            }
            self.canvas.pen.feed_lines(1);
        }
        self.canvas.pen.count_from(rows);
        self.canvas.forget(self.size.width, 0);
    }

    fn flush(&mut self) -> io::Result<()> {
        self.canvas.pen.rest();
        write_frame(&mut self.out, &self.canvas.pen.take())
    }
}

/// Appends rows.
fn append(to: &mut Buffer, rows: &Buffer) {
    debug_assert_eq!(to.area.width, rows.area.width, "rows of one width");
    to.content.extend_from_slice(&rows.content);
    to.area.height += rows.area.height;
}

/// Returns the cells of a row.
fn cells(buffer: &Buffer, y: u16) -> &[Cell] {
    let width = usize::from(buffer.area.width);
    let start = usize::from(y) * width;
    buffer.content.get(start..start + width).unwrap_or_default()
}
