//! Definitions of skills, agents and hooks in files of the user's and of the workspace, and which of them are trusted.

pub(crate) mod agents;
pub mod hooks;
pub(crate) mod skills;
pub mod trust;
