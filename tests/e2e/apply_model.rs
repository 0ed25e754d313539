//! A small model writes the content of an edit that the main model asks for, under contract.
//!
//! In: two servers on the wire, played by the test. Out: what was staged, and what it cost.

use serde_json::{Value, json};

use crate::server::Server;
use crate::world::World;

const CODE: &str = "fn one() {}\n\nfn two() {}\n";

/// Plays a turn in which the small model answers so; returns the world, the turn's events and
/// what the main model was answered.
fn turn(answer: &str, code: i32) -> (World, Vec<Value>, String) {
    let (main, small) = (Server::start(), Server::start());
    let world = World::new(&[("a.rs", CODE)]);
    world.configure(&format!(
        "[apply]\nurl = '{}'\nmodel = 'tiny'\n[[models]]\nname = 'tiny'\nprice = {{ input = 1.0, output = 2.0 }}\n",
        small.url()
    ));
    let url = main.url();
    let running = world.start(&[
        "exec",
        "--json",
        "--url",
        &url,
        "--model",
        "m",
        "let one do 1",
    ]);
    let asked = main.next();
    let tools = asked.body["tools"].to_string();
    assert!(tools.contains("instructions"), "{tools}");
    asked.call(
        "c1",
        "execute_edit",
        &json!({ "path": "a.rs", "operation": "modify", "description": "Let one do 1",
            "instructions": "put 1; into its body" }),
    );
    let asked = small.next();
    assert_eq!(asked.body["model"], "tiny");
    let body = asked.body["messages"].to_string();
    assert!(
        body.contains("fn two() {}") && body.contains("put 1; into its body"),
        "{body}"
    );
    let mut stream = asked.stream();
    stream.text(answer);
    stream.data(r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#);
    stream.data(r#"{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":100}}"#);
    stream.data("[DONE]");
    stream.close();
    let asked = main.next();
    let told = asked.said_by("tool")[0].to_owned();
    asked.say("Done.");
    let events = running.end().ends(code).events();
    assert!(!small.was_asked() && !main.was_asked());
    assert_eq!(world.text("a.rs"), CODE);
    (world, events, told)
}

fn summary(events: &[Value]) -> &str {
    let done = events.iter().find(|event| event["type"] == "call_done");
    done.unwrap()["summary"].as_str().unwrap()
}

#[test]
fn what_keeps_the_contract_is_staged_with_its_price() {
    let (world, events, told) = turn("```rust\nfn one() { 1; }\n\nfn two() {}\n```", 0);
    assert!(told.contains("\"status\":\"staged\""), "{told}");
    let summary = summary(&events);
    assert!(
        summary.starts_with("staged a.rs +1 -1; tiny: 1000 in, 100 out, "),
        "{summary}"
    );
    assert!(summary.ends_with(" s, $0.0012"), "{summary}");
    assert_eq!(world.review().len(), 1);
    let spent = events
        .iter()
        .rfind(|event| event["type"] == "spent")
        .unwrap();
    assert_eq!(spent["turn"]["input"], 1000, "{spent}");
}

#[test]
fn what_breaks_it_is_left_to_the_main_model() {
    let (world, events, told) = turn("```rust\nfn one() { 1; }\n```", 3);
    assert!(
        told.contains("it removed two") && told.contains("edit yourself"),
        "{told}"
    );
    assert!(events.iter().all(|event| event["type"] != "staged"));
    assert_eq!(world.review(), Vec::<Value>::new());
}
