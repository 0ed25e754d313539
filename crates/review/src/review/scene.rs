//! Scene: what files are laid out from.

use signoff_core::stage::review::{HunkView, ProposalView};

use super::arrangement::Arrangement;
use super::colours::Colours;
use super::context::OpenContext;
use super::folds::Folds;
use super::list::ReviewList;
use super::marks::Marks;
use super::proofs::Proved;
use super::subject::ReviewSubject;

/// How diffs are shown: what the user chose and opened, and the colours of code.
#[derive(Debug, Default)]
pub(super) struct DiffStyle {
    pub(super) arrangement: Arrangement,
    pub(super) context: OpenContext,
    pub(super) folds: Folds,
    pub(super) colours: Colours,
}

/// What is shown, and how.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) subject: &'a ReviewSubject,
    pub(super) style: &'a DiffStyle,
}

impl DiffStyle {
    /// Returns what is shown of a subject, and how.
    pub(super) fn scene<'a>(&'a self, subject: &'a ReviewSubject) -> Scene<'a> {
        Scene {
            subject,
            style: self,
        }
    }
}

impl<'a> Scene<'a> {
    /// Returns the proposals.
    pub(super) fn list(&self) -> &'a ReviewList {
        &self.subject.list
    }

    /// Returns the marks on their hunks.
    pub(super) fn marks(&self) -> &'a Marks {
        self.subject.marks()
    }

    /// Returns what a hunk is proved to be of which the head alone is shown.
    pub(super) fn fold<'v>(&self, file: &ProposalView, hunk: &'v HunkView) -> Option<Proved<'v>> {
        let evidence = self.subject.evidence();
        self.style.folds.fold(evidence, file, hunk)
    }
}
