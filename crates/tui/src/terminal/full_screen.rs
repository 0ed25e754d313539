//! Writer of the whole screen, in few bytes.
//!
//! In: frames, and where the cursor is. Out: escape sequences: rows that moved are moved by the terminal, ends of rows are
//! erased, and cursor and style are set only where they change.
//!
//! ```text
//! shown    wanted      written
//! one      two         delete row 1, insert a row before row 3
//! two      three       "four" on row 3
//! three    four
//! > _      > _
//! ```

use std::io::{self, Write};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Size};

use super::canvas::{self, Canvas};
use super::pen::Pen;

/// A frame of more bytes than this is marked as one update, so that the terminal does not show half of it. Writing a
/// line and scrolling takes about 200.
const LONG_FRAME: usize = 1024;

/// Writes frames to a terminal.
pub struct FullScreen<W> {
    out: W,
    /// What the terminal shows, and what it is to show.
    canvas: Canvas,
    wanted: Buffer,
}

impl<W: Write> FullScreen<W> {
    /// Returns the writer for an empty terminal.
    pub fn new(out: W, size: Size) -> Self {
        Self {
            out,
            canvas: Canvas::new(Pen::default(), size.width, size.height),
            wanted: canvas::blank(size.width, size.height),
        }
    }

    /// Returns what is written to.
    pub fn writer_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Writes a text with the next frame, as it is.
    pub(crate) fn queue(&mut self, text: &str) {
        self.canvas.pen.raw(text);
    }

    /// Has the next frame written to a terminal that was cleared, and has this size.
    pub(crate) fn clear(&mut self, size: Size) {
        self.canvas.forget(size.width, size.height);
        self.wanted = canvas::blank(size.width, size.height);
        self.canvas.pen.forget();
        self.canvas.pen.clear();
    }

    /// Writes what `draw` makes of a blank frame of this size. It returns where the cursor is, if that is shown.
    pub fn draw(
        &mut self,
        size: Size,
        draw: impl FnOnce(&mut Buffer) -> Option<Position>,
    ) -> io::Result<()> {
        if self.wanted.area.as_size() != size {
            self.clear(size);
        }
        self.wanted.reset();
        let cursor = draw(&mut self.wanted);
        self.canvas.turn_into(&self.wanted);
        self.canvas.pen.show_cursor(cursor.is_some());
        if let Some(cursor) = cursor {
            self.canvas.pen.move_to(cursor);
        }
        self.flush()
    }

    /// Writes what is on its way.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
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
