//! Every way in which a server fails, and what the user of the binary is told of it.
//!
//! In: a server that misbehaves on purpose. Out: one line a trouble, all text that came, no call
//! made twice, and an end.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use serde_json::json;

use crate::screen::Screen;
use crate::server::{Asked, Server};
use crate::world::{Ended, World};

const TEXT: &str = "one\ntwo\n";
/// Repetitions follow at once.
const AT_ONCE: &str = "[wait]\npause = 0.001\n";
/// Limits that a server which says nothing runs into. One that answers is far from them.
const SHORT: &str = "[wait]\npause = 0.001\nbegin = 2\nnext = 2\n";

/// What the server does with one request.
type Act = fn(Asked);

/// Asks for a change of a server that does these, one a request, and returns what came of it.
fn ask(config: &str, acts: &[Act]) -> (World, Ended) {
    let world = World::new(&[("notes.md", TEXT)]);
    world.configure(config);
    let server = Server::start();
    let url = server.url();
    let running = world.start(&["exec", "--url", &url, "--model", "m", "change it"]);
    for act in acts {
        act(server.next());
    }
    let ended = running.end();
    assert!(!server.was_asked(), "it was asked once more: {ended:#?}");
    assert_eq!(world.text("notes.md"), TEXT);
    (world, ended)
}

/// Checks what the user reads: the model's text, and a line for each trouble.
#[track_caller]
fn check(config: &str, acts: &[Act], code: i32, text: &str, lines: &[&str]) {
    let (_, ended) = ask(config, acts);
    same(&ended, code, text, lines);
}

#[track_caller]
fn same(ended: &Ended, code: i32, text: &str, lines: &[&str]) {
    assert_eq!(ended.code, Some(code), "{ended:#?}");
    assert_eq!(ended.stdout.trim_end(), text, "{ended:#?}");
    let told: Vec<&str> = ended.stderr.lines().collect();
    assert_eq!(told.len(), lines.len(), "{ended:#?}");
    for (told, line) in told.iter().zip(lines) {
        assert!(told.contains(line), "{told}\nsays nothing of\n{line}");
    }
}

fn hello(asked: Asked) {
    asked.say("Hello");
}

fn refuse(asked: Asked, status: &str, message: &str) {
    let body = json!({ "error": { "message": message } }).to_string();
    asked.refuse(status, "", &body);
}

fn edit(asked: Asked) {
    asked.call(
        "c1",
        "edit_section",
        &json!({
            "path": "notes.md", "operation": "modify", "description": "say three",
            "edits": [{ "old_text": "two", "new_text": "three" }],
        }),
    );
}

#[test]
fn what_passes_is_named_with_attempt_and_pause_and_asked_again() {
    check(
        AT_ONCE,
        &[
            |asked| refuse(asked, "429 Too Many Requests", "slow down"),
            |asked| refuse(asked, "500 Internal Server Error", "oops"),
            |asked| refuse(asked, "529 Overloaded", "Overloaded"),
            hello,
        ],
        0,
        "Hello",
        &[
            "the server answered 429: slow down; attempt 2 in 1 s",
            "the server answered 500: oops; attempt 3 in 1 s",
            "the server answered 529: Overloaded; attempt 4 in 1 s",
        ],
    );
    let loading: Act = |asked| refuse(asked, "503 Service Unavailable", "Loading model");
    let line = "the server answered 503: Loading model; attempt";
    let acts = [[loading; 6].as_slice(), &[hello]].concat();
    check(AT_ONCE, &acts, 0, "Hello", &[line; 6]);
}

/// Nobody wants to sit before a terminal for two minutes without a word.
#[test]
fn a_pause_that_is_too_long_is_told_instead() {
    check(
        AT_ONCE,
        &[|asked| {
            let body = r#"{"error":{"message":"slow down"}}"#;
            asked.refuse("429 Too Many Requests", "retry-after: 120\r\n", body);
        }],
        1,
        "",
        &["the server answered 429: slow down; the server asks to wait 2 minutes"],
    );
}

#[test]
fn what_does_not_pass_is_named_once_with_advice() {
    for (act, line) in [
        (
            (|asked| refuse(asked, "404 Not Found", "model 'm' not found")) as Act,
            "the server answered 404: model 'm' not found; check the model's name",
        ),
        (
            |asked| refuse(asked, "401 Unauthorized", "no such key"),
            "the server answered 401: no such key; check the key",
        ),
        (
            |asked| refuse(asked, "402 Payment Required", "no credit"),
            "the server answered 402: no credit; the account has no credit left",
        ),
        (
            |asked| refuse(asked, "400 Bad Request", "temperature?"),
            "the server answered 400: temperature?; the server does not take this request",
        ),
        (
            |asked| {
                refuse(
                    asked,
                    "400 Bad Request",
                    "prompt is too long: 9 tokens > 8 maximum",
                )
            },
            "prompt is too long: 9 tokens > 8 maximum; the conversation is longer than",
        ),
        (
            |asked| asked.refuse("200 OK", "", "<html>It works!</html>"),
            "the server sent something that is not an answer: ",
        ),
    ] {
        check(AT_ONCE, &[act], 1, "", &[line]);
    }
}

