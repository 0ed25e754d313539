//! How a model phrases an edit, before it is put into a format.
//!
//! In: rows as in a diff, and what the model does to them. Out: what every format writes down.

use std::rc::Rc;

use crate::text::Lines;

/// An edit as asked.
#[derive(Clone)]
pub(crate) struct Ask {
    /// The file.
    pub(crate) path: String,
    /// What shall change, in order.
    pub(crate) hunks: Vec<Hunk>,
    /// The text that the model thinks it edits.
    pub(crate) before: Rc<Lines>,
    /// The text that it wants.
    pub(crate) after: Rc<Lines>,
    /// How it writes.
    pub(crate) style: Style,
}

/// Rows that follow each other.
#[derive(Clone)]
pub(crate) struct Hunk {
    /// 0-based line of the first row that is no addition.
    pub(crate) start: usize,
    /// The rows.
    pub(crate) rows: Vec<Row>,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// Stays.
    Context(String),
    /// Goes.
    Removed(String),
    /// Comes.
    Added(String),
}

/// What a model does to the writing as a whole.
#[derive(Clone, Default)]
pub(crate) struct Style {
    /// Added to the line numbers.
    pub(crate) numbers_off: isize,
    /// Added to the counts.
    pub(crate) counts_off: isize,
    /// What is wrong with the writing as a whole, if anything.
    pub(crate) slip: Option<Slip>,
    /// How far it is escaped once too often.
    pub(crate) escaped: Escaped,
    /// How the file is named in headers, if otherwise.
    pub(crate) header: Option<String>,
    /// How the lines of the old text are numbered, if they are.
    pub(crate) numbered_old: Option<usize>,
    /// What stands after a bare `@@`.
    pub(crate) heading: Option<String>,
}

/// A slip in the writing as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slip {
    /// In a code fence, with a word before and after.
    Fenced,
    /// Blank context rows have no leading blank.
    BareBlanks,
    /// Lines end with CR and LF.
    CrLf,
    /// Blank lines around old and new text.
    BlankEdges,
    /// The last line of old and new text has no newline.
    OpenEnd,
}

/// How far a text is escaped.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Escaped {
    /// Not at all.
    #[default]
    No,
    /// Quotes and backslashes.
    Quotes,
    /// Line breaks and tabs as well.
    Lines,
}

impl Row {
    /// Returns the line.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Context(text) | Self::Removed(text) | Self::Added(text) => text,
        }
    }

    /// Returns the line, to be changed.
    pub(crate) fn text_mut(&mut self) -> &mut String {
        match self {
            Self::Context(text) | Self::Removed(text) | Self::Added(text) => text,
        }
    }

    /// Returns whether it is context.
    pub(crate) fn is_context(&self) -> bool {
        matches!(self, Self::Context(_))
    }

    /// Returns whether it is in the text before.
    pub(crate) fn is_before(&self) -> bool {
        !matches!(self, Self::Added(_))
    }
}

impl Hunk {
    /// Returns the lines before.
    pub(crate) fn before(&self) -> Vec<&str> {
        self.rows
            .iter()
            .filter(|row| row.is_before())
            .map(Row::text)
            .collect()
    }

    /// Returns the lines after.
    pub(crate) fn after(&self) -> Vec<&str> {
        let kept = self
            .rows
            .iter()
            .filter(|row| !matches!(row, Row::Removed(_)));
        kept.map(Row::text).collect()
    }

    /// Returns how many context rows stand above the first change, and below the last.
    pub(crate) fn margins(&self) -> (usize, usize) {
        let above = self.rows.iter().take_while(|row| row.is_context()).count();
        let below = self
            .rows
            .iter()
            .rev()
            .take_while(|row| row.is_context())
            .count();
        (above, below)
    }

    /// Returns the rows with at most `context` lines around the changes.
    pub(crate) fn cut(&self, context: usize) -> Self {
        let (above, below) = self.margins();
        let (drop, keep) = (above.saturating_sub(context), below.saturating_sub(context));
        let rows = self
            .rows
            .get(drop..self.rows.len() - keep)
            .unwrap_or_default()
            .to_vec();
        let start = self.start + drop;
        Self { start, rows }
    }

    /// Returns whether nothing is removed.
    pub(crate) fn only_adds(&self) -> bool {
        !self.rows.iter().any(|row| matches!(row, Row::Removed(_)))
    }
}
