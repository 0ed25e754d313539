//! Folds: hunks that are proved to be what one line says stand in one row, until the user opens them.
//!
//! In: what a hunk is proved to be, keys that open and close. Out: whether a hunk is folded, and its words.
//!
//! ```text
//! [ ] hunk 7 of 12  total → sum  +1 -1
//! [ ] hunk 8 of 12  12 lines moved from src/a.rs:40, unchanged  +0 -12
//! [ ] hunk 9 of 12  layout only, the same code  +3 -1
//! ```

use std::collections::HashSet;

use signoff_core::id::HunkId;
use signoff_core::stage::review::{HunkView, ProposalView};

use super::proofs::{Evidence, Proved};
use super::review_file::ReviewFile;

/// What the user opened of the folds.
#[derive(Debug, Default)]
pub(super) struct Folds {
    opened: HashSet<HunkId>,
    /// All are open.
    all: bool,
}

impl Folds {
    /// Opens a hunk.
    pub(super) fn open(&mut self, hunk: HunkId) {
        self.opened.insert(hunk);
    }

    /// Opens or closes a hunk.
    pub(super) fn toggle(&mut self, hunk: HunkId) {
        if self.all {
            self.all = false;
            self.opened.clear();
        } else if !self.opened.remove(&hunk) {
            self.opened.insert(hunk);
        }
    }

    /// Opens all, or closes all; returns whether they are open.
    pub(super) fn toggle_all(&mut self) -> bool {
        self.all = !self.all;
        self.opened.clear();
        self.all
    }

    /// Takes over the list.
    pub(super) fn relist(&mut self, files: &[ReviewFile]) {
        let hunks = files.iter().flat_map(ReviewFile::hunks);
        let listed: HashSet<HunkId> = hunks.map(|hunk| hunk.id).collect();
        self.opened.retain(|hunk| listed.contains(hunk));
    }

    /// Returns the words of a hunk that is folded.
    pub(super) fn fold<'v>(
        &self,
        evidence: Evidence<'_>,
        file: &ProposalView,
        hunk: &'v HunkView,
    ) -> Option<Proved<'v>> {
        let is_open = self.all || self.opened.contains(&hunk.id);
        (!is_open).then(|| evidence.proof(file, hunk)).flatten()
    }
}
