//! Comparing an insertion with the text that is there, white space apart.

use std::ops::Range;

use crate::text::Source;
use crate::word::is_word;

/// Returns the range of `new` directly after byte `at`.
pub(super) fn follows(text: &str, at: usize, new: &str) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let mut own = rest.char_indices().filter(|(_, c)| !c.is_whitespace());
    let mut end = at;
    let mut last = None;
    for wanted in bare(new).chars().filter(|c| !c.is_whitespace()) {
        let (index, c) = own.next()?;
        if c != wanted {
            return None;
        }
        last = Some(c);
        end = at + index + c.len_utf8();
    }
    let next = text.get(end..).and_then(|rest| rest.chars().next());
    (last.is_some() && !joins(last, next)).then_some(at..end)
}

/// Returns the range of `new` directly before byte `at`.
pub(super) fn precedes(text: &str, at: usize, new: &str) -> Option<Range<usize>> {
    let head = text.get(..at)?;
    let mut own = head
        .char_indices()
        .rev()
        .filter(|(_, c)| !c.is_whitespace())
        .peekable();
    // A list may close with a comma that the new text has not.
    if own.peek().is_some_and(|(_, c)| *c == ',') && !bare(new).ends_with(',') {
        own.next();
    }
    let mut start = at;
    let mut first = None;
    for wanted in bare(new).chars().rev().filter(|c| !c.is_whitespace()) {
        let (index, c) = own.next()?;
        if c != wanted {
            return None;
        }
        first = Some(c);
        start = index;
    }
    let before = text.get(..start).and_then(|head| head.chars().next_back());
    (first.is_some() && !joins(before, first)).then_some(start..at)
}

/// Returns the range of the lines that are those of `new`, wherever they are.
pub(super) fn whole_lines(source: &Source, new: &str) -> Option<Range<usize>> {
    let wanted: Vec<&str> = new.lines().map(str::trim_end).collect();
    let wanted: Vec<&str> = wanted
        .into_iter()
        .skip_while(|line| line.is_empty())
        .collect();
    let first = wanted.first()?;
    let starts = (0..source.line_count())
        .filter(|line| source.line(*line).trim_ascii_end() == first.as_bytes())
        .take(64);
    let at = starts.into_iter().find(|start| {
        wanted
            .iter()
            .enumerate()
            .all(|(offset, text)| source.line(start + offset).trim_ascii_end() == text.as_bytes())
    })?;
    let end = source.line_range(at + wanted.len() - 1).end;
    Some(source.line_range(at).start..end)
}

/// Returns whether every line brings something in from elsewhere.
pub(super) fn is_import(text: &str) -> bool {
    let mut lines = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .peekable();
    let heads = [
        "import",
        "from ",
        "use ",
        "#include",
        "using ",
        "extern crate ",
        "@import",
    ];
    lines.peek().is_some() && lines.all(|line| heads.iter().any(|head| line.starts_with(head)))
}

fn bare(new: &str) -> &str {
    new.trim().trim_end_matches(',')
}

fn joins(left: Option<char>, right: Option<char>) -> bool {
    left.is_some_and(is_word) && right.is_some_and(is_word)
}
