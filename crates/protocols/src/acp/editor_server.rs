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

use agent_client_protocol_schema::v1::{McpServer as WrittenServer, McpServerHttp, McpServerStdio};
use secrecy::SecretString;
use serde_json::{Value, json};
use signoff_core::quote;
use signoff_setup::config::{Address, Config, McpServer};

/// Maximum number of servers that an editor names: each may become a process.
const MOST_SERVERS: usize = 32;

/// Maximum length of a name, in characters: that of a name in the configuration.
const LONGEST_NAME: usize = 32;

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

/// Reads a server. Lists that are left out are empty: not every editor writes those that it has nothing for.
fn read(server: &Value) -> Result<(String, McpServer), String> {
    let mut server = server.clone();
    if let Some(fields) = server.as_object_mut() {
        for list in ["args", "env", "headers"] {
            fields.entry(list).or_insert_with(|| json!([]));
        }
    }
    let name = server["name"].as_str().unwrap_or("one without a name");
    let name = quote::one_line(name, 80);
    let written: WrittenServer = serde_json::from_value(server).map_err(|_no_server| {
        let program = "a `command`, with lists for `args` and `env`";
        let address = "the type `http` and a `url`, with a list for `headers`";
        format!("{name}: it needs {program}; or {address}")
    })?;
    match written {
        WrittenServer::Stdio(McpServerStdio {
            name,
            command,
            args,
            env,
            ..
        }) => {
            let command = command.to_string_lossy().into_owned();
            let values = env.iter().map(|variable| &variable.value);
            let name = named(&name, [&command].into_iter().chain(&args).chain(values))?;
            let server = McpServer {
                command: Some(command),
                args,
                env: env
                    .into_iter()
                    .map(|variable| (variable.name, SecretString::from(variable.value)))
                    .collect(),
                ..McpServer::default()
            };
            Ok((name, server))
        }
        WrittenServer::Http(McpServerHttp {
            name, url, headers, ..
        }) => {
            let values = headers.iter().map(|header| &header.value);
            let name = named(&name, [&url].into_iter().chain(values))?;
            let server = McpServer {
                url: Some(Address(url)),
                headers: headers
                    .into_iter()
                    .map(|header| (header.name, SecretString::from(header.value)))
                    .collect(),
                ..McpServer::default()
            };
            Ok((name, server))
        }
        _ => Err("signoff speaks with servers by pipes and by http".to_owned()),
    }
}

/// Returns the name of a server in the configuration; or why one with these texts cannot be there.
fn named<'t>(name: &str, mut texts: impl Iterator<Item = &'t String>) -> Result<String, String> {
    let shown = quote::one_line(name, 80);
    if texts.any(|text| names_variable(text)) {
        let why = "`${NAME}` would stand for a variable of signoff's";
        return Err(format!("{shown}: {why}; let the editor send the value"));
    }
    config_name(name).ok_or_else(|| format!("{shown}: its name has no letter and no digit"))
}

/// Tells whether the configuration would put a variable into a text: `${NAME}` or `${NAME:-x}`, and not `${line#x}`.
fn names_variable(text: &str) -> bool {
    let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split("${").skip(1).any(|behind| {
        let rest = behind.trim_start_matches(of_name);
        rest.len() < behind.len() && (rest.starts_with('}') || rest.starts_with(":-"))
    })
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
        let sse = json!({"type": "sse", "name": "s", "url": "https://x.org/mcp", "headers": []});
        for (server, expected) in [
            (stdio("files"), Ok("files")),
            (stdio("My files (2)"), Ok("My-files-2")),
            (stdio("a__b"), Ok("a-b")),
            (stdio(&"x".repeat(99)), Ok(&*"x".repeat(32))),
            (with("type", json!("stdio")), Ok("s")),
            (http, Ok("h")),
            (json!({"name": "s", "command": "/bin/x"}), Ok("s")),
            (
                json!({"type": "http", "name": "h", "url": "https://x.org/mcp"}),
                Ok("h"),
            ),
            (json!({"name": "s"}), Err("it needs")),
            (stdio("\u{202e}"), Err("no letter")),
            (sse, Err("by pipes and by http")),
            (with("args", json!(["${HOME}"])), Err("would stand")),
            (with("args", json!(["${A:-b}"])), Err("would stand")),
            (with("args", json!(["${a#b} ${} $A ${"])), Ok("s")),
            (
                with("env", json!([{"name": "K", "value": "${KEY}"}])),
                Err("would stand"),
            ),
            (with("args", json!("x")), Err("it needs")),
            (json!(7), Err("it needs")),
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
