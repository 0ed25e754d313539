//! Common parts of the protocols.
//!
//! In: nothing. Out: the end of an answer, ids of calls, the parts of an earlier answer, and
//! names and arguments that every server takes back.

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::{Delta, ProviderError};
use crate::message::{ProviderState, ToolCall};
use crate::tool_spec::ToolSpec;

mod ending;
mod ids;
mod stream;

pub(super) use ending::Ending;
pub(super) use ids::Ids;
pub(super) use stream::{Events, Reader};

/// What one piece of an answer decodes to.
pub type Decoded = Vec<Result<Delta, ProviderError>>;

/// Reads one answer of a protocol: pure, fed with what came and asked for nothing.
pub trait Decode: std::fmt::Debug + Send {
    /// Takes the data of one event. After an error or the end of the answer nothing comes.
    fn push(&mut self, data: &str) -> Decoded;

    /// Takes an error that the server sent under a name of its own.
    fn push_error(&mut self, data: &str) -> Decoded;

    /// Takes a whole body, from a server that does not stream.
    fn push_whole(&mut self, body: &str) -> Decoded;

    /// Ends the stream where the connection ended.
    fn finish(&mut self) -> Decoded;

    /// Tells whether the model has said that it is done; only usage may still come.
    fn is_closing(&self) -> bool;

    /// Tells whether nothing can come any more.
    fn is_ended(&self) -> bool;

    /// Returns another one in the same state.
    fn copy(&self) -> Box<dyn Decode>;
}

/// What a request asks beyond the prompt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Further fields of the body, as `temperature`; those that the protocol needs cannot be
    /// overridden.
    pub extra: Map<String, Value>,
    /// The most tokens that an answer may have, where it is known.
    pub max_output: Option<u64>,
    /// The most tokens that request and answer may have together, where it is known.
    pub context: Option<u64>,
    /// True if the model is known to think and to seal its thoughts.
    pub reasons: bool,
    /// True if the model is to take the likeliest words, where the user does not say how it chooses.
    pub likeliest: bool,
}

impl Options {
    /// Returns a body with the further fields in it.
    pub(super) fn finish(&self, mut body: Map<String, Value>) -> Value {
        for (key, value) in &self.extra {
            body.entry(key).or_insert_with(|| value.clone());
        }
        Value::Object(body)
    }
}

/// A part of an earlier answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part<'a> {
    Text(&'a str),
    Call(&'a ToolCall),
    Kept(&'a Value),
}

/// Returns the parts of an answer as near to the order in which they came as is known, with
/// only those provider_state that `origin` made.
pub(super) fn parts<'a>(
    text: &'a str,
    calls: &'a [ToolCall],
    kept: &'a [ProviderState],
    origin: &str,
) -> Vec<Part<'a>> {
    let mut out = Vec::new();
    let (mut told, mut called) = (0, 0);
    let states = kept.iter().filter(|state| state.origin == origin);
    let ends = states.map(|state| (state.after_text, state.after_calls, Some(state)));
    for (end, count, state) in ends.chain([(text.len(), calls.len(), None)]) {
        if let Some(piece) = text.get(told..end).filter(|piece| !piece.is_empty()) {
            out.push(Part::Text(piece));
            told = end;
        }
        let count = count.min(calls.len());
        let pieces = calls.get(called..count).unwrap_or_default();
        out.extend(pieces.iter().map(Part::Call));
        called = called.max(count);
        out.extend(state.map(|state| Part::Kept(&state.value)));
    }
    out
}

/// Returns a name as every server takes it. A model may have called what no tool can be named, and servers refuse a whole
/// conversation for one such name in it.
pub fn name(name: &str) -> String {
    const LONGEST: usize = 64;
    let name: String = name
        .chars()
        .take(LONGEST)
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
                c
            } else {
                '_'
            }
        })
        .collect();
    if name.is_empty() {
        "unnamed".to_owned()
    } else {
        name
    }
}

/// Servers that parse the arguments of earlier calls fail on malformed ones, for ever after.
pub(super) fn arguments(text: &str) -> String {
    let is_object =
        text.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok();
    if is_object {
        text.to_owned()
    } else if text.trim().is_empty() {
        "{}".to_owned()
    } else {
        json!({ "malformed_arguments": text }).to_string()
    }
}

