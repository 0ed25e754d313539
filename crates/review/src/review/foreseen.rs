//! Revert preview, shown while the question is open.
//!
//! In: the preview, keys that scroll, a width and a height. Out: the rows in sight. Rows are laid
//! out once for a width.

use signoff_core::stage::review::{RevertOutcome, RevertTarget};

use super::hunk_lines::revert_rows;
use crate::row_window::{RowWindow, Scroll};
use crate::wrap::Row;

/// A preview on the screen.
#[derive(Debug)]
pub struct Foreseen {
    preview: RevertOutcome,
    /// The preview as rows of a width, once it was laid out.
    rows: Vec<Row>,
    width: Option<usize>,
    window: RowWindow,
}

impl Foreseen {
    /// Shows a preview from its beginning.
    pub fn new(preview: RevertOutcome) -> Self {
        Self {
            preview,
            rows: Vec::new(),
            width: None,
            window: RowWindow::default(),
        }
    }

    /// Returns what is to be taken back so that what is shown goes back and no more; none if nothing would.
    pub fn offered(self) -> Option<RevertTarget> {
        self.preview.offered
    }

    /// Moves by a screen, or to an end.
    pub fn scroll(&mut self, scroll: Scroll) {
        self.window.scroll(scroll);
    }

    /// Decides which rows are shown in `room` rows of `width` columns.
    pub fn lay_out(&mut self, width: usize, room: usize) {
        if self.width != Some(width) {
            self.rows = revert_rows(&self.preview, width);
            self.width = Some(width);
        }
        self.window.fit(self.rows.len(), room);
    }

    /// Returns the rows that were decided on.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.window.of(&self.rows)
    }

    /// Returns which of how many rows are shown, if some are not.
    pub fn position(&self) -> String {
        self.window.position(self.rows.len())
    }
}
