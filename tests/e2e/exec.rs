//! `signoff exec`: one turn without a terminal, with the planner or a recorded exchange.

use serde_json::{Value, json};

use crate::server::Server;
use crate::world::{World, section};

const MAIN: &str = "use std::io;\n\nfn old_name(x: i32) -> i32 {\n    x + 1\n}\n\nfn main() {\n    \
                    println!(\"{}\", old_name(2));\n}\n";

fn world() -> World {
    World::new(&[
        ("src/main.rs", MAIN),
        ("notes.md", "# Title\n\nText.\n\n## Part\n\nMore.\n"),
    ])
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect()
}

#[test]
fn a_rename_is_staged_and_the_disk_unchanged() {
    let world = world();
    let before = world.files();
    let events = world
        .run(&["exec", "--offline", "--json", "rename old_name to new_name"])
        .done()
        .events();
    let kinds = kinds(&events);
    let at = |kind: &str| {
        kinds
            .iter()
            .position(|found| *found == kind)
            .unwrap_or_else(|| panic!("{kind}: {kinds:?}"))
    };
    assert_eq!(at("ready"), 0);
    assert!(
        at("user") < at("intent") && at("intent") < at("staged") && at("staged") < at("turn_ended")
    );
    let intent = &events[at("intent")];
    assert_eq!(intent["path"], "src/main.rs");
    assert!(intent["description"].as_str().unwrap().contains("new_name"));
    let staged = &events[at("staged")]["proposals"];
    assert_eq!(staged[0]["path"], "src/main.rs");
    assert_eq!(events[at("turn_ended")]["end"], "review");
    assert_eq!(world.files(), before);
    world.run(&["approve", "--all"]).done();
    assert_eq!(
        world.text("src/main.rs"),
        MAIN.replace("old_name", "new_name")
    );
    world.run(&["revert", "src/main.rs"]).done();
    assert_eq!(world.files(), before);
}

#[test]
fn a_prompt_is_read_from_standard_input() {
    let world = world();
    let rename = "rename old_name to new_name\n";
    let events = world
        .feed(&["exec", "--offline", "--json", "-"], rename)
        .done()
        .events();
    let user = events.iter().find(|event| event["type"] == "user").unwrap();
    assert_eq!(user["text"], "rename old_name to new_name");
    assert!(kinds(&events).contains(&"staged"));
    for (input, why) in [
        (&b""[..], "no prompt"),
        (b"\n \n", "no prompt"),
        (b"\xff", "not UTF-8"),
    ] {
        world
            .feed(&["exec", "--offline", "-"], input)
            .ends(1)
            .says(why);
    }
}

#[test]
fn a_mistyped_command_names_the_nearest_and_begins_nothing() {
    let world = world();
    for (line, meant) in [
        (&["aprove"][..], "`approve`"),
        (&["aprove", "--all"], "`approve`"),
        (&["hist", "--json"], "`history`"),
    ] {
        let ended = world.run(line).ends(2).says("is not a command").says(meant);
        assert!(ended.stdout.is_empty());
    }
    assert!(!world.beside("state").exists());
}

#[test]
fn the_planner_keeps_its_promises() {
    let check = |prompt: &str, path: &str, after: &str| {
        let world = world();
        world
            .run(&["exec", "--offline", "--approve", "all", prompt])
            .done();
        assert_eq!(world.text(path), after, "{prompt}");
        assert_eq!(world.review(), Vec::<Value>::new());
    };
    check(
        "replace \"Text.\" with \"Words.\" in notes.md",
        "notes.md",
        "# Title\n\nWords.\n\n## Part\n\nMore.\n",
    );
    check(
        "remove all headings from notes.md",
        "notes.md",
        "Text.\n\nMore.\n",
    );
    check(
        "add import use std::fs; to src/main.rs",
        "src/main.rs",
        &MAIN.replace("use std::io;\n", "use std::io;\nuse std::fs;\n"),
    );
    check(
        "Please delete function old_name.",
        "src/main.rs",
        "use std::io;\n\nfn main() {\n    println!(\"{}\", old_name(2));\n}\n",
    );
}

