//! Proofs: what hunks are proved to be, so that they need not be read.
//!
//! In: what the engine proved of a hunk, whether its code is the same without it, marks, what checks found. Out: its
//! proof in words; which files' layout is still to be looked at.
//!
//! For example, the engine says of a hunk that it puts `sum` in the place of `total` and does nothing else: its proof is
//! `total → sum`. It has none once a check finds an error in it, or its file comes with a warning.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;

use signoff_core::engine::{CodeColours, differs_in_blanks, lines_key};
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::plural::counted;
use signoff_core::stage::review::{HunkStatus, HunkView, Proof, ProposalView, Verdict};

use super::checks::Checks;
use super::list::unchanged;
use super::marks::Marks;

/// What a hunk is proved to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proved<'a> {
    /// One name in the place of another.
    Renamed { from: &'a str, to: &'a str },
    /// The rewrite that the user has approved in another hunk.
    SameRewrite {
        from: &'a str,
        to: &'a str,
        path: &'a str,
    },
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
            Self::SameRewrite { from, to, path } => {
                write!(f, "`{from}` → `{to}`, as approved in {path}")
            }
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

/// Which hunks change the layout alone: their code is the same without them.
#[derive(Debug, Default)]
pub(super) struct LayoutProofs {
    /// Such hunks, as listed.
    same_code: HashSet<HunkId>,
    /// Files with hunks that may be such, not looked at yet.
    unproved: VecDeque<ProposalId>,
}

impl LayoutProofs {
    /// Takes over what the colours of a proposal tell, which may be listed with other lines by now.
    pub(super) fn take(&mut self, colours: &CodeColours, files: &[ProposalView]) {
        let proposal = colours.proposal;
        self.same_code.retain(|hunk| hunk.proposal != proposal);
        let files = files.iter().filter(|file| file.id == proposal);
        let listed: HashMap<HunkId, &HunkView> = files
            .flat_map(|file| &file.hunks)
            .map(|hunk| (hunk.id, hunk))
            .collect();
        let same_code = colours.hunks.iter().filter(|own| {
            let listed = listed.get(&own.hunk);
            own.is_layout_only && listed.is_some_and(|hunk| own.key == lines_key(&hunk.lines))
        });
        self.same_code.extend(same_code.map(|own| own.hunk));
    }

    /// Takes over another list: what has other lines there has to be proved again.
    pub(super) fn relist(&mut self, before: &[ProposalView], after: &[ProposalView]) {
        let unchanged = unchanged(before, after);
        self.same_code
            .retain(|hunk| unchanged.contains(&hunk.proposal));
        let may = |file: &&ProposalView| file.hunks.iter().any(differs_in_blanks);
        self.unproved = after.iter().filter(may).map(|file| file.id).collect();
    }

    /// Returns once each file with hunks that may change the layout alone.
    pub(super) fn next_unproved(&mut self) -> Option<ProposalId> {
        self.unproved.pop_front()
    }

    fn is_same_code(&self, hunk: HunkId) -> bool {
        self.same_code.contains(&hunk)
    }
}

/// What is known of hunks that decides whether they have to be read.
#[derive(Clone, Copy)]
pub(super) struct Evidence<'a> {
    pub(super) marks: &'a Marks,
    pub(super) checks: &'a Checks,
    pub(super) layout: &'a LayoutProofs,
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
            // The rewrite is read once.
            Some(Proof::SameRewrite { with, .. }) if !self.approves(*with) => None,
            Some(Proof::SameRewrite { path, from, to, .. }) => {
                Some(Proved::SameRewrite { from, to, path })
            }
            Some(Proof::Moved { with, .. }) if self.denies(*with) => None,
            Some(Proof::Moved {
                path, line, lines, ..
            }) => Some(Proved::Moved {
                comes: hunk.removed == 0,
                path,
                line: *line,
                lines: *lines,
            }),
            None => (self.layout.is_same_code(hunk.id)).then_some(Proved::Layout),
        }
    }

    fn approves(&self, hunk: HunkId) -> bool {
        self.marks.get(hunk) == Some(&Verdict::Approve)
    }

    fn denies(&self, hunk: HunkId) -> bool {
        matches!(self.marks.get(hunk), Some(Verdict::Deny { .. }))
    }
}
