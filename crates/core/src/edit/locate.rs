//! Locating: finds the place in a text that a request means.
//!
//! Old text of a request, looked for in a file:
//!
//! ```text
//! 1  fn area(r: f64) {
//! 2      let d = 2 * r;
//! 3      d * d
//! 4  }
//! 5  fn ring(r: f64) {
//! 6      let e = r;
//! 7  }
//! ```
//!
//! | old text | answer |
//! |---|---|
//! | `    let d = 2 * r;` | line 2, exact |
//! | `let d  =  2 * r;` | line 2, loose: white space apart |
//! | `    let d = 3 * r;` | none; line 2 is nearest |
//! | `}` | lines 4 and 7: several |
//! | `}`, near line 8 | line 7: a number tells places apart where one of them is much nearer |
//!
//! Rung by rung ([`Rung`]), the first one that has an answer gives it: letter by letter, then through what models get
//! wrong when they copy (`loose`), then by likeness (`fuzzy`). Several places are an answer with candidates, and never
//! "take the first".
//!
//! Where a request applies, rung by rung: `exact` text; then `loose`, lines that are there but for what models get
//! wrong when they copy (`forms` undoes copied line numbers, escaping, fences and blank lines, `normal` looks
//! through white space and typography, `elision` through lines left out); then `fuzzy`, lines that are nearly
//! there, by a stated cost, unless one of the vetoes in `fuzzy/veto` applies. `ladder` goes from rung to rung. What
//! is looked for is a `script`, a change in lines; what is found is an alignment of its rows with the file's lines,
//! and a `Finding`: the rung, how well it fits, and what came next. `nearest` is the region that an answer shows
//! when nothing was found, by lines in common, or else by words, or else by spelling, with the characters that
//! differ. `changed` is for small models, which write new lines and no old ones: it aligns them with the text and
//! refuses where two places are as good.
//!
//! **Invariant:** several places are an answer with candidates. A line number decides between places only where it
//! is much nearer to one of them, and never for one that fits less well.
//!
//! **Invariant:** a guess has a margin over the next best place, or the next best lacks a line of the request, and
//! every line that goes is there. Each reason to refuse a place that fits is a `Veto`, with the case that it exists
//! for.
//!
//! **Invariant:** the lines after a change prove that it is made only if no rung finds those before it.

pub mod changed;
pub(crate) mod context;
pub(crate) mod exact;
pub(crate) mod fuzzy;
pub(crate) mod ladder;
pub(crate) mod limits;
pub(crate) mod loose;
pub(crate) mod nearest;
pub(crate) mod quoted;
pub(crate) mod rows;
pub(crate) mod script;
pub(crate) mod similarity;
pub(crate) mod view;

use serde::{Deserialize, Serialize};

use crate::text::Source;
pub use nearest::Region;
use nearest::region;
pub use quoted::QuotedLine;

/// A place that a request could mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// 1-based line that it begins on.
    pub line: usize,
    /// 1-based column in characters, where several of the places begin on this line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The line before, the place's first line and the line after the place, as in the file.
    pub excerpt: String,
}

impl Candidate {
    /// Makes a candidate of line `line` (0-based) and its neighbours.
    pub fn at(source: &Source, line: usize) -> Self {
        let shown = if line == 0 { 2 } else { 3 };
        let Region { excerpt, .. } = region(source, line.saturating_sub(1), shown);
        Self {
            line: line + 1,
            column: None,
            excerpt,
        }
    }

    /// Makes a candidate of each offset; those on one line are told apart by their columns.
    pub fn each(source: &Source, offsets: impl IntoIterator<Item = usize>) -> Vec<Self> {
        let offsets: Vec<usize> = offsets.into_iter().collect();
        let lines: Vec<usize> = offsets.iter().map(|at| source.line_of(*at)).collect();
        let candidates = offsets.iter().zip(&lines).map(|(at, line)| Self {
            column: (lines.iter().filter(|other| **other == (*line)).count() > 1)
                .then(|| column(source, *line, *at)),
            ..Self::at(source, *line)
        });
        candidates.collect()
    }
}