/// Returns arguments as the object that they are, for protocols that do not send them as text.
pub(super) fn arguments_object(text: &str) -> Value {
    serde_json::from_str(&arguments(text)).unwrap_or_else(|_| json!({}))
}

/// Takes the text at `key` out, so that a long one is not copied.
pub(super) fn take_text(value: &mut Value, key: &str) -> String {
    match value.get_mut(key).map(Value::take) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// Returns a tool as a function of Chat Completions, and of `/api/chat`.
pub(super) fn function(spec: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.parameters,
        },
    })
}

/// Returns the call of such a function.
pub(super) fn function_call(call: &ToolCall, arguments: Value) -> Value {
    json!({
        "id": call.id.0,
        "type": "function",
        "function": { "name": name(&call.name), "arguments": arguments },
    })
}

/// Returns the count at a JSON pointer, 0 where there is none.
pub(super) fn count(value: &Value, pointer: &str) -> u64 {
    value
        .pointer(pointer)
        .and_then(Value::as_u64)
        .unwrap_or_default()
}

#[cfg(test)]
mod anything;
#[cfg(test)]
mod images;
#[cfg(test)]
pub(super) mod testing;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::message::{CallId, ToolChoice};
    use crate::provider::Protocol;
    use crate::provider::http::AnswerReader;

    /// Every protocol with a recorded stream, and a piece of arguments or text in it.
    const RECORDED: [(Protocol, &str); 5] = [
        (
            Protocol::Openai,
            include_str!("openai/decode/fixtures/llama_cpp_recorded.sse"),
        ),
        (
            Protocol::Responses,
            include_str!("responses/fixtures/reasoning_calls.sse"),
        ),
        (
            Protocol::Anthropic,
            include_str!("anthropic/fixtures/thinking_calls.sse"),
        ),
        (
            Protocol::Gemini,
            include_str!("gemini/fixtures/signed_calls.sse"),
        ),
        (
            Protocol::Ollama,
            include_str!("ollama/fixtures/thinking_calls.ndjson"),
        ),
    ];

    /// Reads a stream in pieces that end at these places.
    fn cut_at(protocol: Protocol, text: &str, cuts: &[usize]) -> String {
        let decoder = protocol.decoder(&testing::prompt(vec![], ToolChoice::Auto), "small");
        let mut answer = AnswerReader::new(decoder, protocol.framing());
        let (mut out, mut from) = (Vec::new(), 0);
        for cut in cuts.iter().copied().chain([text.len()]) {
            out.extend(answer.push(&text.as_bytes()[from..cut]));
            from = cut;
        }
        out.extend(answer.finish());
        testing::told(out)
    }

    #[test]
    fn names_are_kept_if_every_server_takes_them() {
        assert_eq!(name("edit_section"), "edit_section");
        assert_eq!(name("functions.read\u{1b}"), "functions_read_");
        assert_eq!(name(""), "unnamed");
        assert_eq!(name(&"x".repeat(1000)).len(), 64);
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_deltas(
            number in 0usize..RECORDED.len(),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
            end in any::<prop::sample::Index>(),
        ) {
            let (protocol, text) = RECORDED[number];
            // The stream may also break off anywhere.
            let end = text.floor_char_boundary(end.index(text.len() + 1));
            let text = &text[..end];
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            cuts.sort_unstable();
            prop_assert_eq!(cut_at(protocol, text, &cuts), cut_at(protocol, text, &[]));
        }
    }

    /// The beginning of a stream with a call, one more piece of its arguments, and the end.
    fn long(protocol: Protocol, piece: &str) -> [String; 3] {
        let events = |list: &[Value]| {
            list.iter()
                .map(|event| match protocol {
                    Protocol::Ollama => format!("{event}\n"),
                    _ => format!("data: {event}\n\n"),
                })
                .collect::<String>()
        };
        let (begin, more, end) = match protocol {
            Protocol::Openai => (
                vec![
                    json!({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x"}}]}}]}),
                ],
                json!({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":piece}}]}}]}),
                json!({"choices":[{"finish_reason":"tool_calls"}]}),
            ),
            Protocol::Responses => (
                vec![
                    json!({"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"i","call_id":"a","name":"x"}}),
                ],
                json!({"type":"response.function_call_arguments.delta","item_id":"i","delta":piece}),
                json!({"type":"response.completed","response":{"status":"completed","output":[]}}),
            ),
            Protocol::Anthropic => (
                vec![
                    json!({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"x"}}),
                ],
                json!({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":piece}}),
                json!({"type":"message_stop"}),
            ),
            // Calls come whole here: what may be long is the text.
            Protocol::Gemini => (
                vec![],
                json!({"candidates":[{"content":{"parts":[{"text":piece}]}}]}),
                json!({"candidates":[{"finishReason":"STOP"}]}),
            ),
            Protocol::Ollama => (
                vec![],
                json!({"message":{"content":piece}}),
                json!({"done":true}),
            ),
        };
        [events(&begin), events(&[more]), events(&[end])]
    }

    fn length(protocol: Protocol, piece: &str, count: usize) -> usize {
        let [begin, more, end] = long(protocol, piece);
        let decoder = protocol.decoder(&testing::prompt(vec![], ToolChoice::Auto), "small");
        let mut answer = AnswerReader::new(decoder, protocol.framing());
        let mut sum = 0;
        let mut take = |out: Decoded| {
            sum += out
                .into_iter()
                .map(|delta| match delta {
                    Ok(Delta::CallArguments { fragment, .. }) => fragment.len(),
                    Ok(Delta::Text { text }) => text.len(),
                    Ok(_) => 0,
                    Err(error) => panic!("{error}"),
                })
                .sum::<usize>();
        };
        take(answer.push(begin.as_bytes()));
        for _ in 0..count {
            take(answer.push(more.as_bytes()));
        }
        take(answer.push(end.as_bytes()));
        take(answer.finish());
        sum
    }

    #[test]
    fn a_lone_surrogate_spoils_one_piece_and_not_the_answer() {
        for protocol in Protocol::ALL {
            let [begin, spoilt, end] = long(protocol, "xHALFy");
            let [_, good, _] = long(protocol, "good");
            let stream = begin + &spoilt.replace("HALF", "\\ud83d") + &good + &end;
            let told = cut_at(protocol, &stream, &[]);
            assert!(
                told.contains("x\u{fffd}y") && told.contains("good"),
                "{protocol}: {told}"
            );
            assert!(!told.contains("error"), "{protocol}: {told}");
        }
    }

    #[test]
    fn many_pieces_and_large_ones() {
        for protocol in Protocol::ALL {
            assert_eq!(length(protocol, "abcd", 20_000), 80_000, "{protocol}");
            let piece = "x".repeat(64 << 10);
            assert_eq!(
                length(protocol, &piece, 160),
                160 * (64 << 10),
                "{protocol}"
            );
        }
    }

    fn told(text: &str, calls: &[&str], kept: &[(&str, usize, usize)]) -> String {
        let calls: Vec<ToolCall> = calls
            .iter()
            .map(|id| ToolCall {
                id: CallId((*id).to_owned()),
                name: "read".to_owned(),
                arguments: "{}".to_owned(),
            })
            .collect();
        let kept: Vec<ProviderState> = kept
            .iter()
            .enumerate()
            .map(
                |(number, (origin, after_text, after_calls))| ProviderState {
                    origin: (*origin).to_owned(),
                    after_text: *after_text,
                    after_calls: *after_calls,
                    value: number.into(),
                },
            )
            .collect();
        let parts = parts(text, &calls, &kept, "me");
        let words = parts.iter().map(|part| match part {
            Part::Text(text) => format!("{text:?}"),
            Part::Call(call) => call.id.to_string(),
            Part::Kept(value) => format!("[{value}]"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_parts_of_an_answer_come_in_their_order() {
        assert_eq!(told("ab", &["x", "y"], &[]), r#""ab" x y"#);
        assert_eq!(told("ab", &["x"], &[("me", 0, 0)]), r#"[0] "ab" x"#);
        assert_eq!(
            told(
                "ab",
                &["x", "y"],
                &[("me", 0, 0), ("me", 1, 0), ("me", 2, 1)]
            ),
            r#"[0] "a" [1] "b" x [2] y"#
        );
        assert_eq!(told("", &[], &[("me", 0, 0)]), "[0]");
        assert_eq!(told("ab", &["x"], &[("other", 0, 0)]), r#""ab" x"#);
        // Places that cannot be are no reason to lose anything.
        assert_eq!(told("é", &["x"], &[("me", 1, 9)]), r#"x [0] "é""#);
    }
}
