//! Changes beside the review: the history of what was written, and edits that wait for a place.
//!
//! In: keys and commands about them, and what the session tells of them. Out: what is asked, shown or said.

use signoff_core::engine::PlaceQuestion;
use signoff_core::id::ChangesetId;
use signoff_llm::session::Command;

use super::Query;
use super::overlay::Overlay;
use crate::review::diff_page::DiffPage;
use crate::review::history::{History, HistoryKey, HistoryOutcome, RevertQuestion};
use crate::review::places_page::{OpenPlaces, PlacesPage};

/// What was written, and what is not staged yet since it fits several places.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) history: History,
    places: OpenPlaces,
}

/// What a key or a command about changes comes to.
#[derive(Debug)]
pub(super) enum ChangesOutcome {
    /// The screen shows it.
    Handled,
    /// This is to be said.
    Say(String),
    /// The history has not arrived yet, and is to be asked for.
    AwaitHistory,
    /// This is to be asked before something is taken back.
    Ask(RevertQuestion),
    /// This is to be shown.
    Show(Overlay),
    /// The edit goes to a place; the page of its places is over.
    Place(Command),
}

/// What was written.
impl Changes {
    /// Does what a key asks in the history.
    pub(super) fn handle(&mut self, key: HistoryKey) -> ChangesOutcome {
        match self.history.handle(key) {
            HistoryOutcome::Handled => ChangesOutcome::Handled,
            HistoryOutcome::Ask(question) => ChangesOutcome::Ask(question),
            HistoryOutcome::Say(line) => ChangesOutcome::Say(line.to_owned()),
            HistoryOutcome::Show(scope, name) => {
                let mut page = DiffPage::new(scope, name);
                page.is_over_history = true;
                ChangesOutcome::Show(Overlay::Diff(Box::new(page)))
            }
        }
    }

    /// Returns the history as it is opened.
    pub(super) fn open_history(&mut self) -> Overlay {
        self.history.select_newest();
        Overlay::History
    }

    /// Asks to take back the last change of a file, or else of the selected one.
    pub(super) fn ask_revert(&self, path: Option<&str>, selected: Option<&str>) -> ChangesOutcome {
        self.ask(|history| history.ask_revert(path, selected))
    }

    /// Asks to take back all of the last changeset.
    pub(super) fn ask_undo(&self) -> ChangesOutcome {
        self.ask(History::ask_undo)
    }

    /// Asks to put back what was last taken back.
    pub(super) fn ask_redo(&self) -> ChangesOutcome {
        self.ask(History::ask_redo)
    }

    /// Asks about all files of a changeset.
    pub(super) fn ask_whole(&self, changeset: ChangesetId) -> ChangesOutcome {
        ChangesOutcome::Ask(self.history.whole(changeset))
    }

    /// Asks what the history has to ask, or says that there is nothing.
    fn ask(
        &self,
        question: impl FnOnce(&History) -> Result<RevertQuestion, String>,
    ) -> ChangesOutcome {
        if !self.history.is_known() {
            return ChangesOutcome::AwaitHistory;
        }
        match question(&self.history) {
            Ok(question) => ChangesOutcome::Ask(question),
            Err(nothing) => ChangesOutcome::Say(nothing),
        }
    }
}

/// Edits that wait for a place.
impl Changes {
    /// Takes over that a call failed, or that something was staged: which edits fit several places is asked anew.
    pub(super) fn outdate_places(&mut self, has_failed: bool) {
        self.places.outdate(has_failed);
    }

    /// Returns once the query for edits that fit several places, if it is to be asked.
    pub(super) fn query(&mut self) -> Option<Query> {
        self.places.take_wanted().then_some(Query::Unplaced)
    }

    /// Takes over the edits that wait for a place, and returns what is said of new ones.
    pub(super) fn take_places(&mut self, places: Vec<PlaceQuestion>) -> Vec<String> {
        let new = self.places.take(places).into_iter();
        let said = new.map(|new| {
            let count = new.candidates.len();
            format!("{}: {count} places fit; /places shows them", new.path)
        });
        said.collect()
    }

    /// Returns whether the edit of a page still waits for a place.
    pub(super) fn awaits_place(&self, page: &PlacesPage) -> bool {
        self.places.has(page.id())
    }

    /// Shows the places of the newest edit that fits several.
    pub(super) fn open_places(&self) -> ChangesOutcome {
        match self.places.newest() {
            Some(question) => {
                let page = PlacesPage::new(question.clone());
                ChangesOutcome::Show(Overlay::Places(Box::new(page)))
            }
            None => ChangesOutcome::Say("No edit waits for a place".to_owned()),
        }
    }

    /// Takes a place of the edit that a page shows.
    pub(super) fn choose_place(&mut self, page: &PlacesPage, choice: usize) -> ChangesOutcome {
        if choice >= page.places() {
            return ChangesOutcome::Say("There is no such place".to_owned());
        }
        let question = page.id();
        self.places.chosen(question);
        ChangesOutcome::Place(Command::Place { question, choice })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signoff_core::edit::locate::Candidate;

    #[test]
    fn nothing_is_asked_before_the_history_is_known() {
        let mut changes = Changes::default();
        let asked = |changes: &Changes| {
            [
                changes.ask_undo(),
                changes.ask_redo(),
                changes.ask_revert(None, None),
            ]
        };
        for outcome in asked(&changes) {
            assert!(
                matches!(outcome, ChangesOutcome::AwaitHistory),
                "{outcome:?}"
            );
        }
        changes.history.set(Vec::new());
        for outcome in asked(&changes) {
            assert!(matches!(outcome, ChangesOutcome::Say(_)), "{outcome:?}");
        }
    }

    #[test]
    fn a_place_is_chosen_once_and_only_one_that_there_is() {
        let candidate = |line| Candidate {
            line,
            column: None,
            excerpt: String::new(),
        };
        let question = PlaceQuestion {
            id: 7,
            path: "a.rs".to_owned(),
            description: "close the handle".to_owned(),
            candidates: [3, 9].map(candidate).to_vec(),
        };
        let mut changes = Changes::default();
        let said = changes.take_places(vec![question.clone()]);
        assert_eq!(said, ["a.rs: 2 places fit; /places shows them"]);
        assert!(
            changes.take_places(vec![question.clone()]).is_empty(),
            "said once"
        );
        let page = PlacesPage::new(question);
        let refused = changes.choose_place(&page, 2);
        assert!(matches!(refused, ChangesOutcome::Say(_)), "{refused:?}");
        assert!(changes.awaits_place(&page));
        match changes.choose_place(&page, 1) {
            ChangesOutcome::Place(Command::Place { question, choice }) => {
                assert_eq!((question, choice), (7, 1));
            }
            other => panic!("{other:?}"),
        }
        assert!(!changes.awaits_place(&page));
    }
}
