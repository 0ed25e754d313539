//! `signoff check --project`, `signoff test` and checks in a conversation: what is staged is compiled and
//! tested before it is approved, and the disk stays as it is.
//!
//! Where the system makes no shadow, there is nothing to try.

use std::fs;

use serde_json::{Value, json};

use crate::untried::untried;
use crate::world::{Ended, World, section};

const MAIN: &str = "fn twice(x: i32) -> i32 {\n    x * 2\n}\n\nfn old() -> u8 {\n    \"wrong\"\n}\n\n\
                    #[test]\nfn twice_is_double() -> Result<(), i32> {\n    let four = twice(2);\n    \
                    (four == 4).then_some(()).ok_or(four)\n}\n\n\
                    fn main() {\n    println!(\"{}\", twice(2));\n}\n";

/// Returns a project with an error in it or without, or none where no shadow can be made.
fn world(with_error: bool) -> Option<World> {
    let main = if with_error {
        MAIN.to_owned()
    } else {
        MAIN.replace("\"wrong\"", "1")
    };
    let manifest = "[package]\nname = \"w\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let world = World::new(&[
        ("Cargo.toml", manifest),
        ("src/main.rs", main.as_str()),
        (".gitignore", "target/\nCargo.lock\n"),
    ])
    .with_cargo();
    let tried = world.run(&["run", "--", "cargo", "--version"]);
    if tried.code == Some(125) {
        untried("checks", tried.stderr.trim());
        return None;
    }
    tried.done();
    Some(world)
}

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_new_error_is_told_with_its_hunk_and_an_old_one_is_not() {
    let Some(world) = world(true) else { return };
    let before = world.files();
    world.stage(json!([section("src/main.rs", "x * 2", "x * \"two\"")]));
    let checked = world.run(&["check", "--project", "--json"]).ends(3);
    let told = lines(&checked.stdout);
    let [error, .., summary] = told.as_slice() else {
        panic!("{}", checked.stdout)
    };
    assert_eq!(
        (&error["path"], &error["line"], &error["code"]),
        (&json!("src/main.rs"), &json!(2), &json!("E0277"))
    );
    assert!(error["hunk"].as_str().unwrap().ends_with("#1"));
    assert_eq!(summary["errors"], 1, "{}", checked.stdout);
    world.run(&["approve", "--all", "--checked"]).ends(3);
    assert_eq!(world.files(), before);
    world.run(&["deny", "--all"]).done();
    world.stage(json!([section("src/main.rs", "x * 2", "x + x")]));
    world.run(&["approve", "--all", "--checked"]).done();
    assert!(world.text("src/main.rs").contains("x + x"));
}

#[test]
fn errors_go_back_to_the_model_where_that_is_configured() {
    let Some(world) = world(false) else { return };
    world.configure("[turn]\nchecks = \"repair\"\n");
    let edit = |old: &str, new: &str| {
        json!({ "deltas": [{ "delta": "call", "name": "edit_section", "arguments": {
            "path": "src/main.rs", "description": "twice", "old_text": old, "new_text": new,
        } }] })
    };
    let says = |text: &str| json!({ "deltas": [{ "delta": "text", "text": text }] });
    let answers = [
        edit("x * 2", "x * \"two\""),
        says("Staged."),
        edit("x * \"two\"", "x + x"),
        says("Repaired."),
    ];
    let replay = world.beside("replay.jsonl");
    fs::write(&replay, answers.map(|answer| answer.to_string()).join("\n")).unwrap();
    let exec = ["exec", "--json", "--replay", replay.to_str().unwrap(), "go"];
    let events = world.run(&exec).done().events();
    let reports = events.iter().filter(|event| event["type"] == "checked");
    let errors: Vec<usize> = reports
        .map(|event| event["report"]["new"].as_array().unwrap().len())
        .collect();
    assert_eq!(errors, [1, 0]);
    world.run(&["check", "--project"]).done();
    // One line is one decision, however often it was mended.
    let summary = events.iter().rfind(|event| event["type"] == "turn_summary");
    assert_eq!(summary.unwrap()["hunks"], 1, "{events:#?}");
    let [proposal] = &world.review()[..] else {
        panic!("one proposal waits: {:#?}", world.review());
    };
    let lines = proposal["hunks"][0]["lines"].as_array().unwrap().iter();
    let changed = lines.filter(|line| line["kind"] != "context");
    let changed: Vec<&str> = changed
        .map(|line| line["text"].as_str().unwrap().trim())
        .collect();
    assert_eq!((changed.len(), changed[1]), (2, "x + x"));
}

