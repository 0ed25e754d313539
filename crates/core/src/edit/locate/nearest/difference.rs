//! Difference of the nearest region from the request, by character.
//!
//! In: the lines that were asked for and those of the region. Out: the lines that differ, each with
//! its number, `[-what was asked for-]` and `{+what the file has+}`.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{SHOWN_CHARS, SHOWN_LINES};
use crate::edit::diff::lines::{LineDifference, diff_lines};
use crate::text::{Slice, Source};

/// Lines that are compared, of which an answer shows a few: a whole file as old text would be aligned with the file.
const MOST_LINES: usize = 400;
/// Fewer equal characters between two changes count as changed: they only break up what is read.
const TOO_FEW: usize = 3;

/// Returns the lines of `wanted` that the file does not have as they are, from its line `start`
/// (0-based) on; none if all of them are there.
pub(super) fn difference(source: &Source, start: usize, wanted: &str) -> Option<String> {
    let asked: Vec<&[u8]> = wanted.lines().take(MOST_LINES).map(str::as_bytes).collect();
    // Lines that were not asked for may stand between those that were.
    let end = (start + asked.len() + SHOWN_LINES).min(source.line_count());
    let there: Vec<&[u8]> = (start..end).map(|line| source.line(line)).collect();
    let changes = diff_lines(&asked, &there);
    let lines = changes.iter().flat_map(|change| {
        let LineDifference { old, mut new } = change.clone();
        if old.end == asked.len() {
            new.end = new.end.min(new.start + old.len());
        }
        (0..old.len().max(new.len())).map(move |index| {
            let row = |from: usize, end: usize| Some(from + index).filter(|row| *row < end);
            (row(old.start, old.end), row(new.start, new.end))
        })
    });
    let shown = lines.take(SHOWN_LINES).map(|(old, new)| {
        let number = new.map_or(String::new(), |row| (start + row + 1).to_string());
        let old = old.and_then(|row| asked.get(row).copied());
        let new = new.and_then(|row| there.get(row).copied());
        format!("{number:>6}\t{}\n", line(old, new))
    });
    let shown: String = shown.collect();
    Some(shown).filter(|shown| !shown.is_empty())
}

fn line(asked: Option<&[u8]>, there: Option<&[u8]>) -> String {
    match (asked.map(shown_chars), there.map(shown_chars)) {
        (Some(asked), Some(there)) => within(&asked, &there),
        (asked, there) => {
            let mut out = String::new();
            push(
                &mut out,
                &asked.unwrap_or_default(),
                &there.unwrap_or_default(),
            );
            out
        }
    }
}

fn shown_chars(line: &[u8]) -> Vec<char> {
    let text = String::from_utf8_lossy(line);
    text.chars().take(SHOWN_CHARS).collect()
}

/// Shows both texts of a line in one.
fn within(asked: &[char], there: &[char]) -> String {
    let mut out = String::new();
    let (mut gone, mut come): (Vec<char>, Vec<char>) = Default::default();
    let ops = capture_diff_slices(Algorithm::Myers, asked, there);
    for (index, op) in ops.iter().enumerate() {
        let own = asked.slice(op.old_range());
        let theirs = there.slice(op.new_range());
        let edge = index == 0 || index + 1 == ops.len();
        if matches!(op, DiffOp::Equal { .. }) && (edge || own.len() >= TOO_FEW) {
            push(
                &mut out,
                &std::mem::take(&mut gone),
                &std::mem::take(&mut come),
            );
            out.extend(own);
        } else {
            gone.extend(own);
            come.extend(theirs);
        }
    }
    push(&mut out, &gone, &come);
    out
}

fn push(out: &mut String, gone: &[char], come: &[char]) {
    for (open, text, close) in [("[-", gone, "-]"), ("{+", come, "+}")] {
        if !text.is_empty() {
            out.push_str(open);
            out.extend(text);
            out.push_str(close);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_and_what_is_there_are_told_apart() {
        let check = |file: &str, wanted: &str, expected: &str| {
            let shown = difference(&Source::new(file), 0, wanted);
            assert_eq!(shown.unwrap_or_default(), expected, "{wanted:?}");
        };
        check(
            "let total = a;\n",
            "let totals = a;\n",
            "     1\tlet total[-s-] = a;\n",
        );
        check(
            "a\r\n  call(one, two);\r\nc\r\n",
            "a\n  call(one, 2);\nc\n",
            "     2\t  call(one, [-2-]{+two+});\n",
        );
        check("a\nb\n", "a\nx\nb\n", "      \t[-x-]\n");
        check("a\nx\nb\n", "a\nb\n", "     2\t{+x+}\n");
        check("one(1)\n", "two{2}\n", "     1\t[-two{2}-]{+one(1)+}\n");
        check("\ta\n", "    a\n", "     1\t[-    -]{+\t+}a\n");
        check("a\n", "a", "");
    }
}
