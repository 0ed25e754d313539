//! Held together: what `approve --all` does not write because it belongs to something that it does not write.
//!
//! In: the hunks that are left by themselves: they wait for a look, are in conflict, or were denied. Out: the proposals
//! that stay with them, each with the reason. Of `mv a.txt run.sh; ln -s other a.txt`, where `run.sh` is a program:
//!
//! | proposal | alone |
//! |---|---|
//! | modify `run.sh` | waits for a look |
//! | delete `a.txt` | would leave its text at no path: stays as well |
//! | link `a.txt` | builds on the deletion: stays as well |
//!
//! Where the text went is told by its lines, so that it does not matter whether it was moved, moved and changed, or
//! copied and removed, nor by how many programs; see [`deed`]. What moves a folder stays together, see [`folder_moves`]. Text that went to where nothing is staged, as to an
//! ignored file, is found when the program ends, and noted on the card.

mod deed;
mod folder_moves;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::id::{HunkId, ProposalId};
use crate::stage::proposal::Proposal;
use crate::stage::proposal::stage::Stage;
use crate::stage::review::HunkStatus;
use crate::text::Splice;
use deed::{Deed, held_with, keeps_text_of};

/// Returns the proposals that `approve --all` leaves because it leaves the hunks in `left`, each with the reason.
pub(in crate::engine) fn held_together(
    stage: &Stage,
    left: &HashSet<HunkId>,
) -> BTreeMap<ProposalId, String> {
    let deeds = Deeds::of(stage);
    let mut held = left.clone();
    let mut together = BTreeMap::new();
    loop {
        let is_held = |hunk: HunkId| held.contains(&hunk);
        let mut found = held_with(deeds.made(is_held), deeds.made(|hunk| !is_held(hunk)));
        found.extend(blocked(stage, &held));
        let before = held.len();
        for (id, why) in found {
            let own = stage.proposals.iter().find(|proposal| proposal.id == id);
            held.extend(own.into_iter().flat_map(pending));
            together.entry(id).or_insert(why);
        }
        if held.len() == before {
            return together;
        }
    }
}

/// Notes on the cards of what waits in `after` that its text was to be in hunks that are denied; returns whose cards.
pub(super) fn stay_with_denied(
    before: &Stage,
    after: &mut Stage,
    is_denied: impl Fn(HunkId) -> bool,
) -> Vec<ProposalId> {
    let denied = Deeds::of(before).made(&is_denied);
    if denied.is_empty() {
        return Vec::new();
    }
    let waiting = Deeds::of(after);
    let found = keeps_text_of(&denied, waiting.made(|hunk| !is_denied(hunk)));
    drop(waiting);
    let own = after.proposals.iter_mut();
    for proposal in own.filter(|own| found.contains_key(&own.id)) {
        let held = &mut proposal.card.held;
        if let (None, Some(path)) = (&held, found.get(&proposal.id)) {
            *held = Some(format!(
                "what it removes was to be in {path}, which you denied"
            ));
        }
    }
    found.into_keys().collect()
}

fn pending(proposal: &Proposal) -> Vec<HunkId> {
    let own = proposal
        .hunks
        .iter()
        .filter(|record| record.status == HunkStatus::Pending);
    own.map(|record| proposal.hunk(record.number)).collect()
}

/// Returns the proposals with hunks that build on what is left: they cannot be written before it.
fn blocked(stage: &Stage, left: &HashSet<HunkId>) -> BTreeMap<ProposalId, String> {
    let mut found = BTreeMap::new();
    let none = HashSet::new();
    for (key, stack) in &stage.stacks {
        let hunks = stack.layers.iter().flat_map(|layer| layer.hunks());
        let (left, mut written): (HashSet<HunkId>, HashSet<HunkId>) =
            hunks.partition(|hunk| left.contains(hunk));
        if left.is_empty() {
            continue;
        }
        while let Err(blocked) = stack.decide(&written, &none) {
            let id = blocked.hunk.proposal;
            let all = written.len();
            written.retain(|hunk| hunk.proposal != id);
            found.insert(id, format!("it builds on what waits in {key}"));
            if written.len() == all {
                break;
            }
        }
    }
    found
}

/// What the open proposals of a stage do to names and lines, hunk by hunk.
struct Deeds<'a> {
    stage: &'a Stage,
    /// The splices of each hunk that is in a stack, and where the file goes.
    splices: HashMap<HunkId, Vec<&'a Splice>>,
    targets: HashMap<ProposalId, &'a str>,
}

impl<'a> Deeds<'a> {
    fn of(stage: &'a Stage) -> Self {
        let mut splices: HashMap<HunkId, Vec<&Splice>> = HashMap::new();
        let mut targets = HashMap::new();
        for layer in stage.stacks.values().flat_map(|stack| &stack.layers) {
            let proposal = layer.proposal();
            for (splice, number) in layer.edits().splices().iter().zip(layer.numbers()) {
                let number = *number;
                let hunk = HunkId { proposal, number };
                splices.entry(hunk).or_default().push(splice);
            }
            targets.extend(layer.to().map(|to| (proposal, to.as_str())));
        }
        Self {
            stage,
            splices,
            targets,
        }
    }

    /// Returns what proposals do with those of their open hunks that are `meant`.
    fn made(&self, meant: impl Fn(HunkId) -> bool) -> Vec<Deed<'a>> {
        let each = self.stage.proposals.iter().filter_map(|proposal| {
            let mut deed = Deed::new(proposal, self.targets.get(&proposal.id).copied());
            let open = proposal
                .hunks
                .iter()
                .filter(|record| record.status.is_open());
            let mut meant = open
                .filter(|record| meant(proposal.hunk(record.number)))
                .peekable();
            meant.peek()?;
            for record in meant {
                match self.splices.get(&proposal.hunk(record.number)) {
                    Some(splices) => splices
                        .iter()
                        .for_each(|splice| deed.replace(&splice.old, &splice.new)),
                    None => deed.replace_shown(record),
                }
            }
            Some(deed.done())
        });
        each.collect()
    }
}

/// Returns the lines of a text that say something, without the blanks around them: not those of brackets alone, which
/// stand anywhere.
pub(in crate::engine) fn telling(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| {
        line.iter()
            .any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
    })
}

/// Returns whether most of what a file loses was found.
pub(in crate::engine) fn is_most(found: usize, lost: usize) -> bool {
    found > 0 && found * 2 >= lost
}

#[cfg(test)]
mod tests;
