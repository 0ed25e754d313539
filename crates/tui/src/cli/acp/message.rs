//! Messages of the protocol: JSON-RPC 2.0, one message a line.
//!
//! In: a line that an editor wrote, not trusted. Out: an [`EditorMessage`], or the error that is sent for it. Unknown
//! fields are passed over, as the protocol wants.
//!
//! ```text
//! {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}   a request
//! {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"01a2"}}               a notice
//! {"jsonrpc":"2.0","id":"01a2#3","result":{"outcome":{"outcome":"cancelled"}}}            an answer to a question
//! ```

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use signoff_core::percent;

use crate::composer::mention;
use crate::transcript::export::fenced;

/// The version of the protocol that is spoken.
pub(super) const VERSION: u64 = 1;

/// An error of JSON-RPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RpcError {
    Parse,
    InvalidRequest,
    UnknownMethod,
    InvalidParams,
    Internal,
}

impl RpcError {
    fn code(self) -> i64 {
        match self {
            Self::Parse => -32700,
            Self::InvalidRequest => -32600,
            Self::UnknownMethod => -32601,
            Self::InvalidParams => -32602,
            Self::Internal => -32603,
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
        choice: PermissionChoice,
    },
    /// Something that asks for nothing.
    Nothing,
}

/// What an editor asks for.
#[derive(Debug, PartialEq)]
pub(super) enum EditorCall {
    Initialize,
    New {
        folder: PathBuf,
        servers: usize,
    },
    Load {
        session: String,
        folder: PathBuf,
        servers: usize,
    },
    Prompt {
        session: String,
        blocks: Vec<PromptBlock>,
    },
}

/// The user's answer to a question in the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PermissionChoice {
    /// An option, by its id.
    Selected(String),
    /// None was chosen, or the answer cannot be read.
    Cancelled,
}

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum PromptBlock {
    Text {
        text: String,
    },
    ResourceLink {
        uri: String,
    },
    Resource {
        resource: EmbeddedResource,
    },
    #[serde(other)]
    Unknown,
}

/// A text that the editor sends with a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct EmbeddedResource {
    uri: String,
    text: Option<String>,
}

