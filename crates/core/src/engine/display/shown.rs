//! Shown: the review list, and what of it this process has shown.
//!
//! In: the overlay. Out: the proposals with all that their cards and hunks say of the files as they are; and later,
//! before a verdict is carried out, whether a file is still as it was shown.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::iter;

use signoff_source::lookalikes::lookalike;

use super::proved::{self, KnownProofs};
use super::{changed_moves, effects};
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::line::LineKind;
use crate::engine::committing::held_together::held_together;
use crate::engine::links::executed::{ExecutionMark, programs};
use crate::engine::links::linked::{OTHER_NAMES, is_linked, linked};
use crate::engine::overlay::Overlay;
use crate::stage::proposal::aside::{HOW, HOW_TOGETHER, TOO_LATE};
use crate::stage::proposal::stack::PathStack;
use crate::stage::proposal::stage::Commit;
use crate::stage::proposal::views::views;
use crate::stage::review::{HunkStatus, HunkView, ProposalView};
use crate::syntax::SyntaxCache;
use crate::text::{Fingerprint, Source};

/// What this process last showed of the files with staged work.
#[derive(Debug, Default)]
pub(in crate::engine) struct Shown {
    /// What each file's layers stood on; none for an absent file.
    bases: HashMap<WorkspacePath, Option<Fingerprint>>,
    /// Files that have other names.
    linked: BTreeSet<WorkspacePath>,
    /// Files that make a program run, and what runs them.
    executed: BTreeMap<WorkspacePath, ExecutionMark>,
    /// What is proved of hunks.
    proofs: KnownProofs,
}

impl Shown {
    /// Returns the review list and notes what it stands on.
    pub(in crate::engine) fn show(&mut self, overlay: &Overlay) -> Vec<ProposalView> {
        let stacks = overlay.stage.stacks.iter();
        self.bases = stacks
            .map(|(path, stack)| (path.clone(), stack.base.as_ref().map(Source::fingerprint)))
            .collect();
        self.linked = linked(overlay);
        self.look_for_programs(overlay);
        self.views(overlay)
    }

    /// Tells the hunks of the review list what is proved of them, and where the other sides of changed blocks are.
    pub(in crate::engine) fn prove(
        &mut self,
        overlay: &Overlay,
        syntax: &SyntaxCache,
        mut views: Vec<ProposalView>,
    ) -> Vec<ProposalView> {
        proved::assign(&mut views, overlay, syntax, &mut self.proofs);
        changed_moves::assign(&mut views);
        views
    }

    /// Looks what runs the files with staged work.
    pub(in crate::engine) fn look_for_programs(&mut self, overlay: &Overlay) {
        self.executed = programs(overlay, overlay.stage.stacks.keys());
    }

    /// Returns whether the file at `key` was shown and is another by now: its text is, or it has other names or runs in
    /// a way that was not shown.
    pub(in crate::engine) fn is_outdated(&self, overlay: &Overlay, key: &WorkspacePath) -> bool {
        let Some(seen) = self.bases.get(key) else {
            return false;
        };
        let stack = overlay.stage.stacks.get(key);
        let base = stack.map(|stack| stack.base.as_ref().map(Source::fingerprint));
        base != Some(*seen) || self.is_linked_unseen(overlay, key) || self.runs_unseen(overlay, key)
    }

    fn is_linked_unseen(&self, overlay: &Overlay, key: &WorkspacePath) -> bool {
        !self.linked.contains(key) && is_linked(overlay, key)
    }

    fn runs_unseen(&self, overlay: &Overlay, key: &WorkspacePath) -> bool {
        let now = programs(overlay, iter::once(key)).remove(key);
        now.is_some_and(|now| self.executed.get(key) != Some(&now))
    }

    /// Takes over what was written: whoever saw the file before knows what it is now.
    pub(in crate::engine) fn written(&mut self, commit: &Commit) {
        let base = commit.after.as_ref().map(Source::fingerprint);
        if self.bases.remove(&commit.path).is_some() {
            self.bases.insert(commit.name().clone(), base);
        }
    }

    /// Returns whether the proposal's file has other names, as last looked.
    pub(in crate::engine) fn is_known_linked(
        &self,
        overlay: &Overlay,
        view: &ProposalView,
    ) -> bool {
        !self.linked.is_empty()
            && overlay
                .key_of(view)
                .is_some_and(|key| self.linked.contains(key))
    }

    /// Returns the mark of a proposal's file, as last looked.
    pub(in crate::engine) fn known_mark(
        &self,
        overlay: &Overlay,
        view: &ProposalView,
    ) -> Option<&ExecutionMark> {
        if self.executed.is_empty() {
            return None;
        }
        self.executed.get(overlay.key_of(view)?)
    }

    /// Returns the review list with notes on the cards of files that have other names or make a
    /// program run.
    pub(in crate::engine) fn views(&self, overlay: &Overlay) -> Vec<ProposalView> {
        let mut views = views(&overlay.stage);
        for view in &mut views {
            if self.is_known_linked(overlay, view) {
                view.add_note(OTHER_NAMES);
            }
            if let Some(mark) = self.known_mark(overlay, view) {
                view.runs = Some(mark.bare());
                view.add_note(&mark.told());
            }
        }
        effects::assign(overlay, &mut views);
        views.iter_mut().for_each(note_lookalikes);
        hold_with_others(overlay, &mut views);
        for view in &mut views {
            if let Some(held) = view.held.clone() {
                view.add_note(&held);
            }
        }
        let mut taken = BTreeMap::new();
        let hunks = views.iter_mut().flat_map(|view| &mut view.hunks);
        for hunk in hunks.filter(|hunk| hunk.takeable) {
            tell_how_to_take(overlay, hunk, &mut taken);
        }
        views
    }
}

/// Says which hunks put in words that pass for others.
fn note_lookalikes(view: &mut ProposalView) {
    let found = view.pending().find_map(|hunk| {
        let mut added = hunk
            .lines
            .iter()
            .filter(|line| line.kind == LineKind::Added);
        let found = added.find_map(|line| lookalike(&line.text))?;
        Some((hunk.id.number, found))
    });
    if let Some((number, found)) = found {
        let code = u32::from(found.letter);
        view.add_note(&format!(
            "hunk {number} puts in `{}`, which looks like another word: its letter U+{code:04X} is no Latin one",
            found.word
        ));
    }
}

/// Says of proposals that they stay with what nobody writes without a look: half of a move is none.
fn hold_with_others(overlay: &Overlay, views: &mut [ProposalView]) {
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
    let mut together = held_together(&overlay.stage, &left);
    for view in views {
        let why = together.remove(&view.id);
        view.held = view.held.take().or(why);
    }
}

/// Says how a user gets a hunk that stands aside, or that what it replaces is not there any more. `taken` is what
/// earlier ones make of their files.
fn tell_how_to_take(
    overlay: &Overlay,
    hunk: &mut HunkView,
    taken: &mut BTreeMap<WorkspacePath, PathStack>,
) {
    let stage = &overlay.stage;
    let path = stage.find(hunk.id).map(|(path, _)| path.clone());
    let earlier = path.and_then(|path| taken.get(stage.key_of(&path).unwrap_or(&path)));
    let alone = overlay
        .on_disk_beside(hunk.id)
        .map_err(|error| error.to_string())
        .and_then(|disk| stage.taken(hunk.id, disk, None));
    let together = earlier.and_then(|own| stage.taken(hunk.id, None, Some(own)).ok());
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
