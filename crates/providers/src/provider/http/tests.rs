//! The provider against a server on this machine that misbehaves as told.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::Value;

use super::*;
use crate::message::{Message, ToolChoice};
use crate::provider::Delta;
use crate::provider::loopback::{Loopback, Reply};

const HELLO: &str = r#"{"choices":[{"delta":{"content":"Hel"}}]}"#;
const LO: &str = r#"{"choices":[{"delta":{"content":"lo"}}]}"#;
const STOP: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
const KEY: &str = "sk-test-0123456789";

fn prompt() -> Prompt {
    Prompt {
        messages: vec![Message::User {
            text: "hi".to_owned(),
            images: Vec::new(),
        }],
        tools: vec![],
        tool_choice: ToolChoice::Auto,
        target: None,
    }
}

fn endpoint(base_url: &str) -> Endpoint {
    Endpoint {
        base_url: base_url.to_owned(),
        model: "small".to_owned(),
        key: Some(KEY.into()),
        headers: vec![("X-Team".to_owned(), "secret-team".into())],
        ..Endpoint::open(Protocol::Openai, String::new(), String::new())
    }
}

fn provider(base_url: &str) -> Server {
    let at_once = Schedule {
        base: Duration::ZERO,
        cap: Duration::ZERO,
        ..Schedule::default()
    };
    Server::new(endpoint(base_url))
        .unwrap()
        .with_schedule(at_once)
}

/// What the provider says, one line a delta.
async fn ask(provider: &Server) -> Vec<String> {
    let answer = provider.stream(prompt()).map(|item| match item {
        Ok(Delta::Text { text }) => text,
        Ok(Delta::Retrying {
            attempt,
            reason,
            wait_ms,
        }) => {
            format!("retry {attempt} in {wait_ms}: {reason}")
        }
        Ok(Delta::Stop { reason }) => format!("{reason:?}"),
        Ok(delta) => format!("{delta:?}"),
        Err(error) => format!("error: {error}"),
    });
    let lines: Vec<String> = answer.collect().await;
    assert!(!lines.concat().contains(KEY) && !lines.concat().contains("secret-team"));
    lines
}

async fn check(replies: Vec<Reply>, expected: &[&str]) {
    let server = Loopback::start(replies);
    assert_eq!(ask(&provider(&server.url())).await, expected);
}

