//! Three-way merge of lines.
//!
//! In: a text and two others that were made of it: the one that is there now, and another one. Out: what
//! the other one does, as changes of the one that is there: those that touch nothing that changed there, and
//! those that do. A change that both have made is in neither.
//!
//! Example: of `a b c d` (one letter a line) one side makes `A b c X d` and the other one `Z b C d`. The change
//! of `c` is moved over the inserted line; that of `a` clashes with `A`.

use super::lines::difference;
use crate::text::{EditSet, Overlap, Slice, Source, Splice};

/// What the other side changes, as changes of the text that is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    /// Changes of lines that are there as they were.
    pub clean: EditSet,
    /// Replacements of lines that changed on both sides.
    pub clashing: EditSet,
}

impl Merge {
    /// Returns all of it as one change.
    pub fn all(&self) -> Result<EditSet, Overlap> {
        let all = self.clean.splices().iter().chain(self.clashing.splices());
        EditSet::new(all.cloned().collect())
    }
}

/// Merges two texts made of `base`. Changes clash where [`EditSet::commute`] would not swap them: they share
/// bytes, or both put something at one point.
pub fn merge(base: &Source, here: &Source, there: &Source) -> Merge {
    let (ours, theirs) = (difference(base, here), difference(base, there));
    let (ours, theirs) = (ours.splices(), theirs.splices());
    let mut merged = Merged::default();
    let (mut own, mut other) = (0, 0);
    // How far `here` is ahead of the base.
    let mut ahead = 0_isize;
    while let Some(change) = theirs.get(other) {
        while let Some(before) = ours.get(own).filter(|own| precedes(own, change)) {
            ahead += grown(before);
            own += 1;
        }
        let (own_end, other_end) = clash(ours, own, theirs, other);
        let mine = ours.slice(own..own_end);
        let yours = theirs.slice(other..other_end);
        let at = |at: usize| at.saturating_add_signed(ahead);
        if let [first, ..] = mine {
            let both = || mine.iter().chain(yours);
            let start = both().map(|splice| splice.at).fold(first.at, usize::min);
            let end = both().map(Splice::end).fold(first.end(), usize::max);
            let replaced = Splice {
                at: at(start),
                old: within(base, start, end, mine),
                new: within(base, start, end, yours),
            };
            if replaced.old != replaced.new {
                merged.push(replaced, true);
            }
            ahead += mine.iter().map(grown).sum::<isize>();
        } else {
            for splice in yours {
                let at = at(splice.at);
                merged.push(
                    Splice {
                        at,
                        ..splice.clone()
                    },
                    false,
                );
            }
        }
        (own, other) = (own_end, other_end);
    }
    // They are in the order of the base, and nothing stands twice at a point.
    merged.split().unwrap_or_else(|_overlap| Merge {
        clean: EditSet::default(),
        clashing: difference(here, there),
    })
}

/// Changes of the text that is there, in order, and whether each clashes.
#[derive(Default)]
struct Merged(Vec<(Splice, bool)>);

impl Merged {
    /// Adds a change behind the others. Where what stood between two insertions has gone, they are one.
    fn push(&mut self, splice: Splice, clashes: bool) {
        match self.0.last_mut() {
            Some((last, own))
                if last.at == splice.at && last.old.is_empty() && splice.old.is_empty() =>
            {
                last.new.extend_from_slice(&splice.new);
                *own |= clashes;
            }
            _ => self.0.push((splice, clashes)),
        }
    }

    fn split(self) -> Result<Merge, Overlap> {
        let (clashing, clean): (Vec<_>, Vec<_>) =
            self.0.into_iter().partition(|(_, clashes)| *clashes);
        Ok(Merge {
            clean: edit_set(clean)?,
            clashing: edit_set(clashing)?,
        })
    }
}

fn edit_set(splices: Vec<(Splice, bool)>) -> Result<EditSet, Overlap> {
    EditSet::new(splices.into_iter().map(|(own, _)| own).collect())
}

/// Returns the ends of the changes from `own` and `other` on that clash with each other, one by way of the
/// next; those of `other` alone if it clashes with nothing.
fn clash(ours: &[Splice], own: usize, theirs: &[Splice], other: usize) -> (usize, usize) {
    let (mut own_end, mut other_end) = (own, other + 1);
    loop {
        // The last ones reach furthest.
        let last = theirs.get(other_end - 1);
        if clashes(ours.get(own_end), last) {
            own_end += 1;
        } else if own_end > own && clashes(ours.get(own_end - 1), theirs.get(other_end)) {
            other_end += 1;
        } else {
            return (own_end, other_end);
        }
    }
}

fn clashes(a: Option<&Splice>, b: Option<&Splice>) -> bool {
    a.zip(b)
        .is_some_and(|(a, b)| is_before(a, b) == is_before(b, a))
}

/// Returns whether a change stands before another one, and the two do not clash.
fn precedes(a: &Splice, b: &Splice) -> bool {
    is_before(a, b) && !is_before(b, a)
}

