//! Links and execution: other names of files with staged work, and what runs them.
//!
//! In: the stage and the disk. Out: names, and marks for files that somebody has to see before they are written.

pub(super) mod executed;
pub(super) mod file_marks;
pub(super) mod linked;
pub(super) mod resolved;
