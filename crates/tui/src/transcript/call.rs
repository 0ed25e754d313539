//! Transcript cell of a tool call.
//!
//! In: its name, its intent once known, its progress, what it printed and its answer. Out: its lines:
//!
//! ```text
//! ✓ grep  foo → 12 matches in 4 files, 0.1 s
//! ✗ bash  cargo test --offline → exit 101 in 2.1 s
//!   … 35 lines above: Ctrl-O opens all
//!   │ the last lines of standard output
//!   ! the last lines of standard error
//! ```

use std::borrow::Cow;

use signoff_core::edit::intent::Operation;
use signoff_core::plural;
use signoff_llm::session::{CallEnd, CallState};
use signoff_llm::tool::PrintedStreams;

use crate::theme::Role;
use crate::wrap::Row;

/// A call of a tool.
#[derive(Debug)]
pub(crate) struct Call {
    /// What its events have told of it. Nothing here changes it.
    pub(super) state: CallState,
    /// Whether all of its input and output is shown.
    is_open: bool,
    /// What the key is called that shows all of it.
    opening_key: Cow<'static, str>,
}

/// How many files after the first are named.
const MOST_FILES: usize = 4;
/// How many lines of each stream that a call prints are shown, unless all are asked for.
const TAIL_LINES: usize = 5;
/// How many lines of a command are shown, unless all are asked for: a heredoc can be a whole file.
const INPUT_LINES: usize = 5;
/// How many columns a command of one line has at least beside a long outcome, on a screen however narrow: begin and end of
/// `cargo test --offline` can be told.
const LEAST_INPUT: usize = 20;

impl Call {
    /// Returns a call of which nothing is known; the key shows all of what it printed.
    pub(super) fn new(opening_key: Cow<'static, str>) -> Self {
        Self {
            state: CallState::default(),
            is_open: false,
            opening_key,
        }
    }

    /// Shows all of a long command and a long output, or the usual part.
    pub(crate) fn open(&mut self, is_open: bool) {
        self.is_open = is_open;
    }

    /// Takes over what the key is called that shows all of it.
    pub(crate) fn name_key(&mut self, key: Cow<'static, str>) {
        self.opening_key = key;
    }

    /// Shows all of it, or the usual part.
    pub(crate) fn toggle(&mut self) {
        self.is_open = !self.is_open;
    }

