//! Review list: the proposals that need the user, with all that their cards and hunks say of the files as they are.
//!
//! In: the overlay. Out: the list, each hunk with the hash of what is displayed of it.

use std::collections::{BTreeMap, HashSet};

use signoff_source::lookalikes::lookalike;

use super::{display_hash, effects};
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::line::LineKind;
use crate::engine::committing::held_together::held_together;
use crate::engine::links::file_marks::FileMarks;
use crate::engine::links::linked::OTHER_NAMES;
use crate::engine::overlay::Overlay;
use crate::id::HunkId;
use crate::stage::proposal::aside::{HOW, HOW_OF_ONE, HOW_TOGETHER, TOO_LATE};
use crate::stage::proposal::stack::PathStack;
use crate::stage::proposal::views::views;
use crate::stage::review::{HunkStatus, HunkView, ProposalView};

/// Returns the proposals that need the user, oldest first, as they are staged.
pub(in crate::engine) fn review_list(overlay: &Overlay) -> Vec<ProposalView> {
    let marks = FileMarks::of(overlay, overlay.stage.stacks.keys());
    let effects = effects::effects(overlay);
    let hashes = display_hash::hashes(overlay, |_| true, &marks, &effects);
    let mut views = views(&overlay.stage);
    for view in &mut views {
        let key = overlay.key_of(view);
        if key.is_some_and(|key| marks.is_linked(key)) {
            view.add_note(OTHER_NAMES);
        }
        if let Some(mark) = key.and_then(|key| marks.mark(key)) {
            view.runs = Some(mark.bare());
            view.add_note(&mark.told());
        }
        for hunk in &mut view.hunks {
            if let Some(hash) = hashes.get(&hunk.id) {
                hunk.displayed = *hash;
            }
        }
    }
    effects::assign(effects, &mut views);
    views.iter_mut().for_each(note_lookalikes);
    hold_with_others(overlay, &mut views);
    for view in &mut views {
        if let Some(held) = view.held.clone() {
            view.add_note(&held);
        }
    }
    let mut taken = EarlierTaken::default();
    let hunks = views.iter_mut().flat_map(|view| &mut view.hunks);
    for hunk in hunks.filter(|hunk| hunk.takeable) {
        tell_how_to_take(overlay, hunk, &mut taken);
    }
    views
}

/// Says which hunks put in words that pass for others.
fn note_lookalikes(view: &mut ProposalView) {
    let found = view.pending().find_map(|hunk| {
        let mut added = hunk
            .lines
            .iter()
            .filter(|line| line.kind == LineKind::Added);
        let found = added.find_map(|line| lookalike(&line.text))?;
        Some((hunk.id.number, found))
    });
    if let Some((number, found)) = found {
        let code = u32::from(found.letter);
        view.add_note(&format!(
            "hunk {number} puts in `{}`, which looks like another word: its letter U+{code:04X} is no Latin one",
            found.word
        ));
    }
}

/// Holds proposals back that belong to one that needs review: half of a move is no move.
fn hold_with_others(overlay: &Overlay, views: &mut [ProposalView]) {
    let mut left = HashSet::new();
    for view in &*views {
        let waits_by_itself = view.runs.is_some() || view.held.is_some();
        left.extend(
            view.hunks
                .iter()
                .filter(|hunk| match hunk.status {
                    HunkStatus::Pending => waits_by_itself,
                    HunkStatus::Conflict { .. } => true,
                    _ => false,
                })
                .map(|hunk| hunk.id),
        );
    }
    if left.is_empty() {
        return;
    }
    let mut together = held_together(&overlay.stage, &left);
    for view in views {
        let why = together.remove(&view.id);
        view.held = view.held.take().or(why);
    }
}

/// What hunks that stand aside make of their files.
#[derive(Default)]
struct EarlierTaken {
    /// All of a file together, but for those that replace the same lines as others before them.
    together: BTreeMap<WorkspacePath, PathStack>,
    /// Each alone.
    alone: BTreeMap<WorkspacePath, Vec<(HunkId, PathStack)>>,
}

/// Says how a user gets a hunk that stands aside, or that what it replaces is not there any more; `taken` is what earlier ones
/// make of their files.
fn tell_how_to_take(overlay: &Overlay, hunk: &mut HunkView, taken: &mut EarlierTaken) {
    let stage = &overlay.stage;
    let path = stage.find(hunk.id).map(|(path, _)| path.clone());
    let key = path.map(|path| stage.key_of(&path).cloned().unwrap_or(path));
    let earlier = key.as_ref().and_then(|key| taken.together.get(key));
    let alone = overlay
        .on_disk_beside(hunk.id)
        .map_err(|error| error.to_string())
        .and_then(|disk| stage.taken(hunk.id, disk, None));
    let together = earlier.and_then(|own| stage.taken(hunk.id, None, Some(own)).ok());
    hunk.takeable = alone.is_ok() || together.is_some();
    hunk.is_rival = alone.is_ok() && together.is_none() && earlier.is_some();
    if hunk.is_rival {
        let others = key.as_ref().and_then(|key| taken.alone.get(key));
        let others = others.into_iter().flatten();
        let rivals = others.filter(|(_, over)| stage.taken(hunk.id, None, Some(over)).is_err());
        hunk.rivals = rivals.map(|(other, _)| *other).collect();
    }
    if let Ok((key, stack)) = &alone {
        let own = taken.alone.entry(key.clone()).or_default();
        own.push((hunk.id, stack.clone()));
    }
    let how = match (&alone, &together) {
        (Ok(_), _) if hunk.is_rival => HOW_OF_ONE,
        (Ok(_), _) => HOW,
        (Err(_), Some(_)) => HOW_TOGETHER,
        (Err(_), None) => TOO_LATE,
    };
    if !hunk.is_rival {
        taken.together.extend(together.or(alone.ok()));
    }
    if let HunkStatus::Conflict { reason } = &mut hunk.status {
        *reason = format!("{reason}; {how}");
    }
}
