//! Outcome of planning a request.
//!
//! In: splices that a strategy found, or why it found none. Out: an [`Outcome`]: a [`Plan`], or one
//! of the answers that are not errors.

use super::MAX_CANDIDATES;
use crate::budget::OutOfBudget;
use crate::disk::workspace::WorkspacePath;
use crate::edit::locate::nearest::Region;
use crate::edit::locate::{Candidate, Finding, Rung};
use crate::plural::amount;
use crate::text::{EditSet, Overlap, Source, Splice};

use serde::{Deserialize, Serialize};

/// Maximum number of parts of a request for which the answer gives a reason.
const MAX_FAILED: usize = 8;

/// What a step of a strategy makes, or the answer that ends the planning.
pub(super) type OrAnswer<T> = Result<T, Outcome>;

/// How the places of a plan were found; of several, by the weakest of them.
pub type Evidence = Finding;

/// What happens to the existence of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// It is there before and after.
    #[default]
    Kept,
    /// It comes to be.
    Created,
    /// It comes to be as a symbolic link.
    Linked,
    /// It goes away.
    Deleted,
}

impl Presence {
    /// Returns whether it is there after, and not before.
    pub fn comes(self) -> bool {
        matches!(self, Self::Created | Self::Linked)
    }
}

/// A change that can be staged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What happens to the file's existence.
    pub presence: Presence,
    /// The splices, for the text that was given.
    pub edits: EditSet,
    /// How the places were found.
    pub evidence: Evidence,
    /// How many of the asked changes it makes.
    pub changes: usize,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It can be staged.
    Planned(Plan),
    /// The text is already as asked.
    AlreadyApplied {
        /// What was found, in one line.
        why: String,
    },
    /// The request is about other files, and this one is left as it is.
    Left {
        /// Why, in one line.
        why: String,
    },
    /// It could mean several places.
    Ambiguous {
        /// What is ambiguous, in one line.
        why: String,
        /// The places, at most [`MAX_CANDIDATES`].
        candidates: Vec<Candidate>,
    },
    /// The place is not there.
    NotFound {
        /// What is not there, in one line.
        why: String,
        /// What comes nearest.
        nearest: Option<Region>,
    },
    /// It could be done, but must not.
    Refused {
        /// Why, in one line.
        why: String,
    },
    /// It takes more work than its budget has, or was stopped. Nothing is known of the place.
    OutOfBudget,
    /// It makes no sense.
    Invalid {
        /// Why, in one line.
        why: String,
    },
}

impl From<OutOfBudget> for Outcome {
    fn from(OutOfBudget: OutOfBudget) -> Self {
        Self::OutOfBudget
    }
}

impl Plan {
    /// Says by which rung the places were found.
    pub(super) fn found_by(mut self, rung: Rung) -> Self {
        self.evidence.rung = rung;
        self
    }
}

impl Outcome {
    /// Says which part of a request an answer is about, if that has several.
    pub(super) fn of_part(mut self, part: impl FnOnce() -> String, count: usize) -> Self {
        if let Some(why) = self.why().filter(|_| count > 1) {
            *why = format!("{}: {why}", part());
        }
        self
    }

    /// Returns why a part of a request cannot be done as it is written.
    fn why(&mut self) -> Option<&mut String> {
        match self {
            Self::Ambiguous { why, .. } | Self::NotFound { why, .. } | Self::Invalid { why } => {
                Some(why)
            }
            Self::Planned(_)
            | Self::AlreadyApplied { .. }
            | Self::Left { .. }
            | Self::Refused { .. }
            | Self::OutOfBudget => None,
        }
    }

    /// Refuses a plan with another number of changes than the expected one, and says where they
    /// would be.
    pub(super) fn counted(self, expected: Option<usize>, source: Option<&Source>) -> Self {
        let (Self::Planned(plan), Some(expected)) = (&self, expected) else {
            return self;
        };
        if plan.changes == expected {
            return self;
        }
        let mut why = format!(
            "{} instead of the expected {expected}",
            amount(plan.changes, "change", "changes")
        );
        if let Some(source) = source.filter(|_| plan.presence == Presence::Kept) {
            why.push_str(&on_lines(source, plan.edits.splices()));
        }
        refused(why)
    }
}

