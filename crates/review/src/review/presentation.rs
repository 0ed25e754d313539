//! Presentation of the review: what of it is on the screen, and how.
//!
//! In: the subject of the review, the size of the pane, keys that scroll, fold and arrange. Out: rows, which count as
//! displayed once they are laid out, and what of a hunk was not displayed yet.

mod frame;
mod moves;
mod pointer;
mod unseen;

use signoff_core::engine::{AroundRequest, CodeColours, LinesAround};
use signoff_core::id::{HunkId, ProposalId};

pub(super) use self::unseen::letter;
use super::arrangement::DiffPurpose;
use super::diff::NewNotes;
use super::diff_pane::DiffPane;
use super::review_file::ReviewFile;
use super::scene::{DiffStyle, Scene};
use super::subject::ReviewSubject;
use super::tree::FileTree;
use crate::response::Response;

/// How the subject of a review is shown.
#[derive(Debug, Default)]
pub(super) struct Presentation {
    diff: DiffPane,
    style: DiffStyle,
    tree: FileTree,
}

impl Presentation {
    /// Returns which rows of the diffs are on the screen, and which were.
    pub(super) fn diff(&self) -> &DiffPane {
        &self.diff
    }

    /// Returns what is shown of a subject, and how.
    pub(super) fn scene<'a>(&'a self, subject: &'a ReviewSubject) -> Scene<'a> {
        self.style.scene(subject)
    }

    /// Returns true if what the pane holds was on the screen.
    pub(super) fn was_drawn(&self) -> bool {
        self.diff.was_drawn()
    }

    /// Takes over that the pane holds something that was not on the screen, unless `known`.
    pub(super) fn keep_drawn(&mut self, known: bool) {
        self.diff.keep_drawn(known);
    }

    /// Returns true once after rows were laid out for the first time.
    pub(super) fn take_fresh(&mut self) -> bool {
        self.diff.take_fresh()
    }

    /// Takes over that diffs read differently: they are to be laid out anew.
    pub(super) fn changed(&mut self, subject: &ReviewSubject) {
        self.diff.changed(&subject.list);
    }

    /// Takes over that a proposal reads differently.
    pub(super) fn changed_in(&mut self, subject: &ReviewSubject, proposal: ProposalId) {
        if let Some(file) = subject.list.file_of(proposal) {
            self.diff.changed_in(&subject.list, file);
        }
    }

    /// Takes over that notes of a hunk are new. Where it is selected, the next frame shows them.
    pub(super) fn changed_notes(&mut self, subject: &ReviewSubject, hunk: HunkId, notes: NewNotes) {
        if subject
            .list
            .selected_hunk()
            .is_some_and(|own| own.id == hunk)
        {
            self.diff.show_with_next(notes);
        }
        self.changed_in(subject, hunk.proposal);
    }

    /// Returns true if the end of a hunk, which is selected, is in sight.
    pub(super) fn shows_end_of(&self, subject: &ReviewSubject, hunk: HunkId) -> bool {
        let selected = subject.list.selected_hunk();
        selected.is_some_and(|own| own.id == hunk) && self.diff.shows_end(&subject.list)
    }

    /// Has the line at the top stay there, whatever the next list has above it; false before the first frame.
    pub(super) fn hold_top(&mut self, subject: &ReviewSubject) -> bool {
        self.diff.hold_top(&subject.list)
    }

    /// Lets the line at the top go.
    pub(super) fn release_top(&mut self) {
        self.diff.release_top();
    }

    /// Takes over that the list is another one.
    pub(super) fn relist(&mut self, before: &[ReviewFile], subject: &ReviewSubject) {
        let files = subject.list.files();
        self.style.colours.relist(before, files);
        self.style.folds.relist(files);
        self.style.context.relist(before, files);
        self.tree.set(files);
        self.diff.relist(before, &subject.list);
    }
}

/// Colours of code.
impl Presentation {
    /// Takes over the colours of a proposal.
    pub(super) fn coloured(&mut self, subject: &ReviewSubject, colours: CodeColours) {
        self.changed_in(subject, colours.proposal);
        self.style.colours.take(colours);
    }

    /// Returns once whose colours are to be found, among the files near the screen.
    pub(super) fn wants_colours(&mut self, subject: &ReviewSubject) -> Option<ProposalId> {
        let at = subject.list.at().file;
        let shown = self.diff.files_shown();
        let from = shown.start.min(at);
        let near = from..shown.end.max(at + 1);
        let wanted = self.style.colours.wanted(subject.list.files(), near);
        wanted.map(|file| file.id)
    }
}

/// Folds, and lines around hunks.
impl Presentation {
    /// Opens or closes the selected fold.
    pub(super) fn toggle_fold(&mut self, subject: &ReviewSubject) -> Response {
        let Some((file, hunk)) = subject.selected() else {
            return Response::say("There is no hunk here");
        };
        if subject.evidence().proof(file, hunk).is_none() {
            return Response::say("This hunk cannot be folded: no proof says it in one line");
        }
        self.style.folds.toggle(hunk.id);
        self.changed_in(subject, file.id);
        self.reveal(subject);
        Response::Handled
    }

    /// Opens or closes all folds.
    pub(super) fn toggle_folds(&mut self, subject: &ReviewSubject) -> Response {
        let is_open = self.style.folds.toggle_all();
        self.diff.changed(&subject.list);
        self.reveal(subject);
        Response::say(if is_open {
            "All folds are open"
        } else {
            "Hunks that are proved are folded"
        })
    }

    /// Returns once which lines around a hunk are to be asked for.
    pub(super) fn wants_around(&mut self) -> Option<AroundRequest> {
        self.style.context.wanted()
    }

    /// Takes over lines around a hunk; returns what there is to say.
    pub(super) fn around(&mut self, subject: &ReviewSubject, told: LinesAround) -> Option<String> {
        let list = &subject.list;
        list.hunk(told.hunk)?;
        if list.selected_hunk().map(|hunk| hunk.id) == Some(told.hunk) {
            self.diff.changed_around(list);
        } else {
            self.changed_in(subject, told.hunk.proposal);
        }
        self.style.context.take(told)
    }
}

/// Lines of the selected hunk.
impl Presentation {
    /// Shows the lines of a hunk, each by itself, to be selected.
    pub(super) fn begin_lines(&mut self, subject: &ReviewSubject, hunk: HunkId) {
        // A fold shows none of its lines.
        self.style.folds.open(hunk);
        self.style.arrangement.show_for(DiffPurpose::SelectLines);
        self.diff.changed(&subject.list);
    }

    /// Shows lines as the user chose again.
    pub(super) fn end_lines(&mut self, subject: &ReviewSubject) {
        self.style.arrangement.show_for(DiffPurpose::Read);
        self.diff.changed(&subject.list);
    }

    /// Returns the first line of the selected hunk that is on the screen.
    pub(super) fn first_line_shown(&self, subject: &ReviewSubject) -> Option<usize> {
        let at = subject.list.at();
        let mut rows = self.diff.screen().iter();
        rows.find_map(|row| {
            let is_own = row.file == at.file && row.hunk == Some(at.hunk);
            row.line.filter(|_| is_own)
        })
    }
}
