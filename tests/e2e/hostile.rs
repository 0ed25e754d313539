//! Names and texts that want to take the terminal over: everything that is printed goes
//! through `Ended`, which lets nothing pass that a terminal obeys.

use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{World, section, whole};

/// Escape sequences, C1 controls, reordering and a name for the window.
const NAME: &str = "e\u{1b}[2J\u{9b}31m\u{202e}txt.\u{2066}\u{7f}é漢.txt";
const LINE: &str =
    "a\u{1b}]0;owned\u{7}b\u{9d}52;c;x\u{9c}\u{202e}drow\u{2069}\u{8}\u{7f}\u{85} é漢";

fn world() -> World {
    World::new(&[(NAME, &format!("{LINE}\nplain\n"))])
}

#[test]
fn hostile_names_and_lines_are_shown_escaped_and_kept_as_they_are() {
    let world = world();
    world.stage(json!([section(NAME, "plain", LINE)]));
    let waiting = world.review();
    assert_eq!(
        waiting[0]["path"], NAME,
        "JSON carries them escaped and whole"
    );
    let lines = waiting[0]["hunks"][0]["lines"].to_string();
    assert!(lines.contains("owned"));
    let shown = world.run(&["review"]).done().stdout;
    assert!(
        shown.contains("é漢.txt") && shown.contains("\\u{202e}"),
        "{shown}"
    );
    world.run(&["approve", "--all"]).done().says("wrote 1 hunk");
    assert_eq!(world.text(NAME), format!("{LINE}\n{LINE}\n"));
    assert_eq!(world.history()[0]["path"], NAME);
    world.run(&["history"]).done().says("owned");
    world.run(&["history", NAME]).done();
    world.run(&["revert", NAME]).done().says("é漢.txt");
    assert_eq!(world.text(NAME), format!("{LINE}\nplain\n"));
    world.run(&["revert", NAME, "--json"]).ends(1);
}

#[test]
fn hostile_words_of_a_request_are_shown_escaped() {
    let world = world();
    for path in [LINE, &format!("../{LINE}"), &format!("absent{LINE}")] {
        let payload = json!({ "changes": [section(path, LINE, "x")] });
        let ended = world.apply(&[], &payload);
        assert_ne!(ended.code, Some(0));
        assert_eq!(ended.json()["results"][0]["file"], path);
    }
    world
        .feed(
            &["apply"],
            format!("{{\"changes\":[{{\"file\":\"a\",\"strategy\":\"{LINE}\"}}]}}"),
        )
        .ends(1);
    world
        .feed(
            &["apply"],
            json!({ "changes": [{ "file": "a", "strategy": LINE }] }).to_string(),
        )
        .ends(1);
    world.run(&["approve", LINE]).ends(1);
    world.run(&["deny", "--all", "--reason", LINE]).done();
    world.run(&["history", LINE]).done();
    world.run(&["revert", LINE]).ends(1);
    world.run(&["-C", LINE, "review"]).ends(1);
    world.run(&["exec", "--replay", LINE, LINE]).ends(1);
    world.run(&["exec", "--offline", LINE]);
    world.run(&["exec", "--offline", "--json", LINE]);
    world
        .run(&["exec", "--url", LINE, "--model", "m", "x"])
        .ends(1);
}

#[test]
fn the_engine_prints_them_escaped() {
    let world = World::new(&[]);
    let edit = json!({ "section": { "edits": [{ "old_text": "plain", "new_text": LINE }] } });
    let request = |id: &str, before: &str| json!({ "id": id, "path": NAME, "before": before, "change": edit });
    let input = format!(
        "{}\n{}\n{LINE}\n",
        request(LINE, "plain\n"),
        request("1", LINE)
    );
    let answers = world.feed(&["engine"], input).done().events();
    assert_eq!(answers[0]["id"], LINE);
    assert_eq!(answers[0]["after"], format!("{LINE}\n"));
    assert_eq!(answers[2]["status"], "invalid");
}

