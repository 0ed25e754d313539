//! Messages of the protocol: JSON-RPC 2.0, one message a line.
//!
//! In: a line that an editor wrote, not trusted, and the version that was agreed on. Out: an [`EditorMessage`], or the error
//! that is sent for it. Unknown fields are passed over, as the protocol wants. The versions share these messages: what the
//! draft has under another name is read as what it is.
//!
//! ```text
//! {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}   a request
//! {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"01a2"}}               a notice
//! {"jsonrpc":"2.0","id":"01a2#3","result":{"outcome":{"outcome":"cancelled"}}}            an answer to a question
//! ```

use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use signoff_core::quote;

use super::prompt::{EditorPrompt, PromptBlock};
use super::protocol::ProtocolVersion;

/// Maximum length of the name of a method in an answer, in bytes.
const LONGEST_METHOD: usize = 100;

/// An error of JSON-RPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RpcError {
    Parse,
    InvalidRequest,
    UnknownMethod,
    InvalidParams,
    Internal,
    /// No conversation of this id is open.
    UnknownSession,
}

impl RpcError {
    fn code(self) -> i64 {
        match self {
            Self::Parse => -32700,
            Self::InvalidRequest => -32600,
            Self::UnknownMethod => -32601,
            Self::InvalidParams => -32602,
            Self::Internal => -32603,
            Self::UnknownSession => -32002,
        }
    }
}

/// A request that is refused, or text that is no message.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RefusedMessage {
    /// The request; null where that cannot be read.
    pub(super) id: Value,
    pub(super) error: RpcError,
    pub(super) why: String,
}

impl RefusedMessage {
    /// Returns what is sent.
    pub(super) fn value(&self) -> Value {
        let error = json!({"code": self.error.code(), "message": self.why});
        json!({"jsonrpc": "2.0", "id": self.id, "error": error})
    }
}

/// Returns the answer to a request.
pub(super) fn answer(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// Returns a notice to the editor.
pub(super) fn notice(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// What an editor sent.
#[derive(Debug, PartialEq)]
pub(super) enum EditorMessage {
    Request {
        id: Value,
        call: EditorCall,
    },
    Cancel {
        session: String,
    },
    /// An answer to a question of signoff's.
    Answer {
        session: String,
        number: u64,
        answer: EditorAnswer,
    },
    /// Something that asks for nothing.
    Nothing,
}

/// What an editor asks for.
#[derive(Debug, PartialEq)]
pub(super) enum EditorCall {
    Initialize(InitializeParams),
    Open(FolderParams, SessionOrigin),
    List(ListParams),
    Close {
        session: String,
    },
    Prompt {
        session: String,
        prompt: EditorPrompt,
    },
    Configure {
        session: String,
        change: OptionChange,
    },
}

/// Which conversation is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SessionOrigin {
    New,
    /// An earlier one.
    Earlier {
        session: String,
        /// Whether what was said in it is told.
        is_replayed: bool,
    },
}

/// Something that the user chooses for a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OptionChange {
    /// The mode, by the request that version 1 has for it.
    Mode(String),
    /// An option by its id, and a value.
    Option(String, String),
}

/// The user's answer to a question in the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EditorAnswer {
    /// An option, by its id.
    Selected(String),
    /// A form was filled in: what the user wrote as the reason, if anything.
    Reason(String),
    /// Nothing was chosen, or the answer cannot be read.
    Cancelled,
}

#[derive(Deserialize)]
struct RawMessage {
    id: Option<Value>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    result: Option<Value>,
}

/// `initialize`: what the editor speaks and can do.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InitializeParams {
    pub(super) protocol_version: u64,
    /// Of version 1.
    #[serde(default)]
    client_capabilities: ClientAbilities,
    /// Of the draft.
    #[serde(default)]
    capabilities: ClientAbilities,
}

