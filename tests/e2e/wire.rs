//! `signoff exec` against a server on the wire, which answers when the test wants.

use serde_json::{Value, json};

use crate::server::{Asked, Server};
use crate::world::{Ended, Running, World};

const TEXT: &str = "# Title\n\nText.\n";

struct Talk {
    world: World,
    server: Server,
    running: Running,
}

/// Starts a turn that stops at its first edit; the first request is on its way.
fn ask(prompt: &str) -> Talk {
    ask_with(&["--stop", "first-edit"], prompt)
}

fn ask_with(options: &[&str], prompt: &str) -> Talk {
    let world = World::new(&[("notes.md", TEXT)]);
    let server = Server::start();
    let url = server.url();
    let arguments = ["exec", "--json", "--url", &url, "--model", "m"];
    let running = world.start(&[&arguments[..], options, &[prompt]].concat());
    Talk {
        world,
        server,
        running,
    }
}

fn edit(old: &str, new: &str) -> Value {
    json!({
        "path": "notes.md", "operation": "modify", "description": format!("say {new}"),
        "edits": [{ "old_text": old, "new_text": new }],
    })
}

/// Checks that a turn failed with a clear word, and that nothing was changed or staged.
fn failed(talk: Talk, why: &str) -> Ended {
    let Talk {
        world,
        server,
        running,
    } = talk;
    let ended = running.end().ends(1);
    let events = ended.events();
    let fault = events.iter().find(|event| event["type"] == "fault");
    let fault = fault.unwrap_or_else(|| panic!("no fault: {ended:#?}"));
    assert_eq!(fault["kind"], "provider", "{fault}");
    assert!(fault["message"].as_str().unwrap().contains(why), "{fault}");
    assert!(fault["hint"].is_string(), "{fault}");
    assert_eq!(end_of(&events), "failed");
    assert_eq!(world.text("notes.md"), TEXT);
    assert_eq!(world.review(), Vec::<Value>::new());
    assert!(!server.was_asked(), "it was sent again");
    ended
}

/// Returns how the turn ended.
fn end_of(events: &[Value]) -> &str {
    let ended = events.iter().find(|event| event["type"] == "turn_ended");
    ended.unwrap()["end"].as_str().unwrap()
}

