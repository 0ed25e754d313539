//! Any patch on any text.
//!
//! In: a text and a patch with a form feed between them. Out: nothing, unless planning panics,
//! or a plan changes nothing or does not apply to the text that it was made for.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::edit::plan::{Outcome, plan};
use signoff_core::edit::request::{Change, Request};
use signoff_core::text::Source;

fuzz_target!(|input: &str| {
    let (text, patch) = input.split_once('\u{c}').unwrap_or(("", input));
    let Ok(path) = WorkspacePath::parse("a.txt", Path::new("/")) else {
        return;
    };
    let change = Change {
        file: "a.txt".to_owned(),
        description: None,
        operation: None,
        request: Request::Unified(patch.to_owned()),
        expected: None,
    };
    let source = Source::new(text);
    for source in [Some(&source), None] {
        if let Outcome::Planned(plan) = plan(&path, source, &change) {
            assert!(
                !plan.edits.is_empty() || source.is_none_or(|source| source.bytes().is_empty())
            );
            assert!(
                plan.edits
                    .apply(source.map_or(&[][..], Source::bytes))
                    .is_ok()
            );
        }
    }
});
