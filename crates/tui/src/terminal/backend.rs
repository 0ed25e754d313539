//! Terminal backend that writes few bytes.
//!
//! In: the cells that changed since the last frame, and where the cursor is. Out: escape sequences: rows that moved are
//! moved by the terminal, ends of rows are erased, and cursor and style are set only where they change.
//!
//! ```text
//! shown    wanted      written
//! one      two         delete row 1, insert a row before row 3
//! two      three       "four" on row 3
//! three    four
//! > _      > _
//! ```

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth};
use ratatui::crossterm::terminal;
use ratatui::layout::{Position, Rect, Size};

use super::pen::Pen;
use super::scroll;

/// A frame of more bytes than this is marked as one update, so that the terminal does not show half of it. Writing a
/// line and scrolling takes about 200.
const LONG_FRAME: usize = 1024;

/// Writes frames to a terminal.
pub struct ScrollingBackend<W> {
    out: W,
    /// What the terminal shows, and what it is to show.
    shown: Buffer,
    wanted: Buffer,
    pen: Pen,
}

impl<W: Write> ScrollingBackend<W> {
    /// Returns a backend for an empty terminal.
    pub fn new(out: W, size: Size) -> Self {
        let mut backend = Self {
            out,
            shown: Buffer::default(),
            wanted: Buffer::default(),
            pen: Pen::default(),
        };
        backend.forget(size);
        backend
    }

    /// Returns what is written to.
    pub fn writer_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Writes a text with the next frame, as it is.
    pub(crate) fn queue(&mut self, text: &str) {
        self.pen.raw(text);
    }

    /// Takes over that the terminal is empty, and that nothing is known of its cursor.
    fn forget(&mut self, size: Size) {
        let area = Rect::new(0, 0, size.width, size.height);
        self.shown = Buffer::empty(area);
        self.wanted = Buffer::empty(area);
        self.pen.forget();
    }

    fn scroll(&mut self) {
        let Some(shift) = scroll::find(&self.shown, &self.wanted) else {
            return;
        };
        self.pen.scroll(&shift, self.shown.area.height);
        shift.apply(&mut self.shown);
    }

    fn write_row(&mut self, y: u16, changed: &[u16]) {
        let used = |buffer: &Buffer| {
            let cells = (0..buffer.area.width).rev();
            let last = cells
                .filter_map(|x| Some((x, buffer.cell((x, y))?)))
                .find(|(_, cell)| !is_blank(cell));
            last.map_or(0, |(x, cell)| x + cell.cell_width().max(1))
        };
        let (end, shown_end) = (used(&self.wanted), used(&self.shown));
        // Erasing takes three bytes, a blank one.
        let erases = shown_end > end + 3;
        for x in changed.iter().copied().filter(|x| !erases || *x < end) {
            if let Some(cell) = self.wanted.cell((x, y)) {
                self.pen.cell(&self.wanted, (x, y), cell);
            }
        }
        if erases {
            self.pen.erase_from(end, y);
        }
    }
}

/// Puts a cell into a buffer. Cells behind a wide one are marked: what a terminal shows there once the wide one is gone
/// is not known, so that it is written in any case.
fn put(buffer: &mut Buffer, (x, y): (u16, u16), cell: &Cell) {
    uncover(buffer, (x, y));
    if let Some(place) = buffer.cell_mut((x, y)) {
        place.clone_from(cell);
    }
    for hidden in x + 1..x + cell.cell_width().max(1) {
        uncover(buffer, (hidden, y));
        if let Some(under) = buffer.cell_mut((hidden, y)) {
            under.reset();
            under.set_diff_option(CellDiffOption::AlwaysUpdate);
        }
    }
}

/// Blanks the cells that a wide one covers.
fn uncover(buffer: &mut Buffer, (x, y): (u16, u16)) {
    let width = buffer.cell((x, y)).map_or(1, CellWidth::cell_width).max(1);
    for hidden in x + 1..x + width {
        if let Some(under) = buffer.cell_mut((hidden, y)) {
            under.reset();
        }
    }
}

/// Returns whether an erased cell looks like this one.
fn is_blank(cell: &Cell) -> bool {
    cell == &Cell::EMPTY
}

impl<W: Write> Backend for ScrollingBackend<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut is_changed = false;
        for (x, y, cell) in content {
            is_changed = true;
            put(&mut self.wanted, (x, y), cell);
        }
        if !is_changed {
            return Ok(());
        }
        self.scroll();
        let changed: Vec<(u16, u16)> = self
            .shown
            .diff_iter(&self.wanted)
            .map(|(x, y, _)| (x, y))
            .collect();
        for row in changed.chunk_by(|one, other| one.1 == other.1) {
            let columns: Vec<u16> = row.iter().map(|(x, _)| *x).collect();
            if let Some((_, y)) = row.first() {
                self.write_row(*y, &columns);
            }
        }
        self.shown.content.clone_from(&self.wanted.content);
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.pen.show_cursor(false);
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.pen.show_cursor(true);
        Ok(())
    }

    /// Answers from memory: a terminal that is asked answers among the keys.
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.pen.cursor().unwrap_or_default())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.pen.move_to(position.into());
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    /// Clears all: the interface fills the screen and asks for nothing else.
    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        debug_assert_eq!(
            clear_type,
            ClearType::All,
            "only the whole screen is cleared"
        );
        self.forget(self.size()?);
        self.pen.clear();
        Ok(())
    }

    fn size(&self) -> io::Result<Size> {
        let (width, height) = terminal::size()?;
        Ok(Size { width, height })
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        let size = terminal::window_size()?;
        Ok(WindowSize {
            columns_rows: Size::new(size.columns, size.rows),
            pixels: Size::new(size.width, size.height),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pen.rest();
        let frame = self.pen.take();
        if frame.is_empty() {
            return Ok(());
        }
        if frame.len() > LONG_FRAME {
            let marked = [b"\x1b[?2026h", frame.as_slice(), b"\x1b[?2026l"].concat();
            self.out.write_all(&marked)?;
        } else {
            self.out.write_all(&frame)?;
        }
        self.out.flush()
    }
}
