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

use super::catalogue::QUIET;
use super::connection::Connection;
use super::position::{Encoding, Lines, Position, Range};
use super::workspace_edit::{self, FileOperation, Sent};
use super::{LanguageServer, ServerFault, language_id, uri};
use crate::process::Pipes;
use crate::shadow::{Launch, Service, Shadow};

/// So often a server is asked anew because its answer is about files that it was not sent.
const MAX_ROUNDS: usize = 5;
/// So often a request is repeated because the server says that a text changed meanwhile.
const MAX_REPEATS: usize = 20;
/// Codes of such answers: the content was modified, and the server has cancelled.
const REPEATED: [i64; 2] = [-32801, -32802];
/// Diagnostics are taken once none have come for this long.
const SETTLED: Duration = Duration::from_millis(1000);
/// The kind of action that sorts imports and removes those that are not used.
pub const ORGANIZE: &str = "source.organizeImports";
/// Edits that a server may ask for while it carries out a command.
const MAX_OFFERED: usize = 16;
/// Things that it may say it is doing at once.
const MAX_PROGRESS: usize = 256;
/// Diagnostics of one file.
const MAX_DIAGNOSTICS: usize = 2000;
/// Bytes of what it printed last that are told if it ends.
const MAX_SAID: usize = 400;
/// Characters of a text of the server's in an error.
const MAX_TOLD: usize = 300;

/// How long an answer is waited for, and who may end that.
#[derive(Clone, Copy, Debug)]
pub struct Wait<'a> {
    /// Until when.
    pub deadline: Instant,
    /// Set when nobody waits any more.
    pub stop: &'a AtomicBool,
}

/// A name in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Path relative to the workspace.
    pub path: String,
    /// 1-based.
    pub line: usize,
    /// The name; its first place in the line is meant.
    pub name: String,
}

/// A place that a server names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Relative to the workspace; absolute for a file outside of it.
    pub path: String,
    /// 1-based.
    pub line: usize,
}

