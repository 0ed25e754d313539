//! View: draws the interface.
//!
//! In: the interface's state, laid out for the size of the screen. Out: a frame. Drawing changes
//! nothing.
//!
//! **Invariant:** drawing changes nothing. It takes `&App`, and there is no cell in the state that could be written
//! to. The loop lays out within the closure that draws, so the size is that of the frame.

mod focus_mark;
mod paint;
mod rule;
mod scrollback;

use std::collections::VecDeque;
use std::iter;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use self::focus_mark::FocusedPart;
pub use self::scrollback::{InlineRows, draw_finished, draw_inline};
use crate::app::App;
use crate::app::conversation::Queued;
use crate::app::dialog::Dialog;
use crate::app::layout::{self, Areas, MARK};
use crate::app::overlay::Overlay;
use crate::composer::Composer;
use crate::theme::Role;
use crate::wrap::Row;

/// Draws the whole screen, as [`App::lay_out`] has laid it out, or the viewport, and returns where the cursor is, if it is
/// shown.
pub fn draw(app: &App, areas: &Areas, buffer: &mut Buffer) -> Option<Position> {
    ground(app, buffer);
    draw_main(app, areas, buffer);
    let (hidden, cursor) = draw_input(app, areas.input, buffer);
    let width = usize::from(areas.rule.width);
    let rule = match app.focus.dialog() {
        _ if app.focus.palette().is_some() => label(Role::Strong, "Actions", width),
        Some(dialog) => label(Role::Warn, &dialog.label(&app.review), width),
        None if let Some(prompt) = app.asking() => {
            let once = app.keys.name(app.context(), "once");
            label(Role::Warn, &prompt.label(&once), width)
        }
        None => match app.transcript.browsed() {
            Some(name) => label(Role::Strong, &name, width),
            None => rule::row(app, hidden, width),
        },
    };
    let rule = match FocusedPart::of(app.context()) {
        FocusedPart::Input if app.composes() => focus_mark::rule(&rule),
        FocusedPart::Input => focus_mark::title(&rule),
        FocusedPart::Overlay | FocusedPart::Review => rule,
    };
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
    paint::rows(buffer, areas.status, app.theme, app.status_line.rows());
    cursor
}

fn ground(app: &App, buffer: &mut Buffer) {
    if let Some(ground) = app.theme.ground() {
        let area = buffer.area;
        buffer.set_style(area, ground);
    }
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
        let mut rows = overlay_rows(app, overlay, width);
        if FocusedPart::of(app.context()) == FocusedPart::Overlay
            && let Some(title) = rows.first_mut()
        {
            *title = focus_mark::title(title);
        }
        paint::rows(buffer, areas.transcript, theme, &rows);
    } else {
        paint::rows(buffer, areas.transcript, theme, app.transcript.rows());
    }
    if let Some(area) = areas.review {
        let (width, height) = layout::size(area);
        let mut rows = app.review.rows(width, height);
        match rows.first_mut() {
            Some(title) if FocusedPart::of(app.context()) == FocusedPart::Review => {
                *title = focus_mark::title(title);
            }
            _ => rows = rows.iter().map(focus_mark::resting).collect(),
        }
        paint::rows(buffer, area, theme, &rows);
    }
}

fn overlay_rows(app: &App, overlay: &Overlay, width: usize) -> Vec<Row> {
    match overlay {
        Overlay::History => {
            let mut rows = vec![title(app.history.title(), width)];
            rows.extend(app.history.rows(width, &app.local_time()));
            rows
        }
        Overlay::Transcript => app.transcript.browsed_rows(),
        Overlay::SignOff(page) => titled(&page.title(), width, page.rows()),
        Overlay::Diff(page) => titled(&page.title(), width, page.rows()),
        Overlay::Places(page) => titled(&page.title(), width, page.rows()),
        Overlay::Note(page) => titled(&page.title(), width, page.rows()),
        Overlay::Background(page) => titled(&page.title(), width, page.rows()),
        Overlay::Help(page) => titled(&page.title(), width, page.rows()),
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

/// How many rows of the input are above and below what is seen.
type Hidden = (usize, usize);

/// Draws the input and returns what of it is hidden, and where the cursor is, if it is in it.
fn draw_input(app: &App, area: Rect, buffer: &mut Buffer) -> (Hidden, Option<Position>) {
    let theme = app.theme;
    if let Some(palette) = app.focus.palette() {
        let placeholder = "Part of what it does, or of its name";
        return draw_text(app, palette.line(), placeholder, area, buffer);
    }
    if let Some(prompt) = app.asking() {
        paint::rows(buffer, area, theme, prompt.rows());
        return ((0, 0), None);
    }
    if let Some(text) = app.question() {
        let rows = layout::question_rows(text, area.width.into());
        paint::rows(buffer, area, theme, &rows);
        return ((0, 0), None);
    }
    let typed = app.focus.dialog().and_then(Dialog::typed);
    let (line, placeholder) = typed.unwrap_or_else(|| app.conversation.typed());
    draw_text(app, line, placeholder, area, buffer)
}

fn draw_text(
    app: &App,
    line: &Composer,
    placeholder: &str,
    area: Rect,
    buffer: &mut Buffer,
) -> (Hidden, Option<Position>) {
    let theme = app.theme;
    let composing = app.takes_text();
    let shown = line.shown();
    let role = if composing { Role::Focus } else { Role::Dim };
    let mark = if shown.above == 0 { "› " } else { "↑ " };
    let text = Rect {
        x: area.x + MARK.min(area.width),
        width: area.width.saturating_sub(MARK),
        ..area
    };
    paint::rows(buffer, area, theme, [&Row::new(role, mark)]);
    if line.is_empty() && composing {
        let row = Row::new(Role::Dim, placeholder).clipped(text.width.into());
        paint::rows(buffer, text, theme, [&row]);
    } else {
        paint::rows(buffer, text, theme, &shown.rows);
    }
    let cursor = if composing {
        cursor_in(text, shown.cursor)
    } else {
        None
    };
    ((shown.above, shown.below), cursor)
}

/// Returns the place of a row and a column of a part, unless that is empty.
fn cursor_in(area: Rect, (row, column): (usize, usize)) -> Option<Position> {
    let x = area.x.saturating_add(column.try_into().unwrap_or(u16::MAX));
    let y = area.y.saturating_add(row.try_into().unwrap_or(u16::MAX));
    (area.width > 0 && area.height > 0).then(|| Position {
        x: x.min(area.right() - 1),
        y: y.min(area.bottom() - 1),
    })
}
