//! Laid-out interface: what is visible on a screen of this size.
//!
//! In: the interface's state and the screen. Out: areas, and what stands in them. What is laid out
//! counts as displayed, and scrolling is held within what there is: this is the one step of a frame that
//! changes the state.

use ratatui::layout::Rect;

use super::layout::{self, Areas, Panes};
use super::{MARK, asks_permission, help, size, title};
use crate::app::App;
use crate::app::focus::{Dialog, Overlay, Pane};
use crate::composer::Shown;
use crate::keymap::Context;
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// The most rows that a question takes.
const QUESTION_ROWS: usize = 4;

/// The most rows that a call takes which asks for permission, on a screen of any height, and the
/// share of a high one.
const PERMISSION_ROWS: usize = 8;
const PERMISSION_SHARE: u16 = 2;

/// What is visible.
pub(super) struct Layout {
    pub(super) areas: Areas,
    /// What stands in the place of the panes, if anything does.
    pub(super) over: Option<Vec<Row>>,
    pub(super) input: Input,
}

/// What stands where the user types.
pub(super) enum Input {
    /// The question for permission.
    Permission,
    /// Another question.
    Question(Vec<Row>),
    /// A text, and what stands there while it is empty.
    Text {
        shown: Shown,
        empty: Option<&'static str>,
    },
}

impl Input {
    /// Returns how many rows of a text are above and below what is seen.
    pub(super) fn hidden(&self) -> (usize, usize) {
        match self {
            Self::Text { shown, .. } => (shown.above, shown.below),
            Self::Permission | Self::Question(_) => (0, 0),
        }
    }
}

impl Layout {
    /// Lays the interface out.
    pub(super) fn of(app: &mut App, area: Rect) -> Self {
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
        let over = over(app, &areas);
        if over.is_none() {
            let (width, height) = size(areas.transcript);
            app.transcript.lay_out(width, height);
            if let Some(area) = areas.review {
                let (width, height) = size(area);
                app.review.lay_out(width, height);
            }
        }
        let input = input(app, areas.input);
        Self { areas, over, input }
    }
}

/// Returns the rows that stand in the place of the panes.
fn over(app: &mut App, areas: &Areas) -> Option<Vec<Row>> {
    let (width, height) = size(areas.transcript);
    if let Some(Dialog::Confirm {
        foreseen: Some(foreseen),
        ..
    }) = &mut app.dialog
    {
        let (shown, position) = foreseen.rows(width, height.saturating_sub(1));
        let mut rows = vec![title(&format!("What it would change{position}"), width)];
        rows.extend(shown);
        return Some(rows);
    }
    let overlay = app.overlay?;
    Some(overlay_rows(app, overlay, width, height))
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

/// Lays out what stands where the user types.
fn input(app: &mut App, area: Rect) -> Input {
    if asks_permission(app) {
        if let Some(prompt) = &mut app.permission {
            prompt.lay_out(area.width.into(), area.height.into());
        }
        return Input::Permission;
    }
    if let Some(text) = asked_again(app) {
        return Input::Question(question_rows(text, area.width.into()));
    }
    let (composer, empty) = match &mut app.dialog {
        Some(Dialog::Confirm { question, .. }) => {
            return Input::Question(question_rows(&question.text, area.width.into()));
        }
        Some(Dialog::Reason { line, .. }) => {
            (&mut **line, "A reason, or nothing; the model reads it")
        }
        Some(Dialog::Instead { line, .. }) => {
            (&mut **line, "What the model should do; it reads it")
        }
        None => (&mut app.composer, "Ask for a change"),
    };
    let empty = composer.is_empty().then_some(empty);
    let shown = composer.shown(text_width(area.width), area.height.into());
    Input::Text { shown, empty }
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
