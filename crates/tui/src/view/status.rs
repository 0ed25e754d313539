//! The status line and the rule above the input.
//!
//! In: the interface's state and a width. Out: one row each; on a narrow screen the less
//! important parts are left out, never cut in the middle. What is said until the next key has more rows where it needs
//! them.

use signoff_core::plural::{counted, thousands};
use signoff_llm::mode::Mode;
use signoff_llm::usage::dollars;

use crate::app::{App, layout};
use crate::composer::Edit;
use crate::keymap::{Action, Context};
use crate::review::words;
use crate::theme::Role;
use crate::transcript::Scroll;
use crate::wrap::Row;

/// Returns the status line; where it has several rows, what is said has them.
pub(crate) fn rows(app: &App, (width, height): (usize, usize)) -> Vec<Row> {
    match app.status.notice() {
        Some(said) if height > 1 => layout::said_rows(said, width),
        _ => vec![line(app, width)],
    }
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

/// Columns that a label of the rule takes beside its text.
const LABEL: usize = 4;

/// Returns the line above the input, with what is out of sight named in it.
pub(crate) fn rule(app: &App, input: (usize, usize), width: usize) -> Row {
    let mut row = Row::new(Role::Dim, "──");
    if let Some(missed) = app.transcript.missed().filter(|_| app.focus.is_in_review()) {
        append_missed(&mut row, missed, width);
    }
    let left = width.saturating_sub(row.width());
    let mut label = |role, text: String| {
        if row.width() + text.chars().count() + LABEL <= width {
            row.push(Role::Dim, " ");
            row.push(role, &text);
            row.push(Role::Dim, " ──");
        }
    };
    if app.context() == Context::Lines
        && let Some(count) = app.review.selected_count()
    {
        label(Role::Strong, count);
    }
    if app.focus.shows_review()
        && let Some(count) = app.review.search_count()
    {
        label(Role::Strong, count);
    }
    if app.focus.shows_review() && app.focus.overlay().is_none() {
        let parts = app.review.out_of_sight();
        let parts = parts.parts(left, LABEL);
        parts.into_iter().for_each(|text| label(Role::Warn, text));
    }
    if app.transcript.below() > 0 {
        let text = format!(
            "↓ {} below: {}",
            counted(app.transcript.below(), "line"),
            app.keys
                .name(Context::Composer, Action::Scroll(Scroll::Bottom))
        );
        label(Role::Warn, text);
    }
    match app.conversation.queue().len() {
        0 => {}
        n => label(Role::Text, queued(n, app, width)),
    }
    match input {
        (0, 0) => {}
        (above, below) => label(Role::Text, format!("↑ {above} ↓ {below}")),
    }
    let rest = width.saturating_sub(row.width());
    row.with(Role::Dim, &"─".repeat(rest))
}

/// Adds the last remark that was made while the review hides the transcript, as far as it fits.
fn append_missed(row: &mut Row, (missed, count): (&Row, usize), width: usize) {
    let shows = match count {
        1 => ": Esc".to_owned(),
        count => format!(" (+{}): Esc", count - 1),
    };
    let room = width.saturating_sub(row.width() + LABEL + shows.len());
    row.push(Role::Dim, " ");
    row.append(&missed.clone().clipped(room));
    row.push(Role::Warn, &shows);
    row.push(Role::Dim, " ──");
}

/// Says how many prompts wait, and for what; in fewer words where there is no room.
fn queued(count: usize, app: &App, width: usize) -> String {
    const NARROW: usize = 60;
    const KEYS: usize = 80;
    let keys = if width < KEYS {
        String::new()
    } else {
        let up = app.keys.name(Context::Composer, Action::Edit(Edit::Up));
        let delete = app.keys.name(Context::EmptyComposer, Action::Unqueue);
        format!("; {up} edits, {delete} removes")
    };
    let awaited = app.queue_waits_for();
    match count {
        _ if width < NARROW => format!("{count} queued, after {awaited}"),
        1 => format!("1 prompt queued: waits for {awaited}{keys}"),
        n => format!("{n} prompts queued: wait for {awaited}{keys}"),
    }
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
