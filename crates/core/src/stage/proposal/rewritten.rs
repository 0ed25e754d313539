//! Rewritten: a change joined with what it rewrites of its own changeset.
//!
//! In: a stack with a change on top, and which layers may become one with it. Out: one layer that does what all of them
//! do, made for the text below the lowest. What a turn makes and mends is looked at once:
//!
//! ```text
//! on disk      an edit of a turn      its repair            joined, over the file on disk
//! y = 1        y = total(1)           y = total(1, 2)   ->  y = total(1, 2)
//! z = 2        z = 3                  z = 3                 (the change of `z` stays by itself)
//! ```

use std::collections::HashSet;

use super::layer::Layer;
use super::layer_kind::LayerKind;
use super::stack::PathStack;
use super::stage::Stage;
use super::{Card, DESCRIPTION_CHARS, HunkRecord, Proposal};
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::hunk;
use crate::edit::diff::lines::difference;
use crate::edit::intent::Operation;
use crate::edit::plan::{Evidence, Presence, Strategy};
use crate::id::{HunkId, ProposalId};
use crate::stage::review::HunkStatus;
use crate::text::{EditSet, Mismatch, Source};

/// What a change was joined with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The proposals that it rewrote something of, oldest first.
    pub with: Vec<ProposalId>,
    /// Their hunks that are in it now.
    pub hunks: Vec<HunkId>,
    /// Those of them that nothing waits in any more.
    pub closed: Vec<ProposalId>,
    /// The text below what they are now; none for an absent file.
    pub before: Option<Source>,
    /// The text that they make of it.
    pub after: Option<Source>,
    /// What is left to be done; none if they take each other back.
    pub left: Option<EditSet>,
}

/// A stack whose uppermost change went down to the lowest hunk that it rewrites.
struct Sunk {
    below: Vec<Layer>,
    /// What was joined, one after the other; none for a file that came and is gone again.
    own: Option<Layer>,
    above: Vec<Layer>,
    rewritten: Vec<HunkId>,
}

/// Joins the proposal on top of its file with those hunks of its changeset that it rewrites, which count as rewritten
/// then. What a program left stays by itself, unless the user wants it written again, and so does what gives permission
/// bits. Where only some hunks may be written again, nothing is joined with others.
pub fn join_rewritten(
    stage: &mut Stage,
    id: ProposalId,
    only: Option<&[HunkId]>,
) -> Result<Option<Joined>, Mismatch> {
    let Some(own) = stage.proposal(id) else {
        return Ok(None);
    };
    let (changeset, by) = (own.changeset, own.card.description.clone());
    let same: HashSet<ProposalId> = stage
        .proposals
        .iter()
        .filter(|other| other.changeset == changeset)
        .filter(|other| match only {
            Some(only) => only.iter().any(|hunk| hunk.proposal == other.id),
            None => other.card.strategy != Strategy::Program,
        })
        .map(|other| other.id)
        .collect();
    let found = stage
        .key_of(&own.path)
        .and_then(|key| stage.stacks.get_key_value(key));
    let Some((key, stack)) = found.filter(|(_, stack)| is_top(id, stack)) else {
        return Ok(None);
    };
    let may = |layer: &Layer| same.contains(&layer.proposal()) && is_of_text(layer);
    let sunk = sunk(&stack.layers, may);
    let is_meant =
        |sunk: &Sunk| only.is_none_or(|only| sunk.rewritten.iter().all(|hunk| only.contains(hunk)));
    let Some(sunk) = sunk.filter(is_meant) else {
        return Ok(None);
    };
    let below = PathStack {
        base: stack.base.clone(),
        layers: sunk.below,
    };
    let before = below.text()?;
    let after = match &sunk.own {
        Some(own) => own.apply(before.as_ref())?,
        None => before.clone(),
    };
    if [&before, &after]
        .into_iter()
        .flatten()
        .any(|text| text.text().is_err())
    {
        return Ok(None);
    }
    let name = below.layers.iter().rev().find_map(Layer::to);
    let (key, name) = (key.clone(), name.unwrap_or(key).clone());
    let layer = net(id, before.as_ref(), after.as_ref());
    let mut layers = below.layers;
    layers.extend(layer.clone());
    layers.extend(sunk.above);
    let base = below.base;
    let joined = PathStack { base, layers };
    debug_assert_eq!(
        joined.text().ok(),
        stack.text().ok(),
        "joining changed the text"
    );
    stage.stacks.insert(key, joined);
    let with = mark_rewritten(&mut stage.proposals, &by, &sunk.rewritten);
    tell_joined(stage, id, &with, &name, layer.as_ref(), before.as_ref());
    let closed = stage
        .proposals
        .iter()
        .filter(|proposal| !proposal.is_open())
        .map(|own| own.id)
        .filter(|own| with.contains(own));
    Ok(Some(Joined {
        closed: closed.collect(),
        hunks: sunk.rewritten,
        with,
        before,
        after,
        left: layer.map(|layer| layer.edits().clone()),
    }))
}