#[test]
fn a_folder_with_a_hostile_name_is_a_folder() {
    let world = World::new(&[(&format!("{NAME}/a.txt"), "a\n")]);
    let at = |rest: &[&str]| world.run(&[&["-C", NAME], rest].concat());
    at(&["doctor", "--offline"]).done();
    let findings = at(&["doctor", "--offline", "--json"]).done().json();
    assert!(
        findings["findings"][0]["text"]
            .as_str()
            .unwrap()
            .ends_with(NAME)
    );
    at(&[
        "exec",
        "--offline",
        "--approve",
        "all",
        "replace \"a\" with \"b\" in a.txt",
    ])
    .done();
    assert_eq!(world.text(&format!("{NAME}/a.txt")), "b\n");
}

/// What a model says, and how it names its tools and ids, is no more trusted.
#[test]
fn a_hostile_model_is_shown_escaped() {
    let world = world();
    let call = |name: &str, arguments: Value| json!({ "delta": "call", "id": LINE, "name": name, "arguments": arguments });
    let script = [
        json!({ "deltas": [
            { "delta": "reasoning", "text": LINE },
            { "delta": "text", "text": LINE },
            call(LINE, json!({ "path": NAME, "description": LINE })),
            call("read", json!({ "path": LINE })),
            { "delta": "call", "name": "read", "arguments": LINE },
            call("write", json!({ "path": NAME, "operation": "rewrite", "description": LINE, "content": LINE })),
        ] }),
        json!({ "deltas": [{ "delta": "text", "text": LINE }] }),
    ];
    let script: String = script.iter().map(|line| format!("{line}\n")).collect();
    let file = world.beside("script.jsonl");
    std::fs::write(&file, script).unwrap();
    let file = file.to_str().unwrap();
    let events = world
        .run(&["exec", "--json", "--replay", file, LINE])
        .events();
    let said: String = events
        .iter()
        .filter(|event| event["type"] == "text")
        .map(|e| e["text"].as_str().unwrap())
        .collect();
    assert!(said.contains(LINE), "JSON carries it whole");
    world.run(&["exec", "--replay", file, LINE]);
    world.run(&["review"]).done();
    world.run(&["deny", "--all"]).done();
}

/// A name of several lines makes no line of its own in what tells of a turn.
#[test]
fn a_name_makes_no_line_of_a_turns_progress() {
    let name = "x\nFORGED\u{2028}FORGED.py";
    let world = World::new(&[(name, "def f(): pass\n")]);
    let call = |name: &str, arguments: Value| json!({ "delta": "call", "name": name, "arguments": arguments });
    let script = [
        json!({ "deltas": [
            call("outline", json!({ "path": name })),
            call("grep", json!({ "pattern": "f", "path": name })),
            call("read", json!({ "path": "missing\nFORGED" })),
            call("write", json!({ "path": name, "operation": "rewrite", "description": "d\nFORGED", "content": "" })),
        ] }),
        json!({ "deltas": [{ "delta": "text", "text": "done" }] }),
    ];
    let script: String = script.iter().map(|line| format!("{line}\n")).collect();
    let file = world.beside("script.jsonl");
    std::fs::write(&file, script).unwrap();
    let ran = world.run(&["exec", "--replay", file.to_str().unwrap(), "go"]);
    let told = format!("{}\n{}", ran.stdout, ran.stderr);
    assert!(told.contains("FORGED"), "{told}");
    let forged = told
        .lines()
        .find(|line| line.trim_start().starts_with("FORGED"));
    assert_eq!(forged, None, "{told}");
}

