//! Permission bits of staged files.
//!
//! In: the bits that a file has on disk, or that a program gave it. Out: the layers that set them, changed, given up
//! or taken out.

use std::collections::HashSet;

use super::Proposal;
use super::layer::Layer;
use super::layer_kind::NewMode;
use super::lost::lose;
use super::stage::Stage;
use crate::disk::workspace::WorkspacePath;
use crate::edit::plan::Presence;
use crate::id::ProposalId;
use crate::stage::review::HunkStatus;

impl Stage {
    /// Gives way to permission bits that the user gave the file at `key` since they were staged: 600 of a file that a
    /// program made 664 of 644 stays 600. A change of them alone becomes a conflict; with a text, the text goes on
    /// without it. `now` are the bits on disk. Returns whether anything gave way.
    pub fn settle_mode(&mut self, key: &WorkspacePath, now: u32) -> bool {
        let Some(before) = self.stacks.get(key).cloned() else {
            return false;
        };
        let mut stays = before.clone();
        let (mut lost, mut others) = (Vec::new(), Vec::new());
        stays.layers.retain_mut(|layer| {
            if !layer
                .mode()
                .is_some_and(|mode| mode.from.is_some_and(|from| now != from && now != mode.to))
            {
                return true;
            }
            let stays = layer.give_mode(None);
            if stays {
                others.push(layer.proposal());
            } else {
                lost.extend(layer.hunks());
            }
            stays
        });
        if lost.is_empty() && others.is_empty() {
            return false;
        }
        for id in others {
            if let Some(proposal) = self.proposal_mut(id) {
                proposal.give_mode_aside(None);
                proposal.card.note =
                    Some("the file keeps the permissions that you gave it since".into());
            }
        }
        self.stacks.insert(key.clone(), stays);
        lose(
            self,
            (key, &before),
            &lost,
            "you changed its permissions since",
        );
        true
    }

    /// Gives what is staged for `path` other permission bits, by the newest proposal that gives it some, or else the
    /// one that makes the file. One that changes nothing else and gives the file its own again is taken out; `by` is what did it.
    pub fn give_mode(&mut self, path: &WorkspacePath, mode: NewMode, by: &str) {
        let Some(key) = self.key_of(path).cloned() else {
            return;
        };
        let own = self
            .proposals
            .iter()
            .filter(|proposal| proposal.path == *path && proposal.waits());
        let own: HashSet<ProposalId> = own.map(|own| own.id).collect();
        self.formers.remove(&key);
        let Some(mut stack) = self.stacks.get_mut(&key) else {
            return;
        };
        let new = Some(mode).filter(|mode| mode.from != Some(mode.to));
        let layers = stack.layers.iter().rev();
        let mut own = layers.filter(|layer| own.contains(&layer.proposal()));
        let mut bearing = own.clone().filter(|layer| layer.mode().is_some());
        let Some(chosen) = bearing
            .next()
            .or_else(|| own.find(|layer| layer.presence() == Presence::Created))
        else {
            return;
        };
        let (id, is_of_permissions) = (chosen.proposal(), chosen.is_of_permissions());
        stack
            .layers
            .retain_mut(|layer| layer.proposal() != id || layer.give_mode(new));
        drop(stack);
        let Some(proposal) = self.proposal_mut(id) else {
            return;
        };
        proposal.give_mode_aside(new);
        if !is_of_permissions {
            return;
        }
        proposal.show_permissions(mode);
        if new.is_none() {
            for hunk in &mut proposal.hunks {
                hunk.status = HunkStatus::Replaced { by: by.to_owned() };
            }
        }
    }

    /// Returns whether something staged for the file at `key` replaces permission bits that it had on disk.
    pub fn replaces_mode(&self, key: &WorkspacePath) -> bool {
        let stack = self.stacks.get(key);
        let mut modes = stack
            .into_iter()
            .flat_map(|stack| &stack.layers)
            .filter_map(Layer::mode);
        modes.any(|mode| mode.from.is_some())
    }
}

impl Proposal {
    /// Gives the file other permission bits, or none, by the hunks that stand aside.
    fn give_mode_aside(&mut self, mode: Option<NewMode>) {
        let asides = self.hunks.iter_mut().filter_map(|hunk| hunk.aside.as_mut());
        asides.for_each(|aside| aside.give_mode(mode));
    }
}
