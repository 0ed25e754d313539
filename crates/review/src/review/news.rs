//! News: whether a review list shows anything that the one before did not.
//!
//! In: two lists. Out: whether a key that was meant for the first may count for the second. A card that a save under
//! the user's eyes changed is news, be it in context lines, in line numbers or in its note alone.

use std::collections::HashMap;
use std::ptr;

use signoff_core::id::{HunkId, ProposalId};
use signoff_core::stage::review::{HunkView, ProposalView};

use super::review_file::{ReviewFile, proposals};

/// Returns whether a list has nothing that the one before did not have in the same words.
pub(super) fn is_known(before: &[ReviewFile], list: &[ReviewFile]) -> bool {
    let files: HashMap<ProposalId, &ProposalView> =
        proposals(before).map(|own| (own.id, own)).collect();
    let hunks = before.iter().flat_map(ReviewFile::hunks);
    let hunks: HashMap<HunkId, &HunkView> = hunks.map(|hunk| (hunk.id, hunk)).collect();
    proposals(list).all(|file| {
        let known = files.get(&file.id);
        if known.is_some_and(|known| ptr::eq(*known, file)) {
            return true;
        }
        known.is_some_and(|known| says_the_same(known, file))
            && file.hunks.iter().all(|hunk| {
                let known = hunks.get(&hunk.id);
                known.is_some_and(|known| shows_the_same(known, hunk))
            })
    })
}

/// Returns whether two states of a proposal say the same beside their hunks.
fn says_the_same(known: &ProposalView, file: &ProposalView) -> bool {
    let said = |file: &ProposalView| {
        let texts = [&file.path, &file.description, &file.evidence].map(Clone::clone);
        let others = [&file.to, &file.note, &file.runs, &file.held].map(Clone::clone);
        (texts, others, file.operation, file.proposer.clone())
    };
    said(known) == said(file)
}

/// Returns whether two states of a hunk show the same. The group is left out: it goes when the last but one of a group
/// is decided on.
fn shows_the_same(known: &HunkView, hunk: &HunkView) -> bool {
    (&known.status, &known.lines, &known.yours) == (&hunk.status, &hunk.lines, &hunk.yours)
        && (known.takeable, &known.denied_before, &known.verdicts)
            == (hunk.takeable, &hunk.denied_before, &hunk.verdicts)
}
