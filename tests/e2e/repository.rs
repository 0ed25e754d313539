//! A repository around the workspace, which is the user's: edits, verdicts, reverts and what is made good
//! after a crash neither write to it nor ask `git` to.

use std::fs;

use serde_json::json;

use crate::world::{Ended, World, section};

/// A workspace with a repository in it, of which `git` could make nothing, and a `git` that leaves a mark.
fn repository() -> World {
    let world = World::new(&[
        ("a.txt", "a\nb\n"),
        ("new.txt", "not tracked\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/index", "staged by the user\n"),
        (".git/refs/heads/main", "0123456789abcdef\n"),
        (".git/refs/stash", "fedcba9876543210\n"),
        (".git/logs/refs/stash", "kept for later\n"),
    ]);
    let mark = world.beside("git-was-called");
    let script = format!("#!/bin/sh\necho \"$@\" >> '{}'\n", mark.display());
    world.program(&world.beside("bin/git"), &script);
    world
}

fn run(world: &World, arguments: &[&str], input: &str) -> Ended {
    let mut command = world.command(arguments);
    command.env("PATH", world.beside("bin"));
    crate::world::finish(command, input.as_bytes())
}

#[test]
fn edits_verdicts_and_reverts_leave_a_repository_alone() {
    let world = repository();
    let own = |world: &World| {
        let mut files = world.files();
        files.retain(|path, _| !path.ends_with("a.txt"));
        files
    };
    let before = own(&world);
    let change = |old, new| json!({ "changes": [section("a.txt", old, new)] }).to_string();
    for (arguments, input) in [
        (&["apply"] as &[&str], change("a", "A")),
        (&["approve", "--all"], String::new()),
        (&["apply", "--write"], change("b", "B")),
        (&["apply"], change("A", "x")),
        (&["deny", "--all", "--reason", "no"], String::new()),
        (&["revert", "a.txt"], String::new()),
        (&["revert", "a.txt"], String::new()),
        (&["review"], String::new()),
        (&["history"], String::new()),
    ] {
        run(&world, arguments, &input).done();
        assert_eq!(own(&world), before, "{arguments:?}");
    }
    assert!(!world.beside("git-was-called").exists());
}

#[test]
fn an_edit_that_does_not_fit_its_file_is_not_made_in_another() {
    let world = World::new(&[
        ("a.txt", "one\n"),
        ("b.txt", "two\n"),
        ("sub/a.txt", "two\n"),
    ]);
    let before = world.files();
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-two\n+2\n";
    for change in [
        section("a.txt", "two", "2"),
        section("none.txt", "two", "2"),
        section("deep/sub/a.txt", "two", "2"),
        json!({ "file": "a.txt", "diff": { "patch": patch } }),
        json!({ "file": "b.txt", "diff": { "patch": patch } }),
    ] {
        let ended = world.apply(&[], &json!({ "changes": [change.clone()] }));
        assert_eq!(ended.json()["results"][0]["ok"], false, "{change}");
        assert!(world.review().is_empty(), "{change}");
    }
    assert_eq!(world.files(), before);
}

#[test]
fn a_revert_of_several_files_says_which_cannot_be_read_and_takes_none_back() {
    let world = World::new(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("c.txt", "c\n")]);
    world.stage(json!([
        section("a.txt", "a", "A"),
        section("b.txt", "b", "B"),
        section("c.txt", "c", "C")
    ]));
    world.run(&["approve", "--all"]).done();
    fs::remove_file(world.at("b.txt")).unwrap();
    fs::create_dir(world.at("b.txt")).unwrap();
    let changeset = world.history()[0]["changeset"].as_str().unwrap().to_owned();
    let before = world.files();
    let ended = world.run(&["revert", "--changeset", &changeset]);
    assert_ne!(ended.code, Some(0), "{ended:#?}");
    let ended = ended.says("b.txt");
    assert!(!ended.stderr.contains("a.txt is"), "{ended:#?}");
    assert_eq!(world.files(), before);
    // The others can be taken back alone.
    world.run(&["revert", "a.txt"]).done();
    world.run(&["revert", "c.txt"]).done();
    assert_eq!(
        (world.text("a.txt"), world.text("c.txt")),
        ("a\n".into(), "c\n".into())
    );
}