fn is_top(id: ProposalId, stack: &PathStack) -> bool {
    let top = stack.layers.last();
    top.is_some_and(|top| top.proposal() == id && is_of_text(top))
}

/// Returns whether a layer does nothing besides what it does to the text.
fn is_of_text(layer: &Layer) -> bool {
    let kind = layer.kind();
    kind.mode().is_none() && kind.folders_gone() == 0
}

/// Marks hunks as rewritten by what this describes; returns the proposals that they are of.
fn mark_rewritten(proposals: &mut [Proposal], by: &str, hunks: &[HunkId]) -> Vec<ProposalId> {
    let hunks: HashSet<HunkId> = hunks.iter().copied().collect();
    let mut with = Vec::new();
    for proposal in proposals {
        let mut any = false;
        for record in &mut proposal.hunks {
            let hunk = HunkId {
                proposal: proposal.id,
                number: record.number,
            };
            if hunks.contains(&hunk) {
                record.status = HunkStatus::Rewritten { by: by.to_owned() };
                any = true;
            }
        }
        with.extend(any.then_some(proposal.id));
    }
    with
}

/// Gives a proposal the hunks and the card of what it was joined with, or takes it away if nothing is left of it.
fn tell_joined(
    stage: &mut Stage,
    id: ProposalId,
    with: &[ProposalId],
    name: &WorkspacePath,
    layer: Option<&Layer>,
    before: Option<&Source>,
) {
    let Some(layer) = layer else {
        stage.proposals.retain(|proposal| proposal.id != id);
        return;
    };
    let earlier: Vec<Card> = stage
        .proposals
        .iter()
        .filter(|proposal| with.contains(&proposal.id))
        .map(|own| own.card.clone())
        .collect();
    let Some(own) = stage.proposal_mut(id) else {
        return;
    };
    let empty = Source::new(Vec::new());
    let below = before.unwrap_or(&empty);
    own.path = name.clone();
    own.hunks = HunkRecord::all(below, layer);
    let card = &mut own.card;
    card.operation = match layer.presence() {
        Presence::Created => Operation::Create,
        Presence::Deleted => Operation::Delete,
        Presence::Kept | Presence::Linked => card.operation,
    };
    let found = [&*card].into_iter().chain(earlier.iter().rev());
    let found = found.filter_map(|card| card.matched.clone());
    card.matched = found.reduce(Evidence::weaker);
    // What was not to be written without a look still is not.
    let held = earlier.iter().find_map(|card| card.held.clone());
    card.held = held.or(card.held.take());
    // What stands for a description that the model did not give.
    let unsaid = format!("{} {name}", card.operation);
    let mut said: Vec<&str> = Vec::new();
    for one in earlier.iter().chain([&*card]) {
        let is_new = !said.contains(&one.description.as_str());
        if is_new && (said.is_empty() || one.description != unsaid) {
            said.push(&one.description);
        }
    }
    let said = said.join("; ");
    card.description = said.chars().take(DESCRIPTION_CHARS).collect();
}

