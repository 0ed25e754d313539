//! Messages between an editor and signoff: JSON-RPC 2.0, one message a line, in the types of the protocol's own crate.
//!
//! In: a line that an editor wrote, not trusted. Out: an [`EditorMessage`], and [`AgentMessage`]s back. Fields that are not
//! known are passed over, as the protocol wants.
//!
//! ```text
//! {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}   a request
//! {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"01a2"}}               a notice
//! {"jsonrpc":"2.0","id":"01a2#3","result":{"outcome":{"outcome":"cancelled"}}}            an answer to a question
//! ```

use agent_client_protocol_schema::MethodDispatchError;
use agent_client_protocol_schema::v1::{
    AgentRequest, AgentResponse, CLIENT_METHOD_NAMES, CancelRequestNotification,
    ClientNotification, ClientRequest, Error, ErrorCode, JsonRpcMessage, Notification,
    PROTOCOL_LEVEL_METHOD_NAMES, Request, RequestId, Response, SessionId, SessionNotification,
    SessionUpdate,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use signoff_core::quote;
use signoff_setup::out;

/// Maximum length of the name of a method in an answer, in bytes: whoever sends one of megabytes gets no megabytes back.
const LONGEST_METHOD: usize = 100;

/// What an editor sent.
#[derive(Debug)]
pub(super) enum EditorMessage {
    Request(Box<EditorRequest>),
    Cancel(SessionId),
    /// An answer to a question of signoff's; null for an error.
    Answer {
        session: SessionId,
        number: u64,
        result: Value,
    },
    /// What is no message, or a request that cannot be read, with what is answered.
    Refused(Box<AgentMessage>),
    /// Something that asks for nothing.
    Nothing,
}

/// What an editor asks for.
#[derive(Debug)]
pub(super) struct EditorRequest {
    pub(super) id: RequestId,
    pub(super) call: ClientRequest,
    /// The MCP servers that it names for a conversation, unread: one that cannot be read is passed over.
    pub(super) servers: Vec<Value>,
}

#[derive(Deserialize)]
struct WrittenMessage {
    id: Option<RequestId>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Value,
}

/// A message to the editor.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum AgentMessage {
    Answer(Box<Response<AgentResponse>>),
    Question(Request<AgentRequest>),
    /// A question is taken back.
    Withdrawal(Notification<CancelRequestNotification>),
    Update(Notification<SessionNotification>),
}

impl AgentMessage {
    /// Returns the answer to a request.
    pub(super) fn answer(id: RequestId, response: AgentResponse) -> Self {
        Self::Answer(Box::new(Response::new(id, Ok(response))))
    }

    /// Returns the answer to a request that is refused.
    pub(super) fn refusal(id: RequestId, code: ErrorCode, why: impl Into<String>) -> Self {
        Self::Answer(Box::new(Response::new(
            id,
            Err(Error::new(code.into(), why)),
        )))
    }

    /// Returns a question of a conversation.
    pub(super) fn question(session: &SessionId, number: u64, asked: AgentRequest) -> Self {
        Self::Question(Request {
            id: question_id(session, number),
            method: asked.method().into(),
            params: Some(asked),
        })
    }

    /// Returns what takes a question back.
    pub(super) fn withdrawal(session: &SessionId, number: u64) -> Self {
        Self::Withdrawal(Notification {
            method: PROTOCOL_LEVEL_METHOD_NAMES.cancel_request.into(),
            params: Some(CancelRequestNotification::new(question_id(session, number))),
        })
    }

    /// Returns something that a conversation tells.
    pub(super) fn update(session: &SessionId, update: SessionUpdate) -> Self {
        Self::Update(Notification {
            method: CLIENT_METHOD_NAMES.session_update.into(),
            params: Some(SessionNotification::new(session.clone(), update)),
        })
    }

    pub(super) fn send(self) {
        if let Err(error) = out::json(&JsonRpcMessage::wrap(self)) {
            // The editor is gone: the input ends too.
            tracing::warn!(%error, "a message was not sent to the editor");
        }
    }
}

fn question_id(session: &SessionId, number: u64) -> RequestId {
    RequestId::Str(format!("{session}#{number}"))
}

/// Reads a line.
pub(super) fn read(line: &[u8]) -> EditorMessage {
    let message = match serde_json::from_slice::<Map<String, Value>>(line) {
        Ok(fields) => serde_json::from_value::<WrittenMessage>(Value::Object(fields)),
        Err(error) if error.is_data() => Err(error),
        Err(error) => return refused(RequestId::Null, ErrorCode::ParseError, error.to_string()),
    };
    let message = match message {
        Ok(message) => message,
        Err(error) => {
            return refused(
                RequestId::Null,
                ErrorCode::InvalidRequest,
                error.to_string(),
            );
        }
    };
    match (message.id, message.method) {
        (Some(id), Some(method)) => request(id, &method, message.params),
        (Some(id), None) => answer(&id, message.result),
        (None, Some(method)) => notice(&method, &message.params),
        (None, None) => {
            let why = "a message has a method, or the id of a question";
            refused(RequestId::Null, ErrorCode::InvalidRequest, why)
        }
    }
}

fn refused(id: RequestId, code: ErrorCode, why: impl Into<String>) -> EditorMessage {
    EditorMessage::Refused(Box::new(AgentMessage::refusal(id, code, why)))
}

fn request(id: RequestId, method: &str, mut params: Value) -> EditorMessage {
    if params.is_null() {
        params = json!({});
    }
    let servers = take_servers(&mut params);
    match ClientRequest::from_method_and_params(method, &params) {
        Ok(call) => EditorMessage::Request(Box::new(EditorRequest { id, call, servers })),
        Err(MethodDispatchError::InvalidPayload { source, .. }) => {
            refused(id, ErrorCode::InvalidParams, source.to_string())
        }
        Err(_) => EditorMessage::Refused(Box::new(unknown_method(id, method))),
    }
}

