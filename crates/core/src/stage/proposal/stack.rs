//! Stack: the layers over one file.
//!
//! In: layers, verdicts, and the file as the user saved it. Out: the overlay text, what is to
//! be committed, and the hunks that cannot stand any more. Every rearrangement is a row of
//! [`Layer::commute`]s; what does not commute depends, and is said to.

use std::collections::{HashSet, VecDeque};
use std::ops::Range;

use super::layer::Layer;
use super::layer_kind::LayerKind;
use crate::edit::diff::lines::difference;
use crate::edit::plan::Presence;
use crate::id::HunkId;
use crate::text::{EditSet, Mismatch, Source};

/// A file as it was when the first layer was made, and the layers over it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathStack {
    /// The text that the lowest layer was made for; none for an absent file.
    pub base: Option<Source>,
    /// Layers, lowest first, each made for the text below it.
    pub layers: Vec<Layer>,
}

/// What was decided about a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Approved,
    Waiting,
    Denied,
}

/// What the verdicts make of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidedStack {
    /// The layers to commit, lowest first, made for the base.
    pub approved: Vec<Layer>,
    /// What remains, made for the text after them.
    pub rest: PathStack,
    /// Hunks that depend on a denied one, which is named second.
    pub orphans: Vec<(HunkId, HunkId)>,
}

/// An approved hunk that builds on one that still waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The approved one.
    pub hunk: HunkId,
    /// The one that it builds on.
    pub on: HunkId,
}

impl PathStack {
    /// Returns the text with every layer in it; none for an absent file.
    pub fn text(&self) -> Result<Option<Source>, Mismatch> {
        let mut text = self.base.clone();
        for layer in &self.layers {
            text = layer.apply(text.as_ref())?;
        }
        Ok(text)
    }

    /// Returns the text that a change on top of every layer is shown on: none for a file that comes, whatever
    /// stands there until what removes it is taken.
    pub(super) fn text_below(&self, presence: Presence) -> Result<Source, Mismatch> {
        let text = if presence.comes() { None } else { self.text()? };
        Ok(text.unwrap_or_else(|| Source::new(Vec::new())))
    }

    /// Returns the file on disk if what waits over it can go with it to another path: it is a text that is only changed.
    pub fn movable(&self) -> Option<&Source> {
        let mut layers = self.layers.iter();
        let is_kept = |layer: &Layer| layer.presence() == Presence::Kept && layer.to().is_none();
        let base = self.base.as_ref().filter(|base| !base.is_link())?;
        (!self.layers.is_empty() && layers.all(is_kept)).then_some(base)
    }

    /// Returns whether there is a file with every layer in it.
    pub fn is_there(&self) -> bool {
        let layers = self.layers.iter().rev().map(Layer::presence);
        let mut telling = layers.filter(|presence| *presence != Presence::Kept);
        telling.next().map_or(self.base.is_some(), Presence::comes)
    }

    /// Returns true if the path is a symbolic link once every layer is applied.
    pub fn ends_as_link(&self) -> bool {
        let telling = self
            .layers
            .iter()
            .rev()
            .find_map(|layer| match layer.kind() {
                LayerKind::Link | LayerKind::Retarget => Some(true),
                LayerKind::Create { .. }
                | LayerKind::Delete { .. }
                | LayerKind::Edit { .. }
                | LayerKind::Permissions(_) => Some(false),
                LayerKind::Move { .. } => None,
            });
        telling.unwrap_or_else(|| self.base.as_ref().is_some_and(Source::is_link))
    }

    /// Returns the stack without the moves in it, and the hunks that went with them.
    pub fn without_moves(&self) -> (Self, Vec<HunkId>) {
        let mut parts: Vec<(Fate, Layer)> = self
            .layers
            .iter()
            .map(|layer| (Fate::Waiting, layer.clone()))
            .collect();
        let mut lost = Vec::new();
        while let Some(at) = parts.iter().position(|(_, layer)| layer.to().is_some()) {
            let taken = parts.get(at).into_iter();
            lost.extend(taken.flat_map(|(_, layer)| layer.hunks()));
            let mut orphans = Vec::new();
            take_out(&mut parts, at, &mut orphans);
            lost.extend(orphans.into_iter().map(|(hunk, _)| hunk));
        }
        let layers = join(parts.into_iter().map(|(_, layer)| layer).collect());
        let base = self.base.clone();
        (Self { base, layers }, lost)
    }

