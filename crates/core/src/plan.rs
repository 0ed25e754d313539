//! From a request to a plan: one file a strategy.
//!
//! In: a text (or none) and a [`Change`]. Out: an [`Outcome`]: a [`Plan`], or one of the
//! answers that are not errors: already applied, ambiguous, not found, refused, invalid.

mod attempts;
mod dmp;
mod lines;
mod mark;
mod query;
mod recipe;
mod rewrite;
mod section;
mod structural;
mod template;
mod tongue;
mod unified;
mod whole;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use attempts::{Attempt, Attempted};
pub(crate) use unified::parts::{Part, parts};

use crate::locate::nearest::Region;
use crate::locate::{Candidate, Rung};
use crate::request::{Change, Request};
use crate::text::{EditSet, Overlap, Source, Splice};
use crate::workspace::WorkspacePath;

/// Which way a request became edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// Old and new text.
    Section,
    /// Line numbers.
    Lines,
    /// A unified diff.
    Diff,
    /// The whole text.
    Whole,
    /// A named edit.
    Recipe,
    /// Deletion of the file.
    Delete,
    /// A tree-sitter query.
    Ast,
    /// A pattern with holes.
    Struct,
    /// Another path.
    Move,
}

/// What happens to the existence of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// It is there before and after.
    #[default]
    Kept,
    /// It comes to be.
    Created,
    /// It goes away.
    Deleted,
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

/// How the places of a plan were found; of several, by the weakest of them.
pub use crate::locate::Finding as Evidence;

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
    /// It makes no sense.
    Invalid {
        /// Why, in one line.
        why: String,
    },
}

/// At most so many candidates are listed in an answer.
pub const MAX_CANDIDATES: usize = 10;

/// Plans `change` for the file at `path`, whose text is `source`, or which does not exist.
pub fn plan(path: &WorkspacePath, source: Option<&Source>, change: &Change) -> Outcome {
    attempt(path, source, change).outcome
}

/// Plans `change` as [`plan`] does, and says which strategy did it and what others said.
pub fn attempt(path: &WorkspacePath, source: Option<&Source>, change: &Change) -> Attempted {
    match &change.request {
        Request::FirstOf(requests) => attempts::first_of(path, source, requests, change.expected),
        request => Attempted {
            outcome: counted(by_strategy(path, source, request), change.expected),
            strategy: request.strategy(),
            others: Vec::new(),
        },
    }
}

/// Refuses a plan with another number of changes than the expected one.
fn counted(outcome: Outcome, expected: Option<usize>) -> Outcome {
    match (outcome, expected) {
        (Outcome::Planned(plan), Some(expected)) if plan.changes != expected => Outcome::Refused {
            why: format!(
                "{} changes instead of the expected {expected}",
                plan.changes
            ),
        },
        (outcome, _) => outcome,
    }
}

impl Request {
    /// Returns the strategy that the request names.
    pub fn strategy(&self) -> Strategy {
        match self {
            Self::Section(_) => Strategy::Section,
            Self::Lines(_) => Strategy::Lines,
            Self::Unified(_) | Self::Dmp(_) => Strategy::Diff,
            Self::Whole(_) => Strategy::Whole,
            Self::Recipe(_) => Strategy::Recipe,
            Self::Delete => Strategy::Delete,
            Self::Ast(_) => Strategy::Ast,
            Self::Struct(_) => Strategy::Struct,
            Self::Move { .. } => Strategy::Move,
            Self::FirstOf(requests) => requests.first().map_or(Strategy::Diff, Self::strategy),
        }
    }
}

fn by_strategy(path: &WorkspacePath, source: Option<&Source>, request: &Request) -> Outcome {
    if let Some(Err(not_text)) = source.map(Source::text) {
        return Outcome::Refused {
            why: format!("{path}: {not_text}; it is not edited"),
        };
    }
    if let Some(source) = source
        && let Some(rest) = mark::behind(source, request)
    {
        return mark::moved(on_text(path, Some(&rest), request), source);
    }
    on_text(path, source, request)
}

