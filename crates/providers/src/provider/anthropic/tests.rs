//! Recorded streams and broken ones, and a whole conversation as a request.

use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::{Value, json};

use super::encode;
use crate::message::{Message, Prompt, ToolChoice};
use crate::provider::wire::testing::{conversation, decode, events, prompt, whole};
use crate::provider::{Options, Protocol};

const ME: Protocol = Protocol::Anthropic;

#[test]
fn thinking_and_parallel_calls() {
    assert_snapshot!(decode(ME, include_str!("fixtures/thinking_calls.sse")), @r#"
    reasoning "Two files "
    reasoning "to read."
    keep anthropic small: {"type":"thinking","thinking":"Two files to read.","signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3h"}
    keep anthropic small: {"type":"redacted_thinking","data":"EmwKAhgBEgy3va3pzix"}
    text "Grüße,"
    text " reading."
    call 0 toolu_01T1 read
    args 0 {"path": "a
    args 0 .rs"}
    call 1 toolu_01T2 list_dir
    usage 2312 (2000 cached) 89
    stop ToolCalls
    "#);
}

#[test]
fn a_call_as_llama_cpp_sends_it() {
    // Recorded: the id has no prefix, the block has no input.
    assert_snapshot!(decode(ME, include_str!("fixtures/llama_cpp_call.sse")), @r#"
    call 0 Tth3O2mBOZ2cEOwockzMTUqBRPQkHQ2B read
    args 0 {
    args 0 "
    args 0 path
    args 0 ":
    args 0  "
    args 0 a
    args 0 .
    args 0 rs
    args 0 "
    args 0 }
    usage 273 (272 cached) 31
    stop ToolCalls
    "#);
}

#[test]
fn an_overloaded_server_is_told_as_one() {
    assert_snapshot!(decode(ME, include_str!("fixtures/overloaded.sse")), @r#"error: the server answered 503: Overloaded"#);
}

#[test]
fn ends_of_all_kinds() {
    let begun =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}"#;
    let cut = "text \"a\"\nerror: the answer broke off: the connection ended before the answer did";
    for (reason, expected) in [
        ("end_turn", "text \"a\"\nstop Stop"),
        ("max_tokens", "text \"a\"\nstop Length"),
        ("model_context_window_exceeded", "text \"a\"\nstop Length"),
        ("refusal", "text \"a\"\nstop Other(\"refusal\")"),
        ("", cut),
    ] {
        assert_eq!(events(ME, &[begun, &stop(reason)]), expected);
    }
    assert_eq!(events(ME, &[begun]), cut);
    assert_eq!(
        events(ME, &[begun, r#"{"type":"message_stop"}"#]),
        "text \"a\"\nstop Stop"
    );
}

fn stop(reason: &str) -> String {
    json!({ "type": "message_delta", "delta": { "stop_reason": reason } }).to_string()
}

#[test]
fn what_other_servers_leave_out_or_add() {
    // No blocks begun, input whole in the first event, no end of the block, no signature.
    assert_snapshot!(events(ME, &[
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":"unsigned"}}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","name":"read","input":{"path":"a"}}}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"server_tool_use","name":"x"}}"#,
        r#"{"type":"content_block_delta","index":9,"delta":{"type":"input_json_delta","partial_json":"{"}}"#,
        r#"{"type":"new_in_2027"}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":7,"output_tokens":3}}"#,
        "[DONE]",
    ]), @r#"
    reasoning "hm"
    text "a"
    reasoning "unsigned"
    call 0 call_0_0 read
    args 0 {"path":"a"}
    usage 7 (0 cached) 3
    stop ToolCalls
    "#);
}

#[test]
fn whole_answers() {
    let body = json!({
        "type": "message", "role": "assistant", "stop_reason": "tool_use",
        "content": [
            { "type": "thinking", "thinking": "hm", "signature": "s" },
            { "type": "text", "text": "Hello" },
            { "type": "tool_use", "id": "t", "name": "read", "input": { "path": "a" } },
        ],
        "usage": { "input_tokens": 1, "output_tokens": 2 },
    });
    assert_snapshot!(whole(ME, &body.to_string()), @r#"
    reasoning "hm"
    keep anthropic small: {"type":"thinking","thinking":"hm","signature":"s"}
    text "Hello"
    call 0 t read
    args 0 {"path":"a"}
    usage 1 (0 cached) 2
    stop ToolCalls
    "#);
    assert_eq!(
        whole(ME, r#"{"status":"ok"}"#),
        r#"error: the server sent something that is not an answer: {"status":"ok"}"#
    );
    // An overflow, in OpenAI's shape.
    let overflow = r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#;
    assert_eq!(
        whole(ME, overflow),
        "error: the server answered 400: the request exceeds the available context size"
    );
}

#[test]
fn a_whole_conversation() {
    let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "s" });
    let messages = conversation("anthropic small", thinking);
    let body = encode(
        &prompt(messages, ToolChoice::None),
        "small",
        &Options::default(),
    );
    assert_json_snapshot!(body);
}

#[test]
fn nothing_blank_is_sent() {
    let messages = vec![
        Message::User {
            text: "hi".to_owned(),
            images: Vec::new(),
        },
        Message::Assistant {
            text: " \n".to_owned(),
            calls: vec![],
            kept: vec![],
        },
        Message::User {
            text: "go on".to_owned(),
            images: Vec::new(),
        },
    ];
    let body = encode(
        &prompt(messages, ToolChoice::Auto),
        "m",
        &Options::default(),
    );
    let texts: Vec<&Value> = body["messages"][0]["content"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    assert_eq!(
        (texts.len(), body["messages"].as_array().unwrap().len()),
        (2, 1)
    );
    assert!(body.get("system").is_none());
}

#[test]
fn limits_and_further_fields() {
    let mut options = Options {
        max_output: Some(64),
        ..Options::default()
    };
    assert_eq!(encode(&hello(), "m", &options)["max_tokens"], 64);
    options.extra.insert("max_tokens".into(), json!(9));
    options
        .extra
        .insert("thinking".into(), json!({ "type": "adaptive" }));
    options.extra.insert("stream".into(), json!(false));
    let body = encode(&hello(), "m", &options);
    assert_eq!(
        (&body["max_tokens"], &body["stream"]),
        (&json!(9), &json!(true))
    );
    assert_eq!(body["thinking"]["type"], "adaptive");
}

fn hello() -> Prompt {
    prompt(
        vec![Message::User {
            text: "hi".to_owned(),
            images: Vec::new(),
        }],
        ToolChoice::Auto,
    )
}
