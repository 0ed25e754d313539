//! Where the pieces of a Markdown text begin.
//!
//! In: a text of complete lines. Out: the starts of its blocks, and of the items of lists of the first level. In
//! Markdown a block is closed for good by the line that begins the next one.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// A fence that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
    indent: usize,
}

impl Fence {
    /// Returns whether a line closes the fence.
    pub(super) fn is_closed_by(self, line: &str) -> bool {
        line.trim().len() >= self.length && self.is_marks(line)
    }

    /// Returns whether a line has nothing but the marks of this fence.
    pub(super) fn is_marks(self, line: &str) -> bool {
        let body = line.trim();
        !body.is_empty() && body.chars().all(|c| c == self.mark)
    }

    /// Returns a line without the blanks that are in front of the fence.
    pub(super) fn without_indent(self, line: &str) -> &str {
        let blanks = line
            .bytes()
            .take(self.indent)
            .take_while(|byte| *byte == b' ');
        line.get(blanks.count()..).unwrap_or_default()
    }
}

/// Returns the extensions of Markdown that models use.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// Returns the starts of the lines on which pieces begin in this part of the text.
pub(super) fn starts(text: &str, part: Range<usize>) -> Vec<usize> {
    let base = part.start;
    let source = text.get(part).unwrap_or_default();
    let mut starts = Vec::new();
    let mut depth = 0_usize;
    let mut is_list = false;
    for (event, range) in Parser::new_ext(source, options()).into_offset_iter() {
        let begins = match &event {
            Event::Start(tag) => {
                let begins = depth == 0 || depth == 1 && is_list && matches!(tag, Tag::Item);
                if depth == 0 {
                    is_list = matches!(tag, Tag::List(_));
                }
                depth += 1;
                begins
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                false
            }
            _ => depth == 0,
        };
        let start = base + line_start(source, range.start);
        if begins && starts.last().is_none_or(|last| *last < start) {
            starts.push(start);
        }
    }
    starts
}

/// Returns the fence that the line at `start` opens, and what stands behind it.
pub(super) fn opening_fence(text: &str, start: usize) -> Option<(Fence, String)> {
    let line = text.get(start..line_end(text, start))?;
    let body = line.trim_start_matches(' ');
    let indent = line.len() - body.len();
    let mark = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = body.chars().take_while(|c| *c == mark).count();
    let info = body.get(length..).unwrap_or_default().trim();
    let is_fence = length >= 3 && indent < 4 && !(mark == '`' && info.contains('`'));
    let fence = Fence {
        mark,
        length,
        indent,
    };
    is_fence.then(|| (fence, info.to_owned()))
}

/// Returns where the line at `at` begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.rfind('\n').map_or(0, |end| end + 1)
}

/// Returns where the line after the one at `at` begins.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.find('\n').map_or(text.len(), |end| at + end + 1)
}

/// Returns the end of the last line that ends within `most` bytes from `from`, or else of the first one.
pub(super) fn line_end_before(text: &str, from: usize, most: usize) -> Option<usize> {
    let within = text.as_bytes().get(from..from + most)?;
    let last = within.iter().rposition(|byte| *byte == b'\n');
    Some(last.map_or_else(|| line_end(text, from), |at| from + at + 1))
}

/// Returns the end of the last word within `most` bytes, if the text is longer than that from `from` on.
pub(super) fn blank_in_long(text: &str, from: usize, most: usize) -> Option<usize> {
    let tail = text.get(from..).filter(|tail| tail.len() > most)?;
    let mut end = most;
    while !tail.is_char_boundary(end) {
        end -= 1;
    }
    let blank = tail.get(..end)?.rfind(' ');
    Some(from + blank.map_or(end, |blank| blank + 1))
}

/// Returns whether the line above the one at `at` is blank, also in a quote.
pub(super) fn is_after_blank(text: &str, at: usize) -> bool {
    let start = line_start(text, at);
    let above = text.get(..start).and_then(|above| above.strip_suffix('\n'));
    let Some(above) = above else { return false };
    let line = above.rsplit('\n').next().unwrap_or_default();
    line.trim_matches(|c: char| c.is_whitespace() || c == '>')
        .is_empty()
}

/// Returns whether a line of a paragraph says the same alone: it begins nothing else, and the spans in it end in it.
pub(super) fn is_plain(line: &str) -> bool {
    let is_even = |mark| runs(line, mark).is_multiple_of(2);
    let is_open =
        |(opens, closes): (char, char)| line.matches(opens).count() != line.matches(closes).count();
    line.starts_with(char::is_alphabetic)
        && !line.contains('\\')
        && ['*', '_', '`', '~'].into_iter().all(is_even)
        && ![('[', ']'), ('<', '>')].into_iter().any(is_open)
        && !(line.contains("](") && is_open(('(', ')')))
}

/// Returns how many runs of a mark a line has.
fn runs(line: &str, mark: char) -> usize {
    let mut last = None;
    let is_first = |c: &char| last.replace(*c) != Some(mark) && *c == mark;
    line.chars().filter(is_first).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lines_end_what_they_begin() {
        for line in ["said", "a `b` **c** (d)", "see [a](b)", "x < y > z", "a (b"] {
            assert!(is_plain(line), "{line}");
        }
        for line in [
            "", " said", "- item", "1. item", "> said", "| a |", "**a", "a `b", "b` c", "[a](b",
            "a\\", "a <b",
        ] {
            assert!(!is_plain(line), "{line}");
        }
    }
}
