//! Servers of the Model Context Protocol, as they are written: `[mcp.NAME]` of the user's file, and `.mcp.json` of a workspace.
//!
//! In: a table. Out: its fields.

use std::collections::BTreeMap;
use std::path::PathBuf;

use secrecy::SecretString;
use serde::Deserialize;

use super::Address;

/// The servers of the user's file.
#[derive(Clone, Debug, Default)]
pub struct McpServers {
    /// By their names.
    pub by_name: BTreeMap<String, McpServer>,
    /// True if the workspace forbids the network.
    pub is_offline: bool,
}

/// A server, as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct McpServer {
    /// The program.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables for it.
    pub env: BTreeMap<String, SecretString>,
    /// The address, of one that is reached by HTTP.
    pub url: Option<Address>,
    /// Further headers.
    pub headers: BTreeMap<String, SecretString>,
    /// How the user signs in to one that is reached by HTTP.
    pub sign_in: Option<McpSignIn>,
    /// Whether its program is confined; it is without it.
    pub confined: Option<bool>,
    /// Whether its program has the network while it is confined.
    pub network: bool,
    /// Files and folders that its program may read while it is confined; `~/` is the home folder.
    pub show: Vec<PathBuf>,
    /// How long it may take to start, and for each request.
    pub timeout_s: Option<u64>,
    /// Whether it is there at all.
    pub enabled: Option<bool>,
}

/// How the user signs in to a server, as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct McpSignIn {
    /// As whom the authorization server knows signoff.
    pub client_id: Option<String>,
    /// The secret of that.
    pub client_secret: Option<SecretString>,
    /// The scopes that are asked for.
    pub scopes: Vec<String>,
    /// The port that the browser comes back to.
    pub port: Option<u16>,
    /// Hosts on this machine or in its network that may be asked.
    pub inside: Vec<String>,
}

impl McpServer {
    /// Returns whether it is there at all.
    pub fn is_enabled(&self) -> bool {
        self.enabled != Some(false)
    }
}
