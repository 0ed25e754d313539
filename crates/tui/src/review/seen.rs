//! Displayed lines of each hunk.
//!
//! In: the rows of each frame. Out: how much of a hunk, and of what is said about its file, the
//! user has not seen. A hunk that reads differently than when it was displayed is unseen again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use signoff_core::id::{HunkId, ProposalId};
use signoff_core::review::{HunkStatus, HunkView, LineKind, ProposalView};

use crate::displayed::{Displayed, Part};

/// What is displayed piece by piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    /// What is said about a proposal's file.
    About(ProposalId),
    /// A hunk.
    Hunk(HunkId),
}

/// Stands for the content of an item; its line numbers are not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading(u64);

/// What of all items has been displayed.
#[derive(Debug, Default)]
pub(super) struct Seen(HashMap<Item, (Reading, Displayed)>);

/// How many hunks a verdict takes, and how many of them have not been displayed whole.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) all: usize,
    pub(crate) unseen: usize,
}

impl Seen {
    /// Notes that a row of an item was on the screen, of which the `needed` lines have to be. Returns
    /// true if it shows something that no frame had.
    pub(super) fn show(
        &mut self,
        item: Item,
        reading: Reading,
        needed: &[bool],
        width: usize,
        part: Part,
    ) -> bool {
        let fresh = || (reading, Displayed::of_needed(needed));
        let known = self.0.entry(item).or_insert_with(fresh);
        if known.0 != reading {
            *known = fresh();
        }
        known.1.show(width, part)
    }

    /// Takes over that the user knows an item without having seen all of it.
    pub(super) fn waive(&mut self, item: Item, reading: Reading) {
        self.0.insert(item, (reading, Displayed::of(0)));
    }

    /// Returns what of an item that reads so has been displayed, if anything.
    pub(super) fn get(&self, item: Item, reading: Reading) -> Option<&Displayed> {
        let (known, displayed) = self.0.get(&item)?;
        (*known == reading).then_some(displayed)
    }

    /// Forgets what is not in the list any more.
    pub(super) fn retain(&mut self, files: &[ProposalView]) {
        let about = files.iter().map(|file| Item::About(file.id));
        let hunks = files.iter().flat_map(|file| &file.hunks);
        let listed = about.chain(hunks.map(|hunk| Item::Hunk(hunk.id)));
        let listed: std::collections::HashSet<Item> = listed.collect();
        self.0.retain(|item, _| listed.contains(item));
    }
}

impl Reading {
    /// Returns how a hunk reads: its lines, and why it is in conflict.
    pub(super) fn of_hunk(hunk: &HunkView) -> Self {
        let mut hasher = DefaultHasher::new();
        if let HunkStatus::Conflict { reason } = &hunk.status {
            reason.hash(&mut hasher);
        }
        for line in &hunk.lines {
            (line.kind as u8, &line.text, line.newline).hash(&mut hasher);
        }
        hunk.yours.hash(&mut hasher);
        Self(hasher.finish())
    }

    /// Returns what a proposal does to its file as a whole. Its note is left out: it says how the
    /// hunks were carried over to another text, and these are compared themselves.
    pub(super) fn of_file(file: &ProposalView) -> Self {
        let mut hasher = DefaultHasher::new();
        let operation = file.operation.to_string();
        (&file.path, &file.to, operation, &file.description).hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// Returns how many lines of a hunk come or go.
pub(super) fn changed_lines(hunk: &HunkView) -> usize {
    let lines = hunk.lines.iter();
    lines.filter(|line| line.kind != LineKind::Context).count()
}
