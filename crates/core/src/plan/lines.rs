//! Operations on line numbers.
//!
//! In: operations on 1-based lines of the text as it is. Out: a plan of the lines that differ;
//! all are checked before any counts, and two that overlap are refused.

use super::{Outcome, Plan, modified};
use crate::diff::lines::narrowed;
use crate::locate::Rung;
use crate::request::LineOperation;
use crate::text::lines::replace_lines;
use crate::text::{Source, Splice};

/// Plans `operations` for `source`.
pub(super) fn plan(source: &Source, operations: &[LineOperation]) -> Outcome {
    let splices: Result<Vec<Splice>, String> = operations
        .iter()
        .map(|operation| splice(source, operation))
        .collect();
    let splices = match splices {
        Ok(splices) => splices,
        Err(why) => return Outcome::Invalid { why },
    };
    let outcome = modified(splices, "line numbers", operations.len()).found_by(Rung::Numbers);
    // What overlaps does so by the lines that are named, whether or not they change.
    match outcome {
        Outcome::Planned(plan) => Outcome::Planned(Plan {
            edits: narrowed(&plan.edits),
            ..plan
        }),
        answer => answer,
    }
}

fn splice(source: &Source, operation: &LineOperation) -> Result<Splice, String> {
    let count = source.line_count();
    let (range, content) = match operation {
        LineOperation::Replace {
            start,
            end,
            content,
        } => {
            if *end > count {
                return Err(format!(
                    "lines {start} to {end}: the file has {count} lines"
                ));
            }
            (start.saturating_sub(1)..*end, content)
        }
        LineOperation::Insert { after, content } => {
            if *after > count {
                return Err(format!("after line {after}: the file has {count} lines"));
            }
            (*after..*after, content)
        }
    };
    let content: Vec<&str> = content
        .iter()
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .collect();
    Ok(replace_lines(source, range, &content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::{run, word};
    use crate::request::Request;

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
        let Outcome::Planned(plan) = plan(&source, &[replace(1, 4, &["a", "x", "c", "d"])]) else {
            panic!("not planned")
        };
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
            "two of the changes overlap at byte 2",
        );
        assert_eq!(
            word(&lines("a\n", vec![replace(1, 1, &["a"])])),
            "already_applied"
        );
    }
}
