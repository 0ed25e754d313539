//! The mouse in the review: a click selects the file or the hunk that it is on, and the wheel scrolls.
//!
//! In: a row and a column of the pane. Out: another selection. No click gives a verdict.

use super::Presentation;
use crate::review::list::HunkPlace;
use crate::review::rows;
use crate::review::subject::ReviewSubject;

impl Presentation {
    /// Selects what is on a row and a column of the pane; false if nothing there can be selected.
    pub(in crate::review) fn click(
        &mut self,
        subject: &mut ReviewSubject,
        (column, row): (usize, usize),
        height: usize,
    ) -> bool {
        let place = self.place_at(subject, (column, row), height);
        if let Some(place) = place {
            self.select(subject, place);
        }
        place.is_some()
    }

    fn place_at(
        &self,
        subject: &ReviewSubject,
        (column, row): (usize, usize),
        height: usize,
    ) -> Option<HunkPlace> {
        let list = &subject.list;
        let row = row.checked_sub(usize::from(height >= rows::TITLED))?;
        let first_of = |file| Some(HunkPlace { file, hunk: 0 });
        let row = match self.tree_columns(subject) {
            Some(columns) if column < columns => {
                let rows = height.saturating_sub(1);
                return first_of(self.tree.file_at(row, list.at().file, rows)?);
            }
            Some(_) => row,
            None => {
                let count =
                    rows::heading(list, false, height) - usize::from(height >= rows::TITLED);
                match rows::files_listed(list, height).nth(row) {
                    Some(file) => return first_of(file),
                    None => row.checked_sub(count)?,
                }
            }
        };
        if self.diff.is_pinned() && row == 0 {
            return None;
        }
        let row = row - usize::from(self.diff.is_pinned());
        let shown = self.diff.screen().get(row)?;
        let hunk = shown.hunk.unwrap_or(0);
        Some(HunkPlace {
            file: shown.file,
            hunk,
        })
    }

    /// Scrolls by a notch of the wheel, and selects a hunk that is in sight there.
    pub(in crate::review) fn wheel(&mut self, subject: &mut ReviewSubject, down: bool) {
        let scene = self.style.scene(subject);
        self.diff
            .scroll_rows(&scene, down, crate::row_window::WHEEL_ROWS);
        let place = self.diff.follow(&scene);
        subject.list.select(place);
    }
}
