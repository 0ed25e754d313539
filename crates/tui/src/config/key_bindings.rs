//! The table `[keys]`: which keys mean what.
//!
//! In: the user's file; a workspace's file has no say. Out: the key map, and what is wrong with the table. A table with
//! an error has no effect: the built-in keys hold.

use std::path::Path;

use super::read_user;
use super::setting_lines::SettingLines;
use crate::app::keymap::{KeyMap, UserKeyError};

/// Returns the keys that a table makes, and a line for each error in it.
pub(super) fn key_map(table: Option<&toml::Value>, lines: &SettingLines) -> (KeyMap, Vec<String>) {
    let Some(table) = table else {
        return (KeyMap::default(), Vec::new());
    };
    match KeyMap::with_user_keys(table) {
        Ok(keys) => (keys, Vec::new()),
        Err(errors) => {
            let told = |error: UserKeyError| {
                let (place, message) = (lines.place(&error.settings), error.message);
                format!("{place}: {message}; the built-in keys hold")
            };
            (KeyMap::default(), errors.into_iter().map(told).collect())
        }
    }
}

/// Reads the keys from the user's file, with a line for each error in the table.
pub(crate) fn load(file: &Path) -> anyhow::Result<(KeyMap, Vec<String>)> {
    let user = read_user(file)?;
    Ok(key_map(user.keys.as_ref(), &user.lines))
}
