//! Displayed lines of a text, at any width of the screen.
//!
//! In: the rows of each frame. Out: what the user has not seen yet. A line counts once all of its
//! rows were on the screen at one width: rows of another width end elsewhere.

use std::collections::{BTreeSet, HashMap};

/// Which part of a text a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The line.
    pub line: usize,
    /// Which of its rows.
    pub row: usize,
    /// How many rows it has.
    pub rows: usize,
}

/// Which lines of a text have been displayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Displayed {
    lines: Vec<bool>,
    missing: usize,
    width: usize,
    /// Rows of lines of which some rows have been displayed, at this width.
    rows: HashMap<usize, BTreeSet<usize>>,
}

impl Displayed {
    /// Returns a text of `lines` lines, none of them displayed.
    pub fn of(lines: usize) -> Self {
        Self {
            lines: vec![false; lines],
            missing: lines,
            ..Self::default()
        }
    }

    /// Returns a text of which only these lines have to be displayed.
    pub fn of_needed(needed: &[bool]) -> Self {
        Self {
            lines: needed.iter().map(|needed| !needed).collect(),
            missing: needed.iter().filter(|needed| **needed).count(),
            ..Self::default()
        }
    }

    /// Takes over that a row was on the screen at this width. Returns true if a part of a line was
    /// missing until now.
    pub fn show(&mut self, width: usize, part: Part) -> bool {
        if self.width != width {
            self.rows.clear();
            self.width = width;
        }
        let Some(line) = self.lines.get_mut(part.line).filter(|line| !**line) else {
            return false;
        };
        let rows = self.rows.entry(part.line).or_default();
        let fresh = rows.insert(part.row);
        if rows.len() >= part.rows {
            *line = true;
            self.missing -= 1;
            self.rows.remove(&part.line);
        }
        fresh
    }

    /// Returns true if a row of the text at this width has been displayed.
    pub fn has(&self, width: usize, part: Part) -> bool {
        let whole = self.lines.get(part.line).copied().unwrap_or_default();
        let rows = || self.rows.get(&part.line);
        whole || (self.width == width && rows().is_some_and(|rows| rows.contains(&part.row)))
    }

    /// Returns true if a line has been displayed, or need not be.
    pub fn has_line(&self, line: usize) -> bool {
        self.lines.get(line).copied().unwrap_or(true)
    }

    /// Returns how many lines have not been displayed.
    pub fn missing(&self) -> usize {
        self.missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(line: usize, row: usize, rows: usize) -> Part {
        Part { line, row, rows }
    }

    #[test]
    fn a_line_is_displayed_once_all_of_its_rows_were() {
        let mut text = Displayed::of(2);
        text.show(40, part(0, 0, 1));
        text.show(40, part(0, 0, 1));
        text.show(40, part(1, 2, 3));
        text.show(40, part(1, 0, 3));
        assert_eq!(text.missing(), 1);
        assert!(text.has(40, part(1, 2, 3)) && !text.has(40, part(1, 1, 3)));
        text.show(40, part(1, 1, 3));
        assert_eq!(text.missing(), 0);
        text.show(40, part(7, 0, 1));
        assert_eq!(text.missing(), 0);
    }

    #[test]
    fn lines_that_are_not_needed_are_not_missed() {
        let mut text = Displayed::of_needed(&[true, false, true]);
        assert_eq!(text.missing(), 2);
        assert!(!text.show(40, part(1, 0, 1)));
        assert!(text.show(40, part(0, 0, 1)) && text.show(40, part(2, 0, 1)));
        assert_eq!(text.missing(), 0);
    }

    #[test]
    fn rows_of_one_width_say_nothing_about_those_of_another() {
        let mut text = Displayed::of(2);
        text.show(40, part(0, 0, 1));
        text.show(40, part(1, 0, 3));
        text.show(80, part(1, 1, 2));
        assert!(!text.has(80, part(1, 0, 2)));
        assert_eq!(text.missing(), 1);
        assert!(
            text.has(80, part(0, 0, 1)),
            "a line that was seen stays seen"
        );
        text.show(80, part(1, 0, 2));
        assert_eq!(text.missing(), 0);
    }
}