/// Puts the parts of a request together, if all can be done. Else the answer is that of the first that
/// cannot, and says of the others what would become of them, so that one more request can be right.
pub(super) fn together<T>(
    parts: impl ExactSizeIterator<Item = OrAnswer<T>>,
    name: impl Fn(usize) -> String,
) -> OrAnswer<Vec<T>> {
    let count = parts.len();
    let (mut done, mut failed) = (Vec::with_capacity(count), Vec::new());
    let mut fine = Vec::new();
    for (index, part) in parts.enumerate() {
        match part {
            Ok(part) => {
                done.push(part);
                fine.push(index);
            }
            Err(Outcome::OutOfBudget) => return Err(Outcome::OutOfBudget),
            Err(outcome) => failed.push(outcome.of_part(|| name(index), count)),
        }
        if failed.len() == MAX_FAILED {
            break;
        }
    }
    let unseen = count - done.len() - failed.len();
    let mut failed = failed.into_iter();
    let Some(mut first) = failed.next() else {
        return Ok(done);
    };
    let mut rest: Vec<String> = failed
        .filter_map(|mut one| Some(one.why()?.clone()))
        .collect();
    if !fine.is_empty() {
        let told = fine.iter().take(MAX_CANDIDATES);
        let told: Vec<String> = told.map(|index| name(*index)).collect();
        let others = fine.len() > told.len();
        let more = if others { " and others" } else { "" };
        rest.push(format!("{}{more} can be done", told.join(", ")));
    }
    if unseen > 0 {
        rest.push(format!("{unseen} more were not looked at"));
    }
    if let Some(why) = first.why() {
        rest.insert(0, why.clone());
        *why = rest.join("; ");
    }
    Err(first)
}

/// Returns on which lines splices stand, in words.
fn on_lines(source: &Source, splices: &[Splice]) -> String {
    let mut lines: Vec<usize> = splices
        .iter()
        .map(|one| source.line_of(one.at) + 1)
        .collect();
    lines.dedup();
    let word = if lines.len() == 1 { "line" } else { "lines" };
    match listed(lines.into_iter()) {
        numbers if numbers.is_empty() => numbers,
        numbers => format!("; {word} {numbers}"),
    }
}

/// Returns numbers of lines or columns in words, at most [`MAX_CANDIDATES`] of them.
pub(super) fn listed(mut numbers: impl Iterator<Item = usize>) -> String {
    let first = numbers.by_ref().take(MAX_CANDIDATES);
    let first: Vec<String> = first.map(|number| number.to_string()).collect();
    let more = if numbers.next().is_some() {
        " and more"
    } else {
        ""
    };
    format!("{}{more}", first.join(", "))
}

/// Makes the plan of splices for places that are as asked, unless two of them overlap.
pub(super) fn modified(
    splices: Vec<Splice>,
    evidence: impl Into<String>,
    changes: usize,
) -> OrAnswer<Plan> {
    found(splices, Evidence::new(Rung::Exact, evidence), changes)
}

/// As [`modified`], with what is known of how the places were found.
pub(super) fn found(splices: Vec<Splice>, evidence: Evidence, changes: usize) -> OrAnswer<Plan> {
    match EditSet::new(splices) {
        Ok(edits) => planned(edits, evidence, changes),
        Err(overlap) => Err(overlapping(overlap)),
    }
}

pub(super) fn overlapping(Overlap { at }: Overlap) -> Outcome {
    invalid(format!("two of the changes overlap at byte {at}"))
}

/// Makes the plan of a file that stays.
pub(super) fn planned(edits: EditSet, evidence: Evidence, changes: usize) -> OrAnswer<Plan> {
    if edits.is_empty() {
        return Err(already("the text is already as asked"));
    }
    Ok(Plan {
        presence: Presence::Kept,
        edits,
        evidence,
        changes,
    })
}

/// Makes the plan of a file that comes to be.
pub(super) fn created(content: &str) -> Plan {
    Plan {
        presence: Presence::Created,
        edits: EditSet::between(b"", content.as_bytes()),
        evidence: Evidence::new(Rung::Exact, "new file"),
        changes: 1,
    }
}

pub(super) fn already(why: impl Into<String>) -> Outcome {
    Outcome::AlreadyApplied { why: why.into() }
}

/// Answers that a request could mean several 0-based lines.
pub(super) fn several(source: &Source, why: String, lines: &[usize]) -> Outcome {
    let lines = lines.iter().take(MAX_CANDIDATES);
    Outcome::Ambiguous {
        why,
        candidates: lines.map(|line| Candidate::at(source, *line)).collect(),
    }
}

pub(super) fn not_found(why: impl Into<String>) -> Outcome {
    Outcome::NotFound {
        why: why.into(),
        nearest: None,
    }
}

/// Answers that the file to edit is not there.
pub(super) fn absent(path: &WorkspacePath) -> Outcome {
    not_found(format!("{path} does not exist"))
}

pub(super) fn refused(why: impl Into<String>) -> Outcome {
    Outcome::Refused { why: why.into() }
}

pub(super) fn invalid(why: impl Into<String>) -> Outcome {
    Outcome::Invalid { why: why.into() }
}
