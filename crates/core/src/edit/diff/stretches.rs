//! Stretches of long lines: what of a line of 200 KB is shown, since nobody reads 2,500 rows for three letters.
//!
//! In: a long line and the one in its place. Out: the bytes in which they differ, and the parts of a line that are shown
//! because of that. What is not shown is the same on both sides.
//!
//! ```text
//! var a=1;{...};total+=tax;{...};total-=fee;{...}    a line of 200,000 bytes
//!              [sum]+=tax         [sum]-=fee         what differs
//! …⟨column 90113⟩{...};sum+=tax;{...}…⟨column 120754⟩{...};sum-=fee;{...}…⟨79211 more characters⟩
//! ```

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use super::line::{DiffLine, LineKind};
use super::lines::diff_lines;
use crate::text::{Slice, shared};
use crate::word::is_word;

/// Lines up to this size are shown whole, in bytes: 25 rows of 80 columns.
pub(super) const MAX_WHOLE: usize = 2_000;

/// Bytes shown before and after what differs, and of a line of context three times as many: about a row.
const MARGIN: usize = 80;

/// Stretches with less than this between them are shown as one, in bytes: the words for what is left out take as much.
const CLOSE: usize = 48;

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinePart {
    /// These bytes are shown.
    Shown(Range<usize>),
    /// Some are not, up to this column, counted in characters from 1.
    LeftOut {
        /// The column of what comes next.
        next: usize,
    },
    /// So many characters up to the end of the line are not.
    Rest(usize),
}

impl fmt::Display for LinePart {
    /// Writes what stands in the place of what is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shown(_) => Ok(()),
            Self::LeftOut { next } => write!(f, "…⟨column {next}⟩"),
            Self::Rest(more) => write!(f, "…⟨{more} more characters⟩"),
        }
    }
}

impl DiffLine {
    /// Returns whether all of it is shown: it is not long, or is not known to be the same as another one but for some
    /// stretches.
    pub fn is_shown_whole(&self) -> bool {
        self.text.len() <= MAX_WHOLE || self.kind != LineKind::Context && self.emphasis.is_empty()
    }

    /// Returns the text of a part that is shown.
    pub fn part(&self, range: Range<usize>) -> &str {
        self.text.slice(range)
    }

    /// Returns the parts of which it is shown.
    pub fn parts(&self) -> Vec<LinePart> {
        let text = self.text.as_str();
        if self.is_shown_whole() {
            return vec![LinePart::Shown(0..text.len())];
        }
        let mut parts = Vec::new();
        let (mut at, mut column) = (0, 1);
        for Range { start, end } in self.shown() {
            column += text.slice(at..start).chars().count();
            if start > at {
                parts.push(LinePart::LeftOut { next: column });
            }
            column += text.slice(start..end).chars().count();
            parts.push(LinePart::Shown(start..end));
            at = end;
        }
        let rest = text.slice(at..).chars().count();
        parts.extend((rest > 0).then_some(LinePart::Rest(rest)));
        parts
    }

    /// Returns whether what is shown of it takes more rows than one look sees.
    pub fn shows_much(&self) -> bool {
        let is_long = self.text.len() > MAX_WHOLE;
        is_long
            && (self.is_shown_whole()
                || self.shown().iter().map(Range::len).sum::<usize>() > MAX_WHOLE)
    }

    /// Returns the stretches that are shown, in order.
    fn shown(&self) -> Vec<Range<usize>> {
        let text = self.text.as_str();
        if self.kind == LineKind::Context {
            return std::iter::once(0..text.floor_char_boundary(3 * MARGIN)).collect();
        }
        let mut shown: Vec<Range<usize>> = Vec::new();
        for (start, end) in &self.emphasis {
            let start = text.floor_char_boundary(start.saturating_sub(MARGIN));
            let end = text.ceil_char_boundary(end.saturating_add(MARGIN).min(text.len()));
            match shown.last_mut() {
                Some(last) if start <= last.end + CLOSE => last.end = last.end.max(end),
                _ if start <= CLOSE => shown.push(0..end),
                _ => shown.push(start..end),
            }
        }
        if let Some(last) = shown
            .last_mut()
            .filter(|last| text.len() - last.end <= CLOSE)
        {
            last.end = text.len();
        }
        shown
    }
}

/// Returns the spans in which two long lines differ, on each side; none where they have next to nothing in common. What is
/// between spans is the same on both sides. A span is empty where the other side has more.
pub(super) fn differing(old: &str, new: &str) -> Option<[Vec<(usize, usize)>; 2]> {
    let (head, tail) = shared(old, new);
    let middles = [old, new].map(|text| text.slice(head..text.len() - tail));
    let [old_words, new_words] = middles.map(words);
    let [old_starts, new_starts] = [&old_words, &new_words].map(|words| starts(head, words));
    let mut spans = [Vec::new(), Vec::new()];
    let [old_spans, new_spans] = &mut spans;
    for change in diff_lines(&old_words, &new_words) {
        old_spans.push(span(head, &old_starts, change.old));
        new_spans.push(span(head, &new_starts, change.new));
    }
    let common = (old.len() - bytes_in(old_spans)).min(new.len() - bytes_in(new_spans));
    (common * 3 >= old.len().max(new.len())).then_some(spans)
}

/// Returns whether two long lines have half of their text in common: at their ends, or word by word.
pub(super) fn is_alike(line: &str, other: &str) -> bool {
    let longest = line.len().max(other.len());
    let (head, tail) = shared(line, other);
    if (head + tail) * 2 >= longest {
        return true;
    }
    let known: HashSet<&[u8]> = words(other).into_iter().collect();
    let common = words(line).into_iter().filter(|word| known.contains(word));
    common.map(<[u8]>::len).sum::<usize>() * 2 >= longest
}

