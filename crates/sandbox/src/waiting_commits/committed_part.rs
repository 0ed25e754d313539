//! Committed part: what of a committed file the user signed off, found in the file on disk.
//!
//! ```text
//! before     a  b  c        the file before the commit
//! committed  a  B  c  d     as the program committed it
//! on disk    a  b  c  d  e  once the user decided
//! part       a  b  c  d     `B` was denied, `d` was not, and `e` is of later
//! ```
//!
//! In: the three texts. Out: the text to be committed. A change of the commit that is on disk as it was made was approved; one
//! in whose place the earlier lines are was denied. Where lines of it are otherwise, nobody can say.

use std::ops::Range;

use signoff_source::text::Slice as _;
use signoff_source::text::difference::diff_lines;

/// What of a committed file was signed off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CommittedPart {
    /// All that the commit changes.
    All,
    /// Not all: this is the text without what was denied.
    Text(Vec<u8>),
    /// Lines that the commit changes are on disk in a third way.
    Unclear,
}

impl CommittedPart {
    /// Finds the part of a commit's change of a text that is on disk.
    pub(super) fn of(before: &[u8], committed: &[u8], on_disk: &[u8]) -> Self {
        let lines =
            |text| -> Vec<&[u8]> { <[u8]>::split_inclusive(text, |own| *own == b'\n').collect() };
        let [before, committed, on_disk] = [before, committed, on_disk].map(lines);
        let later = diff_lines(&committed, &on_disk);
        let mut text = Vec::new();
        let (mut done, mut is_all) = (0, true);
        for change in diff_lines(&before, &committed) {
            let touching = later
                .iter()
                .filter(|later| touches(&later.old, &change.new));
            let touching: Vec<_> = touching.collect();
            match touching.as_slice() {
                [] => {}
                [later]
                    if later.old == change.new
                        && on_disk.slice(later.new.clone()) == before.slice(change.old.clone()) =>
                {
                    text.extend(committed.slice(done..change.new.start).concat());
                    text.extend(before.slice(change.old).concat());
                    done = change.new.end;
                    is_all = false;
                }
                _ => return Self::Unclear,
            }
        }
        if is_all {
            return Self::All;
        }
        text.extend(committed.slice(done..committed.len()).concat());
        Self::Text(text)
    }
}

/// Returns whether lines are changed of `own`, or where nothing is left of lines, there.
fn touches(changed: &Range<usize>, own: &Range<usize>) -> bool {
    if own.is_empty() {
        changed.start <= own.start && own.start <= changed.end
    } else {
        changed.start < own.end && own.start < changed.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_denied_is_left_out_and_what_is_of_later_too() {
        let text = |text: &str| CommittedPart::Text(text.replace(' ', "\n").into());
        let (all, unclear) = (CommittedPart::All, CommittedPart::Unclear);
        for (before, committed, on_disk, part) in [
            ("a b c ", "a B c d ", "a b c d e ", text("a b c d ")),
            ("a b c ", "a B c d ", "a B c d ", all.clone()),
            // More was changed later, also right beside it.
            ("a b ", "a b x ", "a B x ", all.clone()),
            ("a b ", "a b x ", "a b x y ", all.clone()),
            ("a b ", "a B ", "0 a B ", all.clone()),
            // And of the same lines.
            ("a b ", "a b x ", "a b X ", unclear.clone()),
            ("a b ", "a b x y ", "a b x z y ", unclear.clone()),
            // Lines that the commit removes.
            ("a b c ", "a c ", "a c d ", all.clone()),
            ("a b c ", "a c ", "a b c ", text("a b c ")),
            ("a b c ", "a c ", "a B c ", unclear.clone()),
            ("a b c d ", "A b c D ", "A b c d ", text("A b c d ")),
            // A new file, and one that is gone.
            ("", "a b ", "a b c ", all),
            ("", "a b ", "b ", unclear.clone()),
            ("a b ", "", "a ", unclear),
        ] {
            let [before, committed, on_disk] =
                [before, committed, on_disk].map(|text| text.replace(' ', "\n"));
            let found =
                CommittedPart::of(before.as_bytes(), committed.as_bytes(), on_disk.as_bytes());
            assert_eq!(found, part, "{before:?} {committed:?} {on_disk:?}");
        }
    }
}
