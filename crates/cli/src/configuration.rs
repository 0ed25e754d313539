//! Configuration: what is configured, as every command reads it, and the keys that it makes.
//!
//! In: the paths of a run and its arguments. Out: the configuration, and what is odd about it. The table of keys is the
//! interface's, so that what is wrong with `[keys]` is found here. A table with an error has no effect: the built-in keys
//! hold.

use signoff_setup::config::{self, Config, Environment, KeySettings};
use signoff_setup::paths::Paths;
use signoff_tui::app::keymap::KeyMap;
use signoff_tui::user_shell::UserShell;

use crate::args::ModelArgs;

/// Reads what is configured. A file that cannot be understood is an error.
pub(crate) fn load(paths: &Paths, args: &ModelArgs) -> anyhow::Result<Config> {
    let environment = Environment::read();
    Config::load(&paths.config, &paths.root, args, environment, key_errors)
}

/// Returns what starts the user's own programs, without the variables that hold keys of models.
pub(crate) fn user_shell(paths: &Paths) -> UserShell {
    UserShell::new(&paths.config, config::key_variables)
}

/// Returns the keys that the user's file makes, and a line for each error in its table.
pub(crate) fn key_map(settings: &KeySettings) -> (KeyMap, Vec<String>) {
    let Some(table) = &settings.table else {
        return (KeyMap::default(), Vec::new());
    };
    match KeyMap::with_user_keys(table) {
        Ok(keys) => (keys, Vec::new()),
        Err(errors) => {
            let lines = errors.into_iter().map(|error| {
                let (place, message) = (settings.place(&error.settings), error.message);
                format!("{place}: {message}; the built-in keys hold")
            });
            (KeyMap::default(), lines.collect())
        }
    }
}

fn key_errors(settings: &KeySettings) -> Vec<String> {
    key_map(settings).1
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns what is configured where the files are these.
    fn configured(user: &str, workspace: &str) -> Config {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let file = root.join("config.toml");
        fs::write(&file, user).unwrap();
        fs::write(root.join(".signoff.toml"), workspace).unwrap();
        let args = ModelArgs::default();
        Config::load(&file, root, &args, Environment::default(), key_errors).unwrap()
    }

    /// Returns the key that approves, and the warnings on the files.
    fn approve_key(user: &str, workspace: &str) -> (String, Vec<String>) {
        let config = configured(user, workspace);
        let name = key_map(&config.keys).0.review_names().approve.into_owned();
        (name, config.warnings)
    }

    #[test]
    fn keys_are_the_users_alone_and_an_error_leaves_the_built_in_ones() {
        let remapped = "[keys.review]\napprove = 'f5'";
        assert_eq!(approve_key(remapped, ""), ("F5".to_owned(), vec![]));
        let (name, warnings) = approve_key("", remapped);
        assert_eq!(name, "a");
        assert!(warnings[0].contains("`keys` is ignored"), "{warnings:?}");
        let (name, warnings) = approve_key("[keys.review]\napprove = 'f5'\ndeny = 'f99'", "");
        assert_eq!(name, "a", "the table as a whole has no effect");
        assert_eq!(warnings.len(), 1);
        let begin = "config.toml, line 3: `keys.review.deny`: `f99` is not a key: a key is";
        assert!(warnings[0].starts_with(begin), "{warnings:?}");
        assert!(warnings[0].ends_with("the built-in keys hold"));
    }

    #[test]
    fn what_is_wrong_with_keys_is_said_with_its_lines() {
        let text = "offline = true\n\n[keys.review]\napprove = 'f99'\ndeny = 'f5'\nedit = ['f6', 'f5']\n[keys]\nreviw.x = 'y'\n";
        let warnings = configured(text, "").warnings;
        for (at, begin) in [
            "config.toml, line 4: `keys.review.approve`: `f99` is not a key",
            "config.toml, line 8: `keys.reviw` is not a place for keys",
            "config.toml, lines 5 and 6: `keys.review`: F5 is both `deny` and `edit`",
        ]
        .iter()
        .enumerate()
        {
            assert!(warnings[at].starts_with(begin), "{warnings:#?}");
        }
    }

    #[test]
    fn the_users_programs_get_no_key_of_a_model() {
        let folder = tempfile::tempdir().unwrap();
        for (configured, expected) in [
            (None, "OPENAI_API_KEY SIGNOFF_API_KEY"),
            (Some("["), "OPENAI_API_KEY SIGNOFF_API_KEY"),
            (
                Some("api_key_env = 'MINE'\nheaders = { A = '$THEIRS' }"),
                "MINE OPENAI_API_KEY SIGNOFF_API_KEY THEIRS",
            ),
        ] {
            let file = folder.path().join("config.toml");
            if let Some(text) = configured {
                fs::write(&file, text).unwrap();
            }
            let command = UserShell::new(&file, config::key_variables).command("true");
            let taken = command.get_envs().filter(|(_, value)| value.is_none());
            let taken = taken.map(|(name, _)| name.to_str().unwrap());
            let known = ["OPENAI_API_KEY", "SIGNOFF_API_KEY", "MINE", "THEIRS"];
            let mut taken: Vec<&str> = taken.filter(|name| known.contains(name)).collect();
            taken.sort_unstable();
            assert_eq!(taken.join(" "), expected);
        }
    }
}
