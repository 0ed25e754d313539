//! Differences as people read them.
//!
//! In: two texts, or a text and a change to it. Out: differing line ranges ([`lines`]) and
//! hunks with context, header and emphasis ([`hunk`]); of three texts, what [`merge`] makes of them.

pub mod hunk;
pub mod instead;
pub mod line;
pub mod line_ends;
pub mod lines;
pub mod merge;
pub mod stretches;
pub mod undisplayed;
