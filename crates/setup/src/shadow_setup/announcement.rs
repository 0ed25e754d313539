//! Announcement: how an agent of others is told that signoff's MCP server is there, for one run and in no file of the user's.
//!
//! In: the agent, its command and the environment, and how a program inside reaches the server. Out: more arguments and
//! variables, files for the run's own folder, and where else the agent finds some of them.
//!
//! ```text
//! claude     claude -p hi     ->  claude --mcp-config={...} --allowedTools=mcp__signoff -p hi
//! codex      codex exec hi    ->  codex -c mcp_servers.signoff={...} exec hi
//! gemini     an extension in its folder, and gemini -p hi  ->  gemini -p hi --policy=FILE
//! opencode   its settings     <-  $OPENCODE_CONFIG_CONTENT
//! ```
//!
//! Arguments are given where the command is the program itself: options of `sh -c ...` are not the agent's. Each of them lets
//! the agent call the tools unasked: none of these writes, and the user is asked afterwards.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::args::ForeignAgent;

/// The name of the server, in the settings of agents.
const SERVER: &str = "signoff";
/// How long an agent waits for an answer, in seconds: longer than a request may wait for the user. The default of Codex
/// is a minute.
const PATIENCE: u64 = 330;
/// The folder and the file of an extension of Gemini CLI, and where it looks for extensions.
const EXTENSION: &str = "extension";
const EXTENSION_FILE: &str = "gemini-extension.json";
const EXTENSIONS: &str = ".gemini/extensions";
/// The commands of Gemini CLI, each under all of its names.
const GEMINI_COMMANDS: [&str; 8] = [
    "mcp",
    "extensions",
    "extension",
    "skills",
    "skill",
    "hooks",
    "hook",
    "gemma",
];
/// A file of rules for Gemini CLI, which refuses tools that would have to be asked about where nobody can be.
const POLICY: &str = "policy.toml";
/// The variable with settings for OpenCode that go before those in files.
const OPENCODE_CONTENT: &str = "OPENCODE_CONFIG_CONTENT";

/// The server as a program inside of the shadow starts it: all of it is found there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInside {
    /// The program, to be run with the argument `mcp`.
    pub program: String,
    /// The variables that it needs.
    pub variables: BTreeMap<&'static str, String>,
    /// Where the run's own folder is found.
    pub folder: PathBuf,
    /// The home folder, in which files can be placed.
    pub home: PathBuf,
}

/// What is changed of a run so that its agent knows of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Announcement {
    /// Arguments between the program and its own.
    pub(crate) first: Vec<OsString>,
    /// Arguments behind its own, before a `--` among these.
    pub(crate) last: Vec<OsString>,
    /// Variables.
    pub variables: Vec<(String, String)>,
    /// Files of the run's own folder, and their texts.
    pub files: Vec<(PathBuf, String)>,
    /// Folders of the run's own folder that the agent finds elsewhere.
    pub placed: Vec<(PathBuf, PathBuf)>,
}

impl Announcement {
    /// Returns how an agent is told. `environment` is what it has otherwise.
    ///
    /// # Errors
    ///
    /// Says why it cannot be told.
    pub fn to(
        agent: ForeignAgent,
        command: &[OsString],
        environment: &[(String, String)],
        server: &ServerInside,
    ) -> Result<Self, String> {
        match agent {
            ForeignAgent::Claude => to_claude(command, server),
            ForeignAgent::Codex => to_codex(command, server),
            ForeignAgent::Gemini => Ok(to_gemini(command, server)),
            ForeignAgent::Opencode => to_opencode(environment, server),
        }
    }

    /// Returns a command with the arguments.
    pub fn command(&self, command: &[OsString]) -> Vec<OsString> {
        let (program, own) = command.split_at(command.len().min(1));
        let end = own.iter().position(|word| word == "--");
        let (own, rest) = own.split_at(end.unwrap_or(own.len()));
        [program, &self.first, own, &self.last, rest].concat()
    }
}

fn to_claude(command: &[OsString], server: &ServerInside) -> Result<Announcement, String> {
    is_program(command, "claude")?;
    let ServerInside {
        program, variables, ..
    } = server;
    let own = json!({"type": "stdio", "command": program, "args": ["mcp"], "env": variables});
    let servers = json!({"mcpServers": {SERVER: own}});
    // Written with `=`: what follows is not theirs.
    let first = [
        format!("--mcp-config={servers}"),
        format!("--allowedTools=mcp__{SERVER}"),
    ];
    Ok(Announcement {
        first: first.map(OsString::from).into(),
        ..Announcement::default()
    })
}

fn to_codex(command: &[OsString], server: &ServerInside) -> Result<Announcement, String> {
    is_program(command, "codex")?;
    let own = json!({
        "command": server.program,
        "args": ["mcp"],
        "env": server.variables,
        "tool_timeout_sec": PATIENCE,
        "default_tools_approval_mode": "approve",
    });
    let own = toml::Value::try_from(own).map_err(|error| error.to_string())?;
    let first = ["-c".to_owned(), format!("mcp_servers.{SERVER}={own}")];
    Ok(Announcement {
        first: first.map(OsString::from).into(),
        ..Announcement::default()
    })
}