#[test]
fn what_the_planner_does_not_understand_changes_nothing() {
    let world = world();
    let before = world.files();
    for prompt in [
        "help",
        "make it faster",
        "rename absent_name to b",
        "replace \"a\" with \"b\" in absent.md",
    ] {
        let ended = world.run(&["exec", "--offline", "--approve", "all", prompt]);
        let ended = ended.ends(if prompt == "help" { 0 } else { 1 });
        assert!(!ended.stdout.trim().is_empty(), "{prompt} is answered");
    }
    world
        .run(&["exec", "--offline", "help"])
        .done()
        .says("rename");
    assert_eq!(world.files(), before);
    assert_eq!(world.review(), Vec::<Value>::new());
}

#[test]
fn a_turn_can_be_read_by_a_person() {
    let world = world();
    let ended = world
        .run(&["exec", "--offline", "rename old_name to new_name"])
        .done();
    assert!(ended.stderr.contains("[planning] "), "{ended:#?}");
    assert!(ended.stderr.contains("src/main.rs"));
    assert!(ended.stderr.contains("signoff approve --all"));
    assert!(!ended.stdout.contains("signoff approve"), "{ended:#?}");
}

#[test]
fn approved_at_once_nothing_is_called_unwritten() {
    let world = World::new(&[("src/main.rs", MAIN)]);
    let prompt = "rename old_name to new_name";
    let ended = world
        .run(&["exec", "--offline", "--approve", "all", prompt])
        .done();
    assert!(!ended.stderr.contains("not written"), "{ended:#?}");
    let is_said = ended.stderr.contains("\nwrote 2 hunks (src/main.rs)");
    assert!(is_said && !ended.stdout.contains("wrote"), "{ended:#?}");
}

#[test]
fn approved_at_once_the_verdicts_are_the_last_event() {
    let world = world();
    let prompt = "rename old_name to new_name";
    let ended = world
        .run(&["exec", "--offline", "--json", "--approve", "all", prompt])
        .done();
    let last = ended.events().pop().unwrap();
    assert_eq!(last["type"], "verdicts");
    assert_eq!(last["status"], "done");
    assert_eq!(
        last["committed"],
        json!([{ "path": "src/main.rs", "version": 1 }])
    );
    assert_eq!(
        world.text("src/main.rs"),
        MAIN.replace("old_name", "new_name")
    );
}

/// What waits from an earlier turn is not written because a later one may write.
#[test]
fn only_what_the_turn_staged_is_approved_with_it() {
    let world = world();
    world
        .run(&["exec", "--offline", "remove all headings from notes.md"])
        .done();
    world
        .run(&[
            "exec",
            "--offline",
            "--approve",
            "all",
            "rename old_name to new_name",
        ])
        .done();
    assert_eq!(
        world.text("src/main.rs"),
        MAIN.replace("old_name", "new_name")
    );
    assert!(world.text("notes.md").starts_with("# Title"));
    assert_eq!(world.review().len(), 1);
}

/// The model edits one file twice in one answer.
#[test]
fn two_edits_of_one_answer_are_matched_one_on_the_other() {
    let world = World::new(&[("a.txt", "one\ntwo\n")]);
    let edit = |old: &str, new: &str| {
        json!({ "delta": "call", "name": "edit_section", "arguments": {
            "path": "a.txt", "operation": "modify", "description": format!("{old} to {new}"),
            "edits": [{ "old_text": old, "new_text": new }],
        } })
    };
    let script = [
        json!({ "deltas": [edit("one", "1\n1.5"), edit("1.5\ntwo", "1.5\n2")] }),
        json!({
            "expect": { "tool_choice": "auto", "contains": ["staged, not applied"] },
            "deltas": [{ "delta": "text", "text": "Staged both." }],
        }),
    ];
    let script: String = script.iter().map(|line| format!("{line}\n")).collect();
    let file = world.beside("script.jsonl");
    std::fs::write(&file, script).unwrap();
    let file = file.to_str().unwrap();
    let before = world.files();
    world
        .run(&["exec", "--replay", file, "go"])
        .done()
        .says("Staged both.");
    assert_eq!(world.files(), before);
    let waiting = world.review();
    assert_eq!(waiting.len(), 2);
    assert_eq!(waiting[0]["changeset"], waiting[1]["changeset"]);
    world.run(&["approve", "--all"]).done();
    assert_eq!(world.text("a.txt"), "1\n1.5\n2\n");
    // A script that has nothing more to say fails the request, not what was staged before.
    let script = json!({ "deltas": [edit("2", "3")] }).to_string();
    std::fs::write(file, script).unwrap();
    world.run(&["exec", "--replay", file, "go"]).says("replay");
    assert_eq!(world.review().len(), 1);
}