/// Returns the 1-based column, in characters, of a byte on a line.
fn column(source: &Source, line: usize, at: usize) -> usize {
    let head = source.bytes().get(source.line_range(line).start..at);
    String::from_utf8_lossy(head.unwrap_or_default())
        .chars()
        .count()
        + 1
}

/// By which rung of the ladder a place was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rung {
    /// Letter by letter.
    Exact,
    /// Letter by letter but for line endings.
    Endings,
    /// By line numbers alone.
    Numbers,
    /// By the syntax tree: `ast`, recipes, metavariables.
    Syntax,
    /// By a pattern with holes, or by whole words.
    Pattern,
    /// By lines that are the same once what models get wrong in copying is looked through.
    Loose,
    /// By lines that are nearly there.
    Fuzzy,
}

/// How a place was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rung.
    pub rung: Rung,
    /// In one line, for people.
    pub how: String,
    /// How much of what was asked for is there, of 100; none where all of it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<u8>,
    /// What came next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<RunnerUp>,
    /// What was asked for and what is there, of a place that is not as asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quoted: Vec<QuotedLine>,
}

/// The place that came next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunnerUp {
    /// 1-based line.
    pub line: usize,
    /// Its score, of 100.
    pub score: u8,
}

impl Finding {
    /// Makes the finding of a place that is as asked.
    pub fn new(rung: Rung, how: impl Into<String>) -> Self {
        Self {
            rung,
            how: how.into(),
            score: None,
            runner_up: None,
            quoted: Vec::new(),
        }
    }

    /// Returns the same without the lines that were quoted: whoever asked knows them.
    pub fn without_quoted(&self) -> Self {
        Self {
            rung: self.rung,
            how: self.how.clone(),
            score: self.score,
            runner_up: self.runner_up,
            quoted: Vec::new(),
        }
    }

    /// Returns whether the place was found otherwise than by the text that was asked for, letter by
    /// letter, so that the answer says how.
    pub fn is_told(&self) -> bool {
        self.rung >= Rung::Numbers
    }

    /// Returns whether the place is not as asked, letter by letter, so that a person should see
    /// how it was found.
    pub fn is_guess(&self) -> bool {
        self.rung >= Rung::Loose
    }

    /// Returns the one of two that is less sure, with the quoted lines of both.
    pub fn weaker(mut self, mut other: Self) -> Self {
        let mut quoted = std::mem::take(&mut self.quoted);
        quoted.append(&mut other.quoted);
        let is_weaker = (other.rung, std::cmp::Reverse(score_of(&other)))
            > (self.rung, std::cmp::Reverse(score_of(&self)));
        let weaker = if is_weaker { other } else { self };
        Self {
            quoted: quoted::kept(quoted),
            ..weaker
        }
    }
}

fn score_of(finding: &Finding) -> u8 {
    finding.score.unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::loose::forms::{LineChange, OldNewLines};
    use super::loose::{LocateOutcome, Scope, Views};
    use super::*;
    use crate::budget::Budget;

    #[test]
    fn the_worked_example_holds() {
        let source = Source::new(
            "fn area(r: f64) {\n    let d = 2 * r;\n    d * d\n}\nfn ring(r: f64) {\n    let e = r;\n}\n",
        );
        let budget = Budget::default();
        let views = Views::new(&source, &budget);
        let check = |old: &str, number: Option<usize>, expected: &str| {
            let asked = [LineChange::Texts(OldNewLines::new(old, "    return;\n"))];
            let scope = Scope {
                from: 0,
                to: source.line_count(),
                number: number.map(|line| line - 1),
                all: false,
            };
            let found = match ladder::find(&views, &asked, scope).unwrap() {
                LocateOutcome::At(found) => format!("{:?}", found[0].alignment.first()),
                LocateOutcome::Many(lines, ..) => format!("{lines:?}"),
                other => format!("{other:?}"),
            };
            assert_eq!(found, expected, "{old}");
        };
        check("    let d = 2 * r;\n", None, "Some(1)");
        check("let d  =  2 * r;\n", None, "Some(1)");
        check("    let d = 3 * r;\n", None, "Missing");
        check("}\n", None, "[3, 6]");
        check("}\n", Some(8), "Some(6)");
    }
}