    /// Returns the stack without the hunks whose text the file's encoding lacks, and the hunks that went: a user may
    /// save a file in another encoding than it had when `漢` was staged for it.
    pub fn in_its_encoding(&self) -> Result<(Self, Vec<HunkId>), Mismatch> {
        if can_be_written(&self.text()?) {
            return Ok((self.clone(), Vec::new()));
        }
        let mut parts: Vec<(Fate, Layer)> = self.layers.iter().cloned().map(waiting).collect();
        let (mut text, mut at, mut lost) = (self.base.clone(), 0, Vec::new());
        while let Some((_, layer)) = parts.get(at) {
            let next = layer.apply(text.as_ref())?;
            if can_be_written(&next) {
                (text, at) = (next, at + 1);
                continue;
            }
            let hunks = layer.hunks();
            if hunks.len() > 1 {
                let apart = layer.clone().into_hunks().into_iter().map(waiting);
                let apart: Vec<(Fate, Layer)> = apart.collect();
                if apart.len() > 1 {
                    parts.splice(at..=at, apart);
                    continue;
                }
            }
            lost.extend(hunks);
            let mut orphans = Vec::new();
            take_out(&mut parts, at, &mut orphans);
            lost.extend(orphans.into_iter().map(|(hunk, _)| hunk));
        }
        let layers = join(parts.into_iter().map(|(_, layer)| layer).collect());
        let base = self.base.clone();
        Ok((Self { base, layers }, lost))
    }

    /// Splits the stack by verdict; hunks without one wait on.
    pub fn decide(
        &self,
        approved: &HashSet<HunkId>,
        denied: &HashSet<HunkId>,
    ) -> Result<DecidedStack, Blocked> {
        let mut parts: Vec<(Fate, Layer)> = Vec::new();
        for layer in &self.layers {
            let order = [Fate::Approved, Fate::Waiting, Fate::Denied];
            match layer.split(&order, |hunk| fate_of(approved, denied, hunk)) {
                Ok(split) => parts.extend(split),
                Err(dependent) => {
                    debug_assert!(false, "parts of a layer overlap: {dependent}");
                    return Err(blocked(layer, layer));
                }
            }
        }
        let mut orphans = Vec::new();
        while let Some(at) = parts.iter().position(|(fate, _)| *fate == Fate::Denied) {
            take_out(&mut parts, at, &mut orphans);
        }
        let (mut settled, mut waiting): (Vec<Layer>, Vec<Layer>) = (Vec::new(), Vec::new());
        for (fate, layer) in parts {
            match fate {
                Fate::Approved => settled.push(sink(layer, &mut waiting)?),
                Fate::Waiting | Fate::Denied => waiting.push(layer),
            }
        }
        let base = settled.iter().try_fold(self.base.clone(), |text, layer| {
            layer
                .apply(text.as_ref())
                .map_err(|_mismatch| blocked(layer, layer))
        })?;
        let rest = Self {
            base,
            layers: join(waiting),
        };
        Ok(DecidedStack {
            approved: settled,
            rest,
            orphans,
        })
    }

    /// Returns the layers below, those beside a hunk in its own layer, the hunk, and those above;
    /// each made for the text after the one before. None for a hunk that is not here.
    pub(super) fn around(&self, hunk: HunkId) -> Option<(Vec<Layer>, Layer, Vec<Layer>)> {
        let at = self
            .layers
            .iter()
            .position(|layer| layer.hunks().contains(&hunk))?;
        let (below, rest) = self.layers.split_at(at);
        let (own, above) = rest.split_first()?;
        let mut below = below.to_vec();
        let mut parts = own.split(&[false, true], |other| other == hunk).ok()?;
        let (_, middle) = parts.pop()?;
        below.extend(parts.into_iter().map(|(_, layer)| layer));
        Some((below, middle, above.to_vec()))
    }

