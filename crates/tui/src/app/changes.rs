//! Overlays about changes: what they come to, who wrote lines, how a hunk was placed.
//!
//! In: keys and commands that open them, and the answers. Out: queries for the session.

use signoff_core::engine::PlaceQuestion;
use signoff_llm::session::{ChangeAnswer, ChangeQuery, Command};

use super::overlay::Overlay;
use super::type_ahead::Cause;
use super::{App, notes};
use crate::review::diff_page::DiffPage;
use crate::review::history::HistoryOutcome;
use crate::review::note_page::NotePage;
use crate::review::places_page::PlacesPage;

impl App {
    /// Lays a diff over the panes; it is asked for at once.
    pub(super) fn open_diff(&mut self, page: DiffPage) -> Vec<Command> {
        self.focus.open_overlay(Overlay::Diff(Box::new(page)));
        Vec::new()
    }

    /// Returns the query for the diff that is shown, if it is to be asked for.
    pub(super) fn ask_for_diff(&mut self) -> Option<Command> {
        let scope = self.focus.overlay_mut()?.wanted()?;
        Some(Command::Query(ChangeQuery::Diff(scope)))
    }

    /// Takes over that files or staged work changed.
    pub(super) fn outdate_diff(&mut self) {
        if let Some(overlay) = self.focus.overlay_mut() {
            overlay.outdate();
        }
    }

    /// Takes over what there is to see of changes.
    pub(super) fn on_answer(&mut self, answer: ChangeAnswer) {
        match answer {
            ChangeAnswer::Unplaced(places) => self.on_places(places),
            ChangeAnswer::Diff(_) | ChangeAnswer::Blame(_) | ChangeAnswer::Placement(_) => {
                if let Some(overlay) = self.focus.overlay_mut() {
                    overlay.take(answer, self.now);
                }
            }
        }
    }

    /// Takes over that a call failed, or that something was staged: which edits fit several places is asked anew.
    pub(super) fn look_for_places(&mut self, has_failed: bool) {
        self.places.outdate(has_failed);
    }

    /// Returns the query for edits that fit several places, if it is to be asked.
    pub(super) fn ask_for_places(&mut self) -> Option<Command> {
        let is_wanted = self.places.take_wanted();
        is_wanted.then_some(Command::Query(ChangeQuery::Unplaced))
    }

    fn on_places(&mut self, places: Vec<PlaceQuestion>) {
        for new in self.places.take(places) {
            let count = new.candidates.len();
            let text = format!("{}: {count} places fit; /places shows them", new.path);
            self.transcript.remark(notes::info(&text));
        }
        let shown = self.focus.overlay().and_then(Overlay::places);
        if shown.is_some_and(|page| !self.places.has(page.id())) {
            self.focus.close_overlay();
            self.status
                .say("The edit does not wait for a place any more");
        }
    }

    /// Shows the places of the newest edit that fits several.
    pub(super) fn open_places(&mut self) -> Vec<Command> {
        match self.places.newest() {
            Some(question) => {
                let page = PlacesPage::new(question.clone());
                self.focus.open_overlay(Overlay::Places(Box::new(page)));
                self.focus.guard(Cause::Question);
            }
            None => self.status.say("No edit waits for a place"),
        }
        Vec::new()
    }

    /// Takes a place of the edit that is shown.
    pub(super) fn choose_place(&mut self, choice: usize) -> Vec<Command> {
        let Some(page) = self.focus.overlay().and_then(Overlay::places) else {
            return Vec::new();
        };
        if choice >= page.places() {
            self.status.say("There is no such place");
            return Vec::new();
        }
        let question = page.id();
        self.places.chosen(question);
        self.focus.close_overlay();
        vec![Command::Place { question, choice }]
    }

    /// Shows who wrote the old lines of the selected hunk.
    pub(super) fn show_blame(&mut self) -> Vec<Command> {
        let hunk = self.review.list().selected_hunk().map(|hunk| hunk.id);
        self.show_note(hunk.map(NotePage::blame))
    }

    /// Shows how the selected hunk was placed.
    pub(super) fn show_placement(&mut self) -> Vec<Command> {
        let hunk = self.review.list().selected_hunk().map(|hunk| hunk.id);
        self.show_note(hunk.map(|hunk| NotePage::placement(hunk.proposal)))
    }

    fn show_note(&mut self, page: Option<NotePage>) -> Vec<Command> {
        let Some(page) = page else {
            self.status.say("No hunk is selected");
            return Vec::new();
        };
        let query = page.query();
        self.focus.open_overlay(Overlay::Note(Box::new(page)));
        vec![Command::Query(query)]
    }

    /// Does what a key of the history came to.
    pub(super) fn on_history_outcome(&mut self, outcome: HistoryOutcome) -> Vec<Command> {
        match outcome {
            HistoryOutcome::Handled => Vec::new(),
            HistoryOutcome::Ask(question) => self.ask(question),
            HistoryOutcome::Say(line) => {
                self.status.say(line);
                Vec::new()
            }
            HistoryOutcome::Show(scope, name) => {
                let mut page = DiffPage::new(scope, name);
                page.is_over_history = true;
                self.open_diff(page)
            }
        }
    }
}
