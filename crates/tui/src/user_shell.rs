//! The user's own programs: the editor and the pager, by the lines of `$EDITOR` and `$PAGER`.
//!
//! In: such a line. Out: the command that runs it, with the user's environment but for the variables that hold keys of models:
//! an editor has plug-ins, and a pager shows what others wrote. Whoever needs such a key there has another variable for it.

pub mod editor;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Starts the user's own programs.
#[derive(Clone, Debug)]
pub struct UserShell {
    /// The file that names further variables with keys.
    config: PathBuf,
    /// Reads the names of all variables with keys.
    key_variables: fn(&Path) -> Vec<String>,
}

impl UserShell {
    /// Returns what starts the programs of the user with this configuration, of which `key_variables` reads the names of
    /// variables with keys.
    pub fn new(config: &Path, key_variables: fn(&Path) -> Vec<String>) -> Self {
        Self {
            config: config.to_owned(),
            key_variables,
        }
    }

    /// Returns the command that has a shell run a line.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        for name in (self.key_variables)(&self.config) {
            command.env_remove(name);
        }
        command
    }
}
