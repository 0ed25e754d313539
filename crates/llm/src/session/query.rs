//! Queries about changes: what the user wants to see of them, and what there is.
//!
//! In: a scope, a hunk, a proposal or verdicts. Out: a diff, authors of lines, how a place was found, or alarms. Nothing changes by them, and
//! verdicts do not wait for them.

use serde::Serialize;
use signoff_core::engine::{HunkBlame, OwnTextAlarms, PlaceQuestion, Placement};
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::stage::review::{DiffScope, Ruling, ScopedDiff};

/// What the user wants to see of changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeQuery {
    /// What the changes of a scope make of each file.
    Diff(DiffScope),
    /// Who last changed the old lines of a hunk.
    Blame(HunkId),
    /// How the place of a proposal was found.
    Placement(ProposalId),
    /// Which edits fit several places.
    Unplaced,
    /// What guards find in texts of the user's that verdicts would write.
    OwnText(Vec<Ruling>),
}

/// What there is to see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeAnswer {
    /// The diff of a scope.
    Diff(ScopedDiff),
    /// The authors of a hunk's old lines.
    Blame(HunkBlame),
    /// How a place was found; none if the proposal is not staged any more.
    Placement(Option<Placement>),
    /// The edits that fit several places, oldest first.
    Unplaced(Vec<PlaceQuestion>),
    /// What guards find in texts of the user's, for these verdicts; or why they did not look.
    OwnText {
        /// The verdicts.
        rulings: Vec<Ruling>,
        /// What was found, by file.
        found: Result<Vec<OwnTextAlarms>, String>,
    },
}
