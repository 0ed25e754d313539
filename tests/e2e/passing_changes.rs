//! Files that git or an editor makes others for a moment: what was staged over them waits again.

use std::process::Command;

use serde_json::{Value, json};

use crate::screen::Screen;
use crate::world::{World, section, whole};

const LINES: &str = "a\nb\nc\nd\ne\nf\ng\nh\n";

/// Runs a script as the user does.
fn sh(world: &World, script: &str) {
    let mut command = Command::new("sh");
    command.args(["-ec", script]).current_dir(world.root());
    command.env_clear().envs(world.environment());
    command.env("PATH", "/usr/bin:/bin");
    let ran = command.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{script}: {said}");
}

/// Returns how the hunks stand, in the order of their proposals, a letter each: waiting or in conflict.
fn standing(world: &World) -> String {
    let proposals = world.review();
    let hunks = proposals.iter().map(|own| own["hunks"].as_array().unwrap());
    let letters = hunks.flatten().map(|hunk| match hunk["status"].as_str() {
        Some("pending") => 'w',
        Some("conflict") => 'c',
        status => panic!("{status:?}"),
    });
    letters.collect()
}

/// What the user does first, payloads, what takes their files away, how the hunks stand then, what brings the files back,
/// and some files once all of it is approved.
type Case<'a> = (
    &'a str,
    fn() -> Vec<Value>,
    &'a str,
    &'a str,
    &'a str,
    &'a [(&'a str, &'a str)],
);

/// A repository with `a.txt` of [`LINES`], and two branches: on `other`, `b` is another line and `new.txt` is there; on
/// `without`, there is no `a.txt`.
fn repository() -> World {
    let world = World::new(&[("a.txt", LINES), ("z.txt", "z\n")]);
    let script = "git init -q -b main; git config user.name a; git config user.email a@a; git add .; git commit -qm first; \
         git checkout -q -b other; sed -i s/b/zwei/ a.txt; echo mine > new.txt; git add .; git commit -qm other; \
         git checkout -q -b without main; git rm -q a.txt; git commit -qm without; git checkout -q main";
    sh(&world, script);
    world
}

#[test]
fn what_is_put_away_for_a_look_and_comes_back_is_signed_off_as_it_was_staged() {
    let two = || vec![json!([section("a.txt", "b", "B")])];
    let all = || {
        let sections =
            json!([{"old_text": "b", "new_text": "B"}, {"old_text": "g", "new_text": "G"}]);
        let both = json!({"file": "a.txt", "description": "d", "strategy": "section", "section": {"edits": sections}});
        vec![
            json!([both, whole("new.txt", "new\n")]),
            json!([section("a.txt", "B", "BB")]),
        ]
    };
    let moved = || vec![json!([{"file": "a.txt", "strategy": "move", "move": {"to": "b.txt"}}])];
    let written = "a\nB\nc\nd\ne\nf\ng\nh\n";
    let all_written = [("a.txt", "a\nBB\nc\nd\ne\nf\nG\nh\n"), ("new.txt", "new\n")];
    let cases: &[Case<'_>] = &[
        (
            "",
            two,
            "git checkout -q other",
            "c",
            "git checkout -q -",
            &[("a.txt", written)],
        ),
        (
            "",
            two,
            "git checkout -q without",
            "c",
            "git checkout -q -",
            &[("a.txt", written)],
        ),
        (
            "",
            all,
            "git checkout -q other",
            "cwcc",
            "git checkout -q -",
            &all_written,
        ),
        (
            "",
            all,
            "git checkout -q without",
            "ccwc",
            "git checkout -q main",
            &all_written,
        ),
        (
            "",
            moved,
            "git checkout -q without",
            "c",
            "git checkout -q -",
            &[("b.txt", LINES)],
        ),
        // A change that is in no commit.
        (
            "echo mine >> a.txt; sed -i s/b/bb/ a.txt",
            || vec![json!([section("a.txt", "bb", "B")])],
            "git stash -q",
            "c",
            "git stash pop -q",
            &[("a.txt", "a\nB\nc\nd\ne\nf\ng\nh\nmine\n")],
        ),
        // An editor that empties the file before it writes.
        (
            "cp a.txt saved",
            two,
            ": > a.txt",
            "c",
            "cat saved > a.txt",
            &[("a.txt", written)],
        ),
    ];
    for (before, change, away, stand, back, after) in cases {
        let world = repository();
        sh(&world, before);
        let payloads = change();
        payloads
            .iter()
            .for_each(|changes| drop(world.stage(changes.clone())));
        let staged = standing(&world);
        assert!(!staged.contains('c'), "{staged}");
        for _ in 0..2 {
            sh(&world, away);
            assert_eq!(standing(&world), *stand, "{away}");
            sh(&world, back);
            assert_eq!(standing(&world), staged, "{away}; {back}");
        }
        let files = world.files();
        world.run(&["approve", "--all"]).done();
        for (path, text) in *after {
            assert_eq!(world.text(path), *text, "{away}; {back}");
        }
        payloads
            .iter()
            .for_each(|_| drop(world.run(&["undo"]).done()));
        let undone = world.files();
        assert_eq!(undone, files, "{away}; {back}");
    }
}

/// The open review looks by itself, and marks that were given before are about the same hunk.
#[test]
fn an_open_review_shows_a_hunk_in_conflict_and_waiting_again() {
    let world = repository();
    world.stage(json!([section("a.txt", "b", "B")]));
    let mut screen = Screen::open(&world, &["--offline"]);
    screen.shows("built-in planner");
    screen.press("\t");
    screen.shows("a approve");
    sh(&world, "git checkout -q other");
    screen.shows("you changed the same lines since");
    sh(&world, "git checkout -q -");
    screen.turns("a approve", "you changed the same lines since");
    screen.press("A");
    screen.signs();
    screen.shows("written a.txt");
    assert_eq!(world.text("a.txt"), LINES.replace('b', "B"));
}
