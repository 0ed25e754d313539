//! The status line: what runs, who answers, what waits, and the first keys, which are buttons for the mouse.
//!
//! In: the interface's state and a width. Out: one row, and which columns of it do what; on a narrow screen the less
//! important parts are left out, never cut in the middle. What is said until the next key has more rows where it needs
//! them.
//!
//! Example: ` ready · step  ? help  Ctrl-D quit` has two buttons, `? help` at the columns 16 to 21 and `Ctrl-D quit` at 24
//! to 34. In the review, `a approve` is no button: a click answers nothing.

use std::ops::Range;

use signoff_core::plural::thousands;
use signoff_llm::mode::Mode;
use signoff_llm::usage::dollars;

use super::App;
use super::permission_prompt::PermissionPrompt;
use crate::app::keymap::{Binding, Context};
use crate::event_lines;
use crate::review::words;
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// The status line as it was laid out last.
#[derive(Debug, Default)]
pub(crate) struct StatusLine {
    rows: Vec<Row>,
    buttons: Vec<StatusButton>,
}

/// Columns of the status line that do what their key does.
#[derive(Debug)]
struct StatusButton {
    columns: Range<usize>,
    /// Where its key means that.
    context: Context,
    binding: &'static Binding,
}

impl StatusLine {
    /// Returns the status line; where it has several rows, what is said has them.
    pub(super) fn of(app: &App, (width, height): (usize, usize)) -> Self {
        match app.status.notice() {
            Some(said) if height > 1 => Self {
                rows: said_rows(said, width),
                buttons: Vec::new(),
            },
            _ => line(app, width),
        }
    }

    /// Returns its rows.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns what the button at a column does; nothing where keys mean something else by now.
    pub(super) fn button_at(&self, column: usize, context: Context) -> Option<&'static Binding> {
        let at = |button: &&StatusButton| button.columns.contains(&column);
        let button = self.buttons.iter().find(at)?;
        (button.context == context).then_some(button.binding)
    }
}

/// Returns what is said in the status line as rows.
pub(super) fn said_rows(said: &str, width: usize) -> Vec<Row> {
    let row = Row::new(Role::Text, " ").with(Role::Warn, said);
    wrap::wrap(&row, width.max(2), 1, Break::Words)
}

fn line(app: &App, width: usize) -> StatusLine {
    let hints = hints(app);
    let mut line = StatusLineBuilder::new(app);
    for part in fitting(parts(app), (app.context(), &hints), width.saturating_sub(2)) {
        if line.row.width() > 1 {
            line.row.push(Role::Dim, " · ");
        }
        line.append(&part.row, part.binding);
    }
    line.row.push(Role::Text, " ");
    for (hint, binding) in hints {
        if line.row.width() + GAP.len() + hint.width() > width {
            break;
        }
        line.row.push(Role::Text, GAP);
        line.append(&hint, Some(binding));
    }
    line.ended(width)
}

/// What is between two hints.
const GAP: &str = "  ";

/// A status line while its parts are put beside each other.
struct StatusLineBuilder {
    context: Context,
    row: Row,
    buttons: Vec<StatusButton>,
}

impl StatusLineBuilder {
    fn new(app: &App) -> Self {
        Self {
            context: app.context(),
            row: Row::new(Role::Text, " "),
            buttons: Vec::new(),
        }
    }

    /// Appends a part, which is a button if its key may be one.
    fn append(&mut self, part: &Row, binding: Option<&'static Binding>) {
        let start = self.row.width();
        self.row.append(part);
        let context = self.context;
        if let Some(binding) = binding.filter(|binding| binding.is_button()) {
            self.buttons.push(StatusButton {
                columns: start..self.row.width(),
                context,
                binding,
            });
        }
    }

    /// Returns it cut to `width` columns.
    fn ended(mut self, width: usize) -> StatusLine {
        self.buttons.retain(|button| button.columns.end <= width);
        StatusLine {
            rows: vec![self.row.clipped(width)],
            buttons: self.buttons,
        }
    }
}

/// A part of the line.
struct StatusPart {
    /// How soon it is left out: the highest first.
    rank: u8,
    row: Row,
    /// What its key does, if it names one.
    binding: Option<&'static Binding>,
}

impl StatusPart {
    fn new(rank: u8, role: Role, text: &str) -> Self {
        Self {
            rank,
            row: Row::new(role, text),
            binding: None,
        }
    }

    /// Makes it a button, unless its key means something else where it would be pressed.
    fn doing(mut self, id: &str, app: &App) -> Self {
        let composes = matches!(app.context(), Context::Composer | Context::EmptyComposer);
        self.binding = (app.keys.row(Context::Composer, id)).filter(|_| composes);
        self
    }
}

