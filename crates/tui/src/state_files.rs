//! State files: what a workspace keeps for its user between runs, beside the store, and files that they export.

pub mod draft;
pub mod exports;
pub mod marks;
pub mod prompt_history;
