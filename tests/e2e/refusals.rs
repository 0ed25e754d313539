//! Bad input: a clear error, an exit code, and nothing lost.

use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{World, section, whole};

/// Runs a payload that cannot be met; files and review list stay as they are.
#[track_caller]
fn refused(world: &World, payload: &str, code: i32, why: &str) {
    let before = world.files();
    for flag in ["--dry-run", "--stage", "--write"] {
        world.feed(&["apply", flag], payload).ends(code).says(why);
        assert_eq!(world.review(), Vec::<Value>::new(), "{payload}");
    }
    assert_eq!(world.files(), before, "{payload}");
}

#[track_caller]
fn refused_change(world: &World, change: Value, code: i32, why: &str) {
    refused(
        world,
        &json!({ "changes": [change] }).to_string(),
        code,
        why,
    );
}

#[test]
fn payloads_that_are_none() {
    let world = World::new(&[("a.txt", "a\n")]);
    refused(&world, "", 1, "not JSON");
    refused(&world, "{", 1, "not JSON");
    refused(&world, "[]", 1, "signoff: ");
    refused(&world, "{}", 1, "`changes`");
    refused(&world, r#"{"changes":[]}"#, 1, "`changes` is empty");
    refused(&world, r#"{"changes":[7]}"#, 1, "changes[0]");
    refused(
        &world,
        r#"{"changes":[{"strategy":"section"}]}"#,
        1,
        "`file`",
    );
    refused_change(&world, json!({ "file": "a.txt" }), 1, "no `strategy`");
    refused_change(
        &world,
        json!({ "file": "a.txt", "strategy": "magic" }),
        1,
        "magic",
    );
    refused_change(
        &world,
        json!({ "file": "a.txt", "strategy": "lines" }),
        1,
        "`lines`",
    );
    refused_change(
        &world,
        json!({ "file": "a.txt", "strategy": "move" }),
        1,
        "`move`",
    );
    let bytes = world.feed(&["apply"], b"{\"changes\": \xff}");
    assert_eq!(bytes.code, Some(1), "{bytes:?}");
}

#[test]
fn changes_that_make_no_sense() {
    let world = World::new(&[("a.txt", "one\ntwo\n")]);
    let patch = |patch: &str| json!({ "file": "a.txt", "diff": { "patch": patch } });
    let lines =
        |operation: Value| json!({ "file": "a.txt", "lines": { "operations": [operation] } });
    refused_change(&world, patch(""), 1, "no hunks");
    refused_change(&world, patch("nothing of a diff\n"), 1, "no hunks");
    refused_change(
        &world,
        patch("--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+1\n"),
        1,
        "not for a.txt",
    );
    refused_change(&world, patch("@@ -1 +1 @@\n-absent\n+1\n"), 1, "a.txt");
    refused_change(&world, section("a.txt", "one", "one"), 1, "the same");
    refused_change(
        &world,
        section("absent.txt", "one", "two"),
        1,
        "does not exist",
    );
    refused_change(
        &world,
        lines(json!({ "op": "delete", "startLine": 9 })),
        1,
        "9",
    );
    refused_change(
        &world,
        lines(json!({ "op": "delete", "startLine": 0 })),
        1,
        "count from 1",
    );
    let mut expected = section("a.txt", "one", "1");
    expected["expected"] = json!(4);
    refused_change(&world, expected, 3, "expected 4");
    let rename = json!({ "name": "rename_identifier", "from": "absent", "to": "b" });
    refused_change(
        &world,
        json!({ "file": "a.txt", "recipe": rename }),
        1,
        "absent",
    );
}

#[test]
fn paths_that_lead_out_or_must_not_be_touched() {
    let world = World::new(&[("a.txt", "a\n"), (".git/hooks/pre-commit", "#!/bin/sh\n")]);
    std::fs::write(world.beside("secret.txt"), "a\n").unwrap();
    symlink(world.beside("secret.txt"), world.at("out.txt")).unwrap();
    symlink(world.beside("."), world.at("outside")).unwrap();
    symlink(world.beside("not-yet.txt"), world.at("dangling.txt")).unwrap();
    symlink("loop", world.at("loop")).unwrap();
    let leads_out = [
        "../secret.txt",
        "a/../../secret.txt",
        "/etc/hostname",
        "out.txt",
        "outside/secret.txt",
        "outside/new.txt",
        "dangling.txt",
    ];
    for path in leads_out {
        refused_change(
            &world,
            section(path, "a", "b"),
            3,
            "leads out of the workspace",
        );
        refused_change(&world, whole(path, "b\n"), 3, "leads out of the workspace");
    }
    let absolute = world.beside("secret.txt");
    refused_change(
        &world,
        whole(absolute.to_str().unwrap(), "b\n"),
        3,
        "leads out of the workspace",
    );
    for path in [
        ".git/hooks/pre-commit",
        ".git/config",
        ".GIT/hooks/new",
        "sub/.git/config",
    ] {
        refused_change(&world, whole(path, "x\n"), 3, "belongs to git");
    }
    refused_change(&world, whole("loop", "x\n"), 3, "loop");
    refused_change(&world, whole("", "x\n"), 3, "empty");
    refused_change(
        &world,
        whole("a\0b", "x\n"),
        3,
        "not one that a file can have",
    );
    refused_change(&world, whole("a.txt/b", "x\n"), 3, "not a folder");
    assert_eq!(
        std::fs::read_to_string(world.beside("secret.txt")).unwrap(),
        "a\n"
    );
    assert!(!world.beside("not-yet.txt").exists());
}

#[test]
fn files_that_are_no_text() {
    let world = World::new(&[("folder/a.txt", "a\n"), ("locked.txt", "a\n")]);
    world.write("binary", b"a\0b\n");
    world.write("mixed.txt", b"caf\xc3\xa9 \xe9 a\n");
    world.write("large.txt", "a line of text\n".repeat(700_000));
    let made = Command::new("mkfifo")
        .arg(world.at("pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    // Refused by its mode, whoever asks, so that root is refused as well.
    world.set_mode("locked.txt", 0o444);
    let cases = [
        ("binary", "binary file"),
        ("mixed.txt", "not UTF-8"),
        ("large.txt", "files above 8388608 are neither"),
        ("pipe", "only regular files are"),
        ("folder", "is a folder"),
        ("locked.txt", "read-only"),
    ];
    for (path, why) in cases {
        refused_change(&world, section(path, "a", "b"), 3, why);
        refused_change(&world, whole(path, "b\n"), 3, why);
        refused_change(
            &world,
            json!({ "file": path, "strategy": "delete" }),
            3,
            why,
        );
    }
}

#[test]
fn texts_that_are_too_much() {
    let world = World::new(&[("a.txt", "a\n")]);
    let much = "x".repeat(9 << 20);
    refused_change(&world, whole("a.txt", &much), 1, "the limit is");
    // Small steps do not lead there either.
    let steps = |content: &str| json!({ "file": "b.txt", "whole": { "content": content, "mode": "append" } });
    let line = "x".repeat(1 << 20) + "\n";
    world.stage(json!(vec![steps(&line); 7]));
    world
        .apply(&[], &json!({ "changes": [steps(&line)] }))
        .ends(3)
        .says("the limit is");
    assert_eq!(
        world.run(&["deny", "--all", "--json"]).done().json()["hunks"]
            .as_array()
            .unwrap()
            .len(),
        7
    );
}

#[test]
fn commands_that_are_misused() {
    let world = World::new(&[("a.txt", "a\n")]);
    let before = world.files();
    let usage: [&[&str]; 14] = [
        &["approve"],
        &["approve", "--all", "0199"],
        &["deny"],
        &["apply", "--stage", "--write"],
        &["apply", "--dry-run", "--stage"],
        &["revert"],
        &["revert", "a.txt", "--to", "soon"],
        &["revert", "--no-such-flag"],
        &["exec"],
        &["exec", "--approve", "some", "help"],
        &["exec", "--offline", "--replay", "x", "help"],
        &["history", "a", "b"],
        // It would be a prompt and a command, or a model that nobody asks.
        &["fix it", "review"],
        &["--offline", "approve", "--all"],
    ];
    for arguments in usage {
        world.run(arguments).ends(2);
    }
    world
        .run(&["-C", "absent", "review"])
        .ends(1)
        .says("absent");
    world.run(&["-C", "a.txt", "review"]).ends(1).says("a.txt");
    world
        .run(&["history", "../x"])
        .ends(1)
        .says("leads out of the workspace");
    world
        .run(&["revert", "../x"])
        .ends(1)
        .says("leads out of the workspace");
    world
        .run(&["revert", "absent.txt"])
        .ends(1)
        .says("absent.txt");
    assert_eq!(world.files(), before);
}
