//! Filter of the review: which hunks are shown, and which only by their heads.
//!
//! In: a key. Out: the hunks that are hidden. Keys that mark several hunks leave hidden ones alone, and a hidden hunk
//! takes no verdict. What has a mark already stays part of what is signed off.

use signoff_core::stage::review::{HunkStatus, HunkView, ProposalView, Verdict};

use super::checks::Checks;
use super::marks::Marks;

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
    pub(super) fn others(self) -> impl Iterator<Item = Self> {
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

    /// Returns true if it shows a hunk.
    pub(super) fn shows(
        self,
        file: &ProposalView,
        hunk: &HunkView,
        marks: &Marks,
        checks: &Checks,
    ) -> bool {
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
                    || hunk.undisplayed.is_some()
                    || matches!(hunk.status, HunkStatus::Conflict { .. })
            }
            Self::FailedChecks => !checks.rows(hunk.id).is_empty(),
            Self::Runs => file.runs.is_some(),
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