#[test]
fn scripts_that_are_none_are_refused() {
    let world = world();
    let file = world.beside("script.jsonl");
    std::fs::write(&file, "{}\nnonsense\n").unwrap();
    world
        .run(&["exec", "--replay", file.to_str().unwrap(), "go"])
        .ends(1)
        .says("line 2");
    world
        .run(&["exec", "--replay", "absent.jsonl", "go"])
        .ends(1)
        .says("absent.jsonl");
    world
        .run(&["exec", "--offline", "  "])
        .ends(1)
        .says("empty");
}

/// Writes a recorded exchange beside the workspace and returns where it is.
fn script(world: &World, lines: &[Value]) -> String {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let path = world.beside("script.jsonl");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn what_follows_text_begins_a_line_of_its_own() {
    let world = world();
    let read = json!({ "delta": "call", "name": "read", "arguments": { "path": "notes.md" } });
    let path = script(
        &world,
        &[
            json!({ "deltas": [{ "delta": "text", "text": "I look." }, read] }),
            json!({ "deltas": [{ "delta": "text", "text": "Seen." }] }),
        ],
    );
    let ended = world.run(&["exec", "--replay", &path, "look"]).done();
    assert_eq!(ended.stdout, "I look.\nSeen.\n");
    assert!(ended.stderr.starts_with("[read] "), "{ended:#?}");
}

#[test]
fn a_command_on_the_disk_needs_permission_and_what_it_changed_is_taken_back() {
    let world = world();
    world.runs_on_disk();
    let before = world.files();
    let run = json!({ "delta": "call", "name": "bash", "arguments": { "command": "echo more >> notes.md" } });
    let path = script(
        &world,
        &[
            json!({ "deltas": [run] }),
            json!({ "deltas": [{ "delta": "text", "text": "Done." }] }),
        ],
    );
    let exec = ["exec", "--json", "--replay", &path, "add a line"];
    let refused = world.run(&exec).done().stdout;
    assert!(refused.contains("needs permission"), "{refused}");
    assert_eq!(world.files(), before);

    // A rule for the command does not allow what it is redirected to.
    let narrow = [&exec[..], &["--allow", "echo *", "--allow", "notes.md"]].concat();
    let refused = world.run(&narrow).done().stdout;
    assert!(refused.contains("needs permission"), "{refused}");
    assert_eq!(world.files(), before);

    let allowed = [&exec[..], &["--allow", "*"]].concat();
    let events = world.run(&allowed).done().events();
    assert!(kinds(&events).contains(&"changed"), "{events:?}");
    assert!(world.text("notes.md").ends_with("More.\nmore\n"));
    assert_eq!(world.history()[0]["status"], "ran");
    world.run(&["revert", "notes.md"]).done();
    assert_eq!(world.files(), before);
}

/// Returns a call that edits a file.
fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "delta": "call", "name": "edit_section", "arguments": {
        "path": path, "operation": "modify", "description": format!("{old} to {new}"),
        "edits": [{ "old_text": old, "new_text": new }],
    } })
}

/// Approving all without a look is no permission for guesses, and none for what was denied.
#[test]
fn what_somebody_has_to_see_is_not_written_without_a_look() {
    let check = |second: Value, why: &str| {
        let world = world();
        let denied = world.stage(json!([section("notes.md", "More.", "Less.")]));
        let deny = [&["deny", "--reason", "no flush"][..], &[denied[0].as_str()]].concat();
        world.run(&deny).done();
        let before = world.files();
        let done = json!({ "deltas": [{ "delta": "text", "text": "Done." }] });
        let plain = edit("notes.md", "# Title", "# Name");
        let path = script(&world, &[json!({ "deltas": [plain, second] }), done]);
        let exec = [
            "exec",
            "--json",
            "--approve",
            "all",
            "--replay",
            &path,
            "go",
        ];
        let ended = world.run(&exec).ends(3).says("signoff review");
        let last = ended.events().pop().unwrap();
        assert_eq!(
            (&last["type"], &last["status"]),
            (&json!("verdicts"), &json!("refused"))
        );
        let error = last["error"].as_str().unwrap();
        assert!(error.contains(why), "{error}");
        assert_eq!(world.files(), before, "all of it or nothing");
        assert_eq!(world.review().len(), 2);
        // A person who looked may write it.
        world.run(&["approve", "--all"]).done();
        assert_ne!(world.files(), before);
    };
    check(
        edit("src/main.rs", "    x  +  1\n", "    x + 2\n"),
        "src/main.rs: placed by similarity: ",
    );
    check(
        edit("notes.md", "More.", "Less."),
        "notes.md: you denied the same before (no flush)",
    );
}

