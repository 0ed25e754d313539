//! The fault table, driven by a server on this machine that misbehaves on purpose.

use std::time::Duration;

use super::*;
use crate::loopback::{Loopback, Reply};
use crate::provider::Protocol;
use crate::provider::http::{Endpoint, Server};
use crate::provider::retry::Schedule;
use crate::session::TurnEnd;
use crate::tool::testing::Folder;
use serde_json::{Value, json};

const HELLO: &str = r#"{"choices":[{"delta":{"content":"Hello"}}]}"#;
const STOP: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
const EDIT: &str = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"e","function":{"name":"edit_section","arguments":"{\"path\":\"a.txt\",\"description\":\"Change it\",\"edits\":[{\"old_text\":\"one\",\"new_text\":\"two\"}]}"}}]}}]}"#;
const CALLS: &str = r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#;

/// What one conversation came to.
struct Story {
    /// What the user saw, a line each.
    seen: Vec<String>,
    end: TurnEnd,
    /// The bodies that were sent.
    bodies: Vec<Value>,
}

fn seen(event: &Event) -> Option<String> {
    match event {
        Event::Text { text } => Some(text.clone()),
        Event::Retrying {
            reason, attempt, ..
        } => Some(format!("{reason}; attempt {attempt}")),
        Event::Info { text } => Some(text.clone()),
        Event::Compacted { .. } => Some("compacted".to_owned()),
        Event::Stalled { seconds } => Some(format!("silent for {seconds} s")),
        Event::Staged(_) => Some("staged".to_owned()),
        Event::Fault(fault) => Some(format!(
            "{} / {}",
            fault.message,
            fault.hint.clone().unwrap_or_default()
        )),
        _ => None,
    }
}

async fn tell(replies: Vec<Reply>) -> Story {
    let server = Loopback::start(replies);
    let folder = Folder::new(&[("a.txt", "one\n")]);
    let endpoint = Endpoint::open(Protocol::Openai, server.url(), "m".to_owned());
    let at_once = Schedule {
        base: Duration::ZERO,
        cap: Duration::ZERO,
        ..Schedule::default()
    };
    let provider = Server::new(endpoint).unwrap().with_schedule(at_once);
    let driver = Driver::new(Arc::new(provider), Arc::clone(&folder.engine)).with_config(Config {
        pause: Duration::ZERO,
        ..Config::new(Registry::default())
    });
    let mut lines = Vec::new();
    let end = exec(driver, "change it".to_owned(), |event| {
        lines.extend(seen(&event))
    })
    .await;
    let bodies = server.requests().into_iter().map(|request| {
        let (_, body) = request.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap()
    });
    Story {
        seen: lines,
        end,
        bodies: bodies.collect(),
    }
}

fn whole() -> Reply {
    Reply::events(&[HELLO, STOP, "[DONE]"])
}

fn refusal(status: &str, message: &str) -> Reply {
    let body = json!({ "error": { "message": message } }).to_string();
    Reply::json(status, &body)
}

async fn check(replies: Vec<Reply>, expected: &[&str], end: TurnEnd) {
    let story = tell(replies).await;
    assert_eq!(story.seen.len(), expected.len(), "{:#?}", story.seen);
    for (seen, expected) in story.seen.iter().zip(expected) {
        assert!(seen.starts_with(expected), "{seen}\nis not\n{expected}");
    }
    assert_eq!(story.end, end);
}

#[tokio::test]
async fn what_passes_is_repeated_in_sight() {
    for (status, message) in [
        ("429 Too Many Requests", "slow down"),
        ("500 Internal Server Error", "oops"),
        ("529 Overloaded", "Overloaded"),
    ] {
        let reason = format!("the server answered {}: {message}; attempt 2", &status[..3]);
        let replies = vec![refusal(status, message), whole()];
        check(replies, &[&reason, "Hello"], TurnEnd::Done).await;
    }
}

