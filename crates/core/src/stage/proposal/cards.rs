//! Cards of layers: why a file's layers are not written without a look, and what is said of them.
//!
//! In: proposals. Out: for the layers of one file, why they are held, and their descriptions. Made once for many files: each looks its own
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

    /// Returns what is said of the changes that these layers make, from the lowest on.
    pub fn descriptions(&self, layers: &[Layer]) -> impl Iterator<Item = &'a str> {
        let layers = layers.iter();
        let cards = layers.filter_map(|layer| self.0.get(&layer.proposal()).copied());
        cards.map(|card| card.description.as_str())
    }

    fn downwards(&self, layers: &[Layer]) -> impl Iterator<Item = &'a Card> {
        let layers = layers.iter().rev();
        layers.filter_map(|layer| self.0.get(&layer.proposal()).copied())
    }
}
