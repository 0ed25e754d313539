//! Where a request applies.
//!
//! In: a text and what a request says of the place. Out: one place, several, or none with
//! the nearest. Several is never "take the first".

pub mod context;
pub mod exact;
pub mod nearest;
pub mod view;

use serde::Serialize;

/// A place that a request could mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// 1-based line that it begins on.
    pub line: usize,
    /// The line before, the place's first line and the line after the place, as in the file.
    pub excerpt: String,
}
