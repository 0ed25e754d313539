//! Quoted lines: what a request gave of a place, beside what the file has there.
//!
//! In: the rows of a change and their lines in the file. Out: for each row in the text before, both; so that a person can
//! see why a place was taken that is not as given.
//!
//! ```text
//! quoted            in the file
//! let sum = 0;      let sum = 0;
//! sum += x          sum += x;       differs
//! ```

use serde::{Deserialize, Serialize};

use super::loose::LooseMatch;
use crate::text::Source;

/// Maximum number of bytes of quoted lines that are kept of one change, so that a card stays small: some 50 lines of both
/// sides.
const MOST_KEPT: usize = 4096;

/// A line of a request that is to be in the file, and the line that it was taken for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotedLine {
    /// 1-based line in the file as it was then; none if the file has no such line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The line as the request has it.
    pub quoted: String,
    /// The line as the file has it, if that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub there: Option<String>,
    /// Whether the change keeps the line.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stays: bool,
}

impl QuotedLine {
    /// Returns true if the file does not have the line as the request has it.
    pub fn differs(&self) -> bool {
        self.line.is_none() || self.there.is_some()
    }

    fn size(&self) -> usize {
        self.quoted.len() + self.there.as_ref().map_or(0, String::len)
    }
}

/// Returns the lines of a match as it gave them, beside those of the file.
pub(super) fn quoted(source: &Source, found: &LooseMatch) -> Vec<QuotedLine> {
    let rows = found.script.before().zip(&found.alignment.lines);
    let lines = rows.map(|(row, line)| {
        let there = line.map(|line| source.line_text(line).into_owned());
        QuotedLine {
            line: line.map(|line| line + 1),
            quoted: row.text().to_owned(),
            there: there.filter(|there| there != row.text()),
            stays: row.is_context(),
        }
    });
    kept(lines.collect())
}

/// Returns the lines if they are few; else those that differ, as far as there is room.
pub(super) fn kept(mut lines: Vec<QuotedLine>) -> Vec<QuotedLine> {
    if is_large(&lines) {
        lines.retain(QuotedLine::differs);
    }
    while is_large(&lines) {
        lines.pop();
    }
    lines
}

fn is_large(lines: &[QuotedLine]) -> bool {
    lines.iter().map(QuotedLine::size).sum::<usize>() > MOST_KEPT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_lines_those_that_differ_are_kept() {
        let line = |number: usize, there: Option<&str>| QuotedLine {
            line: Some(number),
            quoted: "x".repeat(100),
            there: there.map(str::to_owned),
            stays: true,
        };
        let few = vec![line(1, None), line(2, Some("y"))];
        assert_eq!(kept(few.clone()), few);
        let mut many: Vec<QuotedLine> = (0..50).map(|number| line(number, None)).collect();
        many.push(line(50, Some("y")));
        assert_eq!(kept(many), [line(50, Some("y"))]);
        let large = (0..100).map(|number| line(number, Some("y")));
        assert_eq!(kept(large.collect()).len(), MOST_KEPT / 101);
    }
}