/// Half of what was asked may be worse than nothing.
#[test]
fn a_turn_that_was_stopped_is_not_written() {
    let world = world();
    let before = world.files();
    let first = json!({ "deltas": [edit("notes.md", "# Title", "# Name")] });
    let again = json!({ "deltas": [edit("notes.md", "not there at all", "x")] });
    let path = script(
        &world,
        &[first, again.clone(), again.clone(), again.clone(), again],
    );
    let exec = [
        "exec",
        "--json",
        "--stop",
        "turn-end",
        "--approve",
        "all",
        "--replay",
        &path,
        "go",
    ];
    let ended = world.run(&exec).ends(1).says("stays staged");
    let end = ended
        .events()
        .into_iter()
        .find(|event| event["type"] == "turn_ended");
    assert_eq!(end.unwrap()["end"], "limit");
    assert_eq!(world.files(), before);
    assert_eq!(world.review().len(), 1);
}

/// The user sees where the places are that the model has to choose from.
#[test]
fn an_edit_that_fits_twice_is_told_with_its_lines() {
    let world = World::new(&[("a.txt", "same\nother\nsame\n")]);
    let done = json!({ "deltas": [{ "delta": "text", "text": "Which?" }] });
    let path = script(
        &world,
        &[json!({ "deltas": [edit("a.txt", "same", "new")] }), done],
    );
    let ended = world.run(&["exec", "--replay", &path, "go"]).ends(3);
    ended.says("the old text is there 2 times; add lines that tell which is meant (lines 1, 3)");
}

#[test]
fn a_command_that_rules_cannot_read_is_answered_and_never_asked_about() {
    let world = world();
    let before = world.files();
    let deep = format!("{}{}", "{\"a\":".repeat(200), "1") + &"}".repeat(200);
    let calls = [
        json!(["touch PWN"]),
        json!({ "command": ["touch PWN"] }),
        json!({ "command": "" }),
        json!({ "command": "  \n" }),
        json!({ "command": "a\u{0}b" }),
        json!({ "commands": "touch PWN" }),
        json!("touch PWN"),
        serde_json::from_str(&format!("{{\"command\":{}}}", &deep[..600])).unwrap_or(json!(null)),
    ];
    for arguments in calls {
        let call = json!({ "delta": "call", "name": "bash", "arguments": arguments });
        let steps = [
            json!({ "deltas": [call] }),
            json!({ "deltas": [{ "delta": "text", "text": "Done." }] }),
        ];
        let path = script(&world, &steps);
        for allow in [&[][..], &["--allow", "*"]] {
            let exec = [&["exec", "--json", "--replay", &path, "go"], allow].concat();
            let said = world.run(&exec).done().stdout;
            assert!(!said.contains("permission"), "{said}");
            assert!(said.contains("\"ok\":false"), "{said}");
        }
        assert_eq!(world.files(), before);
    }
}

#[test]
fn nothing_is_written_while_an_edit_that_failed_is_left_undone() {
    let edit = |old: &str, new: &str| {
        json!({ "delta": "call", "name": "edit_section", "arguments": {
            "path": "notes.md", "description": "x", "old_text": old, "new_text": new,
        } })
    };
    let main = json!({ "delta": "call", "name": "edit_section", "arguments": {
        "path": "src/main.rs", "description": "x", "old_text": "x + 1", "new_text": "x + 2",
    } });
    let says = json!({ "delta": "text", "text": "Done." });
    let first = json!({ "deltas": [main, edit("No such text.", "x")] });
    let open = json!({ "tool_choice": "auto", "contains": ["tools are open"], "lacks": ["Do not call tools"] });
    let play = |world: &World, answers: &[Value]| {
        let replay = world.beside("replay.jsonl");
        let text: Vec<String> = answers.iter().map(ToString::to_string).collect();
        std::fs::write(&replay, text.join("\n")).unwrap();
        let replay = replay.to_str().unwrap();
        world.run(&[
            "exec",
            "--json",
            "--approve",
            "all",
            "--replay",
            replay,
            "go",
        ])
    };
    let world = world();
    let before = world.files();
    let stops = [first.clone(), json!({ "expect": open, "deltas": [says] })];
    let ended = play(&world, &stops).ends(3).says("notes.md");
    let events = ended.events();
    let told = events.iter().find(|event| event["type"] == "left_undone");
    assert_eq!(told.unwrap()["edits"][0]["path"], "notes.md");
    let last = events.last().unwrap();
    assert_eq!(
        (&last["type"], &last["status"]),
        (&json!("verdicts"), &json!("refused"))
    );
    assert_eq!(world.files(), before);
    let world = self::world();
    let again = json!({ "expect": open, "deltas": [edit("Text.", "Words.")] });
    play(&world, &[first, again, json!({ "deltas": [says] })]).done();
    assert!(world.text("src/main.rs").contains("x + 2"));
    assert!(world.text("notes.md").contains("Words."));
}

