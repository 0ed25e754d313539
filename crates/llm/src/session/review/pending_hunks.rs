//! Pending hunks, as far as the conversation needs to know.
//!
//! In: what was staged, decided and read. Out: the number that waits, and whether a verdict
//! calls for an answer of the model. Truth about proposals is the engine's.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use signoff_core::engine::HunkOutcome;
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::plural::counted;
use signoff_core::stage::review::{
    HunkStatus, ProposalView, Proposer, ReviewListing, StagedProposals,
};

use crate::notice::{Notice, name};

/// The hunks that wait.
#[derive(Debug, Default)]
pub(in crate::session) struct PendingHunks {
    /// The file of each.
    pending: BTreeMap<HunkId, String>,
    /// The file of each hunk in conflict.
    conflicts: BTreeMap<HunkId, String>,
    /// Proposals that models made in this conversation.
    ours: HashSet<ProposalId>,
}

impl PendingHunks {
    /// Takes proposals in that this conversation staged.
    pub(in crate::session) fn stage(&mut self, staged: &StagedProposals) {
        let by_model = staged.iter().filter(|view| view.proposer != Proposer::User);
        self.ours.extend(by_model.map(|view| view.id));
        self.pending.extend(staged.iter().flat_map(waiting));
    }

    /// Takes proposals as made in this conversation, which an earlier process staged.
    pub(in crate::session) fn claim(&mut self, proposals: impl Iterator<Item = ProposalId>) {
        self.ours.extend(proposals);
    }

    /// Returns the files with hunks that wait, and how many.
    pub(in crate::session) fn waiting(&self) -> Vec<String> {
        let mut files: BTreeMap<&str, usize> = BTreeMap::new();
        for path in self.pending.values() {
            *files.entry(path).or_default() += 1;
        }
        let each = files.into_iter();
        each.map(|(path, hunks)| format!("{} ({})", name(path), counted(hunks, "hunk")))
            .collect()
    }

    /// Takes the whole review list as it is now, and returns the hunks that do not wait any more.
    pub(in crate::session) fn read(&mut self, listing: &ReviewListing) -> Vec<HunkId> {
        let conflicts = listing.iter().flat_map(in_conflict);
        self.conflicts = conflicts.collect();
        let now = listing.iter().flat_map(waiting).collect();
        let before = std::mem::replace(&mut self.pending, now);
        let gone = before.into_keys();
        gone.filter(|hunk| !self.pending.contains_key(hunk))
            .collect()
    }

    /// Takes over that hunks are part of later ones now.
    pub(in crate::session) fn forget(&mut self, hunks: &[HunkId]) {
        self.pending.retain(|hunk, _| !hunks.contains(hunk));
    }

    /// Takes verdicts and returns true if one of them is for the model to answer: a denial
    /// with a reason, of a hunk or of lines of one, of something that it proposed in this conversation.
    pub(in crate::session) fn decide(&mut self, hunks: &[HunkOutcome]) -> bool {
        for judged in hunks {
            if judged.status != HunkStatus::Pending {
                self.pending.remove(&judged.hunk);
                self.conflicts.remove(&judged.hunk);
            }
            if let HunkStatus::Conflict { .. } = judged.status {
                self.conflicts.insert(judged.hunk, judged.path.clone());
            }
        }
        hunks.iter().any(|judged| {
            judged.status.denial().is_some() && self.ours.contains(&judged.hunk.proposal)
        })
    }

    /// Tells whether any hunk waits.
    pub(in crate::session) fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Tells whether this hunk waits.
    pub(in crate::session) fn holds(&self, hunk: HunkId) -> bool {
        self.pending.contains_key(&hunk)
    }

    /// Tells whether any hunk of this proposal waits.
    pub(in crate::session) fn waits(&self, proposal: ProposalId) -> bool {
        let [first, last] = [0, u32::MAX].map(|number| HunkId { proposal, number });
        let mut hunks = self.pending.range(first..=last);
        hunks.next().is_some()
    }

    /// Returns the notice for a turn that begins while hunks wait or are in conflict.
    pub(in crate::session) fn notice(&self) -> Option<Notice> {
        let hunks = self.pending.len();
        let [paths, conflicts] = [&self.pending, &self.conflicts].map(|hunks| {
            let paths: BTreeSet<&String> = hunks.values().collect();
            paths.into_iter().cloned().collect::<Vec<_>>()
        });
        (hunks > 0 || !conflicts.is_empty()).then_some(Notice::Waiting {
            hunks,
            paths,
            conflicts,
        })
    }
}

/// Returns the hunks of a proposal that are in conflict, each with its file.
fn in_conflict(view: &ProposalView) -> impl Iterator<Item = (HunkId, String)> {
    let hunks = view.hunks.iter();
    let hunks = hunks.filter(|hunk| matches!(hunk.status, HunkStatus::Conflict { .. }));
    hunks.map(|hunk| (hunk.id, view.path.clone()))
}

/// Returns the hunks of a proposal that wait, each with its file.
fn waiting(view: &ProposalView) -> impl Iterator<Item = (HunkId, String)> {
    view.pending().map(|hunk| (hunk.id, view.path.clone()))
}
