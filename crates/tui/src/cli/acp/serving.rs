//! The server: lines from the editor, conversations on threads of their own, and messages back.
//!
//! In: standard input. Out: standard output, one message a line; remarks on standard error. A conversation ends with the
//! connection: what was decided by then is carried out, and what is staged stays staged.

use std::collections::HashMap;
use std::io::{self, BufRead, Read as _};
use std::iter;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use signoff_core::engine::Engine;
use signoff_core::id::ProposalId;
use signoff_llm::session::{Command, Event};
use signoff_llm::tool::lock;
use signoff_verify::process::Supervision;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use uuid::Uuid;

use super::editor_session::{EditorSession, OpeningRequest, SessionInput, SessionOutput};
use super::message::{self, EditorCall, EditorMessage, RefusedMessage, RpcError, VERSION};
use crate::args::{ModelArgs, PathArgs, SessionArgs};
use crate::cli::{opened, out};
use crate::config::{Config, Environment};
use crate::paths::Paths;
use crate::session_setup::Presence;
use crate::watch::Watch;
use crate::{model, session_setup};

/// Maximum size of a message, in bytes: a prompt of 8 MiB whose every second character is escaped.
const MAX_MESSAGE_BYTES: u64 = 16 << 20;

/// Maximum number of conversations that one connection opens.
const MAX_SESSIONS: usize = 64;

/// Between two looks at whether the store changed while a question is open: a person notices no delay.
const BETWEEN_LOOKS: Duration = Duration::from_millis(300);

/// The conversations that are open, by id.
type SessionTable = Mutex<HashMap<String, UnboundedSender<SessionInput>>>;

/// A server of one editor.
pub(super) struct EditorServer {
    model: ModelArgs,
    runtime: Handle,
    table: Arc<SessionTable>,
    threads: Vec<(UnboundedSender<SessionInput>, JoinHandle<()>)>,
}

/// What a conversation is opened with.
struct SessionStart {
    folder: PathBuf,
    /// The earlier conversation, if it goes on with one.
    earlier: Option<String>,
    model: ModelArgs,
    table: Arc<SessionTable>,
    opening: OpeningRequest,
}

/// What comes to a conversation, and the way there.
struct SessionInbox {
    sender: UnboundedSender<SessionInput>,
    inputs: UnboundedReceiver<SessionInput>,
}

impl EditorServer {
    pub(super) fn new(model: ModelArgs, runtime: Handle) -> Self {
        Self {
            model,
            runtime,
            table: Arc::default(),
            threads: Vec::new(),
        }
    }

    /// Serves until the input ends.
    pub(super) fn serve(mut self, mut input: impl BufRead) -> anyhow::Result<()> {
        let mut line = Vec::new();
        loop {
            match next_line(&mut input, &mut line).context("cannot read from the editor")? {
                LineRead::End => break,
                LineRead::Whole if line.trim_ascii().is_empty() => {}
                LineRead::Whole => match message::read(&line) {
                    Ok(message) => self.take(message),
                    Err(refused) => send(&refused.value()),
                },
                LineRead::TooLong => send(
                    &RefusedMessage {
                        id: Value::Null,
                        error: RpcError::InvalidRequest,
                        why: format!("a message has more than {MAX_MESSAGE_BYTES} bytes"),
                    }
                    .value(),
                ),
            }
        }
        for (sender, _) in &self.threads {
            // It may have ended by itself.
            let _gone = sender.send(SessionInput::Close);
        }
        for (_, thread) in self.threads {
            if thread.join().is_err() {
                tracing::error!("a conversation ended with a panic");
            }
        }
        Ok(())
    }

    fn take(&mut self, message: EditorMessage) {
        match message {
            EditorMessage::Request { id, call } => self.call(id, call),
            EditorMessage::Cancel { session } => {
                self.pass(&session, SessionInput::Cancel);
            }
            EditorMessage::Answer {
                session,
                number,
                choice,
            } => {
                self.pass(&session, SessionInput::Answer { number, choice });
            }
            EditorMessage::Nothing => {}
        }
    }

    /// Hands an input to a conversation, if that is open. Returns whether it is.
    fn pass(&self, session: &str, input: SessionInput) -> bool {
        let table = entries(&self.table);
        table
            .get(session)
            .is_some_and(|sender| sender.send(input).is_ok())
    }

