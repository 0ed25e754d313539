//! The review list as one value, shared by everybody who shows it or counts in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::ProposalView;
use crate::id::ProposalId;

/// The review list as it was made once. Proposals that read as in the list before are the same values: a list of thousands is
/// compared, and dropped, by its pointers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReviewListing {
    /// Grows with every list of an engine: reports that run side by side can arrive in another order.
    #[serde(skip)]
    pub number: u64,
    /// Proposals with a pending or conflicting hunk, oldest first.
    pub proposals: Arc<Vec<Arc<ProposalView>>>,
}

impl ReviewListing {
    /// Returns the proposals.
    pub fn iter(&self) -> impl Iterator<Item = &ProposalView> + Clone {
        self.proposals.iter().map(Arc::as_ref)
    }
}

/// Proposals that were staged, in the review list that was made right after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StagedProposals {
    /// The whole list.
    pub listing: ReviewListing,
    /// Those of it that are new, or rewritten.
    pub new: BTreeSet<ProposalId>,
}

impl StagedProposals {
    /// Returns those of the list that are new, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &ProposalView> + Clone {
        let all = self.listing.iter();
        all.filter(|view| self.new.contains(&view.id))
    }

    /// Returns how many are new.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns true if none is new.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Returns the new ones as values of their own.
    pub fn to_vec(&self) -> Vec<ProposalView> {
        self.iter().cloned().collect()
    }

    /// Adds what was staged after this: what it rewrote is not in its list any more.
    pub fn extend(&mut self, later: Self) {
        self.listing = later.listing;
        self.new.extend(later.new);
    }
}

/// Shows the new ones alone: `{"proposals": [..]}`.
impl Serialize for StagedProposals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([("proposals", self.to_vec())])
    }
}

impl From<Vec<ProposalView>> for ReviewListing {
    /// Returns a list without a number.
    fn from(proposals: Vec<ProposalView>) -> Self {
        Self {
            number: 0,
            proposals: Arc::new(proposals.into_iter().map(Arc::new).collect()),
        }
    }
}

impl From<Vec<ProposalView>> for StagedProposals {
    /// Returns proposals that are all new, in a list without a number that has nothing else.
    fn from(proposals: Vec<ProposalView>) -> Self {
        Self {
            new: proposals.iter().map(|view| view.id).collect(),
            listing: proposals.into(),
        }
    }
}
