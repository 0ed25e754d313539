//! Operations on line numbers: the strategy `lines`.
//!
//! In: operations on 1-based lines of the text as it is. Out: a plan of the lines that differ;
//! all are checked before any counts, and two that overlap are refused.

use std::ops::Range;

use super::Plan;
use super::outcome::{OrAnswer, invalid, modified};
use crate::edit::diff::lines::narrowed;
use crate::edit::locate::Rung;
use crate::edit::request::LineOperation;
use crate::plural::amount;
use crate::text::Source;
use crate::text::lines::replace_lines;

/// Plans `operations` for `source`.
pub(super) fn plan(source: &Source, operations: &[LineOperation]) -> OrAnswer<Plan> {
    let asked: Vec<NumberedLines<'_>> = operations.iter().map(parse).collect();
    for one in &asked {
        locate(source, one)?;
    }
    splice(source, &asked)
}

/// Lines that take the place of others.
struct NumberedLines<'a> {
    /// 0-based lines; none, where lines are put in.
    lines: Range<usize>,
    content: Vec<&'a str>,
}

fn parse(operation: &LineOperation) -> NumberedLines<'_> {
    let (lines, content) = match operation {
        LineOperation::Replace {
            start,
            end,
            content,
        } => (start.saturating_sub(1)..*end, content),
        LineOperation::Insert { after, content } => (*after..*after, content),
    };
    let content = content.iter();
    NumberedLines {
        lines,
        content: content
            .map(|line| line.strip_suffix('\r').unwrap_or(line))
            .collect(),
    }
}

/// The place is what the numbers say, if the file has such lines.
fn locate(source: &Source, asked: &NumberedLines<'_>) -> OrAnswer<()> {
    let (count, Range { start, end }) = (source.line_count(), asked.lines.clone());
    let lines = amount(count, "line", "lines");
    match asked.lines.is_empty() {
        _ if end <= count => Ok(()),
        true => Err(invalid(format!("after line {end}: the file has {lines}"))),
        false => Err(invalid(format!(
            "lines {} to {end}: the file has {lines}",
            start + 1
        ))),
    }
}

fn splice(source: &Source, asked: &[NumberedLines<'_>]) -> OrAnswer<Plan> {
    if let Some(line) = overlap(asked) {
        let why = format!("two of the operations overlap on line {line}");
        return Err(invalid(why));
    }
    let splices = asked
        .iter()
        .map(|one| replace_lines(source, one.lines.clone(), &one.content));
    let plan = modified(splices.collect(), "line numbers", asked.len())?;
    // What overlaps does so by the lines that are named, whether or not they change.
    Ok(Plan {
        edits: narrowed(&plan.edits),
        ..plan.found_by(Rung::Numbers)
    })
}

/// Returns the first line (1-based) that two operations name.
fn overlap(asked: &[NumberedLines<'_>]) -> Option<usize> {
    let mut ranges: Vec<&Range<usize>> = asked.iter().map(|one| &one.lines).collect();
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut end = 0;
    for range in ranges {
        if range.start < end {
            return Some(range.start + 1);
        }
        end = end.max(range.end);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::plan::Outcome;
    use crate::edit::plan::testing::{run, word};
    use crate::edit::request::Request;

    fn replace(start: usize, end: usize, content: &[&str]) -> LineOperation {
        let content = content.iter().map(|line| (*line).to_owned()).collect();
        LineOperation::Replace {
            start,
            end,
            content,
        }
    }

    fn insert(after: usize, content: &[&str]) -> LineOperation {
        let content = content.iter().map(|line| (*line).to_owned()).collect();
        LineOperation::Insert { after, content }
    }

    fn lines(before: &str, operations: Vec<LineOperation>) -> Result<String, Outcome> {
        run("a.txt", before, Request::Lines(operations))
    }

    #[test]
    fn numbers_are_those_before_all_operations() {
        let operations = vec![
            insert(0, &["x"]),
            replace(2, 2, &["y", "z"]),
            replace(3, 3, &[]),
        ];
        assert_eq!(
            lines("a\nb\nc\nd\n", operations).unwrap(),
            "x\na\ny\nz\nd\n"
        );
        assert_eq!(
            lines("a\r\nb", vec![insert(2, &["c"])]).unwrap(),
            "a\r\nb\r\nc"
        );
    }

    #[test]
    fn lines_that_stay_are_not_written() {
        let source = Source::new("a\nb\nc\nd\n");
        let plan = plan(&source, &[replace(1, 4, &["a", "x", "c", "d"])]).unwrap();
        let [splice] = plan.edits.splices() else {
            panic!("{:?}", plan.edits)
        };
        assert_eq!(splice.at..splice.end(), 2..4);
    }

    #[test]
    fn what_neighbours_put_in_at_one_place_is_no_overlap() {
        let operations = vec![
            replace(1, 2, &["a", "b", "x"]),
            replace(3, 4, &["y", "c", "d"]),
        ];
        assert_eq!(
            lines("a\nb\nc\nd\n", operations).unwrap(),
            "a\nb\nx\ny\nc\nd\n"
        );
    }

    #[test]
    fn bad_numbers_and_overlaps_are_named() {
        let check = |operations: Vec<LineOperation>, why: &str| {
            let result = lines("a\nb\n", operations);
            let Err(Outcome::Invalid { why: got }) = result else {
                panic!("{result:?}")
            };
            assert_eq!(got, why);
        };
        check(
            vec![replace(2, 3, &[])],
            "lines 2 to 3: the file has 2 lines",
        );
        check(
            vec![insert(3, &["x"])],
            "after line 3: the file has 2 lines",
        );
        check(
            vec![replace(1, 2, &["x"]), replace(2, 2, &["y"])],
            "two of the operations overlap on line 2",
        );
        assert_eq!(
            word(&lines("a\n", vec![replace(1, 1, &["a"])])),
            "already_applied"
        );
    }
}
