//! Stage: all staged work of a workspace.
//!
//! In: plans, verdicts, and files as the user saved them. Out: the overlay text per path, the
//! review list, and what a commit has to write. No IO: the engine loads, saves and writes.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::cards::Cards;
use super::layer::Layer;
use super::stack::{Blocked, PathStack};
use super::{Card, HunkRecord, Proposal, groups, lost};
use crate::diff::hunk::{self, Rendered};
use crate::id::{ChangesetId, HunkId, ProposalId};
use crate::intent::Operation;
use crate::plan::{Plan, Presence};
use crate::review::{HunkStatus, HunkView, ProposalView};
use crate::text::{Mismatch, Source};
use crate::workspace::WorkspacePath;
use crate::workspace::attributes::Attributes;

/// Bytes of lines that the review list shows before it tells all but small hunks by their sizes. As values,
/// lines take four times as much.
const MAX_LISTED: usize = 32 * 1024 * 1024;
/// Size of the hunks that are shown beyond that, in bytes: a file of a few hundred lines.
const SHOWN_BEYOND: usize = 16 * 1024;

/// Staged work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// The layers over each file that has any, by its path on disk.
    pub stacks: BTreeMap<WorkspacePath, PathStack>,
    /// Proposals with an open hunk, oldest first.
    pub proposals: Vec<Proposal>,
}

/// What verdicts make of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The file.
    pub path: WorkspacePath,
    /// The text now; none for an absent file.
    pub before: Option<Source>,
    /// The text to write; none for a file to delete.
    pub after: Option<Source>,
    /// Where the file goes, if it gets another path.
    pub to: Option<WorkspacePath>,
    /// The approved layers, lowest first; none for a reversal.
    pub layers: Vec<Layer>,
    /// Attributes for a file that comes back; none for what the system gives new files.
    pub attributes: Option<Attributes>,
    /// Permission bits that the file gets instead of its own.
    pub mode: Option<u32>,
    /// Folders, deepest first, that go with the file's present place if they are empty then.
    pub folders: Vec<WorkspacePath>,
}

impl Stage {
    /// Puts a plan on top of a file's layers. `base` is the file on disk, for the first one; `to`
    /// is where the plan moves the file.
    pub fn push(
        &mut self,
        path: &WorkspacePath,
        base: Option<Source>,
        (id, changeset): (ProposalId, ChangesetId),
        card: Card,
        (plan, to): (Plan, Option<WorkspacePath>),
    ) -> Result<(), Mismatch> {
        let fresh = PathStack {
            base,
            layers: Vec::new(),
        };
        let key = self.key_of(path).unwrap_or(path).clone();
        let stack = self.stacks.entry(key).or_insert(fresh);
        let below = stack.text_below(plan.presence)?;
        let layer = match to {
            Some(to) => Layer::moving(id, to),
            None => {
                let edits = hunk::by_line(&below, &plan.edits);
                let numbers = hunk::group(&below, &edits);
                Layer::new(id, plan.presence, edits, numbers)
            }
        };
        let hunks = HunkRecord::all(&below, &layer);
        stack.layers.push(layer);
        self.proposals.push(Proposal {
            id,
            changeset,
            path: path.clone(),
            card,
            hunks,
        });
        Ok(())
    }

    /// Returns the proposals as a person reviews them, oldest first.
    pub fn views(&self) -> Vec<ProposalView> {
        let mut rendered: BTreeMap<HunkId, Rendered> = BTreeMap::new();
        let mut targets: BTreeMap<ProposalId, &WorkspacePath> = BTreeMap::new();
        let mut room = MAX_LISTED;
        for stack in self.stacks.values() {
            let most = if room > 0 {
                hunk::MAX_SHOWN
            } else {
                SHOWN_BEYOND
            };
            let mut own = lost::rendered_within(stack, most);
            let lines = own.values().flat_map(|hunk| &hunk.lines);
            room = room.saturating_sub(lines.map(|line| line.text.len()).sum());
            rendered.append(&mut own);
            let moves = stack.layers.iter();
            targets.extend(moves.filter_map(|layer| Some((layer.proposal(), layer.to()?))));
        }
        let mut views: Vec<ProposalView> = self
            .proposals
            .iter()
            .map(|proposal| {
                let mut view = view(proposal, &mut rendered);
                view.to = targets.get(&proposal.id).map(ToString::to_string);
                view
            })
            .collect();
        groups::assign(&mut views);
        views
    }

