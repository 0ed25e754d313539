//! Transcript cell of a tool call.
//!
//! In: its name, its intent once known, its progress and its answer. Out: one or two lines.

use signoff_core::intent::Operation;

use crate::theme::Role;
use crate::wrap::Row;

/// A call of a tool.
#[derive(Debug)]
pub(crate) struct Call {
    tool: String,
    intent: Option<Announced>,
    /// The files after the first.
    more: Vec<String>,
    state: State,
    /// The last lines of what it printed.
    tail: Vec<String>,
}

/// How many files after the first are named.
const MOST_FILES: usize = 4;
/// How many lines of what a call prints are shown.
const TAIL_LINES: usize = 5;

#[derive(Debug)]
struct Announced {
    path: String,
    operation: Option<Operation>,
    description: String,
}

#[derive(Debug)]
enum State {
    Streaming { lines: u64 },
    Answered { ok: bool, summary: String },
    Dropped,
}

impl Call {
    /// Returns a call that just began.
    pub(crate) fn new(tool: String) -> Self {
        Self {
            tool,
            intent: None,
            more: Vec::new(),
            state: State::Streaming { lines: 0 },
            tail: Vec::new(),
        }
    }

    /// Takes over what the call is going to do; to another file than the first, too.
    pub(crate) fn announce(
        &mut self,
        path: String,
        operation: Option<Operation>,
        description: String,
    ) {
        let first = self.intent.as_ref();
        if first.is_some_and(|first| !first.path.is_empty() && first.path != path) {
            self.more.push(path);
            return;
        }
        self.intent = Some(Announced {
            path,
            operation,
            description,
        });
    }

    /// Takes over how many lines of content have come.
    pub(crate) fn progress(&mut self, lines: u64) {
        if let State::Streaming { lines: known } = &mut self.state {
            *known = lines;
        }
    }

    /// Takes over what the call prints, and how many lines that was.
    pub(crate) fn printed(&mut self, tail: &str, lines: u64) {
        self.progress(lines);
        let all: Vec<&str> = tail.lines().collect();
        let last = all.iter().skip(all.len().saturating_sub(TAIL_LINES));
        self.tail = last.map(|line| (*line).to_owned()).collect();
    }

    /// Takes over the answer.
    pub(crate) fn answer(&mut self, ok: bool, summary: String) {
        self.state = State::Answered { ok, summary };
    }

    /// Marks a call that will not be answered any more.
    pub(crate) fn stop(&mut self) {
        if matches!(self.state, State::Streaming { .. }) {
            self.state = State::Dropped;
        }
    }

    /// Returns the lines, given how an intent is put in words.
    pub(crate) fn lines(
        &self,
        sentence: impl Fn(&str, Option<Operation>, &str) -> String,
    ) -> Vec<Row> {
        let mut rows = self.headlines(sentence);
        let tail = self.tail.iter();
        rows.extend(tail.map(|line| Row::new(Role::Dim, "  │ ").with(Role::Dim, line)));
        rows
    }

    fn headlines(&self, sentence: impl Fn(&str, Option<Operation>, &str) -> String) -> Vec<Row> {
        let Some(intent) = &self.intent else {
            return vec![self.outcome(&self.tool)];
        };
        let text = sentence(&intent.path, intent.operation, &intent.description);
        let text = text + &also(&self.more);
        let first = Row::new(Role::Intent, "▸ ").with(Role::Intent, &text);
        match &self.state {
            State::Streaming { lines: 0 } => vec![first],
            State::Streaming { lines } => vec![first.with(Role::Dim, &counted(*lines))],
            _ => vec![first, self.outcome(&self.tool)],
        }
    }

    fn outcome(&self, tool: &str) -> Row {
        match &self.state {
            State::Streaming { lines: 0 } => Row::new(Role::Dim, "· ").with(Role::Text, tool),
            State::Streaming { lines } => Row::new(Role::Dim, "· ")
                .with(Role::Text, tool)
                .with(Role::Dim, &counted(*lines)),
            State::Answered { ok: true, summary } => Row::new(Role::Good, "✓ ")
                .with(Role::Text, tool)
                .with(Role::Dim, "  ")
                .with(Role::Dim, summary),
            State::Answered { ok: false, summary } => Row::new(Role::Bad, "✗ ")
                .with(Role::Text, tool)
                .with(Role::Text, "  ")
                .with(Role::Text, summary),
            State::Dropped => Row::new(Role::Dim, "· ")
                .with(Role::Dim, tool)
                .with(Role::Dim, "  stopped"),
        }
    }
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
