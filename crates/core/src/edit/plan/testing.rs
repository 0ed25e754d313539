//! One `check` for the tests of all strategies.

use std::path::Path;

use super::{Outcome, plan};
use crate::disk::workspace::WorkspacePath;
use crate::edit::request::{Change, Request};
use crate::text::Source;

/// Plans `request` for `before` and applies it.
pub(crate) fn run(path: &str, before: &str, request: Request) -> Result<String, Outcome> {
    let path = WorkspacePath::parse(path, Path::new("/w")).unwrap();
    let source = Source::new(before);
    let change = Change {
        file: String::new(),
        description: None,
        operation: None,
        request,
        expected: None,
    };
    match plan(&path, Some(&source), &change) {
        Outcome::Planned(plan) => {
            Ok(String::from_utf8(plan.edits.apply(source.bytes()).unwrap()).unwrap())
        }
        other => Err(other),
    }
}

/// Returns the outcome as one word, for tables.
pub(crate) fn word(result: &Result<String, Outcome>) -> &'static str {
    match result {
        Ok(_) | Err(Outcome::Planned(_)) => "applied",
        Err(Outcome::AlreadyApplied { .. }) => "already_applied",
        Err(Outcome::Left { .. }) => "left",
        Err(Outcome::Ambiguous { .. }) => "ambiguous",
        Err(Outcome::NotFound { .. }) => "not_found",
        Err(Outcome::Refused { .. }) => "refused",
        Err(Outcome::OutOfBudget) => "out_of_budget",
        Err(Outcome::Invalid { .. }) => "invalid",
    }
}
