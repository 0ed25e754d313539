//! Views: staged work as a person reviews it.
//!
//! In: a stage. Out: its proposals with their hunks, oldest first, in a bounded amount of memory.

use std::collections::BTreeMap;

use super::change_hash::change_hash;
use super::stack_places::stack_places;
use super::stage::Stage;
use super::{HunkRecord, Proposal, groups, lost};
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::hunk::Rendered;
use crate::edit::diff::line::LineMemory;
use crate::edit::plan::Evidence;
use crate::id::{HunkId, ProposalId};
use crate::stage::review::{
    ArrivedVerdict, HunkOffer, HunkStatus, HunkView, ProposalEffect, ProposalView, StackPlace,
};

/// Memory that the lines of the review list take: 800,000 lines of 40 characters, and 20,000 hunks of one line with its
/// context.
const MEMORY: LineMemory = LineMemory::new(96 * 1024 * 1024, 128 * 1024 * 1024);

/// Returns the proposals as a person reviews them, oldest first.
pub fn views(stage: &Stage) -> Vec<ProposalView> {
    views_within(stage, MEMORY)
}

/// Returns them with the hunks for which there is no memory told by their sizes.
fn views_within(stage: &Stage, mut memory: LineMemory) -> Vec<ProposalView> {
    let mut rendered: BTreeMap<HunkId, Rendered> = BTreeMap::new();
    let mut places: BTreeMap<HunkId, StackPlace> = BTreeMap::new();
    let mut targets: BTreeMap<ProposalId, &WorkspacePath> = BTreeMap::new();
    for stack in stage.stacks.values() {
        let own = lost::rendered_within(stack, memory.largest());
        memory.take(own.values().flat_map(|hunk| &hunk.lines));
        places.extend(stack_places(stack, &own));
        // Not `append`, which makes the whole map anew each time.
        rendered.extend(own);
        let moves = stack.layers.iter();
        targets.extend(moves.filter_map(|layer| Some((layer.proposal(), layer.to()?))));
    }
    let mut views: Vec<ProposalView> = stage
        .proposals
        .iter()
        .map(|proposal| {
            let mut view = view(stage, proposal, &mut rendered, &places);
            view.to = targets.get(&proposal.id).map(ToString::to_string);
            view
        })
        .collect();
    groups::assign(&mut views);
    views
}

/// Returns what other people said of a hunk, if anything.
fn arrived(stage: &Stage, id: HunkId, record: &HunkRecord) -> Vec<ArrivedVerdict> {
    match &record.offer {
        Some(offer @ HunkOffer::Made { verdicts, .. }) if !verdicts.is_empty() => {
            offer.arrived(change_hash(stage, id).as_ref())
        }
        _ => Vec::new(),
    }
}

