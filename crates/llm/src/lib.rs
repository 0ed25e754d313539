//! The conversation of signoff.

pub mod apply;
#[cfg(target_os = "linux")]
pub mod checks;
pub mod compaction;
pub mod diagnosed;
pub mod driver;
pub mod gate;
pub mod instructions;
mod json;
pub mod memory;
pub mod message;
pub mod notice;
pub mod partial_json;
pub mod permission;
pub mod provider;
pub mod session;
#[cfg(target_os = "linux")]
pub mod shadow;
pub mod usage;
pub mod tool;
pub mod transcript;