    /// Returns what the call ran or looked for, and what it printed.
    pub(super) fn source(&self) -> String {
        let streams = self.state.streams.as_ref();
        let printed = streams.map(|streams| [streams.out.as_str(), streams.err.as_str()].concat());
        let input = self.state.input.clone().unwrap_or_else(|| self.headline());
        let parts = [input, printed.unwrap_or_default()];
        let parts = parts.iter().map(|part| part.trim_end());
        parts
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Returns the name of the tool, the file that it is about, and how it was answered, in a line.
    pub(super) fn headline(&self) -> String {
        let path = self
            .state
            .intent
            .as_ref()
            .map_or("", |intent| intent.path.as_str());
        let outcome = match &self.state.end {
            None => String::new(),
            Some(CallEnd::Answered {
                summary, took_ms, ..
            }) => self.with_time(summary, *took_ms),
            Some(CallEnd::Stopped) => "stopped".to_owned(),
        };
        let parts = [self.state.tool.as_str(), path, &outcome].into_iter();
        parts
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("  ")
    }

    /// Returns true if a part of the command or the output is out of sight at `width` columns unless all is shown.
    pub(crate) fn is_long(&self, width: usize) -> bool {
        let is_over = |text: &str, most| text.lines().count() > most;
        let streams = self.state.streams.as_ref();
        self.state
            .input
            .as_ref()
            .is_some_and(|input| is_over(input, INPUT_LINES))
            || (self.folded_input())
                .is_some_and(|input| Row::new(Role::Strong, input).width() > self.input_room(width))
            || streams.is_some_and(|streams| {
                is_over(&streams.out, TAIL_LINES) || is_over(&streams.err, TAIL_LINES)
            })
    }

    /// Returns the lines for a screen of `width` columns, given how an intent is put in words.
    pub(crate) fn lines(
        &self,
        sentence: impl Fn(&str, Option<Operation>, &str) -> String,
        width: usize,
    ) -> Vec<Row> {
        let mut rows = self.headlines(sentence, width);
        let tail: Vec<&str> = self.state.tail.lines().collect();
        let last = tail.iter().skip(tail.len().saturating_sub(TAIL_LINES));
        rows.extend(last.map(|line| Row::new(Role::Dim, OUT).with(Role::Dim, line)));
        if let Some(PrintedStreams { out, err }) = &self.state.streams {
            rows.extend(self.stream(out, OUT, Role::Dim));
            rows.extend(self.stream(err, ERR, Role::Warn));
        }
        rows
    }

    /// Returns the command or what is looked for, unless the answer begins with it.
    fn input(&self) -> Vec<Row> {
        let Some(input) = &self.state.input else {
            return Vec::new();
        };
        if self.folded_input().is_some()
            || matches!(&self.state.end, Some(CallEnd::Answered { summary, .. }) if self.is_told_by(summary, input))
        {
            return Vec::new();
        }
        let all: Vec<&str> = input.lines().collect();
        let most = if self.is_open { all.len() } else { INPUT_LINES };
        let mut rows: Vec<Row> = Vec::new();
        for (index, line) in all.iter().take(most).enumerate() {
            let row = match index {
                0 => Row::new(Role::Intent, "▸ ")
                    .with(Role::Text, &self.state.tool)
                    .with(Role::Text, "  "),
                _ => Row::new(Role::Text, "    "),
            };
            rows.push(row.with(Role::Strong, line));
        }
        let cut = all.len().saturating_sub(most);
        rows.extend((cut > 0).then(|| left_out(cut, "more", &self.opening_key)));
        rows
    }

    /// Returns the command or what is looked for, if it stands in the row of its outcome: one line of an answered call.
    fn folded_input(&self) -> Option<&str> {
        let Some(CallEnd::Answered { summary, .. }) = &self.state.end else {
            return None;
        };
        let input = self.state.input.as_deref()?.trim_end();
        (!input.contains('\n') && !self.is_told_by(summary, input)).then_some(input)
    }

    /// Returns whether the answer says what was looked for. That of a program, as `exit 3`, says nothing of its command.
    fn is_told_by(&self, summary: &str, input: &str) -> bool {
        self.state.streams.is_none() && summary.starts_with(input)
    }

    /// Returns what was answered, and how long that took, where it is known. The answer of a program has its own time in it.
    fn with_time(&self, summary: &str, took_ms: Option<u64>) -> String {
        match took_ms.filter(|_| self.state.streams.is_none()) {
            None => summary.to_owned(),
            Some(milliseconds @ 0..1_000) => format!("{summary}  {milliseconds} ms"),
            Some(milliseconds) => format!(
                "{summary}  {}.{} s",
                milliseconds / 1_000,
                milliseconds % 1_000 / 100
            ),
        }
    }

    /// Returns how many columns of a row have room for the command: what the rest of it leaves.
    fn input_room(&self, width: usize) -> usize {
        let without = self.outcome_around(Row::default());
        width.saturating_sub(without.width()).max(LEAST_INPUT)
    }

    /// Returns the last lines of a stream, or all.
    fn stream(&self, text: &str, mark: &'static str, role: Role) -> Vec<Row> {
        let all: Vec<&str> = text.lines().collect();
        let most = if self.is_open { all.len() } else { TAIL_LINES };
        let cut = all.len().saturating_sub(most);
        let shown = all.into_iter().skip(cut);
        let shown = shown.map(|line| Row::new(role, mark).with(role, line));
        let above = (cut > 0).then(|| left_out(cut, "above", &self.opening_key));
        above.into_iter().chain(shown).collect()
    }

    fn headlines(
        &self,
        sentence: impl Fn(&str, Option<Operation>, &str) -> String,
        width: usize,
    ) -> Vec<Row> {
        let mut input = self.input();
        let Some(intent) = &self.state.intent else {
            if input.is_empty() || self.has_news() {
                input.push(self.outcome(width));
            }
            return input;
        };
        let text = sentence(&intent.path, intent.operation, &intent.description);
        let text = text + &also(&self.state.more);
        let first = Row::new(Role::Intent, "▸ ").with(Role::Intent, &text);
        let (first, outcome) = match (&self.state.end, self.state.lines) {
            (None, 0) => (first, None),
            (None, lines) => (first.with(Role::Dim, &counted(lines)), None),
            (Some(_), _) => (first, Some(self.outcome(width))),
        };
        let rows = std::iter::once(first).chain(input);
        rows.chain(outcome).collect()
    }

    /// Returns true if there is more to say than that the call runs.
    fn has_news(&self) -> bool {
        self.state.end.is_some() || self.state.lines > 0
    }

    /// Returns how the call stands, with its command where that is one line: cut in the middle if the row has no room for it.
    fn outcome(&self, width: usize) -> Row {
        let input = Row::new(Role::Strong, self.folded_input().unwrap_or(""));
        if self.is_open {
            return self.outcome_around(input);
        }
        self.outcome_around(input.clipped_in_middle(self.input_room(width)))
    }

    fn outcome_around(&self, input: Row) -> Row {
        let tool = self.state.tool.as_str();
        match &self.state.end {
            None => {
                let row = Row::new(Role::Dim, "· ").with(Role::Text, tool);
                match self.state.lines {
                    0 => row,
                    lines => row.with(Role::Dim, &counted(lines)),
                }
            }
            Some(CallEnd::Answered {
                ok,
                summary,
                took_ms,
            }) => {
                let (mark, of_mark, role) = if *ok {
                    ("✓ ", Role::Good, Role::Dim)
                } else {
                    ("✗ ", Role::Bad, Role::Text)
                };
                let mut row = Row::new(of_mark, mark).with(Role::Text, tool);
                row.push(role, "  ");
                if self.folded_input().is_some() {
                    row.append(&input);
                    row.push(Role::Dim, " → ");
                }
                row.with(role, &self.with_time(summary, *took_ms))
            }
            Some(CallEnd::Stopped) => Row::new(Role::Dim, "· ")
                .with(Role::Dim, tool)
                .with(Role::Dim, "  stopped"),
        }
    }
}

/// Marks of a line of standard output, and of one of standard error.
const OUT: &str = "  │ ";
const ERR: &str = "  ! ";

/// Says how many lines are out of sight.
fn left_out(lines: usize, place: &str, key: &str) -> Row {
    let lines = plural::counted(lines, "line");
    let text = format!("  … {lines} {place}: {key} opens all");
    Row::new(Role::Dim, &text)
}

/// Names the files after the first.
fn also(files: &[String]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let named: Vec<&str> = files.iter().take(MOST_FILES).map(String::as_str).collect();
    let named = named.join(", ");
    match files.len().saturating_sub(MOST_FILES) {
        0 => format!("; also {named}"),
        left => format!("; also {named} and {left} more"),
    }
}

fn counted(lines: u64) -> String {
    match lines {
        1 => "  1 line so far".to_owned(),
        lines => format!("  {lines} lines so far"),
    }
}
