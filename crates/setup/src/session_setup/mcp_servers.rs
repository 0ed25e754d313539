//! Servers of the Model Context Protocol for a conversation: those of the user, and those that the workspace names.
//!
//! In: the configuration, `.mcp.json` of the workspace as it is on disk, and what the user decided on its servers. Out: the
//! servers, of which none is started.
//!
//! A server of a workspace is code of a stranger's. It may be asked once the user allowed exactly this definition, of which
//! all was displayed (`question`); the decision is kept with the definition's hash, so that a changed one is asked about
//! again. It gets no variable of this process that the user did not name (`variables`).

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::{Map, Value};
use signoff_core::engine::Engine;
use signoff_core::plural::counted;
use signoff_core::quote;
use signoff_llm::provider::http::shown_of;
use signoff_llm::trust::{TrustQuestion, TrustRecord, TrustStanding};
use signoff_mcp::definition::{
    Confinement, ServerDefinition, ServerEndpoint, ServerName, ServerNetwork, ServerProgram,
    SignInSettings,
};
use signoff_mcp::{Servers, ServersSetup, without_secrets};
use signoff_sandbox::regular;

use crate::config::{Config, McpNetwork, McpServer, McpSignIn};
use crate::definitions::trust::{DefinitionHash, TrustFile, TrustKind};
use crate::paths::Paths;

mod launch;
mod question;
mod variables;

use variables::VariableAccess;

/// Seconds that a server may take to start, and for each request, unless configured.
const USUAL_TIMEOUT: u64 = 60;

/// The file in a workspace, as most agents read it.
const WORKSPACE_FILE: &str = ".mcp.json";
/// Bytes of that file.
const MOST_BYTES: u64 = 256 * 1024;
/// Servers of a workspace.
const MOST_SERVERS: usize = 32;
/// Bytes of a definition in a line of a list; the question shows all of it.
const MOST_SHOWN: usize = 600;

/// What is known of servers, and what the user should know.
#[derive(Default)]
pub struct FoundServers {
    /// Those that can be used.
    pub definitions: Vec<ServerDefinition>,
    /// A line for each that cannot be used as it is written.
    pub passed_over: Vec<String>,
    /// A line for each of which the user is to decide.
    undecided: Vec<String>,
}

impl FoundServers {
    /// Returns what the user should know, a line each.
    pub fn remarks(&self) -> impl Iterator<Item = &String> {
        self.undecided.iter().chain(&self.passed_over)
    }
}

/// `.mcp.json`.
#[derive(Debug, Deserialize)]
struct WorkspaceServerFile {
    #[serde(rename = "mcpServers", default)]
    servers: Map<String, Value>,
}

/// Finds the servers; those of the workspace only where there is a user, who allows them.
pub fn find(config: &Config, paths: &Paths, has_user: bool) -> FoundServers {
    let mut found = FoundServers::default();
    let programs = &config.programs;
    for (name, written) in &config.mcp.by_name {
        if written.is_enabled() {
            // Values are hashed, and not shown.
            let text = format!(
                "{:?}",
                (
                    &written.command,
                    &written.args,
                    written.url.as_ref().map(|url| &url.0)
                )
            );
            let variables = VariableAccess {
                hidden: &programs.hidden,
                named: None,
                value: &variable,
            };
            let origin = DefinitionOrigin {
                text: &text,
                question: None,
                variables: &variables,
            };
            found.add(name, written, paths, origin);
        }
    }
    if has_user {
        found.of_workspace(
            paths,
            &VariableAccess {
                hidden: &programs.hidden,
                named: Some(&programs.named),
                value: &variable,
            },
        );
    }
    if config.mcp.is_offline {
        for definition in &mut found.definitions {
            if matches!(definition.endpoint, ServerEndpoint::Http { .. }) {
                let why = "the workspace forbids the network".to_owned();
                definition.unusable = Some(why);
            }
        }
    }
    found
}

/// Returns what asks servers; none where there are none.
pub(crate) fn connect(
    config: &Config,
    paths: &Paths,
    engine: &Arc<Mutex<Engine>>,
    found: Vec<ServerDefinition>,
) -> Option<Arc<Servers>> {
    if found.is_empty() {
        return None;
    }
    Some(Arc::new(Servers::new(ServersSetup {
        definitions: found,
        launcher: launch::launcher(config, paths, engine),
        approvals: paths.store.with_file_name("mcp-tools.json"),
    })))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Where a definition comes from, and what follows from that.
struct DefinitionOrigin<'a> {
    /// All of it, as it was written: what its hash is of.
    text: &'a str,
    /// What the user is asked about one of the workspace; nothing about one of theirs, which they trust in each run.
    question: Option<TrustQuestion>,
    variables: &'a VariableAccess<'a>,
}

