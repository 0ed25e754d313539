//! Rows of what a model thinks aloud: its lines as they are, of less weight.

use crate::markdown::{LONG_LINE, said};
use crate::theme::Role;
use crate::wrap::{Break, Row};

/// How much of a growing text is laid out for good.
#[derive(Debug, Default)]
pub(super) struct ThoughtLayout {
    done: usize,
}

impl ThoughtLayout {
    /// Returns how many bytes of the text are laid out for good.
    pub(super) fn done(&self) -> usize {
        self.done
    }

    /// Appends the rows of what came since the last call, and returns how many are there for good.
    pub(super) fn extend(&mut self, text: &str, width: usize, rows: &mut Vec<Row>) -> usize {
        let mut tail = text.get(self.done..).unwrap_or_default();
        let mut blanks = 0;
        let mut fixed = rows.len();
        while let Some((line, rest)) = finished_line(tail) {
            if line.trim().is_empty() {
                blanks += 1;
            } else {
                show(line, (width, blanks), rows);
                blanks = 0;
                fixed = rows.len();
                self.done = text.len() - rest.len();
            }
            tail = rest;
        }
        if !tail.trim().is_empty() {
            show(tail, (width, blanks), rows);
        }
        fixed
    }
}

fn show(line: &str, (width, blanks): (usize, usize), rows: &mut Vec<Row>) {
    if blanks > 0 && rows.iter().any(|row| row.width() > 0) {
        rows.push(Row::default());
    }
    let row = Row::new(Role::Dim, "  ").with(Role::Dim, line.trim_end());
    rows.extend(said(&row, width, 2, Break::Words));
}

/// Splits the first finished line off, or what of a very long one can be called finished.
fn finished_line(tail: &str) -> Option<(&str, &str)> {
    if let Some(split) = tail.split_once('\n') {
        return Some(split);
    }
    if tail.len() <= LONG_LINE {
        return None;
    }
    let mut end = LONG_LINE;
    while !tail.is_char_boundary(end) {
        end -= 1;
    }
    let (head, _) = tail.split_at(end);
    Some(tail.split_at(head.rfind(' ').map_or(end, |blank| blank + 1)))
}
