//! Lines that may have a given normal form.
//!
//! In: a text and a form. Out: the few lines that hold the form's longest word, and those with
//! characters that stand for others, in which a word may be written otherwise. Whether such a line
//! has the form is for whoever asks to see.

use std::cell::OnceCell;
use std::ops::Range;

use memchr::memmem;

use super::normal::is_fancy;
use crate::text::Source;

/// A text in which lines are looked for by their words.
pub(super) struct Words<'a> {
    source: &'a Source,
    /// Lines with characters that stand for others.
    odd: OnceCell<Vec<usize>>,
}

impl<'a> Words<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self {
            source,
            odd: OnceCell::new(),
        }
    }

    /// Returns the lines of `within`, in order, on which `form` may stand, or begin, or end. None
    /// if that may be every line, because the form has no word.
    pub(super) fn lines(&self, form: &str, within: Range<usize>) -> Option<Vec<usize>> {
        let text = self.source.text().ok()?.as_bytes();
        let word = longest(form)?;
        let finder = memmem::Finder::new(word);
        let byte = |line: usize| self.source.line_range(line).start;
        let text = text.get(..byte(within.end))?;
        let mut from = byte(within.start);
        let mut lines = Vec::new();
        while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)) {
            let line = self.source.line_of(from + at);
            lines.push(line);
            from = byte(line + 1);
        }
        let odd = self.odd();
        let inside = odd.partition_point(|line| *line < within.start)
            ..odd.partition_point(|line| *line < within.end);
        let odd = odd.get(inside).unwrap_or_default();
        if !odd.is_empty() {
            lines.extend_from_slice(odd);
            lines.sort_unstable();
            lines.dedup();
        }
        Some(lines)
    }

    fn odd(&self) -> &[usize] {
        self.odd.get_or_init(|| {
            if self.source.bytes().is_ascii() {
                return Vec::new();
            }
            let is_odd = |line: &usize| {
                let text = self.source.line_text(*line);
                !text.is_ascii() && text.chars().any(is_fancy)
            };
            (0..self.source.line_count()).filter(is_odd).collect()
        })
    }
}

/// Returns the longest run without white space.
pub(super) fn longest(form: &str) -> Option<&str> {
    form.split_whitespace().max_by_key(|word| word.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::loose::LEVELS;
    use crate::locate::loose::normal::normal;

    #[test]
    fn no_line_of_a_form_is_passed_over() {
        let text = "let a = \"b\";\n  let\ta = \u{201c}b\u{201d};\nb\u{ad}c d\u{2026}\nbc d...\n\n\u{e4}  b \u{3000}c\n\u{e4} b  c \nlet a = 1;\n";
        let source = Source::new(text);
        let words = Words::new(&source);
        let count = source.line_count();
        for level in LEVELS {
            let form = |line: usize| normal(&source.line_text(line), level);
            for wanted in (0..count).map(form).filter(|form| !form.is_empty()) {
                let found = words.lines(&wanted, 0..count).unwrap();
                let mut all = (0..count).filter(|line| form(*line).contains(&wanted));
                assert!(all.all(|line| found.contains(&line)), "{wanted:?}");
            }
        }
        assert_eq!(words.lines("let a = \"b\";", 0..1), Some(vec![0]));
        assert_eq!(words.lines("nothing", 3..7), Some(vec![5]));
        assert_eq!(words.lines("let", 3..8), Some(vec![5, 7]));
        assert_eq!(words.lines(" \t", 0..8), None);
    }
}
