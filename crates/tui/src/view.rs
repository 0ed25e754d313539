//! View: draws the interface.
//!
//! In: the interface's state. Out: a frame. Drawing first lays out what is visible, which then
//! counts as displayed, and changes nothing else.

mod paint;
mod status;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use crate::app::focus::{Dialog, Overlay, Pane};
use crate::app::layout::{self, Areas, Panes};
use crate::app::permission_prompt::PermissionPrompt;
use crate::app::{App, help};
use crate::keymap::Context;
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// Columns of the mark in front of the input, and one after it for the cursor.
const MARK: u16 = 2;

/// The most rows that a question takes.
const QUESTION_ROWS: usize = 4;

/// The most rows that a call takes which asks for permission, on a screen of any height, and the
/// share of a high one.
const PERMISSION_ROWS: usize = 8;
const PERMISSION_SHARE: u16 = 2;

/// Draws the whole screen.
pub fn draw(app: &mut App, frame: &mut Frame<'_>) {
    let area = frame.area();
    let foreseeing = matches!(
        app.dialog,
        Some(Dialog::Confirm {
            foreseen: Some(_),
            ..
        })
    );
    let panes = if app.pane == Pane::Open && app.overlay.is_none() && !foreseeing {
        Panes::Review
    } else {
        Panes::Transcript
    };
    let areas = layout::areas(area, input_rows(app, area), panes);
    draw_main(app, frame, &areas);
    let hidden = draw_input(app, frame, areas.input);
    let width = usize::from(area.width);
    let rule = match &app.dialog {
        Some(dialog) => label(app, dialog).clipped(width).ruled(width),
        None if asks_permission(app) => permission_label(app).clipped(width).ruled(width),
        None => status::rule(app, hidden, width),
    };
    let status = status::line(app, width);
    let buffer = frame.buffer_mut();
    paint::rows(buffer, areas.rule, app.theme, [&rule]);
    paint::rows(buffer, areas.status, app.theme, [&status]);
}

fn draw_main(app: &mut App, frame: &mut Frame<'_>, areas: &Areas) {
    let theme = app.theme;
    let (width, height) = size(areas.transcript);
    if let Some(Dialog::Confirm {
        foreseen: Some(foreseen),
        ..
    }) = &mut app.dialog
    {
        let (shown, position) = foreseen.rows(width, height.saturating_sub(1));
        let mut rows = vec![title(&format!("What it would change{position}"), width)];
        rows.extend(shown);
        paint::rows(frame.buffer_mut(), areas.transcript, theme, &rows);
        return;
    }
    if let Some(overlay) = app.overlay {
        let rows = overlay_rows(app, overlay, width, height);
        paint::rows(frame.buffer_mut(), areas.transcript, theme, &rows);
        return;
    }
    app.transcript.lay_out(width, height);
    paint::rows(
        frame.buffer_mut(),
        areas.transcript,
        theme,
        app.transcript.rows(),
    );
    if let Some(area) = areas.review {
        let (width, height) = size(area);
        app.review.lay_out(width, height);
        let rows = app.review.rows(width, height);
        paint::rows(frame.buffer_mut(), area, theme, &rows);
    }
}

fn overlay_rows(app: &mut App, overlay: Overlay, width: usize, height: usize) -> Vec<Row> {
    let room = height.saturating_sub(1);
    match overlay {
        Overlay::History => {
            let mut rows = vec![title("History", width)];
            rows.extend(app.history.rows(width, room, app.now));
            rows
        }
        Overlay::Help { top, .. } => {
            let all = help::rows(width);
            let top = top.min(all.len().saturating_sub(room));
            app.overlay = Some(Overlay::Help { top, room });
            let name = if all.len() > room {
                format!(
                    "Keys  {}-{} of {}",
                    top + 1,
                    (top + room).min(all.len()),
                    all.len()
                )
            } else {
                "Keys".to_owned()
            };
            let mut rows = vec![title(&name, width)];
            rows.extend(all.into_iter().skip(top).take(room));
            rows
        }
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

fn input_rows(app: &mut App, area: Rect) -> u16 {
    let width = area.width;
    let most = PERMISSION_ROWS.max((area.height / PERMISSION_SHARE).into());
    let rows = if asks_permission(app) {
        let prompt = app.permission.as_mut();
        prompt.map_or(1, |prompt| prompt.height(width.into()).min(most))
    } else if let Some(text) = asked_again(app) {
        question_rows(text, width.into()).len().min(QUESTION_ROWS)
    } else {
        match &mut app.dialog {
            Some(Dialog::Confirm { question, .. }) => {
                let rows = question_rows(&question.text, width.into());
                rows.len().min(QUESTION_ROWS)
            }
            Some(Dialog::Reason { line, .. } | Dialog::Instead { line, .. }) => {
                line.height(text_width(width))
            }
            None => app.composer.height(text_width(width)),
        }
    };
    rows.try_into().unwrap_or(u16::MAX)
}

/// Draws the input and returns how many of its rows are above and below what is seen.
fn draw_input(app: &mut App, frame: &mut Frame<'_>, area: Rect) -> (usize, usize) {
    let composing = app.takes_text();
    let theme = app.theme;
    if asks_permission(app) {
        if let Some(prompt) = &mut app.permission {
            prompt.lay_out(area.width.into(), area.height.into());
            paint::rows(frame.buffer_mut(), area, theme, prompt.rows());
        }
        return (0, 0);
    }
    if let Some(text) = asked_again(app) {
        let rows = question_rows(text, area.width.into());
        paint::rows(frame.buffer_mut(), area, theme, &rows);
        return (0, 0);
    }
    let (composer, empty) = match &mut app.dialog {
        Some(Dialog::Confirm { question, .. }) => {
            let rows = question_rows(&question.text, area.width.into());
            paint::rows(frame.buffer_mut(), area, theme, &rows);
            return (0, 0);
        }
        Some(Dialog::Reason { line, .. }) => {
            (&mut **line, "A reason, or nothing; the model reads it")
        }
        Some(Dialog::Instead { line, .. }) => {
            (&mut **line, "What the model should do; it reads it")
        }
        None => (&mut app.composer, "Ask for a change"),
    };
    let shown = composer.shown(text_width(area.width), area.height.into());
    let role = if composing { Role::Key } else { Role::Dim };
    let mark = if shown.above == 0 { "› " } else { "↑ " };
    let placeholder = composer.is_empty() && composing;
    let text = Rect {
        x: area.x + MARK.min(area.width),
        width: area.width.saturating_sub(MARK),
        ..area
    };
    paint::rows(frame.buffer_mut(), area, theme, [&Row::new(role, mark)]);
    if placeholder {
        let row = Row::new(Role::Dim, empty).clipped(text.width.into());
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

/// Tells whether the question for permission is in the place of the composer.
fn asks_permission(app: &App) -> bool {
    app.context() == Context::Permission
}

/// Returns what the user is asked about a verdict, in the place of the composer.
fn asked_again(app: &App) -> Option<&str> {
    let question = app.review.question();
    question.filter(|_| app.context() == Context::Review)
}

fn question_rows(text: &str, width: usize) -> Vec<Row> {
    let row = Row::new(Role::Warn, "? ").with(Role::Strong, text);
    wrap::wrap(&row, width, 2, Break::Words)
}

fn text_width(width: u16) -> usize {
    width.saturating_sub(MARK + 1).max(1).into()
}

fn size(area: Rect) -> (usize, usize) {
    (area.width.into(), area.height.into())
}
