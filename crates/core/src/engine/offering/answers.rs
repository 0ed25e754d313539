//! Verdicts on offers: those that the user gave on what came from others, and those that came from others.
//!
//! In: proposals that came with offers; verdicts that arrived. Out: what the user decided of each hunk, by the name that it
//! has where it was made; what became of each verdict that arrived.

use std::collections::{BTreeMap, BTreeSet};

use crate::disk::workspace::WorkspacePath;
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;
use crate::id::{HunkId, Timestamp};
use crate::stage::proposal::Proposal;
use crate::stage::review::{ChangeHash, HunkOffer, HunkStatus, OtherRuling, OtherVerdict};

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

/// Returns what the user decided of hunks that came with offers.
pub(super) fn given(proposals: &[Proposal]) -> Vec<GivenVerdict> {
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
            given.push(GivenVerdict {
                offer: offer.clone(),
                hunk: *hunk,
                path: proposal.path.to_string(),
                ruling,
                hash: hash.clone(),
                time: *time,
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