#[derive(Deserialize)]
struct RawMessage {
    id: Option<Value>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    result: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionParams {
    session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FolderParams {
    cwd: PathBuf,
    #[serde(default)]
    mcp_servers: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptParams {
    session_id: String,
    prompt: Vec<PromptBlock>,
}

#[derive(Deserialize)]
struct PermissionResult {
    outcome: OutcomeMessage,
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

/// Reads a line.
pub(super) fn read(line: &[u8]) -> Result<EditorMessage, RefusedMessage> {
    let refused = |id: &Value, error: RpcError, why: String| RefusedMessage {
        id: id.clone(),
        error,
        why,
    };
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| refused(&Value::Null, RpcError::Parse, error.to_string()))?;
    let raw: RawMessage = serde_json::from_value(value)
        .map_err(|error| refused(&Value::Null, RpcError::InvalidRequest, error.to_string()))?;
    match (raw.id, raw.method) {
        (Some(id), Some(method)) if id.is_string() || id.is_number() => {
            match call(&method, raw.params) {
                Ok(call) => Ok(EditorMessage::Request { id, call }),
                Err((error, why)) => Err(RefusedMessage { id, error, why }),
            }
        }
        (Some(id), None) => Ok(answered(&id, raw.result)),
        (None, Some(method)) => Ok(told(&method, raw.params)),
        (Some(_), Some(_)) | (None, None) => Err(RefusedMessage {
            id: Value::Null,
            error: RpcError::InvalidRequest,
            why: "a message has a method, or the id of a question".to_owned(),
        }),
    }
}

fn call(method: &str, params: Value) -> Result<EditorCall, (RpcError, String)> {
    Ok(match method {
        // Whatever version is asked for, the answer names the one that is spoken.
        "initialize" => EditorCall::Initialize,
        "session/new" => {
            let FolderParams { cwd, mcp_servers } = params_of(params)?;
            EditorCall::New {
                folder: cwd,
                servers: mcp_servers.len(),
            }
        }
        "session/load" => {
            let SessionParams { session_id } = params_of(params.clone())?;
            let FolderParams { cwd, mcp_servers } = params_of(params)?;
            EditorCall::Load {
                session: session_id,
                folder: cwd,
                servers: mcp_servers.len(),
            }
        }
        "session/prompt" => {
            let PromptParams { session_id, prompt } = params_of(params)?;
            if prompt.contains(&PromptBlock::Unknown) {
                let why = "a prompt has text, links to resources and embedded texts, nothing else";
                return Err((RpcError::InvalidParams, why.to_owned()));
            }
            EditorCall::Prompt {
                session: session_id,
                blocks: prompt,
            }
        }
        _ => {
            let why = format!("{}: signoff has no such method", method.escape_debug());
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
    let outcome = result.and_then(|result| serde_json::from_value(result).ok());
    let choice = match outcome {
        Some(PermissionResult {
            outcome: OutcomeMessage::Selected { option },
        }) => PermissionChoice::Selected(option),
        Some(PermissionResult {
            outcome: OutcomeMessage::Cancelled,
        })
        | None => PermissionChoice::Cancelled,
    };
    EditorMessage::Answer {
        session: session.to_owned(),
        number,
        choice,
    }
}

/// Returns a prompt as its text: a file of the workspace that is linked to is mentioned, a text that is embedded stands
/// in a fence.
pub(super) fn prompt_text(blocks: &[PromptBlock], root: &Path) -> String {
    let mut text = String::new();
    for block in blocks {
        let piece = match block {
            PromptBlock::Text { text } => text.clone(),
            PromptBlock::ResourceLink { uri } => resource_name(uri, root),
            PromptBlock::Resource {
                resource: EmbeddedResource { uri, text },
            } => {
                let name = resource_name(uri, root);
                match text {
                    Some(text) => format!("\n{name}:\n{}\n", fenced(text)),
                    None => name,
                }
            }
            PromptBlock::Unknown => continue,
        };
        text.push_str(&piece);
    }
    text
}

fn resource_name(uri: &str, root: &Path) -> String {
    // What is not coded as an address should be is taken as it stands.
    let plain = |address: &str| percent::decoded(address).unwrap_or_else(|| address.to_owned());
    let path = uri.strip_prefix("file://").map(plain);
    let below = path
        .as_deref()
        .and_then(|path| Path::new(path).strip_prefix(root).ok());
    match below.and_then(Path::to_str) {
        Some(below) if !below.is_empty() => mention::of(below),
        _ => uri.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_or_refused_with_the_id_that_they_have() {
        let check = |line: &str, expected: &str| {
            let read = match read(line.as_bytes()) {
                Ok(message) => format!("{message:?}"),
                Err(refused) => format!("{} {:?}", refused.id, refused.error),
            };
            assert!(read.starts_with(expected), "{line}: {read}");
        };
        for (line, expected) in [
            ("", "null Parse"),
            ("[]", "null InvalidRequest"),
            ("{}", "null InvalidRequest"),
            (r#"{"id":null,"method":"initialize"}"#, "Nothing"),
            (r#"{"id":{},"method":"initialize"}"#, "null InvalidRequest"),
            (
                r#"{"id":1,"method":"initialize","params":{"protocolVersion":7}}"#,
                "Request { id: Number(1), call: Initialize",
            ),
            (r#"{"id":"a","method":"fs/x"}"#, r#""a" UnknownMethod"#),
            (
                r#"{"id":2,"method":"session/new","params":{}}"#,
                "2 InvalidParams",
            ),
            (
                r#"{"id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[{}],"_meta":{}}}"#,
                r#"Request { id: Number(2), call: New { folder: "/w", servers: 1 }"#,
            ),
            (
                r#"{"id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"image","data":""}]}}"#,
                "3 InvalidParams",
            ),
            (
                r#"{"method":"session/cancel","params":{"sessionId":"s"}}"#,
                r#"Cancel { session: "s" }"#,
            ),
            (r#"{"method":"session/cancel"}"#, "Nothing"),
            (
                r#"{"id":"s#4","result":{"outcome":{"outcome":"selected","optionId":"deny"}}}"#,
                r#"Answer { session: "s", number: 4, choice: Selected("deny") }"#,
            ),
            (
                r#"{"id":"s#4","error":{"code":-1,"message":"no"}}"#,
                r#"Answer { session: "s", number: 4, choice: Cancelled }"#,
            ),
            (
                r#"{"id":"s#4","result":{"outcome":{"outcome":"selected"}}}"#,
                r#"Answer { session: "s", number: 4, choice: Cancelled }"#,
            ),
            (r#"{"id":"s#-1","result":{}}"#, "Nothing"),
            (r#"{"id":9,"result":{}}"#, "Nothing"),
        ] {
            check(line, expected);
        }
    }

    #[test]
    fn links_become_mentions_and_embedded_texts_stand_in_fences() {
        let link = |uri: &str| PromptBlock::ResourceLink {
            uri: uri.to_owned(),
        };
        let embedded = |text: Option<&str>| PromptBlock::Resource {
            resource: EmbeddedResource {
                uri: "file:///w/a.rs".to_owned(),
                text: text.map(str::to_owned),
            },
        };
        for (block, expected) in [
            (link("file:///w/src/a.rs"), "@src/a.rs"),
            (link("file:///w/a%20b.rs"), "`@a b.rs`"),
            (link("file:///w/%ff%2"), "`@%ff%2`"),
            (link("file:///etc/passwd"), "file:///etc/passwd"),
            (link("file:///w"), "file:///w"),
            (link("https://x.org"), "https://x.org"),
            (embedded(Some("x")), "\n@a.rs:\n```\nx\n```\n"),
            (embedded(Some("````")), "\n@a.rs:\n`````\n````\n`````\n"),
            (embedded(None), "@a.rs"),
        ] {
            assert_eq!(prompt_text(&[block], Path::new("/w")), expected);
        }
    }
}
