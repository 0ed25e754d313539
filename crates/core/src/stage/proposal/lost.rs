//! Hunks that cannot be applied any more.
//!
//! In: a file's stack as it was, the hunks that it has lost, and why. Out: their records, which
//! keep what each was to do, and what the user has in its place now.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::aside::MOST_LINES;
use super::layer::Layer;
use super::over_saved::{NoPlace, over_saved};
use super::stack::PathStack;
use super::stage::Stage;
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::hunk::{self, Rendered};
use crate::edit::diff::instead::{Saved, instead};
use crate::edit::diff::lines::difference;
use crate::edit::plan::Presence;
use crate::id::{HunkId, ProposalId};
use crate::stage::review::HunkStatus;
use crate::text::Source;

/// Marks hunks that cannot stand any more; `before` is the stack at `key` that had them.
pub(super) fn lose(
    stage: &mut Stage,
    (key, before): (&WorkspacePath, &PathStack),
    lost: &[HunkId],
    why: &str,
) {
    lose_to(stage, (key, before), lost, why, None);
}

/// Marks hunks that cannot stand any more since the file below them is `now` another. Those that have a certain place
/// in it keep what they would make of it, for a user who takes them; of those whose lines it has already nothing is left.
pub(super) fn lose_to(
    stage: &mut Stage,
    (key, before): (&WorkspacePath, &PathStack),
    lost: &[HunkId],
    why: &str,
    now: Option<&Source>,
) {
    if lost.is_empty() {
        return;
    }
    let mut shown = rendered(before);
    let saved = before.base.as_ref().zip(now);
    let saved = saved
        .filter(|(base, now)| base.is_alike(now))
        .map(|(base, now)| (base, now, difference(base, now)));
    let saved = saved
        .as_ref()
        .map(|(base, now, edits)| (*base, *now, Saved::new(edits)));
    let lowest = before.layers.first().map(Layer::proposal);
    let moved = now.and_then(|_| stage.stacks.get(key)).cloned();
    let wanted: HashSet<HunkId> = lost.iter().copied().collect();
    let mut in_file = HashSet::new();
    let proposals: BTreeSet<ProposalId> = lost.iter().map(|hunk| hunk.proposal).collect();
    for id in proposals {
        for record in stage
            .proposal_mut(id)
            .into_iter()
            .flat_map(|own| &mut own.hunks)
        {
            let hunk = HunkId {
                proposal: id,
                number: record.number,
            };
            if !wanted.contains(&hunk) {
                continue;
            }
            let over = moved
                .as_ref()
                .map(|moved| over_saved((before, moved), hunk, lost.len()));
            if let Some(Err(NoPlace::AlreadyThere)) = over {
                record.status = HunkStatus::InFile;
                record.clear();
                in_file.insert(hunk);
                continue;
            }
            let cause = over.as_ref().and_then(|over| over.as_ref().err()?.words());
            let reason = match cause {
                Some(cause) => format!("{why}; {cause}"),
                None => why.to_owned(),
            };
            record.status = HunkStatus::Conflict { reason };
            if let Some(Ok(over)) = over {
                record.put_over(over);
                continue;
            }
            let Some(shown) = shown.remove(&hunk) else {
                continue;
            };
            if let (Some((base, now, saved)), true) = (&saved, lowest == Some(id)) {
                let lines = instead(&shown, base, now, saved).take(MOST_LINES);
                record.yours = lines.map(|line| now.line_text(line).into_owned()).collect();
            }
            record.keep(shown);
        }
    }
    // What is done is not to wait again once the file is as it was.
    stage.decide_formers(&in_file, &HashSet::new());
    stage.name_proposals_over(key);
}

/// Returns every hunk of a stack as it is shown.
pub(super) fn rendered(stack: &PathStack) -> BTreeMap<HunkId, Rendered> {
    rendered_within(stack, hunk::MAX_SHOWN)
}

/// Returns every hunk of a stack as it is shown, those of more than `most` bytes by their sizes.
pub(super) fn rendered_within(stack: &PathStack, most: usize) -> BTreeMap<HunkId, Rendered> {
    let mut all = BTreeMap::new();
    let mut below = stack.base.clone();
    for layer in &stack.layers {
        let text = below.clone().unwrap_or_else(|| Source::new(Vec::new()));
        let is_link = text.is_link() || layer.presence() == Presence::Linked;
        for mut hunk in hunk::render_within(&text, layer.edits(), layer.numbers(), most) {
            // The target of a link is no line that could lack its end.
            hunk.lines
                .iter_mut()
                .for_each(|line| line.newline |= is_link);
            let id = HunkId {
                proposal: layer.proposal(),
                number: hunk.number,
            };
            all.insert(id, hunk);
        }
        below = layer.apply(below.as_ref()).unwrap_or(below);
    }
    all
}
