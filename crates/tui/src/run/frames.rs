//! Frames: on all of the screen, or below a conversation that goes to the terminal's scrollback.

use std::io;

use super::now;
use crate::app::{App, AppEffect};
use crate::terminal::Screen;
use crate::view;

/// Draws a frame. It is laid out for the size that it is drawn in, not for an earlier one: what was
/// laid out counts as displayed. Returns what is to be done about what it shows.
pub(super) fn show(app: &mut App, screen: &mut Screen) -> io::Result<Vec<AppEffect>> {
    if app.fills_screen() {
        screen.draw(|frame| {
            let areas = app.lay_out(frame.area);
            view::draw(app, &areas, frame)
        })?;
    } else {
        screen.draw_inline(|size| {
            let frame = app.lay_out_inline(size);
            view::draw_inline(app, &frame)
        })?;
    }
    Ok(app.shown(now()))
}

/// Writes what of the conversation the scrollback does not have yet, if it goes there.
pub(super) fn show_rest(app: &mut App, screen: &mut Screen) -> io::Result<()> {
    screen.end(|width| {
        let rest = app.take_unfinished(width);
        view::draw_finished(app, &rest, width)
    })
}
