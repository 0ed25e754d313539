//! Where eyes are needed: which hunks have to be read, which come first, and which are proved.
//!
//! In: the list, proofs, marks. Out: counts, the order of verdicts, marks that follow from proofs.

use std::collections::HashSet;

use signoff_core::edit::intent::Operation;
use signoff_core::engine::differs_in_blanks;
use signoff_core::id::HunkId;
use signoff_core::stage::review::{HunkView, Proof, ProposalView, Verdict};

use super::ReviewSubject;
use crate::review::list::HunkPlace;
use crate::review::marks::Dropped;
use crate::review::tree::in_tree_order;

/// How much a file asks for eyes: what is first is read first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Risk {
    /// A program runs it, or something obeys it.
    Runs,
    /// It goes, or something of it may be nowhere then.
    Goes,
    /// The place was found by likeness, there is a word of warning, or the user denied the same before.
    Warned,
    /// Any other.
    Usual,
    /// All of it is proved to be what one line says.
    Proved,
}

impl Risk {
    fn of(file: &ProposalView) -> Self {
        let mut hunks = file.hunks.iter();
        if file.runs.is_some() {
            Self::Runs
        } else if file.held.is_some() || file.operation == Operation::Delete {
            Self::Goes
        } else if file.is_guess
            || file.note.is_some()
            || hunks.clone().any(|hunk| hunk.denied_before.is_some())
        {
            Self::Warned
        } else if hunks.all(|hunk| hunk.proof.is_some()) {
            Self::Proved
        } else {
            Self::Usual
        }
    }
}

/// Returns the proposals in the order in which they are read: by risk, and what is in one folder together.
pub(in crate::review) fn in_order(mut files: Vec<ProposalView>) -> Vec<ProposalView> {
    files.sort_by_cached_key(Risk::of);
    in_tree_order(files)
}

/// Lines that come or go in hunks that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::review) struct EyesNeeded {
    /// Those that have to be read.
    pub(in crate::review) lines: usize,
    /// All.
    pub(in crate::review) all: usize,
}

impl ReviewSubject {
    /// Returns how many lines have to be read; nothing if none is proved.
    pub(in crate::review) fn eyes_needed(&self) -> Option<EyesNeeded> {
        let evidence = self.evidence();
        let (mut lines, mut all) = (0, 0);
        for (file, hunk) in self.open_hunks() {
            let own = hunk.added as usize + hunk.removed as usize;
            all += own;
            lines += if evidence.proof(file, hunk).is_none() {
                own
            } else {
                0
            };
        }
        (lines < all).then_some(EyesNeeded { lines, all })
    }

    fn open_hunks(&self) -> impl Iterator<Item = (&ProposalView, &HunkView)> {
        let files = self.list.files().iter();
        let hunks = files.flat_map(|file| file.hunks.iter().map(move |hunk| (file, hunk)));
        hunks.filter(|(_, hunk)| hunk.status.is_open())
    }

    /// Returns true if a verdict on a hunk is wanted and none is marked.
    fn is_unmarked(&self, hunk: &HunkView) -> bool {
        self.marks().is_open(hunk) && self.marks().get(hunk.id).is_none()
    }

    /// Returns the hunk that a verdict is wanted on next, after the one at `from` and round to the first: what has to be
    /// read before what is proved. Nothing if none waits without a mark.
    pub(in crate::review) fn next_open(&self, from: HunkPlace) -> Option<HunkPlace> {
        let evidence = self.evidence();
        let files = self.list.files().iter().enumerate();
        let open = files.flat_map(|(index, file)| {
            let hunks = file.hunks.iter().enumerate();
            hunks.filter_map(move |(hunk, own)| {
                let place = HunkPlace { file: index, hunk };
                let is_proved = evidence.proof(file, own).is_some();
                self.is_unmarked(own)
                    .then_some((is_proved, place < from, place))
            })
        });
        open.min().map(|(_, _, place)| place)
    }

    /// Returns the first hunk without a mark whose lines are not displayed.
    pub(in crate::review) fn next_undisplayed(&self) -> Option<HunkPlace> {
        self.list
            .find(|_, hunk| self.is_unmarked(hunk) && hunk.undisplayed.is_some())
    }

