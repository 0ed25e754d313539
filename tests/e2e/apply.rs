//! `signoff apply`: payloads from standard input.

use serde_json::{Value, json};

use crate::world::{World, section, whole};

const MAIN: &str = "fn old_name(x: i32) -> i32 {\n    x + 1\n}\n";
const NOTES: &str = "# Title\n\nText.\n\n## Part\n\nMore.\n";

fn world() -> World {
    World::new(&[("src/main.rs", MAIN), ("notes.md", NOTES)])
}

fn changes(changes: Value) -> Value {
    json!({ "changes": changes })
}

#[test]
fn a_dry_run_answers_and_stages_nothing() {
    let world = world();
    let before = world.files();
    let payload = changes(json!([section("notes.md", "Text.", "Words.")]));
    let answer = world.apply(&["--dry-run"], &payload).done().json();
    assert_eq!(answer["results"][0]["status"], "applied");
    assert_eq!(answer["staged"], false);
    assert_eq!(world.review(), Vec::<Value>::new());
    assert_eq!(world.files(), before);
}

#[test]
fn staging_is_what_happens_without_a_flag() {
    let world = world();
    let before = world.files();
    for flags in [&[][..], &["--stage"]] {
        let payload = changes(json!([section("notes.md", "More.", "More. And more.")]));
        let answer = world.apply(flags, &payload).done().json();
        let result = &answer["results"][0];
        assert_eq!(result["file"], "notes.md");
        assert_eq!(result["ok"], true);
        assert_eq!(result["strategyUsed"], "section");
        assert_eq!(answer["verify"], Value::Null);
    }
    // The second asked for what the first had staged.
    let waiting = world.review();
    assert_eq!(waiting.len(), 1, "{waiting:#?}");
    assert_eq!(waiting[0]["path"], "notes.md");
    assert_eq!(waiting[0]["operation"], "modify");
    assert_eq!(waiting[0]["status"], "pending");
    assert_eq!(waiting[0]["description"], "put More. And more. for More.");
    assert_eq!(waiting[0]["hunks"][0]["status"], "pending");
    assert!(
        waiting[0]["hunks"][0]["header"]
            .as_str()
            .unwrap()
            .starts_with("@@ -")
    );
    assert_eq!(world.files(), before);
}

#[test]
fn written_at_once_it_is_in_the_history_too() {
    let world = world();
    let payload = changes(json!([
        whole("new/deep.txt", "hello\n"),
        section("notes.md", "Text.", "Words.")
    ]));
    let answer = world.apply(&["--write"], &payload).done().json();
    assert_eq!(answer["written"], true);
    assert_eq!(world.text("new/deep.txt"), "hello\n");
    assert_eq!(world.text("notes.md"), NOTES.replace("Text.", "Words."));
    assert_eq!(world.history().len(), 2);
    assert_eq!(world.review(), Vec::<Value>::new());
}

