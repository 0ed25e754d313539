//! Announcement: how an agent of others is told that signoff's MCP server is there, for one run and in no file of the user's.
//!
//! In: the agent, its command and the environment, and how a program inside reaches the server. Out: the command, more
//! variables, and a file for the run's own folder.
//!
//! ```text
//! claude     claude -p hi     ->  claude --mcp-config={...} --allowedTools=mcp__signoff -p hi
//! codex      codex exec hi    ->  codex -c mcp_servers.signoff={...} exec hi
//! gemini     its defaults     <-  a file, named by $GEMINI_CLI_SYSTEM_DEFAULTS_PATH
//! opencode   its settings     <-  $OPENCODE_CONFIG_CONTENT
//! ```
//!
//! The first two are told where the command is the program itself: options of `sh -c ...` are not theirs.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use serde_json::{Value, json};

use crate::args::ForeignAgent;

/// The name of the server, in the settings of agents.
const SERVER: &str = "signoff";
/// How long an agent waits for an answer, in seconds: longer than a request may wait for the user. The default of Codex
/// is a minute.
const PATIENCE: u64 = 330;
/// The variable by which Gemini CLI finds the settings that all others go before.
const GEMINI_DEFAULTS: &str = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH";
/// The variable with settings for OpenCode that go before those in files.
const OPENCODE_CONTENT: &str = "OPENCODE_CONFIG_CONTENT";

/// The server as a program inside of the shadow starts it: all of it is found there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerInside {
    /// The program, to be run with the argument `mcp`.
    pub(crate) program: String,
    /// The variables that it needs.
    pub(crate) variables: BTreeMap<&'static str, String>,
    /// Where a settings file for the agent would be.
    pub(crate) settings: String,
}

/// What is changed of a run so that its agent knows of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Announcement {
    /// Arguments between the program and its own.
    pub(crate) arguments: Vec<OsString>,
    /// Variables.
    pub(crate) variables: Vec<(String, String)>,
    /// The text of the settings file.
    pub(crate) settings: Option<String>,
}

impl Announcement {
    /// Returns how an agent is told. `environment` is what it has otherwise.
    ///
    /// # Errors
    ///
    /// Says why it cannot be told.
    pub(crate) fn to(
        agent: ForeignAgent,
        command: &[OsString],
        environment: &[(String, String)],
        server: &ServerInside,
    ) -> Result<Self, String> {
        let ServerInside {
            program, variables, ..
        } = server;
        match agent {
            ForeignAgent::Claude => {
                is_program(command, "claude")?;
                let own =
                    json!({"type": "stdio", "command": program, "args": ["mcp"], "env": variables});
                let servers = json!({"mcpServers": {SERVER: own}});
                // Written with `=`: what follows is not theirs.
                Ok(Self::arguments([
                    format!("--mcp-config={servers}"),
                    format!("--allowedTools=mcp__{SERVER}"),
                ]))
            }
            ForeignAgent::Codex => {
                is_program(command, "codex")?;
                let own = json!({
                    "command": program,
                    "args": ["mcp"],
                    "env": variables,
                    "tool_timeout_sec": PATIENCE,
                    "default_tools_approval_mode": "approve",
                });
                let own = toml::Value::try_from(own).map_err(|error| error.to_string())?;
                Ok(Self::arguments([
                    "-c".to_owned(),
                    format!("mcp_servers.{SERVER}={own}"),
                ]))
            }
            ForeignAgent::Gemini => {
                is_free(environment, GEMINI_DEFAULTS)?;
                let own = json!({
                    "command": program,
                    "args": ["mcp"],
                    "env": variables,
                    "timeout": PATIENCE * 1000,
                    "trust": true,
                });
                Ok(Self {
                    settings: Some(json!({"mcpServers": {SERVER: own}}).to_string()),
                    ..Self::variable(GEMINI_DEFAULTS, server.settings.clone())
                })
            }
            ForeignAgent::Opencode => {
                is_free(environment, OPENCODE_CONTENT)?;
                let own = json!({
                    "type": "local",
                    "command": [program, "mcp"],
                    "environment": variables,
                    "enabled": true,
                    "timeout": PATIENCE * 1000,
                });
                let settings: Value = json!({"mcp": {SERVER: own}});
                Ok(Self::variable(OPENCODE_CONTENT, settings.to_string()))
            }
        }
    }

