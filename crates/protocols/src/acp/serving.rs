//! The server: lines from the editor, conversations on threads of their own, and messages back.
//!
//! In: standard input. Out: standard output, one message a line; remarks on standard error. A conversation ends with the
//! connection, or when the editor closes it: what was decided by then is carried out, and what is staged stays staged.

use std::io::{self, BufRead, Read as _};
use std::path::PathBuf;
use std::thread::{self, JoinHandle};

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AgentCapabilities, AgentResponse, AuthenticateRequest, AuthenticateResponse, ClientRequest,
    ElicitationCapabilities, ErrorCode, Implementation, InitializeRequest, InitializeResponse,
    ListSessionsRequest, McpCapabilities, PromptCapabilities, RequestId, SessionCapabilities,
    SessionCloseCapabilities, SessionId, SessionListCapabilities, SessionResumeCapabilities,
};
use anyhow::Context as _;
use serde_json::Value;
use signoff_tui::error_text::in_words;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::AcpOptions;
use super::connection::{self, AgentMessage, EditorMessage, EditorRequest};
use super::conversation::{self, SessionStart, SessionTable};
use super::editor_session::{ChoiceRequest, OpeningRequest, SessionInput, SessionOrigin};
use super::session_list;
use super::session_options::MODE;
use super::sign_in::{self, NoModel, SignIn};

/// Maximum size of a message, in bytes: a prompt of 8 MiB whose every second character is escaped.
const MAX_MESSAGE_BYTES: u64 = 16 << 20;

/// Maximum number of conversations that are open on one connection: each has a thread and an engine.
const MAX_SESSIONS: usize = 64;

/// A server of one editor.
pub(super) struct EditorServer {
    options: AcpOptions,
    runtime: Handle,
    /// Whether the editor shows forms.
    has_forms: bool,
    /// How the editor can have the user connect a model.
    sign_in: SignIn,
    table: SessionTable,
    threads: Vec<(UnboundedSender<SessionInput>, JoinHandle<()>)>,
    /// The folders of the conversations that were opened.
    folders: Vec<PathBuf>,
}

impl EditorServer {
    pub(super) fn new(options: AcpOptions, runtime: Handle) -> Self {
        Self {
            options,
            runtime,
            has_forms: false,
            sign_in: SignIn::default(),
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
                LineRead::Whole => self.take(connection::read(&line)),
                LineRead::TooLong => {
                    let why = format!("a message has more than {MAX_MESSAGE_BYTES} bytes");
                    refuse(RequestId::Null, ErrorCode::InvalidRequest, why);
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
            EditorMessage::Request(request) => self.call(*request),
            EditorMessage::Cancel(session) => {
                self.table.pass(&session, SessionInput::Cancel);
            }
            EditorMessage::Answer {
                session,
                number,
                result,
            } => {
                let input = SessionInput::Answer { number, result };
                self.table.pass(&session, input);
            }
            EditorMessage::Refused(refusal) => refusal.send(),
            EditorMessage::Nothing => {}
        }
    }

    fn call(&mut self, request: EditorRequest) {
        let EditorRequest { id, call, servers } = request;
        match call {
            ClientRequest::InitializeRequest(request) => self.greet(id, &request),
            ClientRequest::AuthenticateRequest(request) => self.authenticate(id, &request),
            ClientRequest::NewSessionRequest(request) => {
                self.open(request.cwd, servers, id, SessionOrigin::New);
            }
            ClientRequest::LoadSessionRequest(request) => {
                let origin = SessionOrigin::Earlier {
                    session: request.session_id,
                    is_replayed: true,
                };
                self.open(request.cwd, servers, id, origin);
            }
            ClientRequest::ResumeSessionRequest(request) => {
                let origin = SessionOrigin::Earlier {
                    session: request.session_id,
                    is_replayed: false,
                };
                self.open(request.cwd, servers, id, origin);
            }
            ClientRequest::ListSessionsRequest(request) => self.list(id, request),
            ClientRequest::CloseSessionRequest(request) => {
                let input = SessionInput::Close(Some(id.clone()));
                self.hand_over(&request.session_id, id, input);
                self.table.remove(&request.session_id);
            }
            ClientRequest::PromptRequest(request) => {
                let input = SessionInput::Prompt {
                    id: id.clone(),
                    blocks: request.prompt,
                };
                self.hand_over(&request.session_id, id, input);
            }
            ClientRequest::SetSessionModeRequest(request) => {
                let choice = ChoiceRequest {
                    id,
                    is_mode_request: true,
                };
                let (option, value) = (MODE.to_owned(), request.mode_id.to_string());
                self.choose(&request.session_id, choice, option, value);
            }
            ClientRequest::SetSessionConfigOptionRequest(request) => {
                let Some(value) = request.value.as_value_id() else {
                    let why = "the options of signoff have values by their ids";
                    return refuse(id, ErrorCode::InvalidParams, why);
                };
                let choice = ChoiceRequest {
                    id,
                    is_mode_request: false,
                };
                let (option, value) = (request.config_id.to_string(), value.to_string());
                self.choose(&request.session_id, choice, option, value);
            }
            other => connection::unknown_method(id, other.method()).send(),
        }
    }

    fn greet(&mut self, id: RequestId, request: &InitializeRequest) {
        // What conversations that are open were told of it stays.
        if self.threads.is_empty() {
            let forms = request.client_capabilities.elicitation.as_ref();
            self.has_forms = forms.is_some_and(ElicitationCapabilities::supports_form);
        }
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::new())
            .resume(SessionResumeCapabilities::new())
            .close(SessionCloseCapabilities::new());
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
            .mcp_capabilities(McpCapabilities::new().http(cfg!(feature = "mcp")))
            .session_capabilities(sessions);
        let signoff = Implementation::new("signoff", env!("CARGO_PKG_VERSION")).title("signoff");
        self.sign_in = SignIn::of(&request.client_capabilities);
        let hello = InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(capabilities)
            .auth_methods(self.sign_in.methods())
            .agent_info(signoff);
        AgentMessage::answer(id, AgentResponse::InitializeResponse(hello)).send();
    }

