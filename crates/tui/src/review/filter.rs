//! Filter of the review: which hunks are shown, and which only by their heads.
//!
//! In: a key. Out: the hunks that are hidden. Keys that mark several hunks leave hidden ones alone, and a hidden hunk
//! takes no verdict. What has a mark already stays part of what is signed off.

use signoff_core::plural::counted;
use signoff_core::review::{HunkStatus, HunkView, ProposalView, Verdict};

use super::checks::Checks;
use super::list::HunkPlace;
use super::marks::Marks;
use super::{Outcome, Review, say};

/// Which hunks are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ReviewFilter {
    /// All of them.
    #[default]
    All,
    /// Those without a mark.
    Waiting,
    /// Those that are marked to be denied, or were denied before.
    Denied,
    /// Those with a warning.
    Warned,
    /// Those in which checks found something.
    FailedChecks,
    /// Those of files that make a program run.
    Runs,
}

impl ReviewFilter {
    const ORDER: [Self; 6] = [
        Self::All,
        Self::Waiting,
        Self::Denied,
        Self::Warned,
        Self::FailedChecks,
        Self::Runs,
    ];

    /// Returns the filters after this one, round the end, itself last.
    fn others(self) -> impl Iterator<Item = Self> {
        let at = Self::ORDER.iter().position(|own| *own == self);
        let after = at.map_or(0, |at| at + 1);
        Self::ORDER
            .into_iter()
            .cycle()
            .skip(after)
            .take(Self::ORDER.len())
    }

    /// Returns the filter's name for the title.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Waiting => "without a mark",
            Self::Denied => "denied",
            Self::Warned => "warned",
            Self::FailedChecks => "failed checks",
            Self::Runs => "run a program",
        }
    }

    fn shows(self, file: &ProposalView, hunk: &HunkView, marks: &Marks, checks: &Checks) -> bool {
        match self {
            Self::All => true,
            Self::Waiting => hunk.status.is_open() && marks.get(hunk.id).is_none(),
            Self::Denied => {
                hunk.denied_before.is_some()
                    || matches!(marks.get(hunk.id), Some(Verdict::Deny { .. }))
            }
            Self::Warned => {
                file.is_guess
                    || file.note.is_some()
                    || file.runs.is_some()
                    || file.held.is_some()
                    || hunk.denied_before.is_some()
                    || matches!(hunk.status, HunkStatus::Conflict { .. })
            }
            Self::FailedChecks => !checks.rows(hunk.id).is_empty(),
            Self::Runs => file.runs.is_some(),
        }
    }
}

impl Review {
    /// Goes to the next filter that shows anything.
    pub(super) fn next_filter(&mut self) -> Outcome {
        let mut others = self.list.filter().others();
        let next = others.find(|filter| self.apply(*filter));
        self.diff.changed(&self.list);
        if self.list.is_hidden(self.list.at())
            && let Some(place) = self.list.find(|_, _| true)
        {
            self.select(place);
        } else {
            self.reveal();
        }
        let shown = self.list.shown_count();
        match next {
            None | Some(ReviewFilter::All) => {
                say(&format!("No filter: {} shown", counted(shown, "hunk")))
            }
            Some(filter) => {
                let (word, hidden) = (filter.word(), self.list.hidden_count());
                let shown = counted(shown, "hunk");
                Outcome::Say(format!("Filter {word}: {shown} shown, {hidden} hidden"))
            }
        }
    }

    /// Applies the filter to another list; one that would hide all of it ends.
    pub(super) fn refilter(&mut self) {
        if !self.apply(self.list.filter()) {
            self.apply(ReviewFilter::All);
        }
    }

    /// Applies a filter; false if it shows nothing.
    fn apply(&mut self, filter: ReviewFilter) -> bool {
        let Self {
            list,
            verdicts,
            checks,
            ..
        } = self;
        let marks = &verdicts.marks;
        list.hide(filter, |file, hunk| {
            !filter.shows(file, hunk, marks, checks)
        });
        list.shown_count() > 0
    }

    /// Selects the next file of which anything is shown.
    pub(super) fn select_next_file(&mut self) {
        let file = self.list.at().file;
        let next = HunkPlace {
            file: file + 1,
            hunk: 0,
        };
        let found = self.list.find_from(next, |_, _| true);
        if let Some(place) = found.filter(|place| place.file > file) {
            self.select(place);
        }
    }

    /// Selects the file before, of which anything is shown.
    pub(super) fn select_previous_file(&mut self) {
        let start = HunkPlace {
            hunk: 0,
            ..self.list.at()
        };
        let found = self.list.find_before(start, |_, _| true);
        match found.filter(|place| place.file < start.file) {
            Some(HunkPlace { file, .. }) => {
                let first = HunkPlace { file, hunk: 0 };
                let first = self.list.find_from(first, |_, _| true);
                first.into_iter().for_each(|place| self.select(place));
            }
            None => self.select(start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_is_reached_and_comes_back() {
        for filter in ReviewFilter::ORDER {
            let others: Vec<_> = filter.others().collect();
            assert_eq!(others.len(), ReviewFilter::ORDER.len());
            assert_eq!(others.last(), Some(&filter));
        }
    }
}
