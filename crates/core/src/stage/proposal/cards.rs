//! Cards of layers: why a file's layers are not written without a look.
//!
//! In: proposals. Out: for the layers of one file, why they are held. Made once for many files: each looks its own
//! layers up.

use std::collections::HashMap;

use super::layer::Layer;
use super::{Card, Proposal};
use crate::id::ProposalId;

/// The cards of proposals.
pub struct Cards<'a>(HashMap<ProposalId, &'a Card>);

impl<'a> Cards<'a> {
    /// Returns those of these proposals.
    pub fn of(proposals: &'a [Proposal]) -> Self {
        let each = proposals
            .iter()
            .map(|proposal| (proposal.id, &proposal.card));
        Self(each.collect())
    }

    /// Returns why something that these layers remove would be nowhere, if it would.
    pub fn held(&self, layers: &[Layer]) -> Option<String> {
        self.downwards(layers).find_map(|card| card.held.clone())
    }

    fn downwards(&self, layers: &[Layer]) -> impl Iterator<Item = &'a Card> {
        let layers = layers.iter().rev();
        layers.filter_map(|layer| self.0.get(&layer.proposal()).copied())
    }
}
