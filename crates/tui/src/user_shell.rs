//! The user's own programs: the editor and the pager, by the lines of `$EDITOR` and `$PAGER`.
//!
//! In: such a line. Out: the command that runs it, with the user's environment but for the variables that hold keys of models:
//! an editor has plug-ins, and a pager shows what others wrote. Whoever needs such a key there has another variable for it.

pub(crate) mod editor;

use std::path::PathBuf;
use std::process::Command;

use crate::config;
use crate::paths::Paths;

/// Starts the user's own programs.
#[derive(Clone, Debug)]
pub struct UserShell {
    /// The file that names further variables with keys.
    config: PathBuf,
}

impl UserShell {
    /// Returns what starts the programs of the user with this configuration.
    pub fn new(paths: &Paths) -> Self {
        Self {
            config: paths.config.clone(),
        }
    }

    /// Returns the command that has a shell run a line.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        for name in config::key_variables(&self.config) {
            command.env_remove(name);
        }
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_programs_get_no_key_of_a_model() {
        let folder = tempfile::tempdir().unwrap();
        for (config, expected) in [
            (None, "OPENAI_API_KEY SIGNOFF_API_KEY"),
            (Some("["), "OPENAI_API_KEY SIGNOFF_API_KEY"),
            (
                Some("api_key_env = 'MINE'\nheaders = { A = '$THEIRS' }"),
                "MINE OPENAI_API_KEY SIGNOFF_API_KEY THEIRS",
            ),
        ] {
            let file = folder.path().join("config.toml");
            if let Some(text) = config {
                std::fs::write(&file, text).unwrap();
            }
            let command = UserShell { config: file }.command("true");
            let taken = command.get_envs().filter(|(_, value)| value.is_none());
            let taken = taken.map(|(name, _)| name.to_str().unwrap());
            let known = ["OPENAI_API_KEY", "SIGNOFF_API_KEY", "MINE", "THEIRS"];
            let mut taken: Vec<&str> = taken.filter(|name| known.contains(name)).collect();
            taken.sort_unstable();
            assert_eq!(taken.join(" "), expected);
        }
    }
}
