//! The part of a text around an edit that is parsed alone.
//!
//! In: places where a text may be cut, and what was edited. Out: the part between the last such
//! place before the edit and the first after it, in the texts before and after.

use std::ops::Range;

use crate::syntax::Earlier;

/// A part is read twice, so its share of the text is at most one in this number.
const SHARE: usize = 4;

/// The places nearest to an edit, while a text is read.
#[derive(Debug, Default)]
pub(super) struct Part {
    start: Option<usize>,
    end: Option<usize>,
}

impl Part {
    /// Begins with the text itself.
    pub(super) fn from_start() -> Self {
        Self {
            start: Some(0),
            end: None,
        }
    }

    /// Takes note of a place where one may cut; places come in order.
    pub(super) fn cut(&mut self, at: usize, edited: &Range<usize>) {
        if at < edited.start {
            self.start = Some(at);
        } else if at > edited.end && self.end.is_none() {
            self.end = Some(at);
        }
    }

    /// Returns whether nothing more can be learnt.
    pub(super) fn is_done(&self) -> bool {
        self.end.is_some()
    }

    /// Returns the part, if it is cut on both sides.
    pub(super) fn range(&self) -> Option<Range<usize>> {
        Some(self.start?..self.end?)
    }
}

/// Returns the bytes of a text before from the first to the last that is edited.
pub(super) fn edited(earlier: &Earlier<'_>) -> Option<Range<usize>> {
    let splices = earlier.edits.splices();
    Some(splices.first()?.at..splices.last()?.end())
}

/// Returns the text after a replacement, and what `good` says of it.
#[cfg(test)]
pub(super) fn judge(
    good: fn(&str, &Earlier<'_>) -> bool,
    text: &str,
    at: usize,
    old: &str,
    new: &str,
) -> (String, bool) {
    use crate::text::{EditSet, Splice};
    let (old, new) = (old.as_bytes().to_vec(), new.as_bytes().to_vec());
    let edits = &EditSet::new(vec![Splice { at, old, new }]).unwrap();
    let after = String::from_utf8(edits.apply(text.as_bytes()).unwrap()).unwrap();
    let good = good(&after, &Earlier { text, edits });
    (after, good)
}

/// Returns whether `good` is true of a part in both texts; false for one that is no small part.
pub(super) fn is_good(
    after: &str,
    earlier: &Earlier<'_>,
    part: &Range<usize>,
    good: impl Fn(&str) -> bool,
) -> bool {
    let before = earlier.text;
    if part.len() > before.len() / SHARE {
        return false;
    }
    let end = (part.end + after.len()).checked_sub(before.len());
    let now = end.and_then(|end| after.get(part.start..end));
    now.is_some_and(&good) && before.get(part.clone()).is_some_and(&good)
}
