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

use crate::theme::Role;
use crate::transcript::Scroll;
use crate::wrap::{self, Break, Row};

/// The places of one edit.
#[derive(Debug)]
pub(crate) struct PlacesPage {
    question: PlaceQuestion,
    rows: Vec<Row>,
    top: usize,
    room: usize,
}

impl PlacesPage {
    /// Returns the page of a question.
    pub(crate) fn new(question: PlaceQuestion) -> Self {
        Self {
            question,
            rows: Vec::new(),
            top: 0,
            room: 1,
        }
    }

    /// Returns the id of the question.
    pub(crate) fn id(&self) -> u64 {
        self.question.id
    }

    /// Returns how many places there are.
    pub(crate) fn places(&self) -> usize {
        self.question.candidates.len()
    }

    /// Returns what the page is called.
    pub(crate) fn title(&self) -> String {
        format!("{}: {} places fit", self.question.path, self.places())
    }

    /// Moves by a screen, or to an end.
    pub(crate) fn scroll(&mut self, scroll: Scroll) {
        let page = self.room.saturating_sub(1).max(1);
        self.top = match scroll {
            Scroll::PageUp => self.top.saturating_sub(page),
            Scroll::PageDown => self.top.saturating_add(page),
            Scroll::Top => 0,
            Scroll::Bottom => usize::MAX,
        };
    }

    /// Decides which rows are shown in `room` rows of `width` columns.
    pub(crate) fn lay_out(&mut self, width: usize, room: usize) {
        const HANG: usize = 6;
        let said = self.said();
        let rows = said.iter();
        let rows = rows.flat_map(|row| wrap::wrap(row, width, HANG, Break::Words));
        self.rows = rows.collect();
        self.room = room.max(1);
        self.top = self.top.min(self.rows.len().saturating_sub(self.room));
    }

    /// Returns the rows that were decided on.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().skip(self.top).take(self.room)
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