fn is_before(a: &Splice, b: &Splice) -> bool {
    a.end() <= b.at
}

fn grown(splice: &Splice) -> isize {
    splice.new.len() as isize - splice.old.len() as isize
}

/// Returns what the bytes `start` to `end` of the base become under the splices in them.
fn within(base: &Source, start: usize, end: usize, splices: &[Splice]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut done = start;
    for splice in splices {
        out.extend_from_slice(base.bytes().slice(done..splice.at));
        out.extend_from_slice(&splice.new);
        done = splice.end();
    }
    out.extend_from_slice(base.bytes().slice(done..end));
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(letters: &str) -> Source {
        Source::new(
            letters
                .chars()
                .map(|c| format!("{c}\n"))
                .collect::<String>(),
        )
    }

    fn letters(bytes: &[u8]) -> String {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        text.replace('\n', "")
    }

    #[test]
    fn changes_are_moved_or_clash() {
        for (base, here, there, merged, clashes) in [
            // Other lines.
            ("abcd", "abXcd", "abcD", "abXcD", &[][..]),
            ("abcd", "cd", "abcD", "cD", &[]),
            ("abcd", "Abcd", "aBcd", "ABcd", &[]),
            ("abcd", "abcd", "axcd", "axcd", &[]),
            // The same on both sides.
            ("abcd", "aXcd", "aXcD", "aXcD", &[]),
            ("abcd", "aXbcd", "aXbcd", "aXbcd", &[]),
            // The same lines.
            ("abcd", "aXcd", "aYcd", "aXcd", &[("X", "Y")]),
            ("abcd", "acd", "aYcd", "acd", &[("", "Y")]),
            ("abcd", "aXcd", "acd", "aXcd", &[("X", "")]),
            ("ab", "abX", "abY", "abX", &[("X", "Y")]),
            // One by way of the next.
            ("abcdef", "aXYdef", "abVWef", "aXYdef", &[("XYd", "bVW")]),
            ("abcdef", "aXYZef", "aUcVef", "aXYZef", &[("XYZ", "UcV")]),
            // Some of both.
            (
                "abcdefgh",
                "Abcdefghi",
                "xbcdEfgh",
                "AbcdEfghi",
                &[("A", "x")],
            ),
        ] {
            let (base, here, there) = (lines(base), lines(here), lines(there));
            let merge = merge(&base, &here, &there);
            let own = letters(&merge.clean.apply(here.bytes()).unwrap());
            assert_eq!(own, merged);
            let told = merge.clashing.splices().iter();
            let told: Vec<(String, String)> = told
                .map(|own| (letters(&own.old), letters(&own.new)))
                .collect();
            let told: Vec<(&str, &str)> = told.iter().map(|(a, b)| (&**a, &**b)).collect();
            assert_eq!(told, clashes, "{here:?} {there:?}");
            assert!(merge.clashing.apply(here.bytes()).is_ok());
        }
    }

    proptest! {
        /// Nothing of what is there goes but what the other side has taken out of the base; without
        /// clashes both sides end in the same text whichever is there.
        #[test]
        fn nothing_that_is_there_is_lost(base in "[a-f]{0,12}", here in "[a-fX]{0,12}", there in "[a-fY]{0,12}") {
            let (base, here, there) = (lines(&base), lines(&here), lines(&there));
            let one = merge(&base, &here, &there);
            let merged = letters(&one.clean.apply(here.bytes()).unwrap());
            let count = |text: &str, of: char| text.matches(of).count();
            // Lines that are not of the base stay, and no change touches what was put in here.
            for letter in letters(here.bytes()).chars().filter(|own| !letters(base.bytes()).contains(*own)) {
                prop_assert!(count(&merged, letter) >= count(&letters(here.bytes()), letter));
            }
            let put_in = difference(&base, &here).invert();
            for (own, clean) in put_in.splices().iter().flat_map(|own| one.clean.splices().iter().map(move |clean| (own, clean))) {
                prop_assert!(clean.end() <= own.at || own.end() <= clean.at, "{:?} {:?}", own, clean);
            }
            prop_assert_eq!(count(&merged, 'X'), count(&letters(here.bytes()), 'X'));
            let shown: usize = one.clashing.splices().iter().map(|own| count(&letters(&own.new), 'Y')).sum();
            prop_assert_eq!(count(&merged, 'Y') + shown, count(&letters(there.bytes()), 'Y'));
            let two = merge(&base, &there, &here);
            prop_assert_eq!(one.clashing.is_empty(), two.clashing.is_empty());
            if one.clashing.is_empty() {
                let other = letters(&two.clean.apply(there.bytes()).unwrap());
                prop_assert_eq!(merged, other);
            } else {
                // All together is what it is with the other side's lines.
                let all = one.clean.splices().iter().chain(one.clashing.splices()).cloned();
                let all = EditSet::new(all.collect()).unwrap();
                prop_assert!(all.apply(here.bytes()).is_ok());
            }
        }
    }
}
