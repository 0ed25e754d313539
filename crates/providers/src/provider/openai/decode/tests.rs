//! Recorded streams and broken ones, and the deltas that they are.

use serde_json::json;

use super::*;
use crate::message::{CallId, Message, ToolCall, ToolChoice};

/// What a stream of events decodes to, one line a delta.
fn decode(events: &[&str]) -> String {
    decode_with(Decoder::default(), events)
}

fn decode_with(mut decoder: Decoder, events: &[&str]) -> String {
    let mut out: Decoded = events
        .iter()
        .flat_map(|event| decoder.push(event))
        .collect();
    out.extend(decoder.finish());
    assert!(decoder.finish().is_empty() && decoder.push("{}").is_empty());
    told(out)
}

fn told(out: Decoded) -> String {
    let lines = out.into_iter().map(|item| match item {
        Ok(Delta::Text { text }) => format!("text {text:?}"),
        Ok(Delta::Reasoning { text }) => format!("reasoning {text:?}"),
        Ok(Delta::CallStarted { index, id, name }) => format!("call {index} {id} {name}"),
        Ok(Delta::CallArguments { index, fragment }) => format!("args {index} {fragment}"),
        Ok(Delta::Usage(usage)) => format!("usage {} {}", usage.input, usage.output),
        Ok(Delta::Stop { reason }) => format!("stop {reason:?}"),
        Ok(delta @ (Delta::Retrying { .. } | Delta::Keep { .. })) => format!("{delta:?}"),
        Err(error) => format!("error: {error}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The data of the events of a stream as a server frames it.
fn events_of(fixture: &str) -> Vec<&str> {
    fixture
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .collect()
}

fn chunk(delta: &Value, finish: &Value) -> String {
    json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] }).to_string()
}

fn calls(list: &Value) -> String {
    chunk(&json!({ "tool_calls": list }), &Value::Null)
}

#[test]
fn text_as_openai_sends_it() {
    let events = events_of(include_str!("fixtures/openai_text.sse"));
    insta::assert_snapshot!(decode(&events), @r#"
    text "Hel"
    text "lo 🦀"
    usage 19 3
    stop Stop
    "#);
}

#[test]
fn calls_as_openai_sends_them() {
    let events = events_of(include_str!("fixtures/openai_calls.sse"));
    insta::assert_snapshot!(decode(&events), @r#"
    call 0 call_Zt1 read
    args 0 {"pa
    args 0 th":"a.rs"}
    call 1 call_Zt2 grep
    args 1 {"pattern":"x"}
    stop ToolCalls
    "#);
}

#[test]
fn a_call_as_llama_cpp_sends_it() {
    let events = events_of(include_str!("fixtures/llama_cpp_call.sse"));
    insta::assert_snapshot!(decode(&events), @r#"
    reasoning "Need the file."
    call 0 9XQv3mT read
    args 0 {
    args 0 "path":"a.rs"}
    usage 300 12
    stop ToolCalls
    "#);
}

#[test]
fn a_call_recorded_from_llama_cpp() {
    // The first piece of the arguments comes with id and name, usage without choices.
    let recorded = include_str!("fixtures/llama_cpp_recorded.sse");
    insta::assert_snapshot!(crate::provider::wire::testing::decode(crate::provider::Protocol::Openai, recorded), @r#"
    call 0 4G9Y0jlnQm77N2kWR4BmUxIqGCsiLTAc read
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
    usage 273 (93 cached) 31
    stop ToolCalls
    "#);
}

#[test]
fn whole_calls_as_ollama_sends_them() {
    let events = events_of(include_str!("fixtures/ollama_calls.sse"));
    insta::assert_snapshot!(decode(&events), @r#"
    reasoning "Two files."
    call 0 call_ab1 read
    args 0 {"path":"a.rs"}
    call 1 call_ab2 read
    args 1 {"path":"b.rs"}
    stop ToolCalls
    "#);
}

#[test]
fn calls_without_index_are_whole_calls() {
    let events = [
        calls(&json!([
            { "function": { "name": "a", "arguments": "{}" } },
            { "function": { "name": "b", "arguments": { "x": 1 } } },
        ])),
        calls(&json!([{ "id": "z", "function": { "name": "c", "arguments": "{" } }])),
        calls(&json!([{ "function": { "arguments": "}" } }])),
        "[DONE]".to_owned(),
    ];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    insta::assert_snapshot!(decode(&events), @r#"
    call 0 call_0_0 a
    args 0 {}
    call 1 call_1_0 b
    args 1 {"x":1}
    call 2 z c
    args 2 {
    args 2 }
    stop ToolCalls
    "#);
}

#[test]
fn calls_that_share_an_index_are_told_apart_by_id() {
    let events = [
        calls(&json!([{ "index": 0, "id": "a", "function": { "name": "x", "arguments": "{}" } }])),
        calls(&json!([{ "index": 0, "id": "b", "function": { "name": "x", "arguments": "{" } }])),
        calls(&json!([{ "index": 0, "id": "", "function": { "name": null, "arguments": "}" } }])),
        calls(&json!([{ "index": 0, "id": "b", "function": { "name": "x", "arguments": "" } }])),
    ];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    insta::assert_snapshot!(decode(&events), @"
    call 0 a x
    args 0 {}
    call 1 b x
    args 1 {
    args 1 }
    error: the answer broke off: the connection ended before the answer did
    ");
}

#[test]
fn arguments_before_the_name_are_kept() {
    let events = [
        calls(&json!([{ "index": 3, "id": "a", "function": { "arguments": "{\"x\"" } }])),
        calls(&json!([{ "index": 3, "function": { "name": "n", "arguments": ":1}" } }])),
        calls(&json!([{ "index": 4 }])),
        "[DONE]".to_owned(),
    ];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    insta::assert_snapshot!(decode(&events), @r#"
    call 0 a n
    args 0 {"x":1}
    stop ToolCalls
    "#);
}

#[test]
fn ids_are_unique_in_the_conversation() {
    let earlier = ToolCall {
        id: CallId("call_0".into()),
        name: "a".into(),
        arguments: "{}".into(),
    };
    let prompt = Prompt {
        messages: vec![
            Message::Assistant {
                text: String::new(),
                calls: vec![earlier],
                kept: vec![],
            },
            Message::Tool {
                call: CallId("call_0".into()),
                content: String::new(),
                failed: false,
            },
        ],
        tools: vec![],
        tool_choice: ToolChoice::Auto,
        target: None,
    };
    let again = calls(&json!([
        { "index": 0, "id": "call_0", "function": { "name": "a", "arguments": "{}" } },
        { "index": 1, "id": "call_0", "function": { "name": "b", "arguments": "{}" } },
    ]));
    insta::assert_snapshot!(decode_with(Decoder::new(&prompt), &[&again, "[DONE]"]), @"
    call 0 call_0_2 a
    args 0 {}
    call 1 call_1_2 b
    args 1 {}
    stop ToolCalls
    ");
}

#[test]
fn ends_of_all_kinds() {
    let cases = [
        (vec![finished_text(json!("stop"))], "text \"a\"\nstop Stop"),
        (
            vec![finished_text(json!("length"))],
            "text \"a\"\nstop Length",
        ),
        (
            vec![finished_text(json!("content_filter"))],
            "text \"a\"\nstop Other(\"content_filter\")",
        ),
        (
            vec![finished_text(Value::Null), "[DONE]".into()],
            "text \"a\"\nstop Stop",
        ),
        (
            vec![finished_text(json!(""))],
            "text \"a\"\nerror: the answer broke off: the connection ended before the answer did",
        ),
        (
            vec![],
            "error: the answer broke off: the connection ended before the answer did",
        ),
        (
            vec![
                finished_text(json!("stop")),
                "[DONE]".into(),
                finished_text(Value::Null),
            ],
            "text \"a\"\nstop Stop",
        ),
    ];
    for (events, expected) in cases {
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        assert_eq!(decode(&events), expected);
    }
}

fn finished_text(finish: Value) -> String {
    chunk(&json!({ "content": "a" }), &finish)
}

#[test]
fn errors_in_the_middle_keep_what_came() {
    let text = chunk(&json!({ "content": "a" }), &Value::Null);
    let cases = [
        (
            r#"{"error":{"message":"overloaded","code":503}}"#,
            "text \"a\"\nerror: the server answered 503: overloaded",
        ),
        (
            r#"{"error":{"message":"no"},"choices":[{"delta":{"content":"x"}}]}"#,
            "text \"a\"\nerror: the server answered 500: no",
        ),
        (
            "{\"choices\":[",
            "text \"a\"\nerror: the server sent something that is not an answer: EOF while parsing \
             a list at line 1 column 12: {\"choices\":[",
        ),
        (
            "[1]",
            "text \"a\"\nerror: the server sent something that is not an answer: [1]",
        ),
    ];
    for (event, expected) in cases {
        assert_eq!(decode(&[&text, event, &text]), expected);
    }
}

#[test]
fn null_and_odd_fields_are_nothing() {
    let events = [
        r#"{"choices":[{"delta":{"role":"assistant","content":null,"tool_calls":null,"reasoning":null}}]}"#,
        r#"{"choices":[{"delta":null,"finish_reason":null}],"usage":null,"error":null}"#,
        r#"{"choices":null}"#,
        r#"{"choices":[{"delta":{"content":7,"tool_calls":[null,3,{"function":[]}]}}]}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"other choice"}}]}"#,
        r#"{"type":"ping"}"#,
        "  ",
        "[DONE]",
    ];
    assert_eq!(decode(&events), "stop Stop");
}

#[test]
fn thinking_is_not_text() {
    let events = [
        r#"{"choices":[{"delta":{"reasoning_content":"a","reasoning":"a"}}]}"#,
        r#"{"choices":[{"delta":{"reasoning":"b"}}]}"#,
        r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"c"}]}]}}]}"#,
        r#"{"choices":[{"delta":{"content":[{"type":"text","text":"d"}]}}]}"#,
        r#"{"choices":[{"delta":{"refusal":"no"},"finish_reason":"stop"}]}"#,
    ];
    insta::assert_snapshot!(decode(&events), @r#"
    reasoning "a"
    reasoning "b"
    reasoning "c"
    text "d"
    text "no"
    stop Stop
    "#);
}

#[test]
fn thoughts_are_kept_with_calls_only() {
    let call =
        calls(&json!([{ "index": 0, "id": "a", "function": { "name": "x", "arguments": "{}" } }]));
    let told = told_of_m(&[&thought("a"), &thought("b"), &call, "[DONE]"]);
    assert!(
        told.contains(r#"origin: "openai m", value: Object {"reasoning_content": String("ab")}"#),
        "{told}"
    );
    assert!(!told_of_m(&[&thought("a"), "[DONE]"]).contains("Keep"));
    // Each goes back under the name in which it came; blocks say what `reasoning` says, and more.
    for (field, kept) in [
        ("reasoning", r#"{"reasoning": String("a")}"#),
        ("thinking", r#"{"thinking": String("a")}"#),
    ] {
        let other = chunk(&json!({ field: "a" }), &Value::Null);
        let told = told_of_m(&[&other, &call, "[DONE]"]);
        assert!(told.contains(&format!("value: Object {kept}")), "{told}");
    }
    let both = chunk(
        &json!({ "reasoning": "a", "reasoning_details": [{ "type": "t", "text": "a" }] }),
        &Value::Null,
    );
    let told = told_of_m(&[&both, &call, "[DONE]"]);
    assert!(
        told.contains("reasoning_details") && !told.contains(r#""reasoning":"#),
        "{told}"
    );
}

#[test]
fn what_a_call_is_signed_with_is_kept_by_its_id() {
    let signed = json!({ "google": { "thought_signature": "sig" } });
    let call = calls(&json!([{
        "index": 0, "id": "a", "type": "function", "extra_content": signed,
        "function": { "name": "x", "arguments": "{}" },
    }]));
    let late =
        calls(&json!([{ "index": 0, "provider_specific_fields": { "thought_signature": "sig" } }]));
    let thought = chunk(
        &json!({ "thinking_blocks": [{ "type": "thinking", "thinking": "I", "signature": "s" }] }),
        &Value::Null,
    );
    let told = told_of_m(&[&thought, &call, &late, "[DONE]"]);
    for kept in [
        "\"thinking_blocks\"",
        "\"a\": Object {\"extra_content\"",
        "\"provider_specific_fields\"",
    ] {
        assert!(told.contains(kept), "{told}");
    }
    let unsigned =
        calls(&json!([{ "index": 0, "id": "a", "function": { "name": "x", "arguments": "{}" } }]));
    assert!(!told_of_m(&[&unsigned, "[DONE]"]).contains("Keep"));
}

fn told_of_m(events: &[&str]) -> String {
    decode_with(Decoder::default().of_model("m"), events)
}

fn thought(text: &str) -> String {
    chunk(&json!({ "reasoning_content": text }), &Value::Null)
}

#[test]
fn usage_comes_once_and_before_the_stop() {
    let events = [
        r#"{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":5,"completion_tokens":1}}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8}}"#,
        "[DONE]",
    ];
    assert_eq!(decode(&events), "text \"a\"\nusage 5 3\nstop Stop");
}

#[test]
fn whole_answers() {
    let whole = |body: &str| told(Decoder::default().push_whole(body));
    let body = json!({
        "choices": [{
            "message": {
                "role": "assistant",
                "content": "Hello",
                "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "read", "arguments": "{}" } }],
            },
            "finish_reason": "tool_calls",
        }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 2 },
    });
    assert_eq!(
        whole(&body.to_string()),
        "text \"Hello\"\ncall 0 c read\nargs 0 {}\nusage 1 2\nstop ToolCalls"
    );
    assert_eq!(
        whole(r#"{"error":{"message":"no"}}"#),
        "error: the server answered 500: no"
    );
    assert_eq!(
        whole(r#"{"status":"ok"}"#),
        r#"error: the server sent something that is not an answer: {"status":"ok"}"#
    );
}

#[test]
fn errors_under_their_own_name() {
    let mut decoder = Decoder::default();
    let out = decoder.push_error(r#"{"code":503,"message":"loading"}"#);
    assert_eq!(told(out), "error: the server answered 503: loading");
    assert!(decoder.is_ended() && decoder.push("[DONE]").is_empty());
    assert_eq!(
        told(Decoder::default().push_error("oops")),
        "error: the server answered 500: oops"
    );
}

#[test]
fn a_hundred_thousand_pieces() {
    let mut decoder = Decoder::default();
    let begin =
        calls(&json!([{ "index": 0, "id": "a", "function": { "name": "x", "arguments": "" } }]));
    decoder.push(&begin);
    let piece = calls(&json!([{ "index": 0, "function": { "arguments": "abcd" } }]));
    let length: usize = (0..100_000)
        .flat_map(|_| decoder.push(&piece))
        .map(|delta| match delta {
            Ok(Delta::CallArguments { fragment, .. }) => fragment.len(),
            _ => 0,
        })
        .sum();
    assert_eq!(length, 400_000);
}
