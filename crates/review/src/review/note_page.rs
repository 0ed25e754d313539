//! Note page: what is known of a hunk, to be read: who wrote its old lines, or how it was placed.
//!
//! In: what was asked about and the answer, keys that scroll, a size. Out: rows.

use signoff_core::engine::{HunkBlame, Placement};
use signoff_core::id::{HunkId, ProposalId, Timestamp};

use super::{blame_rows, placement_rows};
use crate::row_window::{RowWindow, Scroll};
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// What a page is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoteSubject {
    /// Who wrote the old lines of a hunk.
    Blame(HunkId),
    /// How a proposal was placed.
    Placement(ProposalId),
}

/// A page that is read.
#[derive(Clone, Debug)]
pub struct NotePage {
    subject: NoteSubject,
    /// One row a statement, once it was told.
    said: Option<Vec<Row>>,
    rows: Vec<Row>,
    width: Option<usize>,
    window: RowWindow,
}

impl NotePage {
    /// Returns the page about the authors of a hunk's old lines.
    pub fn blame(hunk: HunkId) -> Self {
        Self::new(NoteSubject::Blame(hunk))
    }

    /// Returns the page about how a proposal was placed.
    pub fn placement(proposal: ProposalId) -> Self {
        Self::new(NoteSubject::Placement(proposal))
    }

    fn new(subject: NoteSubject) -> Self {
        Self {
            subject,
            said: None,
            rows: Vec::new(),
            width: None,
            window: RowWindow::default(),
        }
    }

    /// Takes over who wrote the old lines of a hunk, if the page is about them.
    pub fn take_blame(&mut self, blame: &HunkBlame, now: Timestamp) {
        if self.subject == NoteSubject::Blame(blame.hunk) {
            self.say(blame_rows::rows(blame, now));
        }
    }

    /// Takes over how a proposal was placed, if the page is about it; none if it is not staged any more.
    pub fn take_placement(&mut self, proposal: ProposalId, placement: Option<&Placement>) {
        if self.subject == NoteSubject::Placement(proposal) {
            self.say(match placement {
                Some(placement) => placement_rows::rows(placement),
                None => vec![Row::new(Role::Dim, "It is not staged any more.")],
            });
        }
    }

    fn say(&mut self, said: Vec<Row>) {
        self.said = Some(said);
        self.width = None;
    }

    /// Returns what the page is called.
    pub fn title(&self) -> String {
        let name = match self.subject {
            NoteSubject::Blame(_) => "Who wrote these lines",
            NoteSubject::Placement(_) => "How it was placed",
        };
        format!("{name}{}", self.window.position(self.rows.len()))
    }

    /// Moves by a screen, or to an end.
    pub fn scroll(&mut self, scroll: Scroll) {
        self.window.scroll(scroll);
    }

    /// Decides which rows are shown in `room` rows of `width` columns.
    pub fn lay_out(&mut self, width: usize, room: usize) {
        const HANG: usize = 4;
        if self.width != Some(width) {
            let waiting = [Row::new(Role::Dim, "Looking...")];
            let said = self.said.as_deref().unwrap_or(&waiting);
            let rows = said.iter();
            let rows = rows.flat_map(|row| wrap::wrap(row, width, HANG, Break::Words));
            self.rows = rows.collect();
            self.width = Some(width);
        }
        self.window.fit(self.rows.len(), room);
    }

    /// Returns the rows that were decided on.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.window.of(&self.rows)
    }
}
