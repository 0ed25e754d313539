//! The rule above the input.
//!
//! In: the interface's state and a width. Out: one row.

use signoff_core::plural::counted;

use crate::app::App;
use crate::app::keymap::Context;
use crate::theme::Role;
use crate::wrap::Row;

/// Columns that a label of the rule takes beside its text.
const LABEL: usize = 4;

/// Returns the line above the input, with what is out of sight named in it.
pub(crate) fn row(app: &App, input: (usize, usize), width: usize) -> Row {
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
    // Its keys are those of the review: elsewhere they do not go from match to match.
    if matches!(app.context(), Context::Review | Context::Lines)
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
            app.keys.name(Context::Composer, "bottom")
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
    row.push_rule(width.saturating_sub(row.width()));
    row
}

/// Adds the last remark that was made while the review hides the transcript, as far as it fits.
fn append_missed(row: &mut Row, (missed, count): (&Row, usize), width: usize) {
    let last = missed.pieces().last().map_or("", |(_, text)| text);
    let shows = match count {
        1 if last.ends_with(['.', '!', '?', ':']) => "  Esc".to_owned(),
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
        let up = app.keys.name(Context::Composer, "up");
        let delete = app.keys.name(Context::EmptyComposer, "unqueue");
        format!("; {up} edits, {delete} removes")
    };
    let awaited = app.queue_waits_for();
    match count {
        _ if width < NARROW => format!("{count} queued, after {awaited}"),
        1 => format!("1 prompt queued: waits for {awaited}{keys}"),
        n => format!("{n} prompts queued: wait for {awaited}{keys}"),
    }
}
