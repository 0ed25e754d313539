//! Definitions of skills, agents and hooks in files of the user's and of the workspace, and which of them are trusted.

pub(crate) mod agents;
pub mod hooks;
pub(crate) mod skills;
pub mod trust;

use std::sync::Mutex;

use signoff_core::engine::Engine;

use crate::paths::Paths;

/// Tells whether a prompt calls for a skill, as `/NAME`.
pub fn calls_for_skill(paths: &Paths, engine: &Mutex<Engine>, prompt: &str) -> bool {
    let (skills, _) = skills::find(paths, engine);
    skills.called_for(prompt).is_some()
}
