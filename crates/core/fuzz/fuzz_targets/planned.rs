//! What targets with a request share.
//!
//! In: a path, a text and a request. Out: nothing, unless the plan does not apply to the text.

use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::edit::plan::{Outcome, plan};
use signoff_core::edit::request::{Change, Request};
use signoff_core::text::Source;

/// Plans a change of a text.
pub fn apply(path: &WorkspacePath, text: &str, request: Request) {
    let change = Change {
        file: path.as_str().to_owned(),
        description: None,
        operation: None,
        request,
        expected: None,
    };
    let source = Source::new(text);
    if let Outcome::Planned(plan) = plan(path, Some(&source), &change) {
        assert!(plan.edits.apply(source.bytes()).is_ok());
    }
}
