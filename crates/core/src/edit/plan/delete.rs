//! Deletes a file: the strategy `delete`.
//!
//! In: a text, or none. Out: a plan that takes all of it, so that what went can be put back. There
//! is nothing to parse, and the place is the whole text.

use super::outcome::{OrAnswer, already};
use super::{Evidence, Plan, Presence};
use crate::disk::workspace::WorkspacePath;
use crate::edit::locate::Rung;
use crate::text::{EditSet, Source};

/// Plans that the file at `path` goes away.
pub(super) fn plan(path: &WorkspacePath, source: Option<&Source>) -> OrAnswer<Plan> {
    match source {
        Some(source) => Ok(splice(source)),
        None => Err(already(format!("{path} does not exist"))),
    }
}

/// Takes everything away, and the file with it.
pub(super) fn splice(source: &Source) -> Plan {
    Plan {
        presence: Presence::Deleted,
        edits: EditSet::between(source.bytes(), b""),
        evidence: Evidence::new(Rung::Exact, "whole file"),
        changes: 1,
    }
}

#[cfg(test)]
mod tests {
    use crate::edit::plan::testing::run;
    use crate::edit::request::Request;

    #[test]
    fn all_of_the_text_goes() {
        for before in ["", "a\n", "a\r\nb"] {
            assert_eq!(run("a.txt", before, Request::Delete).unwrap(), "");
        }
    }
}