    /// Moves the layers of the file at `key` onto the file as it is now; returns whether
    /// anything moved.
    pub fn settle(&mut self, key: &WorkspacePath, now: Option<Source>) -> bool {
        let Some(stack) = self.stacks.get_mut(key).filter(|stack| stack.base != now) else {
            return false;
        };
        let above: HashSet<ProposalId> = stack.layers.iter().map(Layer::proposal).collect();
        let why = match (&stack.base, &now) {
            (Some(_), None) => "the file is gone",
            (None, _) => "the file is there now",
            _ => "you changed the same lines since",
        };
        let (moved, lost) = stack.rebase(now.clone());
        let (moved, unwritable) = match moved.in_its_encoding() {
            Ok(apart) => apart,
            Err(misfit) => {
                debug_assert!(
                    false,
                    "layers were carried over to a text that they do not fit: {misfit}"
                );
                (moved, Vec::new())
            }
        };
        let before = std::mem::replace(stack, moved);
        let own = self.proposals.iter_mut();
        for proposal in own.filter(|proposal| above.contains(&proposal.id)) {
            proposal.card.note = Some("moved onto your own change of the file; look again".into());
        }
        self.lose_to(&before, &lost, why, now.as_ref());
        let encoding = now.as_ref().map(Source::encoding).unwrap_or_default();
        let why =
            format!("you saved the file in {encoding}, which does not have all of its characters");
        self.lose(&before, &unwritable, &why);
        true
    }

    /// Takes the moves of the file at `key` out: something stands at `taken`, where one of them
    /// leads.
    pub fn obstruct(&mut self, key: &WorkspacePath, taken: &WorkspacePath) {
        let Some(stack) = self.stacks.get_mut(key) else {
            return;
        };
        let why = format!("{taken} is there now");
        let (rest, lost) = stack.without_moves();
        let before = std::mem::replace(stack, rest);
        self.lose(&before, &lost, &why);
    }

    /// Gives way to permission bits that the user gave the file at `key` since they were staged: 600 of a file that a
    /// program made 664 of 644 stays 600. A change of them alone becomes a conflict; with a text, the text goes on
    /// without it. `now` are the bits on disk. Returns whether anything gave way.
    pub fn settle_mode(&mut self, key: &WorkspacePath, now: u32) -> bool {
        let Some(stack) = self.stacks.get_mut(key) else {
            return false;
        };
        let before = stack.clone();
        let is_other = |card: &Card| {
            let (to, from) = (card.mode, card.mode_before);
            to.zip(from)
                .is_some_and(|(to, from)| now != from && now != to)
        };
        let above: HashSet<ProposalId> = before.layers.iter().map(Layer::proposal).collect();
        let own = self.proposals.iter_mut();
        let own = own.filter(|own| above.contains(&own.id) && is_other(&own.card));
        let mut lost = HashSet::new();
        let mut any = false;
        for proposal in own {
            any = true;
            proposal.card.mode = None;
            if proposal.card.operation == Operation::Permissions {
                lost.insert(proposal.id);
            } else {
                proposal.card.note =
                    Some("the file keeps the permissions that you gave it since".into());
            }
        }
        stack
            .layers
            .retain(|layer| !lost.contains(&layer.proposal()));
        let lost = before
            .layers
            .iter()
            .filter(|layer| lost.contains(&layer.proposal()));
        let lost: Vec<HunkId> = lost.flat_map(Layer::hunks).collect();
        self.lose(&before, &lost, "you changed its permissions since");
        any
    }

