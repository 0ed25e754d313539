//! What the user sees and types: the terminal interface of signoff.
//!
//! In: keys, and the session's events. Out: the screen, and commands for the session. The
//! library holds no truth of its own: what it shows can be rebuilt from the events.

pub mod app;
pub mod args;
mod blanks;
pub mod cli;
mod composer;
mod config;
mod displayed;
mod editor;
pub mod header;
pub mod interactive;
mod keymap;
pub mod log;
mod markdown;
mod model;
pub mod paths;
pub mod process_memory;
mod review;
pub mod run;
mod sanitize;
mod session_setup;
mod shadow_setup;
mod terminal;
mod theme;
mod transcript;
pub mod view;
pub mod watch;
mod wrap;

/// Returns text with everything that could move, hide or reorder what a terminal shows written
/// out.
pub fn harmless(text: &str) -> std::borrow::Cow<'_, str> {
    sanitize::clean(text)
}
