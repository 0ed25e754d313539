//! Strategies: the ways to ask for a change, as payloads and answers spell them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Request;

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
    /// What a program left; no request names it.
    Program,
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

impl Strategy {
    /// Every strategy that a request can name.
    pub const ALL: &'static [Self] = &[
        Self::Section,
        Self::Lines,
        Self::Diff,
        Self::Ast,
        Self::Struct,
        Self::Recipe,
        Self::Whole,
        Self::Move,
        Self::Delete,
    ];

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
            Self::Program => "program",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