    fn call(&mut self, id: Value, call: EditorCall) {
        match call {
            EditorCall::Initialize => send(&message::answer(&id, &capabilities())),
            EditorCall::New { folder, servers } => {
                self.open(id, folder, None, servers);
            }
            EditorCall::Load {
                session,
                folder,
                servers,
            } => self.open(id, folder, Some(session), servers),
            EditorCall::Prompt { session, blocks } => {
                let prompt = SessionInput::Prompt {
                    id: id.clone(),
                    blocks,
                };
                if !self.pass(&session, prompt) {
                    let why = "no session of this id is open; session/load opens an earlier one";
                    refuse(id, RpcError::InvalidParams, why.to_owned());
                }
            }
        }
    }

    fn open(&mut self, id: Value, folder: PathBuf, earlier: Option<String>, servers: usize) {
        if self.threads.len() >= MAX_SESSIONS {
            let why = format!("{MAX_SESSIONS} sessions were opened; start another signoff acp");
            return refuse(id, RpcError::InvalidRequest, why);
        }
        if servers > 0 {
            out::remark(
                "MCP servers that the editor names are not started; name them below [mcp] in the configuration",
            );
        }
        let start = SessionStart {
            folder,
            model: self.model.clone(),
            table: Arc::clone(&self.table),
            opening: OpeningRequest {
                id: id.clone(),
                is_load: earlier.is_some(),
            },
            earlier,
        };
        let (sender, inputs) = unbounded_channel();
        let inbox = SessionInbox {
            sender: sender.clone(),
            inputs,
        };
        let runtime = self.runtime.clone();
        let thread = thread::spawn(move || {
            if let Err(error) = runtime.block_on(converse(start, inbox)) {
                refuse(id, RpcError::Internal, crate::cli::in_words(&error));
            }
        });
        self.threads.push((sender, thread));
    }
}

fn capabilities() -> Value {
    json!({
        "protocolVersion": VERSION,
        "agentInfo": {"name": "signoff", "title": "signoff", "version": env!("CARGO_PKG_VERSION")},
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": {"image": false, "audio": false, "embeddedContext": true},
            "mcpCapabilities": {"http": false, "sse": false},
        },
        "authMethods": [],
    })
}

fn entries(table: &SessionTable) -> MutexGuard<'_, HashMap<String, UnboundedSender<SessionInput>>> {
    // A table of senders is whole whatever happened to whoever held it.
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

fn refuse(id: Value, error: RpcError, why: String) {
    send(&RefusedMessage { id, error, why }.value());
}

fn send(message: &Value) {
    if let Err(error) = out::json(message) {
        // The editor is gone: the input ends too.
        tracing::warn!(%error, "a message was not sent to the editor");
    }
}

/// What was read of the input.
enum LineRead {
    Whole,
    TooLong,
    End,
}

/// Reads a line; one that is too long is passed over.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<LineRead> {
    line.clear();
    let read = input
        .by_ref()
        .take(MAX_MESSAGE_BYTES + 1)
        .read_until(b'\n', line)?;
    if read == 0 {
        return Ok(LineRead::End);
    }
    if line.ends_with(b"\n") || read as u64 <= MAX_MESSAGE_BYTES {
        return Ok(LineRead::Whole);
    }
    while !line.ends_with(b"\n") {
        line.clear();
        if input
            .by_ref()
            .take(MAX_MESSAGE_BYTES)
            .read_until(b'\n', line)?
            == 0
        {
            break;
        }
    }
    Ok(LineRead::TooLong)
}

