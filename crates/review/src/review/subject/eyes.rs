//! Where eyes are needed: which hunks have to be read, which come first, and which are proved.
//!
//! In: the list, proofs, marks. Out: counts, and the order of verdicts.

use std::collections::HashSet;
use std::sync::Arc;

use signoff_core::edit::intent::Operation;
use signoff_core::id::HunkId;
use signoff_core::stage::review::{HunkView, ProposalView, Verdict};

use super::ReviewSubject;
use crate::review::list::HunkPlace;
use crate::review::review_file::{ReviewFile, files};
use crate::review::tree::in_tree_order;

/// How much a file asks for eyes: what is first is read first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Risk {
    /// A program runs it, or something obeys it.
    Runs,
    /// It goes, or something of it may be nowhere then.
    Goes,
    /// The place was found by likeness, there is a word of warning, or the user denied the same before.
    Warned,
    /// Any other.
    Usual,
    /// All of it is proved to be what one line says.
    Proved,
}

impl Risk {
    fn of_file(file: &ReviewFile) -> Self {
        let proposals = file.proposals().iter();
        proposals
            .map(|own| Self::of(own))
            .min()
            .unwrap_or(Self::Usual)
    }

    fn of(file: &ProposalView) -> Self {
        let mut hunks = file.hunks.iter();
        if file.runs.is_some() {
            Self::Runs
        } else if file.held.is_some() || file.operation == Operation::Delete {
            Self::Goes
        } else if file.is_guess
            || file.note.is_some()
            || hunks.clone().any(|hunk| hunk.denied_before.is_some())
        {
            Self::Warned
        } else if hunks.all(|hunk| hunk.proof.is_some()) {
            Self::Proved
        } else {
            Self::Usual
        }
    }
}

/// Returns the files of proposals in the order in which they are read: by risk, and what is in one folder together.
pub(in crate::review) fn in_order(
    proposals: impl IntoIterator<Item = impl Into<Arc<ProposalView>>>,
) -> Vec<ReviewFile> {
    let mut files = files(proposals);
    files.sort_by_cached_key(Risk::of_file);
    in_tree_order(files)
}

/// Lines that come or go in hunks that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::review) struct EyesNeeded {
    /// Those that have to be read.
    pub(in crate::review) lines: usize,
    /// All.
    pub(in crate::review) all: usize,
}

impl ReviewSubject {
    /// Returns how many lines have to be read; nothing if none is proved.
    pub(in crate::review) fn eyes_needed(&self) -> Option<EyesNeeded> {
        let evidence = self.evidence();
        let all = self.list.open_lines();
        let proved = self.list.proved();
        let proved = proved.filter(|(file, hunk)| evidence.proof(file, hunk).is_some());
        let proved = proved.map(|(_, hunk)| hunk.added as usize + hunk.removed as usize);
        let lines = all.saturating_sub(proved.sum());
        (lines < all).then_some(EyesNeeded { lines, all })
    }

    fn open_hunks(&self) -> impl Iterator<Item = (&ProposalView, &HunkView)> {
        self.list
            .entries()
            .filter(|(_, hunk)| hunk.status.is_open())
    }

    /// Returns true if a verdict on a hunk is wanted and none is marked.
    fn is_unmarked(&self, hunk: &HunkView) -> bool {
        self.marks().is_open(hunk) && self.marks().get(hunk.id).is_none()
    }

    /// Returns the hunk that a verdict is wanted on next, after the one at `from` and round to the first: what has to be
    /// read before what is proved. Nothing if none waits without a mark.
    pub(in crate::review) fn next_open(&self, from: HunkPlace) -> Option<HunkPlace> {
        let evidence = self.evidence();
        let next = |is_proved: bool| {
            self.list.find_even_hidden(from, |proposal, hunk| {
                self.is_unmarked(hunk) && evidence.proof(proposal, hunk).is_some() == is_proved
            })
        };
        next(false).or_else(|| next(true))
    }

    /// Returns the hunk that a verdict is wanted on once one was given: before all others those in which a check found an error.
    pub(in crate::review) fn next_wanted(&self, from: HunkPlace) -> Option<HunkPlace> {
        let wrong = self.list.find_even_hidden(from, |_, hunk| {
            self.is_unmarked(hunk) && self.checks.has_error(hunk.id)
        });
        wrong.or_else(|| self.next_open(from))
    }

    /// Returns the first hunk without a mark whose lines are not displayed.
    pub(in crate::review) fn next_undisplayed(&self) -> Option<HunkPlace> {
        self.list
            .find(|_, hunk| self.is_unmarked(hunk) && hunk.undisplayed.is_some())
    }

    /// Returns the last hunk before the selected one that a verdict is wanted on, round the start if need be.
    pub(in crate::review) fn previous_open(&self) -> Option<HunkPlace> {
        let at = self.list.at();
        self.list.find_before(at, |_, hunk| self.is_unmarked(hunk))
    }

    /// Returns the hunks that are proved and wait.
    pub(in crate::review) fn proved(&self) -> HashSet<HunkId> {
        let evidence = self.evidence();
        let proved = self.open_hunks().filter(|(file, hunk)| {
            self.marks().waits_for(hunk, &Verdict::Approve) && evidence.proof(file, hunk).is_some()
        });
        proved.map(|(_, hunk)| hunk.id).collect()
    }
}
