//! Slicing of texts by ranges that are known to lie in them.
//!
//! `"let x".slice(4..)` is `"x"`. Indexing would panic where a range does not lie in the text, and
//! the crate does not panic; `get` says nothing of which ranges may lie elsewhere. [`Slice::slice`]
//! says that this one cannot: where it does, that is a bug, which debug builds and tests assert.
//! Release builds go on with an empty slice and count it, see [`misplaced`]. Who is to write what was
//! made of slices asks before it does whether one was misplaced meanwhile, and refuses then; what is
//! only shown may lack a part. Where a range may lie elsewhere, `get` with an error stands.

use std::cell::Cell;
use std::slice::SliceIndex;

thread_local! {
    static MISPLACED: Cell<u64> = const { Cell::new(0) };
}

/// Returns how many ranges did not lie in their texts, on this thread and on those that it waited for.
/// Where the number grows during some work, what the work made lacks a part.
pub fn misplaced() -> u64 {
    MISPLACED.get()
}

/// Counts ranges that did not lie in their texts, as another thread has met them.
pub fn note_misplaced(count: u64) {
    MISPLACED.set(MISPLACED.get().saturating_add(count));
}

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
        note_misplaced(u64::from(part.is_none()));
        part.unwrap_or_default()
    }
}

impl<T, R: SliceIndex<Self, Output = Self>> Slice<R> for [T] {
    #[track_caller]
    fn slice(&self, range: R) -> &Self {
        let part = self.get(range);
        debug_assert!(part.is_some(), "a range does not lie in its list");
        note_misplaced(u64::from(part.is_none()));
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

    #[cfg(not(debug_assertions))]
    #[test]
    fn ranges_elsewhere_are_empty_and_counted() {
        let before = misplaced();
        assert_eq!(("a".slice(2..), [1].slice(..2)), ("", &[][..]));
        assert_eq!(misplaced() - before, 2);
        assert_eq!("a".slice(1..), "");
        assert_eq!(misplaced() - before, 2, "at the end is within");
    }
}