/// llama.cpp refuses so on every endpoint, whatever its protocol's errors look like.
#[test]
fn a_context_that_is_too_small_is_known_in_another_protocols_shape() {
    for protocol in ["anthropic", "responses", "gemini", "ollama"] {
        let world = World::new(&[]);
        let server = Server::start();
        let url = server.url().replace("/v1", "");
        let running = world.start(&[
            "exec",
            "--url",
            &url,
            "--model",
            "m",
            "--protocol",
            protocol,
            "hello",
        ]);
        let body = json!({ "error": {
            "code": 400, "type": "exceed_context_size_error",
            "message": "request (9001 tokens) exceeds the available context size (8192 tokens)",
        } });
        server
            .next()
            .refuse("400 Bad Request", "", &body.to_string());
        let line = "the conversation is longer than the model reads";
        same(&running.end(), 1, "", &[line]);
    }
}

#[test]
fn a_conversation_that_is_too_long_is_made_shorter_and_sent_again() {
    let (_, ended) = ask(
        AT_ONCE,
        &[
            |asked| {
                let mut answer = asked.stream();
                answer.text(&format!("{}\n", "word ".repeat(2_000)));
                answer.call(0, "r", "read");
                answer.arguments(0, r#"{"path":"notes.md"}"#);
                answer.end("tool_calls");
            },
            |asked| {
                let long = "This model's maximum context length is 2048 tokens. You sent 9001.";
                refuse(asked, "400 Bad Request", long);
            },
            |asked| {
                let body = asked.body["messages"].to_string();
                assert!(body.len() < 9_000 && body.contains("change it"), "{body}");
                hello(asked);
            },
        ],
    );
    let ended = ended.done().says("Hello");
    assert_eq!(own_words(&ended.stderr).len(), 2, "{ended:#?}");
    ended
        .says("was compacted from")
        .says("asking again with less");
}

#[test]
fn tools_that_are_refused_are_put_into_words() {
    check(
        AT_ONCE,
        &[
            |asked| refuse(asked, "400 Bad Request", "m does not support tools"),
            |asked| {
                assert!(asked.body.get("tools").is_none());
                hello(asked);
            },
        ],
        0,
        "Hello",
        &["m does not support tools"],
    );
}

#[test]
fn an_answer_that_breaks_off_keeps_its_text_and_makes_its_call_once() {
    let (world, ended) = ask(
        AT_ONCE,
        &[
            |asked| {
                let mut answer = asked.stream();
                answer.text("I begin.\n");
                answer.call(0, "c1", "edit_section");
                answer.arguments(0, r#"{"path":"notes.md","operation":"modify","desc"#);
                answer.cut();
            },
            edit,
            hello,
        ],
    );
    let ended = ended.done().says("I begin.").says("Hello");
    assert_eq!(own_words(&ended.stderr).len(), 1, "{ended:#?}");
    ended.says("the answer broke off");
    assert_eq!(world.review().len(), 1);
}

#[test]
fn nonsense_in_the_middle_is_named_and_gone_on_after() {
    for nonsense in ["{\"choices\": [", "7", "\u{1b}[2J"] {
        let world = World::new(&[]);
        world.configure(AT_ONCE);
        let server = Server::start();
        let url = server.url();
        let running = world.start(&["exec", "--url", &url, "--model", "m", "hi"]);
        let mut answer = server.next().stream();
        answer.text("So far.\n");
        answer.data(nonsense);
        server.next().say("And on.");
        let line = "the server sent something that is not an answer";
        same(&running.end(), 0, "So far.\nAnd on.", &[line]);
    }
}

#[test]
fn a_server_that_never_begins_is_left_after_its_time() {
    let world = World::new(&[]);
    world.configure(SHORT);
    let server = Server::start();
    let url = server.url();
    let running = world.start(&["exec", "--url", &url, "--model", "m", "hi"]);
    let silent = server.next();
    server.next().say("Hello");
    let line = "the answer broke off: no answer began within 2 s";
    same(&running.end(), 0, "Hello", &[line]);
    drop(silent);
}

#[test]
fn a_stream_that_falls_silent_keeps_its_text() {
    let world = World::new(&[]);
    world.configure(SHORT);
    let server = Server::start();
    let url = server.url();
    let running = world.start(&["exec", "--url", &url, "--model", "m", "hi"]);
    let mut silent = server.next().stream();
    silent.text("So far.\n");
    let asked = server.next();
    assert_eq!(asked.said_by("assistant"), ["So far.\n"]);
    asked.say("And on.");
    let line = "the answer broke off: nothing came for 2 s";
    same(&running.end(), 0, "So far.\nAnd on.", &[line]);
    drop(silent);
}

/// The end of the answer counts, not that of the connection.
#[test]
fn a_socket_that_stays_open_after_the_end_holds_nothing_up() {
    let world = World::new(&[]);
    let server = Server::start();
    let url = server.url();
    let running = world.start(&["exec", "--url", &url, "--model", "m", "hi"]);
    let mut open = server.next().stream();
    open.text("Hello");
    open.data(r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#);
    open.data(r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}"#);
    open.data("[DONE]");
    same(&running.end(), 0, "Hello", &[]);
    open.wait_closed();
}

/// The whole call in its first piece, an id of no known shape, usage behind the end.
#[test]
fn a_call_in_one_piece_is_made_once() {
    let (world, ended) = ask(
        AT_ONCE,
        &[
            |asked| {
                let arguments = json!({
                    "path": "notes.md", "operation": "modify", "description": "say three",
                    "edits": [{ "old_text": "two", "new_text": "three" }],
                });
                let call = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [{
                    "index": 0, "id": "9f", "type": "function",
                    "function": { "name": "edit_section", "arguments": arguments.to_string() },
                }] } }] });
                let mut answer = asked.stream();
                answer.data(&call.to_string());
                answer.data(r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#);
                answer.data(r#"{"choices":[],"usage":{"prompt_tokens":9}}"#);
                answer.data("[DONE]");
                answer.close();
            },
            hello,
        ],
    );
    let ended = ended.done().says("Hello");
    let troubles = own_words(&ended.stderr).len();
    assert_eq!((troubles, world.review().len()), (0, 1), "{ended:#?}");
}

