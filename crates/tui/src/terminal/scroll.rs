//! Rows that moved between two frames.
//!
//! In: what is shown and what is to be shown, and where they differ. Out: the region and the distance by which scrolling saves most, as
//! `rows 0 to 20, up by 3`.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use ratatui::buffer::{Buffer, Cell};

use super::canvas;

/// Cells that scrolling has to save: setting the region, deleting rows and resetting it takes about 20 bytes.
const LEAST_SAVED: usize = 20;

/// Rows that move together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shift {
    /// The rows of the screen that take part; what enters them is blank.
    pub(super) rows: Range<u16>,
    /// How many rows they go.
    pub(super) by: u16,
    /// Whether they go up.
    pub(super) is_up: bool,
}

impl Shift {
    /// Returns whether the rows that leave the region are blank.
    pub(super) fn loses_blanks(&self, buffer: &Buffer) -> bool {
        let lost = if self.is_up {
            self.rows.start..self.rows.start + self.by
        } else {
            self.rows.end.saturating_sub(self.by)..self.rows.end
        };
        lost.into_iter().all(|y| canvas::used(buffer, y) == 0)
    }

    /// Moves the rows of a buffer as the terminal does.
    pub(super) fn apply(&self, buffer: &mut Buffer) {
        let width = usize::from(buffer.area.width);
        let cells = usize::from(self.rows.start) * width..usize::from(self.rows.end) * width;
        let by = usize::from(self.by) * width;
        let Some(region) = buffer.content.get_mut(cells) else {
            return;
        };
        let kept = region.len().saturating_sub(by);
        if self.is_up {
            region.rotate_left(region.len() - kept);
            region.iter_mut().skip(kept).for_each(Cell::reset);
        } else {
            region.rotate_right(region.len() - kept);
            region.iter_mut().take(by).for_each(Cell::reset);
        }
    }
}

/// A row: what it holds, and how many of its cells are not blank.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Print {
    hash: u64,
    cells: usize,
}

/// Returns the shift that saves most, if one saves enough, of all rows from the first that differs to the last.
pub(super) fn find(shown: &Buffer, wanted: &Buffer, differing: &Range<u16>) -> Option<Shift> {
    // One row is drawn in less, as for a key that is typed; and where nothing is shown, nothing moves.
    if differing.len() < 2 || rows(shown, differing).flatten().all(canvas::is_blank) {
        return None;
    }
    let [shown, wanted] =
        [shown, wanted].map(|buffer| rows(buffer, differing).map(print).collect::<Vec<_>>());
    let up = (1..shown.len()).map(|by| (by, true));
    let down = (1..shown.len()).map(|by| (by, false));
    let mut best: Option<(usize, Shift)> = None;
    for (by, is_up) in up.chain(down) {
        let (saved, shift) = best_run(&shown, &wanted, by, is_up)?;
        if saved > best.as_ref().map_or(LEAST_SAVED, |(most, _)| *most) {
            best = Some((saved, shift));
        }
    }
    let (_, mut shift) = best?;
    shift.rows.start += differing.start;
    shift.rows.end += differing.start;
    Some(shift)
}

/// Returns the run of rows that saves most if it goes `by` rows.
fn best_run(shown: &[Print], wanted: &[Print], by: usize, is_up: bool) -> Option<(usize, Shift)> {
    let (from, to) = if is_up { (by, 0) } else { (0, by) };
    let mut best = (0, 0..0);
    let (mut saved, mut start) = (0, 0);
    for at in 0..shown.len().saturating_sub(by) {
        let (source, target) = (shown.get(at + from)?, wanted.get(at + to)?);
        if source == target {
            saved += if shown.get(at + to)? == target {
                0
            } else {
                target.cells
            };
            if saved > best.0 {
                best = (saved, start..at + 1);
            }
        } else {
            (saved, start) = (0, at + 1);
        }
    }
    let (saved, run) = best;
    let rows = u16::try_from(run.start).ok()?..u16::try_from(run.end + by).ok()?;
    let by = u16::try_from(by).ok()?;
    Some((saved, Shift { rows, by, is_up }))
}

fn rows<'a>(buffer: &'a Buffer, which: &Range<u16>) -> impl Iterator<Item = &'a [Cell]> {
    let width = usize::from(buffer.area.width).max(1);
    let rows = buffer.content.chunks(width);
    rows.skip(which.start.into()).take(which.len())
}

/// A hash is made of the text at once and of each style: made cell by cell, it was a third of what came before the first frame.
fn print(row: &[Cell]) -> Print {
    let mut hasher = DefaultHasher::new();
    let text: String = row.iter().map(Cell::symbol).collect();
    text.hash(&mut hasher);
    for run in row.chunk_by(|one, other| one.style() == other.style()) {
        (run.len(), run.first().map(Cell::style)).hash(&mut hasher);
    }
    Print {
        hash: hasher.finish(),
        cells: row.iter().filter(|cell| cell.symbol() != " ").count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shown: [&str; 5], wanted: [&str; 5], expected: Option<(Range<u16>, u16, bool)>) {
        let [mut before, after] = [shown, wanted].map(Buffer::with_lines);
        let shift = find(&before, &after, &(0..5));
        let told = shift.as_ref().map(|it| (it.rows.clone(), it.by, it.is_up));
        assert_eq!(told, expected, "{shown:?} {wanted:?}");
        if let Some(shift) = shift {
            shift.apply(&mut before);
            let moved = before.content.iter().zip(&after.content);
            assert!(moved.filter(|(one, other)| one == other).count() > 40);
        }
    }

    const A: &str = "a long line of text a";
    const B: &str = "b long line of text b";
    const C: &str = "c long line of text c";
    const D: &str = "d long line of text d";

    #[test]
    fn finds_what_moved_and_leaves_what_stays() {
        check([A, B, C, D, ">"], [B, C, D, A, ">"], Some((0..4, 1, true)));
        check([A, B, C, D, ">"], [D, A, B, C, ">"], Some((0..4, 1, false)));
        check([A, B, C, D, ">"], [A, B, C, D, "x"], None);
        check(["1", "2", "3", "4", ">"], ["2", "3", "4", "5", ">"], None);
    }
}