fn view(
    stage: &Stage,
    proposal: &Proposal,
    rendered: &mut BTreeMap<HunkId, Rendered>,
    places: &BTreeMap<HunkId, StackPlace>,
) -> ProposalView {
    let hunks = proposal.hunks.iter().map(|record| {
        let id = proposal.hunk(record.number);
        let shown = rendered
            .remove(&id)
            .filter(|_| record.status == HunkStatus::Pending);
        let (header, lines, added, removed, undisplayed) = match shown {
            Some(hunk) => (
                hunk.header,
                hunk.lines,
                hunk.added,
                hunk.removed,
                hunk.undisplayed,
            ),
            None => (
                record.header.clone(),
                record.lines.clone(),
                record.added,
                record.removed,
                None,
            ),
        };
        HunkView {
            id,
            header,
            status: record.status.clone(),
            lines,
            added,
            removed,
            yours: record.yours.clone(),
            takeable: record.aside.is_some(),
            denied_before: record.denied_before.clone(),
            verdicts: arrived(stage, id, record),
            undisplayed,
            place: places.get(&id).copied(),
            ..HunkView::default()
        }
    });
    let card = &proposal.card;
    ProposalView {
        id: proposal.id,
        changeset: proposal.changeset,
        path: proposal.path.to_string(),
        to: None,
        operation: card.operation,
        description: card.description.clone(),
        evidence: card.evidence.clone(),
        is_guess: card.matched.as_ref().is_some_and(Evidence::is_guess),
        placed: card.placed(),
        strategy: card.strategy.to_string(),
        note: card.note.clone(),
        runs: None,
        held: card.held.clone(),
        lacks_signature: false,
        effect: ProposalEffect::default(),
        proposer: card.origin.proposer.clone(),
        created: card.created,
        hunks: hunks.collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use uuid::Uuid;

    use crate::edit::diff::hunk;
    use crate::edit::diff::line::DiffLine;
    use crate::edit::diff::undisplayed::sha256;

    use super::*;
    use crate::edit::intent::Operation;
    use crate::edit::locate::Rung;
    use crate::edit::plan::{Plan, Presence, Strategy};
    use crate::id::{ChangesetId, Timestamp};
    use crate::stage::proposal::layer_kind::BesideText;
    use crate::stage::proposal::{Card, Origin};
    use crate::text::EditSet;

    /// Stages files of one line each of so many bytes.
    fn staged(sizes: &[usize]) -> Stage {
        let mut stage = Stage::default();
        for (number, size) in (0..).zip(sizes) {
            let path = WorkspacePath::parse(&format!("f{number}"), Path::new("/w")).unwrap();
            let ids = (
                ProposalId(Uuid::from_u128(number)),
                ChangesetId(Uuid::nil()),
            );
            let card = Card {
                operation: Operation::Create,
                description: String::new(),
                strategy: Strategy::Program,
                evidence: String::new(),
                matched: None,
                note: None,
                held: None,
                created: Timestamp(0),
                origin: Origin::default(),
            };
            let plan = Plan {
                presence: Presence::Created,
                edits: EditSet::between(b"", "x".repeat(*size).as_bytes()),
                evidence: Evidence::new(Rung::Exact, ""),
                changes: 1,
            };
            stage
                .push(&path, None, ids, card, (plan, BesideText::default()))
                .unwrap();
        }
        stage
    }

    #[test]
    fn beyond_so_much_memory_hunks_are_told_by_their_sizes() {
        let (small, large) = (100, LineMemory::SMALL + 1);
        let of = |size: usize| size_of::<DiffLine>() + size;
        let all = of(small) + of(large);
        for (sizes, listed, most, shown) in [
            (
                &[small, large, small, large][..],
                4 * all,
                4 * all,
                &[true; 4][..],
            ),
            // Large ones do not count any more, small ones do.
            (
                &[small, large, small, large],
                all,
                4 * all,
                &[true, true, true, false],
            ),
            (
                &[large, large, small, small],
                1,
                of(large) + 200,
                &[true, false, true, false],
            ),
            (&[small, small, small], 0, 1, &[true, false, false]),
            (&[small, small], 0, 0, &[false, false]),
        ] {
            let views = views_within(&staged(sizes), LineMemory::new(listed, most));
            let hunks = views.iter().flat_map(|view| &view.hunks);
            let found: Vec<bool> = hunks.map(|hunk| !hunk.is_told_by_sizes()).collect();
            assert_eq!(found, shown, "{sizes:?} {listed} {most}");
            // What is approved is the same.
            assert!(
                views
                    .iter()
                    .all(|view| view.hunks.len() == 1 && view.hunks[0].added == 1)
            );
        }
    }

    #[test]
    fn what_is_told_by_sizes_says_why() {
        for (size, why) in [
            (100, "not shown in so long a list"),
            (hunk::MAX_SHOWN + 1, "too large to be shown"),
        ] {
            let views = views_within(&staged(&[size]), LineMemory::new(0, 0));
            let hash = sha256("x".repeat(size).as_bytes());
            let text = format!("text, 1 line, {size} bytes, sha256 {hash}: {why}");
            assert_eq!(views[0].hunks[0].lines[0].text, text);
            let undisplayed = views[0].hunks[0].undisplayed.as_ref().unwrap();
            assert_eq!(undisplayed.to_string(), format!("not displayed: {text}"));
        }
    }
}
