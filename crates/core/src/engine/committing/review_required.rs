//! Review required: proposals that must not be written without a review.
//!
//! In: proposals that are to be approved without a look at them. Out: all of them written, or
//! none, with the reasons why a review is required.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::decide::{Decision, Verdicts};
use super::held_together::held_together;
use crate::disk::workspace::WorkspacePath;
use crate::edit::locate::Finding;
use crate::engine::EngineError;
use crate::engine::display::effects::loosening;
use crate::engine::links::executed::ExecutionMark;
use crate::engine::links::file_marks::FileMarks;
use crate::engine::state::WorkspaceState;
use crate::id::HunkId;
use crate::stage::proposal::Proposal;
use crate::stage::review::{HunkState, HunkStatus, ProposalView, Ruling, Verdict};

/// Maximum number of proposals named in a message.
const MAX_NAMED: usize = 5;

/// Maximum length of a quoted reason, in characters.
const REASON_CHARS: usize = 300;

impl Verdicts<'_> {
    /// Approves all pending hunks of these proposals, which were not reviewed: nothing is written if
    /// one of them was found by a guess, comes with a warning, is in a file that makes a program
    /// run, does what was denied before, opens a file to more than before, or removes what would be nowhere then.
    pub(in crate::engine) fn approve_unseen(
        &mut self,
        proposals: &[&ProposalView],
    ) -> Result<Decision, EngineError> {
        if let Some(why) = self.to_look_at(proposals) {
            return Ok(Decision::Refused { why });
        }
        let mut rulings = Vec::new();
        for hunk in proposals.iter().flat_map(|view| view.pending()) {
            // What has it now is among the proposals as well, or was not to be approved.
            if !is_replaced(self.state, hunk.id)? {
                rulings.push(Ruling::new(hunk, Verdict::Approve));
            }
        }
        self.decide(&rulings)
    }

    /// Returns which of these proposals have to be looked at first and why, if any has.
    fn to_look_at(&self, proposals: &[&ProposalView]) -> Option<String> {
        let overlay = &self.state.overlay;
        let hunks = proposals.iter().flat_map(|view| &view.hunks);
        let clashing = hunks.filter(|hunk| matches!(hunk.status, HunkStatus::Conflict { .. }));
        let clashing: HashSet<HunkId> = clashing.map(|hunk| hunk.id).collect();
        let together = if clashing.is_empty() {
            BTreeMap::new()
        } else {
            held_together(&overlay.stage, &clashing)
        };
        let keys = proposals.iter().filter_map(|view| overlay.key_of(view));
        let keys: BTreeSet<&WorkspacePath> = keys.collect();
        let marks = FileMarks::of(overlay, keys.iter().copied());
        let doubts = proposals.iter().filter_map(|view| {
            let proposal = overlay.stage.proposal(view.id)?;
            let key = overlay.key_of(view);
            let mark = key.and_then(|key| marks.mark(key));
            let is_linked = key.is_some_and(|key| marks.is_linked(key));
            let mode = loosening(&view.effect);
            let told = mark.map(ExecutionMark::told).into_iter().chain(mode);
            let why = review_required(proposal, is_linked, told.collect())
                .or_else(|| together.get(&view.id).cloned())?;
            let why: String = why.chars().take(REASON_CHARS).collect();
            Some(format!("{}: {why}", view.path))
        });
        let mut doubts: Vec<String> = doubts.collect();
        let more = doubts.len().saturating_sub(MAX_NAMED);
        doubts.truncate(MAX_NAMED);
        if more > 0 {
            doubts.push(format!("and {more} more"));
        }
        (!doubts.is_empty()).then(|| format!("review required; {}", doubts.join("; ")))
    }
}

/// Returns whether a later change has a hunk in it.
fn is_replaced(state: &WorkspaceState, hunk: HunkId) -> Result<bool, EngineError> {
    if let Some((_, record)) = state.overlay.stage.find(hunk) {
        return Ok(record.status.state() == HunkState::Replaced);
    }
    let closed = state.store.proposal(hunk.proposal)?;
    let record = closed.as_ref().and_then(|own| own.record(hunk.number));
    Ok(record.is_some_and(|record| record.status.state() == HunkState::Replaced))
}

/// Returns why a proposal has to be seen before it is written, if it has.
fn review_required(proposal: &Proposal, linked: bool, told: Vec<String>) -> Option<String> {
    let card = &proposal.card;
    let is_guess = card.matched.as_ref().is_some_and(Finding::is_guess);
    let mut waiting = proposal.hunks.iter();
    let denied = waiting.find_map(|hunk| match hunk.status {
        HunkStatus::Pending => hunk.denied_before.as_ref(),
        _ => None,
    });
    let denied = denied.map(|denied| match &denied.reason {
        Some(reason) => format!("you denied the same before ({reason})"),
        None => "you denied the same before".to_owned(),
    });
    let guessed = card.placed().filter(|_| is_guess);
    let linked = linked.then(|| "the file has other names (hard links)".to_owned());
    let held = card.held.clone();
    let others = [held, guessed, card.note.clone(), linked]
        .into_iter()
        .flatten();
    let reasons: Vec<String> = denied.into_iter().chain(told).chain(others).collect();
    (!reasons.is_empty()).then(|| reasons.join(", "))
}

#[cfg(test)]
mod tests;