/// What an editor can do, as far as it is of use here.
#[derive(Debug, Default, PartialEq, Deserialize)]
struct ClientAbilities {
    #[serde(default)]
    elicitation: Option<FormAbilities>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
struct FormAbilities {
    form: Option<Value>,
}

impl InitializeParams {
    /// Tells whether the editor shows forms.
    pub(super) fn has_forms(&self, version: ProtocolVersion) -> bool {
        let abilities = match version {
            ProtocolVersion::One => &self.client_capabilities,
            ProtocolVersion::Two => &self.capabilities,
        };
        let forms = abilities.elicitation.as_ref();
        forms.is_some_and(|forms| forms.form.is_some())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionParams {
    session_id: String,
}

/// The folder of a conversation, and what is to be there for it.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FolderParams {
    pub(super) cwd: PathBuf,
    #[serde(default)]
    pub(super) mcp_servers: Vec<Value>,
}

/// Which conversations are listed.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct ListParams {
    pub(super) cwd: Option<PathBuf>,
    pub(super) cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResumeParams {
    session_id: String,
    replay_from: Option<ReplayCursor>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ReplayCursor {
    Start,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptParams {
    session_id: String,
    prompt: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ModeParams {
    session_id: String,
    mode_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OptionParams {
    session_id: String,
    config_id: String,
    value: String,
}

/// An answer to `session/request_permission` or to `elicitation/create`.
#[derive(Deserialize)]
#[serde(untagged)]
enum AnswerResult {
    Permission { outcome: OutcomeMessage },
    Form(FormMessage),
}

#[derive(Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
enum OutcomeMessage {
    Selected {
        #[serde(rename = "optionId")]
        option: String,
    },
    #[serde(other)]
    Cancelled,
}

#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
enum FormMessage {
    Accept {
        content: Option<ReasonContent>,
    },
    #[serde(other)]
    Declined,
}

#[derive(Deserialize)]
struct ReasonContent {
    reason: Option<String>,
}

/// Reads a line.
pub(super) fn read(line: &[u8], version: ProtocolVersion) -> Result<EditorMessage, RefusedMessage> {
    let refused = |error: RpcError, why: String| RefusedMessage {
        id: Value::Null,
        error,
        why,
    };
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| refused(RpcError::Parse, error.to_string()))?;
    if value.is_array() {
        let why = "several messages in one are not taken";
        return Err(refused(RpcError::InvalidRequest, why.to_owned()));
    }
    let raw: RawMessage = serde_json::from_value(value)
        .map_err(|error| refused(RpcError::InvalidRequest, error.to_string()))?;
    match (raw.id, raw.method) {
        (Some(id), Some(method)) if id.is_string() || id.is_number() => {
            match call(&method, raw.params, version) {
                Ok(call) => Ok(EditorMessage::Request { id, call }),
                Err((error, why)) => Err(RefusedMessage { id, error, why }),
            }
        }
        (Some(id), None) => Ok(answered(&id, raw.result)),
        (None, Some(method)) => Ok(told(&method, raw.params)),
        (Some(_), Some(_)) | (None, None) => {
            let why = "a message has a method, or the id of a question";
            Err(refused(RpcError::InvalidRequest, why.to_owned()))
        }
    }
}

fn call(
    method: &str,
    params: Value,
    version: ProtocolVersion,
) -> Result<EditorCall, (RpcError, String)> {
    Ok(match (method, version) {
        ("initialize", _) => EditorCall::Initialize(params_of(params)?),
        ("session/new", _) => EditorCall::Open(params_of(params)?, SessionOrigin::New),
        ("session/load", ProtocolVersion::One) => {
            let SessionParams { session_id } = params_of(params.clone())?;
            let origin = SessionOrigin::Earlier {
                session: session_id,
                is_replayed: true,
            };
            EditorCall::Open(params_of(params)?, origin)
        }
        ("session/resume", _) => {
            let ResumeParams {
                session_id,
                replay_from,
            } = params_of(params.clone())?;
            let is_draft = version == ProtocolVersion::Two;
            let origin = SessionOrigin::Earlier {
                session: session_id,
                is_replayed: is_draft && replay_from.is_some(),
            };
            EditorCall::Open(params_of(params)?, origin)
        }
        ("session/list", _) if params.is_null() => EditorCall::List(ListParams::default()),
        ("session/list", _) => EditorCall::List(params_of(params)?),
        ("session/close", _) => {
            let SessionParams { session_id } = params_of(params)?;
            EditorCall::Close {
                session: session_id,
            }
        }
        ("session/prompt", _) => {
            let PromptParams { session_id, prompt } = params_of(params)?;
            // Version 1 does not want it back.
            let echo = match version {
                ProtocolVersion::One => Vec::new(),
                ProtocolVersion::Two => prompt.clone(),
            };
            let blocks = prompt.into_iter().map(params_of::<PromptBlock>);
            let blocks = blocks.collect::<Result<_, _>>()?;
            EditorCall::Prompt {
                session: session_id,
                prompt: EditorPrompt { blocks, echo },
            }
        }
        ("session/set_mode", ProtocolVersion::One) => {
            let ModeParams {
                session_id,
                mode_id,
            } = params_of(params)?;
            EditorCall::Configure {
                session: session_id,
                change: OptionChange::Mode(mode_id),
            }
        }
        ("session/set_config_option", _) => {
            let OptionParams {
                session_id,
                config_id,
                value,
            } = params_of(params)?;
            EditorCall::Configure {
                session: session_id,
                change: OptionChange::Option(config_id, value),
            }
        }
        _ => {
            let method = quote::one_line(method, LONGEST_METHOD);
            let why = format!("{method}: signoff has no such method");
            return Err((RpcError::UnknownMethod, why));
        }
    })
}

fn params_of<T: DeserializeOwned>(params: Value) -> Result<T, (RpcError, String)> {
    serde_json::from_value(params).map_err(|error| (RpcError::InvalidParams, error.to_string()))
}

fn told(method: &str, params: Value) -> EditorMessage {
    match (method, params_of(params)) {
        ("session/cancel", Ok(SessionParams { session_id })) => EditorMessage::Cancel {
            session: session_id,
        },
        _ => EditorMessage::Nothing,
    }
}

/// Reads an answer. One to nothing that was asked is passed over.
fn answered(id: &Value, result: Option<Value>) -> EditorMessage {
    let named = id.as_str().and_then(|id| id.rsplit_once('#'));
    let named = named.and_then(|(session, number)| Some((session, number.parse().ok()?)));
    let Some((session, number)) = named else {
        return EditorMessage::Nothing;
    };
    let result = result.and_then(|result| serde_json::from_value(result).ok());
    let answer = match result {
        Some(AnswerResult::Permission {
            outcome: OutcomeMessage::Selected { option },
        }) => EditorAnswer::Selected(option),
        Some(AnswerResult::Form(FormMessage::Accept {
            content: Some(ReasonContent {
                reason: Some(reason),
            }),
        })) => EditorAnswer::Reason(reason),
        Some(AnswerResult::Permission {
            outcome: OutcomeMessage::Cancelled,
        })
        | Some(AnswerResult::Form(FormMessage::Accept { .. } | FormMessage::Declined))
        | None => EditorAnswer::Cancelled,
    };
    EditorMessage::Answer {
        session: session.to_owned(),
        number,
        answer,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn in_short(line: &str, version: ProtocolVersion) -> String {
        match read(line.as_bytes(), version) {
            Ok(message) => format!("{message:?}"),
            Err(refused) => format!("{} {:?}", refused.id, refused.error),
        }
    }

    #[test]
    fn lines_are_read_or_refused_with_the_id_that_they_have() {
        for (line, expected) in [
            ("", "null Parse"),
            ("[]", "null InvalidRequest"),
            ("{}", "null InvalidRequest"),
            (r#"{"id":null,"method":"initialize"}"#, "Nothing"),
            (r#"{"id":{},"method":"initialize"}"#, "null InvalidRequest"),
            (
                r#"{"id":1,"method":"initialize","params":{"protocolVersion":7}}"#,
                "Request { id: Number(1), call: Initialize(InitializeParams { protocol_version: 7",
            ),
            (r#"{"id":"a","method":"fs/x"}"#, r#""a" UnknownMethod"#),
            (
                r#"{"id":2,"method":"session/new","params":{}}"#,
                "2 InvalidParams",
            ),
            (
                r#"{"id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[{}],"_meta":{}}}"#,
                r#"Request { id: Number(2), call: Open(FolderParams { cwd: "/w", mcp_servers: [Object {}] }, New) }"#,
            ),
            (
                r#"{"id":2,"method":"session/resume","params":{"cwd":"/w","sessionId":"s","replayFrom":{"type":"start"}}}"#,
                r#"Request { id: Number(2), call: Open(FolderParams { cwd: "/w", mcp_servers: [] }, Earlier { session: "s", is_replayed: false }) }"#,
            ),
            (
                r#"{"id":2,"method":"session/list"}"#,
                "Request { id: Number(2), call: List(ListParams { cwd: None, cursor: None }) }",
            ),
            (
                r#"{"id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"image"}]}}"#,
                "3 InvalidParams",
            ),
            (
                r#"{"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":true}}"#,
                "3 InvalidParams",
            ),
            (
                r#"{"id":3,"method":"session/set_mode","params":{"sessionId":"s","modeId":"plan"}}"#,
                r#"Request { id: Number(3), call: Configure { session: "s", change: Mode("plan") } }"#,
            ),
            (
                r#"{"method":"session/cancel","params":{"sessionId":"s"}}"#,
                r#"Cancel { session: "s" }"#,
            ),
            (r#"{"method":"session/cancel"}"#, "Nothing"),
            (r#"{"id":"s#-1","result":{}}"#, "Nothing"),
            (r#"{"id":9,"result":{}}"#, "Nothing"),
        ] {
            let read = in_short(line, ProtocolVersion::One);
            assert!(read.starts_with(expected), "{line}: {read}");
        }
    }

    #[test]
    fn the_draft_has_one_request_for_earlier_conversations() {
        for (line, expected) in [
            (
                r#"{"id":2,"method":"session/resume","params":{"cwd":"/w","sessionId":"s","replayFrom":{"type":"start"}}}"#,
                r#"Request { id: Number(2), call: Open(FolderParams { cwd: "/w", mcp_servers: [] }, Earlier { session: "s", is_replayed: true }) }"#,
            ),
            (
                r#"{"id":2,"method":"session/resume","params":{"cwd":"/w","sessionId":"s","replayFrom":{"type":"_x"}}}"#,
                "2 InvalidParams",
            ),
            (
                r#"{"id":2,"method":"session/load","params":{"cwd":"/w","sessionId":"s"}}"#,
                "2 UnknownMethod",
            ),
            (
                r#"{"id":3,"method":"session/set_mode","params":{"sessionId":"s","modeId":"plan"}}"#,
                "3 UnknownMethod",
            ),
        ] {
            let read = in_short(line, ProtocolVersion::Two);
            assert!(read.starts_with(expected), "{line}: {read}");
        }
    }

    #[test]
    fn answers_name_an_option_or_a_reason_and_everything_else_cancels() {
        for (result, expected) in [
            (
                r#""result":{"outcome":{"outcome":"selected","optionId":"deny"}}"#,
                r#"Selected("deny")"#,
            ),
            (
                r#""result":{"action":"accept","content":{"reason":"no"}}"#,
                r#"Reason("no")"#,
            ),
            (r#""result":{"action":"accept","content":{}}"#, "Cancelled"),
            (
                r#""result":{"action":"accept","content":{"reason":7}}"#,
                "Cancelled",
            ),
            (r#""result":{"action":"accept"}"#, "Cancelled"),
            (r#""result":{"action":"decline"}"#, "Cancelled"),
            (r#""error":{"code":-1,"message":"no"}"#, "Cancelled"),
            (
                r#""result":{"outcome":{"outcome":"selected"}}"#,
                "Cancelled",
            ),
            (r#""result":{"outcome":{"outcome":"_later"}}"#, "Cancelled"),
        ] {
            let read = in_short(
                &format!(r##"{{"id":"s#4",{result}}}"##),
                ProtocolVersion::One,
            );
            let whole = format!(r#"Answer {{ session: "s", number: 4, answer: {expected} }}"#);
            assert_eq!(read, whole, "{result}");
        }
    }

    #[test]
    fn forms_are_shown_by_editors_that_say_so() {
        for (capabilities, expected) in [
            (
                r#""clientCapabilities":{"elicitation":{"form":{}}}"#,
                [true, false],
            ),
            (
                r#""capabilities":{"elicitation":{"form":{}}}"#,
                [false, true],
            ),
            (
                r#""clientCapabilities":{"elicitation":{"form":null}}"#,
                [false; 2],
            ),
            (r#""clientCapabilities":{"elicitation":{}}"#, [false; 2]),
            (r#""clientCapabilities":{}"#, [false; 2]),
        ] {
            let params = format!(r#"{{"protocolVersion":1,{capabilities}}}"#);
            let params: InitializeParams = serde_json::from_str(&params).unwrap();
            let versions = [ProtocolVersion::One, ProtocolVersion::Two];
            assert_eq!(versions.map(|own| params.has_forms(own)), expected);
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
            "action",
            "content",
            "reason",
            "session/prompt",
            "session/new",
            "session/resume",
            "initialize",
            "selected",
            "accept",
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
            let _outcome = read(&line, ProtocolVersion::One);
        }

        #[test]
        fn any_json_is_read_or_refused(value in any_json()) {
            for version in [ProtocolVersion::One, ProtocolVersion::Two] {
                if let Err(refused) = read(value.to_string().as_bytes(), version) {
                    prop_assert!(refused.value().get("error").is_some());
                }
            }
        }
    }
}
