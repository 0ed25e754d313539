//! A commit of a program, of which the making is killed at any call that changes something: it is made, or waits. A commit of
//! what the user signed off is made, or not.
//!
//! Every so many calls are tried; with `FAULTS=all` in the environment, every one.

use std::fs;
use std::path::PathBuf;

use nix::libc;
use serde_json::json;

use crate::commits::{FIRST, IDENTITY, approve_all, is_commit, plainly, prepared, seen, work_tree};
use crate::faults::{Fault, may_trace, traced, traced_at};
use crate::run::sh;
use crate::untried::untried;
use crate::world::{World, section};

/// Of so many calls one is tried.
const STEP: usize = 23;
/// The same of a commit of what was signed off: between its first move and its last are fewer calls.
const STEP_OF_OWN: usize = 5;
/// The same of one that is taken back, or made again, with its files.
const STEP_OF_REVERSAL: usize = 19;

/// Moves branches, a tag, what is checked out, the index and the stash.
const SCRIPT: &str = "echo x >> a.txt; git commit -qam one; git tag v1; git checkout -q -b topic; echo y > new; git add new; \
                      git commit -qm two; git branch -q -D old; echo s >> b.txt; git stash -q; echo z >> sub/c.txt; \
                      git add sub/c.txt";

/// Returns a world in which the files of the script are approved, and the id of the commit that waits.
fn waiting() -> Option<(World, String)> {
    let world = prepared(&format!(
        "{FIRST} git branch old; echo u >> b.txt; git stash -q"
    ))?;
    sh(&world, &format!("{IDENTITY}{SCRIPT}")).done();
    for own in world.review().iter().filter(|own| !is_commit(own)) {
        world.run(&["approve", own["id"].as_str().unwrap()]).done();
    }
    let id = world.review()[0]["id"].as_str().unwrap().to_owned();
    Some((world, id))
}

#[test]
fn a_commit_that_is_killed_while_it_is_made_is_whole_or_waits() {
    if !may_trace() {
        return untried("faults", "this machine lets no process trace another");
    }
    let Some((made, _)) = waiting() else { return };
    approve_all(&made);
    let after = seen(&made);
    let step = std::env::var_os("FAULTS").map_or(STEP, |_all| 1);
    let (mut at, mut killed) = (0, 0);
    loop {
        let Some((world, id)) = waiting() else { return };
        let before = seen(&world);
        let ended = traced(&world, &["approve", &id], at, Fault::Kill);
        // The next command ends what was cut short.
        let waits = world.review().iter().any(is_commit);
        let expected = if waits { &before } else { &after };
        assert_eq!(&seen(&world), expected, "call {at}: {ended:?}");
        approve_all(&world);
        assert_eq!(seen(&world), after, "call {at}: {ended:?}");
        // No lock is left.
        plainly(
            &world,
            "git commit -q -m users; git tag users; git stash drop -q",
        );
        if !ended.reached {
            assert!(killed > 1, "there were calls to be killed at");
            break;
        }
        killed += usize::from(ended.code.is_none());
        at += step;
    }
}

/// What a program committed is on the disk before it waits; a run that commits nothing waits for no disk.
#[test]
fn a_commit_waits_once_its_objects_are_on_the_disk() {
    if !may_trace() {
        return untried("faults", "this machine lets no process trace another");
    }
    let Some(world) = prepared(FIRST) else { return };
    let commit = format!("{IDENTITY}git commit -q --allow-empty -m one");
    let run = |script: &str, at| {
        let sync = [libc::SYS_fsync];
        let arguments = ["run", "--", "sh", "-c", script];
        traced_at(&world, &arguments, (&sync, at), Fault::Kill)
    };
    // The pack, its index, the names of both, and the change.
    for at in 0..4 {
        let ended = run(&commit, at);
        assert!(ended.reached, "call {at}: {ended:?}");
        assert!(!world.review().iter().any(is_commit), "call {at}");
    }
    let ended = run("git status", 0);
    assert!(!ended.reached, "{ended:?}");
    sh(&world, &commit).done();
    assert!(world.review().iter().any(is_commit));
}

/// Returns what a user sees of a repository in which commits are made at another second each time.
fn outline(world: &World) -> String {
    plainly(
        world,
        "git log --format=%s; git symbolic-ref HEAD; git ls-files --stage; git status --porcelain=v2",
    )
}

