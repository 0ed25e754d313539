//! Lines without white space.
//!
//! In: a text. Out: the form of a line at [`Level::Squashed`], made when it is asked for, and the
//! lines that have a given form, told by a number for each.

use std::cell::OnceCell;

use super::normal::{Level, normal};
use crate::budget::Budget;
use crate::text::{Slice, Source};

/// A text whose lines are compared without white space.
pub(crate) struct Squashed<'a> {
    source: &'a Source,
    budget: &'a Budget,
    forms: Vec<OnceCell<Box<str>>>,
    /// Of each line, what tells its form from others.
    keys: Vec<u64>,
    /// The lines in order, those whose keys begin alike together.
    order: Vec<u32>,
    /// Where each of these groups begins, closed by the number of lines.
    groups: Vec<u32>,
}

impl<'a> Squashed<'a> {
    pub(super) fn new(source: &'a Source, budget: &'a Budget) -> Self {
        let count = if budget.spend(source.bytes().len()).is_ok() {
            source.line_count()
        } else {
            0
        };
        let keys: Vec<u64> = (0..count)
            .map(|line| of_line(source, budget, line))
            .collect();
        let bits = usize::BITS - count.leading_zeros();
        let mut groups = vec![0_u32; (1 << bits) + 1];
        for key in &keys {
            if let Some(size) = groups.get_mut(group(*key, bits) + 1) {
                *size += 1;
            }
        }
        let mut end = 0;
        for start in &mut groups {
            end += *start;
            *start = end;
        }
        let mut order = vec![0_u32; count];
        let mut next = groups.clone();
        for (line, key) in (0_u32..).zip(&keys) {
            if let Some(at) = next.get_mut(group(*key, bits)) {
                if let Some(place) = order.get_mut(*at as usize) {
                    *place = line;
                }
                *at += 1;
            }
        }
        Self {
            source,
            budget,
            forms: vec![OnceCell::new(); count],
            keys,
            order,
            groups,
        }
    }

    /// Returns the budget of the work that looks at the text.
    pub(crate) fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// Returns the form of line `line`.
    pub(crate) fn line(&self, line: usize) -> &str {
        self.forms.get(line).map_or("", |form| {
            form.get_or_init(|| {
                normal(self.budget, &self.source.line_text(line), Level::Squashed).into_boxed_str()
            })
        })
    }

    /// Returns the lines of a form, in order, from line `from` on.
    pub(crate) fn lines_of(&self, form: &str, from: usize) -> impl Iterator<Item = usize> {
        let key = key(form);
        let bits = (self.groups.len() - 1).trailing_zeros();
        let at = group(key, bits);
        let lines = self.order.slice(self.group_end(at)..self.group_end(at + 1));
        let start = lines.partition_point(|line| (*line as usize) < from);
        let rest = lines.slice(start..);
        // Different forms with the same key are as rare as chance has it.
        let lines = rest
            .iter()
            .filter(move |line| self.keys.get(**line as usize).copied().unwrap_or_default() == key);
        lines.map(|line| *line as usize)
    }

    fn group_end(&self, at: usize) -> usize {
        self.groups.get(at).map_or(0, |end| *end as usize)
    }
}

/// Returns the group of a key: its first bits.
fn group(key: u64, bits: u32) -> usize {
    key.checked_shr(u64::BITS - bits).unwrap_or_default() as usize
}

fn of_line(source: &Source, budget: &Budget, line: usize) -> u64 {
    let text = source.line_text(line);
    if text.is_ascii() {
        key(&text)
    } else {
        key(&normal(budget, &text, Level::Squashed))
    }
}

/// Takes eight bytes more into a hash: they are multiplied by a large odd number.
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Returns a hash of what a text has besides white space.
fn key(text: &str) -> u64 {
    let (mut hash, mut all) = (0_u64, 0_u64);
    // What is not white space is written together: that is no choice for each byte.
    let mut kept = [0_u8; 72];
    let mut count = 0;
    for piece in text.as_bytes().chunks(64) {
        for byte in piece {
            if let Some(place) = kept.get_mut(count) {
                *place = *byte;
            }
            count += usize::from(!(*byte == b' ' || (9..=13).contains(byte)));
        }
        let (words, _) = kept.as_chunks::<8>();
        for word in words.iter().take(count / 8) {
            hash = mix(hash, u64::from_le_bytes(*word));
        }
        all += count as u64 / 8;
        kept.copy_within(count / 8 * 8..count, 0);
        count %= 8;
    }
    for byte in kept.iter_mut().skip(count).take(8 - count) {
        *byte = 0;
    }
    let (words, _) = kept.as_chunks::<8>();
    let rest = words.first().copied().map_or(0, u64::from_le_bytes);
    let hash = mix(mix(hash, rest), all * 8 + count as u64);
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_by_what_they_say() {
        let source =
            Source::new("fn a() {\n\tb  (c);\n}\n  b(c) ;\n\u{201c}x\u{201d}\n}\n\n\"x\"\n");
        let budget = Budget::default();
        let lines = Squashed::new(&source, &budget);
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
