//! One edit under every protocol: read, edit, closing words, each answered by a server on the
//! wire in its own way.

use serde_json::{Value, json};

use crate::server::{Asked, Server};
use crate::world::World;

const PROTOCOLS: [&str; 5] = ["openai", "responses", "anthropic", "gemini", "ollama"];

fn edit() -> Value {
    json!({
        "path": "notes.md", "operation": "modify", "description": "say final",
        "edits": [{ "old_text": "draft", "new_text": "final" }],
    })
}

/// Answers with one call, as the protocol sends it.
fn call(asked: Asked, protocol: &str, name: &str, arguments: &Value) {
    let text = arguments.to_string();
    let events = match protocol {
        "openai" => return asked.call("c1", name, arguments),
        "responses" => vec![
            json!({ "type": "response.output_item.done", "output_index": 0, "item": {
                "id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "sealed" } }),
            json!({ "type": "response.output_item.added", "output_index": 1, "item": {
                "id": "fc_1", "type": "function_call", "call_id": name, "name": name } }),
            json!({ "type": "response.function_call_arguments.delta", "item_id": "fc_1",
                "delta": text }),
            json!({ "type": "response.completed", "response": { "status": "completed" } }),
        ],
        "anthropic" => vec![
            json!({ "type": "message_start", "message": { "usage": { "input_tokens": 5 } } }),
            json!({ "type": "content_block_start", "index": 0,
                "content_block": { "type": "thinking", "thinking": "" } }),
            json!({ "type": "content_block_delta", "index": 0,
                "delta": { "type": "signature_delta", "signature": "sealed" } }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "content_block_start", "index": 1,
                "content_block": { "type": "tool_use", "id": name, "name": name, "input": {} } }),
            json!({ "type": "content_block_delta", "index": 1,
                "delta": { "type": "input_json_delta", "partial_json": text } }),
            json!({ "type": "content_block_stop", "index": 1 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
            json!({ "type": "message_stop" }),
        ],
        "gemini" => vec![
            json!({ "candidates": [{ "finishReason": "STOP", "content": { "parts": [
            { "functionCall": { "name": name, "args": arguments }, "thoughtSignature": "sealed" },
        ] } }] }),
        ],
        _ => vec![
            json!({ "message": { "tool_calls": [
                { "function": { "name": name, "arguments": arguments } } ] }, "done": false }),
            json!({ "done": true, "done_reason": "stop" }),
        ],
    };
    send(asked, protocol, &events);
}

fn say(asked: Asked, protocol: &str) {
    let events = match protocol {
        "openai" => return asked.say("Staged."),
        "responses" => vec![
            json!({ "type": "response.output_text.delta", "delta": "Staged." }),
            json!({ "type": "response.completed", "response": { "status": "completed" } }),
        ],
        "anthropic" => vec![
            json!({ "type": "content_block_delta", "index": 0,
                "delta": { "type": "text_delta", "text": "Staged." } }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }),
        ],
        "gemini" => vec![json!({ "candidates": [{ "finishReason": "STOP",
            "content": { "parts": [{ "text": "Staged." }] } }] })],
        _ => vec![json!({ "message": { "content": "Staged." }, "done": true })],
    };
    send(asked, protocol, &events);
}

fn send(asked: Asked, protocol: &str, events: &[Value]) {
    let mut answer = asked.stream();
    for event in events {
        match protocol {
            "ollama" => answer.bytes(&format!("{event}\n")),
            _ => answer.data(&event.to_string()),
        }
    }
    answer.close();
}

#[test]
fn an_edit_is_staged_under_every_protocol() {
    for protocol in PROTOCOLS {
        let world = World::new(&[("notes.md", "a draft\n")]);
        let server = Server::start();
        let url = server.url().replace("/v1", "");
        let running = world.start(&[
            "exec",
            "--json",
            "--url",
            &url,
            "--model",
            "m",
            "--protocol",
            protocol,
            "make it final",
        ]);
        call(
            server.next(),
            protocol,
            "read",
            &json!({ "path": "notes.md" }),
        );
        let asked = server.next();
        let body = asked.body.to_string();
        assert!(body.contains("a draft"), "{protocol}: {body}");
        // What the model sealed goes back to it.
        let seals = matches!(protocol, "responses" | "anthropic" | "gemini");
        assert_eq!(body.contains("sealed"), seals, "{protocol}: {body}");
        call(asked, protocol, "edit_section", &edit());
        let asked = server.next();
        let body = asked.body.to_string();
        assert!(
            body.contains("Your edits are staged, not applied"),
            "{protocol}: {body}"
        );
        say(asked, protocol);
        let events = running.end().done().events();
        let staged = events
            .iter()
            .find(|event| event["type"] == "staged")
            .unwrap();
        assert_eq!(
            staged["proposals"][0]["description"], "say final",
            "{protocol}"
        );
        let ended = events
            .iter()
            .find(|event| event["type"] == "turn_ended")
            .unwrap();
        assert_eq!(ended["end"], "review", "{protocol}");
        assert_eq!(world.text("notes.md"), "a draft\n");
        assert!(!server.was_asked());
    }
}

/// A model that the user's file says cannot call writes its call into a fence.
#[test]
fn a_call_in_words_is_staged_too() {
    let world = World::new(&[("notes.md", "a draft\n")]);
    world.configure("[[models]]\nname = 'tiny'\ntools = false\n");
    let server = Server::start();
    let url = server.url();
    let running = world.start(&[
        "exec",
        "--json",
        "--url",
        &url,
        "--model",
        "tiny-1",
        "make notes.md final",
    ]);
    let asked = server.next();
    assert!(asked.body.get("tools").is_none() && asked.body.to_string().contains("# Tools"));
    let fence = |object: &Value| format!("I do it.\n```json\n{object}\n```\n");
    asked.say(&fence(
        &json!({ "name": "edit_section", "arguments": edit() }),
    ));
    let asked = server.next();
    assert!(
        asked
            .said_by("user")
            .concat()
            .contains("Result of edit_section:")
    );
    asked.say("Staged.");
    let events = running.end().done().events();
    let ended = events
        .iter()
        .find(|event| event["type"] == "turn_ended")
        .unwrap();
    assert_eq!(ended["end"], "review");
    assert_eq!(world.text("notes.md"), "a draft\n");
}

/// A call in a fence counts also where nothing is known of the model, but not in an answer that
/// may make none.
#[test]
fn a_fence_is_a_call_only_where_calls_may_be_made() {
    let world = World::new(&[("notes.md", "a draft\n")]);
    let server = Server::start();
    let url = server.url();
    let running = world.start(&[
        "exec",
        "--json",
        "--stop",
        "first-edit",
        "--url",
        &url,
        "--model",
        "m",
        "make notes.md final",
    ]);
    let fence = |object: &Value| format!("```json\n{object}\n```\n");
    let edit = json!({ "name": "edit_section", "arguments": edit() });
    server.next().say(&fence(&edit));
    let asked = server.next();
    assert_eq!(asked.tool_choice(), "none");
    asked.say(&fence(&edit));
    let events = running.end().done().events();
    let count = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
    assert_eq!((count("staged"), count("call_started")), (1, 1));
    assert_eq!(world.review().len(), 1);
    assert!(!server.was_asked());
}
