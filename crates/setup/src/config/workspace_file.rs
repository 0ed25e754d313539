//! The workspace's own file: what it narrows, and the keys that do not count.

use serde::Deserialize;
use signoff_llm::permission::Rule;

use super::turn::Limits;

/// The workspace's file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WorkspaceFile {
    pub(super) offline: bool,
    pub(super) permissions: Vec<Rule>,
    pub(super) write_through: Option<bool>,
    pub(super) checks: Option<bool>,
    pub(super) language_servers: Option<bool>,
    pub(super) turn: Limits,
    #[serde(flatten)]
    others: toml::Table,
}

impl WorkspaceFile {
    /// Returns the keys that do not count.
    pub(super) fn ignored(&self) -> impl Iterator<Item = String> {
        let turn = self.turn.others.keys().map(|name| format!("turn.{name}"));
        let widens = (self.write_through == Some(true)).then(|| "write_through".to_owned());
        let widens = widens
            .into_iter()
            .chain((self.checks == Some(true)).then(|| "checks".to_owned()))
            .chain((self.language_servers == Some(true)).then(|| "language_servers".to_owned()));
        self.others.keys().cloned().chain(turn).chain(widens)
    }
}
