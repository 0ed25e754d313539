//! Proofs: what a hunk is, told whole in a line.
//!
//! In: nothing. Out: plain values.

use serde::{Deserialize, Serialize};

use crate::id::HunkId;

/// What a hunk is proved to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Proof {
    /// It has one name in the place of another, and is the same otherwise.
    Renamed {
        /// The name on its old side.
        from: String,
        /// The name on its new side.
        to: String,
    },
    /// It makes one rewrite, the same as another hunk, wherever its old lines have the text, and is the same otherwise.
    /// It holds for a reader who has approved the other hunk.
    SameRewrite {
        /// The first hunk that makes it.
        with: HunkId,
        /// The path of that hunk.
        path: String,
        /// The text on the old side.
        from: String,
        /// The text on the new side.
        to: String,
    },
    /// Its lines go here and come there, or the other way round, as they are; blank ones around them aside.
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
