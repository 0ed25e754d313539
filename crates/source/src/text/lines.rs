//! Replacement of whole lines.
//!
//! In: a range of lines and the lines to stand in their place, without endings. Out: a
//! [`Splice`] that gives the new lines the file's own ending and leaves the state of the
//! final newline as it is.

use std::ops::Range;

use super::{Ending, Source, Splice};
use crate::text::Slice;

/// A line to be written, without its ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text.
    pub text: String,
    /// The line of the file whose ending it takes over.
    pub like: Option<usize>,
}

/// Returns the splice that puts `new` in the place of the lines `range` (0-based, end
/// exclusive); an empty range inserts before its start.
pub fn replace_lines(source: &Source, range: Range<usize>, new: &[&str]) -> Splice {
    replace_with(
        source,
        range,
        &new.iter().map(bare_line).collect::<Vec<_>>(),
    )
}

fn bare_line(text: &&str) -> Line {
    Line {
        text: (*text).to_owned(),
        like: None,
    }
}

/// As [`replace_lines`], where a line can take over the ending of one that it comes from.
pub fn replace_with(source: &Source, range: Range<usize>, new: &[Line]) -> Splice {
    let count = source.line_count();
    let (start, end) = (range.start.min(count), range.end.min(count));
    let from = source.line_range(start).start;
    let to = source.line_range(end).start.max(from);
    let ending = source.ending_near(start).as_str();
    let old = source.bytes().slice(from..to).to_vec();
    let mut text = String::new();
    let reaches_open_end = end == count && !source.ends_with_newline();
    if reaches_open_end && start == count && !new.is_empty() {
        text.push_str(ending);
    }
    for (index, line) in new.iter().enumerate() {
        text.push_str(&line.text);
        if !(reaches_open_end && index + 1 == new.len()) {
            let own = line.like.and_then(|like| source.ending_of(like));
            text.push_str(own.map_or(ending, Ending::as_str));
        }
    }
    Splice {
        at: from,
        old,
        new: text.into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::EditSet;

    fn check(text: &str, range: Range<usize>, new: &[&str], expected: &str) {
        let source = Source::new(text);
        let edits = EditSet::new(vec![replace_lines(&source, range, new)]).unwrap();
        let after = String::from_utf8(edits.apply(source.bytes()).unwrap()).unwrap();
        assert_eq!(after, expected);
    }

    #[test]
    fn new_lines_take_the_endings_of_their_place() {
        check("a\nb\n", 0..1, &["x"], "x\nb\n");
        check("a\r\nb\r\n", 1..1, &["x", "y"], "a\r\nx\r\ny\r\nb\r\n");
        check("a\r\nb\n", 1..2, &["x"], "a\r\nx\n");
        check("a\nb\n", 1..2, &[], "a\n");
    }

    #[test]
    fn the_final_newline_stays_as_it_is() {
        check("a\nb", 1..2, &["x", "y"], "a\nx\ny");
        check("a\nb", 2..2, &["x"], "a\nb\nx");
        check("a\nb\n", 2..2, &["x"], "a\nb\nx\n");
        check("", 0..0, &["x"], "x\n");
        check("a\nb", 0..0, &["x"], "x\na\nb");
    }
}
