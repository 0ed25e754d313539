//! Slicing of texts by ranges that are known to lie in them.
//!
//! `"let x".slice(4..)` is `"x"`. Indexing would panic where a range does not lie in the text, and
//! the crate does not panic; `get` says nothing of which ranges may lie elsewhere. [`Slice::slice`]
//! says that this one cannot: where it does, that is a bug, which debug builds and tests assert.
//! Release builds go on with an empty slice: a plan that was made of it is shown to the user before
//! it is written, as every plan is. Where the text itself is written, `get` with an error stands.

use std::slice::SliceIndex;

/// Slicing by a range that is known to lie within.
pub trait Slice<R> {
    /// Returns what is in `range`, which lies within and ends on the borders of characters.
    fn slice(&self, range: R) -> &Self;
}

impl<R: SliceIndex<Self, Output = Self>> Slice<R> for str {
    #[track_caller]
    fn slice(&self, range: R) -> &Self {
        let part = self.get(range);
        debug_assert!(part.is_some(), "a range does not lie in its text");
        part.unwrap_or_default()
    }
}

impl<T, R: SliceIndex<Self, Output = Self>> Slice<R> for [T] {
    #[track_caller]
    fn slice(&self, range: R) -> &Self {
        let part = self.get(range);
        debug_assert!(part.is_some(), "a range does not lie in its list");
        part.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_within_are_sliced_up_to_the_very_end() {
        let (text, list) = ("aé", [1, 2, 3]);
        assert_eq!(
            [text.slice(1..), text.slice(3..), text.slice(..=0)],
            ["é", "", "a"]
        );
        assert_eq!([list.slice(..2), list.slice(3..)], [&[1, 2][..], &[]]);
    }

    #[cfg(debug_assertions)]
    #[test]
    fn ranges_elsewhere_are_bugs() {
        let fails = |work: fn() -> usize| std::panic::catch_unwind(work).is_err();
        assert!(
            fails(|| "aé".slice(..2).len()),
            "in the middle of a character"
        );
        assert!(fails(|| "a".slice(2..).len()), "beyond the end");
        assert!(fails(|| [1].slice(..2).len()), "beyond the end of a list");
    }
}
