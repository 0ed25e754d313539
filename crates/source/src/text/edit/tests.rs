//! The algebra's laws, over random texts and changes.

use proptest::prelude::*;

use super::{EditSet, Splice};

fn splice(at: usize, old: &str, new: &str) -> Splice {
    Splice {
        at,
        old: old.into(),
        new: new.into(),
    }
}

fn set(splices: &[(usize, &str, &str)]) -> EditSet {
    EditSet::new(
        splices
            .iter()
            .map(|(at, old, new)| splice(*at, old, new))
            .collect(),
    )
    .unwrap()
}

/// Cuts `text` into a change that replaces some of its pieces.
fn change(text: Vec<u8>) -> impl Strategy<Value = EditSet> {
    let length = text.len();
    let piece = (
        0..=length,
        0..4_usize,
        proptest::collection::vec(b'a'..b'e', 0..4),
    );
    proptest::collection::vec(piece, 0..5).prop_map(move |pieces| {
        let mut splices: Vec<Splice> = Vec::new();
        let mut sorted = pieces;
        sorted.sort();
        for (at, take, new) in sorted {
            let end = (at + take).min(text.len());
            if splices.last().is_some_and(|last| last.end() >= at) {
                continue;
            }
            splices.push(Splice {
                at,
                old: text[at..end].to_vec(),
                new,
            });
        }
        EditSet::new(splices).unwrap()
    })
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(b'a'..b'e', 0..24)
}

fn text_and_change() -> impl Strategy<Value = (Vec<u8>, EditSet)> {
    text().prop_flat_map(|text| (Just(text.clone()), change(text)))
}

/// A text, a change for it, and a change for the text after that.
fn two_in_a_row() -> impl Strategy<Value = (Vec<u8>, EditSet, EditSet)> {
    text_and_change().prop_flat_map(|(text, first)| {
        let between = first.apply(&text).unwrap();
        (Just(text), Just(first), change(between))
    })
}

fn three_in_a_row() -> impl Strategy<Value = (Vec<u8>, EditSet, EditSet, EditSet)> {
    two_in_a_row().prop_flat_map(|(text, first, second)| {
        let between = second.apply(&first.apply(&text).unwrap()).unwrap();
        (Just(text), Just(first), Just(second), change(between))
    })
}

proptest! {
    #[test]
    fn what_is_taken_back_is_as_before((text, edits) in text_and_change()) {
        let after = edits.apply(&text).unwrap();
        prop_assert_eq!(edits.invert().apply(&after).unwrap(), text);
        prop_assert_eq!(edits.invert().invert(), edits);
    }

    #[test]
    fn composing_is_applying_in_a_row((text, first, second) in two_in_a_row()) {
        let apart = second.apply(&first.apply(&text).unwrap()).unwrap();
        prop_assert_eq!(first.compose(&second).unwrap().apply(&text).unwrap(), apart);
    }

    #[test]
    fn composing_three_edits_gives_the_same_in_either_order((text, a, b, c) in three_in_a_row()) {
        let left = a.compose(&b).unwrap().compose(&c).unwrap();
        let right = a.compose(&b.compose(&c).unwrap()).unwrap();
        // In effect: what a pair writes back as it was is dropped at once, so splices may differ.
        prop_assert_eq!(left.apply(&text).unwrap(), right.apply(&text).unwrap());
    }

    #[test]
    fn clashes_are_what_does_not_commute((_, first, second) in two_in_a_row()) {
        let clashes = first.clashes(&second);
        prop_assert_eq!(clashes.is_empty(), first.commute(&second).is_ok());
        let rest = second.select(|index| !clashes.contains(&index));
        prop_assert!(first.commute(&rest).is_ok());
        for clash in clashes {
            let alone = second.select(|index| index == clash);
            prop_assert!(first.commute(&alone).is_err());
        }
    }

    #[test]
    fn commuted_changes_end_in_the_same_text((text, first, second) in two_in_a_row()) {
        if let Ok((early, late)) = first.commute(&second) {
            let one = second.apply(&first.apply(&text).unwrap()).unwrap();
            let other = late.apply(&early.apply(&text).unwrap()).unwrap();
            prop_assert_eq!(one, other);
            prop_assert_eq!(early.splices().len(), second.splices().len());
            prop_assert_eq!(late.splices().len(), first.splices().len());
        }
    }

    #[test]
    fn parts_of_one_change_never_depend_on_each_other((text, edits) in text_and_change(), mask: u8) {
        let chosen = edits.select(|index| mask >> (index % 8) & 1 == 1);
        let others = edits.select(|index| mask >> (index % 8) & 1 == 0);
        let late = others.over(&chosen).unwrap();
        let after = late.apply(&chosen.apply(&text).unwrap()).unwrap();
        prop_assert_eq!(after, edits.apply(&text).unwrap());
    }

    #[test]
    fn the_difference_leads_from_one_text_to_the_other(old in text(), new in text()) {
        prop_assert_eq!(EditSet::between(&old, &new).apply(&old).unwrap(), new);
    }
}

#[test]
fn overlaps_and_doubled_insertions_are_refused() {
    let refused = |splices: &[(usize, &str, &str)]| {
        EditSet::new(
            splices
                .iter()
                .map(|(at, old, new)| splice(*at, old, new))
                .collect(),
        )
        .is_err()
    };
    assert!(refused(&[(0, "ab", "x"), (1, "b", "y")]));
    assert!(refused(&[(3, "", "x"), (3, "", "y")]));
    assert!(!refused(&[(0, "ab", "x"), (2, "", "y"), (3, "c", "")]));
}

#[test]
fn a_text_that_the_change_was_not_made_for_is_refused() {
    let edits = set(&[(2, "cd", "x")]);
    assert!(edits.apply(b"abce").is_err());
    assert!(edits.apply(b"ab").is_err());
    assert_eq!(edits.apply(b"abcde").unwrap(), b"abxe");
}

#[test]
fn what_is_undone_leaves_no_trace_between_others() {
    let one = set(&[(0, "1", "one"), (1, "2", "two"), (2, "3", "three")]);
    let back = set(&[(3, "two", "2")]);
    let both = one.compose(&back).unwrap();
    assert_eq!(both, set(&[(0, "1", "one"), (2, "3", "three")]));
    let twice = set(&[(1, "", "x")]).compose(&set(&[(2, "", "y")])).unwrap();
    assert_eq!(twice, set(&[(1, "", "xy")]));
}

#[test]
fn building_on_a_change_is_noticed() {
    let depends = |first: EditSet, next: EditSet| first.commute(&next).is_err();
    // Inside what was put in, and where something was taken out.
    assert!(depends(set(&[(0, "", "abc")]), set(&[(1, "b", "x")])));
    assert!(depends(set(&[(0, "abc", "")]), set(&[(0, "", "x")])));
    // Beside it, on either side.
    assert!(!depends(set(&[(0, "", "abc")]), set(&[(3, "", "x")])));
    assert!(!depends(set(&[(0, "", "abc")]), set(&[(0, "", "x")])));
}