/// Returns the answer to a request that signoff does not know.
pub(super) fn unknown_method(id: RequestId, method: &str) -> AgentMessage {
    let method = quote::one_line(method, LONGEST_METHOD);
    let why = format!("{method}: signoff has no such method");
    AgentMessage::refusal(id, ErrorCode::MethodNotFound, why)
}

/// Takes the MCP servers out of parameters, and leaves an empty list.
fn take_servers(params: &mut Value) -> Vec<Value> {
    let Some(params) = params.as_object_mut() else {
        return Vec::new();
    };
    match params.entry("mcpServers").or_insert_with(|| json!([])) {
        Value::Array(servers) => std::mem::take(servers),
        _ => Vec::new(),
    }
}

fn notice(method: &str, params: &Value) -> EditorMessage {
    match ClientNotification::from_method_and_params(method, params) {
        Ok(ClientNotification::CancelNotification(cancel)) => {
            EditorMessage::Cancel(cancel.session_id)
        }
        _ => EditorMessage::Nothing,
    }
}

/// Reads an answer. One to nothing that was asked is passed over.
fn answer(id: &RequestId, result: Value) -> EditorMessage {
    let RequestId::Str(id) = id else {
        return EditorMessage::Nothing;
    };
    let Some((session, number)) = id.rsplit_once('#') else {
        return EditorMessage::Nothing;
    };
    match number.parse() {
        Ok(number) => EditorMessage::Answer {
            session: SessionId::new(session),
            number,
            result,
        },
        Err(_no_number) => EditorMessage::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn in_short(line: &str) -> String {
        match read(line.as_bytes()) {
            EditorMessage::Request(request) => {
                let method = request.call.method();
                format!("{:?} {method} {}", request.id, request.servers.len())
            }
            EditorMessage::Refused(refusal) => {
                let refusal = serde_json::to_value(refusal).unwrap();
                format!("{} {}", refusal["id"], refusal["error"]["code"])
            }
            message => format!("{message:?}"),
        }
    }

    #[test]
    fn lines_are_read_or_refused_with_the_id_that_they_have() {
        for (line, expected) in [
            ("", "null -32700"),
            ("{", "null -32700"),
            ("[]", "null -32600"),
            (r#"[{"id":1,"method":"initialize"}]"#, "null -32600"),
            ("{}", "null -32600"),
            (r#"{"id":null,"method":"initialize"}"#, "Nothing"),
            (r#"{"id":{},"method":"initialize"}"#, "null -32600"),
            (
                r#"{"id":1,"method":"initialize","params":{"protocolVersion":7}}"#,
                "Number(1) initialize 0",
            ),
            (r#"{"id":"a","method":"fs/x"}"#, r#""a" -32601"#),
            (r#"{"id":2,"method":"session/new","params":{}}"#, "2 -32602"),
            (
                r#"{"id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":7}}"#,
                "2 -32602",
            ),
            (
                r#"{"id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[{}],"_meta":{}}}"#,
                "Number(2) session/new 1",
            ),
            (
                r#"{"id":2,"method":"session/load","params":{"cwd":"/w","sessionId":"s"}}"#,
                "Number(2) session/load 0",
            ),
            (
                r#"{"id":"x","method":"session/list"}"#,
                r#"Str("x") session/list 0"#,
            ),
            (
                r#"{"id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"image"}]}}"#,
                "3 -32602",
            ),
            (
                r#"{"method":"session/cancel","params":{"sessionId":"s"}}"#,
                r#"Cancel(SessionId("s"))"#,
            ),
            (r#"{"method":"session/cancel"}"#, "Nothing"),
            (r#"{"method":"$/later","params":[]}"#, "Nothing"),
            (r#"{"id":"s#-1","result":{}}"#, "Nothing"),
            (r#"{"id":9,"result":{}}"#, "Nothing"),
            (
                r##"{"id":"s#4","result":{"a":1}}"##,
                r#"Answer { session: SessionId("s"), number: 4, result: Object {"a": Number(1)} }"#,
            ),
            (
                r##"{"id":"s#4","error":{"code":-1,"message":"no"}}"##,
                r#"Answer { session: SessionId("s"), number: 4, result: Null }"#,
            ),
        ] {
            assert_eq!(in_short(line), expected, "{line}");
        }
    }

    /// Returns JSON of any shape, with the names of the protocol in it.
    fn any_json() -> impl Strategy<Value = Value> {
        let names = prop::sample::select(vec![
            "id",
            "method",
            "params",
            "result",
            "sessionId",
            "prompt",
            "cwd",
            "mcpServers",
            "type",
            "text",
            "outcome",
            "optionId",
            "session/prompt",
            "session/new",
            "session/resume",
            "initialize",
            "selected",
            "s#1",
            "image",
        ]);
        let text = prop_oneof![names.prop_map(str::to_owned), ".{0,8}"];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            text.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::hash_map(text.clone(), inner, 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_line_is_read_or_refused(line in prop::collection::vec(any::<u8>(), 0..200)) {
            let _message = read(&line);
        }

        #[test]
        fn any_json_is_read_or_refused(value in any_json()) {
            if let EditorMessage::Refused(refusal) = read(value.to_string().as_bytes()) {
                let refusal = serde_json::to_value(refusal).unwrap();
                prop_assert!(refusal.get("error").is_some());
            }
        }
    }
}
