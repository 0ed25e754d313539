//! Changes beside the review: the history of what was written, and edits that wait for a place.
//!
//! In: keys and commands about them, and what the session tells of them. Out: what is asked, shown or said.

use signoff_core::engine::PlaceQuestion;
use signoff_llm::session::Command;

use super::dialog::Dialog;
use super::overlay::Overlay;
use super::{App, Query};
use crate::event_lines;
use crate::response::{Response, RevertQuestion};
use crate::review::places_page::PlacesPage;

/// What was written.
impl App {
    /// Shows the history, as it is told anew.
    pub(super) fn open_history(&mut self) {
        self.history.list_changes();
        self.focus.open_overlay(Overlay::History);
        self.query(Query::History);
    }

    /// Asks to take back the last change of a file, or else of the selected one.
    pub(super) fn revert_last(&mut self, path: Option<&str>) {
        let selected = self.review.list().selected_path();
        let question = self.history.ask_revert(path, selected);
        self.ask_about_history(question);
    }

    /// Asks to take back all of the last changeset.
    pub(super) fn undo(&mut self) {
        self.ask_about_history(self.history.ask_undo());
    }

    /// Asks to put back what was last taken back.
    pub(super) fn redo(&mut self) {
        self.ask_about_history(self.history.ask_redo());
    }

    /// Asks about all files of the changeset of which the question is about a part.
    pub(super) fn ask_whole(&mut self) {
        if let Some(changeset) = self.focus.dialog().and_then(Dialog::whole) {
            self.respond(Response::AskRevert(self.history.whole(changeset)));
        }
    }

    /// Asks this, or says why there is nothing to ask; both are for a history that is known.
    fn ask_about_history(&mut self, question: Result<RevertQuestion, String>) {
        if !self.history.is_known() {
            self.status.say("The history has not arrived yet");
            return self.query(Query::History);
        }
        match question {
            Ok(question) => self.respond(Response::AskRevert(question)),
            Err(nothing) => self.status.say(nothing),
        }
    }
}

/// Edits that wait for a place.
impl App {
    /// Takes over the edits that wait for a place. New ones are named; a page whose edit does not wait any more is closed.
    pub fn show_places(&mut self, places: Vec<PlaceQuestion>) {
        for new in self.places.take(places) {
            let count = new.candidates.len();
            let text = format!("{}: {count} places fit; /places shows them", new.path);
            self.transcript.remark(event_lines::info(&text));
        }
        let shown = self.focus.overlay().and_then(Overlay::places);
        if shown.is_some_and(|page| !self.places.has(page.id())) {
            self.focus.close_overlay();
            self.status
                .say("The edit does not wait for a place any more");
        }
    }

    /// Shows the places of the newest edit that fits several.
    pub(super) fn open_places(&mut self) {
        match self.places.newest() {
            Some(question) => {
                let page = PlacesPage::new(question.clone());
                self.focus.open_overlay(Overlay::Places(Box::new(page)));
            }
            None => self.status.say("No edit waits for a place"),
        }
    }

    /// Takes a place of the edit that the page of places shows, counted from 0.
    pub(super) fn choose_place(&mut self, choice: usize) {
        let Some(page) = self.focus.overlay().and_then(Overlay::places) else {
            return;
        };
        if choice >= page.places() {
            return self.status.say("There is no such place");
        }
        let question = page.id();
        self.places.chosen(question);
        self.focus.close_overlay();
        self.ask(Command::Place { question, choice });
    }
}
