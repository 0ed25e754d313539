//! Offers: which hunks are in some, and which came with one.
//!
//! In: a stage, and what was offered, taken or decided elsewhere. Out: the same stage with that in its records. Layers and
//! texts stay as they are.

use std::collections::{BTreeSet, HashSet};

use super::HunkRecord;
use super::change_hash::change_hash;
use super::stage::Stage;
use crate::disk::workspace::WorkspacePath;
use crate::id::{HunkId, ProposalId, Timestamp};
use crate::stage::review::{HunkOffer, OtherVerdict};

impl Stage {
    /// Notes that hunks are in an offer; returns their files.
    pub fn mark_offered(
        &mut self,
        offer: &str,
        hunks: &BTreeSet<HunkId>,
    ) -> BTreeSet<WorkspacePath> {
        let mut paths = BTreeSet::new();
        for hunk in hunks {
            let Some((path, record)) = self.record_mut(*hunk) else {
                continue;
            };
            match &mut record.offer {
                Some(HunkOffer::Made { offers, .. }) if offers.iter().any(|own| own == offer) => {
                    continue;
                }
                Some(HunkOffer::Made { offers, .. }) => offers.push(offer.to_owned()),
                Some(HunkOffer::Taken { .. }) => continue,
                own @ None => {
                    *own = Some(HunkOffer::Made {
                        offers: vec![offer.to_owned()],
                        left: Vec::new(),
                        verdicts: Vec::new(),
                    });
                }
            }
            paths.insert(path);
        }
        paths
    }

    /// Notes which offer the hunks of a proposal came with.
    pub fn mark_taken(&mut self, id: ProposalId, offer: impl Fn(u32) -> HunkOffer) {
        let own = self.proposal_mut(id).into_iter();
        for record in own.flat_map(|own| &mut own.hunks) {
            record.offer = Some(offer(record.number));
        }
    }

    /// Notes on hunks that came with offers what the user was shown of them when they decided; `shown` is the stage as it was
    /// then.
    pub fn mark_given<'h>(
        &mut self,
        shown: &Self,
        hunks: impl Iterator<Item = &'h HunkId>,
        now: Timestamp,
    ) {
        for hunk in hunks.collect::<HashSet<_>>() {
            let Some(hash) = change_hash(shown, *hunk) else {
                continue;
            };
            if let Some((_, record)) = self.record_mut(*hunk)
                && let Some(HunkOffer::Taken { given, .. }) = &mut record.offer
            {
                *given = Some((hash, now));
            }
        }
    }

    /// Takes in the verdict of another person; returns the file of the hunk and whether the verdict is new, if the hunk was
    /// offered and waits.
    pub fn take_in(
        &mut self,
        hunk: HunkId,
        verdict: OtherVerdict,
    ) -> Option<(WorkspacePath, bool)> {
        let (path, record) = self.record_mut(hunk)?;
        let offer = record.offer.as_mut().filter(|_| record.status.is_open())?;
        Some((path, offer.take_in(verdict)))
    }

    fn record_mut(&mut self, hunk: HunkId) -> Option<(WorkspacePath, &mut HunkRecord)> {
        let proposal = self.proposal_mut(hunk.proposal)?;
        let path = proposal.path.clone();
        let mut records = proposal.hunks.iter_mut();
        let record = records.find(|record| record.number == hunk.number)?;
        Some((path, record))
    }
}
