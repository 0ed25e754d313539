//! Row window: which of many rows are on the screen.
//!
//! In: keys that scroll, how many rows there are and how many fit. Out: the rows in sight, and their place in words.

use std::ops::Range;

use crate::wrap::Row;

/// How to move through rows that are more than fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scroll {
    /// One screen towards the start.
    PageUp,
    /// One screen towards the end.
    PageDown,
    /// To the start.
    Top,
    /// To the end, and stay there as it grows.
    Bottom,
    /// A notch of the mouse's wheel towards the start.
    WheelUp,
    /// A notch towards the end.
    WheelDown,
}

/// Rows that a notch of the wheel scrolls by, as terminals and editors do.
pub const WHEEL_ROWS: usize = 3;

/// The rows of a page that are on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowWindow {
    /// The first of them, as laid out last or as far as keys have moved since.
    top: usize,
    /// How many fit.
    room: usize,
}

impl RowWindow {
    /// Moves by a screen, of which a row stays in sight, or to an end.
    pub fn scroll(&mut self, scroll: Scroll) {
        let page = self.room.saturating_sub(1).max(1);
        self.top = match scroll {
            Scroll::PageUp => self.top.saturating_sub(page),
            Scroll::PageDown => self.top.saturating_add(page),
            Scroll::Top => 0,
            Scroll::Bottom => usize::MAX,
            Scroll::WheelUp => self.top.saturating_sub(WHEEL_ROWS),
            Scroll::WheelDown => self.top.saturating_add(WHEEL_ROWS),
        };
    }

    /// Moves to a row.
    pub fn go_to(&mut self, row: usize) {
        self.top = row;
    }

    /// Takes over that so many of `rows` rows fit; the last screen is full.
    pub fn fit(&mut self, rows: usize, room: usize) {
        self.room = room;
        self.top = self.top.min(rows.saturating_sub(room));
    }

    /// Moves as little as it takes to have these rows in sight, the first of them where they are more than fit.
    pub fn show(&mut self, rows: Range<usize>) {
        let lowest = rows.end.saturating_sub(self.room).min(rows.start);
        self.top = self.top.clamp(lowest, rows.start);
    }

    /// Returns the rows in sight.
    pub fn of<'a>(&self, rows: &'a [Row]) -> impl Iterator<Item = &'a Row> + use<'a> {
        rows.iter().skip(self.top).take(self.room)
    }

    /// Returns whether the last of so many rows is in sight.
    pub fn is_at_end(&self, rows: usize) -> bool {
        self.top.saturating_add(self.room) >= rows
    }

    /// Returns which of so many rows are in sight, if some are not: `  1-20 of 48`.
    pub fn position(&self, rows: usize) -> String {
        if rows <= self.room {
            return String::new();
        }
        let last = self.top.saturating_add(self.room).min(rows);
        format!("  {}-{last} of {rows}", self.top + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_stays_within_the_rows() {
        let mut window = RowWindow::default();
        let mut check = |scroll: Option<Scroll>, (rows, room), expected: &str| {
            scroll.into_iter().for_each(|scroll| window.scroll(scroll));
            window.fit(rows, room);
            assert_eq!(window.position(rows), expected);
        };
        check(None, (10, 4), "  1-4 of 10");
        check(Some(Scroll::PageUp), (10, 4), "  1-4 of 10");
        check(Some(Scroll::PageDown), (10, 4), "  4-7 of 10");
        check(Some(Scroll::Bottom), (10, 4), "  7-10 of 10");
        check(Some(Scroll::PageDown), (10, 4), "  7-10 of 10");
        check(None, (5, 4), "  2-5 of 5");
        check(None, (4, 4), "");
        check(Some(Scroll::Top), (10, 0), "  1-0 of 10");
    }

    #[test]
    fn the_window_goes_to_rows_by_the_shortest_way() {
        let mut window = RowWindow::default();
        window.fit(20, 4);
        for (rows, top) in [
            (0..2, 0),
            (3..5, 1),
            (2..4, 1),
            (0..1, 0),
            (10..16, 10),
            (18..20, 16),
        ] {
            window.show(rows.clone());
            assert_eq!(window.top, top, "{rows:?}");
        }
    }
}
