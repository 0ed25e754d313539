//! The body of every request that any test of this room sends, in every protocol; and those of
//! one conversation through all phases, in print.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::*;
use crate::gate::StopRule;
use crate::provider::text::in_words;
use crate::provider::{Options, Protocol};

/// What a body says, whatever the protocol calls it.
#[derive(Debug, Default)]
struct Told {
    /// Calls, in order: id, or name where there are no ids.
    calls: Vec<String>,
    /// Results, in order.
    results: Vec<String>,
    texts: Vec<String>,
}

/// Asserts for every protocol that the body says what the prompt does: all texts and notices,
/// each call and its one result, and whether tools may be called.
pub(in crate::session) fn check(prompt: &Prompt) {
    for protocol in Protocol::ALL {
        let body = protocol.encode(prompt, "m", &Options::default());
        let told = read(protocol, &body);
        assert_eq!(told.calls, told.results, "{protocol}: {body:#}");
        let named = protocol == Protocol::Gemini;
        let calls = calls_of(prompt, named);
        assert_eq!(told.calls, calls, "{protocol}: {body:#}");
        for message in &prompt.messages {
            if let Message::System { text } | Message::User { text, .. } = message {
                assert!(
                    told.texts.iter().any(|told| told.ends_with(text.as_str())),
                    "{protocol} leaves out {text:?}: {body:#}"
                );
            }
        }
        let sent = body.to_string();
        for image in images_of(prompt) {
            assert!(sent.contains(&image.base64()), "{protocol}: {body:#}");
        }
        let open = prompt.tool_choice == ToolChoice::Auto;
        assert_eq!(choice(protocol, &body), open, "{protocol}: {body:#}");
    }
    check_words(prompt);
}

/// Asserts the same for the protocol that puts tools into words.
fn check_words(prompt: &Prompt) {
    let words = in_words(prompt);
    assert!(words.tools.is_empty());
    let body = Protocol::Openai.encode(&words, "m", &Options::default());
    let list = body["messages"].as_array().cloned().unwrap_or_default();
    let roles: Vec<&str> = list.iter().filter_map(|one| one["role"].as_str()).collect();
    assert!(roles.windows(2).all(|pair| pair[0] != pair[1]), "{roles:?}");
    let said = |role: &str| -> String {
        let by = list.iter().filter(|one| one["role"] == role);
        by.map(|one| words_of(&one["content"])).collect()
    };
    let (user, model) = (said("user") + &said("system"), said("assistant"));
    for message in &prompt.messages {
        match message {
            Message::System { text }
            | Message::User { text, .. }
            | Message::Tool { content: text, .. } => {
                assert!(user.contains(text.trim()), "leaves out {text:?}: {body:#}");
            }
            Message::Assistant { text, calls, .. } => {
                assert!(model.contains(text.trim()), "leaves out {text:?}: {body:#}");
                for call in calls {
                    let name = format!("{:?}", call.name);
                    assert!(model.contains(&name), "leaves out {name}: {body:#}");
                }
            }
        }
    }
}

fn images_of(prompt: &Prompt) -> impl Iterator<Item = &crate::image::Image> {
    let images = prompt.messages.iter().filter_map(|message| match message {
        Message::User { images, .. } => Some(images),
        _ => None,
    });
    images.flatten()
}

/// Returns the text of a message, which is a list of parts where it has images.
fn words_of(content: &Value) -> String {
    let parts = content.as_array().cloned().unwrap_or_default();
    let words = parts.iter().filter_map(|part| part["text"].as_str());
    content.as_str().into_iter().chain(words).collect()
}

fn calls_of(prompt: &Prompt, named: bool) -> Vec<String> {
    let calls = prompt.messages.iter().filter_map(|message| match message {
        Message::Assistant { calls, .. } => Some(calls),
        _ => None,
    });
    calls
        .flatten()
        .map(|call| {
            if named {
                call.name.clone()
            } else {
                call.id.0.clone()
            }
        })
        .collect()
}

/// Tells whether a body lets the model call tools.
fn choice(protocol: Protocol, body: &Value) -> bool {
    match protocol {
        Protocol::Openai | Protocol::Responses => body["tool_choice"] == "auto",
        Protocol::Anthropic => body["tool_choice"]["type"] == "auto",
        Protocol::Gemini => body["toolConfig"]["functionCallingConfig"]["mode"] == "AUTO",
        Protocol::Ollama => body.get("tools").is_some(),
    }
}

