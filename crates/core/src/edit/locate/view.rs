//! A text with `\r\n` read as `\n`.
//!
//! In: text. Out: [`LfView`], in which requests that were written with plain newlines are
//! found, and which knows where its bytes are in the real text.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::{Slice, Source, Splice};

/// A text without the `\r` of its `\r\n`, and the way back.
pub(crate) struct LfView<'a> {
    text: Cow<'a, str>,
    /// Offsets, in this view, of the `\n` whose `\r` is left out.
    dropped: Vec<usize>,
}

impl<'a> LfView<'a> {
    /// Makes the view; texts without `\r\n` are borrowed as they are.
    pub(crate) fn new(text: &'a str) -> Self {
        if !text.contains("\r\n") {
            return Self {
                text: Cow::Borrowed(text),
                dropped: Vec::new(),
            };
        }
        let mut plain = String::with_capacity(text.len());
        let mut dropped = Vec::new();
        let mut pieces = text.split("\r\n");
        plain.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            dropped.push(plain.len());
            plain.push('\n');
            plain.push_str(piece);
        }
        Self {
            text: Cow::Owned(plain),
            dropped,
        }
    }

    /// Returns the text as seen.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns where a range of the view is in the real text. A `\n` stands for its `\r\n`.
    pub(crate) fn real(&self, range: Range<usize>) -> Range<usize> {
        range.start + self.dropped_before(range.start)..range.end + self.dropped_before(range.end)
    }

    fn dropped_before(&self, at: usize) -> usize {
        self.dropped.partition_point(|newline| *newline < at)
    }

    /// Makes the splice that puts `new` in the place of a range of the view of `source`, with the
    /// line ending that is usual there.
    pub(crate) fn splice(&self, source: &Source, range: Range<usize>, new: &str) -> Splice {
        let real = self.real(range);
        let ending = source.ending_near(source.line_of(real.start)).as_str();
        let old = source.bytes().slice(real.clone());
        Splice {
            at: real.start,
            old: old.to_vec(),
            new: new.replace('\n', ending).into_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_lead_back_to_the_real_text() {
        let real = "a\r\nb\nc\r\n";
        let view = LfView::new(real);
        assert_eq!(view.text(), "a\nb\nc\n");
        let back = |range: Range<usize>| &real[view.real(range)];
        assert_eq!(back(0..2), "a\r\n");
        assert_eq!(back(1..2), "\r\n");
        assert_eq!(back(2..4), "b\n");
        assert_eq!(back(4..6), "c\r\n");
        assert_eq!(back(6..6), "");
    }
}
