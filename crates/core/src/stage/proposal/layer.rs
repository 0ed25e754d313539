//! Layer: one staged change over a file.
//!
//! In: splices, each with the number of its hunk. Out: [`Layer`], which can be split by hunk,
//! joined again and swapped with the layer above it.

use std::sync::Arc;

use super::layer_kind::{LayerKind, NewMode};
use crate::disk::workspace::WorkspacePath;
use crate::edit::plan::Presence;
use crate::id::{HunkId, ProposalId};
use crate::text::{Dependent, EditSet, Mismatch, Source, Splice};

/// Splices of one proposal, made for the text below them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    proposal: ProposalId,
    kind: LayerKind,
    /// Shared, since a stage is copied whole before something is tried on it.
    edits: Arc<EditSet>,
    /// The hunk of each splice, in the same order.
    numbers: Vec<u32>,
}

impl Layer {
    /// Makes a layer; `numbers` tells each splice's hunk. What creates or deletes a file is one
    /// hunk, number 1, and so is one without splices, which moves the file or changes permission bits.
    pub fn new(proposal: ProposalId, kind: LayerKind, edits: EditSet, numbers: Vec<u32>) -> Self {
        let numbers = match &kind {
            LayerKind::Edit { .. }
            | LayerKind::Retarget
            | LayerKind::Move { .. }
            | LayerKind::Permissions(_) => numbers,
            LayerKind::Create { .. } | LayerKind::Link | LayerKind::Delete { .. } => {
                vec![1; edits.splices().len()]
            }
        };
        Self {
            proposal,
            kind,
            edits: Arc::new(edits),
            numbers,
        }
    }

    /// Returns the layer with other numbers for its hunks.
    pub(super) fn numbered(self, numbers: Vec<u32>) -> Self {
        Self { numbers, ..self }
    }

    /// Returns what the layer does to its file.
    pub fn kind(&self) -> &LayerKind {
        &self.kind
    }

    /// Returns where the file goes, if the layer moves it.
    pub fn to(&self) -> Option<&WorkspacePath> {
        self.kind.to()
    }

    /// Returns the permission bits that the layer gives its file.
    pub fn mode(&self) -> Option<NewMode> {
        self.kind.mode()
    }

    /// Gives the file other permission bits, or none; returns false if the kind has none, or is nothing without.
    pub(super) fn give_mode(&mut self, mode: Option<NewMode>) -> bool {
        let kind = self.kind.with_mode(mode);
        kind.map(|kind| self.kind = kind).is_some()
    }

    /// Returns whether the layer is one hunk about the whole file.
    fn is_whole(&self) -> bool {
        match &self.kind {
            LayerKind::Edit { .. } | LayerKind::Retarget => self.edits.is_empty(),
            LayerKind::Create { .. }
            | LayerKind::Link
            | LayerKind::Delete { .. }
            | LayerKind::Move { .. }
            | LayerKind::Permissions(_) => true,
        }
    }

    /// Returns whether the layer changes permission bits and nothing else.
    pub fn is_of_permissions(&self) -> bool {
        matches!(self.kind, LayerKind::Permissions(_))
    }

    /// Returns the proposal.
    pub fn proposal(&self) -> ProposalId {
        self.proposal
    }

    /// Returns what happens to the file's existence.
    pub fn presence(&self) -> Presence {
        self.kind.presence()
    }

    /// Returns the splices.
    pub fn edits(&self) -> &EditSet {
        &self.edits
    }

    /// Returns the hunk number of each splice.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Returns the hunks in it, in order.
    pub fn hunks(&self) -> Vec<HunkId> {
        let mut numbers = if !self.is_whole() {
            self.numbers.clone()
        } else {
            vec![1]
        };
        numbers.dedup();
        numbers
            .into_iter()
            .map(|number| HunkId {
                proposal: self.proposal,
                number,
            })
            .collect()
    }

    /// Returns the text after the layer; none stands for an absent file.
    pub fn apply(&self, below: Option<&Source>) -> Result<Option<Source>, Mismatch> {
        if !self.kind.stands_on(below) {
            return Err(Mismatch { at: 0 });
        }
        let after = self.edits.apply(below.map_or(&[][..], Source::bytes))?;
        Ok(match &self.kind {
            LayerKind::Delete { .. } => None,
            LayerKind::Edit { .. } | LayerKind::Move { .. } | LayerKind::Permissions(_) => {
                below.map(|below| below.with_bytes(after))
            }
            // What a program made may have any encoding.
            LayerKind::Create { .. } => Some(Source::decode(after)),
            LayerKind::Link | LayerKind::Retarget => Some(Source::link(after)),
        })
    }

    /// Swaps the layer with the one `above` it; see [`EditSet::commute`]. What creates or
    /// deletes the file stays where it is, and moves keep their order.
    pub fn commute(&self, above: &Self) -> Result<(Self, Self), Dependent> {
        if self.presence() != Presence::Kept || above.presence() != Presence::Kept {
            return Err(Dependent { at: 0 });
        }
        if self.to().is_some() && above.to().is_some() {
            return Err(Dependent { at: 0 });
        }
        let (first, second) = self.edits.commute(&above.edits)?;
        Ok((above.with(first), self.with(second)))
    }

    /// Returns the layer with the same change expressed for another text.
    pub fn with(&self, edits: EditSet) -> Self {
        Self {
            edits: Arc::new(edits),
            ..self.clone()
        }
    }