/// Carries the uppermost layer down to the lowest hunk that it rewrites, and takes in those on its way; none if it
/// rewrites nothing. It goes through what it does not touch, and no further than what it rewrites and may not take in.
fn sunk(layers: &[Layer], may: impl Fn(&Layer) -> bool) -> Option<Sunk> {
    let (top, rest) = layers.split_last()?;
    let mut rest = rest.to_vec();
    let mut own = Some(top.clone());
    // What it went through, uppermost first, as it was below and as it is above.
    let mut passed: Vec<(Layer, Layer)> = Vec::new();
    let mut rewritten = Vec::new();
    let mut reached: Option<(usize, Option<Layer>)> = None;
    while let (Some(now), Some(layer)) = (&own, rest.pop()) {
        if let Ok((lower, upper)) = layer.commute(now) {
            passed.push((layer, upper));
            own = Some(lower);
            continue;
        }
        let taken = touched(&layer, now).filter(|_| may(&layer));
        let both = taken.and_then(|(beside, taken)| Some((beside, composed(&taken, now)?, taken)));
        let Some((beside, both, taken)) = both else {
            rest.push(layer);
            break;
        };
        rest.extend(beside);
        rewritten.extend(taken.hunks());
        own = both;
        reached = Some((passed.len(), own.clone()));
    }
    let (through, own) = reached?;
    let back = passed.split_off(through).into_iter().rev();
    rest.extend(back.map(|(layer, _)| layer));
    Some(Sunk {
        below: rest,
        own,
        above: passed.into_iter().rev().map(|(_, upper)| upper).collect(),
        rewritten,
    })
}

/// Returns the hunks of a layer that one above it does not touch, if there are any, and above them those that it does.
fn touched(layer: &Layer, above: &Layer) -> Option<(Option<Layer>, Layer)> {
    if !is_plain(layer) || !is_plain(above) {
        return None;
    }
    match (layer.presence(), above.presence()) {
        (Presence::Created, Presence::Kept | Presence::Deleted)
        | (Presence::Kept, Presence::Deleted) => return Some((None, layer.clone())),
        (Presence::Kept, Presence::Kept) => {}
        _ => return None,
    }
    // Two changes that do not swap do not swap backwards either, and then it tells which of the lower are in the way.
    let clashes = above.edits().invert().clashes(&layer.edits().invert());
    let numbers = clashes.iter().filter_map(|at| layer.numbers().get(*at));
    let numbers: HashSet<u32> = numbers.copied().collect();
    let mut parts = layer
        .split(&[false, true], |hunk| numbers.contains(&hunk.number))
        .ok()?;
    let (is_touched, upper) = parts.pop()?;
    is_touched.then(|| (parts.pop().map(|(_, beside)| beside), upper))
}

fn is_plain(layer: &Layer) -> bool {
    layer.to().is_none() && !layer.is_of_permissions()
}

/// Returns two layers in a row as one; the inner none stands for a file that comes and goes. None if they do not fit.
fn composed(below: &Layer, above: &Layer) -> Option<Option<Layer>> {
    let kind = match (below.presence(), above.presence()) {
        (Presence::Created, Presence::Deleted) => return Some(None),
        (Presence::Created, _) => below.kind(),
        _ => above.kind(),
    };
    let edits = below.edits().compose(above.edits()).ok()?;
    let numbers = vec![1; edits.splices().len()];
    Some(Some(Layer::new(
        above.proposal(),
        kind.clone(),
        edits,
        numbers,
    )))
}

/// Returns the layer that makes one text of another; none if they are the same.
fn net(id: ProposalId, before: Option<&Source>, after: Option<&Source>) -> Option<Layer> {
    let (kind, edits, numbers) = match (before, after) {
        (None, None) => return None,
        (Some(before), Some(after)) if before == after => return None,
        (Some(before), Some(after)) => {
            let edits = hunk::by_line(before, &difference(before, after));
            let numbers = hunk::group(before, &edits);
            (LayerKind::Edit { mode: None }, edits, numbers)
        }
        // As it is in the file, whatever its encoding.
        (None, Some(after)) => {
            let encoded = after.encoded().unwrap_or_else(|| after.bytes().to_vec());
            let edits = EditSet::between(b"", &encoded);
            (LayerKind::Create { mode: None }, edits, Vec::new())
        }
        (Some(before), None) => {
            let edits = EditSet::between(before.bytes(), b"");
            (LayerKind::Delete { folders: 0 }, edits, Vec::new())
        }
    };
    Some(Layer::new(id, kind, edits, numbers))
}