impl FoundServers {
    fn add(
        &mut self,
        name: &str,
        written: &McpServer,
        paths: &Paths,
        origin: DefinitionOrigin<'_>,
    ) {
        let shown = quote::name(name).into_owned();
        let Ok(server) = ServerName::parse(name) else {
            let why = signoff_mcp::definition::NoServerName;
            return self
                .passed_over
                .push(format!("the MCP server {shown} is passed over: {why}"));
        };
        if self.definitions.iter().any(|known| known.name == server) {
            return self.passed_over.push(format!(
                "the MCP server {shown} of the workspace is passed over: one of yours has its name"
            ));
        }
        let hash = DefinitionHash::of(origin.text.as_bytes());
        let fingerprint = hash.as_str().to_owned();
        let (kind, file) = (TrustKind::McpServer, TrustFile::new(paths));
        // A workspace gets no tokens of a server that the user named, also where it names the same one.
        let (owner, trust) = match origin.question {
            Some(question) => (
                paths.root.as_path(),
                file.record(kind, name, hash, question),
            ),
            None => {
                let question = TrustQuestion {
                    label: format!("MCP server {name}"),
                    text: "as config.toml has it".to_owned(),
                };
                let keep = file.keeping(kind, name, hash);
                let trust = TrustRecord::new(question, TrustStanding::Trusted, keep);
                (Path::new(""), trust)
            }
        };
        let endpoint = endpoint(written, &paths.root, origin.variables, |url| {
            paths.sign_in(owner, name, url)
        });
        match endpoint {
            Ok(endpoint) => {
                let mut definition = ServerDefinition {
                    name: server,
                    endpoint,
                    shown: String::new(),
                    trust,
                    given: origin
                        .variables
                        .given(question::texts(written))
                        .into_values()
                        .collect(),
                    timeout: timeout(written),
                    unusable: None,
                    fingerprint,
                };
                definition.shown = without_secrets(&definition, &shown_definition(written));
                self.definitions.push(definition);
            }
            Err(why) => self
                .passed_over
                .push(format!("the MCP server {shown} is passed over: {why}")),
        }
    }

    /// Adds the servers that the workspace names, as its file is on disk: what a model staged in it does not count.
    fn of_workspace(&mut self, paths: &Paths, variables: &VariableAccess<'_>) {
        let text = match regular::text(&paths.root.join(WORKSPACE_FILE), MOST_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Err(error) => {
                return self
                    .passed_over
                    .push(format!("{WORKSPACE_FILE} is passed over: {error}"));
            }
        };
        let file: WorkspaceServerFile = match serde_json::from_str(&text) {
            Ok(file) => file,
            Err(error) => {
                return self
                    .passed_over
                    .push(format!("{WORKSPACE_FILE} is passed over: {error}"));
            }
        };
        for (name, value) in file.servers.iter().take(MOST_SERVERS) {
            let written = match of_json(value) {
                Ok(written) => written,
                Err(why) => {
                    let shown = quote::name(name);
                    self.passed_over.push(format!(
                        "the MCP server {shown} of {WORKSPACE_FILE} is passed over: {why}"
                    ));
                    continue;
                }
            };
            let before = self.definitions.len();
            let question = question::about(name, &written, value, variables);
            // Whoever allows a server allows it with the variables that it was shown to get.
            let origin = DefinitionOrigin {
                text: &format!("{value}\n{}", question.text),
                question: Some(question),
                variables,
            };
            self.add(name, &written, paths, origin);
            let Some(definition) = self.definitions.get(before) else {
                continue;
            };
            let changed = match definition.trust.standing() {
                TrustStanding::Trusted | TrustStanding::Refused => continue,
                TrustStanding::Changed => ", which changed",
                TrustStanding::Unknown => "",
            };
            self.undecided.push(format!(
                "{WORKSPACE_FILE} names the MCP server {name}{changed} ({}): /mcp allow {name}, or `signoff trust`, shows \
                 all of it and asks; /mcp refuse {name} does not let it run",
                definition.shown
            ));
        }
    }
}

