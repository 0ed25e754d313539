//! Programs one after the other: what they propose together, approved, is what they would have done to a plain
//! copy; taken back, everything is as it was before.

use std::path::PathBuf;
use std::process::Command;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use crate::run::{in_each, relative, sh};
use crate::world::{Found, World};

const FILES: [(&str, &str); 6] = [
    ("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n"),
    ("b.txt", "one\ntwo\n"),
    ("src/c.rs", "c1\nc2\nc3\n"),
    ("src/deep/d.py", "d1\nd2\nd3\nd4\n"),
    ("src/deep/e.py", "e\n"),
    ("lib/f.ts", "f1\nf2\n"),
];

/// Returns the files, without the folders around them: empty ones are not proposed.
fn files(world: &World) -> Vec<(PathBuf, Found)> {
    let mut found = relative(world);
    found.retain(|(_, found)| *found != Found::Folder);
    found
}

/// Runs shell commands one after the other. They may fail, as they do in a plain copy.
fn as_on_a_plain_copy(commands: &[String]) {
    let plain = World::new(&FILES);
    for command in commands {
        let mut sh = Command::new("sh");
        let sh = sh.args(["-c", command]).current_dir(plain.root());
        sh.output().unwrap();
    }
    in_each(&FILES, |world, backend| {
        let told = format!("{commands:#?} in {backend}");
        let before = world.files();
        for command in commands {
            let ran = sh(&world, command);
            let mut refused = ran
                .stderr
                .lines()
                .filter(|line| line.contains("not staged"));
            // There is nothing to lose in one.
            assert!(
                refused.all(|line| line.contains("empty folder")),
                "{told}: {}",
                ran.stderr
            );
        }
        assert_eq!(world.files(), before, "{told}");
        let id = |proposal: &Value| proposal["id"].as_str().unwrap().to_owned();
        let ids: Vec<String> = world.review().iter().map(id).collect();
        if !ids.is_empty() {
            let mut approve = vec!["approve"];
            approve.extend(ids.iter().map(String::as_str));
            world.run(&approve).done();
        }
        assert_eq!(files(&world), files(&plain), "{told}");
        while world.run(&["revert", "--changeset", "last"]).code == Some(0) {}
        assert_eq!(world.files(), before, "taken back: {told}");
    });
}

#[test]
fn what_an_earlier_program_left_is_what_the_next_one_finds() {
    let cases: [&[&str]; 12] = [
        // Folders that went with their files.
        &["rm -rf src", "mv src/deep elsewhere", "echo new > src/c.rs"],
        &["mv src moved", "mkdir src; echo new > src/c.rs"],
        &["mv src moved", "rm -rf moved"],
        &["mv src/deep moved", "mv moved src/deep"],
        // And what is changed of a file where it went.
        &["chmod 755 lib/f.ts", "mv lib src", "mv src lib"],
        // The name of a file that was moved.
        &["mv a.txt c.txt", "echo new > a.txt"],
        &["mv a.txt c.txt; mv b.txt a.txt", "rm c.txt"],
        // Folders made anew with the same files.
        &["cp -r src kept; rm -rf src; mv kept src"],
        &["cp -r src kept", "rm -rf src; cp -r kept src; rm -rf kept"],
        // Permission bits that go along, come back, and end what may be written.
        &["chmod 700 a.txt", "mv a.txt c.txt", "chmod 444 c.txt"],
        &["chmod 444 a.txt", "rm -f a.txt; echo new > a.txt"],
        &["chmod 755 src/c.rs", "cp -r src copied; rm -f src/c.rs"],
    ];
    for commands in cases {
        let commands: Vec<String> = commands.iter().map(|&command| command.into()).collect();
        as_on_a_plain_copy(&commands);
    }
}

/// Returns commands that change a few files and folders, some of which are not there.
fn command() -> impl Strategy<Value = String> {
    let file = select(vec![
        "a.txt",
        "b.txt",
        "src/c.rs",
        "src/deep/d.py",
        "lib/f.ts",
        "new.txt",
    ]);
    let folder = select(vec!["src", "src/deep", "lib", "other", "third"]);
    // Not 444: root writes to that in the plain copy, and has no such right in an overlay.
    let (mode, line) = (select(vec!["755", "600", "640"]), 1..9);
    prop_oneof![
        (file.clone(), line.clone()).prop_map(|(file, line)| format!("sed -i {line}s/^/x/ {file}")),
        (file.clone(), line).prop_map(|(file, line)| format!("sed -i {line}d {file}")),
        file.clone().prop_map(|file| format!("echo more >> {file}")),
        file.clone().prop_map(|file| format!("echo whole > {file}")),
        file.clone().prop_map(|file| format!("rm -f {file}")),
        (file.clone(), file.clone()).prop_map(|(one, other)| format!("mv -f {one} {other}")),
        (file.clone(), file.clone()).prop_map(|(one, other)| format!("cp {one} {other}")),
        (mode, file).prop_map(|(mode, file)| format!("chmod {mode} {file}")),
        folder.clone().prop_map(|folder| format!("rm -rf {folder}")),
        (folder.clone(), folder.clone()).prop_map(|(one, other)| format!("mv {one} {other}")),
        folder
            .clone()
            .prop_map(|folder| format!("cp -r {folder} copied")),
        folder.prop_map(|folder| format!("mkdir -p {folder}; echo n > {folder}/new")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_commands_come_to_what_they_would_do_to_a_plain_copy(
        commands in prop::collection::vec(
            prop::collection::vec(command(), 1..4).prop_map(|each| each.join("; ")),
            1..4,
        )
    ) {
        as_on_a_plain_copy(&commands);
    }
}
