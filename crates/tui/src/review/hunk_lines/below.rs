//! Rows below the hunks of a diff: questions and answers.
//!
//! In: rows of one hunk, as they change. Out: the same diff with these rows; the lines of its hunks are not laid out again.

use super::{Diff, DiffRow, NARROWEST};
use crate::wrap::{self, Break, Row};

impl Diff {
    /// Puts rows below a hunk, in the place of those that are there; nothing else is laid out anew.
    pub(crate) fn put_below(&mut self, hunk: usize, rows: &[Row], width: usize) {
        let rows = below_rows(hunk, rows, width.max(NARROWEST));
        let Some(laid) = self.hunks.get_mut(hunk) else {
            return;
        };
        let old = laid.rows.end - laid.below..laid.rows.end;
        laid.below = rows.len();
        laid.rows.end = old.start + rows.len();
        let (end, before) = (laid.rows.end, old.end);
        self.rows.splice(old, rows);
        for later in self.hunks.iter_mut().skip(hunk + 1) {
            later.rows.start = later.rows.start + end - before;
            later.rows.end = later.rows.end + end - before;
        }
    }
}

/// Returns what stands below a hunk, wrapped.
pub(super) fn below_rows(hunk: usize, rows: &[Row], width: usize) -> Vec<DiffRow> {
    let wrapped = rows
        .iter()
        .flat_map(|row| wrap::wrap(row, width, 2, Break::Words));
    wrapped.map(|row| DiffRow::Below(hunk, row)).collect()
}
