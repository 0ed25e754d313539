//! Proofs: what hunks are proved to be, told in a line.
//!
//! In: what the engine proved of a hunk, marks, what checks found. Out: its proof in words. A proof says in which order
//! hunks are read and how they are shown first; their lines are displayed all the same before they are approved.
//!
//! For example, the engine says of a hunk that it puts `sum` in the place of `total` and does nothing else: its proof is
//! `total → sum`. It has none once a check finds an error in it, or its file comes with a warning.

use std::fmt;

use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::stage::review::{HunkStatus, HunkView, Proof, ProposalView, Verdict};

use super::checks::Checks;
use super::marks::Marks;

/// What a hunk is proved to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proved<'a> {
    /// One name in the place of another.
    Renamed { from: &'a str, to: &'a str },
    /// Lines that come from somewhere, or go there, as they are.
    Moved {
        comes: bool,
        path: &'a str,
        line: u32,
        lines: u32,
    },
    /// The code is the same without it.
    Layout,
}

impl fmt::Display for Proved<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Renamed { from, to } => write!(f, "{from} → {to}"),
            Self::Moved {
                comes,
                path,
                line,
                lines,
            } => {
                let way = if *comes { "from" } else { "to" };
                let lines = counted(*lines as usize, "line");
                write!(f, "{lines} moved {way} {path}:{line}, unchanged")
            }
            Self::Layout => f.write_str("layout only, the same code"),
        }
    }
}

/// What is known of hunks that decides whether they have to be read.
#[derive(Clone, Copy)]
pub(super) struct Evidence<'a> {
    pub(super) marks: &'a Marks,
    pub(super) checks: &'a Checks,
}

impl Evidence<'_> {
    /// Returns what a hunk is proved to be, in words. Such a hunk is folded, and comes last.
    pub(super) fn proof<'v>(&self, file: &ProposalView, hunk: &'v HunkView) -> Option<Proved<'v>> {
        let is_edited = matches!(self.marks.get(hunk.id), Some(Verdict::ApproveEdited { .. }));
        let asks_for_eyes = file.runs.is_some()
            || file.held.is_some()
            || file.note.is_some()
            || file.is_guess
            || hunk.status != HunkStatus::Pending
            || hunk.denied_before.is_some();
        if is_edited || asks_for_eyes || self.checks.has_found(hunk.id) {
            return None;
        }
        match &hunk.proof {
            Some(Proof::Renamed { from, to }) => Some(Proved::Renamed { from, to }),
            Some(Proof::Moved { with, .. }) if self.denies(*with) => None,
            Some(Proof::Moved {
                path, line, lines, ..
            }) => Some(Proved::Moved {
                comes: hunk.removed == 0,
                path,
                line: *line,
                lines: *lines,
            }),
            Some(Proof::Layout) => Some(Proved::Layout),
            None => None,
        }
    }

    fn denies(&self, hunk: HunkId) -> bool {
        matches!(self.marks.get(hunk), Some(Verdict::Deny { .. }))
    }
}
