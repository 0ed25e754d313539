//! Recorded streams and broken ones, and a whole conversation as a request.

use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::{Value, json};

use super::encode;
use crate::message::{Message, ToolChoice};
use crate::provider::wire::testing::{conversation, decode, events, prompt, whole};
use crate::provider::{Options, Protocol};

const ME: Protocol = Protocol::Gemini;

#[test]
fn thoughts_and_signed_calls() {
    assert_snapshot!(decode(ME, include_str!("fixtures/signed_calls.sse")), @r#"
    reasoning "**Looking**\n\nTwo files."
    text "Grüße, reading."
    keep gemini small: {"call":true,"signature":"CpcHAdHtim8="}
    call 0 call_0_0 read
    args 0 {"path":"a.rs"}
    call 1 call_1_0 list_dir
    args 1 {}
    usage 2312 (2000 cached) 89
    stop ToolCalls
    "#);
}

/// Recorded from a mock server and from a gateway that puts every call into an event of its own.
/// Both count no tokens.
#[test]
fn what_servers_of_others_send() {
    assert_snapshot!(decode(ME, include_str!("fixtures/aimock_recorded.sse")), @r#"
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
    assert_snapshot!(decode(ME, include_str!("fixtures/litellm_recorded.sse")), @r#"
    text "Looking"
    text "."
    call 0 call_0_0 read
    args 0 {"path":"io.py"}
    call 1 call_1_0 list_dir
    args 1 {}
    stop ToolCalls
    "#);
}

/// The model tells its calls apart by its own ids; those that it did not give are not sent.
#[test]
fn ids_that_the_model_gave_go_back_to_it() {
    let event = r#"{"candidates":[{"content":{"parts":[
        {"functionCall":{"id":"f1","name":"read"},"thoughtSignature":"S"},
        {"functionCall":{"id":"f2","name":"read"}},
        {"functionCall":{"name":"read"}}]}}]}"#;
    let read = events(ME, &[event]);
    let keeps = read.lines().filter(|line| line.starts_with("keep"));
    assert_eq!(
        keeps.collect::<Vec<_>>(),
        [
            r#"keep gemini small: {"call":true,"signature":"S","id":"f1"}"#,
            r#"keep gemini small: {"call":true,"id":"f2"}"#
        ]
    );
    let mut messages = conversation("gemini m", json!({ "call": true, "id": "f1" }));
    assert_eq!(
        sent_ids(&messages, "m"),
        [json!("f1"), json!(null), json!("f1"), json!(null)]
    );
    assert_eq!(
        sent_ids(&messages, "other"),
        [json!(null), json!(null), json!(null), json!(null)]
    );
    let Message::Assistant { kept, .. } = &mut messages[2] else {
        panic!()
    };
    kept[0].after_calls = 1;
    assert_eq!(
        sent_ids(&messages, "m"),
        [json!(null), json!("f1"), json!(null), json!("f1")]
    );
}

fn sent_ids(messages: &[Message], model: &str) -> [Value; 4] {
    let asked = prompt(messages.to_vec(), ToolChoice::Auto);
    let body = encode(&asked, model, &Options::default());
    [
        id_in(&body, 1, 1, "functionCall"),
        id_in(&body, 1, 2, "functionCall"),
        id_in(&body, 2, 0, "functionResponse"),
        id_in(&body, 2, 1, "functionResponse"),
    ]
}

fn id_in(body: &Value, turn: usize, part: usize, key: &str) -> Value {
    body["contents"][turn]["parts"][part][key]["id"].clone()
}

#[test]
fn ends_of_all_kinds() {
    let text = r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#;
    let cut = "text \"a\"\nerror: the answer broke off: the connection ended before the answer did";
    for (end, expected) in [
        (stop("STOP"), "text \"a\"\nstop Stop"),
        (stop("MAX_TOKENS"), "text \"a\"\nstop Length"),
        (stop("FUNCTION_CALL"), "text \"a\"\nstop Stop"),
        (
            stop("MALFORMED_FUNCTION_CALL"),
            "text \"a\"\nstop Other(\"malformed_function_call\")",
        ),
        (
            r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#.to_owned(),
            "text \"a\"\nstop Other(\"safety\")",
        ),
        (
            r#"{"promptFeedback":{"blockReason":"OTHER"}}"#.to_owned(),
            "text \"a\"\nstop Other(\"blocked\")",
        ),
        (
            r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#
                .to_owned(),
            "text \"a\"\nerror: the server answered 503: The model is overloaded.",
        ),
        ("{}".to_owned(), cut),
    ] {
        assert_eq!(events(ME, &[text, &end]), expected);
    }
}

fn stop(reason: &str) -> String {
    json!({ "candidates": [{ "finishReason": reason }] }).to_string()
}

#[test]
fn a_list_instead_of_a_stream() {
    let list = r#"[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},
        {"candidates":[{"content":{"parts":[{"functionCall":{"id":"f1","name":"read"}}]},"finishReason":"STOP"}]}]"#;
    assert_eq!(
        whole(ME, list),
        "text \"a\"\nkeep gemini small: {\"call\":true,\"id\":\"f1\"}\ncall 0 f1 read\nargs 0 {}\n\
         stop ToolCalls"
    );
}

#[test]
fn a_whole_conversation() {
    let signature = json!({ "call": true, "signature": "CpcH" });
    let messages = conversation("gemini gemini-3-pro", signature);
    let options = Options {
        max_output: Some(100),
        ..Options::default()
    };
    let body = encode(
        &prompt(messages, ToolChoice::None),
        "gemini-3-pro",
        &options,
    );
    assert_json_snapshot!(body);
}

#[test]
fn calls_of_another_model_are_marked_as_unsigned() {
    let messages = conversation("anthropic small", json!({ "signature": "not for you" }));
    assert_eq!(
        signatures(&messages, "gemini-3-pro"),
        ["-", "skip_thought_signature_validator", "-"]
    );
    assert_eq!(
        signatures(&messages, "google/gemini-3.5-flash")[1],
        "skip_thought_signature_validator"
    );
    for model in ["gemini-2.5-flash", "gemma-3", "gemini-exp"] {
        assert_eq!(signatures(&messages, model), ["-", "-", "-"], "{model}");
    }
}

fn signatures(messages: &[Message], model: &str) -> Vec<String> {
    let body = encode(
        &prompt(messages.to_vec(), ToolChoice::Auto),
        model,
        &Options::default(),
    );
    let parts = body["contents"][1]["parts"].as_array().unwrap().clone();
    let parts = parts
        .iter()
        .map(|part| part["thoughtSignature"].as_str().unwrap_or("-").to_owned());
    parts.collect::<Vec<_>>()
}

#[test]
fn a_signature_on_text_goes_back_on_it() {
    let mut kept = conversation("x", json!({}));
    let Message::Assistant { kept, .. } = &mut kept[2] else {
        panic!()
    };
    let mut one = kept[0].clone();
    one.origin = "gemini m".to_owned();
    one.after_text = 4;
    one.value = json!({ "signature": "S" });
    let said = Message::Assistant {
        text: "Done.".to_owned(),
        calls: vec![],
        kept: vec![one],
    };
    let body = encode(
        &prompt(vec![said], ToolChoice::Auto),
        "m",
        &Options::default(),
    );
    assert_eq!(
        body["contents"][0]["parts"],
        json!([{ "text": "Done", "thoughtSignature": "S" }, { "text": "." }])
    );
}