#[test]
fn related_tests_run_on_the_staged_state() {
    let Some(world) = world(false) else { return };
    let before = world.files();
    let listed = world
        .run(&["test", "--list", "src/main.rs", "--json"])
        .done();
    assert_eq!(lines(&listed.stdout)[0]["path"], "src/main.rs");
    world.stage(json!([section("src/main.rs", "x * 2", "x * 3")]));
    let ran = world.run(&["test", "--json"]).ends(3);
    let told = lines(&ran.stdout);
    assert_eq!(
        (&told[0]["test"], &told[0]["status"], &told[0]["known"]),
        (&json!("twice_is_double"), &json!("failed"), &Value::Null)
    );
    assert!(
        told[0]["message"].as_str().unwrap().contains("6"),
        "{}",
        ran.stdout
    );
    assert_eq!(world.files(), before);
}

#[test]
fn a_payload_that_asks_for_checks_is_answered_with_what_they_say() {
    let Some(world) = world(true) else { return };
    let before = world.files();
    let payload = json!({
        "changes": [section("src/main.rs", "x * 2", "x * \"two\"")],
        "verify": {"eslint": false, "build": true},
    });
    let answer = world.apply(&[], &payload).done();
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    let told = answer["results"][0]["diagnostics"].as_array().unwrap();
    assert_eq!(told.len(), 2, "{answer}");
    for (told, kind) in told.iter().zip(["tsc", "build"]) {
        let output = told["output"].as_str().unwrap();
        assert_eq!(told["type"], kind);
        assert!(
            output.starts_with("src/main.rs:2:") && output.contains("E0277"),
            "{answer}"
        );
        // What was wrong before is not told.
        assert!(!output.contains("main.rs:6"), "{answer}");
    }
    assert!(
        answer["verify"]
            .as_str()
            .unwrap()
            .starts_with("tsc: cargo check: 1 new error")
    );
    assert_eq!(world.files(), before);
}

