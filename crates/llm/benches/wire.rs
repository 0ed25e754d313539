//! What reading an answer off the wire costs: events, deltas, arguments.
//!
//! In: a recorded stream of one tool call, made larger and cut into pieces. Out: times;
//! what is done in a second stays the same between 1x, 2x and 4x where the work is linear.

#![expect(
    clippy::unwrap_used,
    reason = "a benchmark may stop at what it did not expect"
)]

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use futures_util::StreamExt;
use serde_json::{Value, json};
use signoff_llm::message::{Message, Prompt, ToolChoice};
use signoff_llm::partial_json::ArgumentStream;
use signoff_llm::provider::catalogue::{Catalogue, Model};
use signoff_llm::provider::http::{Endpoint, Server};
use signoff_llm::provider::openai::Decoder;
use signoff_llm::provider::sse::Frames;
use signoff_llm::provider::wire::Decode as _;
use signoff_llm::provider::{Delta, Protocol, Provider as _};
use signoff_llm::tool::{Reach, ToolSpec};

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
    let event = text_event(protocol, "abcd");
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
    let whole = matches!(protocol, Protocol::Gemini | Protocol::Ollama);
    let arguments = json!({ "content": "abcd".repeat(count) });
    let [begin, more] = call_event(protocol, &arguments, whole).map(|event| event.to_string());
    let repeated = if whole { 0 } else { count };
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

/// Returns the event of a piece of text.
fn text_event(protocol: Protocol, text: &str) -> Value {
    match protocol {
        Protocol::Openai => json!({ "choices": [{ "delta": { "content": text } }] }),
        Protocol::Responses => json!({ "type": "response.output_text.delta", "delta": text }),
        Protocol::Anthropic => json!({ "type": "content_block_delta", "index": 0,
            "delta": { "type": "text_delta", "text": text } }),
        Protocol::Gemini => {
            json!({ "candidates": [{ "content": { "parts": [{ "text": text }] } }] })
        }
        Protocol::Ollama => json!({ "message": { "content": text }, "done": false }),
    }
}

/// Returns the event that ends an answer.
fn end_event(protocol: Protocol) -> Value {
    match protocol {
        Protocol::Openai => json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }),
        Protocol::Responses => {
            json!({ "type": "response.completed", "response": { "status": "completed" } })
        }
        Protocol::Anthropic => json!({ "type": "message_stop" }),
        Protocol::Gemini => json!({ "candidates": [{ "finishReason": "STOP" }] }),
        Protocol::Ollama => json!({ "done": true, "done_reason": "stop" }),
    }
}

/// Returns the events that begin a call of `write` and go on with it: with these arguments in
/// the first if it is whole, else with four letters in each.
fn call_event(protocol: Protocol, arguments: &Value, whole: bool) -> [Value; 2] {
    let text = if whole {
        arguments.to_string()
    } else {
        "abcd".to_owned()
    };
    match protocol {
        Protocol::Openai => [Some("c"), None].map(|id| {
            let function = json!({ "name": id.map(|_| "write"), "arguments": text });
            let call = json!({ "index": 0, "id": id, "function": function });
            json!({ "choices": [{ "delta": { "tool_calls": [call] } }] })
        }),
        Protocol::Responses => [
            json!({ "type": "response.output_item.added", "output_index": 0, "item": {
                "type": "function_call", "id": "f", "call_id": "c", "name": "write",
                "arguments": text } }),
            json!({ "type": "response.function_call_arguments.delta", "output_index": 0,
                "item_id": "f", "delta": text }),
        ],
        Protocol::Anthropic => {
            let input = if whole { arguments.clone() } else { json!({}) };
            [
                json!({ "type": "content_block_start", "index": 0, "content_block": {
                    "type": "tool_use", "id": "c", "name": "write", "input": input } }),
                json!({ "type": "content_block_delta", "index": 0, "delta": {
                    "type": "input_json_delta", "partial_json": text } }),
            ]
        }
        Protocol::Gemini => {
            let call = json!({ "functionCall": { "name": "write", "args": arguments } });
            [
                json!({ "candidates": [{ "content": { "parts": [call] } }] }),
                Value::Null,
            ]
        }
        Protocol::Ollama => {
            let call = json!({ "function": { "name": "write", "arguments": arguments } });
            [json!({ "message": { "tool_calls": [call] } }), Value::Null]
        }
    }
}

fn cases() -> Vec<(Protocol, usize)> {
    Protocol::ALL
        .into_iter()
        .flat_map(|protocol| SIZES.map(|count| (protocol, count)))
        .collect()
}

fn nothing() -> Prompt {
    Prompt {
        messages: Vec::new(),
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        target: None,
    }
}