    fn arguments(arguments: impl IntoIterator<Item = String>) -> Self {
        Self {
            arguments: arguments.into_iter().map(OsString::from).collect(),
            ..Self::default()
        }
    }

    fn variable(name: &str, value: String) -> Self {
        Self {
            variables: vec![(name.to_owned(), value)],
            ..Self::default()
        }
    }
}

/// Checks that a command runs a program by its own name.
fn is_program(command: &[OsString], name: &str) -> Result<(), String> {
    let program = command.first().map(Path::new).and_then(Path::file_name);
    if program == Some(OsStr::new(name)) {
        return Ok(());
    }
    Err(format!("the command is not `{name}` itself"))
}

/// Checks that a variable is not the user's own.
fn is_free(environment: &[(String, String)], name: &str) -> Result<(), String> {
    if environment.iter().any(|(own, _)| own == name) {
        return Err(format!("{name} is set already"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> ServerInside {
        ServerInside {
            program: "/run/s".to_owned(),
            variables: BTreeMap::from([("S", "/run/a \"b\"".to_owned())]),
            settings: "/run/f.json".to_owned(),
        }
    }

    fn told(agent: ForeignAgent, command: &[&str]) -> Result<Announcement, String> {
        let command: Vec<OsString> = command.iter().map(OsString::from).collect();
        let environment = [("OTHER".to_owned(), String::new())];
        Announcement::to(agent, &command, &environment, &server())
    }

    #[test]
    fn an_agent_is_told_by_options_of_its_own_program() {
        let claude = told(ForeignAgent::Claude, &["/opt/bin/claude", "-p", "hi"]).unwrap();
        let config = r#"--mcp-config={"mcpServers":{"signoff":{"type":"stdio","command":"/run/s","args":["mcp"],"env":{"S":"/run/a \"b\""}}}}"#;
        assert_eq!(claude.arguments, [config, "--allowedTools=mcp__signoff"]);
        let codex = told(ForeignAgent::Codex, &["codex", "exec", "hi"]).unwrap();
        let option = codex.arguments[1].to_str().unwrap();
        let value = option.strip_prefix("mcp_servers.signoff=").unwrap();
        let table: toml::Table = format!("own = {value}").parse().unwrap();
        let own = &table["own"];
        assert_eq!(own["env"]["S"].as_str(), Some("/run/a \"b\""));
        assert_eq!(own["tool_timeout_sec"].as_integer(), Some(330));
        for agent in [ForeignAgent::Claude, ForeignAgent::Codex] {
            let why = told(agent, &["sh", "-c", "claude"]).unwrap_err();
            assert!(why.contains("itself"), "{why}");
        }
    }

    #[test]
    fn an_agent_is_told_by_a_variable_that_is_not_the_users() {
        for (agent, name, value) in [
            (ForeignAgent::Gemini, GEMINI_DEFAULTS, "/run/f.json"),
            (
                ForeignAgent::Opencode,
                OPENCODE_CONTENT,
                r#"{"mcp":{"signoff":{"type":"local","command":["/run/s","mcp"],"environment":{"S":"/run/a \"b\""},"enabled":true,"timeout":330000}}}"#,
            ),
        ] {
            let announcement = told(agent, &["sh", "-c", "x"]).unwrap();
            assert_eq!(
                announcement.variables,
                [(name.to_owned(), value.to_owned())]
            );
            assert_eq!(
                announcement.settings.is_some(),
                agent == ForeignAgent::Gemini
            );
            let own = [(name.to_owned(), "mine".to_owned())];
            let why = Announcement::to(agent, &[], &own, &server()).unwrap_err();
            assert!(why.contains(name), "{why}");
        }
    }
}
