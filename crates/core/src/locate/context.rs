//! Where the lines of a patch hunk are.
//!
//! In: the file's lines, the lines that the hunk expects and the line number that it claims.
//! Out: the place, or all that it could be. A number only decides between places that the
//! lines allow, and only when it is much nearer to one of them.

use crate::text::Source;

/// A place counts as meant by its number only if the next best is this many times as far off.
const MARGIN: usize = 3;

/// How a hunk's place was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// At this 0-based line; how it was told, for the evidence.
    One {
        /// First line.
        line: usize,
        /// Which of several it was, or how far from the number.
        how: How,
    },
    /// Each of these 0-based lines would do.
    Many(Vec<usize>),
    /// Nowhere.
    Missing,
}

/// How one place was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The lines are at the number given.
    AtNumber,
    /// The lines are there once; the number is absent or off by so many lines.
    Unique {
        /// Found line minus claimed line.
        off: Option<isize>,
    },
    /// The lines are there several times; the number is nearest to this place.
    NearestNumber {
        /// Found line minus claimed line.
        off: isize,
    },
}

/// Finds `wanted` (lines without endings) at or after line `from`; `hint` is the claimed
/// 0-based line.
pub fn place(source: &Source, wanted: &[&str], from: usize, hint: Option<usize>) -> Place {
    choose(matches(source, wanted, from), hint)
}

/// Decides between places that the lines allow.
pub fn choose(mut found: Vec<usize>, hint: Option<usize>) -> Place {
    let off = |line: usize| hint.map(|hint| line as isize - hint as isize);
    match found.as_slice() {
        [] => Place::Missing,
        [line] => {
            let how = match off(*line) {
                Some(0) => How::AtNumber,
                off => How::Unique { off },
            };
            Place::One { line: *line, how }
        }
        _ => {
            found.sort_by_key(|line| off(*line).map(isize::unsigned_abs));
            let distances = found.iter().filter_map(|line| off(*line)).take(2);
            let distances: Vec<isize> = distances.collect();
            match (found.first(), distances.as_slice()) {
                (Some(line), [0, _]) => Place::One {
                    line: *line,
                    how: How::AtNumber,
                },
                (Some(line), [near, far]) if near.unsigned_abs() * MARGIN < far.unsigned_abs() => {
                    Place::One {
                        line: *line,
                        how: How::NearestNumber { off: *near },
                    }
                }
                _ => {
                    found.sort_unstable();
                    Place::Many(found)
                }
            }
        }
    }
}

impl How {
    /// Returns what the number had to do with it, in words; none where it is right or absent.
    pub fn words(self) -> Option<String> {
        let lines = |off: isize| {
            format!(
                "{} lines {}",
                off.abs(),
                if off < 0 { "above" } else { "below" }
            )
        };
        match self {
            Self::AtNumber | Self::Unique { off: None } => None,
            Self::Unique { off: Some(off) } => Some(format!("{} its number", lines(off))),
            Self::NearestNumber { off } => {
                Some(format!("nearest of several, {} its number", lines(off)))
            }
        }
    }
}

/// Returns the lines from `from` on at which all of `wanted` follow each other. Knuth, Morris
/// and Pratt's search over lines, so that repetitive text costs no more than any other.
pub fn matches(source: &Source, wanted: &[&str], from: usize) -> Vec<usize> {
    let equal = |line: usize, at: usize| {
        wanted
            .get(at)
            .is_some_and(|text| source.line(line) == text.as_bytes())
    };
    let failure = failure_table(wanted);
    let mut found = Vec::new();
    let mut matched = 0;
    for line in from..source.line_count() {
        while matched > 0 && !equal(line, matched) {
            matched = failure.get(matched - 1).copied().unwrap_or_default();
        }
        if equal(line, matched) {
            matched += 1;
        }
        if matched == wanted.len() && matched > 0 {
            found.push(line + 1 - matched);
            matched = failure.get(matched - 1).copied().unwrap_or_default();
        }
    }
    found
}

fn failure_table(wanted: &[&str]) -> Vec<usize> {
    let mut table: Vec<usize> = Vec::with_capacity(wanted.len());
    let mut length = 0;
    for (index, line) in wanted.iter().enumerate() {
        if index == 0 {
            table.push(0);
            continue;
        }
        while length > 0 && wanted.get(length) != Some(line) {
            length = table.get(length - 1).copied().unwrap_or_default();
        }
        if wanted.get(length) == Some(line) {
            length += 1;
        }
        table.push(length);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &[&str], hint: Option<usize>, expected: Place) {
        assert_eq!(
            place(&Source::new(text), wanted, 0, hint),
            expected,
            "{wanted:?} {hint:?}"
        );
    }

    #[test]
    fn numbers_decide_only_where_they_are_clearly_nearer() {
        let text = "x\na\nb\nx\nx\nx\nx\nx\nx\na\nb\n";
        let one = |line, how| Place::One { line, how };
        check(text, &["a", "b"], Some(1), one(1, How::AtNumber));
        check(
            text,
            &["a", "b"],
            Some(2),
            one(1, How::NearestNumber { off: -1 }),
        );
        check(text, &["a", "b"], Some(5), Place::Many(vec![1, 9]));
        check(text, &["a", "b"], None, Place::Many(vec![1, 9]));
        check(text, &["b", "x"], None, one(2, How::Unique { off: None }));
        check(
            text,
            &["b", "x"],
            Some(7),
            one(2, How::Unique { off: Some(-5) }),
        );
        check(text, &["c"], Some(1), Place::Missing);
    }

    #[test]
    fn overlapping_places_are_all_found() {
        assert_eq!(
            matches(&Source::new("a\na\na\nb\n"), &["a", "a"], 0),
            [0, 1]
        );
        assert_eq!(
            matches(&Source::new("a\na\nb\na\na\na\nb\n"), &["a", "a", "b"], 0),
            [0, 4]
        );
        assert_eq!(
            matches(&Source::new("a\na\nb\na\na\na\nb\n"), &["a", "a", "b"], 1),
            [4]
        );
    }
}
