//! From a request to a plan: one file a strategy.
//!
//! In: a text (or none) and a [`Change`]. Out: an [`Outcome`]: a [`Plan`], or one of the
//! answers that are not errors: already applied, ambiguous, not found, refused, invalid.
//!
//! Every strategy begins with `plan`, which calls its three parts. They follow in this order:
//! `parse`, what the request says beyond its JSON; `locate`, where that is in the text; `splice`,
//! what is written there. A part that cannot go on ends the planning with its answer.

mod attempts;
mod delete;
mod dmp;
mod lines;
mod mark;
mod moving;
mod outcome;
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
pub use outcome::{Evidence, Outcome, Plan, Presence};
pub(crate) use unified::parts::{Part, parts};

use outcome::{OrAnswer, absent, invalid, refused};

use crate::request::{Change, Request};
use crate::text::Source;
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
            outcome: by_strategy(path, source, request).counted(change.expected, source),
            strategy: request.strategy(),
            others: Vec::new(),
        },
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
        return refused(format!("{path}: {not_text}; it is not edited"));
    }
    let behind = source.and_then(|source| Some((source, mark::behind(source, request)?)));
    let planned = match behind {
        Some((source, rest)) => {
            on_text(path, Some(&rest), request).and_then(|plan| mark::moved(plan, source))
        }
        None => on_text(path, source, request),
    };
    planned.map_or_else(|answer| answer, Outcome::Planned)
}

fn on_text(path: &WorkspacePath, source: Option<&Source>, request: &Request) -> OrAnswer<Plan> {
    let there = || source.ok_or_else(|| absent(path));
    match request {
        Request::Section(request) => section::plan(path, source, request),
        Request::Lines(operations) => lines::plan(there()?, operations),
        Request::Unified(patch) => unified::plan(path, source, patch),
        Request::Dmp(patch) => dmp::plan(path, source, patch),
        Request::Ast(request) => query::plan(path, there()?, request),
        Request::Struct(request) => structural::plan(path, there()?, request),
        Request::Recipe(recipe) => recipe::plan(path, there()?, recipe),
        Request::Whole(request) => whole::plan(path, source, request),
        Request::Move { to } => moving::plan(path, source, to),
        Request::Delete => delete::plan(path, source),
        Request::FirstOf(_) => Err(invalid("ways within ways")),
    }
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
