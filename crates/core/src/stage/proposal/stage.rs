//! Stage: all staged work of a workspace.
//!
//! In: plans, verdicts, and files as the user saved them. Out: the overlay text per path, the
//! review list, and what a commit has to write. No IO: the engine loads, saves and writes.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::former::FormerStack;
use super::layer::{self, Layer};
use super::layer_kind::{BesideText, LayerKind};
use super::lost::{lose, lose_to};
use super::stack::{Blocked, PathStack};
use super::stacks::Stacks;
use super::{Card, HunkRecord, Proposal, lost};
use crate::disk::workspace::WorkspacePath;
use crate::disk::workspace::attributes::Attributes;
use crate::edit::diff::hunk::{self, Rendered};
use crate::edit::plan::{Plan, Presence};
use crate::id::{ChangesetId, HunkId, ProposalId};
use crate::stage::review::HunkStatus;
use crate::text::{EditSet, Mismatch, Source};

/// The note on a proposal over a file that the user changed.
const MOVED: &str = "moved onto your own change of the file; look again";

/// Staged work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// The layers over each file that has any, by its path on disk.
    pub stacks: Stacks,
    /// What was staged over files before they changed on disk.
    pub formers: BTreeMap<WorkspacePath, FormerStack>,
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
    /// Puts a plan on top of a file's layers, with what it does beside the text. `base` is the file on disk, for the
    /// first one.
    pub fn push(
        &mut self,
        path: &WorkspacePath,
        base: Option<Source>,
        ids: (ProposalId, ChangesetId),
        card: Card,
        planned: (Plan, BesideText),
    ) -> Result<(), Mismatch> {
        self.push_numbered(path, base, ids, card, planned, None)
    }

    /// The same; with `numbers`, the hunk of each splice, the splices of one are not joined with those of another.
    pub fn push_numbered(
        &mut self,
        path: &WorkspacePath,
        base: Option<Source>,
        (id, changeset): (ProposalId, ChangesetId),
        card: Card,
        (plan, beside): (Plan, BesideText),
        numbers: Option<Vec<u32>>,
    ) -> Result<(), Mismatch> {
        let fresh = PathStack {
            base,
            layers: Vec::new(),
        };
        let key = self.key_of(path).unwrap_or(path).clone();
        let mut stack = self.stacks.get_or_insert(key, fresh);
        let below = stack.text_below(plan.presence)?;
        let edits = match (&beside.to, &numbers) {
            (Some(_), _) => EditSet::default(),
            (None, None) => hunk::by_line(&below, &plan.edits),
            (None, Some(_)) => plan.edits,
        };
        let numbers = numbers.unwrap_or_else(|| hunk::group(&below, &edits));
        let kind = LayerKind::of(plan.presence, !edits.is_empty(), below.is_link(), beside);
        let layer = Layer::new(id, kind, edits, numbers);
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

    /// Moves the layers of the file at `key` onto the file as it is now; returns whether
    /// anything moved.
    pub fn settle(&mut self, key: &WorkspacePath, now: Option<Source>) -> bool {
        let stack = match self.stacks.get(key) {
            Some(stack) if stack.base == now => return self.regain_moves(key),
            Some(stack) => stack.clone(),
            None => return self.regain_all(key, now),
        };
        let above: Vec<ProposalId> = stack.layers.iter().map(Layer::proposal).collect();
        let why = match (&stack.base, &now) {
            (Some(_), None) => "the file is gone",
            (None, _) => "the file is there now",
            (Some(base), Some(now)) if !base.is_alike(now) => "you made something else of the file",
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
        if self.regain(key, (&stack, &moved)) {
            return true;
        }
        self.keep_former(key, &stack);
        self.stacks.insert(key.clone(), moved);
        let before = stack;
        match &now {
            Some(_) => self.note_moved(above.into_iter()),
            None => self.note_gone(above.into_iter()),
        }
        lose_to(self, (key, &before), &lost, why, now.as_ref());
        let why = match now.as_ref().map(Source::encoding) {
            Some(encoding) => format!(
                "you saved the file in {encoding}, which does not have all of its characters"
            ),
            None => "the file's encoding does not have all of its characters".to_owned(),
        };
        lose(self, (key, &before), &unwritable, &why);
        true
    }

    /// Notes on proposals that the file below them is another.
    pub(super) fn note_moved(&mut self, ids: impl Iterator<Item = ProposalId>) {
        for id in ids {
            if let Some(proposal) = self.proposal_mut(id) {
                proposal.card.note = Some(MOVED.to_owned());
                proposal.hunks.iter_mut().for_each(HunkRecord::leave_offers);
            }
        }
    }

    /// Takes that note off proposals whose file is gone, or cannot be read: they are moved onto nothing.
    fn note_gone(&mut self, ids: impl Iterator<Item = ProposalId>) {
        for id in ids {
            if let Some(proposal) = self.proposal_mut(id) {
                let note = &mut proposal.card.note;
                note.take_if(|note| note == MOVED);
                proposal.hunks.iter_mut().for_each(HunkRecord::leave_offers);
            }
        }
    }

    /// Takes the moves of the file at `key` out: something stands at `taken`, where one of them
    /// leads.
    pub fn obstruct(&mut self, key: &WorkspacePath, taken: &WorkspacePath) {
        let Some(mut stack) = self.stacks.get_mut(key) else {
            return;
        };
        let why = format!("{taken} is there now");
        let (rest, lost) = stack.without_moves();
        let before = std::mem::replace(&mut *stack, rest);
        drop(stack);
        self.keep_former(key, &before);
        if let Some(former) = self.formers.get_mut(key) {
            former.is_obstructed = true;
        }
        lose(self, (key, &before), &lost, &why);
    }

    /// Makes conflicts of all that waits for the file at `key`; returns whether anything did. `why` says what is there.
    pub fn block(&mut self, key: &WorkspacePath, why: &str) -> bool {
        let Some(mut stack) = self.stacks.get_mut(key) else {
            return false;
        };
        let lost: Vec<HunkId> = stack.layers.iter().flat_map(Layer::hunks).collect();
        let before = std::mem::take(&mut *stack);
        drop(stack);
        self.keep_former(key, &before);
        self.note_gone(before.layers.iter().map(Layer::proposal));
        lose(self, (key, &before), &lost, why);
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
        let meant: Vec<WorkspacePath> = self
            .stacks
            .iter()
            .filter(|(_, stack)| has_any_of(approved, &dropped, stack))
            .map(|(key, _)| key.clone())
            .collect();
        for path in meant {
            let Some(mut stack) = self.stacks.get_mut(&path) else {
                continue;
            };
            let before = stack.base.clone();
            let decided = stack.decide(approved, &dropped)?;
            let own = std::mem::replace(&mut *stack, decided.rest);
            if !decided.orphans.is_empty() {
                orphans.extend(decided.orphans);
                shown.extend(lost::rendered(&own));
            }
            if !decided.approved.is_empty() {
                let after = stack.base.clone();
                let to = decided.approved.iter().rev().find_map(Layer::to);
                let mode = layer::mode(&decided.approved);
                let gone = layer::folders_gone(&decided.approved);
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
        self.decide_formers(approved, &dropped);
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
    /// comes instead. Returns the hunks.
    pub fn replace(&mut self, key: &WorkspacePath, by: &str) -> Vec<HunkId> {
        let Some(stack) = self.stacks.remove(key) else {
            return Vec::new();
        };
        let hunks: Vec<HunkId> = stack.layers.iter().flat_map(Layer::hunks).collect();
        let waiting: HashSet<HunkId> = hunks.iter().copied().collect();
        for proposal in &mut self.proposals {
            for hunk in &mut proposal.hunks {
                let id = HunkId {
                    proposal: proposal.id,
                    number: hunk.number,
                };
                if waiting.contains(&id) {
                    hunk.status = HunkStatus::Replaced { by: by.to_owned() };
                }
            }
        }
        hunks
    }

    /// Forgets proposals and stacks that nothing waits for; returns the ids of the former.
    pub fn close(&mut self) -> Vec<Proposal> {
        let (open, closed) = self.proposals.drain(..).partition(Proposal::is_open);
        self.proposals = open;
        self.stacks.forget_empty();
        self.forget_formers();
        closed
    }

    /// Returns the hunks that wait for a verdict.
    pub fn pending(&self) -> impl Iterator<Item = HunkId> {
        self.proposals.iter().flat_map(pending_hunks)
    }

    /// Returns the hunks of proposals.
    pub fn hunks_of(&self, ids: &[ProposalId]) -> impl Iterator<Item = HunkId> {
        let own = ids.iter().filter_map(|id| self.proposal(*id));
        own.flat_map(|proposal| proposal.hunks.iter().map(|hunk| proposal.hunk(hunk.number)))
    }

    /// Returns a hunk's record and its file.
    pub fn find(&self, hunk: HunkId) -> Option<(&WorkspacePath, &HunkRecord)> {
        let proposal = self.proposal(hunk.proposal)?;
        Some((&proposal.path, proposal.record(hunk.number)?))
    }

    /// Returns a proposal.
    pub fn proposal(&self, id: ProposalId) -> Option<&Proposal> {
        self.proposals.get(self.place(id)?)
    }

    /// Returns the proposals of the layers over the file at `key`, lowest first.
    pub fn proposals_over<'s>(
        &'s self,
        key: &WorkspacePath,
    ) -> impl DoubleEndedIterator<Item = &'s Proposal> + use<'s> {
        let stack = self.stacks.get(key).into_iter();
        let layers = stack.flat_map(|stack| &stack.layers);
        layers.filter_map(|layer| self.proposal(layer.proposal()))
    }

    /// Puts a note on a proposal's card, in the place of the one that it has.
    pub fn note(&mut self, id: ProposalId, note: Option<String>) {
        if let Some(own) = self.proposal_mut(id) {
            own.card.note = note;
        }
    }

    pub(super) fn proposal_mut(&mut self, id: ProposalId) -> Option<&mut Proposal> {
        let at = self.place(id)?;
        self.proposals.get_mut(at)
    }

    /// Returns where a proposal is in the list.
    fn place(&self, id: ProposalId) -> Option<usize> {
        // Ids grow with time, so that the list is in their order; where it is not, as of two clocks, all are looked at.
        let sorted = self.proposals.binary_search_by_key(&id, |own| own.id);
        sorted
            .ok()
            .or_else(|| self.proposals.iter().position(|proposal| proposal.id == id))
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

fn has_any_of(approved: &HashSet<HunkId>, dropped: &HashSet<HunkId>, stack: &PathStack) -> bool {
    let mut hunks = stack.layers.iter().flat_map(Layer::hunks);
    hunks.any(|hunk| approved.contains(&hunk) || dropped.contains(&hunk))
}

fn pending_hunks(proposal: &Proposal) -> Vec<HunkId> {
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