/// Leads one conversation. An error is why it was not opened.
async fn converse(start: SessionStart, inbox: SessionInbox) -> anyhow::Result<()> {
    let SessionStart {
        folder,
        earlier,
        model,
        table,
        opening,
    } = start;
    if !folder.is_absolute() {
        bail!("{}: the folder is not absolute", folder.display());
    }
    if let Some(id) = earlier.as_ref().filter(|id| Uuid::try_parse(id).is_err()) {
        bail!("{id:?} is not the id of a conversation");
    }
    let paths = Paths::find(&PathArgs { dir: Some(folder) })?;
    let config = Config::load(&paths.config, &paths.root, &model, Environment::read())?;
    config
        .warnings
        .iter()
        .for_each(|warning| out::remark(warning));
    let mut engine = opened::keeping(&paths, config.history_limit)?;
    engine.set_write_through(config.write_through);
    let engine = Arc::new(Mutex::new(engine));
    let chosen = model::choose(&config).await?;
    let setup = SessionArgs {
        resume: earlier,
        ..SessionArgs::default()
    };
    let shared = Arc::clone(&engine);
    let (driver, remarks) =
        session_setup::prepare(&config, &setup, &paths, chosen, shared, Presence::User)?;
    remarks.iter().for_each(|remark| out::remark(remark));
    let driver = driver
        .with_policy(config.policy)
        .with_hidden(config.programs.hidden)
        .with_supervision(Supervision::OwnExecutable);
    let (commands, received) = unbounded_channel();
    let events = inbox.sender.clone();
    let on_event = move |event: Event| {
        // The editor may be gone.
        let _gone = events.send(SessionInput::Event(Box::new(event)));
    };
    let attendance = SessionAttendance {
        session: EditorSession::new(paths.root.clone(), opening),
        commands,
        engine,
        watch: Watch::new(&paths),
        table,
        sender: inbox.sender,
    };
    tokio::join!(
        driver.run(received, on_event),
        attendance.attend(inbox.inputs)
    );
    Ok(())
}

/// A conversation, and what its outputs go to.
struct SessionAttendance {
    session: EditorSession,
    commands: UnboundedSender<Command>,
    engine: Arc<Mutex<Engine>>,
    watch: Watch,
    table: Arc<SessionTable>,
    sender: UnboundedSender<SessionInput>,
}

impl SessionAttendance {
    /// Feeds the session until the editor is gone; with that the conversation gets no more commands, and ends.
    async fn attend(mut self, mut inputs: UnboundedReceiver<SessionInput>) {
        loop {
            for output in self.session.take_outputs() {
                self.carry_out(output);
            }
            let Some(input) = self.next_input(&mut inputs).await else {
                break;
            };
            self.session.handle(input);
        }
        if let Some(OpeningRequest { id, .. }) = self.session.opening() {
            let why = "the connection was closed".to_owned();
            refuse(id.clone(), RpcError::Internal, why);
        }
    }

    /// Returns what comes next; none once the editor is gone. While a question is open, it looks whether others decide.
    async fn next_input(
        &mut self,
        inputs: &mut UnboundedReceiver<SessionInput>,
    ) -> Option<SessionInput> {
        loop {
            let input = match self.session.asked_about() {
                None => inputs.recv().await,
                Some(file) => match timeout(BETWEEN_LOOKS, inputs.recv()).await {
                    Ok(input) => input,
                    Err(_nothing_came) if self.watch.changed(iter::once(file)) => {
                        Some(SessionInput::Changed)
                    }
                    Err(_nothing_came) => continue,
                },
            };
            return input.filter(|input| !matches!(input, SessionInput::Close));
        }
    }

    fn carry_out(&self, output: SessionOutput) {
        match output {
            SessionOutput::Send(message) => send(&message),
            SessionOutput::Command(command) => {
                // Once the conversation is gone, so is the connection.
                let _gone = self.commands.send(command);
            }
            SessionOutput::ReadOutcomes(ids) => self.read_outcomes(ids),
            SessionOutput::Opened(id) => {
                entries(&self.table).insert(id, self.sender.clone());
            }
            SessionOutput::Remark(text) => out::remark(&text),
        }
    }

    fn read_outcomes(&self, ids: Vec<ProposalId>) {
        let (engine, sender) = (Arc::clone(&self.engine), self.sender.clone());
        spawn_blocking(move || {
            let hunks = match lock(&engine).outcomes(&ids, &[]) {
                Ok(outcomes) => outcomes.hunks,
                Err(error) => {
                    out::remark(&format!("what was decided cannot be read: {error}"));
                    Vec::new()
                }
            };
            let _gone = sender.send(SessionInput::Outcomes(hunks));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let long = vec![b'x'; usize::try_from(MAX_MESSAGE_BYTES).unwrap() * 2 + 5];
        let text = [&b"a\n"[..], &long, b"\nb"].concat();
        let mut input = text.as_slice();
        let mut line = Vec::new();
        let mut seen = Vec::new();
        loop {
            match next_line(&mut input, &mut line).unwrap() {
                LineRead::Whole => seen.push(String::from_utf8(line.clone()).unwrap()),
                LineRead::TooLong => seen.push("too long".to_owned()),
                LineRead::End => break,
            }
        }
        assert_eq!(seen, ["a\n", "too long", "b"]);
    }
}
