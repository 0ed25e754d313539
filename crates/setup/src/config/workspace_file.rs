//! The workspace's own file: what it narrows, and the keys that do not count.

use serde::Deserialize;
use signoff_llm::permission::Rule;

use super::second_signature::SecondSignatureFile;
use super::turn::Limits;

/// The workspace's file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WorkspaceFile {
    /// `true`: only the offline planner works here. No code leaves the folder.
    pub(super) offline: bool,
    /// Rules as in your own file; they can make it stricter, not laxer.
    pub(super) permissions: Vec<Rule>,
    /// `false`: nothing is written at once.
    pub(super) write_through: Option<bool>,
    /// `false`: none run here.
    pub(super) checks: Option<bool>,
    /// `false`: none run here.
    pub(super) language_servers: Option<bool>,
    /// A table with `max_requests`, `max_tokens` and `max_cost`; the lower of these and yours count.
    pub(super) turn: Limits,
    /// A table with `deny`: hosts that programs do not reach here.
    pub(super) network: WorkspaceNetwork,
    /// A table as in your own file: what either asks for is asked for.
    pub(super) second_signature: SecondSignatureFile,
    #[serde(flatten)]
    others: toml::Table,
}

/// Hosts that programs may not reach here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WorkspaceNetwork {
    pub(super) deny: Vec<String>,
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
        let network = self
            .network
            .others
            .keys()
            .map(|name| format!("network.{name}"));
        let inner = turn.chain(network);
        self.others.keys().cloned().chain(inner).chain(widens)
    }
}
