//! Folds: hunks that are proved to be what one line says stand in one row, until the user opens them.
//!
//! In: what the engine proved of a hunk, what checks found, keys that open and close. Out: whether a hunk is folded, and
//! its words; which files' layout is still to be looked at.
//!
//! ```text
//! [ ] hunk 7 of 12  total → sum  +1 -1
//! [ ] hunk 8 of 12  12 lines moved from src/a.rs:40, unchanged  +0 -12
//! [ ] hunk 9 of 12  layout only, the same code  +3 -1
//! ```

use std::collections::{HashSet, VecDeque};
use std::fmt;

use signoff_core::engine::differs_in_blanks;
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::plural::counted;
use signoff_core::review::{HunkStatus, HunkView, Proof, ProposalView, Verdict};

use super::checks::Checks;
use super::colours::Colours;
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
    pub(super) colours: &'a Colours,
    pub(super) folds: &'a Folds,
}

/// What the user opened of the folds.
#[derive(Debug, Default)]
pub(super) struct Folds {
    opened: HashSet<HunkId>,
    /// All are open.
    all: bool,
    /// Files with hunks that may change the layout alone.
    unproved: VecDeque<ProposalId>,
}

impl Folds {
    /// Opens a hunk.
    pub(super) fn open(&mut self, hunk: HunkId) {
        self.opened.insert(hunk);
    }

    /// Opens or closes a hunk.
    pub(super) fn toggle(&mut self, hunk: HunkId) {
        if self.all {
            self.all = false;
            self.opened.clear();
        } else if !self.opened.remove(&hunk) {
            self.opened.insert(hunk);
        }
    }

    /// Opens all, or closes all; returns whether they are open.
    pub(super) fn toggle_all(&mut self) -> bool {
        self.all = !self.all;
        self.opened.clear();
        self.all
    }

    /// Takes over the list.
    pub(super) fn relist(&mut self, files: &[ProposalView]) {
        let hunks = files.iter().flat_map(|file| &file.hunks);
        let listed: HashSet<HunkId> = hunks.map(|hunk| hunk.id).collect();
        self.opened.retain(|hunk| listed.contains(hunk));
        let may = |file: &&ProposalView| file.hunks.iter().any(differs_in_blanks);
        self.unproved = files.iter().filter(may).map(|file| file.id).collect();
    }

    /// Returns once each file with hunks that may change the layout alone.
    pub(super) fn next_unproved(&mut self) -> Option<ProposalId> {
        self.unproved.pop_front()
    }
}

impl Evidence<'_> {
    /// Returns what a hunk is proved to be, in words. Such a hunk need not be read.
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
            None => (self.colours.is_layout_only(hunk)).then_some(Proved::Layout),
        }
    }

    /// Returns the words of a hunk that is folded.
    pub(super) fn fold<'v>(&self, file: &ProposalView, hunk: &'v HunkView) -> Option<Proved<'v>> {
        let is_open = self.folds.all || self.folds.opened.contains(&hunk.id);
        (!is_open).then(|| self.proof(file, hunk)).flatten()
    }

    fn denies(&self, hunk: HunkId) -> bool {
        matches!(self.marks.get(hunk), Some(Verdict::Deny { .. }))
    }
}