    /// Answers whether a model is connected: that is all of a sign-in here, and `signoff setup` in a terminal does it.
    fn authenticate(&self, id: RequestId, request: &AuthenticateRequest) {
        if !self.sign_in.has(&request.method_id) {
            let why = "there is no such way to sign in; `initialize` names them";
            return refuse(id, ErrorCode::InvalidParams, why);
        }
        let options = self.options.clone();
        self.runtime.spawn(async move {
            match sign_in::is_connected(&options).await {
                Ok(true) => {
                    let done = AuthenticateResponse::new();
                    AgentMessage::answer(id, AgentResponse::AuthenticateResponse(done)).send();
                }
                Ok(false) => refuse(id, ErrorCode::AuthRequired, NoModel.to_string()),
                Err(error) => refuse(id, ErrorCode::InternalError, in_words(&error)),
            }
        });
    }

    /// Hands a choice of the user's over to its conversation.
    fn choose(&self, session: &SessionId, request: ChoiceRequest, option: String, value: String) {
        let id = request.id.clone();
        let input = SessionInput::Configure {
            request,
            option,
            value,
        };
        self.hand_over(session, id, input);
    }

    /// Hands a request over to its conversation, or refuses it.
    fn hand_over(&self, session: &SessionId, id: RequestId, input: SessionInput) {
        if !self.table.pass(session, input) {
            let why = "no session of this id is open; session/load opens an earlier one";
            refuse(id, ErrorCode::InvalidParams, why);
        }
    }

    fn list(&self, id: RequestId, request: ListSessionsRequest) {
        let folders = match request.cwd {
            Some(folder) => vec![folder],
            None => self.folders.clone(),
        };
        self.runtime.spawn_blocking(move || {
            match session_list::sessions(folders, request.cursor.as_deref()) {
                Ok(list) => {
                    AgentMessage::answer(id, AgentResponse::ListSessionsResponse(list)).send();
                }
                Err(error) => refuse(id, ErrorCode::InvalidParams, in_words(&error)),
            }
        });
    }

    fn open(&mut self, folder: PathBuf, servers: Vec<Value>, id: RequestId, origin: SessionOrigin) {
        self.threads.retain(|(_, thread)| !thread.is_finished());
        if self.threads.len() >= MAX_SESSIONS {
            let why = format!("{MAX_SESSIONS} sessions are open; close one first");
            return refuse(id, ErrorCode::InvalidRequest, why);
        }
        if let SessionOrigin::Earlier { session, .. } = &origin
            && self.table.has(session)
        {
            let why = "the session is open on this connection; close it first";
            return refuse(id, ErrorCode::InvalidRequest, why);
        }
        if !self.folders.contains(&folder) && self.folders.len() < MAX_SESSIONS {
            self.folders.push(folder.clone());
        }
        let opening = OpeningRequest {
            id: id.clone(),
            origin,
        };
        let start = SessionStart {
            folder,
            options: self.options.clone(),
            servers,
            has_forms: self.has_forms,
            needs_model: self.sign_in.is_offered(),
            table: self.table.clone(),
            opening,
        };
        let (sender, inputs) = unbounded_channel();
        let inbox = sender.clone();
        let runtime = self.runtime.clone();
        let thread = thread::spawn(move || {
            if let Err(error) = runtime.block_on(conversation::lead(start, inbox, inputs)) {
                let code = if error.is::<NoModel>() {
                    ErrorCode::AuthRequired
                } else {
                    ErrorCode::InternalError
                };
                refuse(id, code, in_words(&error));
            }
        });
        self.threads.push((sender, thread));
    }
}

pub(super) fn refuse(id: RequestId, code: ErrorCode, why: impl Into<String>) {
    AgentMessage::refusal(id, code, why).send();
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
