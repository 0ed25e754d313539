//! Paths of staged files, moves included.
//!
//! In: a path as it would be with everything staged, or as it is on disk. Out: the stack that
//! stands for the file. Stacks go by the path on disk; a layer that moves the file gives it
//! another one. Every path that a stack has anywhere belongs to that stack alone.

use std::collections::HashMap;

use super::layer::Layer;
use super::stack::PathStack;
use super::stage::Stage;
use crate::disk::workspace::WorkspacePath;
use crate::id::ProposalId;
use crate::text::{Mismatch, Source};

/// Begins what is said of a proposal whose file was moved.
const FOLLOWS: &str = "it was made for";

impl Stage {
    /// Returns the text of a file with everything staged in it; the outer none is for a path
    /// without staged work, the inner one for a file that would not be there.
    pub fn text(&self, path: &WorkspacePath) -> Option<Result<Option<Source>, Mismatch>> {
        let (key, stack) = self.stack_of(path)?;
        Some(if stack.name(key) == path {
            stack.text()
        } else {
            Ok(None)
        })
    }

    /// Returns the path on disk of the file whose stack has this path anywhere.
    pub fn key_of(&self, path: &WorkspacePath) -> Option<&WorkspacePath> {
        self.stack_of(path).map(|(key, _)| key)
    }

    /// Returns where a file is moved by staged work that still has this path otherwise.
    pub fn vacated(&self, path: &WorkspacePath) -> Option<&WorkspacePath> {
        let (key, stack) = self.stack_of(path)?;
        Some(stack.name(key)).filter(|name| *name != path)
    }

    /// Returns each file's path with everything staged in it, and its stack; and the paths that files leave, with none. Texts
    /// are made by whoever needs them.
    pub fn standing(&self) -> impl Iterator<Item = (&WorkspacePath, Option<&PathStack>)> {
        self.stacks.iter().flat_map(|(key, stack)| {
            let name = stack.name(key);
            let vacated = (name != key).then_some((key, None));
            let own = (name, stack.is_there().then_some(stack));
            [Some(own), vacated].into_iter().flatten()
        })
    }

    /// Returns the paths of staged files that are there with everything staged in them.
    pub fn names(&self) -> impl Iterator<Item = &WorkspacePath> {
        let there = self.stacks.iter().filter(|(_, stack)| stack.is_there());
        there.map(|(key, stack)| stack.name(key))
    }

    /// Gives a stack that another path on disk stands for, as after a commit, its new key.
    pub(super) fn rekey(&mut self, from: &WorkspacePath, to: &WorkspacePath) {
        if let Some(stack) = self.stacks.remove(from) {
            self.stacks.insert(to.clone(), stack);
        }
    }

    /// Takes over that a file went from one path on disk to another.
    pub fn follow(&mut self, from: &WorkspacePath, to: &WorkspacePath) {
        self.rekey(from, to);
        self.name_proposals();
    }

    /// Takes over that a file is gone, and that another has its text. What waits over it is not written without a look: the
    /// user may have deleted one of two that are alike.
    pub fn follow_outside(&mut self, from: &WorkspacePath, to: &WorkspacePath) {
        let stack = self.stacks.get(from).into_iter();
        let layers = stack.flat_map(|stack| &stack.layers).map(Layer::proposal);
        for id in layers.collect::<Vec<_>>() {
            let held = self.proposal_mut(id).map(|own| &mut own.card.held);
            if let Some(held) =
                held.filter(|held| held.as_ref().is_none_or(|own| own.starts_with(FOLLOWS)))
            {
                *held = Some(format!(
                    "{FOLLOWS} {from}, which is gone: {to} has its text"
                ));
            }
        }
        if let Some(former) = self.formers.remove(from) {
            self.formers.insert(to.clone(), former);
        }
        self.follow(from, to);
    }

    /// Gives every proposal the path that its file has below it.
    pub(super) fn name_proposals(&mut self) {
        let mut names: HashMap<ProposalId, &WorkspacePath> = HashMap::new();
        for (key, stack) in &self.stacks {
            let mut name = key;
            for layer in &stack.layers {
                names.insert(layer.proposal(), name);
                name = layer.to().unwrap_or(name);
            }
        }
        for proposal in &mut self.proposals {
            let name = names.get(&proposal.id).copied();
            name.into_iter()
                .for_each(|name| proposal.path = name.clone());
        }
    }

    /// Does so for the layers over the file at `key` alone.
    pub(super) fn name_proposals_over(&mut self, key: &WorkspacePath) {
        let mut name = key.clone();
        let layers = self.stacks.get(key).map(|stack| stack.layers.clone());
        for layer in layers.into_iter().flatten() {
            if let Some(proposal) = self.proposal_mut(layer.proposal()) {
                proposal.path = name.clone();
            }
            name = layer.to().cloned().unwrap_or(name);
        }
    }

    fn stack_of(&self, path: &WorkspacePath) -> Option<(&WorkspacePath, &PathStack)> {
        let own = self.stacks.get_key_value(path);
        own.or_else(|| {
            let key = self.stacks.key_moving_to(path)?;
            self.stacks.get_key_value(key)
        })
    }
}

impl PathStack {
    /// Returns the path of the file at `key` with every layer in it, and its text; and the path that
    /// it leaves, if it is moved.
    pub fn texts<'a>(
        &'a self,
        key: &'a WorkspacePath,
    ) -> impl Iterator<Item = (&'a WorkspacePath, Result<Option<Source>, Mismatch>)> {
        let name = self.name(key);
        let vacated = (name != key).then_some((key, Ok(None)));
        [Some((name, self.text())), vacated].into_iter().flatten()
    }

    /// Returns the path that the file at `key` has with every layer in it.
    pub fn name<'a>(&'a self, key: &'a WorkspacePath) -> &'a WorkspacePath {
        self.layers
            .iter()
            .rev()
            .find_map(|layer| layer.to())
            .unwrap_or(key)
    }
}