    /// Returns which bytes a hunk put into the text with every layer in it; none if it is not here, does more than edit
    /// a text, or another hunk builds on it.
    pub fn on_top(&self, hunk: HunkId) -> Option<Range<usize>> {
        let (_, mut own, above) = self.around(hunk)?;
        for layer in &above {
            own = own.commute(layer).ok()?.1;
        }
        let is_of_text = own.to().is_none() && own.presence() != Presence::Deleted;
        let made = own.edits().invert();
        let (first, last) = (made.splices().first()?, made.splices().last()?);
        is_of_text.then(|| first.at..last.end())
    }

    /// Moves the stack onto the file as it is now. Hunks that touch what the user changed are
    /// taken out, with those that build on them, and returned.
    pub fn rebase(&self, now: Option<Source>) -> (Self, Vec<HunkId>) {
        let (Some(base), Some(text)) = (&self.base, &now) else {
            // Created or deleted by somebody else: nothing here was made for that.
            if self.base.is_none() && now.is_none() {
                return (self.clone(), Vec::new());
            }
            return self.all_lost(now);
        };
        if !base.is_alike(text) {
            return self.all_lost(now);
        }
        let mut back = difference(base, text).invert();
        let mut parts: Vec<(Fate, Layer)> = self
            .layers
            .iter()
            .map(|layer| (Fate::Waiting, layer.clone()))
            .collect();
        let (mut moved, mut lost) = (Vec::with_capacity(parts.len()), Vec::new());
        while let Some((_, layer)) = parts.get(moved.len()) {
            if let Some((over, rest)) = carried(&back, layer) {
                moved.push(over);
                back = rest;
                continue;
            }
            let at = part_lost(&mut parts, moved.len(), &back);
            let taken = parts.get(at).into_iter();
            lost.extend(taken.flat_map(|(_, layer)| layer.hunks()));
            let mut orphans = Vec::new();
            take_out(&mut parts, at, &mut orphans);
            lost.extend(orphans.into_iter().map(|(hunk, _)| hunk));
        }
        let layers = join(moved);
        (Self { base: now, layers }, lost)
    }
}

fn fate_of(approved: &HashSet<HunkId>, denied: &HashSet<HunkId>, hunk: HunkId) -> Fate {
    match (approved.contains(&hunk), denied.contains(&hunk)) {
        (true, _) => Fate::Approved,
        (_, true) => Fate::Denied,
        _ => Fate::Waiting,
    }
}

fn waiting(layer: Layer) -> (Fate, Layer) {
    (Fate::Waiting, layer)
}

fn can_be_written(text: &Option<Source>) -> bool {
    text.as_ref().is_none_or(|own| own.encoded().is_some())
}

impl PathStack {
    /// Returns the stack of a file that nothing here was made for, and every hunk.
    fn all_lost(&self, now: Option<Source>) -> (Self, Vec<HunkId>) {
        let lost = self.layers.iter().flat_map(Layer::hunks).collect();
        let rest = Self {
            base: now,
            layers: Vec::new(),
        };
        (rest, lost)
    }
}

/// Takes the part at `at` out of the stack, with every hunk above that builds on it.
fn take_out(parts: &mut Vec<(Fate, Layer)>, at: usize, orphans: &mut Vec<(HunkId, HunkId)>) {
    if at >= parts.len() {
        return;
    }
    let above = parts.split_off(at + 1);
    let Some((_, mut taken)) = parts.pop() else {
        return;
    };
    let cause = taken.hunks();
    let mut above = VecDeque::from(above);
    while let Some((fate, layer)) = above.pop_front() {
        match taken.commute(&layer) {
            Ok((layer, moved)) => {
                parts.push((fate, layer));
                taken = moved;
            }
            Err(_dependent) if layer.hunks().len() > 1 => {
                layer
                    .into_hunks()
                    .into_iter()
                    .rev()
                    .for_each(|hunk| above.push_front((fate, hunk)));
            }
            Err(_dependent) => {
                let on = cause.first().copied();
                let building =
                    |layer: &Layer| layer.hunks().into_iter().zip(on).collect::<Vec<_>>();
                orphans.extend(building(&layer));
                let Ok(both) = both(&taken, &layer) else {
                    debug_assert!(false, "layers in a row do not compose");
                    // What stands above is not known any more.
                    orphans.extend(above.iter().flat_map(|(_, layer)| building(layer)));
                    return;
                };
                taken = both;
            }
        }
    }
}

