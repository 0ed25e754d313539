//! Servers of the Model Context Protocol that an editor names for a conversation.
//!
//! In: the servers of `session/new`, not trusted. Out: servers as the configuration has them, with its defaults: a program is
//! confined, without the network, and each call asks. One of the configuration keeps its name; an editor's server of that
//! name is passed over.
//!
//! ```text
//! {"name": "My files", "command": "/usr/bin/files", "args": ["."], "env": []}
//!     ->  [mcp.My-files]  command = "/usr/bin/files", args = ["."]
//! ```

use std::collections::BTreeMap;

use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::Value;
use signoff_core::quote;

use crate::config::{Address, Config, McpServer};

/// Maximum number of servers that an editor names.
const MOST_SERVERS: usize = 32;

/// Maximum length of a name, in characters: that of a name in the configuration.
const LONGEST_NAME: usize = 32;

/// A server, as editors write it.
#[derive(Deserialize)]
struct WrittenServer {
    #[serde(rename = "type")]
    kind: Option<String>,
    name: String,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: Vec<WrittenPair>,
    url: Option<String>,
    #[serde(default)]
    headers: Vec<WrittenPair>,
}

/// A variable or a header.
#[derive(Deserialize)]
struct WrittenPair {
    name: String,
    value: SecretString,
}

impl WrittenServer {
    /// Tells whether the configuration would put a variable into a part of it.
    fn names_variable(&self) -> bool {
        let whole = [&self.command, &self.url].into_iter().flatten();
        let mut texts = whole.chain(&self.args);
        let mut values = self.env.iter().chain(&self.headers);
        texts.any(|text| names_variable(text))
            || values.any(|pair| names_variable(pair.value.expose_secret()))
    }
}

/// Adds the servers of an editor to those of the configuration, and returns a line for the user for each that is passed over.
pub(super) fn add(config: &mut Config, servers: &[Value]) -> Vec<String> {
    let mut passed_over = Vec::new();
    for server in servers.iter().take(MOST_SERVERS) {
        let read = read(server).and_then(|(name, server)| {
            if config.mcp.by_name.contains_key(&name) {
                return Err(format!("{name}: the configuration has one of this name"));
            }
            config.mcp.by_name.insert(name, server);
            Ok(())
        });
        if let Err(why) = read {
            passed_over.push(format!("an MCP server of the editor is passed over: {why}"));
        }
    }
    if servers.len() > MOST_SERVERS {
        passed_over.push(format!(
            "the editor names {} MCP servers; {MOST_SERVERS} are taken",
            servers.len()
        ));
    }
    passed_over
}

/// Reads a server.
fn read(server: &Value) -> Result<(String, McpServer), String> {
    let written: WrittenServer =
        serde_json::from_value(server.clone()).map_err(|error| error.to_string())?;
    let shown = quote::one_line(&written.name, 80);
    let name = config_name(&written.name)
        .ok_or_else(|| format!("{shown}: its name has no letter and no digit"))?;
    if written.names_variable() {
        let why = "`${NAME}` would stand for a variable of signoff's";
        return Err(format!("{shown}: {why}; let the editor send the value"));
    }
    let server = match (written.kind.as_deref(), written.command, written.url) {
        (None | Some("stdio"), Some(command), None) => McpServer {
            command: Some(command),
            args: written.args,
            env: pairs(written.env),
            ..McpServer::default()
        },
        (Some("http"), None, Some(url)) => McpServer {
            url: Some(Address(url)),
            headers: pairs(written.headers),
            ..McpServer::default()
        },
        (Some(kind), ..) if !["stdio", "http"].contains(&kind) => {
            let kind = quote::one_line(kind, 40);
            return Err(format!("{shown}: signoff does not speak by {kind}"));
        }
        _ => return Err(format!("{shown}: it needs either a command or an address")),
    };
    Ok((name, server))
}

/// Tells whether the configuration would put a variable into a text: `${NAME}` or `${NAME:-x}`, and not `${line#x}`.
fn names_variable(text: &str) -> bool {
    let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split("${").skip(1).any(|behind| {
        let rest = behind.trim_start_matches(of_name);
        rest.len() < behind.len() && (rest.starts_with('}') || rest.starts_with(":-"))
    })
}

fn pairs(written: Vec<WrittenPair>) -> BTreeMap<String, SecretString> {
    let pairs = written.into_iter();
    pairs.map(|pair| (pair.name, pair.value)).collect()
}

/// Returns a name that the configuration could have: letters and digits, and hyphens for everything else.
fn config_name(name: &str) -> Option<String> {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let short: String = words.join("-").chars().take(LONGEST_NAME).collect();
    let short = short.trim_end_matches('-');
    (!short.is_empty()).then(|| short.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn servers_are_read_as_those_of_the_configuration() {
        let stdio = |name: &str| json!({"name": name, "command": "/bin/x", "args": ["-a"], "env": [{"name": "K", "value": "v"}]});
        let with = |key: &str, value: Value| {
            let mut server = stdio("s");
            server[key] = value;
            server
        };
        let http = json!({"type": "http", "name": "h", "url": "https://x.org/mcp", "headers": []});
        for (server, expected) in [
            (stdio("files"), Ok("files")),
            (stdio("My files (2)"), Ok("My-files-2")),
            (stdio("a__b"), Ok("a-b")),
            (stdio(&"x".repeat(99)), Ok(&*"x".repeat(32))),
            (with("type", json!("stdio")), Ok("s")),
            (http, Ok("h")),
            (stdio("\u{202e}"), Err("no letter")),
            (with("type", json!("sse")), Err("does not speak by sse")),
            (with("type", json!("http")), Err("needs either")),
            (with("args", json!(["${HOME}"])), Err("would stand")),
            (with("args", json!(["${A:-b}"])), Err("would stand")),
            (with("args", json!(["${a#b} ${} $A ${"])), Ok("s")),
            (
                with("env", json!([{"name": "K", "value": "${KEY}"}])),
                Err("would stand"),
            ),
            (with("args", json!("x")), Err("invalid type")),
            (json!(7), Err("invalid type")),
        ] {
            match (read(&server), expected) {
                (Ok((name, _)), Ok(expected)) => assert_eq!(name, expected),
                (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
                (read, _) => panic!("{server}: {:?}", read.map(|(name, _)| name)),
            }
        }
    }

    proptest! {
        #[test]
        fn a_name_is_one_that_the_configuration_takes(name in ".{0,60}") {
            if let Some(name) = config_name(&name) {
                prop_assert!(!name.is_empty() && name.len() <= LONGEST_NAME);
                prop_assert!(!name.starts_with('-') && !name.ends_with('-'));
                let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
                prop_assert!(name.chars().all(is_plain));
            }
        }
    }
}
