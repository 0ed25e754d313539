//! signoff in its own shadow: whatever would be staged there is thrown away with the shadow.
//!
//! In: the workspace and a command. Out: a refusal that says where changes are collected.
//!
//! `signoff run -- bash`, and in it `signoff apply` in the same folder, staged into a store that was gone with bash.

use signoff_setup::paths::Paths;
use signoff_setup::shadow_setup;

use crate::args::Command;
use crate::commands;

/// Refuses what stages, decides or lists what waits in the shadow of this very workspace; the interface has no command.
///
/// # Errors
///
/// Says that this is the shadow, and what becomes of changes in it.
pub fn refuse(paths: &Paths, command: Option<&Command>) -> anyhow::Result<()> {
    let is_refused =
        command.is_none_or(|command| has_state(command) && !commands::is_relay(command));
    match shadow_setup::seen_inside(&paths.root) {
        Some(told) if is_refused => anyhow::bail!(told),
        Some(_) | None => Ok(()),
    }
}

/// Returns whether a command stages, decides on or lists what is kept of the workspace outside of it.
fn has_state(command: &Command) -> bool {
    match command {
        Command::Check(_)
        | Command::Completions { .. }
        | Command::Context(_)
        | Command::Demo
        | Command::Doctor(_)
        | Command::Engine(_)
        | Command::Keys(_)
        | Command::Man
        | Command::References(_)
        | Command::Symbols(_) => false,
        #[cfg(feature = "acp")]
        Command::Acp(_) => true,
        #[cfg(feature = "mcp")]
        Command::Mcp | Command::SignIn(_) => true,
        Command::Apply(_)
        | Command::Approve(_)
        | Command::Background(_)
        | Command::Blame(_)
        | Command::Commit(_)
        | Command::Deny(_)
        | Command::Diff
        | Command::Exec(_)
        | Command::History(_)
        | Command::Init(_)
        | Command::Keep(_)
        | Command::Offer(_)
        | Command::Redo(_)
        | Command::Revert(_)
        | Command::Review(_)
        | Command::Rule(_)
        | Command::Run(_)
        | Command::Sessions(_)
        | Command::Setup(_)
        | Command::Take(_)
        | Command::Test(_)
        | Command::Trust(_)
        | Command::Undo(_)
        | Command::Verify(_) => true,
    }
}