/// Returns whether a journal of a commit is there.
fn is_begun(world: &World) -> bool {
    let names = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
    let workspaces = names(world.beside("state/signoff/workspaces"));
    let mut commits = workspaces.flat_map(|own| names(own.path().join("commits")));
    commits.any(|own| own.path().join("begun.json").exists())
}

/// What the user signed off, and commits: the branch and the index are as before, or as after, once the next command has run,
/// which says so.
#[test]
fn a_commit_of_what_was_signed_off_that_is_killed_is_made_or_not() {
    if !may_trace() {
        return untried("faults", "this machine lets no process trace another");
    }
    let signed_off = || {
        let world = prepared(&format!("{FIRST} echo u >> b.txt; git add b.txt"))?;
        world.stage(json!([section("a.txt", "a", "signed off")]));
        world.run(&["approve", "--all"]).done();
        Some(world)
    };
    let commit = ["commit", "-m", "mine"];
    let Some(made) = signed_off() else { return };
    let before = outline(&made);
    made.run(&commit).done();
    let after = outline(&made);
    assert_ne!(before, after);
    let step = std::env::var_os("FAULTS").map_or(STEP_OF_OWN, |_all| 1);
    let (mut at, mut killed, mut told) = (0, 0, 0);
    loop {
        let Some(world) = signed_off() else { return };
        let ended = traced(&world, &commit, at, Fault::Kill);
        let is_begun = is_begun(&world);
        let next = world.run(&["review"]);
        assert_eq!(
            next.stderr.contains("interrupted"),
            is_begun,
            "call {at}: {next:?}"
        );
        told += usize::from(is_begun);
        let now = outline(&world);
        assert!(now == before || now == after, "call {at}: {now} {ended:?}");
        world.run(&commit);
        assert_eq!(outline(&world), after, "call {at}: {ended:?}");
        // No lock is left.
        plainly(&world, "git commit -q -m users");
        if !ended.reached {
            assert!(killed > 1 && told > 0, "there were calls to be killed at");
            break;
        }
        killed += usize::from(ended.code.is_none());
        at += step;
    }
}

/// A commit is taken back with its files, and made again: both, or neither, once the next command has run, which says so.
#[test]
fn an_undo_of_a_commit_with_its_files_that_is_killed_is_whole_or_none() {
    if !may_trace() {
        return untried("faults", "this machine lets no process trace another");
    }
    let state = |world: &World| (seen(world), work_tree(world));
    let signed_off = || {
        let world = prepared(FIRST)?;
        let script = "echo x >> a.txt; echo y >> b.txt; git commit -qam mine";
        sh(&world, &format!("{IDENTITY}{script}")).done();
        world.run(&["approve", "--all"]).done();
        Some(world)
    };
    let step = std::env::var_os("FAULTS").map_or(STEP_OF_REVERSAL, |_all| 1);
    for deed in ["undo", "redo"] {
        let start = || {
            let world = signed_off()?;
            if deed == "redo" {
                world.run(&["undo"]).done();
            }
            Some(world)
        };
        let Some(done) = start() else { return };
        let before = state(&done);
        done.run(&[deed]).done();
        let after = state(&done);
        assert_ne!(before, after);
        let (mut at, mut ends) = (0, [0, 0, 0]);
        loop {
            let Some(world) = start() else { return };
            let ended = traced(&world, &[deed], at, Fault::Kill);
            let is_begun = is_begun(&world);
            let next = world.run(&["review"]);
            let told = format!("{deed}, call {at}: {next:?} {ended:?}");
            assert_eq!(next.stderr.contains("interrupted"), is_begun, "{told}");
            let now = state(&world);
            assert!(now == before || now == after, "{told}: {now:?}");
            if now == before {
                world.run(&[deed]).done();
                assert_eq!(state(&world), after, "{told}");
            }
            // It can be turned once more, and no lock is left.
            let other = if deed == "undo" { "redo" } else { "undo" };
            world.run(&[other]).done();
            assert_eq!(state(&world), before, "{told}");
            plainly(&world, "git add a.txt");
            ends[usize::from(is_begun) + usize::from(is_begun && now == after)] += 1;
            if !ended.reached {
                assert!(ends[1] > 0 && ends[2] > 0, "{deed}: {ends:?}");
                break;
            }
            at += step;
        }
    }
}
