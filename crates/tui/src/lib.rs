//! What the user sees and types: the terminal interface of signoff.
//!
//! In: keys, and the session's events. Out: the screen, and commands for the session. The
//! library holds no truth of its own: what it shows can be rebuilt from the events.
//!
//! The rooms in order; each uses only rooms above it.
//!
//! | room | is |
//! |---|---|
//! | `sanitize` | Sanitising untrusted text for display |
//! | `theme` | Styles by role, never by colour |
//! | `blanks` | Long runs of blanks and of empty lines, counted instead of printed |
//! | `wrap` | Styled rows and line wrapping |
//! | `markdown` | Markdown rendering, one line at a time |
//! | `spelling` | Nearest names of a mistyped word |
//! | `snippet` | Colours of code in what a model says |
//! | `displayed` | Displayed lines of a text, at any width of the screen |
//! | `response` | Responses: what a key, or a text that is entered, comes to in a pane |
//! | `transcript` | Transcript view: a scrolling list of cells |
//! | `review` | Review pane: staged proposals, their diffs, and verdicts on hunks |
//! | `background_page` | Background page: the agents that work beside the conversation, one of which is selected, or what one has said |
//! | `pasted_image` | Images whose paths are pasted |
//! | `composer` | Composer: the input field, its history and slash commands |
//! | `file_finder` | Fuzzy search of the workspace's files and definitions, on threads of its own |
//! | `app` | App: the state of the interface and its updates |
//! | `view` | View: draws the interface |
//! | `args` | Command line arguments |
//! | `config` | Configuration |
//! | `paths` | Paths: workspace, state folder, configuration |
//! | `broad_folder` | Consent to work on a broad folder: the home folder, one above it, or `/` |
//! | `log` | Log file |
//! | `header` | Session header |
//! | `user_shell` | The user's own programs: the editor and the pager |
//! | `editor` | Starting the user's editor |
//! | `terminal` | Terminal setup and restoration |
//! | `watch` | Watching the store and the workspace for changes |
//! | `marks_file` | File of review marks, beside the store of the workspace |
//! | `draft_file` | File of the unsent prompt, beside the store of the workspace |
//! | `prompt_history` | Prompt history: what was typed in earlier runs, beside the store of the workspace |
//! | `export_folder` | Files that conversations are exported to |
//! | `workspace_index` | The index of this workspace, in the state folder |
//! | `code_index` | The index of this workspace, as the model's tools ask it |
//! | `shadow_setup` | Shadow setup: what a shadow of the workspace is made of |
//! | `check_consent` | Check consent: whether checks and tests of the project may run |
//! | `project_tests` | Project tests: the test files that belong to staged files of this workspace |
//! | `language_servers` | Language servers on the path: which there are, and which are of use in the workspace |
//! | `project_checks` | Project checks: what compiles and lints the staged files of this workspace |
//! | `project_survey` | Survey of a project: its languages, folders, build files, checks and tests, as instructions for a model |
//! | `workspace_trust` | Workspace trust: which definitions that came with a workspace the user trusts |
//! | `surroundings` | Surroundings of this workspace, for the model |
//! | `skill_files` | Files of skills: those of the user, and those of the workspace |
//! | `agent_files` | Files of agents: those of the user, and those of the workspace |
//! | `hook_files` | Files of hooks: the user's own, and the one that came with the workspace |
//! | `background_agents` | Background agents of a workspace: their folders, records and processes |
//! | `image_files` | Images that a prompt names |
//! | `mcp_servers` | Servers of the Model Context Protocol for a conversation: those of the user, and those that the workspace names |
//! | `model` | Model selection at start |
//! | `session_setup` | Session setup: tools, instructions, limits and memory of a conversation |
//! | `cli` | Commands that need no terminal interface: one file each |
//! | `run` | Event loop of the interface: messages in, one frame out |
//! | `interactive` | Wiring of the interactive interface |
//! | `demo` | `signoff demo`: a sample folder and a recorded model |
//! | `process_memory` | Keeps other processes of the same user out of this one's memory and environment (`PR_SET_DUMPABLE`) |

mod sanitize;
mod theme;
mod blanks;
mod wrap;
mod markdown;
mod spelling;
mod snippet;
mod displayed;
mod response;
mod transcript;
mod review;
mod background_page;
pub mod pasted_image;
mod composer;
pub mod file_finder;
pub mod app;
pub mod view;
pub mod args;
mod config;
pub mod paths;
pub mod broad_folder;
pub mod log;
pub mod header;
pub mod user_shell;
mod editor;
pub mod terminal;
pub mod watch;
pub mod marks_file;
pub mod draft_file;
pub mod prompt_history;
pub mod export_folder;
mod workspace_index;
mod code_index;
mod shadow_setup;
mod check_consent;
mod project_tests;
mod language_servers;
mod project_checks;
mod project_survey;
mod workspace_trust;
mod surroundings;
mod skill_files;
mod agent_files;
mod hook_files;
mod background_agents;
mod image_files;
#[cfg(feature = "mcp")]
mod mcp_servers;
mod model;
mod session_setup;
pub mod cli;
pub mod run;
pub mod interactive;
pub mod demo;
pub mod process_memory;

/// Returns text with everything that could move, hide or reorder what a terminal shows written
/// out.
pub fn harmless(text: &str) -> std::borrow::Cow<'_, str> {
    sanitize::clean(text)
}
