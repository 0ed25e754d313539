//! Cards of layers: what a file's layers do to it beside its text.
//!
//! In: proposals. Out: for the layers of one file, the permission bits that they give it and the folders that go
//! with it. Made once for many files: each looks its own layers up.

use std::collections::HashMap;

use super::layer::Layer;
use super::{Card, Proposal};
use crate::id::ProposalId;

/// The cards of proposals.
pub struct Cards<'a>(HashMap<ProposalId, &'a Card>);

impl<'a> Cards<'a> {
    /// Returns those of these proposals.
    pub fn of(proposals: &'a [Proposal]) -> Self {
        let each = proposals.iter().map(|own| (own.id, &own.card));
        Self(each.collect())
    }

    /// Returns the permission bits that a file with these layers gets instead of its own.
    pub fn mode(&self, layers: &[Layer]) -> Option<u32> {
        self.downwards(layers).find_map(|card| card.mode)
    }

    /// Returns all permission bits that some of these layers give their file, the newest first.
    pub fn modes(&self, layers: &[Layer]) -> impl Iterator<Item = u32> {
        self.downwards(layers).filter_map(|card| card.mode)
    }

    /// Returns how many of the folders around a file go with it, the innermost first.
    pub fn folders_gone(&self, layers: &[Layer]) -> usize {
        let top = self.downwards(layers).next();
        top.map_or(0, |card| card.folders_gone)
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