#[test]
fn the_intent_is_known_while_the_arguments_still_stream() {
    let Talk {
        world,
        server,
        mut running,
    } = ask("say words");
    let asked = server.next();
    assert_eq!(asked.tool_choice(), "auto");
    assert_eq!(asked.body["stream"], true);
    let tools = asked.body["tools"].as_array().unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    for tool in [
        "declare_edit_intent",
        "edit_section",
        "apply_structured_edits",
        "write",
        "read",
        "list_dir",
        "grep",
    ] {
        assert!(names.contains(&tool), "{tool}: {names:?}");
    }
    assert_eq!(asked.said_by("user"), ["say words"]);
    let mut answer = asked.stream();
    answer.call(0, "call_1", "edit_section");
    let arguments = edit("Text.", "Words.").to_string();
    let (head, tail) = arguments.split_at(arguments.find("\"edits\"").unwrap() + 20);
    for piece in head.as_bytes().chunks(3) {
        answer.arguments(0, std::str::from_utf8(piece).unwrap());
    }
    let intent = running.event("intent");
    assert_eq!(intent["path"], "notes.md");
    assert_eq!(intent["operation"], "modify");
    assert_eq!(intent["description"], "say Words.");
    assert_eq!(
        world.review(),
        Vec::<Value>::new(),
        "nothing is staged before the call is whole"
    );
    answer.arguments(0, tail);
    answer.end("tool_calls");

    let asked = server.next();
    let proposal = world.review()[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(asked.tool_choice(), "none");
    let notices = asked.said_by("system");
    let notice = notices.last().unwrap();
    assert!(
        notice.contains(&proposal) && notice.contains("staged, not applied"),
        "{notice}"
    );
    let answers = asked.said_by("tool");
    assert_eq!(answers.len(), 1);
    assert!(answers[0].contains(&proposal));
    asked.say("Staged one change.");
    let ended = running.end().done();
    assert_eq!(end_of(&ended.events()), "review");
    assert_eq!(world.text("notes.md"), TEXT);
    assert_eq!(world.review().len(), 1);
}

/// Reads run, and their answers come back in the order of the calls, before anything is staged.
#[test]
fn reads_and_edits_of_one_answer_are_all_answered() {
    let Talk {
        world,
        server,
        running,
    } = ask("look and change");
    let mut answer = server.next().stream();
    let calls = [
        ("c1", "read", json!({ "path": "notes.md" })),
        ("c2", "list_dir", json!({ "path": "." })),
        ("c3", "edit_section", edit("Text.", "Words.")),
        ("c4", "grep", json!({ "pattern": "Title" })),
        ("c5", "no_such_tool", json!({})),
        ("c6", "edit_section", edit("absent", "x")),
    ];
    for (index, (id, name, arguments)) in calls.iter().enumerate() {
        answer.call(index, id, name);
        answer.arguments(index, &arguments.to_string());
    }
    answer.end("tool_calls");
    let asked = server.next();
    // An edit that did not fit is to be made again.
    assert_eq!(asked.tool_choice(), "auto");
    let messages = asked.body["messages"].as_array().unwrap();
    let answered = messages.iter().filter(|message| message["role"] == "tool");
    let ids: Vec<_> = answered
        .map(|message| message["tool_call_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["c1", "c2", "c3", "c4", "c5", "c6"]);
    assert!(asked.said_by("tool")[0].contains("Text."));
    asked.say("Done.");
    // The edit that did not fit was not made again.
    running.end().ends(3);
    assert_eq!(world.review().len(), 1);
}

/// A model that calls on although it was told to stop is refused.
#[test]
fn a_call_after_the_gate_closed_is_refused() {
    let Talk {
        world,
        server,
        running,
    } = ask("change twice");
    server
        .next()
        .call("c1", "edit_section", &edit("Text.", "Words."));
    server
        .next()
        .call("c2", "edit_section", &edit("Title", "Heading"));
    let events = running.end().done().events();
    let calls: Vec<_> = events
        .iter()
        .filter(|event| event["type"] == "call_done")
        .collect();
    assert_eq!(
        [&calls[0]["ok"], &calls[1]["ok"]],
        [true, false],
        "{calls:#?}"
    );
    assert!(calls[1]["summary"].as_str().unwrap().starts_with("refused"));
    assert_eq!(world.review().len(), 1, "the second was not staged");
}

/// The whole answer is one JSON body: a server that does not stream.
#[test]
fn a_server_that_does_not_stream_is_understood() {
    let Talk {
        world,
        server,
        running,
    } = ask("say words");
    let call = json!({ "id": "c1", "type": "function",
        "function": { "name": "edit_section", "arguments": edit("Text.", "Words.").to_string() } });
    let body = |message: Value, reason: &str| {
        json!({ "choices": [{ "index": 0, "message": message, "finish_reason": reason }] })
            .to_string()
    };
    let calls = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
    server
        .next()
        .refuse("200 OK", "", &body(calls, "tool_calls"));
    let text = json!({ "role": "assistant", "content": "Staged." });
    server.next().refuse("200 OK", "", &body(text, "stop"));
    running.end().done();
    assert_eq!(world.review().len(), 1);
}

#[test]
fn the_first_listed_model_is_asked_where_none_is_named() {
    let world = World::new(&[]);
    let server = Server::start();
    let url = server.url();
    let running = world.start(&["exec", "--url", &url, "hello"]);
    let asked = server.next();
    assert!(asked.head.starts_with("GET /v1/models "), "{}", asked.head);
    asked.refuse("200 OK", "", r#"{"data":[{"id":"first"},{"id":"second"}]}"#);
    let asked = server.next();
    assert_eq!(asked.body["model"], "first");
    asked.say("hi");
    running.end().done().says("hi");
}

#[test]
fn a_server_that_is_down_is_named() {
    let world = World::new(&[("notes.md", TEXT)]);
    let url = Server::nowhere();
    let ended = world
        .run(&["exec", "--url", &url, "--model", "m", "hello"])
        .ends(1);
    let address = url.trim_start_matches("http://").trim_end_matches("/v1");
    ended.says("cannot reach").says(address);
}

fn refuse(asked: Asked, status: &str, message: &str) {
    let body = json!({ "error": { "message": message } }).to_string();
    asked.refuse(status, "retry-after: 0\r\n", &body);
}

#[test]
fn a_refusal_is_told_in_the_servers_words() {
    for (status, message) in [
        ("401 Unauthorized", "no such key"),
        ("403 Forbidden", "not for you"),
        ("404 Not Found", "no such model"),
        ("400 Bad Request", "the prompt is too long"),
    ] {
        let talk = ask("hello");
        refuse(talk.server.next(), status, message);
        let ended = failed(talk, message);
        assert!(ended.stdout.contains(&status[..3]), "{ended:#?}");
    }
}

#[test]
fn a_server_that_is_busy_is_asked_again() {
    for status in [
        "429 Too Many Requests",
        "500 Internal Server Error",
        "503 Service Unavailable",
    ] {
        let Talk {
            world,
            server,
            mut running,
        } = ask("say words");
        refuse(server.next(), status, "a moment");
        let retrying = running.event("retrying");
        assert_eq!(retrying["attempt"], 2);
        assert!(
            retrying["reason"].as_str().unwrap().contains("a moment"),
            "{retrying}"
        );
        server
            .next()
            .call("c1", "edit_section", &edit("Text.", "Words."));
        server.next().say("Staged.");
        running.end().done();
        assert_eq!(world.review().len(), 1, "{status}");
    }
}

#[test]
fn a_server_that_stays_broken_is_given_up() {
    let talk = ask("hello");
    for _ in 0..4 {
        refuse(
            talk.server.next(),
            "500 Internal Server Error",
            "out of memory",
        );
    }
    failed(talk, "out of memory");
}

/// The stream breaks off after a call was whole, but before the answer was: it is not run.
/// How often the model is asked before a turn ends whose answers all break off.
const ATTEMPTS: usize = 3;

#[test]
fn an_answer_that_breaks_off_stages_nothing() {
    let talk = ask("say words");
    for _ in 0..ATTEMPTS {
        let mut answer = talk.server.next().stream();
        answer.text("I will");
        answer.call(0, "c1", "edit_section");
        answer.arguments(0, &edit("Text.", "Words.").to_string());
        answer.cut();
    }
    failed(talk, "broke off");
}

#[test]
fn an_answer_that_breaks_off_in_a_call_stages_nothing() {
    let talk = ask("say words");
    for _ in 0..ATTEMPTS {
        let mut answer = talk.server.next().stream();
        answer.call(0, "c1", "edit_section");
        let arguments = edit("Text.", "Words.").to_string();
        answer.arguments(0, &arguments[..arguments.len() / 2]);
        answer.cut();
    }
    failed(talk, "broke off");
}

/// The model goes on after what it had said, and the call that broke off is made once.
#[test]
fn an_answer_that_breaks_off_is_gone_on_with() {
    let Talk {
        world,
        server,
        running,
    } = ask("say words");
    let mut answer = server.next().stream();
    answer.text("I will");
    answer.call(0, "c1", "edit_section");
    answer.arguments(0, &edit("Text.", "Words.").to_string());
    answer.cut();
    let asked = server.next();
    assert_eq!(asked.said_by("assistant"), ["I will"]);
    asked.call("c1", "edit_section", &edit("Text.", "Words."));
    server.next().say("Staged.");
    running.end().done();
    assert_eq!(world.review().len(), 1);
}

/// What an earlier answer of the turn staged stays, and is not staged again.
#[test]
fn what_was_staged_before_the_server_failed_stays_staged_once() {
    let Talk {
        world,
        server,
        running,
    } = ask("say words");
    server
        .next()
        .call("c1", "edit_section", &edit("Text.", "Words."));
    let mut answer = server.next().stream();
    answer.text("Staged");
    answer.cut();
    // What was asked for is there; only the closing words are missing.
    let ended = running.end().done();
    assert!(ended.events().iter().any(|event| event["type"] == "fault"));
    assert_eq!(world.review().len(), 1);
    assert_eq!(world.text("notes.md"), TEXT);
    world.run(&["approve", "--all"]).done();
    assert_eq!(world.text("notes.md"), TEXT.replace("Text.", "Words."));
}

/// What was staged may be half of what was asked, and `--approve all` does not write it.
#[test]
fn what_was_staged_before_a_fault_in_the_middle_of_the_work_is_not_written() {
    let Talk {
        world,
        server,
        running,
    } = ask_with(&["--approve", "all"], "say words");
    let edit = edit("Text.", "Words.");
    server.next().call("c1", "edit_section", &edit);
    for _ in 0..ATTEMPTS {
        let mut answer = server.next().stream();
        answer.text("Now the other");
        answer.cut();
    }
    let ended = running.end().ends(1);
    assert_eq!(end_of(&ended.events()), "failed");
    assert_eq!(world.text("notes.md"), TEXT);
    assert_eq!(world.review().len(), 1);
}

#[test]
fn what_is_no_answer_is_said_to_be_none() {
    for nonsense in ["nonsense", "[1, 2", "7", "{\"choices\": ["] {
        let talk = ask("hello");
        for _ in 0..ATTEMPTS {
            let mut answer = talk.server.next().stream();
            answer.text("so far");
            answer.data(nonsense);
        }
        failed(talk, "not an answer");
    }
    for page in ["<html><body>It works!</body></html>", "[]", "{}"] {
        let talk = ask("hello");
        talk.server.next().refuse("200 OK", "", page);
        failed(talk, "not an answer");
    }
    // An error in the middle of a stream is the server's, in its own words.
    let talk = ask("hello");
    for _ in 0..ATTEMPTS {
        let mut answer = talk.server.next().stream();
        answer.text("so far");
        answer.data(r#"{"error":{"message":"the model was unloaded","code":500}}"#);
    }
    failed(talk, "the model was unloaded");
}

/// Arguments that are no JSON are answered, and the model may try again.
#[test]
fn malformed_arguments_are_answered() {
    let Talk {
        world,
        server,
        running,
    } = ask("say words");
    let mut answer = server.next().stream();
    answer.call(0, "c1", "edit_section");
    answer.arguments(0, "{\"path\": \"notes.md\", ");
    answer.end("tool_calls");
    let asked = server.next();
    assert_eq!(asked.tool_choice(), "auto");
    let answers = asked.said_by("tool");
    assert!(answers[0].contains("JSON"), "{answers:?}");
    asked.call("c2", "edit_section", &edit("Text.", "Words."));
    server.next().say("Staged.");
    running.end().done();
    assert_eq!(world.review().len(), 1);
}

/// A redirect does not take the prompt elsewhere.
#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Server::start();
    let talk = ask("hello");
    let location = format!("location: {}/chat/completions\r\n", elsewhere.url());
    talk.server
        .next()
        .refuse("307 Temporary Redirect", &location, "");
    failed(talk, "307");
    assert!(!elsewhere.was_asked());
}

/// Where edits are written at once, the model is told so before and with the answer.
#[test]
fn what_is_written_at_once_is_told_to_the_model() {
    let world = World::new(&[("notes.md", TEXT)]);
    let server = Server::start();
    let url = server.url();
    let running = world.start(&[
        "exec",
        "--write-through",
        "--json",
        "--url",
        &url,
        "--model",
        "m",
        "say words",
    ]);
    let asked = server.next();
    assert!(asked.said_by("system")[0].contains("written at once"));
    asked.call("c1", "edit_section", &edit("Text.", "Words."));
    let asked = server.next();
    assert_eq!(asked.tool_choice(), "auto");
    assert!(asked.said_by("tool")[0].contains("\"written\":true"));
    assert_eq!(world.text("notes.md"), TEXT.replace("Text.", "Words."));
    asked.say("Done.");
    assert_eq!(end_of(&running.end().done().events()), "done");
    assert_eq!((world.review().len(), world.history().len()), (0, 1));
}
