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
//! | `spelling` | Nearest names of a mistyped word |
//! | `transcript` | Transcript view: a scrolling list of cells |
//! | `event_lines` | What a user reads of an event in words |
//! | `composer` | Composer: the input field, its history and slash commands |
//! | `file_finder` | Fuzzy search of the workspace's files and definitions, on threads of its own |
//! | `app` | App: the state of the interface and its updates |
//! | `view` | View: draws the interface |
//! | `args` | Command line arguments |
//! | `clock` | The time, and how it is written |
//! | `config` | Configuration |
//! | `paths` | Paths: workspace, state folder, configuration |
//! | `out` | Output without a screen: remarks on standard error, JSON on standard output |
//! | `opened` | Opening the engine for a command, a server or a conversation |
//! | `broad_folder` | Broad folders: the home folder, one above it, or `/` |
//! | `folder_consent` | Consent to work on a broad folder: the home folder, one above it, or `/` |
//! | `log` | Log file |
//! | `header` | Session header |
//! | `user_shell` | The user's own programs: the editor and the pager |
//! | `terminal` | Terminal setup and restoration |
//! | `watch` | Watching the store and the workspace for changes |
//! | `state_files` | State files: what a workspace keeps for its user between runs |
//! | `run` | Event loop of the interface: messages in, one frame out |
//! | `configuration` | Configuration: what is configured, as every command reads it, and the keys that it makes |
//! | `workspace_index` | The index of this workspace, in the state folder |
//! | `shadow_setup` | Shadow setup: what a shadow of the workspace is made of |
//! | `project` | The project in the workspace: what checks it, what tests it, and whether that may run |
//! | `definitions` | Definitions of skills, agents and hooks, and which of them are trusted |
//! | `session_setup` | Session setup: tools, instructions, limits and memory of a conversation |
//! | `cli` | Commands that need no terminal interface: one file each |
//! | `interactive` | Wiring of the interactive interface |
//! | `demo` | `signoff demo`: a sample folder and a recorded model |
//! | `process_memory` | Keeps other processes of the same user out of this one's memory and environment (`PR_SET_DUMPABLE`) |

pub mod error_text;
mod spelling;
mod transcript;
mod event_lines;
mod composer;
pub mod file_finder;
pub mod app;
pub mod view;
pub mod args;
mod clock;
mod config;
pub mod paths;
mod out;
mod opened;
pub mod broad_folder;
pub mod folder_consent;
pub mod log;
pub mod header;
pub mod user_shell;
pub mod terminal;
pub mod watch;
pub mod state_files;
pub mod run;
mod configuration;
mod workspace_index;
mod shadow_setup;
mod project;
mod definitions;
mod session_setup;
pub mod cli;
pub mod interactive;
pub mod demo;
pub mod process_memory;

// The rooms of crates below under their own names, as core has those of source.
pub(crate) use signoff_draw::{
    blanks, displayed, markdown, row_window, sanitize, snippet, theme, wrap,
};
pub(crate) use signoff_review::{response, review};

// Proposals for tests.
#[cfg(test)]
#[path = "../../review/src/review/kit.rs"]
mod kit;

/// Returns text with everything that could move, hide or reorder what a terminal shows written
/// out.
pub fn harmless(text: &str) -> std::borrow::Cow<'_, str> {
    sanitize::clean(text)
}
