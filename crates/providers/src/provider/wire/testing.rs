//! What the tests of the protocols share.
//!
//! In: events or recorded streams. Out: one line a delta; prompts to encode.

use serde_json::{Value, json};

use super::{Decode, Decoded};
use crate::message::{CallId, Message, Prompt, ProviderState, ToolCall, ToolChoice};
use crate::provider::{Delta, Protocol};
use crate::tool_spec::{Reach, ToolSpec};

/// What a recorded stream decodes to, one line a delta; the same however it is cut.
pub(in crate::provider) fn decode(protocol: Protocol, recording: &str) -> String {
    let whole = in_pieces(protocol, recording.as_bytes(), usize::MAX);
    for size in [1, 2, 3, 7, 64, 1000] {
        assert_eq!(
            in_pieces(protocol, recording.as_bytes(), size),
            whole,
            "{size}"
        );
    }
    whole
}

/// What a stream decodes to when it comes in pieces of this many bytes.
pub(in crate::provider) fn in_pieces(protocol: Protocol, bytes: &[u8], size: usize) -> String {
    let decoder = protocol.decoder(&prompt(vec![], ToolChoice::Auto), "small");
    let mut answer = crate::provider::http::AnswerReader::new(decoder, protocol.framing());
    let mut out: Decoded = Vec::new();
    for piece in bytes.chunks(size.min(bytes.len().max(1))) {
        out.extend(answer.push(piece));
    }
    out.extend(answer.finish());
    told(out)
}

/// What events decode to, one line a delta.
pub(in crate::provider) fn events(protocol: Protocol, events: &[&str]) -> String {
    let mut decoder = protocol.decoder(&prompt(vec![], ToolChoice::Auto), "small");
    let mut out: Decoded = events.iter().flat_map(|data| decoder.push(data)).collect();
    out.extend(decoder.finish());
    assert!(decoder.is_ended() && decoder.finish().is_empty() && decoder.push("{}").is_empty());
    told(out)
}

/// What a whole body decodes to, one line a delta.
pub(in crate::provider) fn whole(protocol: Protocol, body: &str) -> String {
    let mut decoder: Box<dyn Decode> = protocol.decoder(&prompt(vec![], ToolChoice::Auto), "small");
    told(decoder.push_whole(body))
}

/// One line a delta.
pub(in crate::provider) fn told(out: Decoded) -> String {
    let lines = out.into_iter().map(|item| match item {
        Ok(Delta::Text { text }) => format!("text {text:?}"),
        Ok(Delta::Reasoning { text }) => format!("reasoning {text:?}"),
        Ok(Delta::CallStarted { index, id, name }) => format!("call {index} {id} {name}"),
        Ok(Delta::CallArguments { index, fragment }) => format!("args {index} {fragment}"),
        Ok(Delta::Keep { origin, value }) => format!("keep {origin}: {value}"),
        Ok(Delta::Usage(usage)) => {
            format!(
                "usage {} ({} cached) {}",
                usage.input, usage.cached, usage.output
            )
        }
        Ok(Delta::Stop { reason }) => format!("stop {reason:?}"),
        Ok(delta @ Delta::Retrying { .. }) => format!("{delta:?}"),
        Err(error) => format!("error: {error}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A prompt with two tools.
pub(in crate::provider) fn prompt(messages: Vec<Message>, tool_choice: ToolChoice) -> Prompt {
    Prompt {
        messages,
        tools: vec![spec("read", Reach::Observe), spec("write", Reach::Stage)],
        tool_choice,
        target: None,
    }
}

fn spec(name: &'static str, reach: Reach) -> ToolSpec {
    ToolSpec {
        name,
        description: "Does it.",
        parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
        reach,
    }
}

/// A conversation with everything in it: two calls in one answer, a provider_state of the protocol
/// and one of another, notices, an answer in words.
pub(in crate::provider) fn conversation(
    origin: &str,
    provider_state: serde_json::Value,
) -> Vec<Message> {
    let text = |text: &str| text.to_owned();
    vec![
        Message::System {
            text: text("Be brief."),
        },
        Message::User {
            text: text("Look at a.rs"),
            images: Vec::new(),
        },
        Message::Assistant {
            text: text("Looking."),
            calls: vec![call("c1", r#"{"path":"a.rs"}"#), call("c:2", r#"{"path":"#)],
            kept: vec![
                state_of(origin, provider_state),
                state_of("other", json!({ "secret": 1 })),
            ],
        },
        result("c1", "1: fn main() {}"),
        result("c:2", "error: malformed"),
        Message::System {
            text: text("Edits are staged."),
        },
        Message::Assistant {
            text: text("Done."),
            calls: vec![],
            kept: vec![],
        },
        Message::User {
            text: text("Thanks"),
            images: Vec::new(),
        },
    ]
}

fn state_of(origin: &str, value: Value) -> ProviderState {
    ProviderState {
        origin: origin.to_owned(),
        after_text: 0,
        after_calls: 0,
        value,
    }
}

fn result(id: &str, content: &str) -> Message {
    Message::Tool {
        call: CallId(id.to_owned()),
        content: content.to_owned(),
        failed: false,
    }
}

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: CallId(id.to_owned()),
        name: "read".to_owned(),
        arguments: arguments.to_owned(),
    }
}
