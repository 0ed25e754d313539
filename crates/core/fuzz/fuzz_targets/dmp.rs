//! Any patch of diff-match-patch on any text.
//!
//! In: a byte for the language, then a text and a patch with a form feed between them. Out:
//! nothing, unless planning panics or a plan does not apply to its text.

#![no_main]

mod place;
mod planned;

use libfuzzer_sys::fuzz_target;
use signoff_core::edit::request::Request;

fuzz_target!(|input: &str| {
    if let Some((path, [text, patch])) = place::read(input) {
        planned::apply(&path, text, Request::Dmp(patch.to_owned()));
    }
});