/// Reads a server of `.mcp.json`. Fields of other agents are of no concern, but count for the hash.
fn of_json(value: &Value) -> Result<McpServer, String> {
    #[derive(Deserialize)]
    struct Written {
        #[serde(rename = "type")]
        kind: Option<String>,
        command: Option<Value>,
        args: Option<Value>,
        env: Option<Value>,
        url: Option<Value>,
        headers: Option<Value>,
    }
    let written: Written =
        serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    if written.kind.as_deref() == Some("sse") {
        return Err("it speaks by `sse`, which the protocol has given up".to_owned());
    }
    let fields = [
        ("command", written.command),
        ("args", written.args),
        ("env", written.env),
        ("url", written.url),
        ("headers", written.headers),
    ];
    let fields = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    serde_json::from_value(Value::Object(fields.collect())).map_err(|error| error.to_string())
}

fn endpoint(
    written: &McpServer,
    root: &Path,
    variables: &VariableAccess<'_>,
    tokens: impl FnOnce(&str) -> PathBuf,
) -> Result<ServerEndpoint, String> {
    match (&written.command, &written.url) {
        (Some(_), None) if written.sign_in.is_some() => {
            Err("`sign_in` is for servers with a `url`".to_owned())
        }
        (Some(command), None) => Ok(ServerEndpoint::Program(ServerProgram {
            command: variables.text(command)?.expose_secret().to_owned(),
            arguments: written
                .args
                .iter()
                .map(|word| Ok(variables.text(word)?.expose_secret().to_owned()))
                .collect::<Result<_, String>>()?,
            variables: variables.values(&written.env)?,
            folder: root.to_owned(),
            confinement: match written.confined {
                Some(false) => Confinement::None,
                Some(true) | None => Confinement::Confined {
                    network: match &written.network {
                        McpNetwork::Is(false) => ServerNetwork::None,
                        McpNetwork::Is(true) => ServerNetwork::Whole,
                        McpNetwork::Hosts(hosts) => ServerNetwork::Hosts(hosts.clone()),
                    },
                    show: written.show.clone(),
                },
            },
        })),
        (None, Some(url)) => {
            let url = variables.text(&url.0)?.expose_secret().to_owned();
            Ok(ServerEndpoint::Http {
                headers: variables.values(&written.headers)?,
                sign_in: sign_in(written, variables, tokens(&url))?.map(Box::new),
                url,
            })
        }
        (Some(_), Some(_)) | (None, None) => Err("it needs either `command` or `url`".to_owned()),
    }
}

/// Returns how the user signs in to a server that is reached by HTTP; none where a header says who asks.
fn sign_in(
    written: &McpServer,
    variables: &VariableAccess<'_>,
    file: PathBuf,
) -> Result<Option<SignInSettings>, String> {
    let mut names = written.headers.keys();
    let is_told = names.any(|name| name.eq_ignore_ascii_case("authorization"));
    let own = match &written.sign_in {
        Some(_) if is_told => {
            return Err("it has both `sign_in` and a header `Authorization`".to_owned());
        }
        None if is_told => return Ok(None),
        Some(own) => own.clone(),
        None => McpSignIn::default(),
    };
    let secret = own
        .client_secret
        .as_ref()
        .map(|secret| variables.text(secret.expose_secret()));
    Ok(Some(SignInSettings {
        file,
        client_id: own.client_id,
        client_secret: secret.transpose()?,
        scopes: own.scopes,
        port: own.port,
        inside: own.inside,
    }))
}

/// Returns a definition in a line: its program or its host, and the names of its variables or headers. Arguments may be
/// keys, and are counted.
fn shown_definition(written: &McpServer) -> String {
    let shown = match (&written.command, &written.url) {
        (Some(command), _) => {
            let arguments = match written.args.len() {
                0 => String::new(),
                some => format!(" and {}", counted(some, "argument")),
            };
            quote::name(command).into_owned() + &arguments + &with_names(&written.env)
        }
        (None, Some(url)) => shown_of(&url.0).to_string() + &with_names(&written.headers),
        (None, None) => String::new(),
    };
    quote::one_line(&shown, MOST_SHOWN)
}

fn with_names(values: &BTreeMap<String, SecretString>) -> String {
    let names: Vec<_> = values.keys().map(|name| quote::name(name)).collect();
    if names.is_empty() {
        String::new()
    } else {
        format!(", with {}", names.join(", "))
    }
}

/// Returns how long a server may take to start, and for each request.
fn timeout(written: &McpServer) -> Duration {
    Duration::from_secs(written.timeout_s.unwrap_or(USUAL_TIMEOUT))
}

#[cfg(test)]
mod tests;