fn read(protocol: Protocol, body: &Value) -> Told {
    let mut told = Told::default();
    match protocol {
        Protocol::Openai | Protocol::Ollama => {
            for message in items(&body["messages"]) {
                told.texts.push(words_of(&message["content"]));
                let calls = items(&message["tool_calls"]);
                told.calls
                    .extend(calls.iter().map(|call| string(&call["id"])));
                if message["role"] == "tool" {
                    told.results.push(string(&message["tool_call_id"]));
                }
            }
        }
        Protocol::Responses => {
            told.texts.push(string(&body["instructions"]));
            for item in items(&body["input"]) {
                told.texts.push(words_of(&item["content"]));
                match item["type"].as_str() {
                    Some("function_call") => told.calls.push(string(&item["call_id"])),
                    Some("function_call_output") => told.results.push(string(&item["call_id"])),
                    _ => {}
                }
            }
        }
        Protocol::Anthropic => {
            let system = items(&body["system"]);
            told.texts
                .extend(system.iter().map(|block| string(&block["text"])));
            let messages = items(&body["messages"]);
            let roles: Vec<_> = messages
                .iter()
                .map(|message| string(&message["role"]))
                .collect();
            assert!(roles.windows(2).all(|pair| pair[0] != pair[1]), "{roles:?}");
            for block in messages
                .iter()
                .flat_map(|message| items(&message["content"]))
            {
                told.texts.push(string(&block["text"]));
                match block["type"].as_str() {
                    Some("tool_use") => told.calls.push(string(&block["id"])),
                    Some("tool_result") => told.results.push(string(&block["tool_use_id"])),
                    _ => {}
                }
            }
        }
        Protocol::Gemini => {
            let system = items(&body["systemInstruction"]["parts"]);
            told.texts
                .extend(system.iter().map(|part| string(&part["text"])));
            let contents = items(&body["contents"]);
            for part in contents.iter().flat_map(|turn| items(&turn["parts"])) {
                told.texts.push(string(&part["text"]));
                if part.get("functionCall").is_some() {
                    told.calls.push(string(&part["functionCall"]["name"]));
                }
                if part.get("functionResponse").is_some() {
                    told.results.push(string(&part["functionResponse"]["name"]));
                }
            }
        }
    }
    told
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn items(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// One conversation through all phases: reads, an edit, the closing words, a denial with a
/// reason, a broken answer that the model is asked to go on with.
fn conversation() -> Vec<Prompt> {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.piece(Delta::Keep {
        origin: "maker m".to_owned(),
        value: json!({ "sealed": true }),
    });
    stage.piece(text("Looking."));
    stage.calls(&[("a", "read", READ), ("b", "read", READ)]);
    stage.done("a", ToolOutput::done("1: fn main() {}", "read"));
    stage.done("b", ToolOutput::failed("error: no such file", "not found"));
    stage.calls(&[("c", "edit_section", EDIT)]);
    stage.done("c", staged(1, 2));
    stage.says("Staged.");
    let reason = denied(Some("keep the old name"));
    stage.feed(verdicts(
        vec![judged(1, HunkStatus::Committed), judged(2, reason)],
        0,
    ));
    stage.feed(Input::Reviewed(Ok(vec![].into())));
    stage.piece(text("I wi"));
    stage.ended(Err(cut()));
    stage.prompts
}

#[test]
fn one_conversation_in_every_protocol() {
    let prompts = conversation();
    assert_eq!(prompts.len(), 5);
    let mut bodies: HashMap<Protocol, Vec<Value>> = HashMap::new();
    for (prompt, protocol) in prompts
        .iter()
        .flat_map(|p| Protocol::ALL.map(|one| (p, one)))
    {
        let body = protocol.encode(prompt, "m", &Options::default());
        bodies.entry(protocol).or_default().push(body);
    }
    for (protocol, mut bodies) in bodies {
        // The tools are the same each time; the first request shows them.
        bodies.iter_mut().skip(1).for_each(without_tools);
        let shown = [bodies.remove(0), bodies.remove(1), bodies.remove(2)];
        assert_json_snapshot!(format!("wire_{protocol}"), shown);
    }
}

fn without_tools(body: &mut Value) {
    if let Some(tools) = body.get_mut("tools") {
        *tools = json!("...");
    }
}

#[test]
fn one_conversation_in_words() {
    let prompts = conversation();
    let body = |at: usize| {
        let words = in_words(&prompts[at]);
        Protocol::Openai.encode(&words, "m", &Options::default())
    };
    assert_json_snapshot!("wire_words", [body(0), body(2), body(4)]);
}

/// A turn that goes on while edits wait, whose second edit breaks the syntax, and which the user
/// then stops and takes up again: the requests that the other conversation has not.
fn open_conversation() -> Vec<Prompt> {
    let mut stage = Stage::with(Config {
        stop: StopRule::TurnEnd,
        ..Config::new(specs())
    });
    stage.submit("fix both");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.done("a", staged(1, 1));
    stage.calls(&[("b", "edit_section", EDIT)]);
    stage.done("b", breaking());
    stage.piece(text("I shall"));
    stage.cancel();
    stage.submit("go on");
    stage.prompts
}

#[test]
fn a_turn_that_stays_open_in_every_protocol() {
    let prompts = open_conversation();
    assert_eq!(prompts.len(), 4);
    assert!(
        prompts
            .iter()
            .all(|prompt| prompt.tool_choice == ToolChoice::Auto)
    );
    let last = &prompts[3];
    for protocol in Protocol::ALL {
        let mut body = protocol.encode(last, "m", &Options::default());
        without_tools(&mut body);
        assert_json_snapshot!(format!("wire_open_{protocol}"), body);
    }
    let words = in_words(last).messages.split_off(1);
    assert_json_snapshot!("wire_open_words", words);
}

#[test]
fn what_is_kept_goes_back_to_its_maker_only() {
    let prompts = conversation();
    let Message::Assistant { kept, .. } = &prompts[1].messages[2] else {
        panic!("{:?}", prompts[1].messages[2])
    };
    assert_eq!(
        (kept.len(), kept[0].after_text, kept[0].after_calls),
        (1, 0, 0)
    );
    for protocol in Protocol::ALL {
        let body = protocol.encode(&prompts[1], "m", &Options::default());
        assert!(!body.to_string().contains("sealed"), "{protocol}");
    }
}
