//! Word search: lines that can have a given normal form.
//!
//! In: a text and forms. Out: the few lines that hold a word of a form, the longest that few lines hold,
//! and those with characters that stand for others, in which a word may be written otherwise. Whether
//! such a line has the form is for whoever asks to see.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use memchr::memmem;

use super::normal::is_odd;
use crate::text::Source;

/// A word on more lines than this is no filter.
const RARE: usize = 24;
/// Number of words that are tried, the longest first: each is a scan of the text.
const TRIED: usize = 10;
/// Number of lines of a block whose words are tried.
const FORMS: usize = 64;

/// The lines that hold a word; none where they are many.
type Holding = Option<Rc<[usize]>>;

/// A text in which lines are looked for by their words.
pub(super) struct Words<'a> {
    source: &'a Source,
    /// Lines with characters that stand for others.
    odd: OnceCell<Vec<usize>>,
    known: RefCell<HashMap<Box<str>, Holding>>,
    /// The word of which all lines were asked for last: each rung asks for the same.
    last: RefCell<Option<(Box<str>, Vec<usize>)>>,
}

impl<'a> Words<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self {
            source,
            odd: OnceCell::new(),
            known: RefCell::default(),
            last: RefCell::default(),
        }
    }

    /// Returns the lines of `within`, in order, on which `form` may stand, or begin, or end. None
    /// if that may be every line, because the form has no word.
    pub(super) fn lines(&self, form: &str, within: Range<usize>) -> Option<Vec<usize>> {
        if let Some((_, lines)) = self.few([(0, form)].into_iter(), within.clone()) {
            return Some(lines);
        }
        let word = longest(form)?;
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|(own, _)| **own != *word) {
            *last = Some((word.into(), self.all(word)?));
        }
        let (_, lines) = last.as_ref()?;
        let lines = between(lines, &within).to_vec();
        Some(self.with_odd(lines, within))
    }

    /// Returns the lines that hold a word, however many.
    fn all(&self, word: &str) -> Option<Vec<usize>> {
        let text = self.source.text().ok()?.as_bytes();
        let finder = memmem::Finder::new(word);
        let (mut line, mut from) = (0, 0);
        let mut lines = Vec::new();
        while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)) {
            // They are many, and so each is not far from the one before it.
            while self.source.line_range(line).end <= from + at {
                line += 1;
            }
            lines.push(line);
            from = self.source.line_range(line).end;
            line += 1;
        }
        Some(lines)
    }

    /// Returns one of the forms, by its number, and the lines of `within`, in order, on which it may
    /// stand, or begin, or end; none if each of its words is on many lines.
    pub(super) fn few<'f>(
        &self,
        forms: impl Iterator<Item = (usize, &'f str)>,
        within: Range<usize>,
    ) -> Option<(usize, Vec<usize>)> {
        let mut words: Vec<(&str, usize)> = forms
            .take(FORMS)
            .flat_map(|(number, form)| form.split_whitespace().map(move |word| (word, number)))
            .collect();
        words.sort_by_key(|(word, _)| (std::cmp::Reverse(word.len()), *word));
        words.dedup_by_key(|(word, _)| *word);
        let mut words = words.into_iter().take(TRIED);
        let (number, lines) =
            words.find_map(|(word, number)| Some((number, self.holding(word)?)))?;
        let lines = between(&lines, &within).to_vec();
        Some((number, self.with_odd(lines, within)))
    }

    /// Returns the lines that hold a word; none if they are many.
    fn holding(&self, word: &str) -> Holding {
        if let Some(known) = self.known.borrow().get(word) {
            return known.clone();
        }
        let lines = self.read(word);
        self.known.borrow_mut().insert(word.into(), lines.clone());
        lines
    }

    fn read(&self, word: &str) -> Holding {
        let text = self.source.text().ok()?.as_bytes();
        let finder = memmem::Finder::new(word);
        let (mut from, mut lines) = (0, Vec::new());
        while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)) {
            if lines.len() == RARE {
                return None;
            }
            let line = self.source.line_of(from + at);
            lines.push(line);
            from = self.source.line_range(line).end;
        }
        Some(lines.into())
    }

    /// Adds the lines of `within` in which any word may be written otherwise.
    fn with_odd(&self, mut lines: Vec<usize>, within: Range<usize>) -> Vec<usize> {
        let odd = between(self.odd(), &within);
        if !odd.is_empty() {
            lines.extend_from_slice(odd);
            lines.sort_unstable();
            lines.dedup();
        }
        lines
    }

    fn odd(&self) -> &[usize] {
        self.odd.get_or_init(|| {
            if self.source.bytes().is_ascii() {
                return Vec::new();
            }
            (0..self.source.line_count())
                .filter(|line| {
                    let text = self.source.line_text(*line);
                    !text.is_ascii() && is_odd(&text)
                })
                .collect()
        })
    }
}

/// Returns those of some lines in order that are within others.
fn between<'a>(lines: &'a [usize], within: &Range<usize>) -> &'a [usize] {
    let from = lines.partition_point(|line| *line < within.start);
    let to = lines.partition_point(|line| *line < within.end);
    lines.get(from..to).unwrap_or_default()
}

/// Returns the longest run without white space.
pub(super) fn longest(form: &str) -> Option<&str> {
    form.split_whitespace().max_by_key(|word| word.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::edit::locate::loose::LEVELS;
    use crate::edit::locate::loose::normal::normal;

    #[test]
    fn no_line_of_a_form_is_passed_over() {
        let text = "let a = \"b\";\n  let\ta = \u{201c}b\u{201d};\nb\u{ad}c d\u{2026}\nbc d...\n\n\u{e4}  b \u{3000}c\n\u{e4} b  c \nlet a = 1;\ncaf\u{e9} x\ncafe\u{301} x\n";
        let source = Source::new(text);
        let words = Words::new(&source);
        let count = source.line_count();
        for level in LEVELS {
            let budget = Budget::default();
            let form = |line: usize| normal(&budget, &source.line_text(line), level);
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
