//! What reading an answer off the wire costs: events, deltas, arguments.
//!
//! In: a recorded stream of one tool call, made larger and cut into pieces. Out: times;
//! what is done in a second stays the same between 1x, 2x and 4x where the work is linear.

#![expect(
    clippy::unwrap_used,
    reason = "a benchmark may stop at what it did not expect"
)]

use std::fmt;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use serde_json::{Value, json};
use signoff_llm::message::{Prompt, ToolChoice};
use signoff_llm::partial_json::ArgumentStream;
use signoff_llm::provider::openai::Decoder;
use signoff_llm::provider::sse::Frames;
use signoff_llm::provider::wire::Decode as _;
use signoff_llm::provider::{Delta, Protocol};

fn main() {
    divan::main();
}

/// How many deltas come: 1x, 2x, 4x.
const SIZES: [usize; 3] = [25_000, 50_000, 100_000];
const KB: usize = 1024;
const MB: usize = 1024 * KB;
/// Longer events than any here.
const LIMIT: usize = 64 * MB;

/// An answer and how it arrives.
#[derive(Clone, Copy)]
struct Wire {
    /// Bytes of arguments in all.
    arguments: usize,
    /// Bytes of arguments in each event.
    delta: usize,
    /// Bytes that arrive at once.
    piece: usize,
}

/// Up to 100,000 deltas of a token each, as models send them.
#[divan::bench(args = SIZES, sample_count = 10, sample_size = 1)]
fn small_deltas(bencher: Bencher<'_, '_>, count: usize) {
    read(
        bencher,
        Wire {
            arguments: 4 * count,
            delta: 4,
            piece: 4 * KB,
        },
    );
}

/// The stream in pieces as a network delivers them.
#[divan::bench(args = [
    Wire { arguments: 10 * MB, delta: KB, piece: KB },
    Wire { arguments: 20 * MB, delta: KB, piece: KB },
    Wire { arguments: 40 * MB, delta: KB, piece: KB },
    Wire { arguments: 10 * MB, delta: KB, piece: 64 * KB },
    Wire { arguments: 40 * MB, delta: KB, piece: 64 * KB },
], sample_count = 5, sample_size = 1)]
fn large_stream(bencher: Bencher<'_, '_>, wire: Wire) {
    read(bencher, wire);
}

/// The whole call in one event, as servers without streaming of calls send it.
#[divan::bench(args = [
    Wire { arguments: 2 * MB, delta: 2 * MB, piece: KB },
    Wire { arguments: 4 * MB, delta: 4 * MB, piece: KB },
    Wire { arguments: 8 * MB, delta: 8 * MB, piece: KB },
], sample_count = 5, sample_size = 1)]
fn one_event(bencher: Bencher<'_, '_>, wire: Wire) {
    read(bencher, wire);
}

/// Up to 100,000 small deltas of text under each protocol.
#[divan::bench(args = cases(), sample_count = 5, sample_size = 1)]
fn protocols(bencher: Bencher<'_, '_>, case: &(Protocol, usize)) {
    let (protocol, count) = *case;
    let event = match protocol {
        Protocol::Openai => json!({ "choices": [{ "delta": { "content": "abcd" } }] }),
        Protocol::Responses => json!({ "type": "response.output_text.delta", "delta": "abcd" }),
        Protocol::Anthropic => json!({ "type": "content_block_delta", "index": 0,
            "delta": { "type": "text_delta", "text": "abcd" } }),
        Protocol::Gemini => {
            json!({ "candidates": [{ "content": { "parts": [{ "text": "abcd" }] } }] })
        }
        Protocol::Ollama => json!({ "message": { "content": "abcd" }, "done": false }),
    };
    let data = event.to_string();
    bencher.counter(ItemsCount::new(count)).bench(|| {
        let mut decoder = protocol.decoder(&nothing(), "m");
        let deltas: usize = (0..count)
            .map(|_| decoder.push(black_box(&data)).len())
            .sum();
        assert_eq!(deltas, count);
    });
}

/// Up to 100,000 small deltas of a call's arguments under each protocol; where calls come whole,
/// one event with as much.
#[divan::bench(args = cases(), sample_count = 5, sample_size = 1)]
fn calls(bencher: Bencher<'_, '_>, case: &(Protocol, usize)) {
    let (protocol, count) = *case;
    let [begin, more] = call_events(protocol, count);
    let repeated = if more.is_empty() { 0 } else { count };
    bencher.counter(ItemsCount::new(count)).bench(|| {
        let mut decoder = protocol.decoder(&nothing(), "m");
        let mut bytes = 0;
        let events = std::iter::once(&begin).chain(std::iter::repeat_n(&more, repeated));
        for data in events {
            for delta in decoder.push(black_box(data)) {
                if let Delta::CallArguments { fragment, .. } = delta.unwrap() {
                    bytes += fragment.len();
                }
            }
        }
        assert!(bytes >= 4 * count);
    });
}

