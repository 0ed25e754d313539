//! A stream of events is the same however it is cut.
//!
//! In: bytes, and the size of the pieces that they arrive in. Out: nothing, unless reading
//! panics, or pieces make a difference, or more comes out than went in.

#![no_main]

use libfuzzer_sys::fuzz_target;
use signoff_providers::provider::sse::{Frame, Frames, TooLong};

const LIMIT: usize = 4096;

fuzz_target!(|input: (u8, &[u8])| {
    let (piece, bytes) = input;
    let whole = read(bytes, bytes.len().max(1));
    assert_eq!(read(bytes, usize::from(piece) + 1), whole);
    // Bytes that are no text become three bytes each.
    let data = whole
        .iter()
        .flatten()
        .map(|frame| frame.data.len())
        .sum::<usize>();
    assert!(data <= bytes.len() * 3);
});

fn read(bytes: &[u8], piece: usize) -> Vec<Result<Frame, TooLong>> {
    let mut frames = Frames::new(LIMIT);
    let mut out: Vec<_> = bytes
        .chunks(piece)
        .flat_map(|piece| frames.push(piece))
        .collect();
    out.extend(frames.finish());
    out
}
