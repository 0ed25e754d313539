//! What real servers do, under every protocol that they do it under.

use std::time::Duration;

use futures_util::StreamExt;

use super::*;
use crate::message::{Message, ToolChoice};
use crate::provider::loopback::{Loopback, Reply};
use crate::provider::trouble::Trouble;
use crate::provider::wire::testing;

const KEY: &str = "sk-test-0123456789";

/// Every protocol with a stream that ends well.
fn streams() -> [(Protocol, &'static str); 5] {
    [
        (
            Protocol::Openai,
            include_str!("../openai/decode/fixtures/llama_cpp_recorded.sse"),
        ),
        (
            Protocol::Responses,
            include_str!("../responses/fixtures/llama_cpp_call.sse"),
        ),
        (
            Protocol::Anthropic,
            include_str!("../anthropic/fixtures/llama_cpp_call.sse"),
        ),
        (
            Protocol::Gemini,
            include_str!("../gemini/fixtures/signed_calls.sse"),
        ),
        (
            Protocol::Ollama,
            include_str!("../ollama/fixtures/thinking_calls.ndjson"),
        ),
    ]
}

fn server(protocol: Protocol, loopback: &Loopback) -> Server {
    let at_once = Schedule {
        base: Duration::ZERO,
        cap: Duration::ZERO,
        ..Schedule::default()
    };
    let base_url = loopback.url().trim_end_matches("/v1").to_owned();
    let endpoint = Endpoint {
        key: Some(KEY.into()),
        ..Endpoint::open(protocol, base_url, "small".to_owned())
    };
    Server::new(endpoint).unwrap().with_schedule(at_once)
}

async fn ask(server: &Server) -> String {
    let hello = Message::User {
        text: "hi".to_owned(),
        images: Vec::new(),
    };
    let prompt = testing::prompt(vec![hello], ToolChoice::Auto);
    let told = testing::told(server.stream(prompt).collect().await);
    assert!(!told.contains(KEY));
    told
}

async fn check(protocol: Protocol, replies: Vec<Reply>, expected: &str) -> Vec<String> {
    let loopback = Loopback::start(replies);
    let told = ask(&server(protocol, &loopback)).await;
    assert!(told.contains(expected), "{protocol}: {told}");
    loopback.requests()
}

#[tokio::test]
async fn each_protocol_has_its_entry_point_and_its_header_for_the_key() {
    let cases = [
        (
            Protocol::Openai,
            "POST /v1/chat/completions ",
            "authorization: Bearer ",
        ),
        (
            Protocol::Responses,
            "POST /v1/responses ",
            "authorization: Bearer ",
        ),
        (Protocol::Anthropic, "POST /v1/messages ", "x-api-key: "),
        (
            Protocol::Gemini,
            "POST /v1beta/models/small:streamGenerateContent?alt=sse ",
            "x-goog-api-key: ",
        ),
        (
            Protocol::Ollama,
            "POST /api/chat ",
            "authorization: Bearer ",
        ),
    ];
    for ((protocol, path, header), (_, stream)) in cases.into_iter().zip(streams()) {
        let requests = check(protocol, vec![Reply::recorded(stream)], "stop ToolCalls").await;
        let request = &requests[0];
        assert!(request.starts_with(path), "{request}");
        assert!(request.contains(&format!("{header}{KEY}\r\n")), "{request}");
        let versioned = request.contains("anthropic-version: 2023-06-01\r\n");
        assert_eq!(versioned, protocol == Protocol::Anthropic);
    }
}

#[tokio::test]
async fn a_model_that_loads_is_waited_for() {
    let loading = r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#;
    for (protocol, stream) in streams() {
        let replies = vec![
            Reply::json("503 Service Unavailable", loading),
            Reply::recorded(stream),
        ];
        let requests = check(protocol, replies, "503: Loading model").await;
        assert_eq!(requests.len(), 2, "{protocol}");
    }
}

#[tokio::test]
async fn an_overloaded_server_is_asked_again_also_where_it_says_so_in_the_stream() {
    let overloaded = include_str!("../anthropic/fixtures/overloaded.sse");
    let stream = include_str!("../anthropic/fixtures/llama_cpp_call.sse");
    let body = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let replies = vec![
        Reply::recorded(overloaded),
        Reply::json("529 Overloaded", body),
        Reply::recorded(stream),
    ];
    let requests = check(Protocol::Anthropic, replies, "stop ToolCalls").await;
    assert_eq!(requests.len(), 3);
}

#[tokio::test]
async fn a_request_that_is_too_long_is_told_as_such_and_not_repeated() {
    // As llama.cpp says it under each of its protocols.
    let body = r#"{"error":{"code":400,"message":"request (9010 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9010,"n_ctx":4096}}"#;
    for (protocol, _) in streams() {
        let replies = vec![Reply::json("400 Bad Request", body), Reply::silent()];
        let requests = check(protocol, replies, "exceeds the available context size").await;
        assert_eq!(requests.len(), 1, "{protocol}");
    }
    for (code, message, expected) in [
        (
            400,
            "prompt is too long: 210000 tokens > 200000 maximum",
            true,
        ),
        (
            400,
            "This model's maximum context length is 128000 tokens.",
            true,
        ),
        (
            400,
            "The input token count (1200000) exceeds the maximum",
            true,
        ),
        (400, "tools.0.name: String should match pattern", false),
        (429, "context window busy", false),
    ] {
        let message = message.to_owned();
        let retry_after = None;
        let error = ProviderError::Status {
            code,
            message,
            retry_after,
        };
        let is_overflow = Trouble::of(&error) == Trouble::Overflow;
        assert_eq!(is_overflow, expected, "{error}");
    }
}

#[tokio::test]
async fn malformed_json_of_ours_is_told_after_a_few_attempts() {
    let body = r#"{"error":{"code":500,"message":"[json.exception.parse_error.101] parse error at line 1","type":"server_error"}}"#;
    for (protocol, _) in streams() {
        let reply = || Reply::json("500 Internal Server Error", body);
        let replies = vec![reply(), reply(), reply(), reply()];
        let expected = "error: the server answered 500: [json.exception.parse_error.101]";
        assert_eq!(check(protocol, replies, expected).await.len(), 4);
    }
}

#[tokio::test]
async fn a_socket_left_open_after_the_end_does_not_hold_the_answer() {
    for (protocol, stream) in streams() {
        let reply = Reply::recorded(stream).unended().held();
        let loopback = Loopback::start(vec![reply]);
        let timeouts = Timeouts {
            closing: Duration::ZERO,
            ..Timeouts::default()
        };
        let server = server(protocol, &loopback).with_timeouts(timeouts);
        let told = ask(&server).await;
        assert!(told.ends_with("stop ToolCalls"), "{protocol}: {told}");
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_keeps_what_came_and_is_not_repeated() {
    for (protocol, stream) in streams() {
        // The last event that is no end is in the middle.
        let half = stream.len() / 2;
        let half = stream.get(..half).unwrap_or_default();
        let reply = Reply::recorded(half).unended();
        let requests = check(
            protocol,
            vec![reply, Reply::silent()],
            "error: the answer broke off",
        )
        .await;
        assert_eq!(requests.len(), 1, "{protocol}");
    }
}

#[tokio::test]
async fn models_are_listed_and_another_one_is_asked() {
    let (protocol, stream) = streams()[3];
    let list = r#"{"models":[{"name":"models/gemini-3-pro"},{"name":"models/gemini-2.5-flash"}]}"#;
    let loopback = Loopback::start(vec![Reply::json("200 OK", list), Reply::recorded(stream)]);
    let server = server(protocol, &loopback).with_catalogue(Catalogue::standard());
    let models = Provider::models(&server).await.unwrap();
    assert_eq!(models[1].context, Some(1_048_576));
    let other = server.with_model("gemini-2.5-flash").unwrap();
    assert_eq!(other.about().model, "gemini-2.5-flash");
    let prompt = testing::prompt(vec![], ToolChoice::Auto);
    let _told: Vec<_> = other.stream(prompt).collect().await;
    let requests = loopback.requests();
    assert!(
        requests[0].starts_with("GET /v1beta/models "),
        "{}",
        requests[0]
    );
    assert!(
        requests[1].starts_with("POST /v1beta/models/gemini-2.5-flash:"),
        "{}",
        requests[1]
    );
}

#[test]
fn nothing_secret_is_in_an_endpoint_as_text() {
    let endpoint = Endpoint {
        key: Some(KEY.into()),
        headers: vec![("X-Team".to_owned(), KEY.into())],
        proxy: Some(format!("http://me:{KEY}@proxy").into()),
        ..Endpoint::open(
            Protocol::Anthropic,
            format!("https://me:{KEY}@a.com/v1?key={KEY}"),
            "m".to_owned(),
        )
    };
    let server = Server::new(endpoint.clone()).unwrap();
    let mut told = format!("{endpoint:?} {server:?}");
    for (base_url, proxy, authorities) in [
        (format!("ftp://me:{KEY}@a.com?{KEY}"), None, vec![]),
        ("http://a".to_owned(), Some(format!("::{KEY}@")), vec![]),
        ("http://a".to_owned(), None, KEY.as_bytes().to_vec()),
    ] {
        let wrong = Endpoint {
            base_url,
            proxy: proxy.map(Into::into),
            authorities,
            ..endpoint.clone()
        };
        let error = Server::new(wrong).unwrap_err();
        told += &format!("{error} {error:?}");
    }
    assert!(!told.contains(KEY), "{told}");
}

#[tokio::test]
async fn a_proxy_is_used_where_one_is_configured() {
    let proxy = Loopback::start(vec![Reply::recorded(streams()[0].1)]);
    let endpoint = Endpoint {
        proxy: Some(proxy.url().trim_end_matches("/v1").to_owned().into()),
        ..Endpoint::open(
            Protocol::Openai,
            "http://model.example/v1".to_owned(),
            "m".to_owned(),
        )
    };
    let told = ask(&Server::new(endpoint).unwrap()).await;
    assert!(told.ends_with("stop ToolCalls"), "{told}");
    let requests = proxy.requests();
    assert!(requests[0].starts_with("POST http://model.example/v1/chat/completions "));
}