/// Returns the event that begins a call and the one that goes on with it.
fn call_events(protocol: Protocol, count: usize) -> [String; 2] {
    let whole = || json!({ "content": "abcd".repeat(count) });
    let events = match protocol {
        Protocol::Openai => [Some("c"), None].map(|id| {
            let function = json!({ "name": id.map(|_| "write"), "arguments": "abcd" });
            let call = json!({ "index": 0, "id": id, "function": function });
            json!({ "choices": [{ "delta": { "tool_calls": [call] } }] })
        }),
        Protocol::Responses => [
            json!({ "type": "response.output_item.added", "output_index": 0, "item": {
                "type": "function_call", "id": "f", "call_id": "c", "name": "write",
                "arguments": "" } }),
            json!({ "type": "response.function_call_arguments.delta", "output_index": 0,
                "item_id": "f", "delta": "abcd" }),
        ],
        Protocol::Anthropic => [
            json!({ "type": "content_block_start", "index": 0, "content_block": {
                "type": "tool_use", "id": "c", "name": "write", "input": {} } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": {
                "type": "input_json_delta", "partial_json": "abcd" } }),
        ],
        Protocol::Gemini => {
            let call = json!({ "functionCall": { "name": "write", "args": whole() } });
            [
                json!({ "candidates": [{ "content": { "parts": [call] } }] }),
                Value::Null,
            ]
        }
        Protocol::Ollama => {
            let call = json!({ "function": { "name": "write", "arguments": whole() } });
            [json!({ "message": { "tool_calls": [call] } }), Value::Null]
        }
    };
    events.map(|event| match event {
        Value::Null => String::new(),
        event => event.to_string(),
    })
}

fn cases() -> Vec<(Protocol, usize)> {
    let each = |protocol| SIZES.map(|count| (protocol, count));
    Protocol::ALL.into_iter().flat_map(each).collect()
}

fn nothing() -> Prompt {
    Prompt {
        messages: Vec::new(),
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
    }
}

/// The arguments alone, byte by byte.
#[divan::bench(args = [MB, 2 * MB, 4 * MB], sample_count = 5, sample_size = 1)]
fn arguments_in_single_bytes(bencher: Bencher<'_, '_>, size: usize) {
    let text = arguments(size);
    let pieces: Vec<&str> = text.split_inclusive(|_: char| true).collect();
    bencher.counter(BytesCount::new(text.len())).bench(|| {
        let mut stream = ArgumentStream::new();
        pieces
            .iter()
            .for_each(|piece| stream.push(black_box(piece)));
        assert!(stream.is_complete());
        stream.lines()
    });
}

fn read(bencher: Bencher<'_, '_>, wire: Wire) {
    let (bytes, events) = stream(wire);
    bencher
        .counter(BytesCount::new(bytes.len()))
        .counter(ItemsCount::new(events))
        .bench(|| lines_of(black_box(&bytes), wire.piece));
}

/// Reads an answer as the provider and the session do; returns how many lines of content came.
fn lines_of(bytes: &[u8], piece: usize) -> u64 {
    let mut frames = Frames::new(LIMIT);
    let mut decoder = Decoder::new(&nothing());
    let mut call = ArgumentStream::new();
    for piece in bytes.chunks(piece) {
        for frame in frames.push(piece) {
            for delta in decoder.push(&frame.unwrap().data) {
                if let Delta::CallArguments { fragment, .. } = delta.unwrap() {
                    call.push(&fragment);
                }
            }
        }
    }
    assert!(call.is_complete() && decoder.is_ended());
    call.lines()
}

/// Returns the bytes of an answer, and how many events they are.
fn stream(wire: Wire) -> (Vec<u8>, usize) {
    let text = arguments(wire.arguments);
    let begin =
        json!({"id": "call_1", "type": "function", "function": {"name": "write", "arguments": ""}});
    let mut events = vec![event(&begin, None)];
    let letters = text.as_bytes().chunks(wire.delta);
    events.extend(letters.map(|piece| {
        let piece = std::str::from_utf8(piece).unwrap();
        event(&json!({"function": {"arguments": piece}}), None)
    }));
    events.push(event(&Value::Null, Some("tool_calls")));
    events.push("data: [DONE]\n\n".to_owned());
    (events.concat().into_bytes(), events.len())
}

fn event(call: &Value, finish: Option<&str>) -> String {
    let delta = match call {
        Value::Object(call) => {
            let mut call = call.clone();
            call.insert("index".to_owned(), 0.into());
            json!({"tool_calls": [call]})
        }
        _ => json!({}),
    };
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    let chunk = json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "model",
        "choices": [choice],
    });
    format!("data: {chunk}\n\n")
}

/// Returns the arguments of a call with about `size` bytes of content.
fn arguments(size: usize) -> String {
    let line = "    let total = count * rate; // \"before tax\"\n";
    let content = line.repeat(size / line.len() + 1);
    json!({
        "path": "src/price.rs", "operation": "rewrite", "description": "Write it again",
        "content": content,
    })
    .to_string()
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |bytes: usize| match bytes {
            MB.. => format!("{} MB", bytes / MB),
            _ => format!("{} KB", bytes / KB),
        };
        write!(f, "{} in {}", size(self.arguments), size(self.piece))
    }
}
