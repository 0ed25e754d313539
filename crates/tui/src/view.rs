//! View: draws the interface.
//!
//! In: the interface's state. Out: a frame. What is visible is laid out first, which then counts as
//! displayed; drawing reads the state and changes nothing.

mod help;
mod laid;
pub(crate) mod layout;
mod paint;
mod status;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use self::laid::{Input, Layout};
use crate::app::App;
use crate::app::focus::Dialog;
use crate::app::permission_prompt::PermissionPrompt;
use crate::keymap::Context;
use crate::theme::Role;
use crate::wrap::Row;

/// Columns of the mark in front of the input, and one after it for the cursor.
const MARK: u16 = 2;

/// Lays the interface out for the screen, and draws it.
pub fn show(app: &mut App, frame: &mut Frame<'_>) {
    let layout = Layout::of(app, frame.area());
    draw(app, &layout, frame);
}

/// Draws the interface as it is laid out.
fn draw(app: &App, layout: &Layout, frame: &mut Frame<'_>) {
    let areas = &layout.areas;
    draw_main(app, layout, frame);
    draw_input(app, layout, frame);
    let width = usize::from(frame.area().width);
    let rule = match &app.dialog {
        Some(dialog) => label(app, dialog).clipped(width).ruled(width),
        None if asks_permission(app) => permission_label(app).clipped(width).ruled(width),
        None => status::rule(app, layout.input.hidden(), width),
    };
    let status = status::line(app, width);
    let buffer = frame.buffer_mut();
    paint::rows(buffer, areas.rule, app.theme, [&rule]);
    paint::rows(buffer, areas.status, app.theme, [&status]);
}

fn draw_main(app: &App, layout: &Layout, frame: &mut Frame<'_>) {
    let (areas, theme) = (&layout.areas, app.theme);
    let buffer = frame.buffer_mut();
    if let Some(rows) = &layout.over {
        return paint::rows(buffer, areas.transcript, theme, rows);
    }
    paint::rows(buffer, areas.transcript, theme, app.transcript.rows());
    if let Some(area) = areas.review {
        let (width, height) = size(area);
        let rows = app.review.rows(width, height);
        paint::rows(buffer, area, theme, &rows);
    }
}

fn title(name: &str, width: usize) -> Row {
    Row::new(Role::Dim, "── ")
        .with(Role::Strong, name)
        .clipped(width)
        .ruled(width)
}

fn label(app: &App, dialog: &Dialog) -> Row {
    let text = match dialog {
        Dialog::Reason { scope, .. } => app.review.ask_why(*scope),
        Dialog::Instead { .. } => "What should be done instead?".to_owned(),
        Dialog::Confirm { .. } => "Take back?".to_owned(),
    };
    Row::new(Role::Dim, "── ").with(Role::Warn, &text)
}

fn permission_label(app: &App) -> Row {
    let prompt = app.permission.as_ref();
    let tool = prompt.map_or("", |prompt| &prompt.tool);
    let text = match prompt.map_or(0, PermissionPrompt::unseen) {
        0 => format!("Allow {tool}?"),
        1 => format!("{tool}: 1 line unseen, y shows it"),
        unseen => format!("{tool}: {unseen} lines unseen, y shows more"),
    };
    Row::new(Role::Dim, "── ").with(Role::Warn, &text)
}

fn draw_input(app: &App, layout: &Layout, frame: &mut Frame<'_>) {
    let (area, theme) = (layout.areas.input, app.theme);
    let (shown, empty) = match &layout.input {
        Input::Permission => {
            if let Some(prompt) = &app.permission {
                paint::rows(frame.buffer_mut(), area, theme, prompt.rows());
            }
            return;
        }
        Input::Question(rows) => return paint::rows(frame.buffer_mut(), area, theme, rows),
        Input::Text { shown, empty } => (shown, *empty),
    };
    let composing = app.takes_text();
    let role = if composing { Role::Key } else { Role::Dim };
    let mark = if shown.above == 0 { "› " } else { "↑ " };
    let text = Rect {
        x: area.x + MARK.min(area.width),
        width: area.width.saturating_sub(MARK),
        ..area
    };
    paint::rows(frame.buffer_mut(), area, theme, [&Row::new(role, mark)]);
    if let Some(empty) = empty.filter(|_| composing) {
        let row = Row::new(Role::Dim, empty).clipped(text.width.into());
        paint::rows(frame.buffer_mut(), text, theme, [&row]);
    } else {
        paint::rows(frame.buffer_mut(), text, theme, &shown.rows);
    }
    if composing {
        let (row, column) = shown.cursor;
        set_cursor(frame, text, row, column);
    }
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

/// Tells whether the question for permission is in the place of the composer.
fn asks_permission(app: &App) -> bool {
    app.context() == Context::Permission
}

fn size(area: Rect) -> (usize, usize) {
    (area.width.into(), area.height.into())
}