/// Returns two layers in a row as one that stands for both while they are carried upwards.
fn both(below: &Layer, above: &Layer) -> Result<Layer, Mismatch> {
    let goes = above.presence() == Presence::Deleted || above.to().is_some();
    let telling = if goes && !below.presence().comes() {
        above
    } else {
        below
    };
    let edits = below.edits().compose(above.edits())?;
    let kind = telling.kind().clone();
    Ok(Layer::new(below.proposal(), kind, edits, Vec::new()))
}

/// Carries an approved layer below all that wait.
fn sink(layer: Layer, waiting: &mut [Layer]) -> Result<Layer, Blocked> {
    let mut layer = layer;
    for below in waiting.iter_mut().rev() {
        let (sunk, risen) = below
            .commute(&layer)
            .map_err(|_dependent| blocked(&layer, below))?;
        layer = sunk;
        *below = risen;
    }
    Ok(layer)
}

fn blocked(layer: &Layer, on: &Layer) -> Blocked {
    Blocked {
        hunk: layer
            .hunks()
            .first()
            .copied()
            .unwrap_or_else(|| unnumbered(layer)),
        on: on
            .hunks()
            .first()
            .copied()
            .unwrap_or_else(|| unnumbered(layer)),
    }
}

fn unnumbered(layer: &Layer) -> HunkId {
    HunkId {
        proposal: layer.proposal(),
        number: 0,
    }
}

/// Returns a layer moved over a change to the text below it, whose way back is `back`, and the way
/// back above the layer; none if it does not move.
fn carried(back: &EditSet, layer: &Layer) -> Option<(Layer, EditSet)> {
    if layer.presence() != Presence::Kept {
        return None;
    }
    let (edits, rest) = back.commute(layer.edits()).ok()?;
    Some((layer.with(edits), rest))
}

/// Puts the hunks of a part that do not move over a change above its other hunks, as a part of their
/// own, and returns where that is.
fn part_lost(parts: &mut Vec<(Fate, Layer)>, at: usize, back: &EditSet) -> usize {
    let Some((fate, layer)) = parts.get(at).cloned() else {
        return at;
    };
    let clashes = back.clashes(layer.edits());
    let lost: HashSet<u32> = clashes
        .iter()
        .filter_map(|index| layer.numbers().get(*index).copied())
        .collect();
    match layer.split(&[false, true], |hunk| lost.contains(&hunk.number)) {
        Ok(split) if split.len() == 2 => {
            parts.splice(at..=at, split.into_iter().map(|(_, part)| (fate, part)));
            at + 1
        }
        // All of it, where nothing tells more.
        _ => at,
    }
}

/// Joins neighbours of the same proposal, by halves, which visits each of thousands of hunks only a few times: one by
/// one, all that are joined are visited again with each.
fn join(mut layers: Vec<Layer>) -> Vec<Layer> {
    let mut joined: Vec<Layer> = Vec::new();
    if layers.len() > 2 {
        let rest = layers.split_off(layers.len() / 2);
        joined = join(layers);
        layers = join(rest);
    }
    for layer in layers {
        match joined.last().and_then(|last| last.joined(&layer)) {
            Some(both) => {
                joined.pop();
                joined.push(both);
            }
            None => joined.push(layer),
        }
    }
    joined
}

#[cfg(test)]
mod tests;
