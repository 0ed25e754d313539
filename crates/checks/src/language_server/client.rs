//! Client of one language server.
//!
//! It sends the texts that questions are about, and asks. An answer is used only where every file that it edits was sent
//! to the server: where an edit names others, they are sent and the server is asked again, so that an edit never applies
//! to a text that the server did not see.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ChildStderr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signoff_sandbox::process::Pipes;
use signoff_sandbox::shadow::{Launch, Service, Shadow};

use super::catalogue::QUIET;
use super::connection::Connection;
use super::position::Encoding;
use super::workspace_edit::Sent;
use super::{LanguageServer, ServerFault, language_id, uri};

/// So often a request is repeated because the server says that a text changed meanwhile.
const MAX_REPEATS: usize = 20;
/// Codes of such answers: the content was modified, and the server has cancelled.
const REPEATED: [i64; 2] = [-32801, -32802];
/// Diagnostics are taken once none have come for this long.
const SETTLED: Duration = Duration::from_millis(1000);
/// Edits that a server may ask for while it carries out a command.
const MAX_OFFERED: usize = 16;
/// Things that it may say it is doing at once.
const MAX_PROGRESS: usize = 256;
/// Diagnostics of one file: generated files have tens of thousands.
const MAX_DIAGNOSTICS: usize = 2000;
/// Bytes of what it printed last that are told if it ends.
const MAX_SAID: usize = 400;
/// Characters of a text of the server's in an error.
const MAX_TOLD: usize = 300;

mod questions;

pub use questions::{Action, ORGANIZE, SourcePlace, Target};

/// How long an answer is waited for, and who may end that.
#[derive(Clone, Copy, Debug)]
pub struct Wait<'a> {
    /// Until when.
    pub deadline: Instant,
    /// Set when nobody waits any more.
    pub stop: &'a AtomicBool,
}

/// A text that the server has.
#[derive(Debug)]
struct Opened {
    version: i64,
    text: String,
}

/// A language server that was started.
#[derive(Debug)]
pub struct Client {
    server: LanguageServer,
    connection: Connection,
    /// Ends with this.
    service: Option<Service>,
    root: PathBuf,
    encoding: Encoding,
    /// The command that organizes imports, of a server that has one instead of an action.
    organizer: Option<String>,
    /// Whether actions come without their edits, which it adds when asked.
    resolves: bool,
    opened: BTreeMap<String, Opened>,
    pub(super) published: BTreeMap<String, Vec<Value>>,
    progress: BTreeSet<String>,
    is_ready: bool,
    /// How long it has to be quiet before the next question.
    quiet: Duration,
    /// What it says is wrong with the project.
    warning: Option<String>,
    offered: Vec<Value>,
    /// The last that it printed.
    said: Arc<Mutex<Vec<u8>>>,
}

impl Sent for BTreeMap<String, Opened> {
    fn sent(&self, path: &str) -> Option<(i64, &str)> {
        self.get(path)
            .map(|opened| (opened.version, opened.text.as_str()))
    }
}

impl Client {
    /// Starts a server in a shadow that was staged.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be started, or does not answer as a language server does.
    pub fn start(
        shadow: Shadow,
        server: LanguageServer,
        launch: &Launch<'_>,
        wait: Wait<'_>,
    ) -> Result<Self, ServerFault> {
        let root = shadow.root().to_owned();
        let (service, pipes) = Service::start(shadow, launch)?;
        let Pipes {
            input,
            output,
            errors,
        } = pipes;
        let connection = Connection::new(input, output);
        let mut client = Self::over(connection, server, root);
        client.said = last_of(errors);
        client.service = Some(service);
        client.initialize(wait)?;
        Ok(client)
    }

    /// Returns a client of a server that was not greeted yet.
    pub(super) fn over(connection: Connection, server: LanguageServer, root: PathBuf) -> Self {
        Self {
            server,
            connection,
            service: None,
            root,
            encoding: Encoding::Utf16,
            organizer: None,
            resolves: false,
            opened: BTreeMap::new(),
            published: BTreeMap::new(),
            progress: BTreeSet::new(),
            is_ready: !server.says_when_ready(),
            quiet: server.first_quiet(),
            warning: None,
            offered: Vec::new(),
            said: Arc::default(),
        }
    }

