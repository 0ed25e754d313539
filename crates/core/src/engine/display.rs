//! Queries for display: what a person sees of staged work and of history. Nothing is changed.
//!
//! In: staged work, files and history. Out: review list, diffs, colours, blame, outcomes.

pub(super) mod changed_moves;
pub(super) mod colours;
pub mod history_queries;
pub(super) mod hunk_blame;
pub(super) mod layout_only;
pub(super) mod lines_around;
pub(super) mod net_change;
pub(super) mod outcomes;
pub(super) mod placement;
pub(super) mod proved;
pub(super) mod same_rewrites;
pub(super) mod scoped_diff;