    /// Returns whether something staged for the file at `key` replaces permission bits that it had on disk.
    pub fn replaces_mode(&self, key: &WorkspacePath) -> bool {
        let layers = self.stacks.get(key).map(|stack| stack.layers.as_slice());
        let above = layers.unwrap_or_default().iter().map(Layer::proposal);
        let above: HashSet<ProposalId> = above.collect();
        let mut own = self.proposals.iter().filter(|own| above.contains(&own.id));
        own.any(|own| own.card.mode.is_some() && own.card.mode_before.is_some())
    }

    /// Makes conflicts of all that waits for the file at `key`; returns whether anything did. `why` says what is there.
    pub fn block(&mut self, key: &WorkspacePath, why: &str) -> bool {
        let Some(stack) = self.stacks.get_mut(key) else {
            return false;
        };
        let lost: Vec<HunkId> = stack.layers.iter().flat_map(Layer::hunks).collect();
        let before = std::mem::take(stack);
        self.lose(&before, &lost, why);
        !lost.is_empty()
    }

    /// Carries verdicts out, on a copy of the files' texts: returns what is to be written.
    /// Hunks that are not pending are left alone, but a conflict can be denied.
    pub fn decide(
        &mut self,
        approved: &HashSet<HunkId>,
        denied: &BTreeMap<HunkId, Option<String>>,
    ) -> Result<Vec<Commit>, Blocked> {
        let dropped: HashSet<HunkId> = denied.keys().copied().collect();
        let mut commits = Vec::new();
        let mut orphans = Vec::new();
        let mut shown = BTreeMap::new();
        let cards = Cards::of(&self.proposals);
        for (path, stack) in &mut self.stacks {
            let hunks: HashSet<HunkId> = stack.layers.iter().flat_map(Layer::hunks).collect();
            if approved.is_disjoint(&hunks) && dropped.is_disjoint(&hunks) {
                continue;
            }
            let before = stack.base.clone();
            let decided = stack.decide(approved, &dropped)?;
            let own = std::mem::replace(stack, decided.rest);
            if !decided.orphans.is_empty() {
                orphans.extend(decided.orphans);
                shown.append(&mut lost::rendered(&own));
            }
            if !decided.approved.is_empty() {
                let (path, after) = (path.clone(), stack.base.clone());
                let to = decided.approved.iter().rev().find_map(Layer::to);
                let mode = cards.mode(&decided.approved);
                let gone = cards.folders_gone(&decided.approved);
                let folders = path.folders().take(gone).collect();
                commits.push(Commit {
                    path,
                    before,
                    after,
                    to: to.cloned(),
                    layers: decided.approved,
                    attributes: None,
                    mode,
                    folders,
                });
            }
        }
        for commit in &commits {
            if let Some(to) = &commit.to {
                self.rekey(&commit.path, to);
            }
        }
        self.mark(approved, denied, (&orphans, shown));
        self.name_proposals();
        Ok(commits)
    }

    /// Takes everything that waits for the file at `key` out: a program made something of it that
    /// comes instead.
    pub fn replace(&mut self, key: &WorkspacePath, by: &str) {
        let Some(stack) = self.stacks.remove(key) else {
            return;
        };
        let waiting: HashSet<HunkId> = stack.layers.iter().flat_map(Layer::hunks).collect();
        for proposal in &mut self.proposals {
            let id = proposal.id;
            let number = |hunk: &HunkRecord| HunkId {
                proposal: id,
                number: hunk.number,
            };
            let replaced = |hunk: &&mut HunkRecord| waiting.contains(&number(hunk));
            for hunk in proposal.hunks.iter_mut().filter(replaced) {
                hunk.status = HunkStatus::Replaced { by: by.to_owned() };
            }
        }
    }

    /// Takes the change of permission bits out that a proposal is: a program gave the file its own again.
    pub fn drop_permissions(&mut self, key: &WorkspacePath, id: ProposalId, by: &str) {
        if let Some(stack) = self.stacks.get_mut(key) {
            let own = |layer: &Layer| layer.proposal() == id && layer.is_of_permissions();
            stack.layers.retain(|layer| !own(layer));
        }
        let own = self.proposals.iter_mut().filter(|own| own.id == id);
        for hunk in own.flat_map(|proposal| &mut proposal.hunks) {
            hunk.status = HunkStatus::Replaced { by: by.to_owned() };
        }
    }