/// Nobody looks at a first edit while the turn goes on: what was asked for is made whole.
#[test]
fn a_turn_without_a_user_goes_on_to_its_end() {
    for (stop, answered) in [(None, 4), (Some("first-edit"), 1)] {
        let files = ["a", "b", "c", "d"].map(|name| (name, "one\n"));
        let world = World::new(&files);
        let server = Server::start();
        let url = server.url();
        let mut arguments = vec![
            "exec",
            "--approve",
            "all",
            "--url",
            &url,
            "--model",
            "m",
            "count",
        ];
        arguments.extend(stop.iter().flat_map(|stop| ["--stop", stop]));
        let running = world.start(&arguments);
        for (path, _) in files.iter().take(answered) {
            let edits = json!([{ "old_text": "one", "new_text": "two" }]);
            let edit = json!({ "path": path, "operation": "modify", "description": "count", "edits": edits });
            server.next().call(path, "edit_section", &edit);
        }
        server.next().say("Done.");
        running.end().done();
        let written = files.iter().filter(|(path, _)| world.text(path) == "two\n");
        assert_eq!(written.count(), answered, "{stop:?}");
    }
}

/// As where the disk of a log is full: remarks are dropped, and the work goes on.
#[test]
fn remarks_that_cannot_be_written_stop_nothing() {
    let world = world();
    let rename = "rename old_name to new_name";
    for (arguments, code) in [
        (&["exec", "--offline", "--approve", "all", rename][..], 0),
        (&["deny", "nothing"], 1),
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let mut command = world.command(arguments);
        let ended = command.stderr(full.unwrap()).status().unwrap();
        assert_eq!(ended.code(), Some(code), "{arguments:?}");
    }
    assert_eq!(
        world.text("src/main.rs"),
        MAIN.replace("old_name", "new_name")
    );
}

#[test]
fn a_command_of_the_interface_goes_to_no_model() {
    let world = world();
    for (prompt, instead) in [
        ("/undo", "`signoff undo` does it"),
        ("/log", "`signoff history` does it"),
        ("/approve", "`signoff approve --all` does it"),
        ("/bg fix it", "`signoff exec --background PROMPT`"),
        ("/theme dark", "`signoff --continue` opens the interface"),
        ("/udno", "did you mean /undo?"),
        ("/undo it", "/undo takes nothing after it"),
    ] {
        for flags in [
            &["exec", "--offline"][..],
            &["exec", "--offline", "--background"],
        ] {
            let ended = world.run(&[flags, &[prompt]].concat());
            ended.ends(1).says(instead);
        }
    }
    for prompt in [" /undo", "//undo"] {
        world
            .run(&["exec", "--offline", prompt])
            .ends(1)
            .says("I did not understand that");
    }
}

#[test]
fn what_waits_on_standard_input_and_is_not_read_is_said() {
    let world = world();
    let told = "standard input is not read";
    let prompt = ["exec", "--offline", "what can you do?"];
    let silent = world.run(&prompt);
    assert!(!silent.stderr.contains(told), "{silent:#?}");
    let piped = world.feed(&prompt, "an error\n");
    assert_eq!(piped.stderr.matches(told).count(), 1, "{piped:#?}");
    let mut command = world.command(&prompt);
    let input = std::fs::File::open(world.at("notes.md")).unwrap();
    let ended = command.stdin(input).output().unwrap();
    assert!(String::from_utf8_lossy(&ended.stderr).contains(told));
}