    /// Returns the last hunk before the selected one that a verdict is wanted on, round the start if need be.
    pub(in crate::review) fn previous_open(&self) -> Option<HunkPlace> {
        let at = self.list.at();
        self.list.find_before(at, |_, hunk| self.is_unmarked(hunk))
    }

    /// Returns the hunks that are proved and wait.
    pub(in crate::review) fn proved(&self) -> HashSet<HunkId> {
        let evidence = self.evidence();
        let proved = self.open_hunks().filter(|(file, hunk)| {
            self.marks().waits_for(hunk, &Verdict::Approve) && evidence.proof(file, hunk).is_some()
        });
        proved.map(|(_, hunk)| hunk.id).collect()
    }

    /// Gives both sides of a block that moved the same mark as the selected one, unless the user has read the other.
    /// Returns true if the selected hunk is such a side.
    pub(in crate::review) fn mark_other_side(
        &mut self,
        is_read: impl Fn(&HunkView) -> bool,
    ) -> bool {
        let Some(hunk) = self.list.selected_hunk() else {
            return false;
        };
        let Some(Proof::Moved { with, .. }) = hunk.proof else {
            return false;
        };
        let verdict = self.marks().get(hunk.id).cloned();
        let other = self.list.hunk(with);
        let other = other.filter(|other| self.list.shows(other.id) && !is_read(other));
        match (other, verdict) {
            (Some(other), Some(Verdict::Approve)) => {
                self.verdicts.marks.set_with_last(other, Verdict::Approve);
            }
            (Some(other), None | Some(Verdict::Deny { .. } | Verdict::ApproveEdited { .. }))
                if self.marks().get(other.id) == Some(&Verdict::Approve) =>
            {
                self.verdicts.marks.unset(other.id);
            }
            _ => {}
        }
        true
    }

    /// Takes over that the selected hunk has another mark. Others that make the same rewrite are told by it while it is
    /// approved; without it, approvals of those that the user has not read go. Returns true if there are such others.
    pub(in crate::review) fn mark_same_rewrites(
        &mut self,
        is_read: impl Fn(&HunkView) -> bool,
    ) -> bool {
        let Some(first) = self.list.selected_hunk().map(|hunk| hunk.id) else {
            return false;
        };
        let is_told = |hunk: &HunkView| matches!(&hunk.proof, Some(Proof::SameRewrite { with, .. }) if *with == first);
        let told = self.open_hunks().filter(|(_, hunk)| is_told(hunk));
        let told: Vec<(HunkId, bool)> = told.map(|(_, hunk)| (hunk.id, is_read(hunk))).collect();
        let is_approved = self.marks().get(first) == Some(&Verdict::Approve);
        let unread = told.iter().filter(|(_, is_read)| !is_read && !is_approved);
        for (hunk, _) in unread {
            if self.marks().get(*hunk) == Some(&Verdict::Approve) {
                self.verdicts.marks.unset(*hunk);
            }
        }
        !told.is_empty()
    }

    /// Takes away the approvals of hunks that were proved in the list before, are not any more, and were never read.
    /// Returns the marks that had to go.
    pub(in crate::review) fn drop_unproved(
        &mut self,
        before: &[ProposalView],
        is_unseen: impl Fn(&ProposalView, &HunkView) -> bool,
    ) -> Vec<Dropped> {
        let evidence = self.evidence();
        let was_proved = |hunk: &HunkView| {
            let files = before.iter().filter(|file| file.id == hunk.id.proposal);
            let mut own = files.flat_map(|file| &file.hunks);
            own.any(|own| own.id == hunk.id && own.proof.is_some())
        };
        let unproved = self.open_hunks().filter(|(file, hunk)| {
            self.marks().get(hunk.id) == Some(&Verdict::Approve)
                && evidence.proof(file, hunk).is_none()
                && is_unseen(file, hunk)
                && (was_proved(hunk) || differs_in_blanks(hunk))
        });
        let unproved: Vec<(HunkId, String)> = unproved
            .map(|(file, hunk)| (hunk.id, file.path.clone()))
            .collect();
        let dropped = unproved.into_iter().map(|(hunk, path)| {
            self.verdicts.marks.unset(hunk);
            Dropped::approval(hunk, path)
        });
        dropped.collect()
    }
}
