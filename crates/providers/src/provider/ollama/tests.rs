//! Recorded streams and broken ones, and a whole conversation as a request.

use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::json;

use super::encode;
use crate::message::ToolChoice;
use crate::provider::wire::testing::{conversation, decode, events, prompt};
use crate::provider::{Options, Protocol};

const ME: Protocol = Protocol::Ollama;

#[test]
fn thinking_and_whole_calls() {
    assert_snapshot!(decode(ME, include_str!("fixtures/thinking_calls.ndjson")), @r#"
    reasoning "Two "
    reasoning "files."
    text "Grüße, reading."
    call 0 call_kx3 read
    args 0 {"path":"a.rs"}
    call 1 call_1_0 list_dir
    args 1 {}
    usage 2312 (0 cached) 89
    stop ToolCalls
    "#);
}

/// Recorded from a mock server, which has another word for thinking and counts no tokens, and
/// from a gateway.
#[test]
fn what_servers_of_others_send() {
    assert_snapshot!(decode(ME, include_str!("fixtures/aimock_recorded.ndjson")), @r#"
    reasoning "I look "
    reasoning "first."
    text "Looking"
    text "."
    call 0 call_0_0 read
    args 0 {"path":"io.py"}
    call 1 call_1_0 list_dir
    args 1 {}
    stop ToolCalls
    "#);
    assert_snapshot!(decode(ME, include_str!("fixtures/gateway_recorded.ndjson")), @r#"
    text "Looking"
    text "."
    usage 180 (0 cached) 2
    stop Stop
    "#);
}

#[test]
fn ends_of_all_kinds() {
    let text = r#"{"message":{"role":"assistant","content":"a"},"done":false}"#;
    let cut = "text \"a\"\nerror: the answer broke off: the connection ended before the answer did";
    for (end, expected) in [
        (
            r#"{"done":true,"done_reason":"stop"}"#,
            "text \"a\"\nstop Stop",
        ),
        (r#"{"done":true}"#, "text \"a\"\nstop Stop"),
        (
            r#"{"done":true,"done_reason":"length","eval_count":3}"#,
            "text \"a\"\nusage 0 (0 cached) 3\nstop Length",
        ),
        (
            r#"{"done":true,"done_reason":"unload"}"#,
            "text \"a\"\nstop Other(\"unload\")",
        ),
        (
            r#"{"error":"model runner has stopped"}"#,
            "text \"a\"\nerror: the server answered 500: model runner has stopped",
        ),
        (r#"{"done":false}"#, cut),
    ] {
        assert_eq!(events(ME, &[text, end]), expected);
    }
    // One line that is not streamed is an answer too.
    let whole = r#"{"message":{"content":"Hi"},"done":true,"done_reason":"stop"}"#;
    assert_eq!(decode(ME, whole), "text \"Hi\"\nstop Stop");
}

#[test]
fn a_whole_conversation() {
    let messages = conversation("ollama small", json!({}));
    let options = Options {
        context: Some(16384),
        ..Options::default()
    };
    assert_json_snapshot!(encode(
        &prompt(messages, ToolChoice::Auto),
        "small",
        &options
    ));
}

#[test]
fn no_tools_are_offered_where_none_may_be_called() {
    let messages = conversation("ollama small", json!({}));
    let body = encode(
        &prompt(messages, ToolChoice::None),
        "small",
        &Options::default(),
    );
    assert!(body.get("tools").is_none() && body.get("tool_choice").is_none());
    // What was called earlier is still told, with its results.
    assert_eq!(
        body["messages"][2]["tool_calls"].as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(body["messages"][3]["tool_name"], "read");
}