    /// Forgets proposals and stacks that nothing waits for; returns the ids of the former.
    pub fn close(&mut self) -> Vec<Proposal> {
        let (open, closed) = self.proposals.drain(..).partition(Proposal::is_open);
        self.proposals = open;
        self.stacks.retain(|_, stack| !stack.layers.is_empty());
        closed
    }

    /// Returns the hunks that wait for a verdict.
    pub fn pending(&self) -> impl Iterator<Item = HunkId> {
        let each = |proposal: &'_ Proposal| {
            let id = proposal.id;
            let waiting = proposal
                .hunks
                .iter()
                .filter(|hunk| hunk.status == HunkStatus::Pending);
            waiting
                .map(move |hunk| HunkId {
                    proposal: id,
                    number: hunk.number,
                })
                .collect::<Vec<_>>()
        };
        self.proposals.iter().flat_map(each)
    }

    /// Returns a hunk's record and its file.
    pub fn find(&self, hunk: HunkId) -> Option<(&WorkspacePath, &HunkRecord)> {
        let proposal = self
            .proposals
            .iter()
            .find(|proposal| proposal.id == hunk.proposal)?;
        Some((&proposal.path, proposal.record(hunk.number)?))
    }

    fn mark(
        &mut self,
        approved: &HashSet<HunkId>,
        denied: &BTreeMap<HunkId, Option<String>>,
        (orphans, mut shown): (&[(HunkId, HunkId)], BTreeMap<HunkId, Rendered>),
    ) {
        let orphans: HashMap<HunkId, HunkId> = orphans.iter().rev().copied().collect();
        for proposal in &mut self.proposals {
            for hunk in &mut proposal.hunks {
                let id = HunkId {
                    proposal: proposal.id,
                    number: hunk.number,
                };
                let orphan = orphans.get(&id);
                let waits = hunk.status == HunkStatus::Pending;
                if let Some(reason) = denied.get(&id) {
                    hunk.status = HunkStatus::Denied {
                        reason: reason.clone(),
                    };
                    hunk.clear();
                } else if let (Some(on), true) = (orphan, waits) {
                    let reason = format!(
                        "depends on hunk {} of {}, which was denied",
                        on.number, on.proposal
                    );
                    hunk.status = HunkStatus::Conflict { reason };
                    shown.remove(&id).into_iter().for_each(|own| hunk.keep(own));
                } else if waits && approved.contains(&id) {
                    hunk.status = HunkStatus::Committed;
                }
            }
        }
    }
}

fn view(proposal: &Proposal, rendered: &mut BTreeMap<HunkId, Rendered>) -> ProposalView {
    let hunks = proposal.hunks.iter().map(|record| {
        let id = proposal.hunk(record.number);
        let shown = rendered
            .remove(&id)
            .filter(|_| record.status == HunkStatus::Pending);
        let (header, lines, added, removed) = match shown {
            Some(hunk) => (hunk.header, hunk.lines, hunk.added, hunk.removed),
            None => (
                record.header.clone(),
                record.lines.clone(),
                record.added,
                record.removed,
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
            group: None,
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
        strategy: card.strategy.to_string(),
        note: card.note.clone(),
        runs: None,
        held: card.held.clone(),
        created: card.created,
        hunks: hunks.collect(),
    }
}

impl Commit {
    /// Returns the path that the file has afterwards.
    pub fn name(&self) -> &WorkspacePath {
        self.to.as_ref().unwrap_or(&self.path)
    }

    /// Returns true if it takes back what was signed off.
    pub fn is_reversal(&self) -> bool {
        self.layers.is_empty()
    }

    /// Returns the net change to the file's existence.
    pub fn presence(&self) -> Presence {
        match (&self.before, &self.after) {
            (None, Some(text)) if text.is_link() => Presence::Linked,
            (None, Some(_)) => Presence::Created,
            (Some(_), None) => Presence::Deleted,
            _ => Presence::Kept,
        }
    }
}