    /// Greets the server.
    pub(super) fn initialize(&mut self, wait: Wait<'_>) -> Result<(), ServerFault> {
        let root = uri::of(&self.root);
        let answer = self.ask(
            "initialize",
            &json!({
                "processId": null,
                "rootUri": root,
                "workspaceFolders": [{"uri": root, "name": root}],
                "initializationOptions": self.server.options(),
                "capabilities": {
                    "general": {"positionEncodings": Encoding::OFFERED},
                    "window": {"workDoneProgress": true},
                    "workspace": {
                        "applyEdit": true,
                        "configuration": true,
                        "workspaceFolders": true,
                        "workspaceEdit": {
                            "documentChanges": true,
                            "resourceOperations": ["create", "rename", "delete"],
                            "failureHandling": "abort",
                        },
                    },
                    "textDocument": {
                        "synchronization": {"didSave": false},
                        "definition": {"linkSupport": false},
                        "references": {},
                        "rename": {"prepareSupport": false},
                        "publishDiagnostics": {"versionSupport": true},
                        "codeAction": {
                            "codeActionLiteralSupport": {"codeActionKind": {"valueSet":
                                ["", "quickfix", "refactor", "source", "source.organizeImports"]}},
                            "resolveSupport": {"properties": ["edit"]},
                            "dataSupport": true,
                        },
                    },
                    "experimental": {"serverStatusNotification": true},
                },
            }),
            wait,
        )?;
        let encoding = answer.pointer("/capabilities/positionEncoding");
        let encoding = Encoding::named(encoding.and_then(Value::as_str));
        self.encoding = encoding.ok_or_else(|| unfit("it counts in an unknown encoding"))?;
        let commands = answer.pointer("/capabilities/executeCommandProvider/commands");
        let commands = commands.and_then(Value::as_array).into_iter().flatten();
        let organizer = commands.filter_map(Value::as_str);
        let mut organizer = organizer.filter(|own| own.ends_with(".organizeimports"));
        self.organizer = organizer.next().map(str::to_owned);
        let resolves = answer.pointer("/capabilities/codeActionProvider/resolveProvider");
        self.resolves = resolves.and_then(Value::as_bool) == Some(true);
        self.connection.notify("initialized", &json!({}))
    }

    /// Returns whether it is over, so that it has to be started again.
    pub fn is_over(&mut self) -> bool {
        self.service.as_mut().is_some_and(Service::is_over)
    }

    /// Sends a text, if the server has not got it already.
    ///
    /// # Errors
    ///
    /// Fails if the server is gone.
    pub fn send_text(&mut self, path: &str, text: &str) -> Result<(), ServerFault> {
        let uri = uri::of(&self.root.join(path));
        match self.opened.get_mut(path) {
            Some(opened) if opened.text == text => Ok(()),
            Some(opened) => {
                opened.version += 1;
                text.clone_into(&mut opened.text);
                self.published.remove(path);
                let changed = json!({
                    "textDocument": {"uri": uri, "version": opened.version},
                    "contentChanges": [{"text": text}],
                });
                self.connection.notify("textDocument/didChange", &changed)
            }
            None => {
                let opened = Opened {
                    version: 1,
                    text: text.to_owned(),
                };
                self.opened.insert(path.to_owned(), opened);
                let language = language_id(path).unwrap_or("plaintext");
                let opened = json!({"textDocument":
                    {"uri": uri, "languageId": language, "version": 1, "text": text}});
                self.connection.notify("textDocument/didOpen", &opened)
            }
        }
    }

    /// Returns what the server says is wrong with the project, so that it may not know all of it.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Returns the files that the server was sent.
    pub fn sent(&self) -> Vec<String> {
        self.opened.keys().cloned().collect()
    }

    /// Waits until the server has read the project.
    pub(super) fn wait_until_ready(&mut self, wait: Wait<'_>) -> Result<(), ServerFault> {
        let began = Instant::now();
        loop {
            let quiet = Instant::now() + self.quiet;
            match self.connection.next(quiet.min(wait.deadline), wait.stop) {
                Err(fault) => return Err(self.explained(fault)),
                Ok(Some(message)) => self.take(&message)?,
                Ok(None) if self.is_ready && self.progress.is_empty() => {
                    self.quiet = QUIET;
                    return Ok(());
                }
                Ok(None) if Instant::now() >= wait.deadline => {
                    return Err(ServerFault::Silent(began.elapsed().as_secs()));
                }
                Ok(None) => {}
            }
        }
    }

    /// Waits until every one of these files has diagnostics and no more come.
    pub(super) fn wait_for_diagnostics(
        &mut self,
        paths: &[&str],
        wait: Wait<'_>,
    ) -> Result<(), ServerFault> {
        let began = Instant::now();
        loop {
            let settled = Instant::now() + SETTLED;
            match self.connection.next(settled.min(wait.deadline), wait.stop) {
                Err(fault) => return Err(self.explained(fault)),
                Ok(Some(message)) => self.take(&message)?,
                Ok(None) => {
                    let all = paths.iter().all(|path| self.published.contains_key(*path));
                    if all && self.is_ready && self.progress.is_empty() {
                        return Ok(());
                    }
                    if Instant::now() >= wait.deadline {
                        return Err(ServerFault::Silent(began.elapsed().as_secs()));
                    }
                }
            }
        }
    }

