//! The lines of a text without their white space.
//!
//! In: a text. Out: the form of a line at [`Level::Squashed`], made when it is asked for, and the
//! lines that have a given form, told by a number for each.

use std::cell::OnceCell;

use super::normal::{Level, normal};
use crate::text::Source;

/// A text whose lines are compared without white space.
pub struct Squashed<'a> {
    source: &'a Source,
    forms: Vec<OnceCell<Box<str>>>,
    /// Of each line, what tells its form from others.
    keys: Vec<u64>,
    /// The lines, those with the same key together.
    order: Vec<u32>,
}

impl<'a> Squashed<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        let count = source.line_count();
        let keys: Vec<u64> = (0..count).map(|line| of_line(source, line)).collect();
        let mut order: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
        order.sort_unstable_by_key(|line| (keys.get(*line as usize).copied(), *line));
        Self {
            source,
            forms: vec![OnceCell::new(); count],
            keys,
            order,
        }
    }

    /// Returns the form of line `line`.
    pub fn line(&self, line: usize) -> &str {
        let made = || normal(&self.source.line_text(line), Level::Squashed).into_boxed_str();
        self.forms
            .get(line)
            .map_or("", |form| form.get_or_init(made))
    }

    /// Returns the lines of a form, in order, from line `from` on.
    pub fn lines_of(&self, form: &str, from: usize) -> impl Iterator<Item = usize> {
        let key = key(form);
        let own = |line: &u32| self.keys.get(*line as usize).copied().unwrap_or_default();
        let start = self
            .order
            .partition_point(|line| (own(line), *line as usize) < (key, from));
        let rest = self.order.get(start..).unwrap_or_default();
        // Different forms with the same key are as rare as chance has it.
        let lines = rest.iter().take_while(move |line| own(line) == key);
        lines.map(|line| *line as usize)
    }
}

fn of_line(source: &Source, line: usize) -> u64 {
    let text = source.line_text(line);
    if text.is_ascii() {
        key(&text)
    } else {
        key(&normal(&text, Level::Squashed))
    }
}

/// Returns a hash of what a text has besides white space: eight bytes at a time are multiplied
/// by a large odd number.
fn key(text: &str) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(ODD);
    let (mut hash, mut word, mut count) = (0_u64, 0_u64, 0_u32);
    for byte in text.bytes() {
        if byte == b' ' || (9..=13).contains(&byte) {
            continue;
        }
        word = word << 8 | u64::from(byte);
        count += 1;
        if count.is_multiple_of(8) {
            hash = mix(hash, word);
            word = 0;
        }
    }
    let hash = mix(mix(hash, word), u64::from(count));
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_by_what_they_say() {
        let source =
            Source::new("fn a() {\n\tb  (c);\n}\n  b(c) ;\n\u{201c}x\u{201d}\n}\n\n\"x\"\n");
        let lines = Squashed::new(&source);
        let of = |form: &str| lines.lines_of(form, 0).collect::<Vec<_>>();
        assert_eq!(of("b(c);"), [1, 3]);
        assert_eq!(of("}"), [2, 5]);
        assert_eq!(lines.lines_of("}", 3).collect::<Vec<_>>(), [5]);
        assert_eq!(of("\"x\""), [4, 7]);
        assert_eq!(of(""), [6]);
        assert_eq!(of("b(d);"), [] as [usize; 0]);
        assert_eq!(
            (lines.line(1), lines.line(4), lines.line(99)),
            ("b(c);", "\"x\"", "")
        );
        assert_ne!(key("aaaaaaaab"), key("baaaaaaaa"));
        assert_ne!(key("aaaaaaaa"), key("aaaaaaa"));
    }
}
