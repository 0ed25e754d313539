//! Painting rows into the screen buffer.
//!
//! In: rows and where they go. Out: styled cells; what does not fit is cut.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

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
            (x, _) = buffer.set_stringn(x, y, text, room, theme.style(role));
        }
        if let Some(style) = last.and_then(|role| theme.behind(role)) {
            let rest = Rect::new(x, y, area.right().saturating_sub(x), 1);
            buffer.set_style(rest, style);
        }
    }
}
