//! Proofs: what a hunk is, told whole in a line.
//!
//! In: nothing. Out: plain values.

use serde::{Deserialize, Serialize};

use crate::id::HunkId;

/// What a hunk is proved to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Proof {
    /// The parser of its language makes the same of its file with it and without it.
    Layout,
    /// It renames a definition, with all of its uses, and is the same otherwise.
    Renamed {
        /// The name on its old side.
        from: String,
        /// The name on its new side.
        to: String,
    },
    /// Its lines go here and come there, or the other way round, as they are, and mean the same there; blank ones
    /// around them aside.
    Moved {
        /// The hunk on the other side.
        with: HunkId,
        /// The path of the other side.
        path: String,
        /// The first line there, from 1.
        line: u32,
        /// How many lines moved.
        lines: u32,
    },
}
