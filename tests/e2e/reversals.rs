//! Commits of programs with their files, taken back and made again: both, or neither.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::thread;

use crate::commits::{FIRST, IDENTITY, is_commit, plainly, prepared, seen, work_tree};
use crate::run::sh;
use crate::world::{Ended, World};

/// Has a program commit, and all of it signed off.
fn signed_off(world: &World, script: &str) {
    sh(world, &format!("{IDENTITY}{script}")).done();
    approve(world);
}

/// Approves all that waits by its id: files, then commits.
fn approve(world: &World) {
    for is_of_commits in [false, true] {
        let waiting = world.review().into_iter();
        let waiting = waiting.filter(|own| is_commit(own) == is_of_commits);
        let ids: Vec<String> = waiting
            .map(|own| own["id"].as_str().unwrap().to_owned())
            .collect();
        let mut approve = vec!["approve"];
        approve.extend(ids.iter().map(String::as_str));
        if !ids.is_empty() {
            world.run(&approve).done();
        }
    }
}

fn state(world: &World) -> (String, Vec<String>) {
    (seen(world), work_tree(world))
}

#[test]
fn an_undo_that_cannot_write_a_file_leaves_the_commit() {
    let Some(world) = prepared(FIRST) else { return };
    let before = state(&world);
    // In one call: what is written and committed then belongs together.
    sh(
        &world,
        &format!("{IDENTITY}echo x >> sub/c.txt; echo x >> a.txt; git commit -qam mine"),
    )
    .done();
    world.run(&["approve", "--all"]).done();
    let after = state(&world);
    world.set_mode("sub", 0o555);
    let ended = world.run(&["undo"]);
    world.set_mode("sub", 0o755);
    if ended.code == Some(0) {
        // Who may do everything is not refused.
        assert_eq!(state(&world), before);
        return;
    }
    ended.ends(1).says("read-only folder");
    assert_eq!(state(&world), after);
    // What is in the way of the files keeps the commit as well.
    plainly(&world, "printf 'a\\nother\\n' > a.txt");
    let changed = seen(&world);
    for arguments in [&["undo"][..], &["undo", "--dry-run"]] {
        world.run(arguments).ends(3);
        assert_eq!(seen(&world), changed);
    }
    plainly(&world, "printf 'a\\nx\\n' > a.txt");
    let undone = world.run(&["undo"]).done();
    assert!(undone.stdout.contains("`signoff redo`"), "{undone:?}");
    assert_eq!(state(&world), before);
}

#[test]
fn redo_makes_commits_again_with_their_files() {
    for scripts in [
        &["echo x >> a.txt; git commit -qam mine"][..],
        &["git commit -q --allow-empty -m mine"],
        &["git tag v1", "echo x >> a.txt; git commit -qam mine"],
        &["echo x >> a.txt; git commit -qam mine; echo y >> b.txt; git stash -q"],
        &["git checkout -q -b topic; git mv a.txt moved; git commit -qm moves"],
        &["echo x >> a.txt; git add a.txt"],
    ] {
        let Some(world) = prepared(FIRST) else { return };
        let mut states = vec![state(&world)];
        for script in scripts {
            sh(&world, &format!("{IDENTITY}{script}")).done();
            // Beside `--all`, which leaves stashes.
            let ids = world.review();
            let mut approve = vec!["approve"];
            approve.extend(ids.iter().map(|own| own["id"].as_str().unwrap()));
            world.run(&approve).done();
            states.push(state(&world));
        }
        let told = format!("{scripts:?}");
        for _ in 0..2 {
            for before in states.iter().rev().skip(1) {
                world.run(&["undo"]).done();
                assert_eq!(&state(&world), before, "{told}");
            }
            world.run(&["undo"]).ends(1);
            for after in states.iter().skip(1) {
                let dry = world.run(&["redo", "--dry-run"]).done();
                assert!(dry.stdout.contains("would redo"), "{told}: {dry:?}");
                world.run(&["redo"]).done();
                assert_eq!(&state(&world), after, "{told}");
            }
            world
                .run(&["redo"])
                .ends(1)
                .says("there is nothing to redo");
        }
    }
}

#[test]
fn a_redo_that_does_not_fit_any_more_names_what_does() {
    let Some(world) = prepared(FIRST) else { return };
    let commit = "echo x >> a.txt; git commit -qam mine";
    sh(&world, &format!("{IDENTITY}{commit}")).done();
    world.run(&["approve", "--all"]).done();
    let listed = |status: &str| {
        let history = world.run(&["history", "--json"]).done().json();
        let [commit] = &history["commits"].as_array().unwrap()[..] else {
            panic!("{history}")
        };
        assert_eq!(commit["description"], "mine");
        assert_eq!(commit["status"], status);
        let first = history["entries"].as_array().unwrap().last().unwrap();
        assert_eq!(commit["changeset"], first["changeset"]);
        let lines = world.run(&["history"]).done().stdout;
        assert_eq!(lines.matches("  made").count(), 1, "{lines}");
        lines.contains("  made, reverted ")
    };
    assert!(!listed("applied"));
    world.run(&["undo"]).done();
    assert!(listed("reverted"));
    plainly(&world, "git commit -q --allow-empty -m users");
    let before = state(&world);
    for arguments in [&["redo"][..], &["redo", "--dry-run"]] {
        let ended = world.run(arguments).ends(3);
        assert!(ended.stdout.contains("HEAD moved from "), "{ended:?}");
        assert!(ended.stdout.contains("git cherry-pick "), "{ended:?}");
        assert_eq!(state(&world), before);
    }
    // Git keeps what nothing holds for weeks, unless it is told otherwise.
    plainly(
        &world,
        "git reset -q --hard HEAD~1; git reflog expire --expire=now --all; git gc -q --prune=now",
    );
    let before = state(&world);
    for arguments in [&["redo"][..], &["redo", "--dry-run"]] {
        let ended = world.run(arguments).ends(3);
        let gone = "is not in the repository any more";
        assert!(ended.stdout.contains(gone), "{ended:?}");
        assert_eq!(state(&world), before);
    }
    world
        .run(&["redo", "--changeset", "last"])
        .done()
        .says("redone in a.txt");
    assert_eq!(world.text("a.txt"), "a\nx\n");
}