    /// Asks, and waits for the answer.
    fn ask(&mut self, method: &str, params: &Value, wait: Wait<'_>) -> Result<Value, ServerFault> {
        let began = Instant::now();
        for _ in 0..MAX_REPEATS {
            let id = self.connection.request(method, params)?;
            let answer = loop {
                let next = self.connection.next(wait.deadline, wait.stop);
                let message = match next {
                    Ok(Some(message)) => message,
                    Ok(None) => return Err(ServerFault::Silent(began.elapsed().as_secs())),
                    Err(fault) => return Err(self.explained(fault)),
                };
                let is_answer = message.get("method").is_none();
                if is_answer && message.get("id").and_then(Value::as_u64) == Some(id) {
                    break message;
                }
                self.take(&message)?;
            };
            let Some(error) = answer.get("error").filter(|error| !error.is_null()) else {
                return Ok(answer.get("result").cloned().unwrap_or(Value::Null));
            };
            let code = error.get("code").and_then(Value::as_i64);
            if !code.is_some_and(|code| REPEATED.contains(&code)) {
                let why = error.get("message").and_then(Value::as_str);
                return Err(ServerFault::Refused(told(
                    why.unwrap_or("without a reason"),
                )));
            }
            self.wait_until_ready(wait)?;
        }
        Err(unfit("it says each time that a text has changed"))
    }

    /// Takes what the server says or asks by itself.
    fn take(&mut self, message: &Value) -> Result<(), ServerFault> {
        // An answer that nobody waits for any more.
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            return Ok(());
        };
        let params = message.get("params").unwrap_or(&Value::Null);
        if let Some(id) = message.get("id") {
            return match method {
                "workspace/configuration" => {
                    let items = params.get("items").and_then(Value::as_array);
                    let nothing = vec![Value::Null; items.map_or(0, Vec::len)];
                    self.connection.answer(id, &nothing.into())
                }
                "workspace/applyEdit" => {
                    if let (Some(edit), true) =
                        (params.get("edit"), self.offered.len() < MAX_OFFERED)
                    {
                        self.offered.push(edit.clone());
                    }
                    let staged = json!({"applied": false, "failureReason": "it is reviewed first"});
                    self.connection.answer(id, &staged)
                }
                "client/registerCapability"
                | "client/unregisterCapability"
                | "window/workDoneProgress/create"
                | "window/showMessageRequest" => self.connection.answer(id, &Value::Null),
                "workspace/workspaceFolders" => {
                    let root = uri::of(&self.root);
                    self.connection
                        .answer(id, &json!([{"uri": root, "name": ""}]))
                }
                _ => self.connection.refuse(id),
            };
        }
        match method {
            "$/progress" => {
                let token = params.get("token").unwrap_or(&Value::Null).to_string();
                match params.pointer("/value/kind").and_then(Value::as_str) {
                    Some("begin") if self.progress.len() < MAX_PROGRESS => {
                        self.progress.insert(token);
                    }
                    Some("end") => {
                        self.progress.remove(&token);
                    }
                    _ => {}
                }
            }
            "experimental/serverStatus" => {
                self.is_ready = params.get("quiescent").and_then(Value::as_bool) == Some(true);
                let is_well = params.get("health").and_then(Value::as_str) == Some("ok");
                let why = params.get("message").and_then(Value::as_str);
                self.warning = why.filter(|_| !is_well).map(told);
            }
            "textDocument/publishDiagnostics" => self.note(params),
            _ => {}
        }
        Ok(())
    }

    /// Notes the diagnostics of a text that the server has.
    fn note(&mut self, params: &Value) {
        let uri = params.get("uri").and_then(Value::as_str);
        let Some(path) = uri.and_then(|uri| uri::below(&self.root, uri)) else {
            return;
        };
        let Some((version, _)) = self.opened.sent(&path) else {
            return;
        };
        let own = params.get("version").and_then(Value::as_i64);
        if own.is_some_and(|own| own != version) {
            return;
        }
        let all = params.get("diagnostics").and_then(Value::as_array);
        let all = all.into_iter().flatten().take(MAX_DIAGNOSTICS);
        self.published.insert(path, all.cloned().collect());
    }

    /// Adds to the end of a server what it printed last.
    fn explained(&self, fault: ServerFault) -> ServerFault {
        let ServerFault::Ended(_) = fault else {
            return fault;
        };
        if let Some(why) = self.service.as_ref().and_then(Service::failure) {
            return ServerFault::Ended(format!(": {}", told(&why)));
        }
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&said);
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        ServerFault::Ended(last.map_or_else(String::new, |last| format!(": {}", told(last))))
    }

    /// Returns the diagnostics of a file, in lines of its text.
    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the text of a file that the server has.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.opened.get(path).map(|opened| opened.text.as_str())
    }

    /// Returns the folder of the workspace as the server finds it.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// Keeps the last of what a server prints.
fn last_of(mut errors: ChildStderr) -> Arc<Mutex<Vec<u8>>> {
    let said = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&said);
    thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(read @ 1..) = errors.read(&mut piece) {
            let mut said = kept.lock().unwrap_or_else(PoisonError::into_inner);
            said.extend(piece.iter().take(read));
            let over = said.len().saturating_sub(MAX_SAID);
            said.drain(..over);
        }
    });
    said
}

/// Returns a text of the server's in one line of bounded length.
pub(super) fn told(text: &str) -> String {
    let line = text.split(|own: char| own.is_control() || "\u{2028}\u{2029}".contains(own));
    let line = line.collect::<Vec<_>>().join(" ");
    line.trim().chars().take(MAX_TOLD).collect()
}

fn unfit(why: &str) -> ServerFault {
    ServerFault::Unfit(why.to_owned())
}

#[cfg(test)]
mod tests;
