//! Any pattern on any text.
//!
//! In: a byte for the language, then a text, a pattern and a replacement with form feeds between
//! them. Out: nothing, unless planning panics or a plan does not apply to its text.

#![no_main]

mod place;
mod planned;

use libfuzzer_sys::fuzz_target;
use signoff_core::edit::request::{Request, StructRequest};

fuzz_target!(|input: &str| {
    let Some((path, [text, pattern, replacement])) = place::read(input) else {
        return;
    };
    let request = Request::Struct(StructRequest {
        pattern: pattern.to_owned(),
        replacement: replacement.to_owned(),
        language: None,
        constraints: Vec::new(),
    });
    planned::apply(&path, text, request);
});
