//! The command line of signoff: what was typed, and what it comes to.
//!
//! In: arguments, standard input, a terminal. Out: a command carried out, or the interface with a conversation behind it,
//! and an exit code.
//!
//! The rooms in order; each uses only rooms above it.
//!
//! | room | is |
//! |---|---|
//! | `args` | Command line arguments |
//! | `folder_consent` | Consent to work on a broad folder |
//! | `log` | Log file |
//! | `configuration` | Configuration: what is configured, as every command reads it, and the keys that it makes |
//! | `commands` | Commands that need no terminal interface: one file each |
//! | `own_shadow` | signoff in its own shadow |
//! | `interactive` | Wiring of the interactive interface |
//! | `demo` | `signoff demo`: a sample folder and a recorded model |
//! | `process_memory` | Keeps other processes of the same user out of this one's memory and environment (`PR_SET_DUMPABLE`) |

pub mod args;
pub mod folder_consent;
pub mod log;
mod configuration;
pub mod commands;
pub mod own_shadow;
pub mod interactive;
pub mod demo;
pub mod process_memory;
