//! Denied edits: recognises a proposal that repeats one the user denied.
//!
//! In: verdicts, and proposals as they are staged. Out: a note with the reason on every hunk
//! that does what a denied one in the same file did.

use std::collections::BTreeMap;

use crate::disk::workspace::WorkspacePath;
use crate::engine::EngineError;
use crate::id::{HunkId, ProposalId, Timestamp};
use crate::record::store::Store;
use crate::stage::proposal::denial::Denial;
use crate::stage::proposal::stage::Stage;
use crate::stage::proposal::views::views;
use crate::stage::review::{DeniedBefore, DiffHunk, HunkView};

/// Maximum size of the lines that are kept of a denied hunk, in bytes: the rewrite of a file of a few hundred lines, which
/// the user reads again to take a part of it over by hand.
const MOST_LINES: usize = 16 * 1024;

/// A hunk to remember.
#[derive(Debug)]
pub(in crate::engine) struct Denied {
    pub(in crate::engine) path: WorkspacePath,
    /// What it did.
    pub(in crate::engine) denial: Denial,
    /// What was said.
    pub(in crate::engine) before: DeniedBefore,
    /// What it was for.
    pub(in crate::engine) description: String,
    /// How it was shown, up to [`MOST_LINES`].
    pub(in crate::engine) shown: DiffHunk,
}

/// Returns what is to be remembered of denied hunks, as they are shown now.
pub(in crate::engine) fn to_remember(
    stage: &Stage,
    time: Timestamp,
    denied: &BTreeMap<HunkId, Option<String>>,
) -> Vec<Denied> {
    if denied.is_empty() {
        return Vec::new();
    }
    let views = views(stage);
    let each = views.iter().flat_map(|view| {
        view.hunks.iter().filter_map(move |hunk| {
            let reason = denied.get(&hunk.id)?.clone();
            let path = stage.find(hunk.id)?.0.clone();
            let denial = Denial::of(view, hunk)?;
            Some(Denied {
                path,
                denial,
                before: DeniedBefore { reason, time },
                description: view.description.clone(),
                shown: shown(hunk),
            })
        })
    });
    each.collect()
}

/// Returns a hunk as it is shown; of a long one its first lines.
fn shown(hunk: &HunkView) -> DiffHunk {
    let mut room = MOST_LINES;
    let fitting = hunk.lines.iter().take_while(|line| {
        let rest = room.checked_sub(line.text.len() + 1);
        room = rest.unwrap_or(room);
        rest.is_some()
    });
    DiffHunk {
        header: hunk.header.clone(),
        lines: fitting.cloned().collect(),
        added: hunk.added,
        removed: hunk.removed,
    }
}

/// Notes on freshly staged proposals what of them was denied before.
pub(in crate::engine) fn recognise(
    store: &Store,
    stage: &mut Stage,
    ids: &[ProposalId],
) -> Result<(), EngineError> {
    let mut known = BTreeMap::new();
    for proposal in stage.proposals.iter().filter(|p| ids.contains(&p.id)) {
        let denied = store.denied(&proposal.path)?;
        if !denied.is_empty() {
            known.insert(proposal.id, denied);
        }
    }
    if known.is_empty() {
        return Ok(());
    }
    for view in views(stage) {
        let Some(denied) = known.get(&view.id) else {
            continue;
        };
        let again = view.hunks.iter().filter_map(|hunk| {
            let own = Denial::of(&view, hunk)?;
            let (_, before) = denied.iter().find(|(before, _)| own.repeats(before))?;
            Some((hunk.id.number, before.clone()))
        });
        let again: BTreeMap<u32, DeniedBefore> = again.collect();
        if let Some(own) = stage.proposals.iter_mut().find(|p| p.id == view.id) {
            own.note_denied(again);
        }
    }
    Ok(())
}
