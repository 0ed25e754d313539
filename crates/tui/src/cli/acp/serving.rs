//! The server: lines from the editor, conversations on threads of their own, and messages back.
//!
//! In: standard input. Out: standard output, one message a line; remarks on standard error. A conversation ends with the
//! connection, or when the editor closes it: what was decided by then is carried out, and what is staged stays staged.

use std::io::{self, BufRead, Read as _};
use std::path::PathBuf;
use std::thread::{self, JoinHandle};

use anyhow::Context as _;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::conversation::{self, SessionInbox, SessionStart, SessionTable};
use super::editor_session::{OpeningRequest, SessionInput};
use super::message::{
    self, EditorCall, EditorMessage, FolderParams, InitializeParams, ListParams, RefusedMessage,
    RpcError, SessionOrigin,
};
use super::protocol::{EditorClient, ProtocolVersion};
use super::session_list;
use crate::args::AcpArgs;
use crate::cli::out;

/// Maximum size of a message, in bytes: a prompt of 8 MiB whose every second character is escaped.
const MAX_MESSAGE_BYTES: u64 = 16 << 20;

/// Maximum number of conversations that are open on one connection.
const MAX_SESSIONS: usize = 64;

/// A server of one editor.
pub(super) struct EditorServer {
    args: AcpArgs,
    runtime: Handle,
    client: EditorClient,
    table: SessionTable,
    threads: Vec<(UnboundedSender<SessionInput>, JoinHandle<()>)>,
    /// The folders of the conversations that were opened.
    folders: Vec<PathBuf>,
}

impl EditorServer {
    pub(super) fn new(args: AcpArgs, runtime: Handle) -> Self {
        Self {
            args,
            runtime,
            client: EditorClient {
                version: ProtocolVersion::One,
                has_forms: false,
            },
            table: SessionTable::default(),
            threads: Vec::new(),
            folders: Vec::new(),
        }
    }

    /// Serves until the input ends.
    pub(super) fn serve(mut self, mut input: impl BufRead) -> anyhow::Result<()> {
        let mut line = Vec::new();
        loop {
            match next_line(&mut input, &mut line).context("cannot read from the editor")? {
                LineRead::End => break,
                LineRead::Whole if line.trim_ascii().is_empty() => {}
                LineRead::Whole => match message::read(&line, self.client.version) {
                    Ok(message) => self.take(message),
                    Err(refused) => send(&refused.value()),
                },
                LineRead::TooLong => {
                    let why = format!("a message has more than {MAX_MESSAGE_BYTES} bytes");
                    refuse(Value::Null, RpcError::InvalidRequest, why);
                }
            }
        }
        for (sender, _) in &self.threads {
            // It may have ended by itself.
            let _gone = sender.send(SessionInput::Close(None));
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
                self.table.pass(&session, SessionInput::Cancel);
            }
            EditorMessage::Answer {
                session,
                number,
                answer,
            } => {
                self.table
                    .pass(&session, SessionInput::Answer { number, answer });
            }
            EditorMessage::Nothing => {}
        }
    }

    fn call(&mut self, id: Value, call: EditorCall) {
        match call {
            EditorCall::Initialize(params) => self.greet(&id, &params),
            EditorCall::Open(folder, origin) => {
                let opening = OpeningRequest { id, origin };
                self.open(folder, opening);
            }
            EditorCall::List(params) => self.list(id, params),
            EditorCall::Close { session } => {
                let input = SessionInput::Close(Some(id.clone()));
                self.hand_over(&session, id, input);
                self.table.remove(&session);
            }
            EditorCall::Prompt { session, prompt } => {
                let input = SessionInput::Prompt {
                    id: id.clone(),
                    prompt,
                };
                self.hand_over(&session, id, input);
            }
            EditorCall::Configure { session, change } => {
                let input = SessionInput::Configure {
                    id: id.clone(),
                    change,
                };
                self.hand_over(&session, id, input);
            }
        }
    }

    fn greet(&mut self, id: &Value, params: &InitializeParams) {
        let is_draft = self.args.draft;
        let version = ProtocolVersion::agreed(params.protocol_version, is_draft);
        // What conversations speak that are open, they go on speaking.
        if self.threads.is_empty() {
            self.client = EditorClient {
                version,
                has_forms: params.has_forms(version),
            };
        }
        send(&message::answer(id, &self.client.version.hello()));
    }

    /// Hands a request over to its conversation, or refuses it.
    fn hand_over(&self, session: &str, id: Value, input: SessionInput) {
        if self.table.pass(session, input) {
            return;
        }
        let (error, opens) = match self.client.version {
            ProtocolVersion::One => (RpcError::InvalidParams, "session/load"),
            ProtocolVersion::Two => (RpcError::UnknownSession, "session/resume"),
        };
        let why = format!("no session of this id is open; {opens} opens an earlier one");
        refuse(id, error, why);
    }

    fn list(&self, id: Value, params: ListParams) {
        let folders = match params.cwd {
            Some(folder) => vec![folder],
            None => self.folders.clone(),
        };
        let cursor = params.cursor;
        self.runtime.spawn_blocking(move || {
            match session_list::sessions(folders, cursor.as_deref()) {
                Ok(result) => send(&message::answer(&id, &result)),
                Err(error) => refuse(id, RpcError::InvalidParams, crate::cli::in_words(&error)),
            }
        });
    }

    fn open(&mut self, folder: FolderParams, opening: OpeningRequest) {
        self.threads.retain(|(_, thread)| !thread.is_finished());
        if self.threads.len() >= MAX_SESSIONS {
            let why = format!("{MAX_SESSIONS} sessions are open; close one first");
            return refuse(opening.id, RpcError::InvalidRequest, why);
        }
        if let SessionOrigin::Earlier { session, .. } = &opening.origin
            && self.table.has(session)
        {
            let why = "the session is open on this connection; close it first".to_owned();
            return refuse(opening.id, RpcError::InvalidRequest, why);
        }
        let FolderParams { cwd, mcp_servers } = folder;
        if !self.folders.contains(&cwd) && self.folders.len() < MAX_SESSIONS {
            self.folders.push(cwd.clone());
        }
        let id = opening.id.clone();
        let start = SessionStart {
            folder: cwd,
            broad_folder: self.args.broad_folder,
            servers: mcp_servers,
            model: self.args.model.clone(),
            client: self.client,
            table: self.table.clone(),
            opening,
        };
        let (sender, inputs) = unbounded_channel();
        let inbox = SessionInbox {
            sender: sender.clone(),
            inputs,
        };
        let runtime = self.runtime.clone();
        let thread = thread::spawn(move || {
            if let Err(error) = runtime.block_on(conversation::lead(start, inbox)) {
                refuse(id, RpcError::Internal, crate::cli::in_words(&error));
            }
        });
        self.threads.push((sender, thread));
    }
}

pub(super) fn refuse(id: Value, error: RpcError, why: String) {
    send(&RefusedMessage { id, error, why }.value());
}

pub(super) fn send(message: &Value) {
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
