//! What the user sees and types: the terminal interface of signoff.
//!
//! In: keys, and the session's events. Out: the screen, and commands for the session. The
//! library holds no truth of its own: what it shows can be rebuilt from the events.
//!
//! The rooms in order; each uses only rooms above it.
//!
//! | room | is |
//! |---|---|
//! | `error_text` | Errors in words, for the user |
//! | `transcript` | Transcript view: a scrolling list of cells |
//! | `event_lines` | What a user reads of an event in words |
//! | `composer` | Composer: the input field, its history and slash commands |
//! | `file_finder` | Fuzzy search of the workspace's files and definitions, on threads of its own |
//! | `app` | App: the state of the interface and its updates |
//! | `view` | View: draws the interface |
//! | `header` | Session header |
//! | `user_shell` | The user's own programs: the editor and the pager |
//! | `terminal` | Terminal setup and restoration |
//! | `watch` | Watching the store and the workspace for changes |
//! | `state_files` | State files: what a workspace keeps for its user between runs |
//! | `run` | Event loop of the interface: messages in, one frame out |

pub mod error_text;
pub mod transcript;
pub mod event_lines;
mod composer;
pub mod file_finder;
pub mod app;
pub mod view;
pub mod header;
pub mod user_shell;
pub mod terminal;
pub mod watch;
pub mod state_files;
pub mod run;

// The rooms of crates below under their own names, as core has those of source.
pub(crate) use signoff_draw::{
    blanks, displayed, markdown, row_window, sanitize, snippet, theme, wrap,
};
pub(crate) use signoff_review::{response, review};

// Proposals for tests.
#[cfg(test)]
#[path = "../../review/src/review/kit.rs"]
mod kit;