    /// Splits the layer into one per class that `class` gives its hunks, in the order of
    /// `order`; each is made for the text after the one before. Classes without a hunk are
    /// left out.
    pub fn split<C: PartialEq + Copy>(
        &self,
        order: &[C],
        class: impl Fn(HunkId) -> C,
    ) -> Result<Vec<(C, Self)>, Dependent> {
        if self.is_whole() {
            let only = HunkId {
                proposal: self.proposal,
                number: 1,
            };
            return Ok(vec![(class(only), self.clone())]);
        }
        let class_at = |index: usize| {
            self.numbers.get(index).map(|number| {
                class(HunkId {
                    proposal: self.proposal,
                    number: *number,
                })
            })
        };
        let mut parts = Vec::new();
        let mut before = EditSet::default();
        for wanted in order {
            let part = self.edits.select(|index| class_at(index) == Some(*wanted));
            if part.is_empty() {
                continue;
            }
            let numbers = self.numbers.iter().enumerate();
            let numbers = numbers.filter(|(index, _)| class_at(*index) == Some(*wanted));
            let numbers = numbers.map(|(_, number)| *number).collect();
            let edits = part.over(&before)?;
            parts.push((
                *wanted,
                Self {
                    edits: Arc::new(edits),
                    numbers,
                    ..self.clone()
                },
            ));
            before = merged(&before, &part).unwrap_or(part);
        }
        Ok(parts)
    }

    /// Splits the layer into its hunks, each made for the text after the one before.
    pub fn into_hunks(self) -> Vec<Self> {
        if !self.is_whole()
            && self.numbers.is_sorted()
            && let Some(hunks) = self.in_order()
        {
            return hunks;
        }
        let mut hunks = self.hunks();
        hunks.sort_unstable();
        match self.split(&hunks, |hunk| hunk) {
            Ok(parts) => parts.into_iter().map(|(_, layer)| layer).collect(),
            Err(Dependent { .. }) => vec![self],
        }
    }

    /// Splits the layer into its hunks where these stand in the order of their numbers: each is
    /// moved by those before it, which are as far from each other as they were.
    fn in_order(&self) -> Option<Vec<Self>> {
        let splices = self.edits.splices().iter().zip(&self.numbers);
        let splices: Vec<(&Splice, u32)> = splices.map(|(one, number)| (one, *number)).collect();
        let mut moved = 0_isize;
        let hunks = splices.chunk_by(|(_, own), (_, next)| own == next);
        let hunks = hunks.map(|hunk| {
            let ahead = moved;
            let numbers = hunk.iter().map(|(_, number)| *number).collect();
            let own = hunk.iter().map(|(splice, _)| {
                moved += splice.new.len() as isize - splice.old.len() as isize;
                let at = splice.at.saturating_add_signed(ahead);
                let (old, new) = (splice.old.clone(), splice.new.clone());
                Splice { at, old, new }
            });
            let edits = EditSet::new(own.collect());
            debug_assert!(edits.is_ok(), "hunks of a layer overlap: {edits:?}");
            Some(Self {
                proposal: self.proposal,
                kind: self.kind.clone(),
                edits: Arc::new(edits.ok()?),
                numbers,
            })
        });
        hunks.collect()
    }

    /// Joins the layer with one directly `above` it of the same proposal, so that both are
    /// made for the text below; none if the one above builds on this one.
    pub fn joined(&self, above: &Self) -> Option<Self> {
        if self.proposal != above.proposal || self.is_whole() || above.is_whole() {
            return None;
        }
        let (beside, _) = self.commute(above).ok()?;
        let edits = merged(&self.edits, &beside.edits)?;
        let own = self.edits.splices().iter().zip(&self.numbers);
        let theirs = beside.edits.splices().iter().zip(&beside.numbers);
        let mut tagged: Vec<(&Splice, u32)> = own
            .chain(theirs)
            .map(|(splice, number)| (splice, *number))
            .collect();
        // As an edit set sorts its splices, so that each number stays with its own.
        tagged.sort_by_key(|(splice, _)| (splice.at, splice.end()));
        let numbers = tagged.into_iter().map(|(_, number)| number).collect();
        Some(Self {
            edits: Arc::new(edits),
            numbers,
            ..self.clone()
        })
    }
}

/// Returns the permission bits that a file with these layers gets instead of its own: the newest.
pub fn mode(layers: &[Layer]) -> Option<u32> {
    modes(layers).next()
}

/// Returns all permission bits that some layers give their file, the newest first.
pub fn modes(layers: &[Layer]) -> impl Iterator<Item = u32> {
    let newest_first = layers.iter().rev();
    newest_first.filter_map(|layer| Some(layer.mode()?.to))
}

/// Returns how many of the folders around a file go with it, the innermost first: as the layer says that took it away last,
/// whatever changed where it is since.
pub fn folders_gone(layers: &[Layer]) -> usize {
    let leaves =
        |kind: &LayerKind| matches!(kind, LayerKind::Move { .. } | LayerKind::Delete { .. });
    let mut kinds = layers.iter().rev().map(Layer::kind);
    let left = kinds.find(|kind| leaves(kind));
    left.map_or(0, LayerKind::folders_gone)
}

/// Returns two changes for the same text as one; none if they overlap.
fn merged(a: &EditSet, b: &EditSet) -> Option<EditSet> {
    EditSet::new(a.splices().iter().chain(b.splices()).cloned().collect()).ok()
}
