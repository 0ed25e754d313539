//! Display hashes: whether a hunk is still what was displayed of it.
//!
//! In: the overlay. Out: for each hunk that needs the user a [`DisplayHash`] of all that a review list displays of it and
//! that a verdict on it is about: the text of its file, its old and new lines, what the proposal does beside lines, which
//! other names the file has and what runs it; of one in conflict, also why and what the user has in its place.
//!
//! ```text
//! list made                 a.txt#1 = 51c3   the user looks at it, and approves 51c3
//! a.txt saved by the user   a.txt#1 = 90fe   the verdict is about another hunk by now: nothing is written
//! ```
//!
//! A verdict on one hunk changes the hashes of the others over the same file. Whoever saw one before that knows what it
//! is now, as they gave the verdict: [`HashesByVerdict`] says which hash led to which.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::effects;
use crate::disk::workspace::WorkspacePath;
use crate::engine::links::file_marks::FileMarks;
use crate::engine::overlay::Overlay;
use crate::id::{HunkId, ProposalId};
use crate::stage::proposal::Proposal;
use crate::stage::proposal::stack::PathStack;
use crate::stage::review::{DisplayHash, HunkStatus, ProposalEffect};
use crate::text::Source;

/// Display hashes by hunk.
pub(in crate::engine) type DisplayHashes = HashMap<HunkId, DisplayHash>;

/// What verdicts of this process made of the hashes of hunks that wait on.
#[derive(Debug, Default)]
pub(in crate::engine) struct HashesByVerdict(HashMap<(HunkId, DisplayHash), DisplayHash>);

impl HashesByVerdict {
    /// Takes over that verdicts made `after` of `before`.
    pub(in crate::engine) fn note(&mut self, before: &DisplayHashes, after: &DisplayHashes) {
        for (hunk, hash) in before {
            match after.get(hunk) {
                Some(now) if now != hash => {
                    // What led away from a hash that is back leads nowhere any more.
                    self.0.remove(&(*hunk, *now));
                    self.0.insert((*hunk, *hash), *now);
                }
                Some(_) => {}
                None => self.0.retain(|(own, _), _| own != hunk),
            }
        }
    }

    /// Returns whether a hunk that was displayed so is `now` the same, but for verdicts of this process.
    pub(in crate::engine) fn lead(
        &self,
        hunk: HunkId,
        displayed: DisplayHash,
        now: DisplayHash,
    ) -> bool {
        std::iter::successors(Some(displayed), |hash| self.0.get(&(hunk, *hash)).copied())
            .any(|hash| hash == now)
    }
}

/// Returns the hashes of all hunks of these proposals that need the user, as they are now.
pub(in crate::engine) fn of_proposals(
    overlay: &Overlay,
    proposals: &BTreeSet<ProposalId>,
) -> DisplayHashes {
    let stage = &overlay.stage;
    let found = proposals.iter().filter_map(|id| stage.proposal(*id));
    let keys: BTreeSet<&WorkspacePath> = found
        .filter_map(|proposal| stage.key_of(&proposal.path))
        .collect();
    let marks = FileMarks::of(overlay, keys.iter().copied());
    let mut effects = BTreeMap::new();
    for key in keys {
        if let Some(stack) = stage.stacks.get(key) {
            effects::add_of_stack(overlay, key, stack, &mut effects);
        }
    }
    hashes(overlay, |id| proposals.contains(&id), &marks, &effects)
}

/// Returns the hashes of all hunks of the proposals that `is_meant`, whose files and effects are known.
pub(super) fn hashes(
    overlay: &Overlay,
    is_meant: impl Fn(ProposalId) -> bool,
    marks: &FileMarks,
    effects: &BTreeMap<ProposalId, ProposalEffect>,
) -> DisplayHashes {
    let stage = &overlay.stage;
    let meant = stage
        .proposals
        .iter()
        .filter(|proposal| is_meant(proposal.id));
    let mut by_file: BTreeMap<&WorkspacePath, Vec<&Proposal>> = BTreeMap::new();
    for proposal in meant {
        let key = stage.key_of(&proposal.path).unwrap_or(&proposal.path);
        by_file.entry(key).or_default().push(proposal);
    }
    let mut found = DisplayHashes::new();
    for (key, proposals) in by_file {
        let stack = stage.stacks.get(key);
        let file = of_file(key, stack, marks);
        for proposal in proposals {
            let effect = effects.get(&proposal.id);
            found.extend(of_proposal(&file, stack, proposal, effect));
        }
    }
    found
}

/// Returns a hasher that has taken what is displayed of a file.
fn of_file(key: &WorkspacePath, stack: Option<&PathStack>, marks: &FileMarks) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    let base = stack.and_then(|stack| stack.base.as_ref());
    match base.map(Source::fingerprint) {
        Some(fingerprint) => put(&mut hasher, &fingerprint.0),
        None => put(&mut hasher, b""),
    }
    put(&mut hasher, key.as_str().as_bytes());
    put(&mut hasher, &[u8::from(marks.is_linked(key))]);
    let mark = marks.mark(key).map_or(String::new(), |mark| mark.told());
    put(&mut hasher, mark.as_bytes());
    hasher
}

fn of_proposal(
    file: &blake3::Hasher,
    stack: Option<&PathStack>,
    proposal: &Proposal,
    effect: Option<&ProposalEffect>,
) -> DisplayHashes {
    let mut hasher = file.clone();
    put(&mut hasher, proposal.path.as_str().as_bytes());
    for told in effect.into_iter().flat_map(ProposalEffect::told) {
        put(&mut hasher, told.as_bytes());
    }
    let mut hashers: HashMap<u32, blake3::Hasher> = HashMap::new();
    let layers = stack.into_iter().flat_map(|stack| &stack.layers);
    for layer in layers.filter(|layer| layer.proposal() == proposal.id) {
        put(&mut hasher, format!("{:?}", layer.kind()).as_bytes());
        for hunk in layer.hunks() {
            hashers.entry(hunk.number).or_insert_with(|| hasher.clone());
        }
        for (splice, number) in layer.edits().splices().iter().zip(layer.numbers()) {
            let own = hashers.entry(*number).or_insert_with(|| hasher.clone());
            put(own, &splice.at.to_le_bytes());
            put(own, &splice.old);
            put(own, &splice.new);
        }
    }
    let conflicts = proposal.hunks.iter();
    for record in
        conflicts.filter(|conflict| matches!(conflict.status, HunkStatus::Conflict { .. }))
    {
        let mut own = hasher.clone();
        put(&mut own, format!("{record:?}").as_bytes());
        hashers.insert(record.number, own);
    }
    let done = hashers.into_iter().map(|(number, hasher)| {
        let hash = DisplayHash(*hasher.finalize().as_bytes());
        (proposal.hunk(number), hash)
    });
    done.collect()
}

/// Hashes a part with its length, so that no two lists of parts have the same bytes.
fn put(hasher: &mut blake3::Hasher, part: &[u8]) {
    hasher.update(&part.len().to_le_bytes());
    hasher.update(part);
}