#[test]
fn what_somebody_has_to_see_is_staged_and_not_written() {
    let world = world();
    let before = world.files();
    let guess = section("src/main.rs", "    x  +  1\n", "    x + 2\n");
    let payload = changes(json!([section("notes.md", "Text.", "Words."), guess]));
    let ended = world.apply(&["--write"], &payload);
    let ended = ended.ends(3).says("src/main.rs: placed by similarity: ");
    let answer = ended.json();
    assert_eq!(
        (&answer["staged"], &answer["written"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(world.files(), before);
    assert_eq!(world.review().len(), 2);
}

#[test]
fn two_edits_of_one_file_are_matched_one_on_the_other() {
    let world = world();
    let before = world.files();
    world.stage(json!([
        section("notes.md", "Text.", "Words."),
        section("notes.md", "Words.", "Prose."),
    ]));
    world.stage(json!([section("notes.md", "Prose.", "Verse.")]));
    assert_eq!(world.review().len(), 3);
    assert_eq!(world.files(), before);
    world
        .run(&["approve", "--all"])
        .done()
        .says("wrote 3 hunks");
    assert_eq!(world.text("notes.md"), NOTES.replace("Text.", "Verse."));
}

#[test]
fn one_change_that_does_not_apply_holds_all_of_them_back() {
    let world = world();
    let before = world.files();
    let payload = changes(json!([
        section("notes.md", "Text.", "Words."),
        section("src/main.rs", "x + 1", "x + 2"),
        section("src/main.rs", "absent", "present"),
    ]));
    for flag in ["--dry-run", "--stage", "--write"] {
        let answer = world.apply(&[flag], &payload).ends(1).json();
        let statuses: Vec<_> = answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| &r["status"])
            .collect();
        assert_eq!(
            statuses,
            ["not_staged", "not_staged", "not_found"],
            "{flag}"
        );
        assert_eq!(world.review(), Vec::<Value>::new());
        assert_eq!(world.files(), before);
    }
}

#[test]
fn several_places_are_listed_and_none_is_taken() {
    let world = World::new(&[("a.txt", "same\nother\nsame\n")]);
    let answer = world
        .apply(&[], &changes(json!([section("a.txt", "same", "new")])))
        .ends(3)
        .json();
    let result = &answer["results"][0];
    assert_eq!(result["status"], "ambiguous");
    let lines: Vec<_> = result["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| &c["line"])
        .collect();
    assert_eq!(lines, [1, 3]);
}

#[test]
fn what_was_not_found_comes_with_what_is_nearest() {
    let world = world();
    let old = "fn old_nane(x: i32) -> i32 {\n    x + 1\n}\n";
    let payload = changes(json!([section("src/main.rs", old, "")]));
    let answer = world.apply(&[], &payload).ends(1).json();
    let nearest = &answer["results"][0]["nearest"];
    assert_eq!(nearest["line"], 1, "{answer:#}");
    assert!(
        nearest["excerpt"].as_str().unwrap().contains("old_name"),
        "{answer:#}"
    );
}

/// Line endings, a mark of byte order, a missing last newline, a mode: what was not asked for
/// stays, through writing and back again.
#[test]
fn what_is_not_asked_for_stays_byte_for_byte() {
    let texts = [
        "\u{feff}#!/bin/sh\r\necho one\r\necho two\r\n\r\necho  three",
        "mixed\r\nunix\necho two\nold\r\n",
        "tab\there\r\necho two\r\nlast",
    ];
    for before in texts {
        let world = World::new(&[("run.sh", before)]);
        world.set_mode("run.sh", 0o755);
        let old = world.files();
        let ids = world.stage(json!([section("run.sh", "echo two", "echo 2")]));
        world.run(&["approve", &ids[0]]).done();
        assert_eq!(world.text("run.sh"), before.replace("echo two", "echo 2"));
        world.run(&["revert", "run.sh"]).done();
        assert_eq!(world.files(), old, "mode and bytes are as they were");
    }
}

/// New lines end as the lines of the file do.
#[test]
fn new_lines_end_as_the_file_does() {
    let world = World::new(&[("dos.txt", "one\r\ntwo\r\nthree")]);
    world.stage(json!([
        section("dos.txt", "one\ntwo", "one\nand a half\ntwo"),
        { "file": "dos.txt", "strategy": "lines",
          "lines": { "operations": [{ "op": "insert", "afterLine": 0, "content": ["zero"] }] } },
        { "file": "dos.txt", "strategy": "diff",
          "diff": { "kind": "unified", "patch": "@@\n two\n-three\n+drei\n\\ No newline at end of file\n" } },
    ]));
    world.run(&["approve", "--all"]).done();
    assert_eq!(
        world.text("dos.txt"),
        "zero\r\none\r\nand a half\r\ntwo\r\ndrei"
    );
}

#[test]
fn files_come_and_go_and_come_back() {
    let world = world();
    let before = world.files();
    world.stage(json!([{ "file": "notes.md", "strategy": "delete" }, whole("fresh.txt", "new\n")]));
    assert_eq!(world.files(), before);
    world.run(&["approve", "--all"]).done();
    assert!(!world.at("notes.md").exists());
    assert_eq!(world.text("fresh.txt"), "new\n");
    world.run(&["revert", "notes.md"]).done();
    world.run(&["revert", "fresh.txt"]).done();
    assert_eq!(world.files(), before);
}

/// What was private is not made public by taking its deletion back.
#[test]
fn a_deleted_file_comes_back_with_its_mode() {
    let world = world();
    world.set_mode("notes.md", 0o600);
    let before = world.files();
    world.stage(json!([{ "file": "notes.md", "strategy": "delete" }]));
    world.run(&["approve", "--all"]).done();
    world.run(&["revert", "notes.md"]).done();
    assert_eq!(world.files(), before);
}

/// A link within the workspace stays a link; what it points to changes.
#[test]
fn a_link_within_stays_a_link() {
    let world = world();
    std::os::unix::fs::symlink("notes.md", world.at("alias.md")).unwrap();
    world.stage(json!([section("alias.md", "Text.", "Words.")]));
    world.run(&["approve", "--all"]).done();
    assert!(world.at("alias.md").is_symlink());
    assert_eq!(world.text("notes.md"), NOTES.replace("Text.", "Words."));
}

#[test]
fn checks_that_are_asked_for_and_do_not_run_are_said_to() {
    let world = world();
    let payload = json!({
        "changes": [section("notes.md", "Text.", "Words.")],
        "verify": { "tsc": true, "timeoutMs": 1000 },
    });
    let answer = world.apply(&[], &payload).done().json();
    let none = "not run: no such check of this project is known or installed";
    assert_eq!(answer["verify"], format!("tsc: {none}\neslint: {none}"));
}

/// Without a file, what is staged is checked as it would be.
#[test]
fn what_is_staged_is_checked_for_syntax() {
    let world = World::new(&[("a.json", "[1]\n"), ("b.json", "[1]\n"), ("c.json", "[\n")]);
    world.run(&["check"]).done().says("nothing is staged");
    world.stage(json!([section("a.json", "1", "2"), { "file": "b.json", "strategy": "delete" }]));
    world.run(&["check"]).done();
    let checked = world.run(&["check", "--json"]).done().json();
    assert_eq!(
        (&checked["path"], &checked["ok"]),
        (&json!("a.json"), &json!(true))
    );
    world.stage(json!([section("c.json", "[", "[1,")]));
    world.run(&["check"]).ends(1).says("c.json:");
    for named in ["nowhere", "."] {
        world.run(&["check", named]).ends(1).says("cannot check");
    }
}
