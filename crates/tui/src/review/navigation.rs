//! Moving through the review.
//!
//! In: keys that move, search or filter. Out: another selected hunk, in sight.

use std::collections::HashSet;

use signoff_core::id::HunkId;
use signoff_core::plural::counted;

use super::filter::ReviewFilter;
use super::list::HunkPlace;
use super::search::LinePlace;
use super::{Outcome, Review, say};

impl Review {
    pub(super) fn select(&mut self, place: HunkPlace) {
        let is_other_file = self.subject.list.select(place);
        self.presentation
            .follow_selection(&self.subject, is_other_file);
    }

    pub(super) fn forward(&mut self) {
        if !self.presentation.scroll_on(&self.subject)
            && let Some(place) = self.subject.list.next()
        {
            self.select(place);
        }
    }

    pub(super) fn back(&mut self) {
        if self.presentation.scroll_back(&self.subject) {
            return;
        }
        match self.subject.list.previous() {
            Some(place) => self.select(place),
            None => self.presentation.scroll_to_file(&self.subject),
        }
    }

    /// Scrolls by a screen, and selects a hunk that is in sight there.
    pub(super) fn scroll_screen(&mut self, down: bool) {
        let place = self.presentation.scroll_screen(&self.subject, down);
        self.subject.list.select(place);
    }

    /// Scrolls to the first row or the last, and selects the first hunk or the last.
    pub(super) fn scroll_to_end(&mut self, last: bool) {
        let place = self.presentation.end_of_scroll(&self.subject, last);
        self.subject.list.select(place);
        self.presentation.scroll_to_end(&self.subject, last);
    }

    /// Selects the next file of which anything is shown, or the one before.
    pub(super) fn select_file(&mut self, is_next: bool) {
        let list = &self.subject.list;
        let place = if is_next {
            list.next_file()
        } else {
            list.previous_file()
        };
        if let Some(place) = place {
            self.select(place);
        }
    }

    /// Goes to the next filter that shows anything.
    pub(super) fn next_filter(&mut self) -> Outcome {
        let next = self.subject.next_filter();
        self.presentation.changed(&self.subject);
        let list = &self.subject.list;
        let (shown, hidden) = (list.shown_count(), list.hidden_count());
        match list.find(|_, _| true).filter(|_| list.is_hidden(list.at())) {
            Some(place) => self.select(place),
            None => self.presentation.reveal(&self.subject),
        }
        let shown = counted(shown, "hunk");
        Outcome::Say(match next {
            None | Some(ReviewFilter::All) => format!("No filter: {shown} shown"),
            Some(filter) => {
                let word = filter.word();
                format!("Filter {word}: {shown} shown, {hidden} hidden")
            }
        })
    }
}

/// Hunks without a mark.
impl Review {
    /// Selects the next match of the search, or else the next hunk without a mark.
    pub(super) fn go_to_next(&mut self) -> Outcome {
        if self.search.is_active() {
            let found = self.search.next();
            return self.go_to_match(found);
        }
        let list = &self.subject.list;
        let after = list.next().unwrap_or_default();
        self.go_to_unmarked(self.subject.next_open(after))
    }

    /// Selects the match of the search before the selected one, or else the hunk without a mark.
    pub(super) fn go_to_previous(&mut self) -> Outcome {
        if self.search.is_active() {
            let found = self.search.previous();
            return self.go_to_match(found);
        }
        self.go_to_unmarked(self.subject.previous_open())
    }

    fn go_to_unmarked(&mut self, place: Option<HunkPlace>) -> Outcome {
        let at = self.subject.list.at();
        match place.filter(|place| *place != at) {
            Some(place) => {
                self.select(place);
                Outcome::Handled
            }
            None => say("No other hunk is without a mark"),
        }
    }

    /// Selects the first of the hunks whose marks were taken back.
    pub(super) fn go_to_undone(&mut self, undone: &HashSet<HunkId>) -> Outcome {
        let list = &self.subject.list;
        let Some(place) = list.find(|_, hunk| undone.contains(&hunk.id)) else {
            return say("There is no mark to take back");
        };
        self.select(place);
        match undone.len() {
            1 => Outcome::Handled,
            marks => Outcome::Say(format!("{marks} marks taken back")),
        }
    }
}

/// Search.
impl Review {
    /// Begins a search at the selected hunk.
    pub(super) fn begin_search(&mut self) -> Outcome {
        self.search.begin(self.subject.list.at());
        Outcome::AskQuery
    }

    /// Looks for a query while it is typed.
    pub(crate) fn find_query(&mut self, query: &str) {
        match self.search.find(query, self.subject.list.files()) {
            Some(place) => self.show_match(place),
            None if query.is_empty() => self.select(self.search.origin()),
            None => {}
        }
    }

    /// Ends the search; false if there was none.
    pub(crate) fn end_search(&mut self) -> bool {
        self.search.end()
    }

    /// Ends a search that is being typed, and goes back to where it began.
    pub(crate) fn drop_search(&mut self) {
        let origin = self.search.origin();
        self.search.end();
        self.select(origin);
    }

    /// Returns true if anything was found.
    pub(crate) fn finds(&self) -> bool {
        self.search.finds()
    }

    /// Returns which match is selected, and of how many.
    pub(crate) fn search_count(&self) -> Option<String> {
        self.search.count()
    }

    fn go_to_match(&mut self, found: Option<LinePlace>) -> Outcome {
        if let Some(place) = found {
            self.show_match(place);
        }
        Outcome::Handled
    }

    fn show_match(&mut self, LinePlace { hunk, line }: LinePlace) {
        if self.subject.list.at() != hunk {
            self.select(hunk);
        }
        if self.subject.list.selected_hunk().is_some() {
            self.presentation.show_line(&self.subject, line);
        }
    }
}
