//! Verdicts that are marked but not yet handed over.
//!
//! In: marks and the hunks they are about. Out: rulings, once the user submits.

use std::collections::{HashMap, HashSet};

use signoff_core::id::HunkId;
use signoff_core::review::{HunkStatus, HunkView, ProposalView, Ruling, Verdict};

/// Verdicts by hunk, and which hunks were handed over and wait for an answer.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    marked: HashMap<HunkId, Verdict>,
    sent: HashSet<HunkId>,
}

impl Marks {
    /// Returns true if a verdict may be marked: it waits, and none was handed over.
    pub(crate) fn is_open(&self, hunk: &HunkView) -> bool {
        hunk.status == HunkStatus::Pending && !self.sent.contains(&hunk.id)
    }

    /// Returns true if the verdict was handed over.
    pub(crate) fn is_sent(&self, hunk: HunkId) -> bool {
        self.sent.contains(&hunk)
    }

    /// Returns what is marked.
    pub(crate) fn get(&self, hunk: HunkId) -> Option<&Verdict> {
        self.marked.get(&hunk)
    }

    /// Returns how many hunks are marked.
    pub(crate) fn count(&self) -> usize {
        self.marked.len()
    }

    /// Returns true if this verdict may be marked: a hunk in conflict can only be denied.
    pub(crate) fn takes(&self, hunk: &HunkView, verdict: &Verdict) -> bool {
        let dismissed = matches!(
            (&hunk.status, verdict),
            (HunkStatus::Conflict { .. }, Verdict::Deny { .. })
        );
        self.is_open(hunk) || (dismissed && !self.sent.contains(&hunk.id))
    }

    /// Marks a hunk; one that does not take the verdict is left alone.
    pub(crate) fn set(&mut self, hunk: &HunkView, verdict: Verdict) {
        if self.takes(hunk, &verdict) {
            self.marked.insert(hunk.id, verdict);
        }
    }

    /// Takes a mark away.
    pub(crate) fn unset(&mut self, hunk: HunkId) {
        self.marked.remove(&hunk);
    }

    /// Returns the rulings for the marked hunks, in the order of `hunks`.
    pub(crate) fn submit<'a>(&mut self, hunks: impl Iterator<Item = &'a HunkView>) -> Vec<Ruling> {
        let rulings: Vec<_> = hunks
            .filter_map(|hunk| {
                let verdict = self.marked.remove(&hunk.id)?;
                Some(Ruling {
                    hunk: hunk.id,
                    verdict,
                })
            })
            .collect();
        self.sent.extend(rulings.iter().map(|ruling| ruling.hunk));
        rulings
    }

    /// Takes over that everything handed over was answered.
    pub(crate) fn answered(&mut self) {
        self.sent.clear();
    }

    /// Keeps marks only of hunks that still wait and still say what they said when marked.
    pub(crate) fn carry_over(&mut self, before: &[ProposalView], after: &[ProposalView]) {
        let before: HashMap<_, _> = hunks(before).map(|hunk| (hunk.id, hunk)).collect();
        let same: HashSet<_> = hunks(after)
            .filter(|hunk| hunk.status == HunkStatus::Pending)
            .filter(|hunk| {
                before
                    .get(&hunk.id)
                    .is_some_and(|was| says_the_same(was, hunk))
            })
            .map(|hunk| hunk.id)
            .collect();
        self.marked.retain(|id, _| same.contains(id));
    }
}

fn hunks(files: &[ProposalView]) -> impl Iterator<Item = &HunkView> {
    files.iter().flat_map(|file| &file.hunks)
}

/// Line numbers may move under an edit elsewhere; the lines may not change.
fn says_the_same(before: &HunkView, after: &HunkView) -> bool {
    before.lines.len() == after.lines.len()
        && before
            .lines
            .iter()
            .zip(&after.lines)
            .all(|(was, is)| (was.kind, &was.text, was.newline) == (is.kind, &is.text, is.newline))
}
