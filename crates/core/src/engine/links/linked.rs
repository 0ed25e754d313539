//! Files that have other names, by hard links.
//!
//! In: the files that have staged work. Out: a word on their cards. A commit gives the path a
//! file of its own and leaves the other names, which may be outside the workspace, as they are. The review list is made
//! here, with all that its cards and hunks say of the files as they are.

use std::collections::{BTreeMap, HashSet};

use crate::disk::workspace::{AccessError, WorkspacePath};
use crate::engine::Engine;
use crate::engine::display::changed_moves;
use crate::engine::display::proved;
use crate::id::HunkId;
use crate::stage::proposal::aside::{HOW, HOW_TOGETHER, TOO_LATE};
use crate::stage::proposal::stack::PathStack;
use crate::stage::review::{HunkStatus, HunkView, ProposalView};
use crate::text::Source;

const NOTE: &str = "the file has other names (hard links): they keep the old text";

impl Engine {
    /// Looks which files with staged work have other names now.
    pub(in crate::engine) fn look_for_links(&mut self) {
        let keys = self.state.overlay.stage.stacks.keys();
        let linked = keys.filter(|key| self.is_linked(key)).cloned();
        self.linked = linked.collect();
    }

    /// Returns true if a file has other names that were not shown.
    pub(in crate::engine) fn is_linked_unseen(&self, key: &WorkspacePath) -> bool {
        !self.linked.contains(key) && self.is_linked(key)
    }

    /// Returns whether the proposal's file has other names, as last looked.
    pub(in crate::engine) fn is_known_linked(&self, proposal: &ProposalView) -> bool {
        !self.linked.is_empty()
            && self
                .state
                .overlay
                .key_of(proposal)
                .is_some_and(|key| self.linked.contains(key))
    }

    /// Returns the review list with notes on the cards of files that have other names or make a
    /// program run.
    pub(in crate::engine) fn views(&self) -> Vec<ProposalView> {
        let mut views = self.state.overlay.stage.views();
        for view in &mut views {
            if self.is_known_linked(view) {
                view.add_note(NOTE);
            }
            self.mark_program(view);
        }
        self.hold_with_others(&mut views);
        for view in &mut views {
            if let Some(held) = view.held.clone() {
                view.add_note(&held);
            }
        }
        let mut taken = BTreeMap::new();
        let hunks = views.iter_mut().flat_map(|view| &mut view.hunks);
        for hunk in hunks.filter(|hunk| hunk.takeable) {
            self.tell_how_to_take(hunk, &mut taken);
        }
        proved::assign(&mut views, &self.state.overlay.root);
        changed_moves::assign(&mut views);
        views
    }

    /// Says of proposals that they stay with what nobody writes without a look: half of a move is none.
    fn hold_with_others(&self, views: &mut [ProposalView]) {
        let mut left = HashSet::new();
        for view in &*views {
            let waits_by_itself = view.runs.is_some() || view.held.is_some();
            let is_left = |hunk: &&HunkView| match hunk.status {
                HunkStatus::Pending => waits_by_itself,
                HunkStatus::Conflict { .. } => true,
                _ => false,
            };
            left.extend(view.hunks.iter().filter(is_left).map(|hunk| hunk.id));
        }
        if left.is_empty() {
            return;
        }
        let mut together = self.held_together(&left);
        for view in views {
            let why = together.remove(&view.id);
            view.held = view.held.take().or(why);
        }
    }

    /// Says how a user gets a hunk that stands aside, or that what it replaces is not there any more. `taken` is what
    /// earlier ones make of their files.
    fn tell_how_to_take(
        &self,
        hunk: &mut HunkView,
        taken: &mut BTreeMap<WorkspacePath, PathStack>,
    ) {
        let path = self
            .state
            .overlay
            .stage
            .find(hunk.id)
            .map(|(path, _)| path.clone());
        let earlier = path
            .and_then(|path| taken.get(self.state.overlay.stage.key_of(&path).unwrap_or(&path)));
        let alone = self
            .state
            .overlay
            .on_disk_beside(hunk.id)
            .map_err(|error| error.to_string())
            .and_then(|disk| self.state.overlay.stage.taken(hunk.id, disk, None));
        let together = earlier.and_then(|own| {
            self.state
                .overlay
                .stage
                .taken(hunk.id, None, Some(own))
                .ok()
        });
        let how = match (&alone, &together) {
            (Ok(_), _) => HOW,
            (Err(_), Some(_)) => HOW_TOGETHER,
            (Err(_), None) => TOO_LATE,
        };
        let both = together.or(alone.ok());
        hunk.takeable = both.is_some();
        taken.extend(both);
        if let HunkStatus::Conflict { reason } = &mut hunk.status {
            *reason = format!("{reason}; {how}");
        }
    }

    /// What cannot be looked at is found out when it is to be written.
    fn is_linked(&self, key: &WorkspacePath) -> bool {
        self.state
            .overlay
            .workspace
            .has_other_names(key)
            .unwrap_or(false)
    }
}

#[cfg(test)]
mod tests;