#[test]
fn nobody_there_is_told_with_every_attempt() {
    let world = World::new(&[]);
    world.configure(AT_ONCE);
    let url = Server::nowhere();
    let ended = world.run(&["exec", "--url", &url, "--model", "m", "hi"]);
    let lines = [
        "; attempt 2 in 1 s",
        "; attempt 3 in 1 s",
        "; attempt 4 in 1 s",
        "; is the server running, and is its address right?",
    ];
    same(&ended, 1, "", &lines);
}

/// A listener whose queue is full leaves whoever comes without an answer.
#[test]
#[cfg(target_os = "linux")]
fn a_connection_that_never_stands_is_told_after_its_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let _waiting = fill(address);
    let world = World::new(&[]);
    world.configure("[wait]\npause = 0.001\nconnect = 0.05\n");
    let url = format!("http://{address}/v1");
    let ended = world.run(&["exec", "--url", &url, "--model", "m", "hi"]);
    let line = "no connection within 0.05 s";
    same(&ended, 1, "", &[line; 4]);
    assert!(
        ended.stderr.ends_with("tells what is reachable\n"),
        "{ended:#?}"
    );
}

/// Returns connections that fill the queue of a listener.
#[cfg(target_os = "linux")]
fn fill(address: SocketAddr) -> Vec<TcpStream> {
    let connect = || TcpStream::connect_timeout(&address, Duration::from_millis(100));
    let waiting = std::iter::from_fn(|| connect().ok()).take(5_000);
    waiting.collect()
}

#[test]
fn a_silence_is_named_on_the_screen_and_one_key_asks_again() {
    let world = World::new(&[]);
    world.configure("[wait]\nsilence = 0.2\n");
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "hi"]);
    let mut silent = server.next().stream();
    silent.text("So far.\n\n");
    screen.shows("So far.");
    screen.shows("Ctrl-Y asks again, Esc stops");
    screen.press("\x19");
    screen.shows("you asked again");
    silent.wait_closed();
    server.next().say("And on.");
    screen.shows("And on.");
    assert!(
        screen.contents().contains("So far."),
        "{}",
        screen.contents()
    );
}

#[test]
fn what_passes_is_named_on_the_screen_while_it_is_waited_for() {
    for (status, said) in [("429 Too Many Requests", "429"), ("500 Oops", "500")] {
        let world = World::new(&[]);
        let server = Server::start();
        let url = server.url();
        let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "hi"]);
        let body = r#"{"error":{"message":"not now"}}"#;
        server.next().refuse(status, "retry-after: 20\r\n", body);
        // It is named although the pause is far from over.
        screen.shows(&format!(
            "the server answered {said}: not now; attempt 2 in 20 s"
        ));
        screen.press("\x1b");
        screen.shows("Stopped.");
    }
}

/// Returns what signoff says of itself among the lines that tell how the work goes.
fn own_words(lines: &str) -> Vec<&str> {
    lines
        .lines()
        .filter(|line| line.starts_with("signoff:"))
        .collect()
}