fn on_text(path: &WorkspacePath, source: Option<&Source>, request: &Request) -> Outcome {
    match (request, source) {
        (Request::Whole(request), source) => whole::plan(path, source, request),
        (Request::Unified(patch), source) => unified::plan(path, source, patch),
        (Request::Dmp(patch), source) => dmp::plan(path, source, patch),
        (Request::Section(request), None) => section::create(path, request),
        (Request::Delete, None) => Outcome::AlreadyApplied {
            why: format!("{path} does not exist"),
        },
        (
            Request::Lines(_)
            | Request::Recipe(_)
            | Request::Ast(_)
            | Request::Struct(_)
            | Request::Move { .. },
            None,
        ) => absent(path),
        // The text stays; where the file goes is for whoever knows what else is there.
        (Request::Move { to }, Some(_)) => Outcome::Planned(Plan {
            presence: Presence::Kept,
            edits: EditSet::default(),
            evidence: Evidence::new(Rung::Exact, format!("whole file, to {to}")),
            changes: 1,
        }),
        (Request::FirstOf(requests), _) => attempts::first_of(path, source, requests, None).outcome,
        (Request::Ast(request), Some(source)) => query::plan(path, source, request),
        (Request::Struct(request), Some(source)) => structural::plan(path, source, request),
        (Request::Section(request), Some(source)) => section::plan(source, request),
        (Request::Lines(operations), Some(source)) => lines::plan(source, operations),
        (Request::Recipe(recipe), Some(source)) => recipe::plan(path, source, recipe),
        (Request::Delete, Some(source)) => delete(source),
    }
}

fn absent(path: &WorkspacePath) -> Outcome {
    Outcome::NotFound {
        why: format!("{path} does not exist"),
        nearest: None,
    }
}

fn delete(source: &Source) -> Outcome {
    Outcome::Planned(Plan {
        presence: Presence::Deleted,
        edits: EditSet::between(source.bytes(), b""),
        evidence: Evidence::new(Rung::Exact, "whole file"),
        changes: 1,
    })
}

impl Outcome {
    /// Says by which rung the places of a plan were found.
    fn found_by(mut self, rung: Rung) -> Self {
        if let Self::Planned(plan) = &mut self {
            plan.evidence.rung = rung;
        }
        self
    }
}

/// Makes the plan of splices that a strategy found, unless two of them overlap.
fn modified(splices: Vec<Splice>, evidence: impl Into<String>, changes: usize) -> Outcome {
    found(splices, Evidence::new(Rung::Exact, evidence), changes)
}

/// As [`modified`], with what is known of how the places were found.
fn found(splices: Vec<Splice>, evidence: Evidence, changes: usize) -> Outcome {
    match EditSet::new(splices) {
        Ok(edits) => with_evidence(edits, evidence, changes),
        Err(Overlap { at }) => Outcome::Invalid {
            why: format!("two of the changes overlap at byte {at}"),
        },
    }
}

/// Makes the plan of a file that stays.
fn planned(edits: EditSet, evidence: impl Into<String>, changes: usize) -> Outcome {
    with_evidence(edits, Evidence::new(Rung::Exact, evidence), changes)
}

fn with_evidence(edits: EditSet, evidence: Evidence, changes: usize) -> Outcome {
    if edits.is_empty() {
        return Outcome::AlreadyApplied {
            why: "the text is already as asked".into(),
        };
    }
    Outcome::Planned(Plan {
        presence: Presence::Kept,
        edits,
        evidence,
        changes,
    })
}

/// Makes the plan of a file that comes to be.
fn created(content: &str, evidence: &str) -> Outcome {
    Outcome::Planned(Plan {
        presence: Presence::Created,
        edits: EditSet::between(b"", content.as_bytes()),
        evidence: Evidence::new(Rung::Exact, evidence),
        changes: 1,
    })
}

impl Strategy {
    /// Returns the strategy's name in payloads.
    pub fn name(self) -> &'static str {
        match self {
            Self::Section => "section",
            Self::Lines => "lines",
            Self::Diff => "diff",
            Self::Whole => "whole",
            Self::Recipe => "recipe",
            Self::Delete => "delete",
            Self::Ast => "ast",
            Self::Struct => "struct",
            Self::Move => "move",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod testing;
