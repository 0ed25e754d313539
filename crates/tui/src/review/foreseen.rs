//! Revert preview, shown while the question is open.
//!
//! In: the preview, keys that scroll, a width and a height. Out: the rows in sight. Rows are laid
//! out once for a width.

use signoff_core::review::RevertPreview;

use super::hunk_lines::revert_rows;
use crate::transcript::Scroll;
use crate::wrap::Row;

/// A preview on the screen.
#[derive(Debug)]
pub(crate) struct Foreseen {
    preview: RevertPreview,
    /// The preview as rows of a width, once it was laid out.
    rows: Vec<Row>,
    width: Option<usize>,
    top: usize,
    room: usize,
}

impl Foreseen {
    /// Shows a preview from its beginning.
    pub(crate) fn new(preview: RevertPreview) -> Self {
        Self {
            preview,
            rows: Vec::new(),
            width: None,
            top: 0,
            room: 1,
        }
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
        self.room = room;
        if self.width != Some(width) {
            self.rows = revert_rows(&self.preview, width);
            self.width = Some(width);
        }
        self.top = self.top.min(self.rows.len().saturating_sub(room));
    }

    /// Returns the rows that were decided on.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().skip(self.top).take(self.room)
    }

    /// Returns which of how many rows are shown, if some are not.
    pub(crate) fn position(&self) -> String {
        if self.rows.len() <= self.room {
            return String::new();
        }
        let (shown, all) = (self.rows().count(), self.rows.len());
        format!("  {}-{} of {all}", self.top + 1, self.top + shown)
    }
}
