//! Places page: an edit that fits several places, for the user to choose one.
//!
//! In: the question, keys that scroll, a size. Out: rows.
//!
//! ```text
//! close the handle
//! 1  line 2
//!      1 fn first() {
//!      2     done()
//! ```

use signoff_core::engine::PlaceQuestion;

use crate::markdown;
use crate::row_window::{RowWindow, Scroll};
use crate::theme::Role;
use crate::wrap::{Break, Row};

/// The edits that fit several places, as last told.
#[derive(Debug, Default)]
pub struct OpenPlaces {
    questions: Vec<PlaceQuestion>,
    is_stale: bool,
}

impl OpenPlaces {
    /// Takes over that a call failed, or that something was staged, by which one may be settled.
    pub fn outdate(&mut self, has_failed: bool) {
        self.is_stale |= has_failed || !self.questions.is_empty();
    }

    /// Returns true once if the edits are to be asked for.
    pub fn take_wanted(&mut self) -> bool {
        std::mem::take(&mut self.is_stale)
    }

    /// Takes over the edits, and returns those that are new.
    pub fn take(&mut self, questions: Vec<PlaceQuestion>) -> Vec<PlaceQuestion> {
        let before = std::mem::replace(&mut self.questions, questions);
        let known = |own: &PlaceQuestion| before.iter().any(|known| known.id == own.id);
        let new = self.questions.iter().filter(|own| !known(own));
        new.cloned().collect()
    }

    /// Returns true if an edit waits for a place.
    pub fn has(&self, id: u64) -> bool {
        self.questions.iter().any(|own| own.id == id)
    }

    /// Returns the newest edit that waits for a place.
    pub fn newest(&self) -> Option<&PlaceQuestion> {
        self.questions.last()
    }

    /// Takes over that a place was chosen.
    pub fn chosen(&mut self, id: u64) {
        self.questions.retain(|own| own.id != id);
    }
}

/// The places of one edit.
#[derive(Debug)]
pub struct PlacesPage {
    question: PlaceQuestion,
    rows: Vec<Row>,
    window: RowWindow,
}

impl PlacesPage {
    /// Returns the page of a question.
    pub fn new(question: PlaceQuestion) -> Self {
        Self {
            question,
            rows: Vec::new(),
            window: RowWindow::default(),
        }
    }

    /// Returns the id of the question.
    pub fn id(&self) -> u64 {
        self.question.id
    }

    /// Returns how many places there are.
    pub fn places(&self) -> usize {
        self.question.candidates.len()
    }

    /// Returns what the page is called.
    pub fn title(&self) -> String {
        format!("{}: {} places fit", self.question.path, self.places())
    }

    /// Moves by a screen, or to an end.
    pub fn scroll(&mut self, scroll: Scroll) {
        self.window.scroll(scroll);
    }

    /// Decides which rows are shown in `room` rows of `width` columns.
    pub fn lay_out(&mut self, width: usize, room: usize) {
        const HANG: usize = 6;
        let said = self.said();
        let rows = said.iter();
        // Description and lines are the model's.
        let rows = rows.flat_map(|row| markdown::said(row, width, HANG, Break::Words));
        self.rows = rows.collect();
        self.window.fit(self.rows.len(), room);
    }

    /// Returns the rows that were decided on.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.window.of(&self.rows)
    }

    fn said(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        if !self.question.description.trim().is_empty() {
            rows.push(Row::new(Role::Text, &self.question.description));
        }
        for (number, place) in (1..).zip(&self.question.candidates) {
            rows.push(Row::default());
            let line = format!("  line {}", place.line);
            rows.push(Row::new(Role::Key, &format!("{number}")).with(Role::Hunk, &line));
            let lines = place.excerpt.lines();
            rows.extend(lines.map(|line| {
                let mut row = Row::new(Role::Text, "   ");
                row.push_counted(Role::Text, line);
                row
            }));
        }
        rows
    }
}
