//! Committing: writes what was signed off, all files or none, and enters it in history.
//!
//! In: verdicts, or what a command changed on disk. Out: files, entries of history, and what became of each hunk.

pub(super) mod adopt;
pub(super) mod decide;
pub(super) mod elsewhere;
pub(super) mod held_together;
pub(super) mod review_required;
pub(super) mod transact;
pub(super) mod unwritable;