#[test]
fn tests_run_with_the_checks_where_that_is_configured() {
    let Some(world) = world(false) else { return };
    world.configure("[turn]\ntests = \"auto\"\n");
    world.stage(json!([section("src/main.rs", "x * 2", "x + x")]));
    let checked = world.run(&["check", "--project"]).done();
    assert!(
        checked.stderr.contains("cargo test: 1 passed"),
        "{}",
        checked.stderr
    );
    world.run(&["deny", "--all"]).done();
    world.stage(json!([section("src/main.rs", "x * 2", "x * 3")]));
    let checked = world.run(&["check", "--project"]).ends(3);
    let told = "error: the test twice_is_double fails: Error: 6";
    assert!(checked.stdout.contains(told), "{}", checked.stdout);
    assert!(
        checked.stderr.contains("0 passed, 1 newly failed"),
        "{}",
        checked.stderr
    );
    world.run(&["approve", "--all", "--checked"]).ends(3);
    // What failed before is not told.
    world.run(&["approve", "--all"]).done();
    world.stage(json!([section(
        "src/main.rs",
        "    println!",
        "    print!"
    )]));
    let checked = world.run(&["check", "--project"]).done();
    assert!(
        checked.stderr.contains("cargo test: 0 passed"),
        "{}",
        checked.stderr
    );
    let ran = world.run(&["test", "--json"]).ends(3);
    assert_eq!(lines(&ran.stdout)[0]["known"], true, "{}", ran.stdout);
    let told = "1 failed, 1 of them also without what is staged";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

/// Returns a project whose check is a shell script of its own.
fn with_check(script: &str, more: &str) -> Option<World> {
    let world = World::new(&[("check.sh", script), ("a.txt", "a\n")]);
    world.configure(&format!(
        "{more}\n[[checks]]\nname = \"own\"\ncommand = [\"sh\", \"check.sh\"]\nwhen = [\"*.txt\"]\nparser = \"lines\"\n"
    ));
    let tried = world.run(&["run", "--", "true"]);
    if tried.code == Some(125) {
        untried("checks", tried.stderr.trim());
        return None;
    }
    Some(world)
}

#[test]
fn a_check_that_does_not_do_its_work_is_not_ok() {
    for (script, told) in [
        ("kill -SEGV $$", "signal 11"),
        ("exit 3", "it printed nothing"),
        ("exit 127", "it printed nothing"),
        ("echo broken; exit 1", "broken"),
        ("no-such-program", "not found"),
        (
            "head -c 40000000 /dev/zero | tr '\\0' x",
            "more than 32 MiB",
        ),
        ("sleep 100", "took too long"),
    ] {
        let Some(world) = with_check(script, "") else {
            return;
        };
        let text = fs::read_to_string(world.beside("config/signoff/config.toml")).unwrap();
        world.configure(&(text + "timeout = 2\n"));
        world.stage(json!([section("a.txt", "a", "b")]));
        let checked = world.run(&["check", "--project"]);
        assert_eq!(checked.code, Some(3), "{script}: {}", checked.stderr);
        assert!(
            checked.stderr.contains(told),
            "{script}: {}",
            checked.stderr
        );
        world.run(&["approve", "--all", "--checked"]).ends(3);
        assert_eq!(world.text("a.txt"), "a\n", "{script}");
    }
    let Some(world) = with_check("true", "") else {
        return;
    };
    world.stage(json!([section("a.txt", "a", "b")]));
    world.run(&["approve", "--all", "--checked"]).done();
    assert_eq!(world.text("a.txt"), "b\n");
}

/// Plays a model that puts each text in the place of the one before in `a.txt`, a word after each.
fn exec(world: &World, texts: &[&str], more: &[&str]) -> Ended {
    let answers: Vec<String> = texts
        .windows(2)
        .flat_map(|pair| {
            let call = json!({ "delta": "call", "name": "edit_section", "arguments": {
                "path": "a.txt", "description": "x", "old_text": pair[0], "new_text": pair[1],
            } });
            let says = json!({ "delta": "text", "text": "Staged." });
            [json!({ "deltas": [call] }), json!({ "deltas": [says] })]
        })
        .map(|answer| answer.to_string())
        .collect();
    let replay = world.beside("replay.jsonl");
    fs::write(&replay, answers.join("\n")).unwrap();
    let own = [
        "exec",
        "--approve",
        "all",
        "--replay",
        replay.to_str().unwrap(),
    ];
    world.run(&[&own, more, &["go"]].concat())
}

#[test]
fn what_the_last_check_refuses_is_not_written() {
    let repair = |rounds: u32| format!("[turn]\nchecks = \"repair\"\nrepair_rounds = {rounds}\n");
    let finds = "grep -q bad a.txt && echo 'a.txt:1:1: error: bad text' && exit 1; exit 0";
    for (script, rounds, texts, told) in [
        (
            finds,
            0,
            &["a", "bad"][..],
            "1 new error: a.txt:1:1: error: bad text",
        ),
        (finds, 1, &["a", "bad", "bad again"], "1 new error"),
        (
            "kill -SEGV $$",
            1,
            &["a", "b"],
            "own: could not be done: it was ended by signal 11",
        ),
        ("exit 3", 0, &["a", "b"], "own: could not be done"),
    ] {
        let Some(world) = with_check(script, &repair(rounds)) else {
            return;
        };
        let plain = exec(&world, texts, &[]).ends(3);
        assert!(plain.stderr.contains(told), "{script}: {plain:#?}");
        assert_eq!(world.text("a.txt"), "a\n", "{script}");
        assert!(!world.review().is_empty(), "{script}");
        world.run(&["deny", "--all"]).done();
        let events = exec(&world, texts, &["--json"]).ends(3).events();
        let last = events.last().unwrap();
        assert_eq!(
            (&last["type"], &last["status"]),
            (&json!("verdicts"), &json!("refused"))
        );
        assert!(last["error"].as_str().unwrap().contains(told), "{last}");
        assert_eq!(world.text("a.txt"), "a\n", "{script}");
    }
    let Some(world) = with_check(finds, &repair(1)) else {
        return;
    };
    exec(&world, &["a", "bad", "good"], &[]).done();
    assert_eq!(world.text("a.txt"), "good\n");
    // Of a file for which there is no check, nothing is to be found.
    let Some(world) = with_check("exit 3", &repair(1)) else {
        return;
    };
    let text = fs::read_to_string(world.beside("config/signoff/config.toml")).unwrap();
    world.configure(&text.replace("*.txt", "*.md"));
    exec(&world, &["a", "b"], &[]).done();
    assert_eq!(world.text("a.txt"), "b\n");
}

/// A check that finds an error in the text `b`.
const FINDS_B: &str = "grep -q b a.txt && echo 'a.txt:1:1: error: bad text' && exit 1; exit 0";

#[test]
fn a_payload_whose_checks_do_not_hold_is_not_written() {
    for (script, verify, told) in [
        (FINDS_B, json!({}), Some("own: 1 new error")),
        ("exit 3", json!({}), Some("own: could not be done")),
        ("true", json!({"build": true}), Some("build: not run")),
        (
            "true",
            json!({"timeoutMs": 0}),
            Some("time for checks is over"),
        ),
        ("true", json!({}), None),
    ] {
        let Some(world) = with_check(script, "") else {
            return;
        };
        let payload = json!({ "changes": [section("a.txt", "a", "b")], "verify": verify });
        let ended = world.apply(&["--write"], &payload);
        let (code, text) = if told.is_some() {
            (3, "a\n")
        } else {
            (0, "b\n")
        };
        let ended = ended.ends(code).says(told.unwrap_or_default());
        let answer = ended.json();
        assert_eq!(answer["written"], told.is_none(), "{answer}");
        assert_eq!(world.text("a.txt"), text, "{script}");
    }
}

#[test]
fn a_models_payload_is_checked_in_a_turn_that_nobody_attends() {
    let Some(world) = with_check(FINDS_B, "") else {
        return;
    };
    let call = json!({ "delta": "call", "name": "apply_structured_edits", "arguments": {
        "changes": [section("a.txt", "a", "b")], "verify": {},
    } });
    let says = json!({ "delta": "text", "text": "Staged." });
    let expected = json!({ "contains": ["own: 1 new error", "bad text"] });
    let answers = [
        json!({ "deltas": [call] }),
        json!({ "expect": expected, "deltas": [says] }),
    ];
    let replay = world.beside("replay.jsonl");
    fs::write(&replay, answers.map(|answer| answer.to_string()).join("\n")).unwrap();
    let exec = ["exec", "--json", "--replay", replay.to_str().unwrap(), "go"];
    let events = world.run(&exec).done().events();
    assert!(
        events.iter().all(|event| event["type"] != "fault"),
        "{events:#?}"
    );
}

#[test]
fn checks_that_cannot_be_confined_do_not_run() {
    let Some(world) = with_check("echo ran > /dev/null", "") else {
        return;
    };
    world.stage(json!([section("a.txt", "a", "b")]));
    for words in [
        &["check", "--project"][..],
        &["approve", "--all", "--checked"],
    ] {
        let Some(refused) = world.run_without_namespaces(words) else {
            return untried("without namespaces", "there is no `unshare`");
        };
        let told = &refused.ends(3).stderr;
        assert!(told.contains("cannot be confined here"), "{told}");
    }
}

#[test]
fn what_a_check_runs_is_looked_at_first() {
    let rules = "[turn]\nchecks = \"repair\"\n";
    let Some(world) = with_check("touch checked.txt", rules) else {
        return;
    };
    let edit = |path: &str, old: &str, new: &str| {
        json!({ "delta": "call", "name": "edit_section", "arguments": {
            "path": path, "description": "x", "old_text": old, "new_text": new,
        } })
    };
    let play = |calls: Vec<Value>| {
        let answers = [
            json!({ "deltas": calls }),
            json!({ "deltas": [{ "delta": "text", "text": "Done." }] }),
        ];
        let replay = world.beside("replay.jsonl");
        fs::write(&replay, answers.map(|answer| answer.to_string()).join("\n")).unwrap();
        let replay = replay.to_str().unwrap();
        world.run(&[
            "exec", "--json", "--stop", "turn-end", "--replay", replay, "go",
        ])
    };
    world.write(".npmrc", "a=1\n");
    let events = play(vec![
        edit("a.txt", "a", "b"),
        edit(".npmrc", "a=1", "script-shell=./evil"),
    ]);
    assert!(events.stdout.contains("not approved"), "{}", events.stdout);
    world.run(&["deny", "--all"]).done();
    let events = play(vec![edit("a.txt", "a", "b")]);
    assert!(!events.stdout.contains("not approved"), "{}", events.stdout);
    // A rule that denies the command denies the check.
    let denies = "[[permissions]]\ntool = \"bash\"\npattern = \"*\"\naction = \"deny\"\n";
    let Some(world) = with_check("true", denies) else {
        return;
    };
    world.stage(json!([section("a.txt", "a", "b")]));
    let refused = world.run(&["check", "--project"]).ends(3);
    assert!(
        refused.stderr.contains("a rule forbids it"),
        "{}",
        refused.stderr
    );
}

#[test]
fn nothing_that_a_check_leaves_is_found_by_the_next_one() {
    let script = "grep -q b a.txt || exit 0; test ! -e built/poison || { echo poisoned; exit 1; }; \
                  mkdir -p built; touch built/poison";
    let Some(world) = with_check(script, "") else {
        return;
    };
    world.write(".gitignore", "built/\n");
    world.stage(json!([section("a.txt", "a", "b")]));
    for _ in 0..3 {
        world.run(&["check", "--project"]).done();
    }
}

#[test]
fn a_staged_deletion_is_staged_work_and_has_no_errors() {
    let world = World::new(&[("a.py", "x = 1\n")]);
    let empty = world.run(&["check"]).done();
    assert!(empty.stderr.contains("nothing is staged"), "{empty:?}");
    world.stage(json!([{"file": "a.py", "strategy": "delete"}]));
    let checked = world.run(&["check"]).done();
    assert!(!checked.stderr.contains("nothing is staged"), "{checked:?}");
}