/// Undo and its dry run of a commit that something was done to since.
#[test]
fn an_undo_and_its_dry_run_say_what_became_of_a_commit() {
    for (users, why) in [
        (
            "git commit -q --allow-empty -m users",
            "it is part of what follows",
        ),
        (
            "git commit -q --amend -m other",
            "does not have it any more, as after `git commit --amend`",
        ),
        ("git switch -q -c other", "`git switch` to main first"),
    ] {
        let Some(world) = prepared(FIRST) else { return };
        let commit = "echo x >> a.txt; git commit -qam mine";
        sh(&world, &format!("{IDENTITY}{commit}")).done();
        world.run(&["approve", "--all"]).done();
        plainly(&world, users);
        let before = state(&world);
        for arguments in [&["undo", "--dry-run"][..], &["undo"]] {
            let ended = world.run(arguments).ends(3);
            assert!(ended.stdout.contains(why), "{users}: {ended:?}");
            let way = "`signoff revert --changeset last`";
            assert!(ended.stdout.contains(way), "{users}: {ended:?}");
            assert_eq!(state(&world), before, "{users}");
        }
        world
            .run(&["revert", "--changeset", "last"])
            .done()
            .says("reverted in a.txt");
        assert_eq!(world.text("a.txt"), "a\n");
    }
}

#[test]
fn an_undo_says_that_a_merge_is_under_way_again() {
    let setup = format!(
        "{FIRST}git checkout -q -b topic; echo t >> a.txt; git commit -qam topic; git checkout -q main; \
         echo m >> a.txt; git commit -qam main; git merge -q topic || true"
    );
    let Some(world) = prepared(&setup) else {
        return;
    };
    signed_off(
        &world,
        "printf 'a\\nm\\nt\\n' > a.txt; git commit -qam merged",
    );
    let undone = world.run(&["undo"]).done();
    let again = "the merge is under way again";
    assert!(undone.stdout.contains(again), "{undone:?}");
    assert!(!undone.stdout.contains("way ends"), "{undone:?}");
    let redone = world.run(&["redo"]).done();
    assert!(redone.stdout.contains("way ends"), "{redone:?}");
}

#[test]
fn of_two_that_approve_a_commit_at_once_both_say_that_it_is_made() {
    let Some(world) = prepared(FIRST) else { return };
    let commit = "git commit -q --allow-empty -m mine";
    sh(&world, &format!("{IDENTITY}{commit}")).done();
    let workspaces = fs::read_dir(world.beside("state/signoff/workspaces")).unwrap();
    let mut workspaces = workspaces.map(|own| own.unwrap().path());
    let commits = workspaces.find(|own| own.join("commits").exists()).unwrap();
    let lock = File::create(commits.join("commits.deciding")).unwrap();
    lock.lock().unwrap();
    let both = [(); 2].map(|()| world.start(&["approve", "--all"]));
    let file = format!(":{} ", lock.metadata().unwrap().ino());
    let is_waiting = |line: &&str| line.contains("-> FLOCK") && line.contains(&file);
    while {
        let locks = fs::read_to_string("/proc/locks").unwrap();
        locks.lines().filter(is_waiting).count() < 2
    } {
        thread::yield_now();
    }
    drop(lock);
    let mut said: Vec<Ended> = both.into_iter().map(|own| own.end().done()).collect();
    said.sort_by_key(|own| own.stdout.contains("is made already"));
    assert!(said[0].stdout.starts_with("made commit"), "{said:?}");
    assert!(said[1].stdout.contains("is made already"), "{said:?}");
    assert_eq!(
        plainly(&world, "git log --format=%s"),
        "mine\nfirst\n",
        "{said:?}"
    );
}

/// What the user reverted of a commit's files before is not made again with it.
#[test]
fn redo_of_a_commit_leaves_what_was_reverted_before() {
    for reverted in [&["b.txt"][..], &["a.txt", "b.txt"]] {
        let Some(world) = prepared(FIRST) else { return };
        sh(
            &world,
            &format!("{IDENTITY}echo x >> a.txt; echo y >> b.txt; git commit -qam mine"),
        )
        .done();
        world.run(&["approve", "--all"]).done();
        for path in reverted {
            world.run(&["revert", path]).done();
        }
        let before = state(&world);
        for _ in 0..2 {
            world.run(&["undo"]).done();
            assert_ne!(state(&world), before);
            world.run(&["redo"]).done();
            assert_eq!(state(&world), before, "{reverted:?}");
        }
        world.run(&["redo"]).done();
        assert_ne!(state(&world), before);
    }
}
