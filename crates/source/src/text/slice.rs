//! Slicing of texts by ranges that are known to lie in them.
//!
//! `"let x".slice(4..)` is `"x"`. A range that does not lie in its text is a bug. Debug builds and tests assert that there
//! is none; release builds unwind with [`MisplacedRange`], so that nothing that was made of the text is kept, and [`placed`]
//! catches it where an answer can say so. Where a range may lie elsewhere, `get` with an error stands.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::slice::SliceIndex;

/// A range did not lie in its text: a bug of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "signoff made a mistake: a range does not lie in its text. Nothing was staged or written; try again, and please \
     report it if this comes back"
)]
pub struct MisplacedRange;

/// Runs `work`, of whose state nothing is used if it fails.
///
/// # Errors
///
/// Fails if a range in it did not lie in its text.
pub fn placed<T>(work: impl FnOnce() -> T) -> Result<T, MisplacedRange> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| match panic.downcast() {
        Ok(misplaced) => *misplaced,
        Err(other) => resume_unwind(other),
    })
}

/// Slicing by a range that is known to lie within.
pub trait Slice<R> {
    /// Returns what is in `range`, which lies within and ends on the borders of characters.
    fn slice(&self, range: R) -> &Self;
}

impl<R: SliceIndex<Self, Output = Self>> Slice<R> for str {
    #[track_caller]
    fn slice(&self, range: R) -> &Self {
        within(self.get(range))
    }
}

impl<T, R: SliceIndex<Self, Output = Self>> Slice<R> for [T] {
    #[track_caller]
    fn slice(&self, range: R) -> &Self {
        within(self.get(range))
    }
}

#[track_caller]
fn within<T: ?Sized>(part: Option<&T>) -> &T {
    debug_assert!(part.is_some(), "a range does not lie in its text");
    match part {
        Some(part) => part,
        // Without the hook of panics: whoever catches it says so.
        None => resume_unwind(Box::new(MisplacedRange)),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;

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

    #[test]
    fn a_range_outside_its_text_is_counted_as_a_bug() {
        let fails = |work: fn() -> usize| catch_unwind(work).is_err();
        assert!(
            fails(|| "aé".slice(..2).len()),
            "in the middle of a character"
        );
        assert!(fails(|| "a".slice(2..).len()), "beyond the end");
        assert!(fails(|| [1].slice(..2).len()), "beyond the end of a list");
    }

    #[test]
    fn a_range_elsewhere_is_an_error_where_it_is_caught_and_other_panics_go_on() {
        assert_eq!(placed(|| 7), Ok(7));
        assert_eq!(
            placed(|| panic_any(MisplacedRange)),
            Err::<(), _>(MisplacedRange)
        );
        let other = catch_unwind(|| placed(|| -> u32 { panic!("on purpose") }));
        assert!(other.is_err());
    }
}
