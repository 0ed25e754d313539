//! Tables of Markdown.
//!
//! In: cells, and the columns of the screen. Out: lines no wider than that. Columns are as wide as their cells where
//! that fits; the widest ones wrap where it does not. Where a column would have less than eight columns of the screen,
//! each row becomes a record:
//!
//! ```text
//! Name  │ What it does        Name: grep
//! ──────┼─────────────        What it does: searches
//! grep  │ searches            ──
//! ```

use pulldown_cmark::Alignment;

use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// The least columns of the screen that a column which wraps takes: most words fit.
const LEAST: usize = 8;

const BETWEEN: &str = " │ ";
const BETWEEN_WIDTH: usize = 3;

/// A table while its cells are read.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) alignments: Vec<Alignment>,
    /// The first one is the head.
    pub(super) rows: Vec<Vec<Row>>,
}

impl Table {
    /// Returns the lines of the table.
    pub(super) fn lines(&self, width: usize) -> Vec<Row> {
        match self.fitted(width) {
            Some(widths) => self.columns(&widths),
            None => self.records(),
        }
    }

    /// Returns how wide each column is, if the table fits as one.
    fn fitted(&self, width: usize) -> Option<Vec<usize>> {
        let count = self.rows.iter().map(Vec::len).max()?;
        let room = width.checked_sub(BETWEEN_WIDTH * count.saturating_sub(1))?;
        let natural = |column| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(Row::width).max().unwrap_or_default().max(1)
        };
        let mut widths: Vec<usize> = (0..count).map(natural).collect();
        if widths.iter().sum::<usize>() <= room {
            return Some(widths);
        }
        let most = widest(&widths, room);
        if most < LEAST {
            return None;
        }
        widths
            .iter_mut()
            .for_each(|width| *width = (*width).min(most));
        Some(widths)
    }

    fn columns(&self, widths: &[usize]) -> Vec<Row> {
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            lines.extend(self.row_lines(row, widths));
            if index == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(Row::new(Role::Dim, &rules.join("─┼─")));
            }
        }
        lines
    }

    fn row_lines(&self, row: &[Row], widths: &[usize]) -> Vec<Row> {
        let cells: Vec<Vec<Row>> = widths
            .iter()
            .enumerate()
            .map(|(column, width)| match row.get(column) {
                Some(cell) => wrap::wrap(cell, *width, 0, Break::Words),
                None => Vec::new(),
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        let line = |at: usize| {
            let mut line = Row::default();
            for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
                if column > 0 {
                    line.push(Role::Dim, BETWEEN);
                }
                let is_last = column + 1 == widths.len();
                self.pad(&mut line, column, (cell.get(at), *width), is_last);
            }
            line
        };
        (0..height).map(line).collect()
    }

    /// Appends a row of a cell and the blanks that align it.
    fn pad(&self, line: &mut Row, column: usize, cell: (Option<&Row>, usize), is_last: bool) {
        let (cell, width) = cell;
        let taken = cell.map_or(0, Row::width);
        let free = width.saturating_sub(taken);
        let before = match self.alignments.get(column) {
            Some(Alignment::Right) => free,
            Some(Alignment::Center) => free / 2,
            Some(Alignment::Left | Alignment::None) | None => 0,
        };
        line.push(Role::Text, &" ".repeat(before));
        if let Some(cell) = cell {
            line.append(cell);
        }
        if !is_last {
            line.push(Role::Text, &" ".repeat(free - before));
        }
    }

    fn records(&self) -> Vec<Row> {
        let Some((head, rows)) = self.rows.split_first() else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                lines.push(Row::new(Role::Dim, "──"));
            }
            for (column, cell) in row.iter().enumerate().filter(|(_, cell)| cell.width() > 0) {
                let mut line = head.get(column).cloned().unwrap_or_default();
                line.push(Role::Dim, ": ");
                line.append(cell);
                lines.push(line);
            }
        }
        if rows.is_empty() {
            lines.extend(head.iter().cloned());
        }
        lines
    }
}

/// Returns how wide the widest columns may be so that all fit: narrow ones keep their width.
fn widest(widths: &[usize], room: usize) -> usize {
    let mut sorted = widths.to_vec();
    sorted.sort_unstable();
    let mut left = room;
    for (index, width) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - index);
        if *width > share {
            return share;
        }
        left -= width;
    }
    room
}
