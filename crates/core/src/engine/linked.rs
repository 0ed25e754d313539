//! Files that have other names, by hard links.
//!
//! In: the files that have staged work. Out: a word on their cards. A commit gives the path a
//! file of its own and leaves the other names, which may be outside the workspace, as they are.

use super::Engine;
use crate::review::ProposalView;
use crate::workspace::WorkspacePath;

const NOTE: &str = "the file has other names (hard links): they keep the old text";

impl Engine {
    /// Looks which files with staged work have other names now.
    pub(super) fn look_for_links(&mut self) {
        let keys = self.stage.stacks.keys();
        let linked = keys.filter(|key| self.is_linked(key)).cloned();
        self.linked = linked.collect();
    }

    /// Returns true if a file has other names that were not shown.
    pub(super) fn is_linked_unseen(&self, key: &WorkspacePath) -> bool {
        !self.linked.contains(key) && self.is_linked(key)
    }

    /// Returns whether the proposal's file has other names, as last looked.
    pub(super) fn is_known_linked(&self, proposal: &ProposalView) -> bool {
        !self.linked.is_empty()
            && self
                .key_of(proposal)
                .is_some_and(|key| self.linked.contains(key))
    }

    /// Returns the review list with notes on the cards of files that have other names or make a
    /// program run.
    pub(super) fn views(&self) -> Vec<ProposalView> {
        let mut views = self.stage.views();
        for view in &mut views {
            if self.is_known_linked(view) {
                view.add_note(NOTE);
            }
            self.mark_program(view);
        }
        views
    }

    pub(super) fn key_of(&self, view: &ProposalView) -> Option<&WorkspacePath> {
        let own = self.stage.proposal(view.id)?;
        self.stage.key_of(&own.path)
    }

    /// What cannot be looked at is found out when it is to be written.
    fn is_linked(&self, key: &WorkspacePath) -> bool {
        self.workspace.has_other_names(key).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests;
