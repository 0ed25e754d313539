//! Verdicts on offers: those that the user gave on what came from others, and those that came from others.
//!
//! In: proposals that came with offers; verdicts that arrived. Out: what the user decided of each hunk, by the name that it
//! has where it was made; what became of each verdict that arrived.

use std::collections::{BTreeMap, BTreeSet};

use crate::disk::workspace::WorkspacePath;
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;
use crate::id::{HunkId, ProposalId, Timestamp};
use crate::stage::proposal::{HunkRecord, Proposal};
use crate::stage::review::{
    ChangeHash, EntryStatus, HistoryView, HunkOffer, HunkStatus, OtherRuling, OtherVerdict,
};

/// A verdict that the user gave on a hunk of another person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenVerdict {
    /// The offer that it came with.
    pub offer: String,
    /// The hunk, as it is called where it was made.
    pub hunk: HunkId,
    /// Its file.
    pub path: String,
    /// What was decided.
    pub ruling: OtherRuling,
    /// What was shown.
    pub hash: ChangeHash,
    /// When.
    pub time: Timestamp,
}

/// What became of a verdict that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The hunk.
    pub hunk: HunkId,
    /// Its file; none if it does not wait here, as one that is decided on.
    pub path: Option<String>,
    /// Whether it was not here before.
    pub is_new: bool,
}

/// Notes that hunks are in an offer.
pub(super) fn mark_offered(
    state: &mut WorkspaceState,
    offer: &str,
    hunks: &BTreeSet<HunkId>,
) -> Result<(), EngineError> {
    let paths = state.overlay.stage.mark_offered(offer, hunks);
    keep(state, paths)
}

/// Keeps what changed of the records of these files.
fn keep(state: &mut WorkspaceState, paths: BTreeSet<WorkspacePath>) -> Result<(), EngineError> {
    let stage = &state.overlay.stage;
    let keys = paths
        .iter()
        .map(|path| stage.key_of(path).unwrap_or(path).clone());
    let keys: Vec<WorkspacePath> = keys.collect::<BTreeSet<_>>().into_iter().collect();
    if keys.is_empty() {
        return Ok(());
    }
    state.save(&keys)
}

/// Returns the offers that hunks are in which need the user.
pub(super) fn made(proposals: &[Proposal]) -> BTreeSet<String> {
    let records = proposals.iter().flat_map(|proposal| &proposal.hunks);
    let open = records.filter(|record| record.status.is_open());
    let offers = open.filter_map(|record| match &record.offer {
        Some(HunkOffer::Made { offers, left, .. }) => Some(offers.iter().chain(left)),
        Some(HunkOffer::Taken { .. }) | None => None,
    });
    offers.flatten().cloned().collect()
}

/// Returns the offers that proposals came with, and which of their hunks came.
pub(super) fn taken(proposals: &[Proposal]) -> BTreeMap<String, BTreeSet<HunkId>> {
    let mut offers: BTreeMap<String, BTreeSet<HunkId>> = BTreeMap::new();
    for record in proposals.iter().flat_map(|proposal| &proposal.hunks) {
        if let Some(HunkOffer::Taken { offer, hunk, .. }) = &record.offer {
            offers.entry(offer.clone()).or_default().insert(*hunk);
        }
    }
    offers
}

/// What history has of proposals, each with its entries, oldest first.
pub(super) struct WrittenProposals(BTreeMap<ProposalId, Vec<HistoryView>>);

impl WrittenProposals {
    /// Returns what history has of these.
    pub(super) fn of(state: &WorkspaceState, proposals: &[Proposal]) -> Result<Self, EngineError> {
        let is_written = |own: &&Proposal| own.hunks.iter().any(|own| is_written(&own.status));
        let wanted: BTreeSet<ProposalId> = proposals
            .iter()
            .filter(is_written)
            .map(|own| own.id)
            .collect();
        let mut found: BTreeMap<ProposalId, Vec<HistoryView>> = BTreeMap::new();
        if wanted.is_empty() {
            return Ok(Self(found));
        }
        for path in state.store.history_paths()? {
            for entry in state.store.history(&path)?.views().into_iter().rev() {
                if let Some(id) = entry.proposal.filter(|id| wanted.contains(id)) {
                    found.entry(id).or_default().push(entry);
                }
            }
        }
        Ok(Self(found))
    }

    /// Returns the entry that a hunk was written with, if it was and that is kept.
    fn entry(&self, proposal: ProposalId, record: &HunkRecord) -> Option<&HistoryView> {
        let Some(HunkOffer::Taken { given, .. }) = &record.offer else {
            return None;
        };
        let (_, time) = given.as_ref().filter(|_| is_written(&record.status))?;
        let mut entries = self.0.get(&proposal)?.iter();
        // The other hunks of the proposal may have been written before and after.
        entries.find(|entry| entry.time >= *time)
    }

    /// Returns whether a hunk was written and undone.
    pub(super) fn is_undone(&self, proposal: ProposalId, record: &HunkRecord) -> bool {
        let entry = self.entry(proposal, record);
        entry.is_some_and(|entry| entry.status == EntryStatus::Reverted)
    }
}

/// Returns whether a hunk was written, as it was proposed or not.
pub(super) fn is_written(status: &HunkStatus) -> bool {
    matches!(status, HunkStatus::Committed | HunkStatus::Edited { .. })
}

/// Returns what the user decided of hunks that came with offers. What was approved and is undone is approved no more; what was
/// redone is so since then.
pub(super) fn given(proposals: &[Proposal], written: &WrittenProposals) -> Vec<GivenVerdict> {
    let mut given = Vec::new();
    for proposal in proposals {
        for record in &proposal.hunks {
            let Some(HunkOffer::Taken {
                offer,
                hunk,
                given: Some((hash, time)),
                ..
            }) = &record.offer
            else {
                continue;
            };
            let ruling = match &record.status {
                HunkStatus::Committed => OtherRuling::Approve,
                HunkStatus::Edited { .. } => OtherRuling::Edit,
                HunkStatus::Denied { reason } => OtherRuling::Deny {
                    reason: reason.clone(),
                },
                HunkStatus::Pending
                | HunkStatus::Conflict { .. }
                | HunkStatus::Replaced { .. }
                | HunkStatus::Rewritten { .. }
                | HunkStatus::InFile => continue,
            };
            let turned = written
                .entry(proposal.id, record)
                .and_then(|own| own.turned);
            let ruling = if written.is_undone(proposal.id, record) {
                OtherRuling::Withdraw
            } else {
                ruling
            };
            given.push(GivenVerdict {
                offer: offer.clone(),
                hunk: *hunk,
                path: proposal.path.to_string(),
                ruling,
                hash: hash.clone(),
                time: turned.unwrap_or(*time),
            });
        }
    }
    given
}

/// Takes in verdicts of other people.
pub(super) fn take_in(
    state: &mut WorkspaceState,
    arrived: Vec<(HunkId, OtherVerdict)>,
) -> Result<Vec<Arrival>, EngineError> {
    let mut arrivals = Vec::new();
    let mut touched = BTreeSet::new();
    for (hunk, verdict) in arrived {
        let taken_in = state.overlay.stage.take_in(hunk, verdict);
        let (path, is_new) = taken_in.unzip();
        let is_new = is_new.unwrap_or(false);
        let name = path.as_ref().map(ToString::to_string);
        touched.extend(path.filter(|_| is_new));
        arrivals.push(Arrival {
            hunk,
            path: name,
            is_new,
        });
    }
    keep(state, touched)?;
    Ok(arrivals)
}
