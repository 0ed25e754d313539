//! Former stacks: what was staged over a file before it changed on disk.
//!
//! What waits is what was staged, carried onto the file as it is now, whatever it was in between: a branch that was checked out
//! and left again, a stash that was popped, an editor that empties a file before it writes it.
//!
//! ```text
//! on disk               looked at: hunk 2 -> two, hunk 9 -> nine
//! 1 2 3 ... 9           both wait                          former: none
//! git checkout other
//! 1 zwei 3 ... 9        2 -> two in conflict, nine waits   former: both, made for 1 2 3 ... 9
//! git checkout -
//! 1 2 3 ... 9           both wait                          former: none
//! ```
//!
//! A former stack counts as long as nothing else was done to its hunks and to those above them: no program, no edit. A verdict on
//! one of them is carried out in it as well, so that the others still wait again: of the hunks above, the one of line 9 is
//! approved on the other branch, and the one of line 2 waits again on the first.
//! A move whose target is taken is in a former stack too, which counts for nothing until the target is free.
//! Of a file that becomes a third one it is carried onto that as any stack is, and taken if it keeps all that waits, and more.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::layer::Layer;
use super::lost::rendered;
use super::stack::PathStack;
use super::stage::Stage;
use crate::disk::workspace::WorkspacePath;
use crate::id::{HunkId, ProposalId};
use crate::stage::review::HunkStatus;
use crate::text::{Fingerprint, Source};

/// What was staged over a file before it changed on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerStack {
    /// As it was.
    pub stack: PathStack,
    /// The notes of its proposals then, one for each layer.
    pub notes: Vec<Option<String>>,
    /// The file to which it was tried in vain, where nothing waits over that; it is not stored.
    pub tried: Option<Fingerprint>,
    /// Whether something stands where one of its moves leads; it is not stored.
    pub is_obstructed: bool,
}

impl FormerStack {
    /// Returns where its moves lead.
    pub fn targets(&self) -> impl Iterator<Item = &WorkspacePath> {
        self.stack.layers.iter().filter_map(Layer::to)
    }

    /// Returns the same without hunks that were decided; none where that takes more of it, or moves its file.
    fn without(&self, approved: &HashSet<HunkId>, denied: &HashSet<HunkId>) -> Option<Self> {
        let decided = self.stack.decide(approved, denied).ok()?;
        let moves = decided.approved.iter().any(|layer| layer.to().is_some());
        if moves || !decided.orphans.is_empty() {
            return None;
        }
        let layers = self.stack.layers.iter().map(Layer::proposal);
        let notes: BTreeMap<ProposalId, &Option<String>> = layers.zip(&self.notes).collect();
        let left = decided.rest.layers.iter();
        let notes = left.map(|layer| notes.get(&layer.proposal()).copied().cloned().flatten());
        Some(Self {
            notes: notes.collect(),
            stack: decided.rest,
            tried: None,
            is_obstructed: self.is_obstructed,
        })
    }
}

impl Stage {
    /// Notes what is staged over a file that has changed on disk, unless an older state of it counts still.
    pub(super) fn keep_former(&mut self, key: &WorkspacePath, stack: &PathStack) {
        if self.former_of(key, stack).is_some() {
            return;
        }
        let proposals = stack.layers.iter().map(Layer::proposal);
        let notes = proposals.map(|id| self.proposal(id).and_then(|own| own.card.note.clone()));
        let former = FormerStack {
            stack: stack.clone(),
            notes: notes.collect(),
            tried: None,
            is_obstructed: false,
        };
        self.formers.remove(key);
        if !stack.layers.is_empty() {
            self.formers.insert(key.clone(), former);
        }
    }

