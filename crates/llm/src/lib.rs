//! The conversation of signoff.

pub mod driver;
pub mod gate;
pub mod message;
pub mod notice;
pub mod partial_json;
pub mod permission;
pub mod provider;
pub mod session;
pub mod tool;
pub mod transcript;
