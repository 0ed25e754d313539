//! The table `[keys]`: what the user's file says of keys, before it is compared with the keys that there are.
//!
//! In: the user's file; a workspace's file has no say. Out: the table, and the lines of its entries. What is wrong with it,
//! whoever has the keys of the interface says.

use std::path::Path;

use super::setting_lines::SettingLines;
use super::{UserFile, read_user};

/// What the user's file says of keys.
#[derive(Clone, Debug, Default)]
pub struct KeySettings {
    /// The table, if there is one.
    pub table: Option<toml::Value>,
    lines: SettingLines,
}

impl KeySettings {
    /// Reads them from the user's file alone.
    pub fn load(file: &Path) -> anyhow::Result<Self> {
        Ok(Self::of(&read_user(file)?))
    }

    pub(super) fn of(user: &UserFile) -> Self {
        Self {
            table: user.keys.clone(),
            lines: user.lines.clone(),
        }
    }

    /// Says where in the user's file settings are: its name, with their lines as far as these are known.
    pub fn place(&self, settings: &[Vec<String>]) -> String {
        self.lines.place(settings)
    }
}
