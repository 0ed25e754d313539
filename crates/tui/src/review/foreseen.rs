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
    laid_out: Option<(usize, Vec<Row>)>,
    top: usize,
    room: usize,
}

impl Foreseen {
    /// Shows a preview from its beginning.
    pub(crate) fn new(preview: RevertPreview) -> Self {
        Self {
            preview,
            laid_out: None,
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

    /// Returns the rows in sight, and which of how many they are.
    pub(crate) fn rows(&mut self, width: usize, room: usize) -> (Vec<Row>, String) {
        self.room = room;
        if self
            .laid_out
            .as_ref()
            .is_none_or(|(laid_out, _)| *laid_out != width)
        {
            self.laid_out = Some((width, revert_rows(&self.preview, width)));
        }
        let all = self.laid_out.as_ref().map_or(&[][..], |(_, rows)| rows);
        self.top = self.top.min(all.len().saturating_sub(room));
        let shown: Vec<Row> = all.iter().skip(self.top).take(room).cloned().collect();
        let position = if all.len() > room {
            format!(
                "  {}-{} of {}",
                self.top + 1,
                self.top + shown.len(),
                all.len()
            )
        } else {
            String::new()
        };
        (shown, position)
    }
}
