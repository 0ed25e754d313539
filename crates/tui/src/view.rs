//! View: draws the interface.
//!
//! In: the interface's state, laid out for the size of the screen. Out: a frame. Drawing changes
//! nothing.

mod paint;
mod status;

use std::collections::VecDeque;
use std::iter;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::App;
use crate::app::conversation::Queued;
use crate::app::dialog::Dialog;
use crate::app::layout::{self, Areas, MARK};
use crate::app::overlay::Overlay;
use crate::composer::Composer;
use crate::keymap::{Action, Context, PermissionKey};
use crate::theme::Role;
use crate::wrap::Row;

/// Draws the whole screen, as [`App::lay_out`] has laid it out.
pub fn draw(app: &App, areas: &Areas, frame: &mut Frame<'_>) {
    if let Some(ground) = app.theme.ground() {
        let area = frame.area();
        frame.buffer_mut().set_style(area, ground);
    }
    draw_main(app, areas, frame.buffer_mut());
    let hidden = draw_input(app, areas.input, frame);
    let width = usize::from(areas.rule.width);
    let rule = match app.focus.dialog() {
        _ if app.focus.palette().is_some() => label(Role::Strong, "Actions", width),
        Some(dialog) => label(Role::Warn, &dialog.label(&app.review), width),
        None if let Some(prompt) = app.asking() => {
            let once =
                (app.keys).name(Context::Permission, Action::Permission(PermissionKey::Once));
            label(Role::Warn, &prompt.label(&once), width)
        }
        None => match app.transcript.browsed() {
            Some(name) => label(Role::Strong, &name, width),
            None => status::rule(app, hidden, width),
        },
    };
    let status = status::rows(app, layout::size(areas.status));
    let buffer = frame.buffer_mut();
    let queued = queued(app.conversation.queue(), areas.queued);
    paint::rows(buffer, areas.queued, app.theme, &queued);
    let menu = match app.focus.palette() {
        Some(palette) => Some(palette.menu()),
        None => app.conversation.composer().menu(),
    };
    if let Some(menu) = menu.filter(|_| areas.menu.height > 0) {
        paint::rows(buffer, areas.menu, app.theme, &menu.rows(width));
    }
    paint::rows(buffer, areas.rule, app.theme, [&rule]);
    paint::rows(buffer, areas.status, app.theme, &status);
}

fn draw_main(app: &App, areas: &Areas, buffer: &mut Buffer) {
    let theme = app.theme;
    let (width, _) = layout::size(areas.transcript);
    if let Some(foreseen) = app.focus.dialog().and_then(Dialog::foreseen) {
        let name = format!("What it would change{}", foreseen.position());
        let title = title(&name, width);
        let rows = iter::once(&title).chain(foreseen.rows());
        paint::rows(buffer, areas.transcript, theme, rows);
    } else if let Some(overlay) = app.focus.overlay() {
        let rows = overlay_rows(app, overlay, width);
        paint::rows(buffer, areas.transcript, theme, &rows);
    } else {
        paint::rows(buffer, areas.transcript, theme, app.transcript.rows());
    }
    if let Some(area) = areas.review {
        let (width, height) = layout::size(area);
        let rows = app.review.rows(width, height);
        paint::rows(buffer, area, theme, &rows);
    }
}

fn overlay_rows(app: &App, overlay: &Overlay, width: usize) -> Vec<Row> {
    match overlay {
        Overlay::History => {
            let mut rows = vec![title("History", width)];
            rows.extend(app.changes.history.rows(width, &app.local_time()));
            rows
        }
        Overlay::Transcript => app.transcript.browsed_rows(),
        Overlay::SignOff(page) => titled(&page.title(), width, page.rows()),
        Overlay::Diff(page) => titled(&page.title(), width, page.rows()),
        Overlay::Places(page) => titled(&page.title(), width, page.rows()),
        Overlay::Note(page) => titled(&page.title(), width, page.rows()),
        Overlay::Help(page) => {
            let (name, rows) = page.shown(&app.keys, width);
            titled(&name, width, rows.iter())
        }
    }
}

fn titled<'a>(name: &str, width: usize, rows: impl Iterator<Item = &'a Row>) -> Vec<Row> {
    [title(name, width)]
        .into_iter()
        .chain(rows.cloned())
        .collect()
}

/// Returns the queued prompts, the next one first, in a row each.
fn queued(prompts: &VecDeque<Queued>, area: Rect) -> Vec<Row> {
    let (width, height) = layout::size(area);
    let shown = prompts.iter().take(height);
    let row = |prompt: &Queued| {
        let text = prompt.text();
        let line = text.trim().lines().next().unwrap_or_default();
        let row = Row::new(Role::Dim, "· queued: ").with(Role::Text, line);
        row.clipped(width)
    };
    shown.map(row).collect()
}

fn title(name: &str, width: usize) -> Row {
    label(Role::Strong, name, width)
}

/// Returns a line with a text in it.
fn label(role: Role, text: &str, width: usize) -> Row {
    let row = Row::new(Role::Dim, "── ").with(role, text);
    row.clipped(width).ruled(width)
}

/// Draws the input and returns how many of its rows are above and below what is seen.
fn draw_input(app: &App, area: Rect, frame: &mut Frame<'_>) -> (usize, usize) {
    let theme = app.theme;
    if let Some(palette) = app.focus.palette() {
        let placeholder = "Part of what it does, or of its name";
        return draw_text(app, palette.line(), placeholder, area, frame);
    }
    if let Some(prompt) = app.asking() {
        paint::rows(frame.buffer_mut(), area, theme, prompt.rows());
        return (0, 0);
    }
    if let Some(text) = app.question() {
        let rows = layout::question_rows(text, area.width.into());
        paint::rows(frame.buffer_mut(), area, theme, &rows);
        return (0, 0);
    }
    let typed = app.focus.dialog().and_then(Dialog::typed);
    let (line, placeholder) = typed.unwrap_or_else(|| app.conversation.typed());
    draw_text(app, line, placeholder, area, frame)
}

fn draw_text(
    app: &App,
    line: &Composer,
    placeholder: &str,
    area: Rect,
    frame: &mut Frame<'_>,
) -> (usize, usize) {
    let theme = app.theme;
    let composing = app.takes_text();
    let shown = line.shown();
    let role = if composing { Role::Key } else { Role::Dim };
    let mark = if shown.above == 0 { "› " } else { "↑ " };
    let text = Rect {
        x: area.x + MARK.min(area.width),
        width: area.width.saturating_sub(MARK),
        ..area
    };
    paint::rows(frame.buffer_mut(), area, theme, [&Row::new(role, mark)]);
    if line.is_empty() && composing {
        let row = Row::new(Role::Dim, placeholder).clipped(text.width.into());
        paint::rows(frame.buffer_mut(), text, theme, [&row]);
    } else {
        paint::rows(frame.buffer_mut(), text, theme, &shown.rows);
    }
    if composing {
        let (row, column) = shown.cursor;
        set_cursor(frame, text, row, column);
    }
    (shown.above, shown.below)
}

fn set_cursor(frame: &mut Frame<'_>, area: Rect, row: usize, column: usize) {
    let x = area.x.saturating_add(column.try_into().unwrap_or(u16::MAX));
    let y = area.y.saturating_add(row.try_into().unwrap_or(u16::MAX));
    if area.width > 0 && area.height > 0 {
        frame.set_cursor_position(Position {
            x: x.min(area.right() - 1),
            y: y.min(area.bottom() - 1),
        });
    }
}
