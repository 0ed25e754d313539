//! Offers: which hunks are in some, and which came with one.
//!
//! In: a stage, and what was offered, taken or decided elsewhere. Out: the same stage with that in its records. Layers and
//! texts stay as they are.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::HunkRecord;
use super::change_hash::change_hash;
use super::stage::Stage;
use crate::disk::workspace::WorkspacePath;
use crate::id::{HunkId, ProposalId, Timestamp};
use crate::stage::review::{HunkOffer, HunkStatus, OtherVerdict, Signer};

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

    /// Takes out the hunks that wait of these offers of a person; returns what their files are kept under, and how many they are.
    /// What something else builds on stays. No verdict is given by that.
    pub fn take_out_replaced(
        &mut self,
        (replaced, by, with): (&[String], &Signer, &str),
    ) -> (BTreeSet<WorkspacePath>, usize) {
        let (mut keys, mut hunks) = (BTreeSet::new(), BTreeMap::new());
        for proposal in &self.proposals {
            let own = proposal.hunks.iter().filter(|record| {
                let offer = record.offer.as_ref();
                record.status.is_open() && offer.is_some_and(|own| own.is_replaced(replaced, by))
            });
            for record in own {
                hunks.insert(proposal.hunk(record.number), None);
                let key = self.key_of(&proposal.path).unwrap_or(&proposal.path);
                keys.insert(key.clone());
            }
        }
        let mut stage = self.clone();
        let is_decided = stage.decide(&HashSet::new(), &hunks).is_ok();
        if hunks.is_empty()
            || !is_decided
            || stage.conflicts_but(&hunks) > self.conflicts_but(&hunks)
        {
            return (BTreeSet::new(), 0);
        }
        for hunk in hunks.keys() {
            if let Some((_, record)) = stage.record_mut(*hunk) {
                let by = format!("offer {with}");
                record.status = HunkStatus::Replaced { by };
            }
        }
        *self = stage;
        (keys, hunks.len())
    }

    /// Returns how many hunks are in conflict, but for these.
    fn conflicts_but(&self, but: &BTreeMap<HunkId, Option<String>>) -> usize {
        let proposals = self.proposals.iter();
        let counts = proposals.map(|proposal| {
            let records = proposal.hunks.iter();
            let lost = records.filter(|record| {
                matches!(record.status, HunkStatus::Conflict { .. })
                    && !but.contains_key(&proposal.hunk(record.number))
            });
            lost.count()
        });
        counts.sum()
    }

    pub(super) fn record_mut(&mut self, hunk: HunkId) -> Option<(WorkspacePath, &mut HunkRecord)> {
        let proposal = self.proposal_mut(hunk.proposal)?;
        let path = proposal.path.clone();
        let mut records = proposal.hunks.iter_mut();
        let record = records.find(|record| record.number == hunk.number)?;
        Some((path, record))
    }
}
