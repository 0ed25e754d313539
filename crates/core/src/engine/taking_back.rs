//! Taking back: reverts of what history has, redo, and previews of both.
//!
//! In: a file, a changeset or a time. Out: files written, all or none, with new entries of history; or why not.

pub(super) mod redo;
pub(super) mod revert_conflict;
pub(super) mod undo;
pub(super) mod written_since;