#[tokio::test]
async fn a_model_that_loads_is_waited_for() {
    let mut replies = vec![refusal("503 Service Unavailable", "Loading model"); 9];
    replies.push(whole());
    let story = tell(replies).await;
    assert_eq!(story.seen.len(), 10, "{:?}", story.seen);
    assert_eq!(story.end, TurnEnd::Done);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_kept_and_gone_on_with() {
    let story = tell(vec![Reply::cut_after(&[HELLO]), whole()]).await;
    assert_eq!(story.seen.len(), 3, "{:?}", story.seen);
    assert!(story.seen[1].starts_with("the answer broke off: "));
    let messages = story.bodies[1]["messages"].as_array().unwrap();
    let said = messages.iter().find(|one| one["role"] == "assistant");
    assert_eq!(said.unwrap()["content"], "Hello", "no text is lost");
}

#[tokio::test]
async fn a_call_that_breaks_off_is_made_once() {
    let edit = Reply::events(&[EDIT, CALLS, "[DONE]"]);
    let story = tell(vec![Reply::cut_after(&[EDIT]), edit, whole()]).await;
    let staged = story.seen.iter().filter(|line| *line == "staged").count();
    assert_eq!(
        (staged, story.end),
        (1, TurnEnd::Review),
        "{:?}",
        story.seen
    );
    let calls = story.bodies[2]["messages"]
        .to_string()
        .matches("tool_calls")
        .count();
    assert_eq!(calls, 1);
}

#[tokio::test]
async fn an_answer_that_always_breaks_off_ends() {
    let replies = vec![Reply::cut_after(&[HELLO]); 3];
    let expected = [
        "Hello",
        "the answer broke off: ",
        "Hello",
        "the answer broke off: ",
        "Hello",
        "the answer broke off: ",
    ];
    check(replies, &expected, TurnEnd::Failed).await;
}

#[tokio::test]
async fn garbage_in_the_middle_is_gone_on_after_and_at_the_start_is_told() {
    let replies = vec![Reply::events(&[HELLO, "{\"choi"]), whole()];
    let garbled = "the server sent something that is not an answer: ";
    check(replies, &["Hello", garbled, "Hello"], TurnEnd::Done).await;
    let page = Reply::json("200 OK", "<!doctype html>");
    check(vec![page], &[garbled], TurnEnd::Failed).await;
}

#[tokio::test]
async fn a_request_that_is_too_long_is_made_shorter_and_sent_again() {
    let long = "This model's maximum context length is 4096 tokens. However, you sent 9001.";
    let replies = vec![long_read("r"), refusal("400 Bad Request", long), whole()];
    let story = tell(replies).await;
    let last = story.seen.last().map(String::as_str);
    assert_eq!(
        (last, story.end),
        (Some("Hello"), TurnEnd::Done),
        "{:?}",
        story.seen
    );
    assert!(story.seen.contains(&"compacted".to_owned()));
    let size = |at: usize| story.bodies[at]["messages"].to_string().len();
    assert!(size(2) < size(1), "{} {}", size(2), size(1));
    assert!(
        story.bodies[2]["messages"]
            .to_string()
            .contains("change it")
    );
}

fn long_read(id: &str) -> Reply {
    let call = json!({ "choices": [{ "delta": { "tool_calls": [{
            "index": 0, "id": id,
            "function": { "name": "read", "arguments": "{\"path\":\"a.txt\"}" },
        }] } }] });
    let said = json!({ "choices": [{ "delta": { "content": "x".repeat(9_000) } }] });
    Reply::events(&[&said.to_string(), &call.to_string(), CALLS, "[DONE]"])
}

#[tokio::test]
async fn what_cannot_be_made_shorter_is_told() {
    let long = "prompt is too long: 209000 tokens > 200000 maximum";
    check(
        vec![refusal("400 Bad Request", long)],
        &["the server answered 400: prompt is too long: 209000 tokens > 200000 maximum / the conversation is longer"],
        TurnEnd::Failed,
    )
    .await;
}

#[tokio::test]
async fn a_model_without_tools_is_given_them_in_words() {
    let story = tell(vec![
        refusal("400 Bad Request", "m does not support tools"),
        whole(),
    ])
    .await;
    assert_eq!(
        (story.seen.len(), story.end),
        (2, TurnEnd::Done),
        "{:?}",
        story.seen
    );
    assert!(story.bodies[0].get("tools").is_some() && story.bodies[1].get("tools").is_none());
    let told = story.bodies[1]["messages"].to_string();
    assert!(told.contains("edit_section"), "{told}");
}

#[tokio::test]
async fn what_will_not_pass_is_told_with_advice() {
    for (status, message, advice) in [
        (
            "404 Not Found",
            "model \"m\" not found",
            "check the model's name",
        ),
        ("401 Unauthorized", "no such key", "check the key"),
        (
            "402 Payment Required",
            "no credit",
            "the account has no credit left",
        ),
        (
            "422 Unprocessable Entity",
            "bad",
            "the server does not take this request",
        ),
    ] {
        let told = format!("the server answered {}: {message} / {advice}", &status[..3]);
        check(vec![refusal(status, message)], &[&told], TurnEnd::Failed).await;
    }
}

#[tokio::test]
async fn nobody_there_is_told() {
    check(Vec::new(), &["cannot reach "; 4], TurnEnd::Failed).await;
}

/// Holds the clock still while it lives, so that only the network gets on. The clock is paused,
/// and would else go on to the next timer whenever a task waits for bytes.
struct Still {
    _end: std::sync::mpsc::Sender<()>,
}

impl Still {
    fn new() -> Self {
        let (end, ended) = std::sync::mpsc::channel::<()>();
        tokio::task::spawn_blocking(move || ended.recv());
        Self { _end: end }
    }
}

/// What the user does on an event.
type Nudge = fn(&Event) -> Option<Command>;

/// Returns what is seen of a conversation, each line after the seconds that have gone by since
/// the one before; the clock runs while the server holds its first connection in silence, and
/// `nudge` may send a command.
async fn tell_in_time(replies: Vec<Reply>, nudge: Nudge) -> Vec<String> {
    let server = Loopback::start(replies);
    let folder = Folder::new(&[("a.txt", "one\n")]);
    let endpoint = Endpoint::open(Protocol::Openai, server.url(), "m".to_owned());
    let provider = Server::new(endpoint).unwrap();
    let config = Config {
        pause: Duration::ZERO,
        ..Config::new(Registry::default())
    };
    let driver = Driver::new(Arc::new(provider), Arc::clone(&folder.engine)).with_config(config);
    let (sender, commands) = mpsc::unbounded_channel();
    sender
        .send(Command::Submit("change it".to_owned()))
        .unwrap();
    let mut sender = Some(sender);
    let mut lines = Vec::new();
    let mut before = tokio::time::Instant::now();
    // The clock stands until all has been sent that is sent before the silence.
    let silent = tokio::task::spawn_blocking(move || server.wait_held());
    let mut still = None;
    driver
        .run(commands, |event| {
            if let Some(line) = seen(&event) {
                lines.push(format!("{} s: {line}", before.elapsed().as_secs()));
                before = tokio::time::Instant::now();
            }
            if matches!(
                event,
                Event::Retrying { .. } | Event::Info { .. } | Event::Fault(_)
            ) {
                still = Some(Still::new());
            }
            if let Some((command, sender)) = nudge(&event).zip(sender.as_ref()) {
                sender.send(command).unwrap();
            }
            if matches!(event, Event::TurnEnded { .. }) {
                (sender, still) = (None, None);
            }
        })
        .await;
    silent.await.unwrap();
    lines
}

fn unmoved(_: &Event) -> Option<Command> {
    None
}

fn asks_again(event: &Event) -> Option<Command> {
    matches!(event, Event::Stalled { .. }).then_some(Command::Retry)
}

#[track_caller]
fn same(lines: &[String], expected: &[&str]) {
    assert!(
        lines.len() == expected.len()
            && lines
                .iter()
                .zip(expected)
                .all(|(line, expected)| line.starts_with(expected)),
        "{lines:#?}\nis not\n{expected:#?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_named_and_then_left() {
    let lines = tell_in_time(vec![Reply::silent(), whole()], unmoved).await;
    same(
        &lines,
        &[
            "10 s: silent for 10 s",
            "590 s: the answer broke off: no answer began within 600 s",
            "0 s: Hello",
        ],
    );
    let lines = tell_in_time(vec![Reply::silent(), whole()], asks_again).await;
    same(
        &lines,
        &[
            "10 s: silent for 10 s",
            "0 s: you asked again; attempt 2",
            "0 s: Hello",
        ],
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stalls_behind_its_headers_is_named_and_then_left() {
    let stalled = Reply::cut_after(&[]).held();
    let lines = tell_in_time(vec![stalled, whole()], unmoved).await;
    assert!(lines[0].ends_with("silent for 10 s"), "{lines:#?}");
    assert!(
        lines[1].contains("the answer broke off: nothing came for 180 s"),
        "{lines:#?}"
    );
    same(&lines[2..], &["0 s: Hello"]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_stalls_keeps_its_text() {
    for (nudge, expected) in [
        (
            unmoved as Nudge,
            &[
                "10 s: silent for 10 s",
                "170 s: the answer broke off: nothing came for 180 s",
                "0 s: Hello",
            ][..],
        ),
        (
            asks_again,
            &[
                "10 s: silent for 10 s",
                "0 s: you asked again; attempt 2",
                "0 s: Hello",
            ],
        ),
    ] {
        let stalled = Reply::cut_after(&[HELLO]).held();
        let lines = tell_in_time(vec![stalled, whole()], nudge).await;
        assert!(lines[0].ends_with("s: Hello"), "{lines:#?}");
        same(&lines[1..], expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_stalls_is_made_once() {
    let edit = Reply::events(&[EDIT, CALLS, "[DONE]"]);
    let stalled = Reply::cut_after(&[EDIT]).held();
    let lines = tell_in_time(vec![stalled, edit, whole()], unmoved).await;
    assert!(lines[0].ends_with("silent for 10 s"), "{lines:#?}");
    same(
        &lines[1..],
        &[
            "170 s: the answer broke off: nothing came for 180 s",
            "0 s: staged",
            "0 s: Hello",
        ],
    );
}

#[tokio::test(start_paused = true)]
async fn a_socket_that_stays_open_after_the_end_holds_nothing_up() {
    for events in [&[HELLO, STOP, "[DONE]"][..], &[HELLO, STOP]] {
        let lines = tell_in_time(vec![Reply::cut_after(events).held()], unmoved).await;
        assert!(
            lines.len() == 1 && lines[0].ends_with("s: Hello"),
            "{lines:#?}"
        );
    }
}

/// Says nothing, ever.
struct Mute;

impl crate::provider::Provider for Mute {
    fn about(&self) -> crate::provider::About {
        crate::provider::About {
            provider: "mute".to_owned(),
            model: "m".to_owned(),
            endpoint: String::new(),
        }
    }

    fn stream(&self, _: crate::message::Prompt) -> crate::provider::DeltaStream {
        Box::pin(futures_util::stream::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn silence_is_named_after_ten_seconds_and_a_retry_asks_again() {
    let folder = Folder::new(&[]);
    let driver = Driver::new(Arc::new(Mute), Arc::clone(&folder.engine));
    let (sender, commands) = mpsc::unbounded_channel();
    sender.send(Command::Submit("hi".to_owned())).unwrap();
    let mut sender = Some(sender);
    let began = tokio::time::Instant::now();
    let mut stalls = Vec::new();
    let mut retries = 0;
    driver
        .run(commands, |event| match event {
            Event::Stalled { seconds } => {
                stalls.push((seconds, began.elapsed().as_secs()));
                match stalls.len() {
                    1 => sender.as_ref().unwrap().send(Command::Retry).unwrap(),
                    _ => sender = None,
                }
            }
            Event::Retrying { .. } => retries += 1,
            _ => {}
        })
        .await;
    assert_eq!((stalls, retries), (vec![(10, 10), (10, 20)], 1));
}
