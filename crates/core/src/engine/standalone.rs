//! Edits and checks of one text, without a workspace.
//!
//! In: lines of JSON. Out: an answer for each.

pub(super) mod check;
pub(super) mod oneshot;
