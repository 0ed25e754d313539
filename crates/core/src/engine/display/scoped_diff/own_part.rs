//! Own part of a row of changes: what some of them do, without the others.
//!
//! In: changes from the oldest on, each made for the text after the one before. Out: a text and the own changes on top of
//! it; all others are moved below them, as far as they commute.
//!
//! ```text
//! own: "a" to "A"   other: "x" to "y"   own: "A" to "AA"       in  "a x"
//! other: "x" to "y"   own: "a" to "A", "A" to "AA"             so from "a y" to "AA y"
//! ```

use crate::text::{EditSet, Mismatch};

/// Maximum number of splices of another change that are moved one by one, where it does not commute as a whole. Each
/// costs a walk through the own changes.
const MOST_APART: usize = 200;

/// Own changes over a text.
#[derive(Debug)]
pub(super) struct OwnPart {
    base: Vec<u8>,
    own: Vec<EditSet>,
    is_mixed: bool,
}

impl OwnPart {
    /// Begins with the text before the first change.
    pub(super) fn new(base: Vec<u8>) -> Self {
        Self {
            base,
            own: Vec::new(),
            is_mixed: false,
        }
    }

    /// Adds an own change.
    pub(super) fn add(&mut self, edits: EditSet) {
        self.own.push(edits);
    }

    /// Adds a change of others; what of it builds on own changes counts as their part. Returns true if all of it is
    /// below them.
    pub(super) fn add_other(&mut self, edits: &EditSet) -> Result<bool, Mismatch> {
        if self.move_below(edits)? {
            return Ok(true);
        }
        self.is_mixed = true;
        let count = edits.splices().len();
        if !(2..=MOST_APART).contains(&count) {
            self.own.push(edits.clone());
            return Ok(false);
        }
        // From the last one on, so that none moves those that are still to come.
        for index in (0..count).rev() {
            let splice = edits.select(|own| own == index);
            if !self.move_below(&splice)? {
                self.own.push(splice);
            }
        }
        Ok(false)
    }

    /// Moves a change below all own ones; false if it builds on one of them.
    fn move_below(&mut self, edits: &EditSet) -> Result<bool, Mismatch> {
        let mut below = edits.clone();
        let mut above = Vec::with_capacity(self.own.len());
        for own in self.own.iter().rev() {
            let Ok((next, own)) = own.commute(&below) else {
                return Ok(false);
            };
            below = next;
            above.push(own);
        }
        self.base = below.apply(&self.base)?;
        above.reverse();
        self.own = above;
        Ok(true)
    }

    /// Returns whether changes of others are among the own ones.
    pub(super) fn is_mixed(&self) -> bool {
        self.is_mixed
    }

    /// Returns the text before the own changes, and after them.
    pub(super) fn texts(self) -> Result<(Vec<u8>, Vec<u8>), Mismatch> {
        let mut after = self.base.clone();
        for edits in &self.own {
            after = edits.apply(&after)?;
        }
        Ok((self.base, after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replays changes, those of others marked with `!`.
    fn texts(base: &str, changes: &[(&str, &str)]) -> (String, String, bool) {
        let mut part = OwnPart::new(base.into());
        let mut text = base.to_owned();
        for (mark, next) in changes {
            let edits = EditSet::between(text.as_bytes(), next.as_bytes());
            if *mark == "!" {
                part.add_other(&edits).unwrap();
            } else {
                part.add(edits);
            }
            text = (*next).to_owned();
        }
        let is_mixed = part.is_mixed();
        let (before, after) = part.texts().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(before), text(after), is_mixed)
    }

    #[test]
    fn changes_of_others_are_left_out_where_they_commute() {
        let check = |base: &str, changes: &[(&str, &str)], before: &str, after: &str, mixed| {
            let expected = (before.to_owned(), after.to_owned(), mixed);
            assert_eq!(texts(base, changes), expected, "{base} {changes:?}");
        };
        check("a x", &[("", "A x")], "a x", "A x", false);
        check(
            "a x",
            &[("", "A x"), ("!", "A y"), ("", "AA y")],
            "a y",
            "AA y",
            false,
        );
        check("a x", &[("!", "a y")], "a y", "a y", false);
        check("a x", &[("", "bcd x"), ("!", "b x")], "a x", "b x", true);
        check("a x", &[("", "b x"), ("!", "a x")], "a x", "a x", true);
    }

    #[test]
    fn of_a_change_that_builds_on_own_ones_only_that_part_is_mixed_in() {
        let mut part = OwnPart::new(b"a b c".to_vec());
        part.add(EditSet::between(b"a b c", b"a BBB c"));
        let splice = |at, old: &str, new: &str| crate::text::Splice {
            at,
            old: old.into(),
            new: new.into(),
        };
        let other = EditSet::new(vec![splice(0, "a", "AA"), splice(3, "B", "x")]).unwrap();
        assert!(!part.add_other(&other).unwrap());
        let (before, after) = part.texts().unwrap();
        assert_eq!(
            (&before[..], &after[..]),
            (&b"AA b c"[..], &b"AA BxB c"[..])
        );
    }
}
