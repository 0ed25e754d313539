//! `[language_servers]`: which language servers are used.

use std::collections::BTreeMap;

use serde::Deserialize;
use signoff_checks::language_server::LanguageServer;

/// `language_servers = false`, or a table with a line for each of some.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum ServersFile {
    All(bool),
    Each(BTreeMap<LanguageServer, ServerFile>),
}

impl Default for ServersFile {
    fn default() -> Self {
        Self::All(true)
    }
}

/// What the user says of one server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum ServerFile {
    /// Whether it is used, if it is on the path.
    On(bool),
    /// The program and its arguments.
    Command(Vec<String>),
}
