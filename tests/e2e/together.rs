//! Several processes on one workspace, and readers that leave early.

use std::fmt::Write as _;
use std::process::Stdio;
use std::thread;

use serde_json::json;

use crate::world::{World, section, whole};

#[test]
fn processes_that_stage_at_once_lose_nothing() {
    let world = World::new(&[("shared.txt", "0\n1\n2\n3\n")]);
    thread::scope(|scope| {
        for number in 0..4 {
            let world = &world;
            scope.spawn(move || {
                let own = whole(&format!("{number}.txt"), "x\n");
                let shared = section(
                    "shared.txt",
                    &format!("{number}\n"),
                    &format!("line {number}\n"),
                );
                world
                    .apply(&[], &json!({ "changes": [own, shared] }))
                    .done();
            });
        }
    });
    assert_eq!(world.review().len(), 8);
    world.run(&["approve", "--all"]).done();
    assert_eq!(world.text("shared.txt"), "line 0\nline 1\nline 2\nline 3\n");
    assert_eq!(world.history().len(), 8);
}

#[test]
fn what_is_approved_twice_at_once_is_written_once() {
    let world = World::new(&[("a.txt", "a\n")]);
    let append = json!({ "file": "a.txt", "whole": { "content": "b\n", "mode": "append" } });
    world.stage(json!([append]));
    thread::scope(|scope| {
        for _ in 0..4 {
            // Whoever comes late is told that nothing waits, or that somebody was faster.
            scope.spawn(|| world.run(&["approve", "--all"]));
        }
    });
    assert_eq!(world.text("a.txt"), "a\nb\n");
    assert_eq!(world.history().len(), 1);
}

#[test]
fn another_folder_knows_nothing_of_it() {
    let world = World::new(&[("a.txt", "a\n"), ("sub/a.txt", "a\n")]);
    world.stage(json!([section("a.txt", "a", "b")]));
    world
        .run(&["-C", "sub", "review"])
        .done()
        .says("nothing waits");
    world.run(&["-C", "sub", "approve", "--all"]).done();
    assert_eq!(world.text("a.txt"), "a\n");
    // The same folder by another way is the same workspace.
    world.run(&["-C", "sub/..", "review"]).done().says("a.txt");
}

/// State is never inside the user's tree.
#[test]
fn nothing_of_ours_is_left_in_the_workspace() {
    let world = World::new(&[("a.txt", "a\n")]);
    world.stage(json!([section("a.txt", "a", "b"), whole("b.txt", "b\n")]));
    world.run(&["approve", "--all"]).done();
    let names: Vec<_> = world.files().into_keys().collect();
    assert_eq!(names, [world.at("a.txt"), world.at("b.txt")]);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let world = World::new(&[]);
    let much = (0..20_000).fold(String::new(), |mut text, number| {
        writeln!(text, "line {number}").unwrap();
        text
    });
    world.stage(json!([whole("a.txt", &much)]));
    for arguments in [
        &["review"][..],
        &["review", "--json"],
        &["exec", "--offline", "help"],
    ] {
        let mut command = world.command(arguments);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        let errors = String::from_utf8(ended.stderr).unwrap();
        assert!(
            ended.status.success() && errors.is_empty(),
            "{arguments:?}: {errors}"
        );
    }
}

/// State that cannot be read is an error that names it, and touches no file of the user's.
#[test]
fn a_store_that_cannot_be_used_is_named() {
    let world = World::new(&[("a.txt", "a\n")]);
    world.stage(json!([section("a.txt", "a", "b")]));
    let before = world.files();
    let mut stores = std::fs::read_dir(world.beside("state/signoff/workspaces")).unwrap();
    let store = stores.next().unwrap().unwrap().path().join("state.db");
    std::fs::write(
        &store,
        "this is no database, but it is long enough to be taken for one",
    )
    .unwrap();
    for arguments in [
        &["review"][..],
        &["approve", "--all"],
        &["history"],
        &["exec", "--offline", "help"],
    ] {
        world.run(arguments).ends(1).says("state.db");
    }
    world.run(&["doctor", "--offline"]).done().says("!!  store");
    assert_eq!(world.files(), before);
    std::fs::remove_dir_all(world.beside("state")).unwrap();
    std::fs::write(world.beside("state"), "a file").unwrap();
    world.run(&["review"]).ends(1).says("state");
    // What needs no state works without it.
    world.run(&["engine"]).done();
}
