//! The status line: what runs, who answers, what waits, and the first keys.
//!
//! In: the interface's state and a width. Out: one row; on a narrow screen the less
//! important parts are left out, never cut in the middle. What is said until the next key has more rows where it needs
//! them.

use signoff_core::plural::thousands;
use signoff_llm::mode::Mode;
use signoff_llm::usage::dollars;

use super::App;
use crate::keymap::{Action, Context};
use crate::review::words;
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// The status line as it was laid out last.
#[derive(Debug, Default)]
pub(crate) struct StatusLine {
    rows: Vec<Row>,
}

impl StatusLine {
    /// Returns the status line; where it has several rows, what is said has them.
    pub(super) fn of(app: &App, (width, height): (usize, usize)) -> Self {
        let rows = match app.status.notice() {
            Some(said) if height > 1 => said_rows(said, width),
            _ => vec![line(app, width)],
        };
        Self { rows }
    }

    /// Returns its rows.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }
}

/// Returns what is said in the status line as rows.
pub(super) fn said_rows(said: &str, width: usize) -> Vec<Row> {
    let row = Row::new(Role::Text, " ").with(Role::Warn, said);
    wrap::wrap(&row, width.max(2), 1, Break::Words)
}

fn line(app: &App, width: usize) -> Row {
    let hints = hints(app);
    let mut row = Row::new(Role::Text, " ");
    for part in fitting(parts(app), &hints, width.saturating_sub(2)) {
        if row.width() > 1 {
            row.push(Role::Dim, " · ");
        }
        row.append(&part);
    }
    row.push(Role::Text, " ");
    for hint in hints {
        if row.width() + hint.width() > width {
            break;
        }
        row.append(&hint);
    }
    row.clipped(width)
}

/// A part of the line, and how soon it is left out: the highest first.
type Part = (u8, Row);

fn parts(app: &App) -> Vec<Part> {
    let status = &app.status;
    let mut parts = Vec::new();
    let mut word = status.word().to_owned();
    if let Some(seconds) = status.elapsed(app.now) {
        word.push_str(&format!(" {seconds}s"));
    }
    parts.push((1, Row::new(Role::Strong, &word)));
    // The usual one is worth less than anything else.
    let (rank, role) = match app.conversation.mode {
        Mode::Step => (6, Role::Dim),
        Mode::Plan | Mode::Turn => (2, Role::Strong),
        Mode::WriteThrough => (2, Role::Warn),
    };
    parts.push((rank, Row::new(role, app.conversation.mode.word())));
    if let Some(notice) = status.notice() {
        parts.push((0, Row::new(Role::Warn, notice)));
    }
    if app.focus.permission().is_some_and(|prompt| !prompt.focused) {
        let key = app.keys.name(Context::Composer, Action::SwitchFocus);
        let text = format!("a call needs permission: {key}");
        parts.push((0, Row::new(Role::Warn, &text)));
    }
    match (app.review.list().pending(), app.review.list().conflicts()) {
        (0, 0) => {}
        counts => parts.push((2, Row::new(Role::Warn, &waiting(counts, app)))),
    }
    if let Some(retry) = status.retry() {
        parts.push((3, Row::new(Role::Warn, retry)));
    } else if let Some(silent) = status.silence(app.now) {
        let retry = app.keys.name(Context::Anywhere, Action::Retry);
        let text = format!("no data for {silent}s, {retry} asks again, Esc stops");
        parts.push((3, Row::new(Role::Warn, &text)));
    } else if status.is_busy() && !app.focus.is_in_review() {
        parts.push((4, Row::new(Role::Dim, "Esc stops")));
    }
    if let Some(line) = app.background_line() {
        parts.push((3, Row::new(Role::Warn, &line)));
    }
    if let Some(about) = status.about() {
        let name = match about.model.is_empty() {
            true => about.provider.clone(),
            false if about.model == about.provider => about.model.clone(),
            false => format!("{} ({})", about.model, about.provider),
        };
        parts.push((5, Row::new(Role::Text, &name)));
    }
    let taken = status.taken();
    if taken.tokens() > 0 {
        let mut text = format!(
            "{} in {} out",
            thousands(taken.input),
            thousands(taken.output)
        );
        if let Some(cost) = taken.cost {
            text += &format!(" {}", dollars(cost));
        }
        if let Some(full) = status.full() {
            text += &format!(" {full}% full");
        }
        parts.push((7, Row::new(Role::Dim, &text)));
    }
    if !app.workspace.is_empty() {
        parts.push((8, Row::new(Role::Dim, &app.workspace)));
    }
    parts
}

/// Parts of this rank and above are worth less than the first keys.
const BELOW_KEYS: u8 = 5;

/// Returns the parts that fit together, in their order.
fn fitting(mut parts: Vec<Part>, hints: &[Row], width: usize) -> Vec<Row> {
    let keys: usize = hints.iter().take(3).map(Row::width).sum();
    let taken = |parts: &[Part]| {
        let text: usize = parts.iter().map(|(_, row)| row.width()).sum();
        text + parts.len().saturating_sub(1) * 3
    };
    while let Some(least) = parts.iter().map(|(rank, _)| *rank).max()
        && parts.len() > 1
    {
        let wanted = taken(&parts) + if least >= BELOW_KEYS { keys } else { 0 };
        if wanted <= width {
            break;
        }
        parts.retain(|(rank, _)| *rank != least);
    }
    parts.into_iter().map(|(_, row)| row).collect()
}

fn hints(app: &App) -> Vec<Row> {
    (app.keys.hints(app.context(), app.is_deaf()))
        .map(|(key, word)| {
            Row::new(Role::Text, "  ")
                .with(Role::Key, &key)
                .with(Role::Dim, " ")
                .with(Role::Dim, word)
        })
        .collect()
}

fn waiting((pending, conflicts): (usize, usize), app: &App) -> String {
    let what = words::waiting(pending, conflicts);
    if app.focus.is_in_review() {
        what
    } else {
        let key = app.keys.name(Context::Composer, Action::SwitchFocus);
        format!("{what}: {key}")
    }
}
