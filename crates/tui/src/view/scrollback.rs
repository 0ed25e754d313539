//! Cells of a conversation that goes to the terminal's scrollback.
//!
//! In: rows that are finished, and a viewport that is laid out. Out: cells, for what writes them.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{draw, ground, paint};
use crate::app::{App, FinishedRows, InlineFrame};

/// Rows that become cells at once: a conversation that is taken up may have many thousands.
const ROWS_AT_ONCE: usize = 256;

/// A frame that does not take the whole screen.
#[derive(Debug)]
pub struct InlineRows {
    /// What goes to the scrollback, in pieces.
    pub finished: Vec<Buffer>,
    /// What is below it.
    pub viewport: Buffer,
    /// Where in the viewport the cursor is, if it is shown.
    pub cursor: Option<Position>,
}

/// Draws a frame that does not take the whole screen, as [`App::lay_out_inline`] has laid it out.
pub fn draw_inline(app: &App, frame: &InlineFrame) -> InlineRows {
    let mut viewport = Buffer::empty(Rect::from(frame.viewport));
    let cursor = draw(app, &frame.areas, &mut viewport);
    InlineRows {
        finished: draw_finished(app, &frame.finished, frame.viewport.width),
        viewport,
        cursor,
    }
}

/// Draws rows that go to the scrollback.
pub fn draw_finished(app: &App, rows: &FinishedRows, width: u16) -> Vec<Buffer> {
    let pieces = rows.0.chunks(ROWS_AT_ONCE);
    let drawn = pieces.map(|rows| {
        let height = u16::try_from(rows.len()).unwrap_or(u16::MAX);
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        ground(app, &mut buffer);
        paint::rows(&mut buffer, area, app.theme, rows);
        buffer
    });
    drawn.collect()
}
