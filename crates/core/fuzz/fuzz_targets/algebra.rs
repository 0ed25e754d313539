//! The laws that staging, merging and undoing stand on.
//!
//! In: a text and changes of it, each described by gaps and lengths. Out: nothing, unless a law
//! is broken.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use signoff_core::text::{EditSet, Splice, codec};

/// A splice, told by how far after the last one it is, and how much it removes.
#[derive(Arbitrary, Debug)]
struct Step {
    gap: u8,
    removed: u8,
    inserted: Vec<u8>,
}

#[derive(Arbitrary, Debug)]
struct Input {
    text: Vec<u8>,
    first: Vec<Step>,
    second: Vec<Step>,
    third: Vec<Step>,
}

fuzz_target!(|input: Input| {
    let text = input.text.as_slice();
    let Some((a, after_a)) = made(text, &input.first) else {
        return;
    };
    assert_eq!(codec::decode(&codec::encode(&a)).as_ref(), Ok(&a));
    assert_eq!(a.invert().apply(&after_a).as_deref(), Ok(text));
    assert_eq!(a.invert().invert(), a);
    let whole = EditSet::between(text, &after_a);
    assert_eq!(whole.apply(text).as_ref(), Ok(&after_a));

    if let Some((b, after_b)) = made(&after_a, &input.second) {
        in_a_row(text, &a, &b, &after_b);
        if let Some((c, after_c)) = made(&after_b, &input.third) {
            let left = a.compose(&b).and_then(|ab| ab.compose(&c));
            let right = b.compose(&c).and_then(|bc| a.compose(&bc));
            assert_eq!(left.map(|edits| edits.apply(text)), Ok(Ok(after_c.clone())));
            assert_eq!(right.map(|edits| edits.apply(text)), Ok(Ok(after_c)));
        }
    }
    if let Some((b, after_b)) = made(text, &input.third) {
        side_by_side((&a, &after_a), (&b, &after_b));
    }
});

/// `b` was made for the text after `a`.
fn in_a_row(text: &[u8], a: &EditSet, b: &EditSet, after: &[u8]) {
    let both = a.compose(b);
    assert_eq!(
        both.as_ref().map(|both| both.apply(text)),
        Ok(Ok(after.to_vec()))
    );
    let back = b.invert().compose(&a.invert());
    assert_eq!(back.map(|back| back.apply(after)), Ok(Ok(text.to_vec())));
    let Ok((first, second)) = a.commute(b) else {
        return;
    };
    let between = first.apply(text);
    let swapped = between.and_then(|between| second.apply(&between));
    assert_eq!(swapped.as_deref(), Ok(after));
    // What was put in beside a removal cannot be told from what replaces it: not every swap has
    // a way back, but none leads elsewhere.
    if let Ok(back) = first.commute(&second) {
        assert_eq!(back, (a.clone(), b.clone()));
    }
}

/// Both were made for one text.
fn side_by_side((a, after_a): (&EditSet, &[u8]), (b, after_b): (&EditSet, &[u8])) {
    let (Ok(b_over_a), Ok(a_over_b)) = (b.over(a), a.over(b)) else {
        return;
    };
    assert_eq!(b_over_a.apply(after_a), a_over_b.apply(after_b));
}

/// Returns a change of `text`, and the text after it; none if two of its steps collide.
fn made(text: &[u8], steps: &[Step]) -> Option<(EditSet, Vec<u8>)> {
    let mut at = 0;
    let mut splices = Vec::new();
    for step in steps {
        let start = text.len().min(at + usize::from(step.gap));
        let end = text.len().min(start + usize::from(step.removed));
        splices.push(Splice {
            at: start,
            old: text.get(start..end)?.to_vec(),
            new: step.inserted.clone(),
        });
        at = end;
    }
    let edits = EditSet::new(splices).ok()?;
    let after = edits.apply(text);
    assert!(after.is_ok());
    Some((edits, after.ok()?))
}