#[tokio::test]
async fn a_server_says_whether_its_model_takes_images() {
    for (protocol, replies, expected) in [
        (Protocol::Openai, vec![list_of("small")], Some(false)),
        (Protocol::Openai, vec![list_of("other")], None),
        (
            Protocol::Openai,
            vec![Reply::json("404 Not Found", "{}")],
            None,
        ),
        (
            Protocol::Ollama,
            vec![abilities(r#"["completion","vision"]"#)],
            Some(true),
        ),
        (
            Protocol::Ollama,
            vec![abilities(r#"["completion"]"#)],
            Some(false),
        ),
    ] {
        let loopback = Loopback::start(replies);
        let base_url = loopback.url().trim_end_matches("/v1").to_owned();
        let server = Server::new(Endpoint::open(protocol, base_url, "small".to_owned())).unwrap();
        assert_eq!(server.takes_images().await, expected, "{protocol}");
    }
}

fn abilities(abilities: &str) -> Reply {
    let body = format!(r#"{{"capabilities":{abilities},"model_info":{{}}}}"#);
    Reply::json("200 OK", &body)
}

fn list_of(model: &str) -> Reply {
    let models = r#"{"models":[{"model":"small","capabilities":["completion"]}],"#;
    Reply::json(
        "200 OK",
        &format!(r#"{models}"data":[{{"id":"{model}"}}]}}"#),
    )
}

#[tokio::test]
async fn a_streamed_answer() {
    let server = Loopback::start(vec![Reply::events(&[HELLO, LO, STOP, "[DONE]"])]);
    assert_eq!(ask(&provider(&server.url())).await, ["Hel", "lo", "Stop"]);
    let request = &server.requests()[0];
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
    assert!(head.contains(&format!("authorization: Bearer {KEY}")));
    assert!(head.contains("x-team: secret-team") && head.contains("user-agent: signoff/"));
    assert_eq!(
        serde_json::from_str::<Value>(body).unwrap()["model"],
        "small"
    );
}

#[tokio::test]
async fn an_answer_sent_whole() {
    let body = r#"{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}"#;
    check(vec![Reply::json("200 OK", body)], &["Hello", "Stop"]).await;
}

#[tokio::test]
async fn an_answer_that_breaks_off_keeps_what_came_and_is_not_repeated() {
    let server = Loopback::start(vec![Reply::cut_after(&[HELLO]), Reply::events(&[STOP])]);
    let lines = ask(&provider(&server.url())).await;
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0], "Hel");
    assert!(
        lines[1].starts_with("error: the answer broke off: "),
        "{}",
        lines[1]
    );
}

#[tokio::test]
async fn an_answer_that_ends_early_but_cleanly_is_cut() {
    let expected = "error: the answer broke off: the connection ended before the answer did";
    check(vec![Reply::events(&[HELLO])], &["Hel", expected]).await;
    check(vec![Reply::events(&[])], &[expected]).await;
}

#[tokio::test]
async fn malformed_json_in_the_middle_is_told() {
    let lines = ask(&provider(
        &Loopback::start(vec![Reply::events(&[HELLO, "{\"choi", LO])]).url(),
    ))
    .await;
    assert_eq!(lines.len(), 2);
    assert!(lines[1].starts_with("error: the server sent something that is not an answer: "));
}

#[tokio::test]
async fn a_web_page_is_no_answer() {
    check(
        vec![Reply::json("200 OK", "<!doctype html><title>Chat</title>")],
        &["error: the server sent something that is not an answer: a web page; is the address right?"],
    )
    .await;
}

#[tokio::test]
async fn a_socket_left_open_does_not_hold_the_answer() {
    let done = Reply::cut_after(&[HELLO, STOP, "[DONE]"]).held();
    let server = Loopback::start(vec![done]);
    assert_eq!(ask(&provider(&server.url())).await, ["Hel", "Stop"]);
    tokio::task::spawn_blocking(move || server.wait_closed())
        .await
        .unwrap();

    let silent = Reply::cut_after(&[HELLO, STOP]).held();
    let server = Loopback::start(vec![silent]);
    let timeouts = Timeouts {
        closing: Duration::ZERO,
        ..Timeouts::default()
    };
    let provider = provider(&server.url()).with_timeouts(timeouts);
    assert_eq!(ask(&provider).await, ["Hel", "Stop"]);
}

#[tokio::test]
async fn a_dropped_stream_closes_the_connection() {
    let server = Loopback::start(vec![Reply::cut_after(&[HELLO]).held()]);
    let mut stream = provider(&server.url()).stream(prompt());
    assert_eq!(
        stream.next().await,
        Some(Ok(Delta::Text {
            text: "Hel".to_owned()
        }))
    );
    drop(stream);
    tokio::task::spawn_blocking(move || server.wait_closed())
        .await
        .unwrap();
}

#[tokio::test]
async fn refusals_that_will_not_pass_come_at_once() {
    for (status, message) in [
        ("400 Bad Request", "too long"),
        ("401 Unauthorized", "wrong key"),
        ("403 Forbidden", "not yours"),
        ("404 Not Found", "no such model"),
    ] {
        let expected = format!("error: the server answered {}: {message}", &status[..3]);
        check(
            vec![Reply::json(status, &error_body(message))],
            &[&expected],
        )
        .await;
    }
    let echo = error_body(&format!("Incorrect API key provided: {KEY}"));
    let expected = "error: the server answered 401: Incorrect API key provided: [secret]";
    check(vec![Reply::json("401 Unauthorized", &echo)], &[expected]).await;
    let page = Reply::json("404 Not Found", "<html>");
    check(vec![page], &["error: the server answered 404: not found"]).await;
}

fn error_body(message: &str) -> String {
    format!(r#"{{"error":{{"message":"{message}","type":"t"}}}}"#)
}

#[tokio::test]
async fn a_key_that_a_server_repeats_is_taken_out_wherever_the_text_is_cut() {
    // The longest message is 400 characters: each of these is cut within the key, or beside it.
    for before in (400 - KEY.len() - 2)..=401 {
        let padding = "x".repeat(before);
        let text = format!("{padding} {KEY}");
        let in_stream = format!(r#"{{"error":{{"message":"{text}","code":401}}}}"#);
        for reply in [
            Reply::json("401 Unauthorized", &text),
            Reply::json("401 Unauthorized", &in_stream),
            Reply::json("200 OK", &format!("[{text}")),
            Reply::events(&[&in_stream]),
            Reply::events(&[&format!("{{{text}")]),
        ] {
            let told = ask(&provider(&Loopback::start(vec![reply]).url()))
                .await
                .concat();
            assert!(
                told.contains("xxx") && !told.contains("sk-"),
                "{before}: {told}"
            );
        }
    }
}

#[tokio::test]
async fn a_reason_to_stop_that_repeats_the_key_is_shown_without_it() {
    let stop = format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"bad {KEY}"}}]}}"#);
    let expected = "Other(\"bad [secret]\")";
    check(
        vec![Reply::events(&[HELLO, &stop, "[DONE]"])],
        &["Hel", expected],
    )
    .await;
}

#[tokio::test]
async fn the_password_of_the_address_is_in_no_error() {
    let server = Loopback::start(vec![
        Reply::with_headers(
            "307 Temporary Redirect",
            "location: http://me:hunter22@else.where/?api_key=K1\r\n",
            "",
        ),
        Reply::json(
            "401 Unauthorized",
            "Basic bWU6aHVudGVyMjI= for /v1?key=K1K1K1 is wrong",
        ),
    ]);
    let address = server.url().replace("http://", "http://me:hunter22@") + "?key=K1K1K1";
    let provider = Server::new(Endpoint {
        key: None,
        ..endpoint(&address)
    })
    .unwrap();
    let told = [ask(&provider).await, ask(&provider).await]
        .concat()
        .join("\n");
    assert_eq!(
        told,
        "error: the server answered 307: temporary redirect: it points to \
         http://[secret]@else.where/?api_key=[secret]\n\
         error: the server answered 401: Basic bWU6[secret]I= for /v1?key=[secret] is wrong"
    );
    let head = server.requests().concat().to_lowercase();
    assert!(head.contains("authorization: basic"), "{head}");
    let nobody = Loopback::nobody().replace("http://", "http://me:hunter22@");
    let told = ask(&self::provider(&nobody)).await.concat();
    assert!(
        told.contains("cannot reach http://127.0.0.1:") && !told.contains("hunter22"),
        "{told}"
    );
}

#[tokio::test]
async fn a_redirect_is_told_and_not_followed() {
    let moved = Reply::with_headers(
        "307 Temporary Redirect",
        "location: http://else.where/\r\n",
        "",
    );
    let expected =
        "error: the server answered 307: temporary redirect: it points to http://else.where/";
    check(vec![moved], &[expected]).await;
}

#[tokio::test]
async fn refusals_that_pass_are_repeated_in_sight() {
    let busy = Reply::with_headers(
        "429 Too Many Requests",
        "retry-after: 0\r\n",
        r#"{"error":"slow"}"#,
    );
    let loading = Reply::json(
        "503 Service Unavailable",
        r#"{"error":{"message":"Loading model"}}"#,
    );
    let broken = Reply::json("500 Internal Server Error", "");
    check(
        vec![
            busy,
            loading,
            broken,
            Reply::events(&[HELLO, STOP, "[DONE]"]),
        ],
        &[
            "retry 2 in 0: the server answered 429: slow",
            "retry 3 in 0: the server answered 503: Loading model",
            "retry 4 in 0: the server answered 500: internal server error",
            "Hel",
            "Stop",
        ],
    )
    .await;
}

#[tokio::test]
async fn an_error_inside_the_stream_is_repeated_only_before_the_first_delta() {
    let overloaded = r#"{"error":{"message":"overloaded","code":503}}"#;
    check(
        vec![
            Reply::events(&[overloaded]),
            Reply::events(&[HELLO, overloaded]),
        ],
        &[
            "retry 2 in 0: the server answered 503: overloaded",
            "Hel",
            "error: the server answered 503: overloaded",
        ],
    )
    .await;
}

#[tokio::test]
async fn attempts_end() {
    let broken = Reply::json("500 Internal Server Error", r#"{"error":"no"}"#);
    let lines = ask(&provider(&Loopback::start(vec![broken; 5]).url())).await;
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[3], "error: the server answered 500: no");
}

#[tokio::test]
async fn a_long_wait_is_left_to_the_user() {
    let server = Loopback::start(vec![Reply::with_headers(
        "429 Too Many Requests",
        "retry-after: 3600\r\n",
        r#"{"error":"tomorrow"}"#,
    )]);
    let items: Vec<_> = provider(&server.url()).stream(prompt()).collect().await;
    let error = ProviderError::Status {
        code: 429,
        message: "tomorrow".to_owned(),
        retry_after: Some(Duration::from_secs(3600)),
    };
    assert_eq!(items, [Err(error)]);
}

#[tokio::test]
async fn nobody_there() {
    let lines = ask(&provider(&Loopback::nobody())).await;
    assert_eq!(lines.len(), 4);
    assert!(
        lines[0].starts_with("retry 2 in 0: cannot reach http://127.0.0.1:"),
        "{}",
        lines[0]
    );
    assert!(
        lines[3].starts_with("error: cannot reach http://127.0.0.1:"),
        "{}",
        lines[3]
    );
    assert!(lines[3].contains("refused"), "{}", lines[3]);
}

#[tokio::test]
async fn silence_ends() {
    let server = Loopback::start(vec![Reply::silent()]);
    let timeouts = Timeouts {
        first: Duration::ZERO,
        ..Timeouts::default()
    };
    let lines = ask(&provider(&server.url()).with_timeouts(timeouts)).await;
    assert_eq!(
        lines,
        ["error: the answer broke off: no answer began within 0 s"]
    );

    let server = Loopback::start(vec![Reply::cut_after(&[HELLO]).held()]);
    let timeouts = Timeouts {
        idle: Duration::ZERO,
        ..Timeouts::default()
    };
    let lines = ask(&provider(&server.url()).with_timeouts(timeouts)).await;
    assert_eq!(
        lines.last().unwrap(),
        "error: the answer broke off: nothing came for 0 s"
    );
}

#[tokio::test]
async fn models_are_listed() {
    let server = Loopback::start(vec![
        Reply::json("200 OK", r#"{"data":[{"id":"a"},{"id":"b"}]}"#),
        Reply::json("401 Unauthorized", r#"{"error":"no"}"#),
        Reply::json("200 OK", "{}"),
    ]);
    let provider = provider(&server.url());
    let models = provider.models().await.unwrap();
    let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(
        provider.models().await.unwrap_err().to_string(),
        "the server answered 401: no"
    );
    assert!(matches!(
        provider.models().await,
        Err(ProviderError::Malformed { .. })
    ));
}

#[test]
fn keys_are_in_no_debug_text() {
    let endpoint = endpoint("http://me:hidden@localhost:1/v1");
    let provider = Server::new(endpoint.clone()).unwrap();
    let text = format!(
        "{provider:?} {:?} {:?} {:?}",
        provider.about(),
        endpoint.key,
        endpoint.headers
    );
    assert!(!text.contains(KEY) && !text.contains("secret-team") && !text.contains("hidden"));
    assert_eq!(provider.about().endpoint, "http://localhost:1/v1");
}

#[test]
fn what_cannot_be_sent_is_refused_early() {
    let url = refusal(endpoint("http://me:hidden@a b"));
    assert!(
        url.contains("is no address") && !url.contains("hidden"),
        "{url}"
    );
    let key = Endpoint {
        key: Some("two\nlines".into()),
        ..endpoint("http://a")
    };
    assert!(refusal(key).starts_with("the key holds characters"));
    let header = Endpoint {
        headers: vec![("a b".into(), "x".into())],
        ..endpoint("http://a")
    };
    assert_eq!(
        refusal(header),
        "the header \"a b\" holds characters that cannot be sent"
    );
    let blank = Endpoint {
        key: Some(" ".into()),
        ..endpoint("http://a")
    };
    assert!(Server::new(blank).is_ok());
}

fn refusal(endpoint: Endpoint) -> String {
    Server::new(endpoint).unwrap_err().to_string()
}
