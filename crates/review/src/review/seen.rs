//! Displayed lines of each hunk.
//!
//! In: the rows of each frame. Out: how much of a hunk, and of what is said about its file, the
//! user has not seen. A hunk that reads differently than when it was displayed is unseen again.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::intent::Operation;
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::stage::review::{HunkStatus, HunkView, ProposalView};

use super::review_file::ReviewFile;
use crate::displayed::{Displayed, Part};

/// What is displayed piece by piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    /// What is said of a file as a whole: its first proposal.
    Title(ProposalId),
    /// What is said about a proposal.
    About(ProposalId),
    /// A hunk.
    Hunk(HunkId),
}

/// Stands for the content of an item; its line numbers are not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading(u64);

/// What of all items has been displayed.
#[derive(Debug, Default)]
pub(super) struct Seen(HashMap<Item, SeenItem>);

/// What of one item has been displayed.
#[derive(Debug)]
struct SeenItem {
    /// How the item read when it was displayed: an edited hunk is shown with the user's lines.
    shown: Reading,
    /// How the item reads in the list, so that it need not be read again for every question.
    listed: Reading,
    displayed: Displayed,
}

/// How an item reads as it is shown, and in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Readings {
    pub(super) shown: Reading,
    pub(super) listed: Reading,
}

impl Readings {
    /// Returns those of what is shown as it is listed.
    pub(super) fn same(reading: Reading) -> Self {
        Self {
            shown: reading,
            listed: reading,
        }
    }
}

/// How many hunks a verdict takes, and how many of them have not been displayed whole.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// All that have to be displayed.
    pub all: usize,
    /// Those of them that were not.
    pub unseen: usize,
    /// Lines of those that have to be displayed and were not.
    pub(super) lines: usize,
    /// Some of those may not be approved before all of their lines were displayed.
    pub(super) has_never_waived: bool,
}

impl Seen {
    /// Notes that a row of an item was on the screen, of which the `needed` lines have to be; `key` tells layouts apart
    /// whose rows end elsewhere. Returns true if it shows something that no frame had.
    pub(super) fn show(
        &mut self,
        item: Item,
        Readings { shown, listed }: Readings,
        needed: impl Fn() -> Vec<bool>,
        key: usize,
        part: Part,
    ) -> bool {
        let fresh = || SeenItem {
            shown,
            listed,
            displayed: Displayed::of_needed(&needed()),
        };
        let known = self.0.entry(item).or_insert_with(fresh);
        if known.shown != shown {
            *known = fresh();
        }
        known.displayed.show(key, part)
    }

    /// Takes over that the user knows an item without having seen all of it.
    pub(super) fn waive(&mut self, item: Item, reading: Reading) {
        let known = SeenItem {
            shown: reading,
            listed: reading,
            displayed: Displayed::of(0),
        };
        self.0.insert(item, known);
    }

    /// Returns what of an item that is shown so has been displayed, if anything.
    pub(super) fn shown_as(&self, item: Item, reading: Reading) -> Option<&Displayed> {
        let known = self.0.get(&item)?;
        (known.shown == reading).then_some(&known.displayed)
    }

    /// Returns what of an item as it is listed has been displayed, if anything.
    pub(super) fn get(&self, item: Item) -> Option<&Displayed> {
        let known = self.0.get(&item)?;
        (known.shown == known.listed).then_some(&known.displayed)
    }

    /// Takes over the list: what is not in it any more is forgotten, and the rest is read anew.
    pub(super) fn relist(&mut self, files: &[ReviewFile]) {
        let mut before = std::mem::take(&mut self.0);
        let mut keep = |item: Item, listed: &dyn Fn() -> Reading| {
            if let Some(known) = before.remove(&item) {
                let listed = listed();
                self.0.insert(item, SeenItem { listed, ..known });
            }
        };
        for file in files {
            if let Some(first) = file.proposals().first() {
                keep(Item::Title(first.id), &|| Reading::of_title(file));
            }
            for own in file.proposals() {
                keep(Item::About(own.id), &|| Reading::of_proposal(own));
            }
            for hunk in file.hunks() {
                keep(Item::Hunk(hunk.id), &|| Reading::of_hunk(hunk));
            }
        }
    }
}

impl Reading {
    /// Returns how a hunk reads: its lines, and why it is in conflict.
    pub(super) fn of_hunk(hunk: &HunkView) -> Self {
        Self::of_lines(hunk, &hunk.lines)
    }

    /// Returns how a hunk reads with other lines.
    pub(super) fn of_lines(hunk: &HunkView, lines: &[DiffLine]) -> Self {
        let mut hasher = DefaultHasher::new();
        if let HunkStatus::Conflict { reason } = &hunk.status {
            reason.hash(&mut hasher);
        }
        for line in lines {
            (line.kind as u8, &line.text, line.newline).hash(&mut hasher);
        }
        hunk.yours.hash(&mut hasher);
        Self(hasher.finish())
    }

    /// Returns how a hunk reads of which these words are shown alone.
    pub(super) fn of_words(words: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        ("folded", words).hash(&mut hasher);
        Self(hasher.finish())
    }

    /// Returns what becomes of a file as a whole.
    pub(super) fn of_title(file: &ReviewFile) -> Self {
        let mut hasher = DefaultHasher::new();
        (file.path(), file.to()).hash(&mut hasher);
        // One more edit of it says nothing new of the file.
        let operations = file.proposals().iter().map(|own| own.operation);
        let operations = operations.filter(|own| *own != Operation::Modify);
        let operations: BTreeSet<String> = operations.map(|own| own.to_string()).collect();
        operations.hash(&mut hasher);
        Self(hasher.finish())
    }

    /// Returns what a proposal does to its file as a whole. Its note is left out: it says how the
    /// hunks were carried over to another text, and these are compared themselves.
    pub(super) fn of_proposal(proposal: &ProposalView) -> Self {
        let mut hasher = DefaultHasher::new();
        let operation = proposal.operation.to_string();
        (&proposal.path, &proposal.to, operation).hash(&mut hasher);
        proposal.description.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// Returns how many lines of a hunk come or go.
pub(super) fn changed_lines(hunk: &HunkView) -> usize {
    let lines = hunk.lines.iter();
    lines.filter(|line| line.kind != LineKind::Context).count()
}