    /// Has what was staged over a file before it changed wait again, as far as it fits the file as it is now, where that is more
    /// than `moved`, which is staged over it otherwise. Returns whether it does.
    pub(super) fn regain(
        &mut self,
        key: &WorkspacePath,
        (stack, moved): (&PathStack, &PathStack),
    ) -> bool {
        let Some(former) = self.former_of(key, stack).cloned() else {
            return false;
        };
        if former.is_obstructed {
            return false;
        }
        let is_as_then = former.stack.base == moved.base;
        let waiting = hunks(moved);
        if !is_as_then && hunks(&former.stack) == waiting {
            return false;
        }
        let carried = if is_as_then {
            former.stack.clone()
        } else {
            let (carried, _lost) = former.stack.rebase(moved.base.clone());
            let Ok((carried, _unwritable)) = carried.in_its_encoding() else {
                return false;
            };
            carried
        };
        let regained = hunks(&carried);
        if !is_as_then && (!regained.is_superset(&waiting) || regained == waiting) {
            return false;
        }
        let mut shown = rendered(&carried);
        for hunk in regained.difference(&hunks(stack)) {
            let shown = shown.remove(hunk);
            if let Some((_, record)) = self.record_mut(*hunk) {
                record.wait_again(shown);
            }
        }
        if is_as_then {
            self.formers.remove(key);
            for (layer, note) in carried.layers.iter().zip(former.notes) {
                self.note(layer.proposal(), note);
            }
        } else {
            self.note_moved(carried.layers.iter().map(Layer::proposal));
        }
        self.stacks.insert(key.clone(), carried);
        self.name_proposals();
        true
    }

    /// Returns the files over which something is staged, or was and may be again.
    pub fn keys(&self) -> Vec<WorkspacePath> {
        let keys: BTreeSet<&WorkspacePath> =
            self.stacks.keys().chain(self.formers.keys()).collect();
        keys.into_iter().cloned().collect()
    }

    /// Has what was staged over a file wait again where nothing is staged over it, if some of it fits the file as it is now.
    pub(super) fn regain_all(&mut self, key: &WorkspacePath, now: Option<Source>) -> bool {
        let Some(former) = self.formers.get_mut(key) else {
            return false;
        };
        // What fits the file is to be tried once the way is free.
        if former.is_obstructed {
            return false;
        }
        let print = now.as_ref().map(Source::fingerprint);
        if print.is_some() && former.tried == print {
            return false;
        }
        former.tried = print;
        let nothing = PathStack {
            base: now,
            layers: Vec::new(),
        };
        self.regain(key, (&nothing, &nothing))
    }

    /// Has a move wait again, with what waited with it, over a file that is as it was: its target may be free now.
    pub(super) fn regain_moves(&mut self, key: &WorkspacePath) -> bool {
        let (Some(former), Some(stack)) = (self.formers.get(key), self.stacks.get(key)) else {
            return false;
        };
        let targets = stack.layers.iter().filter_map(Layer::to);
        if former.targets().count() <= targets.count() {
            return false;
        }
        let stack = stack.clone();
        self.regain(key, (&stack, &stack))
    }

    /// Carries verdicts out in former stacks, so that what has none waits again with its file.
    pub(super) fn decide_formers(&mut self, approved: &HashSet<HunkId>, denied: &HashSet<HunkId>) {
        let decided = |hunk: &HunkId| approved.contains(hunk) || denied.contains(hunk);
        let formers = self.formers.iter();
        let met: Vec<WorkspacePath> = formers
            .filter(|(_, former)| hunks(&former.stack).iter().any(decided))
            .map(|(key, _)| key.clone())
            .collect();
        for key in met {
            let former = self.formers.remove(&key);
            let rest = former.and_then(|former| former.without(approved, denied));
            if let Some(rest) = rest.filter(|rest| !rest.stack.layers.is_empty()) {
                self.formers.insert(key, rest);
            }
        }
    }

    /// Forgets former stacks that count no more.
    pub(super) fn forget_formers(&mut self) {
        let nothing = PathStack::default();
        let counts = |key: &WorkspacePath| {
            let stack = self.stacks.get(key).unwrap_or(&nothing);
            self.former_of(key, stack).is_some()
        };
        let gone: Vec<WorkspacePath> = (self.formers.keys())
            .filter(|key| !counts(key))
            .cloned()
            .collect();
        for key in gone {
            self.formers.remove(&key);
        }
    }

    /// Returns the former stack of a file if it counts: its hunks are those that `stack` has, and others that are in conflict.
    fn former_of(&self, key: &WorkspacePath, stack: &PathStack) -> Option<&FormerStack> {
        let former = self.formers.get(key)?;
        let (own, now) = (hunks(&former.stack), hunks(stack));
        let counts = |hunk: &HunkId| match self.find(*hunk).map(|(_, record)| &record.status) {
            Some(HunkStatus::Pending) => now.contains(hunk),
            Some(HunkStatus::Conflict { .. }) => !now.contains(hunk),
            _ => false,
        };
        (now.is_subset(&own) && own.iter().all(counts)).then_some(former)
    }
}

fn hunks(stack: &PathStack) -> BTreeSet<HunkId> {
    stack.layers.iter().flat_map(Layer::hunks).collect()
}