fn parts(app: &App) -> Vec<StatusPart> {
    let status = &app.status;
    let mut parts = Vec::new();
    let mut word = status.word().to_owned();
    if let Some(seconds) = status.elapsed(app.now) {
        word.push_str(&format!(" {seconds}s"));
    }
    parts.push(StatusPart::new(1, Role::Strong, &word));
    // The usual one is worth less than anything else.
    let (rank, role) = match app.status.conversation().mode {
        Mode::Step => (6, Role::Dim),
        Mode::Plan | Mode::Turn => (2, Role::Strong),
        Mode::WriteThrough => (2, Role::Warn),
    };
    parts.push(StatusPart::new(
        rank,
        role,
        app.status.conversation().mode.word(),
    ));
    if let Some(notice) = status.notice() {
        parts.push(StatusPart::new(0, Role::Warn, notice));
    }
    if app.focus.permission().is_some_and(|prompt| !prompt.focused) {
        let key = app.keys.name(Context::Composer, "switch-focus");
        let text = format!("a call needs permission: {key}");
        let part = StatusPart::new(0, Role::Warn, &text);
        parts.push(part.doing("switch-focus", app));
    }
    match (app.review.list().pending(), app.review.list().conflicts()) {
        (0, 0) => {}
        counts => {
            let part = StatusPart::new(2, Role::Warn, &waiting(counts, app));
            parts.push(part.doing("switch-focus", app));
        }
    }
    if let Some((attempt, wait_ms)) = status.conversation().retry {
        let retry = event_lines::again(attempt, wait_ms);
        parts.push(StatusPart::new(3, Role::Warn, &retry));
    } else if let Some(silent) = status.silence(app.now) {
        let retry = app.keys.name(Context::Anywhere, "retry");
        let text = format!("no data for {silent}s, {retry} asks again, Esc stops");
        parts.push(StatusPart::new(3, Role::Warn, &text));
    } else if status.is_busy() && !app.focus.is_in_review() {
        let part = StatusPart::new(4, Role::Dim, "Esc stops");
        parts.push(part.doing("close", app));
    }
    if let Some(line) = app.background_line() {
        parts.push(StatusPart::new(3, Role::Warn, &line));
    }
    if let Some(about) = &status.conversation().about {
        let name = match about.model.is_empty() {
            true => about.provider.clone(),
            false if about.model == about.provider => about.model.clone(),
            false => format!("{} ({})", about.model, about.provider),
        };
        parts.push(StatusPart::new(5, Role::Text, &name));
    }
    let taken = status.conversation().spent;
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
        parts.push(StatusPart::new(7, Role::Dim, &text));
    }
    if !app.workspace.is_empty() {
        parts.push(StatusPart::new(8, Role::Dim, &app.workspace));
    }
    parts
}

/// Parts of this rank and above are worth less than the first keys.
const BELOW_KEYS: u8 = 5;

/// Keys that are worth more than the parts of little worth.
const FIRST_KEYS: usize = 3;

/// The same in the review: the verdicts, and what explains them. At 80 columns it named no help.
const FIRST_KEYS_OF_REVIEW: usize = 4;

/// Returns the parts that fit together, in their order. Of a question every answer is worth more than any part: `no` is the
/// last that may be missing.
fn fitting(
    mut parts: Vec<StatusPart>,
    (context, hints): (Context, &[(Row, &'static Binding)]),
    width: usize,
) -> Vec<StatusPart> {
    let is_question = matches!(context, Context::Permission | Context::HostPermission);
    let first = match context {
        _ if is_question => hints.len(),
        Context::Review => FIRST_KEYS_OF_REVIEW,
        _ => FIRST_KEYS,
    };
    let keys = hints.iter().take(first);
    let keys: usize = keys.map(|(row, _)| GAP.len() + row.width()).sum();
    let taken = |parts: &[StatusPart]| {
        let text: usize = parts.iter().map(|part| part.row.width()).sum();
        text + parts.len().saturating_sub(1) * 3
    };
    while let Some(least) = parts.iter().map(|part| part.rank).max()
        && parts.len() > 1
    {
        let above = least >= BELOW_KEYS || is_question;
        let wanted = taken(&parts) + if above { keys } else { 0 };
        if wanted <= width {
            break;
        }
        parts.retain(|part| part.rank != least);
    }
    parts
}

/// The keys of the history that answer in its list of what was denied.
const OF_DENIED: [&str; 3] = ["show-diff", "denied", "close"];

/// The key that explains the others.
const HELP: &str = "help";

/// The key of the review that answers where hunks were found that nothing needs.
const OF_NEEDLESS: &str = "deny-needless";

fn hints(app: &App) -> Vec<(Row, &'static Binding)> {
    let context = app.context();
    let has_needless = app.review.needless() > 0;
    let asking = app.focus.permission();
    let is_each_time = asking.is_some_and(PermissionPrompt::is_asked_each_time);
    let is_of_denied = context == Context::History && app.history.lists_denied();
    let mut hints: Vec<(Row, &Binding)> = (app.keys.hints(context, app.is_deaf()))
        .filter(|hint| !is_of_denied || OF_DENIED.contains(&hint.binding.id))
        .filter(|hint| !is_each_time || hint.binding.id != "always")
        .filter(|hint| has_needless || hint.binding.id != OF_NEEDLESS)
        .map(|hint| {
            // In that list the key leads back.
            let word = match hint.binding.id {
                "denied" if is_of_denied => "written",
                _ => hint.word,
            };
            let row = Row::new(Role::Key, &hint.key)
                .with(Role::Dim, " ")
                .with(Role::Dim, word);
            (row, hint.binding)
        })
        .collect();
    let help = hints.iter().position(|hint| hint.1.id == HELP);
    if context == Context::Review
        && let Some(behind_verdicts) = help.and_then(|at| hints.get_mut(3.min(at)..=at))
    {
        behind_verdicts.rotate_right(1);
    }
    // It is there seldom, and then before what is there always; not before the verdicts.
    let needless = hints.iter().position(|hint| hint.1.id == OF_NEEDLESS);
    if let Some(from_verdicts) = needless.and_then(|at| hints.get_mut(2.min(at)..=at)) {
        from_verdicts.rotate_right(1);
    }
    hints
}

fn waiting((pending, conflicts): (usize, usize), app: &App) -> String {
    let what = words::waiting(pending, conflicts);
    // Below a question the key leads to the composer.
    let is_question = matches!(app.context(), Context::Permission | Context::HostPermission);
    if app.focus.is_in_review() || is_question {
        what
    } else {
        let key = app.keys.name(Context::Composer, "switch-focus");
        format!("{what}: {key}")
    }
}