fn span(head: usize, starts: &[usize], words: Range<usize>) -> (usize, usize) {
    (
        start_of(starts, head, words.start),
        start_of(starts, head, words.end),
    )
}

fn start_of(starts: &[usize], head: usize, word: usize) -> usize {
    starts.get(word).copied().unwrap_or(head)
}

fn bytes_in(spans: &[(usize, usize)]) -> usize {
    spans.iter().map(|(start, end)| end - start).sum()
}

/// Returns the words of a text, and what is between them character by character.
fn words(text: &str) -> Vec<&[u8]> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(end);
        words.push(word.as_bytes());
        rest = after;
    }
    words
}

/// Returns where each word begins, and where the last one ends.
fn starts(first: usize, words: &[&[u8]]) -> Vec<usize> {
    let mut at = first;
    let mut starts = vec![at];
    starts.extend(words.iter().map(|word| {
        at += word.len();
        at
    }));
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(old: &str, new: &str) -> [DiffLine; 2] {
        let [removed, added] = differing(old, new).unwrap();
        [
            (LineKind::Removed, old, removed),
            (LineKind::Added, new, added),
        ]
        .map(|(kind, text, emphasis)| DiffLine {
            kind,
            old: Some(1),
            new: Some(1),
            text: text.to_owned(),
            emphasis,
            newline: true,
        })
    }

    fn told(line: &DiffLine) -> String {
        let parts = line.parts().into_iter();
        let told = parts.map(|part| match part {
            LinePart::Shown(range) => line.text.slice(range).to_owned(),
            other => other.to_string(),
        });
        told.collect()
    }

    /// A line of `before`, words, `between`, words, `after`.
    fn long(words: [&str; 2]) -> String {
        let filler = |name: &str| {
            (0..9_000)
                .map(|n| format!("{name}{n};"))
                .collect::<String>()
        };
        format!(
            "{}{}{}{}{}",
            filler("a"),
            words[0],
            filler("ä"),
            words[1],
            filler("c")
        )
    }

    #[test]
    fn a_long_line_is_shown_where_it_changes() {
        let [old, new] = pair(&long(["total+=tax;", "x"]), &long(["sum+=tax;", "x"]));
        for (line, word) in [(&old, "total"), (&new, "sum")] {
            let told = told(line);
            assert!(told.starts_with("…⟨column "), "{told}");
            assert!(told.contains(&format!("a8999;{word}+=tax;ä0;")), "{told}");
            assert!(
                told.ends_with(" more characters⟩") && told.len() < 400,
                "{told}"
            );
        }
        let column = old.text.find("total").unwrap() + 1 - MARGIN;
        assert!(told(&old).starts_with(&format!("…⟨column {column}⟩")));
    }

    #[test]
    fn a_long_line_shows_much_where_it_is_new_or_much_of_it_is() {
        let [old, mut new] = pair(&long(["", ""]), &long([&"b();".repeat(600), ""]));
        assert_eq!((old.shows_much(), new.shows_much()), (false, true));
        new.emphasis = vec![(10, 20)];
        assert!(!new.shows_much());
        new.emphasis = Vec::new();
        assert!(new.shows_much());
        new.text = "b();".to_owned();
        assert!(!new.shows_much());
    }

    #[test]
    fn lines_that_changed_near_both_ends_are_alike() {
        let line = long(["total", "fee"]);
        let [first, last] = ["build 1;", "; build 1"];
        let other = line.clone();
        assert!(is_alike(
            &format!("{first}{line}{last}"),
            &format!("2{other}2")
        ));
        let digits: String = (0..9_000).map(|n| format!("{n} ")).collect();
        assert!(!is_alike(&line, &digits));
    }

    #[test]
    fn several_changes_of_a_line_are_shown_each() {
        let [old, new] = pair(&long(["total+=tax;", "fee"]), &long(["sum+=tax;", ""]));
        let [old, new] = [told(&old), told(&new)];
        assert_eq!(old.matches("…⟨column ").count(), 2, "{old}");
        assert!(
            old.contains("total+=tax;") && old.contains("ä8999;feec0;"),
            "{old}"
        );
        assert!(
            new.contains("sum+=tax;") && new.contains("ä8999;c0;"),
            "{new}"
        );
    }

    #[test]
    fn what_is_left_out_is_the_same_on_both_sides() {
        for (old, new) in [
            (long(["a", "b"]), long(["b", "a"])),
            (long(["", ""]), long(["x".repeat(3_000).as_str(), "y"])),
            (long(["q", "r"]), long(["q", "r"]).replace("c77;", "c77 ; ")),
        ] {
            let sides = pair(&old, &new);
            let left_out = sides.map(|line| {
                let mut rest = line.text.clone();
                for (start, end) in line.emphasis.iter().rev() {
                    rest.replace_range(*start..*end, "\u{0}");
                }
                rest
            });
            assert_eq!(left_out[0], left_out[1]);
        }
    }

    #[test]
    fn lines_that_have_little_in_common_are_shown_whole() {
        let other: String = (0..9_000).map(|n| format!("q{n}+")).collect();
        assert_eq!(differing(&long(["a", "b"]), &other), None);
        let mut line = pair(&long(["a", "b"]), &long(["c", "b"]))[0].clone();
        line.emphasis.clear();
        assert_eq!(line.parts(), [LinePart::Shown(0..line.text.len())]);
        // Of context, the beginning.
        line.kind = LineKind::Context;
        assert!(told(&line).starts_with("a0;a1;"), "{}", told(&line));
        assert!(told(&line).len() < 300);
    }
}
