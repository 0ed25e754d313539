//! Recorded streams and broken ones, and a whole conversation as a request.

use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::json;

use super::encode;
use crate::message::ToolChoice;
use crate::provider::wire::testing::{conversation, decode, events, prompt, whole};
use crate::provider::{Options, Protocol};

const ME: Protocol = Protocol::Responses;

const ADDED: &str = r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"fc_1","type":"function_call","call_id":"c","name":"read","arguments":""}}"#;
const MORE: &str = r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":"{\"path\":"}"#;
const COMPLETED: &str =
    r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#;

#[test]
fn reasoning_and_parallel_calls() {
    assert_snapshot!(decode(ME, include_str!("fixtures/reasoning_calls.sse")), @r#"
    reasoning "Two files."
    keep responses small: {"id":"rs_1","type":"reasoning","encrypted_content":"gAAAAABo","summary":[{"type":"summary_text","text":"Two files."}]}
    text "Grüße,"
    text " reading."
    call 0 call_A read
    args 0 {"path":
    args 0 "a.rs"}
    call 1 call_B grep
    args 1 {"pattern":"x"}
    usage 2312 (2000 cached) 89
    stop ToolCalls
    "#);
}

#[test]
fn a_call_as_llama_cpp_sends_it() {
    // Recorded: no places, no `arguments.done`.
    assert_snapshot!(decode(ME, include_str!("fixtures/llama_cpp_call.sse")), @r#"
    call 0 call_bSOKZiNYPJJvz8f15qxlpNsIwZmtI5BZ read
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
fn arguments_are_whole_whichever_events_come() {
    let rest = r#"{"type":"response.function_call_arguments.delta","delta":"\"a\"}"}"#;
    let done = r#"{"type":"response.function_call_arguments.done","item_id":"fc_1","arguments":"{\"path\":\"a\"}"}"#;
    let item = r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"fc_1","type":"function_call","call_id":"c","name":"read","arguments":"{\"path\":\"a\"}"}}"#;
    let summed = r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","call_id":"c","name":"read","arguments":"{\"path\":\"a\"}"}]}}"#;
    let halves = "call 0 c read\nargs 0 {\"path\":\nargs 0 \"a\"}\nstop ToolCalls";
    let at_once = "call 0 c read\nargs 0 {\"path\":\"a\"}\nstop ToolCalls";
    for (pieces, expected) in [
        (vec![ADDED, MORE, rest, COMPLETED], halves),
        (vec![ADDED, MORE, done, COMPLETED], halves),
        (vec![ADDED, MORE, item, COMPLETED], halves),
        (vec![ADDED, MORE, summed], halves),
        (vec![ADDED, done, item, summed], at_once),
        (vec![item, summed], at_once),
        (vec![summed], at_once),
    ] {
        assert_eq!(events(ME, &pieces), expected, "{pieces:?}");
    }
}

#[test]
fn text_is_said_once() {
    let delta = r#"{"type":"response.output_text.delta","delta":"Hi"}"#;
    let summed = r#"{"type":"response.completed","response":{"status":"completed","output":[
        {"type":"reasoning","summary":[]},
        {"type":"message","content":[{"type":"output_text","text":"Hi"}]}]}}"#;
    assert_eq!(events(ME, &[delta, summed]), "text \"Hi\"\nstop Stop");
    assert_eq!(events(ME, &[summed]), "text \"Hi\"\nstop Stop");
}

#[test]
fn ends_of_all_kinds() {
    let text = r#"{"type":"response.output_text.delta","output_index":0,"delta":"a"}"#;
    let failed = r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"no"}}}"#;
    let error =
        r#"{"type":"error","code":"rate_limit_exceeded","message":"slow down","param":null}"#;
    let cut = "text \"a\"\nerror: the answer broke off: the connection ended before the answer did";
    for (end, expected) in [
        (incomplete("max_output_tokens"), "text \"a\"\nstop Length"),
        (
            incomplete("content_filter"),
            "text \"a\"\nstop Other(\"content_filter\")",
        ),
        (
            failed.to_owned(),
            "text \"a\"\nerror: the server answered 500: no",
        ),
        (
            error.to_owned(),
            "text \"a\"\nerror: the server answered 429: slow down",
        ),
        (r#"{"type":"response.in_progress"}"#.to_owned(), cut),
        ("[DONE]".to_owned(), "text \"a\"\nstop Stop"),
    ] {
        assert_eq!(events(ME, &[text, &end]), expected);
    }
}

fn incomplete(reason: &str) -> String {
    json!({ "type": "response.incomplete", "response": {
            "status": "incomplete", "incomplete_details": { "reason": reason } } })
    .to_string()
}

#[test]
fn reasoning_is_kept_only_if_it_is_sealed() {
    let kept = events(ME, &[&reasoning_item("x"), &reasoning_item("x"), COMPLETED]);
    assert_eq!(
        kept,
        "keep responses small: {\"id\":\"rs\",\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"x\"}\nstop Stop"
    );
    assert_eq!(events(ME, &[&reasoning_item(""), COMPLETED]), "stop Stop");
}

fn reasoning_item(sealed: &str) -> String {
    json!({ "type": "response.output_item.done", "output_index": 0, "item": {
            "id": "rs", "type": "reasoning", "summary": [], "encrypted_content": sealed } })
    .to_string()
}

#[test]
fn whole_answers() {
    let body = json!({
        "object": "response", "status": "completed", "error": null,
        "output": [
            { "type": "message", "content": [{ "type": "output_text", "text": "Hello" }] },
            { "type": "function_call", "call_id": "c", "name": "read", "arguments": "{}" },
        ],
        "usage": { "input_tokens": 1, "output_tokens": 2 },
    });
    assert_eq!(
        whole(ME, &body.to_string()),
        "text \"Hello\"\ncall 0 c read\nargs 0 {}\nusage 1 (0 cached) 2\nstop ToolCalls"
    );
    assert_eq!(
        whole(ME, r#"{"status":"ok"}"#),
        r#"error: the server sent something that is not an answer: {"status":"ok"}"#
    );
}

#[test]
fn a_whole_conversation() {
    let sealed =
        json!({ "id": "rs", "type": "reasoning", "summary": [], "encrypted_content": "x" });
    let messages = conversation("responses small", sealed);
    let options = Options {
        reasons: true,
        ..Options::default()
    };
    assert_json_snapshot!(encode(
        &prompt(messages, ToolChoice::None),
        "small",
        &options
    ));
}
