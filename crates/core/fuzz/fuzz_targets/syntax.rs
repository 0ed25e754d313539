//! Any change of any text, judged by the parsers of its language.
//!
//! In: a byte for the language, then the texts before and after with a form feed between them.
//! Out: nothing, unless a parser's panic gets out, an error is outside of the text, or what the
//! text after has by itself is called good as a change.

#![no_main]

mod place;

use libfuzzer_sys::fuzz_target;
use signoff_core::syntax::{SyntaxCache, health};
use signoff_core::text::EditSet;

fuzz_target!(|input: &str| {
    let Some((path, [before, after])) = place::read(input) else {
        return;
    };
    let cache = SyntaxCache::default();
    let edits = EditSet::between(before.as_bytes(), after.as_bytes());
    let new = health::new_errors(&cache, &path, Some(before), after, &edits);
    let all = health::errors(&cache, &path, after);
    let lines = after.split('\n').count();
    assert!(new.iter().chain(&all).all(|error| error.line <= lines));
    let was_good = health::errors(&cache, &path, before).is_empty();
    let now_bad = all.iter().any(|error| error.certain);
    assert!(!was_good || !now_bad || before.trim().is_empty() || !new.is_empty());
});