fn to_gemini(command: &[OsString], server: &ServerInside) -> Announcement {
    let own = json!({
        "command": server.program,
        "args": ["mcp"],
        "env": server.variables,
        "timeout": PATIENCE * 1000,
    });
    let extension = json!({"name": SERVER, "version": "1.0.0", "mcpServers": {SERVER: own}});
    let policy = format!(
        "[[rule]]\nmcpName = \"{SERVER}\"\ntoolName = \"*\"\ndecision = \"allow\"\npriority = 100\n"
    );
    let mut last = Vec::new();
    // Elsewhere, Gemini CLI asks before each call; its own commands know no such option.
    let is_command = command.get(1).is_some_and(|word| {
        let mut commands = GEMINI_COMMANDS.iter();
        commands.any(|command| word == command)
    });
    if is_program(command, "gemini").is_ok() && !is_command {
        last.push("--policy".into());
        last.push(server.folder.join(POLICY).into_os_string());
    }
    Announcement {
        last,
        files: vec![
            (
                Path::new(EXTENSION).join(EXTENSION_FILE),
                extension.to_string(),
            ),
            (POLICY.into(), policy),
        ],
        placed: vec![(EXTENSION.into(), server.home.join(EXTENSIONS).join(SERVER))],
        ..Announcement::default()
    }
}

fn to_opencode(
    environment: &[(String, String)],
    server: &ServerInside,
) -> Result<Announcement, String> {
    if environment.iter().any(|(own, _)| own == OPENCODE_CONTENT) {
        return Err(format!("{OPENCODE_CONTENT} is set already"));
    }
    let own = json!({
        "type": "local",
        "command": [&server.program, "mcp"],
        "environment": server.variables,
        "enabled": true,
        "timeout": PATIENCE * 1000,
    });
    let settings: Value = json!({"mcp": {SERVER: own}});
    Ok(Announcement {
        variables: vec![(OPENCODE_CONTENT.to_owned(), settings.to_string())],
        ..Announcement::default()
    })
}

/// Checks that a command runs a program by its own name.
fn is_program(command: &[OsString], name: &str) -> Result<(), String> {
    let program = command.first().map(Path::new).and_then(Path::file_name);
    if program == Some(OsStr::new(name)) {
        return Ok(());
    }
    Err(format!("the command is not `{name}` itself"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> ServerInside {
        ServerInside {
            program: "/run/s".to_owned(),
            variables: BTreeMap::from([("S", "/run/a \"b\"".to_owned())]),
            folder: "/run/f".into(),
            home: "/h/u".into(),
        }
    }

    fn words(command: &[&str]) -> Vec<OsString> {
        command.iter().map(OsString::from).collect()
    }

    fn told(agent: ForeignAgent, command: &[&str]) -> Result<Announcement, String> {
        let environment = [("OTHER".to_owned(), String::new())];
        Announcement::to(agent, &words(command), &environment, &server())
    }

    #[test]
    fn an_agent_is_told_by_options_of_its_own_program() {
        let claude = told(ForeignAgent::Claude, &["/opt/bin/claude", "-p", "hi"]).unwrap();
        let config = r#"--mcp-config={"mcpServers":{"signoff":{"type":"stdio","command":"/run/s","args":["mcp"],"env":{"S":"/run/a \"b\""}}}}"#;
        assert_eq!(claude.first, [config, "--allowedTools=mcp__signoff"]);
        let codex = told(ForeignAgent::Codex, &["codex", "exec", "hi"]).unwrap();
        let option = codex.first[1].to_str().unwrap();
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
    fn arguments_stand_where_they_take_none_of_the_commands_own() {
        let announcement = Announcement {
            first: words(&["f"]),
            last: words(&["l"]),
            ..Announcement::default()
        };
        for (command, expected) in [
            (&["a"][..], &["a", "f", "l"][..]),
            (&["a", "b"], &["a", "f", "b", "l"]),
            (
                &["a", "b", "--", "c", "--"],
                &["a", "f", "b", "l", "--", "c", "--"],
            ),
        ] {
            assert_eq!(announcement.command(&words(command)), words(expected));
        }
    }

    #[test]
    fn an_agent_is_told_by_what_is_not_the_users() {
        let gemini = told(ForeignAgent::Gemini, &["gemini", "-p", "hi"]).unwrap();
        assert_eq!(gemini.last, ["--policy", "/run/f/policy.toml"]);
        let place = ("extension".into(), "/h/u/.gemini/extensions/signoff".into());
        assert_eq!(gemini.placed, [place]);
        for command in [&["sh", "-c", "gemini"][..], &["gemini", "mcp", "list"]] {
            let other = told(ForeignAgent::Gemini, command).unwrap();
            assert!(other.last.is_empty() && other.files == gemini.files);
        }

        let opencode = told(ForeignAgent::Opencode, &["sh", "-c", "x"]).unwrap();
        let settings = r#"{"mcp":{"signoff":{"type":"local","command":["/run/s","mcp"],"environment":{"S":"/run/a \"b\""},"enabled":true,"timeout":330000}}}"#;
        let variable = (OPENCODE_CONTENT.to_owned(), settings.to_owned());
        assert_eq!(opencode.variables, [variable]);
        let own = [(OPENCODE_CONTENT.to_owned(), "mine".to_owned())];
        let why = Announcement::to(ForeignAgent::Opencode, &[], &own, &server()).unwrap_err();
        assert!(why.contains(OPENCODE_CONTENT), "{why}");
    }
}