/// Whole answers from a server on this machine, as the driver reads them: 100,000 deltas and half
/// of them, one of 10 MB and one of half, of text and of a call, under each protocol and in words.
#[divan::bench(args = answers(), sample_count = 3, sample_size = 1)]
fn off_the_wire(bencher: Bencher<'_, '_>, case: &Answer) {
    let body = case.body();
    let (count, bytes) = (case.deltas, body.len());
    let address = serve(body);
    let endpoint = Endpoint::open(case.protocol, format!("http://{address}"), "m".to_owned());
    let model = Model {
        name: "m".to_owned(),
        tools: Some(!case.in_words),
        ..Model::default()
    };
    let known = Catalogue::default().with(vec![model]);
    let server = Server::new(endpoint).unwrap().with_catalogue(known);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let counters = bencher
        .counter(BytesCount::new(bytes))
        .counter(ItemsCount::new(count));
    counters.bench(|| {
        let mut arguments = ArgumentStream::new();
        let mut length = 0;
        runtime.block_on(server.stream(asked()).for_each(|delta| {
            match delta.unwrap() {
                Delta::Text { text } => length += text.len(),
                Delta::CallArguments { fragment, .. } => {
                    length += fragment.len();
                    arguments.push(&fragment);
                }
                _ => {}
            }
            std::future::ready(())
        }));
        assert!(length >= case.deltas * case.delta, "{length}");
    });
}

/// An answer: its protocol, and what is in it.
#[derive(Clone, Copy, Debug)]
struct Answer {
    protocol: Protocol,
    /// True if tools are put into words: then a call is text.
    in_words: bool,
    call: bool,
    deltas: usize,
    /// Bytes of each delta.
    delta: usize,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = if self.in_words {
            "in words"
        } else {
            self.protocol.word()
        };
        let part = if self.call { "call" } else { "text" };
        write!(
            f,
            "{protocol}, {part}, {} of {} bytes",
            self.deltas, self.delta
        )
    }
}

fn answers() -> Vec<Answer> {
    let protocols = Protocol::ALL.map(|protocol| (protocol, false));
    let protocols = protocols.into_iter().chain([(Protocol::Openai, true)]);
    let shapes = [(50_000, 4), (100_000, 4), (1, 5_000_000), (1, 10_000_000)];
    let all = protocols.flat_map(|(protocol, in_words)| {
        [false, true].into_iter().flat_map(move |call| {
            shapes.map(|(deltas, delta)| Answer {
                protocol,
                in_words,
                call,
                deltas,
                delta,
            })
        })
    });
    // Where calls come whole, there are no small deltas of them.
    all.filter(|answer| {
        !answer.call
            || answer.deltas == 1
            || !matches!(answer.protocol, Protocol::Gemini | Protocol::Ollama)
    })
    .collect()
}

impl Answer {
    fn body(self) -> Vec<u8> {
        let mut events: Vec<String> = Vec::new();
        let piece = "a".repeat(self.delta);
        let (native, spoken) = (self.call && !self.in_words, self.call && self.in_words);
        if spoken {
            let begin =
                "```json\n{\"name\":\"write\",\"arguments\":{\"path\":\"a.rs\",\"content\":\"";
            events.push(text_event(self.protocol, begin).to_string());
        }
        let (arguments, text) = (
            json!({ "content": piece }),
            text_event(self.protocol, &piece),
        );
        let [begin, more] = call_event(self.protocol, &arguments, self.deltas == 1);
        events.extend(native.then(|| begin.to_string()));
        let repeated = if native { more } else { text };
        let times = if native && self.deltas == 1 {
            0
        } else {
            self.deltas
        };
        events.extend(std::iter::repeat_n(repeated.to_string(), times));
        if spoken {
            events.push(text_event(self.protocol, "\"}}\n```\n").to_string());
        }
        events.push(end_event(self.protocol).to_string());
        let framed = events.into_iter().map(|event| match self.protocol {
            Protocol::Ollama => format!("{event}\n"),
            _ => format!("data: {event}\n\n"),
        });
        framed.collect::<String>().into_bytes()
    }
}

/// Serves one answer again and again, and returns where.
fn serve(body: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        while let Ok((socket, _)) = listener.accept() {
            let mut reader = BufReader::new(socket.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                let value = line.to_lowercase();
                if let Some(value) = value.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            reader.read_exact(&mut vec![0; length]).unwrap();
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
            let mut socket = socket;
            // The client may be done before all is sent.
            let _sent = socket
                .write_all(head.as_bytes())
                .and_then(|()| socket.write_all(&body));
        }
    });
    address
}

fn asked() -> Prompt {
    let text = "write a.rs".to_owned();
    Prompt {
        messages: vec![Message::User {
            text,
            images: Vec::new(),
        }],
        tools: vec![ToolSpec {
            name: "write",
            description: "Writes.",
            parameters: json!({ "type": "object" }),
            reach: Reach::Stage,
        }],
        tool_choice: ToolChoice::Auto,
        target: None,
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
        write!(f, "{} in {}", size(self.arguments), size(self.piece))
    }
}

fn size(bytes: usize) -> String {
    match bytes {
        MB.. => format!("{} MB", bytes / MB),
        _ => format!("{} KB", bytes / KB),
    }
}
