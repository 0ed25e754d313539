//! Thresholds and limits that several rungs of the search share.
//!
//! Those of one rung stand at the top of its module. "Letters" are letters and digits.

/// Letters of a line that says something: with fewer it is a bracket, `else` or `end`, and stands in
/// any block.
pub(crate) const TELLING_LINE: usize = 4;
/// Letters of a text that is known by itself: new text that is found where the old is not counts as
/// this change, already made, if it says so much.
pub(crate) const TELLING_TEXT: usize = 12;
/// Letters of about one statement: a place with fewer is known by its brackets and `return`s alone, which any block has.
pub(crate) const STATEMENT: usize = 20;
/// A line that occurs more often than this says nothing about a place: braces and blank lines.
pub(crate) const MAX_REPEATS: usize = 64;
/// Steps of the request's budget for a line that is looked for, at each level and in each form.
pub(crate) const STEPS_PER_LINE: usize = 64;
/// Steps of the request's budget for a byte of a line whose characters are listed one by one.
pub(crate) const STEPS_PER_BYTE: usize = 16;
