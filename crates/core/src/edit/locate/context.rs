//! Disambiguation: chooses one of several equal places by line number.
//!
//! In: the places, and the number that the request claims. Out: the place, or all that it could be.
//! A number only decides between places that the text allows, and only when it is much nearer to
//! one of them.

/// A place counts as meant by its number only if the next best is this many times as far off.
const MARGIN: usize = 3;

/// Which place is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChosenLine {
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
pub(crate) enum How {
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

/// Decides between places that the lines allow.
pub(crate) fn choose(mut found: Vec<usize>, hint: Option<usize>) -> ChosenLine {
    let off = |line: usize| hint.map(|hint| line as isize - hint as isize);
    match found.as_slice() {
        [] => ChosenLine::Missing,
        [line] => {
            let how = match off(*line) {
                Some(0) => How::AtNumber,
                off => How::Unique { off },
            };
            ChosenLine::One { line: *line, how }
        }
        _ => {
            found.sort_by_key(|line| off(*line).map(isize::unsigned_abs));
            let distances: Vec<isize> =
                found.iter().filter_map(|line| off(*line)).take(2).collect();
            match (found.first(), distances.as_slice()) {
                (Some(line), [0, _]) => ChosenLine::One {
                    line: *line,
                    how: How::AtNumber,
                },
                (Some(line), [near, far]) if near.unsigned_abs() * MARGIN < far.unsigned_abs() => {
                    ChosenLine::One {
                        line: *line,
                        how: How::NearestNumber { off: *near },
                    }
                }
                _ => {
                    found.sort_unstable();
                    ChosenLine::Many(found)
                }
            }
        }
    }
}

impl How {
    /// Returns what the number had to do with it, in words; none where it is right or absent.
    pub(crate) fn words(self) -> Option<String> {
        match self {
            Self::AtNumber | Self::Unique { off: None } => None,
            Self::Unique { off: Some(off) } => {
                Some(format!("{} the line number given", lines_away(off)))
            }
            Self::NearestNumber { off } => Some(format!(
                "the nearest of several matches, {} the line number given",
                lines_away(off)
            )),
        }
    }
}

fn lines_away(off: isize) -> String {
    format!(
        "{} {} {}",
        off.abs(),
        if off.abs() == 1 { "line" } else { "lines" },
        if off < 0 { "above" } else { "below" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_decide_only_where_they_are_clearly_nearer() {
        let check = |found: &[usize], hint: Option<usize>, expected: ChosenLine| {
            assert_eq!(choose(found.to_vec(), hint), expected, "{found:?} {hint:?}");
        };
        let one = |line, how| ChosenLine::One { line, how };
        let off = |off| How::Unique { off };
        check(&[1, 9], Some(1), one(1, How::AtNumber));
        check(&[1, 9], Some(2), one(1, How::NearestNumber { off: -1 }));
        check(&[1, 9], Some(5), ChosenLine::Many(vec![1, 9]));
        check(&[9, 1], None, ChosenLine::Many(vec![1, 9]));
        check(&[2], None, one(2, off(None)));
        check(&[2], Some(7), one(2, off(Some(-5))));
        check(&[], Some(1), ChosenLine::Missing);
    }
}
