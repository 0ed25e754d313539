//! Any line is answered.
//!
//! In: bytes as they could come on standard input. Out: nothing, unless the engine panics,
//! its answer is no JSON, or it says that it did something and shows no text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use signoff_core::edit::guard::Guards;
use signoff_core::engine::{Status, one_shot};
use signoff_core::syntax::SyntaxCache;

fuzz_target!(|bytes: &[u8]| {
    let answer = one_shot(
        &SyntaxCache::default(),
        &String::from_utf8_lossy(bytes),
        Guards::On,
    );
    assert!(serde_json::to_string(&answer).is_ok());
    assert_eq!(
        answer.ok,
        matches!(answer.status, Status::Applied | Status::AlreadyApplied)
    );
    assert_eq!(
        answer.ok,
        answer.error.is_none() || answer.status == Status::AlreadyApplied
    );
    assert!(answer.ok || answer.after.is_none());
});
