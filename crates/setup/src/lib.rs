//! Setup: from arguments, configuration and the workspace to a conversation.
//!
//! In: what this run was asked for, and the files and variables that say the rest. Out: a driver with its model, its tools
//! and its surroundings, and what every front end needs beside it: the engine, opened, and output without a screen. Knows
//! no key and no screen.
//!
//! The rooms in order; each uses only rooms above it.
//!
//! | room | is |
//! |---|---|
//! | `clock` | The time, and how it is written |
//! | `out` | Output without a screen: remarks on standard error, JSON on standard output |
//! | `args` | Arguments that a conversation is made of |
//! | `config` | Configuration |
//! | `paths` | Paths: workspace, state folder, configuration |
//! | `broad_folder` | Broad folders: the home folder, one above it, or `/` |
//! | `opened` | Opening the engine for a command, a server or a conversation |
//! | `workspace_index` | The index of this workspace, in the state folder |
//! | `shadow_setup` | Shadow setup: what a shadow of the workspace is made of |
//! | `project` | The project in the workspace: what checks it, what tests it, and whether that may run |
//! | `definitions` | Definitions of skills, agents and hooks, and which of them are trusted |
//! | `session_setup` | Session setup: tools, instructions, limits and memory of a conversation |

pub mod clock;
pub mod out;
pub mod args;
pub mod config;
pub mod paths;
pub mod broad_folder;
pub mod opened;
pub mod workspace_index;
pub mod shadow_setup;
pub mod project;
pub mod definitions;
pub mod session_setup;
