//! Checks that external programs are installed.
//!
//! In: names of programs, `PATH`. Out: where they are. Nothing is started.

use std::env;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use signoff_core::quote;
use signoff_setup::config::{Config, Key, McpServer, Programs, Source};
use signoff_setup::project::language_servers;
use signoff_tui::user_shell::editor;

use super::{Finding, finding};

/// Where programs are looked for without `PATH`, as the system does it.
const USUAL: &str = "/bin:/usr/bin";

/// Returns findings on the shell and the user's editor.
pub(super) fn programs() -> [Finding; 2] {
    let bash = found("bash").map(|at| at.display().to_string());
    let bash = bash.ok_or_else(|| "not installed; the model cannot run commands".to_owned());
    let line = editor::chosen();
    let line = line.to_string_lossy();
    let there = line.split_whitespace().next().and_then(found);
    let editor = match there {
        Some(at) => Ok(format!("{line} ({})", at.display())),
        None => Err(format!(
            "{line}: not found; what is proposed cannot be edited. VISUAL or EDITOR names another"
        )),
    };
    [finding("bash", bash), finding("editor", editor)]
}

/// Returns a finding on the language servers. That there are none is no error.
pub(super) fn language_servers(programs: &Programs) -> Finding {
    let commands = language_servers::commands(programs).into_values();
    let names: Vec<String> = commands.map(|command| command.program).collect();
    let text = match (&programs.language_servers, names.as_slice()) {
        (None, _) => "switched off".to_owned(),
        (Some(_), []) => "none on the path".to_owned(),
        (Some(_), names) => names.join(", "),
    };
    finding("languages", Ok(text))
}

/// Returns a finding on the key: where it comes from, and never what it is.
pub(super) fn key(config: &Config) -> Finding {
    let server = match &config.source {
        Source::Server(server) => server,
        Source::Look { services, .. } => {
            let names: Vec<&str> = services.iter().map(|(service, _)| service.name).collect();
            let text = match names.as_slice() {
                [] => "none is used: the address of no server is configured; `signoff setup` keeps one".to_owned(),
                names => format!(
                    "set for {}; used once one of its models is named or picked: `signoff setup` keeps one",
                    names.join(" and ")
                ),
            };
            return finding("key", Ok(text));
        }
        Source::Offline | Source::Replay(_) => {
            return finding("key", Ok("not needed".to_owned()));
        }
    };
    let text = match &server.key {
        Key::Given(_) => "set",
        Key::Command(_) => "from the configured command",
        Key::Keyring(_) => "from the system's keyring",
        Key::None => "not set (SIGNOFF_API_KEY); fine for a server that wants none",
        Key::Unset(variable) => {
            let variable = quote::name(variable);
            let why = format!(
                "not set: `api_key_env` names {variable}, and that variable is not set here"
            );
            return finding("key", Err(why));
        }
    };
    let text = match (&server.key, &server.model) {
        (Key::Given(_) | Key::Command(_) | Key::Keyring(_), None) => {
            format!("{text}; no model is named: the first that the server lists is asked")
        }
        _ => text.to_owned(),
    };
    let text = match server.key.program() {
        None => Ok(text),
        Some(program) => match found(program) {
            Some(at) => Ok(format!("{text} ({})", at.display())),
            None => Err(format!("{text}, but {program} is not installed")),
        },
    };
    finding("key", text)
}

/// Returns a finding on a server of tools: what is started, or where it is. Nothing is started.
pub(super) fn server(name: &str, server: &McpServer) -> Finding {
    let named = quote::name(name);
    let text = match (&server.command, &server.url) {
        _ if !server.is_enabled() => Ok(format!("{named}: switched off")),
        (Some(command), _) if command.contains("${") => Ok(format!("{named}: {command}")),
        (Some(command), _) => match found(command) {
            Some(at) => Ok(format!("{named}: {}", at.display())),
            None => Err(format!("{named}: {command} is not installed")),
        },
        (None, Some(url)) => Ok(format!("{named}: {url}")),
        (None, None) => Err(format!("{named}: it needs either `command` or `url`")),
    };
    finding("mcp", text)
}

/// Returns where a program is: in `PATH`, or where its name says.
pub(super) fn found(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| can_be_run(path));
    }
    let folders = env::var_os("PATH").unwrap_or_else(|| USUAL.into());
    let mut places = env::split_paths(&folders).map(|folder| folder.join(program));
    places.find(|path| can_be_run(path))
}

fn can_be_run(path: &Path) -> bool {
    let file = path.metadata();
    file.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}
