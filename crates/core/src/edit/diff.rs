//! Differences as people read them.
//!
//! In: two texts, or a text and a change to it. Out: differing line ranges ([`lines`]) and
//! hunks with context, header and emphasis ([`hunk`]); of three texts, what [`merge`] makes of them.
//!
//! Which lines differ, hunks with context and emphasis, and `instead`: the lines in the place of a hunk in a text
//! that went another way. `merge` is the three-way merge of lines. Patience diff over Myers with a bound, so the
//! work stays near linear on any input. Of long lines the `stretches` that differ are shown. Hunks of more than 1
//! MiB are told by their sizes and hashes (`undisplayed`, `docs/decisions/0040`), and so are all hunks of a review
//! list that would take more than 128 MiB of memory (`proposal/views`).

pub mod hunk;
pub mod instead;
pub mod line;
pub mod line_ends;
pub mod merge;
pub mod stretches;
pub mod undisplayed;

pub use signoff_source::text::difference as lines;