/// A workspace full of what is no text hangs and breaks nothing.
#[test]
fn a_search_passes_by_what_is_no_text() {
    let world = World::new(&[
        ("a.rs", "fn old_name() {}\n"),
        ("target/b.rs", "fn old_name() {}\n"),
    ]);
    world.write("binary.rs", b"old_name\0\xff\n");
    world.write("latin.rs", b"// caf\xe9 old_name\n");
    world.write("large.rs", "fn old_name() {}\n".repeat(600_000));
    std::os::unix::fs::symlink(".", world.at("loop")).unwrap();
    std::os::unix::fs::symlink("/", world.at("everything")).unwrap();
    let pipe = std::process::Command::new("mkfifo")
        .arg(world.at("pipe.rs"))
        .status()
        .unwrap();
    assert!(pipe.success());
    world.write(".gitignore", "target\n");
    std::fs::create_dir(world.at(".git")).unwrap();
    world
        .run(&[
            "exec",
            "--offline",
            "--approve",
            "all",
            "rename old_name to new_name",
        ])
        .done();
    assert_eq!(world.text("a.rs"), "fn new_name() {}\n");
    assert_eq!(world.text("target/b.rs"), "fn old_name() {}\n");
    assert_eq!(world.bytes("latin.rs"), b"// caf\xe9 old_name\n");
}

#[test]
fn a_whole_hostile_file_can_be_made_and_taken_back() {
    let world = World::new(&[]);
    world.stage(json!([whole(NAME, LINE)]));
    world.run(&["review"]).done();
    world.run(&["approve", "--all", "--json"]).done();
    assert_eq!(world.text(NAME), LINE);
    world.run(&["revert", NAME]).done();
    assert!(world.files().is_empty());
}

/// Files of a clone that have no end, or never begin, hold nothing up.
#[test]
fn configuration_and_ignore_files_without_an_end_are_refused_or_passed_over() {
    let calls = ["grep", "find", "read"].map(|name| {
        let arguments = match name {
            "grep" => json!({ "pattern": "needle" }),
            "find" => json!({ "glob": "*" }),
            _ => json!({ "path": "AGENTS.md" }),
        };
        json!({ "delta": "call", "name": name, "arguments": arguments })
    });
    for name in [
        ".signoff.toml",
        ".gitignore",
        ".ignore",
        "AGENTS.md",
        "sub/.gitignore",
    ] {
        for kind in ["endless", "pipe"] {
            let world = World::new(&[("a.txt", "needle\n"), ("sub/b.txt", "needle\n")]);
            match kind {
                "pipe" => {
                    let made = Command::new("mkfifo").arg(world.at(name)).status();
                    assert!(made.unwrap().success());
                }
                _ => symlink("/dev/zero", world.at(name)).unwrap(),
            }
            let replay = world.beside("replay.jsonl");
            let said = json!({ "deltas": [{ "delta": "text", "text": "Done." }] });
            let lines = [json!({ "deltas": calls }), said].map(|line| line.to_string());
            std::fs::write(&replay, lines.join("\n")).unwrap();
            let replay = replay.display().to_string();
            let ended = world.run(&["exec", "--json", "--replay", &replay, "look"]);
            match name {
                ".signoff.toml" => drop(ended.ends(1).says("regular file")),
                _ => {
                    let events = ended.done().events();
                    let found = events.iter().any(|event| {
                        event["tool"] == "grep"
                            && event["summary"]
                                .as_str()
                                .is_some_and(|summary| summary.starts_with('2'))
                    });
                    assert!(found, "{name} {kind}: {events:?}");
                }
            }
        }
    }
}

#[test]
fn instructions_of_the_users_without_an_end_are_passed_over_with_a_word() {
    for kind in ["endless", "pipe", "huge", "folder"] {
        let world = World::new(&[("a.txt", "a\n")]);
        world.configure("");
        let file = world.beside("config/signoff/AGENTS.md");
        match kind {
            "pipe" => {
                let made = Command::new("mkfifo").arg(&file).status();
                assert!(made.unwrap().success());
            }
            "endless" => symlink("/dev/zero", &file).unwrap(),
            "folder" => std::fs::create_dir(&file).unwrap(),
            _ => {
                let file = std::fs::File::create(&file).unwrap();
                file.set_len(1 << 40).unwrap();
            }
        }
        let replay = world.beside("replay.jsonl");
        let said = json!({ "deltas": [{ "delta": "text", "text": "Done." }] });
        std::fs::write(&replay, said.to_string()).unwrap();
        let replay = replay.display().to_string();
        let ended = world.run(&["exec", "--replay", &replay, "look"]).done();
        ended.says("AGENTS.md is passed over");
    }
}
