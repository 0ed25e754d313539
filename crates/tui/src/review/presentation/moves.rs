//! Moves: which rows are on the screen once another hunk is selected, or a key scrolls.
//!
//! In: the subject, of which the selected hunk is in sight afterwards. Out: where a key that scrolls leads to.

use super::Presentation;
use crate::review::hunk_lines::warnings;
use crate::review::list::HunkPlace;
use crate::review::outcome::{Outcome, say};
use crate::review::subject::ReviewSubject;

impl Presentation {
    /// Brings the selected hunk to view.
    pub(in crate::review) fn reveal(&mut self, subject: &ReviewSubject) {
        self.diff.reveal(&self.style.scene(subject));
    }

    /// Brings the selected hunk to view, which a key was for and which was out of sight.
    pub(in crate::review) fn show_first(&mut self, subject: &ReviewSubject) -> Outcome {
        self.reveal(subject);
        say("The hunk was out of sight: look, then decide")
    }

    /// Returns true if some of the selected hunk is on the screen.
    pub(in crate::review) fn is_in_sight(&mut self, subject: &ReviewSubject) -> bool {
        self.diff.is_in_sight(&self.style.scene(subject))
    }

    /// Takes over that another hunk was selected, be it in another file.
    pub(in crate::review) fn follow_selection(
        &mut self,
        subject: &ReviewSubject,
        is_other_file: bool,
    ) {
        if is_other_file && self.style.arrangement.is_single() {
            self.scroll_to_file(subject);
        }
        self.reveal(subject);
    }

    /// Scrolls to the first row of the selected file.
    pub(in crate::review) fn scroll_to_file(&mut self, subject: &ReviewSubject) {
        self.diff.scroll_to_file(&self.style.scene(subject));
    }

    /// Goes on in the selected hunk; false if its end is on the screen.
    pub(in crate::review) fn scroll_on(&mut self, subject: &ReviewSubject) -> bool {
        self.diff.scroll_on(&self.style.scene(subject))
    }

    /// Goes back in the selected hunk; false if its start is on the screen.
    pub(in crate::review) fn scroll_back(&mut self, subject: &ReviewSubject) -> bool {
        self.diff.scroll_back(&self.style.scene(subject))
    }

    /// Scrolls by a screen, and returns a hunk that is in sight there.
    pub(in crate::review) fn scroll_screen(
        &mut self,
        subject: &ReviewSubject,
        down: bool,
    ) -> HunkPlace {
        let scene = self.style.scene(subject);
        self.diff.scroll_screen(&scene, down);
        self.diff.follow(&scene)
    }

    /// Returns the first hunk of the scroll, or the last.
    pub(in crate::review) fn end_of_scroll(
        &self,
        subject: &ReviewSubject,
        last: bool,
    ) -> HunkPlace {
        let list = &subject.list;
        let file = match (self.style.arrangement.is_single(), last) {
            (true, _) => list.at().file,
            (false, false) => 0,
            (false, true) => list.files().len().saturating_sub(1),
        };
        let end = list.hunks_of(file).saturating_sub(1);
        let hunk = if last { end } else { 0 };
        HunkPlace { file, hunk }
    }

    /// Scrolls to the first row or the last.
    pub(in crate::review) fn scroll_to_end(&mut self, subject: &ReviewSubject, last: bool) {
        self.diff.scroll_to_end(&self.style.scene(subject), last);
    }

    /// Brings a line of the selected hunk to view.
    pub(in crate::review) fn show_line(&mut self, subject: &ReviewSubject, line: usize) {
        // The head comes first, and what must not be missed.
        let hunk = subject.list.selected_hunk();
        let above = hunk.map_or(0, |hunk| 1 + warnings(hunk).len());
        self.diff
            .show_line(&self.style.scene(subject), above + line);
    }
}
