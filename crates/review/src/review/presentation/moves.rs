//! Moves through the review.
//!
//! In: keys that move or filter, a match of the search. Out: another selected hunk, and other rows on the screen.

use std::collections::HashSet;

use signoff_core::id::HunkId;
use signoff_core::plural::counted;

use super::Presentation;
use crate::response::Response;
use crate::review::filter::ReviewFilter;
use crate::review::hunk_lines::warnings;
use crate::review::list::HunkPlace;
use crate::review::search::LinePlace;
use crate::review::subject::ReviewSubject;

impl Presentation {
    /// Brings the selected hunk to view.
    pub(in crate::review) fn reveal(&mut self, subject: &ReviewSubject) {
        self.diff.reveal(&self.style.scene(subject));
    }

    /// Brings the selected hunk to view, which a key was for and which was out of sight.
    pub(in crate::review) fn show_first(&mut self, subject: &ReviewSubject) -> Response {
        self.reveal(subject);
        Response::say("The hunk was not on the screen: read it, then decide")
    }

    /// Returns true if some of the selected hunk is on the screen.
    pub(in crate::review) fn is_in_sight(&mut self, subject: &ReviewSubject) -> bool {
        self.diff.is_in_sight(&self.style.scene(subject))
    }

    /// Selects a hunk and brings it to view.
    pub(in crate::review) fn select(&mut self, subject: &mut ReviewSubject, place: HunkPlace) {
        let is_other_file = subject.list.select(place);
        if is_other_file && self.style.arrangement.is_single() {
            self.diff.scroll_to_file(&self.style.scene(subject));
        }
        self.reveal(subject);
    }

    /// Goes on through the diff: a screen of a long hunk, else the next hunk.
    pub(in crate::review) fn forward(&mut self, subject: &mut ReviewSubject) {
        if !self.diff.scroll_on(&self.style.scene(subject))
            && let Some(place) = subject.list.next()
        {
            self.select(subject, place);
        }
    }

    /// Goes back through the diff.
    pub(in crate::review) fn back(&mut self, subject: &mut ReviewSubject) {
        if self.diff.scroll_back(&self.style.scene(subject)) {
            return;
        }
        match subject.list.previous() {
            Some(place) => self.select(subject, place),
            None => self.diff.scroll_to_file(&self.style.scene(subject)),
        }
    }

    /// Scrolls by a screen, and selects a hunk that is in sight there.
    pub(in crate::review) fn scroll_screen(&mut self, subject: &mut ReviewSubject, down: bool) {
        let scene = self.style.scene(subject);
        self.diff.scroll_screen(&scene, down);
        let place = self.diff.follow(&scene);
        subject.list.select(place);
    }

    /// Scrolls to the first row or the last, and selects the first hunk or the last.
    pub(in crate::review) fn scroll_to_end(&mut self, subject: &mut ReviewSubject, last: bool) {
        let list = &mut subject.list;
        let file = match (self.style.arrangement.is_single(), last) {
            (true, _) => list.at().file,
            (false, false) => 0,
            (false, true) => list.files().len().saturating_sub(1),
        };
        let end = list.hunks_of(file).saturating_sub(1);
        let hunk = if last { end } else { 0 };
        list.select(HunkPlace { file, hunk });
        self.diff.scroll_to_end(&self.style.scene(subject), last);
    }

    /// Selects the next file of which anything is shown, or the one before.
    pub(in crate::review) fn select_file(&mut self, subject: &mut ReviewSubject, is_next: bool) {
        let place = if is_next {
            subject.list.next_file()
        } else {
            subject.list.previous_file()
        };
        if let Some(place) = place {
            self.select(subject, place);
        }
    }

    /// Selects a hunk without a mark, unless there is no other than the selected one.
    pub(in crate::review) fn go_to_unmarked(
        &mut self,
        subject: &mut ReviewSubject,
        place: Option<HunkPlace>,
    ) -> Response {
        let at = subject.list.at();
        match place.filter(|place| *place != at) {
            Some(place) => {
                self.select(subject, place);
                Response::Handled
            }
            None => Response::say("Every other hunk has a mark"),
        }
    }

    /// Selects the first of the hunks whose marks were taken back.
    pub(in crate::review) fn go_to_undone(
        &mut self,
        subject: &mut ReviewSubject,
        undone: &HashSet<HunkId>,
    ) -> Response {
        let place = subject.list.find(|_, hunk| undone.contains(&hunk.id));
        let Some(place) = place else {
            return Response::say("There is no mark to remove");
        };
        self.select(subject, place);
        match undone.len() {
            1 => Response::Handled,
            marks => Response::Say(format!("{marks} marks removed")),
        }
    }

    /// Goes to the next filter that shows anything.
    pub(in crate::review) fn next_filter(&mut self, subject: &mut ReviewSubject) -> Response {
        let next = subject.next_filter();
        self.changed(subject);
        let list = &subject.list;
        let (shown, hidden) = (list.shown_count(), list.hidden_count());
        match list.find(|_, _| true).filter(|_| list.is_hidden(list.at())) {
            Some(place) => self.select(subject, place),
            None => self.reveal(subject),
        }
        let shown = counted(shown, "hunk");
        Response::Say(match next {
            None | Some(ReviewFilter::All) => format!("No filter: {shown} shown"),
            Some(filter) => {
                let word = filter.word();
                format!("Filter {word}: {shown} shown, {hidden} hidden")
            }
        })
    }

    /// Selects a match of the search.
    pub(in crate::review) fn show_match(&mut self, subject: &mut ReviewSubject, place: LinePlace) {
        let LinePlace { hunk, line } = place;
        if subject.list.at() != hunk {
            self.select(subject, hunk);
        }
        if subject.list.selected_hunk().is_some() {
            self.show_line(subject, line);
        }
    }

    /// Brings a line of the selected hunk to view.
    pub(in crate::review) fn show_line(&mut self, subject: &ReviewSubject, line: usize) {
        // The head comes first, and what must not be missed.
        let hunk = subject.list.selected_hunk();
        let above = hunk.map_or(0, |hunk| 1 + warnings(hunk, subject.names()).len());
        self.diff
            .show_line(&self.style.scene(subject), above + line);
    }
}
