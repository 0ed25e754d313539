//! What a verdict writes beside the lines that are shown: permission bits, line endings, links, and the patch of it all.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::run::{in_each, sh};
use crate::world::{World, finish};

fn mode(world: &World, path: &str) -> u32 {
    let metadata = fs::metadata(world.at(path)).unwrap();
    metadata.permissions().mode() & 0o7777
}

/// What a program does, the mode of `key` (600) after all at once was approved, and after its bits were approved by id.
const OPENED: [(&str, u32, u32); 5] = [
    ("chmod 666 key; echo more >>key", 0o600, 0o666),
    ("chmod 644 key", 0o600, 0o644),
    ("echo new >n; chmod 644 n; mv n key", 0o600, 0o644),
    ("rm key; umask 0; echo new >key", 0o600, 0o666),
    ("chmod 400 key", 0o400, 0o400),
];

#[test]
fn a_mode_that_opens_a_file_to_more_is_said_and_waits_for_its_id() {
    for (script, unseen, named) in OPENED {
        in_each(&[("key", "k\n")], |world, _| {
            world.set_mode("key", 0o600);
            sh(&world, script);
            let told = world.run(&["review"]).done().stdout;
            assert!(told.contains(&format!("mode 600 → {named:o}: ")), "{told}");
            world.run(&["approve", "--all"]);
            assert_eq!(mode(&world, "key"), unseen, "{script}");
            for view in world.review() {
                let effect = &view["effect"];
                assert_eq!(effect["loosens"], true, "{view}");
                assert_eq!(effect["mode"]["to"], format!("{named:o}"), "{view}");
                world.run(&["approve", view["id"].as_str().unwrap()]).done();
            }
            assert_eq!(mode(&world, "key"), named, "{script}");
            let history = world.history();
            let told = &history[0]["effect"]["told"][0];
            let told = told.as_str().unwrap_or_default();
            assert!(told.starts_with(&format!("mode 600 → {named:o}")), "{told}");
        });
    }
}

#[test]
fn new_files_get_what_the_users_new_files_get() {
    in_each(&[("a", "a\n")], |world, _| {
        sh(&world, "umask 0; echo n >new; mkdir d; echo n >d/new");
        world.run(&["approve", "--all"]).done();
        let own = mode(&world, "a");
        assert_eq!((mode(&world, "new"), mode(&world, "d/new")), (own, own));
    });
}

/// Before and after, and what every list says of it.
const ENDINGS: [(&str, &str, &[&str]); 5] = [
    (
        "one\r\ntwo\r\n",
        "one\r\ntwo\n",
        &["-two␍", "+two\n", "1 line end: CRLF to LF"],
    ),
    (
        "one\n",
        "one\ntwo\r\n",
        &["+two␍", "1 new line ends in CRLF"],
    ),
    (
        "a\r\nb\r\nc\r\n",
        "a\nb\nc\n",
        &["+3 line ends: CRLF to LF"],
    ),
    ("x = 1\n", "x = 1\ry = 2\n", &["+x = 1␍y = 2"]),
    ("a\n", "\u{feff}a\n", &["+\\u{feff}a", "byte order mark"]),
];

#[test]
fn line_endings_that_change_are_seen() {
    for (before, after, told) in ENDINGS {
        let world = World::new(&[("a.txt", before), ("left", after)]);
        sh(&world, "cat left >a.txt");
        let shown = world.run(&["review"]).done().stdout + "\n";
        for words in told {
            assert!(
                shown.contains(words),
                "{before:?} {after:?}: {words}: {shown}"
            );
        }
    }
}

/// Scripts, each of which `git apply` repeats from the patch of what it left.
const PATCHED: [&str; 17] = [
    "sed -i 's/b/B/' a.txt",
    "echo n >new",
    "rm a.txt",
    "mv a.txt d.txt",
    "sed 's/b/B/' a.txt >d.txt; rm a.txt",
    "chmod 755 a.txt",
    "chmod 755 a.txt; echo c >>a.txt",
    "chmod 600 key; echo c >>a.txt",
    "rm a.txt; ln -s key a.txt",
    "rm link; echo text >link",
    "ln -sfn key link",
    ": >empty",
    "printf end >>a.txt",
    "sed -i 's/$/\\r/' a.txt",
    "echo n >'a b'; echo n >'a\"b'; echo n >é",
    "printf 'a\\0b' >bin; printf 'x\\0y%s' $(seq 99) >c.bin",
    "rm c.bin; mv key 'k k'; chmod 755 'k k'",
];

#[test]
fn git_applies_the_patch_of_everything_that_is_staged() {
    for script in PATCHED {
        let files = [("a.txt", "a\nb\nc\n"), ("key", "k\n"), ("c.bin", "c\0d")];
        let world = World::new(&files);
        std::os::unix::fs::symlink("a.txt", world.at("link")).unwrap();
        sh(&world, script);
        // Bytes as they are: what asks is no terminal.
        let patch = world
            .command(&["review", "--patch"])
            .output()
            .unwrap()
            .stdout;
        let other = world.beside("other");
        copy(&world, &other);
        git(&other, &["init", "-q"], b"");
        git(
            &other,
            &["apply", "--check", "--whitespace=nowarn", "-"],
            &patch,
        );
        git(&other, &["apply", "--whitespace=nowarn", "-"], &patch);
        fs::remove_dir_all(other.join(".git")).unwrap();
        let ids: Vec<String> = world.review().iter().map(id).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        world.run(&[&["approve"][..], &ids].concat()).done();
        let same = Command::new("diff")
            .args(["-r", "--no-dereference", "--exclude=.git"])
            .args([&world.root(), &other])
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&same.stdout).into_owned();
        assert!(
            same.status.success(),
            "{script}: {told}\n{}",
            String::from_utf8_lossy(&patch)
        );
        fs::remove_dir_all(&other).unwrap();
    }
}

fn id(view: &Value) -> String {
    view["id"].as_str().unwrap().to_owned()
}

fn copy(world: &World, to: &Path) {
    let mut command = Command::new("cp");
    command.arg("-a").args([&world.root(), to]);
    finish(command, b"").done();
    let _none = fs::remove_dir_all(to.join(".git"));
}

fn git(folder: &Path, arguments: &[&str], input: &[u8]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments);
    finish(command, input).done();
}
