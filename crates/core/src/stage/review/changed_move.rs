//! Changed moves: a block of lines that goes here and comes there with few words changed.
//!
//! In: nothing. Out: plain values.

use serde::{Deserialize, Serialize};

use crate::id::HunkId;

/// The other side of a block that moved with changes. It has to be read: [`DiffLine::emphasis`](super::DiffLine) marks
/// the words that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedMove {
    /// The hunk on the other side.
    pub with: HunkId,
    /// The path of the other side.
    pub path: String,
    /// The first line there, from 1.
    pub line: u32,
    /// How many lines moved.
    pub lines: usize,
    /// How many words differ; with none of them the indentation does.
    pub words: usize,
}
