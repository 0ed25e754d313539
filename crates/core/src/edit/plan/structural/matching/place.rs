//! Conditions at one place of a match.
//!
//! In: a place and an element of the pattern. Out: whether a word ends there, what a hole is
//! bound to, and which places are known to lead nowhere.

use super::*;
use crate::text::Slice;

impl Machine<'_> {
    /// Matches a word: whole, or a part of one where the pattern goes on with letters.
    pub(super) fn word(
        &mut self,
        index: usize,
        start: usize,
    ) -> Result<Option<usize>, StepsUsedUp> {
        let rest = self.text.slice(start..);
        let length = rest
            .find(|c: char| !is_identifier_part(c))
            .unwrap_or(rest.len());
        self.spend(length)?;
        let word = rest.slice(..length);
        let goes_on = matches!(self.pattern.elements.get(index + 1),
            Some(Element::Literal(text)) if text.starts_with(is_identifier_part));
        let ends = word.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
        for end in ends.take(if goes_on { 256 } else { 1 }) {
            if self.bind(index, start..start + end)
                && let Some(end) = self.go(index + 1, start + end)?
            {
                return Ok(Some(end));
            }
        }
        self.unbind(index);
        Ok(None)
    }

    /// Binds the name of a hole; false if an earlier hole of that name has another text.
    pub(super) fn bind(&mut self, index: usize, range: Range<usize>) -> bool {
        let name = match self.pattern.elements.get(index) {
            Some(Element::Hole {
                name: Some(name), ..
            }) => *name,
            _ => return true,
        };
        if self.pattern.repeats && !self.is_first(index, name) {
            let own = self.text.get(range);
            let bound = self.bindings.get(name).cloned().flatten();
            return bound.is_some_and(|bound| self.text.get(bound) == own);
        }
        if let Some(slot) = self.bindings.get_mut(name) {
            *slot = Some(range);
        }
        true
    }

    pub(super) fn unbind(&mut self, index: usize) {
        if let Some(Element::Hole {
            name: Some(name), ..
        }) = self.pattern.elements.get(index)
            && self.is_first(index, *name)
            && let Some(slot) = self.bindings.get_mut(*name)
        {
            *slot = None;
        }
    }

    /// Returns whether the hole at `index` is the first of its name.
    pub(super) fn is_first(&self, index: usize, wanted: usize) -> bool {
        let before = self.pattern.elements.iter().take(index);
        !before.into_iter().any(
            |element| matches!(element, Element::Hole { name: Some(name), .. } if *name == wanted),
        )
    }

    /// Returns whether white space of the pattern may stand for none: after a hole that took
    /// nothing behind white space, as in `{ :[x] }`.
    pub(super) fn after_nothing(&self, index: usize, at: usize) -> bool {
        let before = index
            .checked_sub(2)
            .and_then(|two| self.pattern.elements.get(two..index));
        let Some([Element::Space, Element::Hole { name, .. }]) = before else {
            return false;
        };
        let bound = name.and_then(|name| self.bindings.get(name).cloned().flatten());
        bound.is_some_and(|bound| bound.is_empty() && bound.end == at)
    }

    /// Returns whether white space at byte `at` would part no words, and does nothing else.
    pub(super) fn parts_nothing(&self, at: usize) -> bool {
        let head = self.text.slice(..at);
        let tail = self.text.slice(at..);
        self.pattern.tokens
            && !(head.ends_with(is_identifier_part) && tail.starts_with(is_identifier_part))
    }

    /// Returns whether a literal ends no word and no operator in the middle where the pattern
    /// begins, ends or has a hole.
    pub(super) fn edges(&self, index: usize, at: usize, literal: &str) -> bool {
        let elements = &self.pattern.elements;
        let (first, last) = (index == 0, index + 1 == elements.len());
        let before = self
            .text
            .get(..at)
            .and_then(|head| head.chars().next_back());
        let after = self
            .text
            .get(at + literal.len()..)
            .and_then(|rest| rest.chars().next());
        let (head, tail) = (literal.chars().next(), literal.chars().next_back());
        if (first && is_within_word(before, head)) || (last && is_within_word(tail, after)) {
            return false;
        }
        let left = first || is_hole(elements, index.checked_sub(1));
        let right = last || is_hole(elements, Some(index + 1));
        let joined = (left && is_joined(before, head)) || (right && is_joined(tail, after));
        !joined
    }

    pub(super) fn find(&mut self, needle: &str, from: usize, end: usize) -> Option<usize> {
        self.text.get(from..end)?.find(needle).map(|at| from + at)
    }

    pub(super) fn has_failed(&self, index: usize, at: usize) -> bool {
        let word = self.failed.get(index).and_then(|bits| bits.get(at / 64));
        word.is_some_and(|word| word & (1 << (at % 64)) != 0)
    }

    pub(super) fn fail(&mut self, index: usize, at: usize) {
        let length = self.text.len() / 64 + 1;
        if let Some(bits) = self.failed.get_mut(index) {
            bits.resize(length, 0);
            if let Some(word) = bits.get_mut(at / 64) {
                *word |= 1 << (at % 64);
            }
        }
    }
}

fn is_hole(elements: &[Element], index: Option<usize>) -> bool {
    matches!(
        index.and_then(|index| elements.get(index)),
        Some(Element::Hole { .. })
    )
}

fn is_within_word(before: Option<char>, after: Option<char>) -> bool {
    before.is_some_and(is_identifier_part) && after.is_some_and(is_identifier_part)
}
