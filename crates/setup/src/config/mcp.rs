//! Servers of the Model Context Protocol, as they are written: `[mcp.NAME]` of the user's file, and `.mcp.json` of a workspace.
//!
//! In: a table. Out: its fields.

use std::collections::BTreeMap;
use std::path::PathBuf;

use secrecy::SecretString;
use serde::Deserialize;

use super::Address;
use super::bounds::server_seconds;

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
    /// The program, which speaks on standard input and output.
    pub command: Option<String>,
    /// A list of its arguments.
    pub args: Vec<String>,
    /// A table of variables for it.
    pub env: BTreeMap<String, SecretString>,
    /// Instead of these: the address of a server by HTTP (`https://`, or `http://` on this machine).
    pub url: Option<Address>,
    /// A table of headers for `url`.
    pub headers: BTreeMap<String, SecretString>,
    /// How you sign in to a server by `url`.
    pub sign_in: Option<McpSignIn>,
    /// `false`: the program runs with your rights. Without it, it runs in the shadow, and its writes stay in a layer
    /// of its own.
    pub confined: Option<bool>,
    /// What a confined program has of the network: hosts and presets in a list, or `true` for all of it.
    pub network: McpNetwork,
    /// Files and folders that a confined program may read; `~/` is the home folder.
    pub show: Vec<PathBuf>,
    /// Seconds that it may take to start, and for each request, 1 to 3,600; 60 without it.
    #[serde(deserialize_with = "server_seconds")]
    pub timeout_s: Option<u64>,
    /// `false`: it is not there.
    pub enabled: Option<bool>,
}

/// The network of a confined program: `true`, `false`, or hosts.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum McpNetwork {
    /// All of it, or none.
    Is(bool),
    /// Presets and hosts.
    Hosts(Vec<String>),
}

impl Default for McpNetwork {
    fn default() -> Self {
        Self::Is(false)
    }
}

/// How the user signs in to a server, as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct McpSignIn {
    /// Who signoff is, where clients are registered by hand; or the `https` address of a client ID metadata document.
    pub client_id: Option<String>,
    /// The secret of that, where there is one.
    pub client_secret: Option<SecretString>,
    /// A list of scopes, in the place of those that the server names.
    pub scopes: Vec<String>,
    /// The port of this machine that the browser comes back to; a free one without it.
    pub port: Option<u16>,
    /// Names of hosts on this machine or in its network that the authorization server may be on.
    pub inside: Vec<String>,
}

impl McpServer {
    /// Returns whether it is there at all.
    pub fn is_enabled(&self) -> bool {
        self.enabled != Some(false)
    }
}
