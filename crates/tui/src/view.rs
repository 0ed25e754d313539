//! View: draws the interface.
//!
//! In: the interface's state, laid out for the size of the screen. Out: a frame. Drawing changes
//! nothing.

mod paint;
mod status;

use std::iter;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::App;
use crate::app::conversation::Queued;
use crate::app::dialog::{Dialog, Overlay, ReviewText};
use crate::app::layout::{self, Areas, MARK};
use crate::app::permission_prompt::PermissionPrompt;
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
        _ if app.focus.palette().is_some() => palette_label().clipped(width).ruled(width),
        Some(dialog) => label(app, dialog).clipped(width).ruled(width),
        None if app.asks_permission() => permission_label(app).clipped(width).ruled(width),
        None if app.transcript.browsed().is_some() => browse_label(app).clipped(width).ruled(width),
        None => status::rule(app, hidden, width),
    };
    let status = status::line(app, width);
    let buffer = frame.buffer_mut();
    let queued = queued(app, areas.queued);
    paint::rows(buffer, areas.queued, app.theme, &queued);
    let menu = match app.focus.palette() {
        Some(palette) => Some(palette.menu()),
        None => app.composer.menu(),
    };
    if let Some(menu) = menu.filter(|_| areas.menu.height > 0) {
        paint::rows(buffer, areas.menu, app.theme, &menu.rows(width));
    }
    paint::rows(buffer, areas.rule, app.theme, [&rule]);
    paint::rows(buffer, areas.status, app.theme, [&status]);
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
            rows.extend(app.history.rows(width, &app.local_time()));
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
fn queued(app: &App, area: Rect) -> Vec<Row> {
    let (width, height) = layout::size(area);
    let shown = app.conversation.queue().iter().take(height);
    let row = |prompt: &Queued| {
        let text = prompt.text();
        let line = text.trim().lines().next().unwrap_or_default();
        let row = Row::new(Role::Dim, "· queued: ").with(Role::Text, line);
        row.clipped(width)
    };
    shown.map(row).collect()
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
        Dialog::Text { about, .. } => {
            let count = app.review.search_count();
            let count = count.filter(|_| *about == ReviewText::Search);
            count.unwrap_or_else(|| about.label().to_owned())
        }
        Dialog::Confirm { .. } => "Take back?".to_owned(),
    };
    Row::new(Role::Dim, "── ").with(Role::Warn, &text)
}

fn palette_label() -> Row {
    Row::new(Role::Dim, "── ").with(Role::Strong, "Actions")
}

fn browse_label(app: &App) -> Row {
    let text = app.transcript.browsed().unwrap_or_default();
    Row::new(Role::Dim, "── ").with(Role::Strong, &text)
}

fn permission_label(app: &App) -> Row {
    let prompt = app.focus.permission();
    let tool = prompt.map_or("", |prompt| &prompt.tool);
    let once = (app.keys).name(Context::Permission, Action::Permission(PermissionKey::Once));
    let text = match prompt.map_or(0, PermissionPrompt::unseen) {
        0 => format!("Allow {tool}?"),
        1 => format!("{tool}: 1 line unseen, {once} shows it"),
        unseen => format!("{tool}: {unseen} lines unseen, {once} shows more"),
    };
    Row::new(Role::Dim, "── ").with(Role::Warn, &text)
}

/// Draws the input and returns how many of its rows are above and below what is seen.
fn draw_input(app: &App, area: Rect, frame: &mut Frame<'_>) -> (usize, usize) {
    let theme = app.theme;
    if let Some(palette) = app.focus.palette() {
        let placeholder = "Part of what it does, or of its name";
        return draw_text(app, palette.line(), placeholder, area, frame);
    }
    if app.asks_permission() {
        let rows = app
            .focus
            .permission()
            .into_iter()
            .flat_map(PermissionPrompt::rows);
        paint::rows(frame.buffer_mut(), area, theme, rows);
        return (0, 0);
    }
    if let Some(text) = app.question() {
        let rows = layout::question_rows(text, area.width.into());
        paint::rows(frame.buffer_mut(), area, theme, &rows);
        return (0, 0);
    }
    let (line, placeholder) = match app.focus.dialog() {
        Some(Dialog::Reason { line, .. }) => (&**line, "A reason, or nothing; the model reads it"),
        Some(Dialog::Instead { line, .. }) => (&**line, "What the model should do; it reads it"),
        Some(Dialog::Text { about, line }) => (&**line, about.placeholder()),
        _ if app.composer.is_searching() => (&app.composer, "Search earlier prompts"),
        _ => (&app.composer, "Ask for a change"),
    };
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
