//! Long runs of blanks and of empty lines, counted instead of printed: what comes after them must
//! not be pushed out of sight.
//!
//! In: text. Out: the runs, and what is printed in their place.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Columns between tab stops.
pub const TAB: usize = 4;

/// Columns of the longest run of blanks that is printed as it is: deeper than code is indented, and
/// less than a narrow terminal is wide.
pub const LONGEST_RUN: usize = 38;

/// Empty lines in a row that are printed as they are.
const MOST_EMPTY_LINES: usize = 2;

/// A long run of blanks within a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its bytes.
    pub range: Range<usize>,
    spaces: usize,
    tabs: usize,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.spaces, self.tabs) {
            (spaces, 0) => write!(f, "⟨{spaces} blanks⟩"),
            (0, tabs) => write!(f, "⟨{tabs} tabs⟩"),
            (spaces, tabs) => write!(f, "⟨{} blanks and tabs⟩", spaces + tabs),
        }
    }
}

/// Returns the runs of spaces and tabs that are longer than is printed.
pub fn long_runs(text: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut at = 0;
    for run in text.split(|c| c != ' ' && c != '\t') {
        let range = at..at + run.len();
        let tabs = run.bytes().filter(|byte| *byte == b'\t').count();
        let spaces = run.len() - tabs;
        if spaces + tabs * TAB > LONGEST_RUN {
            runs.push(Run {
                range: range.clone(),
                spaces,
                tabs,
            });
        }
        let next = text.get(range.end..).and_then(|rest| rest.chars().next());
        at = range.end + next.map_or(0, char::len_utf8);
    }
    runs
}

/// Returns a text with its long runs of blanks counted.
pub fn counted(text: &str) -> Cow<'_, str> {
    let runs = long_runs(text);
    if runs.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut at = 0;
    for run in runs {
        out += text.get(at..run.range.start).unwrap_or_default();
        out += &run.to_string();
        at = run.range.end;
    }
    out += text.get(at..).unwrap_or_default();
    Cow::Owned(out)
}

/// A line of a text, or a run of empty ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line without its ending; a carriage return stays, since programs see it.
    Text(&'a str),
    /// A number of lines that are empty or hold blanks only.
    Empty(usize),
}

/// Returns the lines of a text, long runs of empty ones counted.
pub fn lines(text: &str) -> Vec<Line<'_>> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let all: Vec<&str> = text.split('\n').collect();
    let mut lines = Vec::with_capacity(all.len());
    for run in all.chunk_by(|one, other| is_empty(one) && is_empty(other)) {
        if run.len() > MOST_EMPTY_LINES {
            lines.push(Line::Empty(run.len()))
        } else {
            lines.extend(run.iter().map(|line| Line::Text(line)))
        }
    }
    lines
}

fn is_empty(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_of_blanks_are_counted_and_short_ones_printed() {
        let short = format!("漢{}b", " ".repeat(38));
        assert_eq!(counted(&short), short);
        let check = |text: &str, expected: &str| assert_eq!(counted(text), expected, "{text:?}");
        check(&format!("ls{};rm", " ".repeat(3_000)), "ls⟨3000 blanks⟩;rm");
        check(&format!("é{}漢", "\t".repeat(10)), "é⟨10 tabs⟩漢");
        check(&format!("a{}", "\t ".repeat(40)), "a⟨80 blanks and tabs⟩");
        check(&" ".repeat(39), "⟨39 blanks⟩");
        check("", "");
    }

    #[test]
    fn runs_of_empty_lines_are_counted() {
        use Line::{Empty, Text};
        let check =
            |text: &str, expected: &[Line<'_>]| assert_eq!(lines(text), expected, "{text:?}");
        check("a\n\n\nb\n", &[Text("a"), Text(""), Text(""), Text("b")]);
        check(
            &format!("a{}b", "\n".repeat(41)),
            &[Text("a"), Empty(40), Text("b")],
        );
        check("a\n \n\t\n\nb", &[Text("a"), Empty(3), Text("b")]);
        check("a\r\nb", &[Text("a\r"), Text("b")]);
        check(
            "a\n\r\n\r\n\r\nb",
            &[Text("a"), Text("\r"), Text("\r"), Text("\r"), Text("b")],
        );
        check("", &[Text("")]);
    }
}
