//! Going through the matches of a search.
//!
//! In: keys, and the query as it is typed. Out: the line that is selected, in sight.

use super::hunk_lines::warnings;
use super::search::LinePlace;
use super::{Outcome, Review};

impl Review {
    /// Begins a search at the selected hunk.
    pub(super) fn begin_search(&mut self) -> Outcome {
        self.search.begin(self.list.at());
        Outcome::AskQuery
    }

    /// Looks for a query while it is typed.
    pub(crate) fn find_query(&mut self, query: &str) {
        let first = self.search.find(query, self.list.files());
        match first {
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

    /// Goes to the next match; nothing if no search is active.
    pub(super) fn next_match(&mut self) -> Option<Outcome> {
        let found = self.search.is_active().then(|| self.search.next())?;
        found.into_iter().for_each(|place| self.show_match(place));
        Some(Outcome::Handled)
    }

    /// Goes to the match before; nothing if no search is active.
    pub(super) fn previous_match(&mut self) -> Option<Outcome> {
        let found = self.search.is_active().then(|| self.search.previous())?;
        found.into_iter().for_each(|place| self.show_match(place));
        Some(Outcome::Handled)
    }

    fn show_match(&mut self, place: LinePlace) {
        let LinePlace { hunk, line } = place;
        if self.list.at() != hunk {
            self.select(hunk);
        }
        if let Some(own) = self.list.selected_hunk() {
            // The head comes first, and what must not be missed.
            let line = 1 + warnings(own, &self.verdicts.names).len() + line;
            let (diff, scene) = self.parts();
            diff.show_line(&scene, line);
        }
    }
}
