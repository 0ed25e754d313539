//! Removal of a match, with the line that it leaves empty.
//!
//! In: a range. Out: a splice that takes its lines along where nothing else is on them, and a
//! blank line that would be left doubled.

use std::ops::Range;

use crate::text::{Slice, Source, Splice};

/// Returns the splice that takes `range` out.
pub(in crate::edit::plan) fn of_range(source: &Source, text: &str, range: Range<usize>) -> Splice {
    let range = whole_lines(source, text, range);
    let old = text.slice(range.clone());
    Splice {
        at: range.start,
        old: old.as_bytes().to_vec(),
        new: Vec::new(),
    }
}

fn whole_lines(source: &Source, text: &str, range: Range<usize>) -> Range<usize> {
    let last_byte = range.end.saturating_sub(1).max(range.start);
    let (first, last) = (source.line_of(range.start), source.line_of(last_byte));
    let (start, end) = (source.line_range(first).start, source.line_range(last).end);
    if range.is_empty()
        || !is_blank(text, start..range.start)
        || !is_blank(text, range.end.min(end)..end)
    {
        return range;
    }
    let opens = first == 0 || is_empty_line(source, first - 1);
    if opens && last + 1 < source.line_count() && is_empty_line(source, last + 1) {
        return start..source.line_range(last + 1).end;
    }
    if last + 1 >= source.line_count() && first > 0 && is_empty_line(source, first - 1) {
        return source.line_range(first - 1).start..end;
    }
    start..end
}

fn is_blank(text: &str, range: Range<usize>) -> bool {
    text.get(range).is_some_and(|text| text.trim().is_empty())
}

fn is_empty_line(source: &Source, line: usize) -> bool {
    source.line(line).trim_ascii().is_empty()
}

/// Returns the splice that takes `range` out and nothing else.
pub(in crate::edit::plan) fn exactly(text: &str, range: Range<usize>) -> Splice {
    let old = text.slice(range.clone());
    Splice {
        at: range.start,
        old: old.as_bytes().to_vec(),
        new: Vec::new(),
    }
}
