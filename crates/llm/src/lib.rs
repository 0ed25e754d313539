//! The conversation of signoff.

pub mod message;
pub mod provider;
pub mod session;
pub mod tool;
