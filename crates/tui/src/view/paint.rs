//! Painting rows into the screen buffer.
//!
//! In: rows and where they go. Out: styled cells; what does not fit is cut.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::theme::Theme;
use crate::wrap::Row;

/// Paints rows from the top of `area` down.
pub(crate) fn rows<'a>(
    buffer: &mut Buffer,
    area: Rect,
    theme: Theme,
    rows: impl IntoIterator<Item = &'a Row>,
) {
    let area = area.intersection(*buffer.area());
    for (y, row) in (area.top()..area.bottom()).zip(rows) {
        let mut x = area.left();
        let mut last = None;
        for (role, text) in row.pieces() {
            let room = usize::from(area.right().saturating_sub(x));
            if room == 0 {
                break;
            }
            last = Some(role);
            x = put(buffer, (x, y), text, room, theme.style(role));
        }
        if let Some(style) = last.and_then(|role| theme.behind(role)) {
            let rest = Rect::new(x, y, area.right().saturating_sub(x), 1);
            buffer.set_style(rest, style);
        }
    }
}

/// Writes as much of a text as there is room for, and returns the column behind it. Most texts are ASCII, for which the library
/// takes as long as for any other: a quarter of the work of a frame.
fn put(buffer: &mut Buffer, (x, y): (u16, u16), text: &str, room: usize, style: Style) -> u16 {
    if !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return buffer.set_stringn(x, y, text, room, style).0;
    }
    let mut next = x;
    for c in text.chars().take(room) {
        if let Some(cell) = buffer.cell_mut((next, y)) {
            cell.set_char(c).set_style(style);
        }
        next += 1;
    }
    next
}
