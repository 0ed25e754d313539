//! What the algebra of edit sets costs, by number of splices.
//!
//! In: edit sets of 10 to 10,000 splices over a text. Out: times; `items/s` is splices a
//! second, which stays the same where the work is linear.

#![expect(
    clippy::unwrap_used,
    reason = "a benchmark may stop at what it did not expect"
)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use signoff_source::text::{EditSet, Splice, codec};

fn main() {
    divan::main();
}

const SIZES: [usize; 3] = [10, 1_000, 10_000];
/// Bytes of text for each splice.
const STEP: usize = 40;

#[divan::bench(args = SIZES)]
fn apply(bencher: Bencher<'_, '_>, count: usize) {
    let (text, edits) = (text(count), edits(count, 0));
    measure(bencher, count, || edits.apply(black_box(&text)).unwrap());
}

#[divan::bench(args = SIZES)]
fn invert(bencher: Bencher<'_, '_>, count: usize) {
    let edits = edits(count, 0);
    measure(bencher, count, || black_box(&edits).invert());
}

#[divan::bench(args = SIZES)]
fn compose(bencher: Bencher<'_, '_>, count: usize) {
    let (first, next) = in_a_row(count);
    measure(bencher, count, || first.compose(black_box(&next)).unwrap());
}

#[divan::bench(args = SIZES)]
fn commute(bencher: Bencher<'_, '_>, count: usize) {
    let (first, next) = in_a_row(count);
    measure(bencher, count, || first.commute(black_box(&next)).unwrap());
}

#[divan::bench(args = SIZES)]
fn encode(bencher: Bencher<'_, '_>, count: usize) {
    let edits = edits(count, 0);
    measure(bencher, count, || codec::encode(black_box(&edits)));
}

#[divan::bench(args = SIZES)]
fn decode(bencher: Bencher<'_, '_>, count: usize) {
    let bytes = codec::encode(&edits(count, 0));
    measure(bencher, count, || codec::decode(black_box(&bytes)).unwrap());
}

fn measure<T>(bencher: Bencher<'_, '_>, count: usize, work: impl Fn() -> T + Sync) {
    bencher.counter(ItemsCount::new(count)).bench(work);
}

fn text(count: usize) -> Vec<u8> {
    vec![b'.'; count * STEP]
}

/// Returns replacements of four bytes by six, `offset` bytes into every stretch of text.
fn edits(count: usize, offset: usize) -> EditSet {
    let splice = |number: usize| Splice {
        at: number * STEP + offset,
        old: b"....".to_vec(),
        new: b"change".to_vec(),
    };
    EditSet::new((0..count).map(splice).collect()).unwrap()
}

/// Returns a change and one made for the text after it.
fn in_a_row(count: usize) -> (EditSet, EditSet) {
    let first = edits(count, 0);
    let next = edits(count, 20).over(&first).unwrap();
    (first, next)
}
