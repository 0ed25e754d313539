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
use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::terminal;
use ratatui::layout::{Position, Size};

use super::canvas::{self, Canvas};
use super::pen::Pen;

/// A frame of more bytes than this is marked as one update, so that the terminal does not show half of it. Writing a
/// line and scrolling takes about 200.
const LONG_FRAME: usize = 1024;

/// Writes frames to a terminal.
pub struct ScrollingBackend<W> {
    out: W,
    /// What the terminal shows, and what it is to show.
    canvas: Canvas,
    wanted: Buffer,
}

impl<W: Write> ScrollingBackend<W> {
    /// Returns a backend for an empty terminal.
    pub fn new(out: W, size: Size) -> Self {
        let mut backend = Self {
            out,
            canvas: Canvas::new(Pen::default(), size.width, size.height),
            wanted: Buffer::default(),
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
        self.canvas.pen.raw(text);
    }

    /// Takes over that the terminal is empty, and that nothing is known of its cursor.
    fn forget(&mut self, size: Size) {
        self.canvas.forget(size.width, size.height);
        self.wanted = canvas::blank(size.width, size.height);
        self.canvas.pen.forget();
    }
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
            canvas::put(&mut self.wanted, (x, y), cell);
        }
        if !is_changed {
            return Ok(());
        }
        self.canvas.turn_into(&self.wanted);
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.canvas.pen.show_cursor(false);
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.canvas.pen.show_cursor(true);
        Ok(())
    }

    /// Answers from memory: a terminal that is asked answers among the keys.
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.canvas.pen.cursor().unwrap_or_default())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.canvas.pen.move_to(position.into());
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
        self.canvas.pen.clear();
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
        self.canvas.pen.rest();
        write_frame(&mut self.out, &self.canvas.pen.take())
    }
}

/// Writes the bytes of a frame at once; nothing if there are none.
pub(super) fn write_frame(out: &mut impl Write, frame: &[u8]) -> io::Result<()> {
    if frame.is_empty() {
        return Ok(());
    }
    if frame.len() > LONG_FRAME {
        let marked = [b"\x1b[?2026h", frame, b"\x1b[?2026l"].concat();
        out.write_all(&marked)?;
    } else {
        out.write_all(frame)?;
    }
    out.flush()
}
