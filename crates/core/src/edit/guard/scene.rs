//! The change that guards inspect.
//!
//! A [`Scene`] has the texts, the edits and the lines that the edits add. It tells whether a place is within a string or
//! a comment, so that no guard parses for itself.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use super::{Alarm, Guard, Severity};
use crate::disk::workspace::WorkspacePath;
use crate::edit::plan::Strategy;
use crate::syntax::health::EXCERPT_CHARS;
use crate::syntax::{Earlier, Language, Parsed, SyntaxCache};
use crate::text::{EditSet, Source};

/// A change and its texts.
pub(super) struct Scene<'a> {
    pub(super) cache: &'a SyntaxCache,
    pub(super) path: &'a WorkspacePath,
    pub(super) language: Option<Language>,
    /// None for a file that does not exist.
    pub(super) before: Option<&'a Source>,
    pub(super) after: &'a Source,
    pub(super) old: Option<&'a str>,
    pub(super) new: &'a str,
    pub(super) edits: &'a EditSet,
    pub(super) strategy: Strategy,
    /// The lines of the text after that hold new bytes.
    pub(super) added: Vec<Added<'a>>,
    known: OnceCell<HashSet<&'a str>>,
    parsed: OnceCell<Option<Parsed<'a>>>,
}

/// A line of the text after that holds new bytes.
#[derive(Clone, Debug)]
pub(super) struct Added<'a> {
    /// 0-based.
    pub(super) row: usize,
    /// Where it begins.
    pub(super) start: usize,
    /// Without its ending.
    pub(super) text: &'a str,
    /// True if its beginning is new.
    pub(super) begins: bool,
}

impl<'a> Scene<'a> {
    /// Makes the scene; none if there is no text after.
    pub(super) fn new(
        cache: &'a SyntaxCache,
        path: &'a WorkspacePath,
        before: Option<&'a Source>,
        after: Option<&'a Source>,
        edits: &'a EditSet,
        strategy: Strategy,
    ) -> Option<Self> {
        let after = after?;
        let new = after.text().ok()?;
        let old = match before {
            Some(before) => Some(before.text().ok()?),
            None => None,
        };
        Some(Self {
            cache,
            path,
            language: Language::of(path),
            before,
            after,
            old,
            new,
            edits,
            strategy,
            added: added(after, new, edits),
            known: OnceCell::new(),
            parsed: OnceCell::new(),
        })
    }

    /// Returns whether the text before has the same line, blanks at its ends aside.
    pub(super) fn was_there(&self, line: &str) -> bool {
        let known = self.known.get_or_init(|| {
            self.old
                .unwrap_or_default()
                .lines()
                .map(str::trim)
                .collect()
        });
        known.contains(line.trim())
    }

    /// Returns the tree of the text after.
    pub(super) fn parsed(&self) -> Option<&Parsed<'a>> {
        self.parsed.get_or_init(|| self.parse()).as_ref()
    }

    fn parse(&self) -> Option<Parsed<'a>> {
        match self.old {
            Some(text) => {
                let edits = self.edits;
                let earlier = Earlier { text, edits };
                self.cache.parse_after(self.language?, self.new, &earlier)
            }
            None => self.cache.parse(self.language?, self.new),
        }
    }

    /// Returns whether byte `at` of the text after is within a string.
    pub(super) fn in_string(&self, at: usize) -> bool {
        let Some(parsed) = self.parsed() else {
            return false;
        };
        let mut node = parsed.root().descendant_for_byte_range(at, at + 1);
        // Strings are near their leaves.
        for _ in 0..6 {
            let Some(here) = node else { return false };
            let kind = here.kind();
            if kind.contains("string") || kind.contains("heredoc") || kind == "block_scalar" {
                return true;
            }
            node = here.parent();
        }
        false
    }

    /// Returns the added lines in runs without a gap.
    pub(super) fn runs(&self) -> impl Iterator<Item = &[Added<'a>]> {
        self.added.chunk_by(|a, b| a.row + 1 == b.row)
    }

    /// Returns a line of the text after that no edit touched, if row `row` is one.
    pub(super) fn kept(&self, row: usize) -> Option<&str> {
        let at = self.added.binary_search_by_key(&row, |line| line.row);
        if at.is_ok() || row >= self.after.line_count() {
            return None;
        }
        std::str::from_utf8(self.after.line(row)).ok()
    }

    /// Makes an alarm about an added line, at the first of its characters that is no blank.
    pub(super) fn alarm(
        &self,
        guard: Guard,
        severity: Severity,
        line: &Added<'_>,
        message: impl Into<String>,
    ) -> Alarm {
        let blanks = line.text.chars().take_while(|c| c.is_whitespace()).count();
        Alarm {
            guard,
            severity,
            line: line.row + 1,
            column: blanks + 1,
            excerpt: excerpt(line.text),
            message: message.into(),
        }
    }
}

/// Returns a line as it is quoted.
pub(super) fn excerpt(line: &str) -> String {
    line.trim_end().chars().take(EXCERPT_CHARS).collect()
}

fn added<'a>(after: &Source, text: &'a str, edits: &EditSet) -> Vec<Added<'a>> {
    let mut lines: Vec<Added<'a>> = Vec::new();
    let mut shift = 0_isize;
    for splice in edits.splices() {
        let start = splice.at.saturating_add_signed(shift);
        shift += splice.new.len() as isize - splice.old.len() as isize;
        if splice.new.is_empty() {
            continue;
        }
        let new = start..start + splice.new.len();
        for row in after.line_of(new.start)..=after.line_of(new.end - 1) {
            if lines.last().is_some_and(|line| line.row >= row) {
                continue;
            }
            lines.extend(added_line(after, text, row, &new));
        }
    }
    lines
}

fn added_line<'a>(
    after: &Source,
    text: &'a str,
    row: usize,
    new: &Range<usize>,
) -> Option<Added<'a>> {
    let range = after.line_range(row);
    let line = text.get(range.clone())?;
    let line = line.strip_suffix('\n').unwrap_or(line);
    let begins = new.start <= range.start;
    Some(Added {
        row,
        start: range.start,
        text: line.strip_suffix('\r').unwrap_or(line),
        begins,
    })
}
