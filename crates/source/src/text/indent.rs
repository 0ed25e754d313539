//! Indentation: leading white space, the unit that a text is indented by, and its conversion.
//!
//! ```text
//! ....a          unit: 4 blanks
//! ........b      2 levels, as tabs: >>b
//! ```

mod shift;

use super::Source;
pub use shift::{Lead, Shift};

use crate::text::Slice;

/// Columns that a tab is taken for where nothing else tells its width.
const TAB_COLUMNS: usize = 4;
/// Lines of a file that are read to tell its unit: the first few thousand show it.
const SAMPLED_LINES: usize = 4000;
/// The widest step that counts as one level; wider ones align continuation lines.
const WIDEST_STEP: usize = 8;
/// Weight of a step in, where a step out weighs 1: lines come back by several levels at once.
const STEP_IN: usize = 100;

/// One level of indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// One tab.
    Tab,
    /// This many blanks.
    Spaces(usize),
}

impl Unit {
    /// Returns the unit of a file, or `None` if no line of it is indented.
    pub fn of(source: &Source) -> Option<Self> {
        let sample = 0..source.line_count().min(SAMPLED_LINES);
        Self::of_lines(sample.map(|line| source.line_text(line)))
    }

    /// Returns the step that most lines take from one to the next, or `None` if no line shows one.
    pub fn of_lines(lines: impl Iterator<Item = impl AsRef<str>>) -> Option<Self> {
        let (mut tabs, mut blanks) = (0_usize, 0_usize);
        let mut votes = [0_usize; WIDEST_STEP + 1];
        let mut last: Option<usize> = None;
        for line in lines {
            let line = line.as_ref();
            let lead = leading(line);
            let bare = line.slice(lead.len()..);
            // A line that begins with `*` continues a block comment, one blank off.
            if bare.trim_start().is_empty() || bare.starts_with('*') {
                continue;
            }
            if lead.starts_with('\t') {
                tabs += 1;
            } else if !lead.is_empty() {
                blanks += 1;
            }
            let width = columns(lead, TAB_COLUMNS);
            let (step, weight) = match last {
                Some(last) if width > last => (width - last, STEP_IN),
                Some(last) => (last - width, 1),
                None => (0, 0),
            };
            // One blank is how text is aligned, not a level.
            if let Some(votes) = votes.get_mut(step).filter(|_| step >= 2) {
                *votes += weight;
            }
            last = Some(width);
        }
        if tabs > blanks {
            return Some(Self::Tab);
        }
        let voted = votes.iter().enumerate().filter(|(_, votes)| **votes > 0);
        let best = voted.max_by_key(|(step, votes)| (**votes, std::cmp::Reverse(*step)));
        best.map(|(step, _)| Self::Spaces(step))
    }

    /// Returns the columns of one level, at least 1.
    pub fn width(self) -> usize {
        match self {
            Self::Tab => TAB_COLUMNS,
            Self::Spaces(width) => width.max(1),
        }
    }

    /// Returns `count` levels as white space.
    pub fn levels(self, count: usize) -> String {
        match self {
            Self::Tab => "\t".repeat(count),
            Self::Spaces(width) => " ".repeat(width * count),
        }
    }

    /// Returns indentation in which one level is `own` columns of blanks, in this unit.
    pub fn converted(self, lead: &str, own: usize) -> String {
        let own = own.max(1);
        let tabs = lead.chars().take_while(|char| *char == '\t').count();
        let blanks = lead.chars().count() - tabs;
        let rest = " ".repeat(blanks % own);
        self.levels(tabs + blanks / own) + &rest
    }
}

/// Returns the white space that a line begins with. Models copy blanks as no-break spaces.
pub fn leading(line: &str) -> &str {
    line.slice(..line.len() - body(line).len())
}

/// Returns a line without its indentation.
pub fn body(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '\u{a0}'])
}

/// Returns the white space that the line of byte `at` begins with.
pub fn leading_at(text: &str, at: usize) -> &str {
    let head = text.slice(..at);
    let start = head.rfind('\n').map_or(0, |newline| newline + 1);
    leading(text.slice(start..))
}

/// Returns whether only white space is before byte `at` on its line.
pub fn begins_line(text: &str, at: usize) -> bool {
    let before = text
        .slice(..at)
        .trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
    before.is_empty() || before.ends_with('\n')
}

/// Returns the columns of leading white space where a tab takes `tab` of them.
pub fn columns(lead: &str, tab: usize) -> usize {
    lead.chars()
        .map(|char| if char == '\t' { tab } else { 1 })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_the_commonest_step() {
        let check = |text: &str, unit: Option<Unit>| {
            assert_eq!(Unit::of_lines(text.lines()), unit, "{text:?}");
        };
        check("a\n  b\n    c\n", Some(Unit::Spaces(2)));
        check("a\n    b\n        c\nd\n", Some(Unit::Spaces(4)));
        check("a\n\tb\n\t\tc\n", Some(Unit::Tab));
        check("/**\n * a\n */\nb\n    c\n", Some(Unit::Spaces(4)));
        check("a\n  b\n            c\n", Some(Unit::Spaces(2)));
        check("a\n\n b\n", None);
    }

    #[test]
    fn indentation_is_converted_level_by_level() {
        let check = |unit: Unit, lead: &str, own: usize, expected: &str| {
            assert_eq!(unit.converted(lead, own), expected, "{lead:?}");
        };
        check(Unit::Tab, "        ", 4, "\t\t");
        check(Unit::Tab, "     ", 4, "\t ");
        check(Unit::Spaces(2), "\t\t", 4, "    ");
        check(Unit::Spaces(2), "\t ", 4, "   ");
        check(Unit::Spaces(4), "    ", 2, "        ");
    }

    #[test]
    fn leading_white_space_is_that_of_the_line() {
        assert_eq!(leading_at("a\n \tb c\n", 5), " \t");
        assert_eq!(leading("\u{a0} x"), "\u{a0} ");
        assert_eq!((leading("x"), body("  x ")), ("", "x "));
        assert_eq!(columns("\t ", 4), 5);
    }
}
