//! Moving through the review.
//!
//! In: keys that move. Out: another selected hunk, and other rows on the screen.

use super::Review;
use super::list::HunkPlace;

impl Review {
    /// Brings the selected hunk to view.
    pub(super) fn reveal(&mut self) {
        let (diff, scene) = self.parts();
        diff.reveal(&scene);
    }

    pub(super) fn select(&mut self, place: HunkPlace) {
        let is_other = self.list.select(place);
        if is_other && self.arrangement.is_single() {
            let (diff, scene) = self.parts();
            diff.scroll_to_file(&scene);
        }
        self.reveal();
    }

    pub(super) fn forward(&mut self) {
        let (diff, scene) = self.parts();
        if diff.scroll_on(&scene) {
            return;
        }
        if let Some(place) = self.list.next() {
            self.select(place);
        }
    }

    pub(super) fn back(&mut self) {
        let (diff, scene) = self.parts();
        if diff.scroll_back(&scene) {
            return;
        }
        match self.list.previous() {
            Some(place) => self.select(place),
            None => {
                let (diff, scene) = self.parts();
                diff.scroll_to_file(&scene);
            }
        }
    }

    /// Scrolls by a screen, and selects a hunk that is in sight there.
    pub(super) fn scroll_screen(&mut self, down: bool) {
        let (diff, scene) = self.parts();
        diff.scroll_screen(&scene, down);
        let place = diff.follow(&scene);
        self.list.select(place);
    }

    /// Scrolls to the first row or the last, and selects the first hunk or the last.
    pub(super) fn scroll_to_end(&mut self, last: bool) {
        let at = self.list.at().file;
        let file = match (self.arrangement.is_single(), last) {
            (true, _) => at,
            (false, false) => 0,
            (false, true) => self.list.files().len().saturating_sub(1),
        };
        let end = self.list.hunks_of(file).saturating_sub(1);
        let hunk = if last { end } else { 0 };
        self.list.select(HunkPlace { file, hunk });
        let (diff, scene) = self.parts();
        diff.scroll_to_end(&scene, last);
    }
}
