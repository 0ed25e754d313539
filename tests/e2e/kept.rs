//! Ignored files that programs leave in the shadow, brought into the workspace by the user.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

#[cfg(target_arch = "x86_64")]
use nix::{errno::Errno, libc};
use serde_json::json;

use crate::confined::world;
#[cfg(target_arch = "x86_64")]
use crate::faults::{Fault, may_trace, traced_at};
use crate::run::sh;
use crate::screen::Screen;
#[cfg(target_arch = "x86_64")]
use crate::untried::untried;
use crate::world::World;

const IGNORED: &str = "built/\nout/\n.envrc\n*.log\n.venv/\n";

/// What the model's command leaves: build output, what makes a program run, a link that leads out, and files in the place of the
/// user's.
const BUILD: &str = "mkdir -p built/deep out; echo 1 > built/app; echo 2 > built/deep/lib; echo x > .envrc; ln -s /etc/passwd built/in; \
                     ln -s ../.. built/up; echo theirs > out/own; rm -f out/gone; echo same > out/same; echo l > a.log; echo b >> a.txt";

fn replay(world: &World, command: &str) -> String {
    let answers = [
        json!({ "deltas": [{ "delta": "call", "name": "bash", "arguments": { "command": command } }] }),
        json!({ "deltas": [{ "delta": "text", "text": "Built." }] }),
    ];
    let replay = world.beside("replay.jsonl");
    fs::write(&replay, answers.map(|answer| answer.to_string()).join("\n")).unwrap();
    replay.to_str().unwrap().to_owned()
}

fn built() -> Option<World> {
    let world = world(&[
        (".gitignore", IGNORED),
        ("a.txt", "a\n"),
        ("out/own", "mine\n"),
        ("out/gone", "mine\n"),
        ("out/same", "same\n"),
    ])?;
    let replay = replay(&world, BUILD);
    let exec = world.run(&[
        "exec", "--json", "--stop", "turn-end", "--replay", &replay, "go",
    ]);
    let told = exec.done().stdout;
    assert!(told.contains("stay in the shadow: "), "{told}");
    assert!(told.contains("`/keep` brings them"), "{told}");
    Some(world)
}

/// A program has a mask of its own, by which everybody could write what the user builds with.
#[test]
fn what_is_brought_has_the_permissions_of_the_users_files() {
    let Some(world) = world(&[(".gitignore", IGNORED), ("own", "")]) else {
        return;
    };
    sh(&world, "umask 0; mkdir -m 777 built; echo x > built/app").done();
    world.run(&["keep", "built"]).done();
    let mode = |path: &str| fs::metadata(world.at(path)).unwrap().permissions().mode() & 0o777;
    let own = mode("own");
    assert_eq!(mode("built/app"), own);
    assert_eq!(mode("built") & 0o666, own);
}

#[test]
fn what_programs_left_in_ignored_folders_is_brought_when_the_user_asks() {
    let Some(world) = built() else { return };
    let before = world.files();
    for (paths, code, told) in [
        (
            &["sub/none"][..],
            1,
            "sub/none: no program left an ignored file there",
        ),
        (
            &["a.txt"],
            1,
            "a.txt: no program left an ignored file there",
        ),
        (&[".envrc"], 3, "not written: .envrc: direnv runs it"),
        (
            &["out"],
            0,
            "not written: out/own: the disk has another one, which is not overwritten",
        ),
    ] {
        let kept = world.run(&[&["keep"], paths].concat()).ends(code);
        assert!(kept.stdout.contains(told), "{paths:?}: {kept:?}");
        assert_eq!(world.files(), before, "{paths:?}");
    }
    for outside in ["../other", "/etc", ".git/x"] {
        let kept = world.run(&["keep", outside]);
        assert_ne!(kept.code, Some(0), "{outside}: {kept:?}");
        assert_eq!(world.files(), before, "{outside}");
    }
    let deep = world.run(&["keep", "built/deep/"]).done();
    assert!(
        deep.stdout
            .starts_with("1 ignored file (2 bytes) written: built/deep\n"),
        "{deep:?}"
    );
    let all = world.run(&["keep"]).done();
    // A link to what root may write leads to files of root's.
    let written = if is_root() {
        "2 ignored files (4 bytes) written: a.log, built\n"
    } else {
        "3 ignored files (15 bytes) written: a.log, built\n"
    };
    for told in [
        written,
        "1 file on disk already, with the same contents\n",
        "not written: .envrc: ",
        "not written: built/up: ",
        "not written: out/gone: a program removed it; on disk it stays\n",
        "not written: out/own: ",
        "what was not written stays in ",
    ] {
        assert!(all.stdout.contains(told), "{told}: {all:?}");
    }
    let at = |path: &str| world.text(path);
    assert_eq!(
        (at("built/app"), at("built/deep/lib")),
        ("1\n".to_owned(), "2\n".to_owned())
    );
    if !is_root() {
        let target = fs::read_link(world.at("built/in")).unwrap();
        assert_eq!(target, PathBuf::from("/etc/passwd"));
    }
    assert_eq!(
        (at("out/own"), at("out/gone"), at("a.txt")),
        ("mine\n".to_owned(), "mine\n".to_owned(), "a\n".to_owned())
    );
    assert!(!world.at(".envrc").exists() && fs::symlink_metadata(world.at("built/up")).is_err());
    // What was brought is there for the next program, and is not brought over what the user made of it.
    world.write("built/app", "user's\n");
    let again = world.run(&["keep", "built"]);
    assert!(
        again.stdout.contains("not written: built/up: "),
        "{again:?}"
    );
    assert_eq!(world.text("built/app"), "user's\n");
}

