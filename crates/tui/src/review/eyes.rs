//! Where eyes are needed: which hunks have to be read, which come first, and what one key approves of the rest.
//!
//! In: the list, proofs, what was displayed. Out: counts, the order of verdicts, marks on all that is proved.

use std::collections::HashSet;

use signoff_core::engine::differs_in_blanks;
use signoff_core::id::HunkId;
use signoff_core::intent::Operation;
use signoff_core::review::{HunkView, Proof, ProposalView, Verdict};

use super::folds::Evidence;
use super::list::HunkPlace;
use super::marks::Dropped;
use super::seen::Counts;
use super::tree::in_tree_order;
use super::{Outcome, Review, say};

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
pub(super) fn in_order(mut files: Vec<ProposalView>) -> Vec<ProposalView> {
    files.sort_by_cached_key(Risk::of);
    in_tree_order(files)
}

/// Lines that come or go in hunks that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EyesNeeded {
    /// Those that have to be read.
    pub(super) lines: usize,
    /// All.
    pub(super) all: usize,
}

impl Review {
    /// Returns what decides whether a hunk has to be read.
    pub(super) fn evidence(&self) -> Evidence<'_> {
        Evidence {
            marks: &self.verdicts.marks,
            checks: &self.checks,
            colours: &self.colours,
            folds: &self.folds,
        }
    }

    /// Returns how many lines have to be read; nothing if none is proved.
    pub(super) fn eyes_needed(&self) -> Option<EyesNeeded> {
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

    /// Returns how many lines of a hunk have not been displayed that have to be.
    pub(super) fn unseen_lines(&self, file: &ProposalView, hunk: &HunkView) -> usize {
        match self.evidence().proof(file, hunk) {
            Some(_) => 0,
            None => self.diff.unseen_lines(hunk),
        }
    }

    /// Returns true if something of a hunk, or said about its file, has to be displayed and was not.
    pub(super) fn is_unseen(&self, file: &ProposalView, hunk: &HunkView) -> bool {
        self.diff.is_unseen(file, hunk) && self.evidence().proof(file, hunk).is_none()
    }

    /// Returns how many hunks are meant, and how many of them have not been displayed whole.
    pub(super) fn counts(&self, meant: impl Fn(&HunkView) -> bool) -> Counts {
        let mut counts = Counts::default();
        for file in self.list.files() {
            for hunk in file.hunks.iter().filter(|hunk| meant(hunk)) {
                counts.all += 1;
                counts.unseen += usize::from(self.is_unseen(file, hunk));
            }
        }
        counts
    }

    /// Returns the hunk that a verdict is wanted on next, after the one at `from` and round to the first: what has to be
    /// read before what is proved. Nothing if none waits without a mark.
    pub(super) fn next_open(&self, from: HunkPlace) -> Option<HunkPlace> {
        let evidence = self.evidence();
        let files = self.list.files().iter().enumerate();
        let open = files.flat_map(|(index, file)| {
            let hunks = file.hunks.iter().enumerate();
            hunks.filter_map(move |(hunk, own)| {
                let waits = evidence.marks.is_open(own) && evidence.marks.get(own.id).is_none();
                let place = HunkPlace { file: index, hunk };
                waits.then(|| (evidence.proof(file, own).is_some(), place < from, place))
            })
        });
        open.min().map(|(_, _, place)| place)
    }

    /// Marks all that is proved and waits as approved.
    pub(super) fn approve_proved(&mut self) -> Outcome {
        let evidence = self.evidence();
        let marks = &self.verdicts.marks;
        let proved = self.open_hunks().filter(|(file, hunk)| {
            marks.waits_for(hunk, &Verdict::Approve) && evidence.proof(file, hunk).is_some()
        });
        let proved: HashSet<HunkId> = proved.map(|(_, hunk)| hunk.id).collect();
        if proved.is_empty() {
            return say("Nothing that waits is proved: read it, and press a");
        }
        let hunks = self.list.shown_hunks();
        let is_proved = |hunk: &HunkView| proved.contains(&hunk.id);
        self.verdicts
            .marks
            .set_each(hunks, is_proved, &Verdict::Approve);
        self.submit_if_all_marked()
    }

    /// Opens or closes the selected fold.
    pub(super) fn toggle_fold(&mut self) -> Outcome {
        let Some((file, hunk)) = self.selected() else {
            return say("There is no hunk here");
        };
        if self.evidence().proof(file, hunk).is_none() {
            return say("This hunk is not folded: nothing is proved of it");
        }
        let (file, hunk) = (file.id, hunk.id);
        self.folds.toggle(hunk);
        self.diff.changed_in(&self.list, file);
        self.reveal();
        Outcome::Handled
    }

    /// Opens or closes all folds.
    pub(super) fn toggle_folds(&mut self) -> Outcome {
        let is_open = self.folds.toggle_all();
        self.diff.changed(&self.list);
        self.reveal();
        say(if is_open {
            "All is open"
        } else {
            "What is proved is folded"
        })
    }

    /// Gives both sides of a block that moved the same mark as the selected one, unless the user has read the other.
    pub(super) fn mark_other_side(&mut self) {
        let Some(hunk) = self.list.selected_hunk() else {
            return;
        };
        let Some(Proof::Moved { with, .. }) = hunk.proof else {
            return;
        };
        let verdict = self.verdicts.marks.get(hunk.id).cloned();
        // Without its other side a block is not folded.
        self.diff.changed(&self.list);
        let other = self
            .list
            .hunk(with)
            .filter(|other| self.list.shows(other.id) && self.diff.unseen_lines(other) > 0);
        match (other, verdict) {
            (Some(other), Some(Verdict::Approve)) => {
                self.verdicts.marks.set_with_last(other, Verdict::Approve);
            }
            (Some(other), None | Some(Verdict::Deny { .. } | Verdict::ApproveEdited { .. }))
                if self.verdicts.marks.get(other.id) == Some(&Verdict::Approve) =>
            {
                self.verdicts.marks.unset(other.id);
            }
            _ => {}
        }
    }

    /// Takes away the approvals of hunks that were proved in the list before, are not any more, and were never read.
    /// Returns the marks that had to go.
    pub(super) fn drop_unproved(&mut self, before: &[ProposalView]) -> Vec<Dropped> {
        let evidence = self.evidence();
        let was_proved = |hunk: &HunkView| {
            let files = before.iter().filter(|file| file.id == hunk.id.proposal);
            let mut own = files.flat_map(|file| &file.hunks);
            own.any(|own| own.id == hunk.id && own.proof.is_some())
        };
        let unproved = self.open_hunks().filter(|(file, hunk)| {
            self.verdicts.marks.get(hunk.id) == Some(&Verdict::Approve)
                && evidence.proof(file, hunk).is_none()
                && self.diff.is_unseen(file, hunk)
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
