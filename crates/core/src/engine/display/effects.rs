//! Effects: what each proposal writes beside its lines, as its file is now.
//!
//! In: the layers over the files, and the permission bits on disk. Out: a [`ProposalEffect`] for each proposal that has one. A
//! layer is told by what the layers below it make of the file, as they are written together.

use std::collections::BTreeMap;

use crate::disk::workspace::WorkspacePath;
use crate::engine::overlay::Overlay;
use crate::id::ProposalId;
use crate::stage::proposal::layer::Layer;
use crate::stage::proposal::stack::PathStack;
use crate::stage::review::{ModeChange, ProposalEffect, ProposalView};

/// Permission bits of new files before the user's mask takes some away.
const NEW_FILE: u32 = 0o666;

/// Gives the views their effects; a mode that opens the file to more than before holds its proposal.
pub(super) fn assign(
    mut effects: BTreeMap<ProposalId, ProposalEffect>,
    views: &mut [ProposalView],
) {
    for view in views {
        let Some(effect) = effects.remove(&view.id) else {
            continue;
        };
        let held = loosening(&effect);
        let told = effect.told().into_iter();
        // The reason why it is held is noted with that.
        let told: Vec<String> = told
            .filter(|told| held.as_ref() != Some(told) || view.held.is_some())
            .collect();
        told.iter().for_each(|told| view.add_note(told));
        view.held = view.held.take().or(held);
        view.effect = effect;
    }
}

/// Returns why a proposal is held that opens a file to more people or programs than before.
pub(in crate::engine) fn loosening(effect: &ProposalEffect) -> Option<String> {
    let mode = effect.mode.filter(|mode| mode.loosens());
    mode.map(|mode| mode.to_string())
}

/// Returns the effects of all proposals that have one.
pub(super) fn effects(overlay: &Overlay) -> BTreeMap<ProposalId, ProposalEffect> {
    let mut all = BTreeMap::new();
    for (key, stack) in &overlay.stage.stacks {
        add_of_stack(overlay, key, stack, &mut all);
    }
    all
}

/// Adds the effects of the proposals over one file.
pub(super) fn add_of_stack(
    overlay: &Overlay,
    key: &WorkspacePath,
    stack: &PathStack,
    all: &mut BTreeMap<ProposalId, ProposalEffect>,
) {
    let sets_mode = stack.layers.iter().any(|layer| layer.mode().is_some());
    // What cannot be looked at is found out when it is to be written.
    let on_disk = sets_mode.then(|| overlay.workspace.mode(key).ok().flatten());
    let mut mode = on_disk.flatten();
    // A file that goes and comes again takes the place of what it was.
    let mut last = stack.base.clone();
    let mut below = stack.base.clone();
    for layer in &stack.layers {
        let Ok(after) = layer.apply(below.as_ref()) else {
            return;
        };
        let mut effect =
            ProposalEffect::of_text(last.as_ref(), after.as_ref(), layer.edits().splices());
        effect.mode = mode_change(mode, layer, NEW_FILE & !overlay.workspace.umask());
        if !effect.is_empty() {
            all.insert(layer.proposal(), effect);
        }
        mode = layer.mode().map(|own| own.to).or(mode);
        last = after.clone().or(last);
        below = after;
    }
}

/// Returns what a layer does to the permission bits of a file that has `now`; none for those that it has, or that every
/// new file gets.
fn mode_change(now: Option<u32>, layer: &Layer, of_new: u32) -> Option<ModeChange> {
    let mode = layer.mode()?;
    // Where the disk cannot be looked at, the bits count that the file had when these were staged.
    let from = now.or(mode.from);
    (from.unwrap_or(of_new) != mode.to).then_some(ModeChange { from, to: mode.to })
}