/// A file that was proposed is written by a sign-off, or not at all, and a later program does not find what was denied.
#[test]
fn what_was_proposed_is_not_brought_as_an_ignored_file() {
    let Some(world) = world(&[(".gitignore", "*.log\n"), ("a.txt", "a\n")]) else {
        return;
    };
    world.stage(json!([crate::world::whole("own.log", "proposed\n")]));
    let ran = sh(
        &world,
        "cat own.log; echo more >> own.log; echo new > new.txt",
    )
    .done();
    assert!(ran.stdout.contains("proposed"), "{ran:?}");
    world.write(".gitignore", "*.log\nnew.txt\n");
    for is_denied in [false, true] {
        if is_denied {
            world.run(&["deny", "--all", "--reason", "no"]).done();
        }
        let kept = world.run(&["keep"]).ends(3);
        for path in ["own.log", "new.txt"] {
            let told = format!("not written: {path}: it was proposed");
            assert!(kept.stdout.contains(&told), "{path}: {kept:?}");
            assert!(!world.at(path).exists(), "{path}");
        }
    }
    let next = sh(&world, "ls").done();
    assert_eq!(next.stdout.trim(), "a.txt", "{next:?}");
    world
        .run(&["keep"])
        .done()
        .says("no program left an ignored file");
}

#[test]
fn keep_is_typed_in_a_conversation() {
    let Some(world) = world(&[(".gitignore", IGNORED), ("a.txt", "a\n")]) else {
        return;
    };
    let replay = replay(&world, "mkdir built; echo 1 > built/app; echo l > a.log");
    let mut screen = Screen::open(&world, &["--replay", &replay, "build"]);
    screen.shows("`/keep` brings them");
    screen.shows("Built.");
    screen.press("/keep built\r");
    screen.shows("1 ignored file (2 bytes) written: built");
    assert!(world.at("built/app").exists() && !world.at("a.log").exists());
    screen.press("/keep\r");
    screen.shows("1 ignored file (2 bytes) written: a.log");
}

fn is_root() -> bool {
    fs::read_dir("/root").is_ok()
}

/// What a program left is on the disk before its layers count as whole, and where it left nothing, nothing is waited for.
#[test]
#[cfg(target_arch = "x86_64")]
fn what_is_not_on_the_disk_no_later_program_finds() {
    if !may_trace() {
        return untried("faults", "this machine lets no process trace another");
    }
    let Some(world) = world(&[(".gitignore", IGNORED), ("a.txt", "a\n")]) else {
        return;
    };
    let sync = [libc::SYS_syncfs];
    let build = "mkdir -p built; echo 1 > built/app";
    let run = |command, fault| {
        traced_at(
            &world,
            &["run", "--", "sh", "-c", command],
            (&sync, 0),
            fault,
        )
    };
    for fault in [Fault::Kill, Fault::Fails(Errno::EIO)] {
        let ended = run(build, fault);
        assert!(ended.reached, "{ended:?}");
        assert_eq!(sh(&world, "cat built/app").stdout, "", "{ended:?}");
    }
    sh(&world, build).done();
    for command in ["cat built/app", "echo b > a.txt", "rm built/other"] {
        let ended = run(command, Fault::Kill);
        assert!(!ended.reached, "{command}: {ended:?}");
    }
    assert_eq!(sh(&world, "cat built/app").stdout, "1\n");
}
