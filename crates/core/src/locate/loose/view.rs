//! A text as it is at one level of looseness, and the places of lines in it.
//!
//! In: a source and a level. Out: [`View`], in which a block of lines is found in one linear
//! search; every line of the view is a line of the file.

use super::index::{cuts, is_lead};
use super::normal::{Level, cells, indent, normal};
use crate::locate::exact::MAX_PLACES;
use crate::text::Source;

/// The normal form of every line, each after a `\n`, closed by one.
pub struct View {
    level: Level,
    text: String,
    starts: Vec<usize>,
}

/// A block of lines to look for.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The lines.
    pub lines: &'a [&'a str],
    /// True if the first line may begin within a line of the file.
    pub open_start: bool,
    /// True if the last line may end within a line of the file.
    pub open_end: bool,
}

/// Where a block stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// 0-based line of the file.
    pub line: usize,
    /// What the file has on the first line before the block.
    pub prefix: String,
    /// What it has on the last line after the block.
    pub suffix: String,
}

impl View {
    /// Makes the view of a text.
    pub fn new(source: &Source, level: Level) -> Self {
        let count = source.line_count();
        let mut text = String::with_capacity(source.bytes().len() + 2);
        let mut starts = Vec::with_capacity(count);
        for line in 0..count {
            text.push('\n');
            starts.push(text.len());
            text.push_str(&normal(&string(source, line), level));
        }
        text.push('\n');
        Self {
            level,
            text,
            starts,
        }
    }

    /// Returns the number of lines.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the normal form of line `line`.
    pub fn line(&self, line: usize) -> &str {
        let start = self.starts.get(line).copied().unwrap_or(self.text.len());
        let end = self
            .starts
            .get(line + 1)
            .map_or(self.text.len(), |next| *next);
        self.text
            .get(start..end.saturating_sub(1))
            .unwrap_or_default()
    }

    /// Returns where `block` stands, in order, at most [`MAX_PLACES`] spots.
    pub fn spots(&self, source: &Source, block: Block<'_>) -> Vec<Spot> {
        let forms: Vec<String> = block
            .lines
            .iter()
            .map(|line| normal(line, self.level))
            .collect();
        if forms.iter().all(String::is_empty) {
            return Vec::new();
        }
        // Where indentation is looked through, a line that has some begins a line.
        let first_indented = block
            .lines
            .first()
            .is_some_and(|line| !indent(line).is_empty());
        let closed_start = !block.open_start || (self.level >= Level::Blanks && first_indented);
        let mut needle = if closed_start {
            "\n".to_owned()
        } else {
            String::new()
        };
        needle.push_str(&forms.join("\n"));
        if !block.open_end {
            needle.push('\n');
        }
        let found = places(&self.text, &needle);
        let lead = usize::from(closed_start);
        let found = found
            .into_iter()
            .map(|at| (at + lead, at + needle.len() - usize::from(!block.open_end)));
        found
            .filter_map(|(start, end)| self.spot(source, start, end, block.lines.len()))
            .collect()
    }

    fn spot(&self, source: &Source, start: usize, end: usize, lines: usize) -> Option<Spot> {
        let line = self
            .starts
            .partition_point(|at| *at <= start)
            .checked_sub(1)?;
        let last = line + lines.saturating_sub(1);
        let (first_start, last_start) = (*self.starts.get(line)?, *self.starts.get(last)?);
        let (before, after) = (self.text.get(first_start..start)?, self.text.get(end..)?);
        let matched = self.text.get(start..end)?;
        if cuts(before, matched) || cuts(matched, after) {
            return None;
        }
        let file = |line: usize, taken: &str| {
            let text = string(source, line);
            let cells = cells(&text, self.level);
            let at = cells
                .get(taken.chars().count())
                .map_or(text.len(), |cell| cell.at);
            (
                text.get(..at).unwrap_or_default().to_owned(),
                text.get(at..).unwrap_or_default().to_owned(),
            )
        };
        if self.level < Level::Blanks && is_lead(before) {
            // It begins its line but for indentation, which is a matter for the next level.
            return None;
        }
        let prefix = if before.is_empty() {
            String::new()
        } else {
            file(line, before).0
        };
        let suffix = if after.starts_with('\n') {
            String::new()
        } else {
            file(last, self.text.get(last_start..end)?).1
        };
        Some(Spot {
            line,
            prefix,
            suffix,
        })
    }
}

/// Returns a line of the file as text.
pub fn string(source: &Source, line: usize) -> std::borrow::Cow<'_, str> {
    source.line_text(line)
}

fn places(text: &str, needle: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(needle)) {
        found.push(from + at);
        if found.len() == MAX_PLACES {
            break;
        }
        let step = text
            .get(from + at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8);
        from += at + step;
    }
    found
}