/// Something that a server can do at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// What it calls it, in one line.
    pub title: String,
    value: Value,
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
        let root = shadow.shown();
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
        let name = self.root.file_name().unwrap_or_default().to_string_lossy();
        let answer = self.ask(
            "initialize",
            &json!({
                "processId": null,
                "rootUri": root,
                "workspaceFolders": [{"uri": root, "name": name}],
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

    /// Renames what a name stands for. `read` returns the text of a file as staged.
    ///
    /// # Errors
    ///
    /// Fails if the server refuses, or its edit does not fit.
    pub fn rename(
        &mut self,
        target: &Target,
        to: &str,
        read: &dyn Fn(&str) -> Option<String>,
        wait: Wait<'_>,
    ) -> Result<BTreeMap<String, FileOperation>, ServerFault> {
        self.wait_until_ready(wait)?;
        self.edits(read, |client| {
            let mut params = client.at(target)?;
            params["newName"] = to.into();
            client.ask("textDocument/rename", &params, wait)
        })
    }

    /// Returns where a name is defined.
    ///
    /// # Errors
    ///
    /// Fails if the server refuses.
    pub fn definitions(
        &mut self,
        target: &Target,
        wait: Wait<'_>,
    ) -> Result<Vec<Place>, ServerFault> {
        self.wait_until_ready(wait)?;
        let params = self.at(target)?;
        let answer = self.ask("textDocument/definition", &params, wait)?;
        Ok(self.places(&answer))
    }

    /// Returns where a name is used, its definition included.
    ///
    /// # Errors
    ///
    /// Fails if the server refuses.
    pub fn references(
        &mut self,
        target: &Target,
        wait: Wait<'_>,
    ) -> Result<Vec<Place>, ServerFault> {
        self.wait_until_ready(wait)?;
        let mut params = self.at(target)?;
        params["context"] = json!({"includeDeclaration": true});
        let answer = self.ask("textDocument/references", &params, wait)?;
        Ok(self.places(&answer))
    }

    /// Returns what the server can do with a range of lines of a file that it was sent, from 1, both included; of one
    /// kind where that is given.
    ///
    /// # Errors
    ///
    /// Fails if the server refuses, or there are no such lines.
    pub fn actions(
        &mut self,
        path: &str,
        (first, last): (usize, usize),
        kind: Option<&str>,
        wait: Wait<'_>,
    ) -> Result<Vec<Action>, ServerFault> {
        self.wait_until_ready(wait)?;
        // What mends a diagnostic needs it.
        let all = [path];
        match self.wait_for_diagnostics(&all, wait) {
            Ok(()) | Err(ServerFault::Silent(_)) => {}
            Err(fault) => return Err(fault),
        }
        let (_, text) = self
            .opened
            .sent(path)
            .ok_or_else(|| unfit("it was not sent the file"))?;
        let lines = Lines::of(text);
        let line = |line: usize| {
            let line = u32::try_from(line.checked_sub(1)?).ok()?;
            Some((line, lines.line(line)?))
        };
        let range = line(first)
            .zip(line(last))
            .and_then(|((first, _), (_, (start, text)))| {
                let start_of_first = Position {
                    line: first,
                    character: 0,
                };
                let end = self.encoding.position(&lines, start + text.len())?;
                Some(Range {
                    start: start_of_first,
                    end,
                })
            });
        let range = range.ok_or_else(|| unfit("there are no such lines"))?;
        let overlaps = |own: &&Value| {
            let own = own
                .get("range")
                .cloned()
                .map(serde_json::from_value::<Range>);
            matches!(own, Some(Ok(own)) if own.start <= range.end && own.end >= range.start)
        };
        let known = self.published.get(path);
        let known: Vec<&Value> = known.into_iter().flatten().filter(overlaps).collect();
        let mut context = json!({"diagnostics": known, "triggerKind": 1});
        if let Some(kind) = kind {
            context["only"] = json!([kind]);
        }
        let uri = uri::of(&self.root.join(path));
        let params = json!({"textDocument": {"uri": uri}, "range": range, "context": context});
        let answer = self.ask("textDocument/codeAction", &params, wait)?;
        let all = answer.as_array().into_iter().flatten();
        let usable = all.filter(|action| action.get("disabled").is_none());
        let of_kind = usable.filter(|action| match (kind, action.get("kind")) {
            (Some(kind), Some(own)) => own.as_str().is_some_and(|own| own.starts_with(kind)),
            _ => true,
        });
        let named = of_kind.filter_map(|action| {
            let title = action.get("title")?.as_str()?;
            Some(Action {
                title: told(title),
                value: action.clone(),
            })
        });
        let mut found: Vec<Action> = named.collect();
        if let (true, Some(ORGANIZE), Some(command)) = (found.is_empty(), kind, &self.organizer) {
            let value = json!({"command": command, "arguments": [params["textDocument"]["uri"]]});
            let title = "Organize imports".to_owned();
            found.push(Action { title, value });
        }
        Ok(found)
    }

    /// Returns what an action changes.
    ///
    /// # Errors
    ///
    /// Fails if the server refuses, or its edit does not fit.
    pub fn carry_out(
        &mut self,
        action: &Action,
        read: &dyn Fn(&str) -> Option<String>,
        wait: Wait<'_>,
    ) -> Result<BTreeMap<String, FileOperation>, ServerFault> {
        self.edits(read, |client| {
            let mut action = action.value.clone();
            if action.get("edit").is_none() && action.get("data").is_some() && client.resolves {
                action = client.ask("codeAction/resolve", &action, wait)?;
            }
            if let Some(edit) = action.get("edit") {
                return Ok(edit.clone());
            }
            // A command by itself, or within an action.
            let command = match action.get("command") {
                Some(Value::Object(command)) => Value::Object(command.clone()),
                Some(Value::String(_)) => action.clone(),
                _ => return Err(unfit("the action changes nothing")),
            };
            let params = json!({
                "command": command.get("command"),
                "arguments": command.get("arguments").cloned().unwrap_or_else(|| json!([])),
            });
            client.offered.clear();
            client.ask("workspace/executeCommand", &params, wait)?;
            match std::mem::take(&mut client.offered).as_slice() {
                [edit] => Ok(edit.clone()),
                [] => Ok(Value::Null),
                _ => Err(unfit("its command makes several edits")),
            }
        })
    }

    /// Asks for an edit until all files that it touches were sent.
    fn edits(
        &mut self,
        read: &dyn Fn(&str) -> Option<String>,
        mut asked: impl FnMut(&mut Self) -> Result<Value, ServerFault>,
    ) -> Result<BTreeMap<String, FileOperation>, ServerFault> {
        for _ in 0..MAX_ROUNDS {
            let edit = asked(self)?;
            let touched = workspace_edit::touched(&self.root, &edit)?;
            let unsent: Vec<_> = touched
                .into_iter()
                .filter(|path| !self.opened.contains_key(path))
                .collect();
            if unsent.is_empty() {
                return workspace_edit::applied(&self.root, self.encoding, &edit, &self.opened);
            }
            for path in unsent {
                let text = read(&path);
                let text =
                    text.ok_or_else(|| unfit(&format!("it edits {path}, which is no text")))?;
                self.send_text(&path, &text)?;
            }
        }
        Err(unfit("each of its answers is about other files"))
    }

    /// Returns the parameters of a question about a name.
    fn at(&self, target: &Target) -> Result<Value, ServerFault> {
        let Target { path, line, name } = target;
        let (_, text) = self
            .opened
            .sent(path)
            .ok_or_else(|| unfit("it was not sent the file"))?;
        let lines = Lines::of(text);
        let number = line
            .checked_sub(1)
            .and_then(|line| u32::try_from(line).ok());
        let place = number.and_then(|number| {
            let (start, text) = lines.line(number)?;
            self.encoding.position(&lines, start + word_in(text, name)?)
        });
        let missing =
            || ServerFault::Refused(format!("line {line} of {path} does not have `{name}`"));
        let position = place.ok_or_else(missing)?;
        let uri = uri::of(&self.root.join(path));
        Ok(json!({"textDocument": {"uri": uri}, "position": position}))
    }

    /// Reads places: one, several, or links to them.
    fn places(&self, answer: &Value) -> Vec<Place> {
        let one = answer.is_object().then_some(answer);
        let all = answer.as_array().into_iter().flatten().chain(one);
        let places = all.filter_map(|place| {
            let uri = place
                .get("uri")
                .or_else(|| place.get("targetUri"))?
                .as_str()?;
            let range = place
                .get("range")
                .or_else(|| place.get("targetSelectionRange"))?;
            let range: Range = serde_json::from_value(range.clone()).ok()?;
            let path = uri::below(&self.root, uri);
            let outside = || told(uri.strip_prefix("file://").unwrap_or(uri));
            Some(Place {
                path: path.unwrap_or_else(outside),
                line: usize::try_from(range.start.line).ok()?.saturating_add(1),
            })
        });
        let places: BTreeSet<Place> = places.collect();
        places.into_iter().collect()
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
        ServerFault::Ended(
            last.map(|last| format!(": {}", told(last)))
                .unwrap_or_default(),
        )
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
            said.extend_from_slice(piece.get(..read).unwrap_or_default());
            let over = said.len().saturating_sub(MAX_SAID);
            said.drain(..over);
        }
    });
    said
}

/// Returns where a name stands in a line as a word of its own.
fn word_in(line: &str, name: &str) -> Option<usize> {
    let is_part = |own: Option<char>| own.is_some_and(|own| own.is_alphanumeric() || own == '_');
    let mut places = line.match_indices(name).map(|(at, _)| at);
    places.find(|at| {
        let before = line
            .get(..*at)
            .and_then(|before| before.chars().next_back());
        let after = line
            .get(at + name.len()..)
            .and_then(|after| after.chars().next());
        !name.is_empty() && !is_part(before) && !is_part(after)
    })
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
