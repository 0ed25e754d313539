//! Definitions of skills, agents and hooks in files of the user's and of the workspace, and which of them are trusted.

pub(crate) mod agents;
pub(crate) mod hooks;
pub(crate) mod skills;
pub(crate) mod trust;
