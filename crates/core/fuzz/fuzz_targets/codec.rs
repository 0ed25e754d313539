//! Any bytes are read as an encoded change, or refused.
//!
//! In: bytes as they could stand in a damaged store. Out: nothing, unless decoding panics, or
//! what was decoded is not what it is encoded to, or cannot be worked with.

#![no_main]

use libfuzzer_sys::fuzz_target;
use signoff_core::text::codec;

fuzz_target!(|bytes: &[u8]| {
    let Ok(edits) = codec::decode(bytes) else {
        return;
    };
    assert_eq!(codec::decode(&codec::encode(&edits)).as_ref(), Ok(&edits));
    let back = edits.invert();
    assert!(edits.apply(bytes).is_err() || !edits.is_empty() || bytes == [0]);
    drop((
        edits.compose(&back),
        edits.commute(&back),
        back.over(&edits),
    ));
});
