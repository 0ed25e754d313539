//! What the model says of its changes is held against them.

use serde_json::{Value, json};

use crate::confined::world as shadowed;
use crate::world::World;

const SAID: &str = "I renamed `load` to `read` in `a.py`. All callers are updated. All tests pass. I hope you like it.";

fn play(world: &World, arguments: &[&str]) -> crate::world::Ended {
    let edit = json!({ "delta": "call", "name": "edit_section", "arguments": {
        "path": "a.py", "description": "Rename", "old_text": "def load():", "new_text": "def read():",
    } });
    let answers: [Value; 2] = [
        json!({ "deltas": [edit] }),
        json!({ "deltas": [{ "delta": "text", "text": SAID }] }),
    ];
    let replay = world.beside("replay.jsonl");
    std::fs::write(&replay, answers.map(|answer| answer.to_string()).join("\n")).unwrap();
    let path = replay.to_str().unwrap().to_owned();
    world.run(&[&["exec"], arguments, &["--replay", &path, "rename load"]].concat())
}

fn world() -> World {
    World::new(&[
        ("a.py", "def load():\n    return 1\n"),
        ("b.py", "from a import load\n\nprint(load())\n"),
    ])
}

#[test]
fn a_sentence_that_does_not_hold_is_said_with_what_is_so() {
    let world = world();
    let said = play(&world, &[]).done();
    let told = said.stderr;
    assert!(
        told.contains("the model says \"All callers are updated.\": load is still used at b.py:"),
        "{told}"
    );
    assert!(
        told.contains("the model says \"All tests pass.\": no test ran"),
        "{told}"
    );
    assert!(
        !told.contains("I renamed") && !told.contains("I hope"),
        "{told}"
    );
}

#[test]
fn what_a_later_command_takes_back_was_not_done() {
    let files = [
        ("a.py", "def load():\n    return 1\n"),
        ("test_a.py", "from a import load\n"),
    ];
    let Some(world) = shadowed(&files) else {
        return;
    };
    let bash = |command: &str| json!({ "deltas": [{ "delta": "call", "name": "bash", "arguments": { "command": command } }] });
    let said = "Only `test_a.py` changed. I added one test.";
    let answers = [
        bash(concat!(
            r"printf '\n\ndef test_load():\n    assert load() == 1\n' >> test_a.py; ",
            "echo 1 > scratch.py; echo 'print(1)' >> a.py"
        )),
        bash("sed -i 's/test_load/test_loads/' test_a.py; rm scratch.py; sed -i '/^print/d' a.py"),
        json!({ "deltas": [{ "delta": "text", "text": said }] }),
    ];
    let replay = world.beside("replay.jsonl");
    std::fs::write(&replay, answers.map(|answer| answer.to_string()).join("\n")).unwrap();
    let replay = replay.to_str().unwrap();
    let ended = world
        .run(&["exec", "--json", "--replay", replay, "add a test"])
        .done();
    let events = ended.events();
    let claims = events
        .iter()
        .find(|event| event["type"] == "claims")
        .unwrap();
    let told: Vec<&Value> = claims["sentences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["judgement"])
        .collect();
    assert_eq!(told, ["holds", "holds"], "{claims}");
}

#[test]
fn events_have_what_holds_too() {
    let world = world();
    let events = play(&world, &["--json"]).done().events();
    let claims = events
        .iter()
        .position(|event| event["type"] == "claims")
        .unwrap();
    let end = events
        .iter()
        .position(|event| event["type"] == "turn_ended")
        .unwrap();
    assert!(claims < end);
    let judged: Vec<&Value> = events[claims]["sentences"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    let told: Vec<(&str, &str)> = judged
        .iter()
        .map(|it| {
            (
                it["sentence"].as_str().unwrap(),
                it["judgement"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("I renamed `load` to `read` in `a.py`.", "holds"),
            ("All callers are updated.", "contradicted"),
            ("All tests pass.", "contradicted"),
        ]
    );
}
