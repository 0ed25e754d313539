//! What a file system can do to a commit: no room, no permission, other things in the place of a
//! file, between staging and approval as well. Nothing is lost, and a word is said.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::untried::untried;
use crate::world::{Ended, World, finish, section};

/// An id of nobody's, for what root may do all the same.
const NOBODY: u32 = 65_534;

/// A workspace with two files, in which a change of both waits.
fn staged() -> World {
    let world = World::new(&[("a.txt", "a\n"), ("sub/b.txt", "b\n")]);
    world.stage(json!([
        section("a.txt", "a\n", "A\n"),
        section("sub/b.txt", "b\n", "B\n")
    ]));
    world
}

/// Approves everything, which must not be possible, and checks that nothing was written.
fn refused(world: &World, why: &str) {
    let before = world.files();
    let ended = world.run(&["approve", "--all"]);
    assert_ne!(ended.code, Some(0), "{ended:#?}");
    ended.says(why);
    assert_eq!(world.files(), before, "{why}");
}

#[test]
fn a_file_that_became_something_else_stops_the_commit() {
    for made in ["folder", "pipe", "link out", "link in", "nothing"] {
        let world = staged();
        world.write("other.txt", "other\n");
        fs::write(world.beside("secret"), "b\n").unwrap();
        let file = world.at("sub/b.txt");
        fs::remove_file(&file).unwrap();
        let why = match made {
            "folder" => fs::create_dir(&file).map(|()| "is a folder").unwrap(),
            "pipe" => {
                assert!(
                    Command::new("mkfifo")
                        .arg(&file)
                        .status()
                        .unwrap()
                        .success()
                );
                "only regular files are"
            }
            "link out" => symlink(world.beside("secret"), &file)
                .map(|()| "changed")
                .unwrap(),
            "link in" => symlink("../other.txt", &file).map(|()| "changed").unwrap(),
            _ => "changed",
        };
        refused(&world, "changed");
        if why != "changed" {
            world.run(&["review"]).done().says(why);
        }
        assert_eq!(fs::read(world.beside("secret")).unwrap(), b"b\n", "{made}");
        assert_eq!(world.text("other.txt"), "other\n", "{made}");
        assert_eq!(world.text("a.txt"), "a\n", "{made}");
        assert_eq!(
            world.review().len(),
            2,
            "{made}: it waits, or says why it cannot"
        );
    }
}

#[test]
fn a_folder_that_went_or_became_a_link_stops_the_commit() {
    let world = staged();
    fs::remove_dir_all(world.at("sub")).unwrap();
    refused(&world, "changed");
    let world = staged();
    fs::rename(world.at("sub"), world.beside("sub")).unwrap();
    symlink(world.beside("sub"), world.at("sub")).unwrap();
    refused(&world, "changed");
    world.run(&["review"]).done().says("leads out");
    assert_eq!(fs::read(world.beside("sub/b.txt")).unwrap(), b"b\n");
}

#[test]
fn a_folder_that_became_a_link_to_gits_stops_the_commit() {
    let other = "[core]\n\tbare = false\n";
    for (path, made) in [
        ("sub/config", "sub"),
        ("sub/hooks/config", "sub"),
        ("sub/hooks/config", "sub/hooks"),
    ] {
        for target in [".git", "elsewhere"] {
            // The text is the same at the end of the link: only the way there has changed.
            let at = |folder: &str| path.replacen("sub", folder, 1);
            let (git, elsewhere) = (at(".git"), at("elsewhere"));
            let world = World::new(&[(path, other), (&git, other), (&elsewhere, other)]);
            world.stage(json!([section(path, "false", "true")]));
            fs::rename(world.at(made), world.beside("away")).unwrap();
            let end = made.replacen("sub", target, 1);
            symlink(world.at(&end), world.at(made)).unwrap();
            refused(&world, "changed");
            let review = world.run(&["review"]).done();
            review.says("leads to another place now");
            refused(&world, "in conflict");
            assert_eq!(world.text(&git), other);
        }
    }
}

#[test]
fn no_spelling_of_gits_folder_is_staged() {
    for folder in [
        ".git",
        ".GIT",
        ".g\u{200c}it",
        ".git ",
        ".git.",
        "git~1",
        "a\\.git",
        ".git::$DATA",
    ] {
        let world = World::new(&[]);
        let change = json!({ "file": format!("{folder}/hooks/x"), "whole": { "content": "x" } });
        let answer = world.apply(&[], &json!({ "changes": [change] }));
        assert_ne!(answer.code, Some(0), "{folder}");
        answer.says("belongs to git");
        assert_eq!(world.review().len(), 0, "{folder}");
    }
}

#[test]
fn other_names_of_a_file_are_told_of_and_keep_the_old_text() {
    let world = World::new(&[]);
    fs::write(world.beside("shared"), "a\n").unwrap();
    fs::hard_link(world.beside("shared"), world.at("a.txt")).unwrap();
    world.stage(json!([section("a.txt", "a\n", "A\n")]));
    world
        .run(&["review"])
        .done()
        .says("other names (hard links)");
    world.run(&["approve", "--all"]).done();
    assert_eq!(world.text("a.txt"), "A\n");
    assert_eq!(fs::read(world.beside("shared")).unwrap(), b"a\n");
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Runs `signoff` as somebody who is not root; the folder itself stays root's.
fn as_nobody(world: &World, arguments: &[&str]) -> Ended {
    finish(of_nobody(world, arguments), b"")
}

/// Returns `signoff` to be run as somebody who is not root.
fn of_nobody(world: &World, arguments: &[&str]) -> Command {
    let mut command = world.command(arguments);
    if is_root() {
        for folder in ["home", "state"] {
            let _made = fs::create_dir(world.beside(folder));
            give(&world.beside(folder));
        }
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(world.beside("."), mode).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn give(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    let inner = fs::read_dir(path).into_iter().flatten();
    inner.for_each(|entry| give(&entry.unwrap().path()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_finds_neither_keys_nor_passwords_in_any_environment() {
    let world = World::new(&[]);
    // Root may read every process.
    let looks = "{ env; for id in $PPID $(ls /proc); do cat /proc/$id/environ; done; } 2>/dev/null \
                 | tr '\\0' '\\n' | grep sk-of-a- || exit 5";
    let call = json!({ "delta": "call", "name": "bash", "arguments": { "command": looks } });
    let script = world.beside("script.jsonl");
    fs::write(&script, format!("{}\n", json!({ "deltas": [call] }))).unwrap();
    world.configure("[[permissions]]\ntool = 'bash'\naction = 'allow'\n");
    let script = script.to_str().unwrap();
    let mut command = of_nobody(&world, &["exec", "--json", "--replay", script, "go"]);
    command.env("SIGNOFF_API_KEY", "sk-of-a-model");
    command.env("http_proxy", "http://me:sk-of-a-proxy@proxy:3128");
    let ended = finish(command, b"");
    if ended.stdout.is_empty() {
        return untried("another user", "nobody may run this program here");
    }
    let events = ended.events();
    let done = events.iter().find(|event| event["type"] == "call_done");
    let summary = done.unwrap()["summary"].as_str().unwrap();
    assert!(summary.starts_with("exit 5 "), "{ended:#?}");
}

#[test]
fn a_folder_that_may_not_be_written_is_said() {
    let world = staged();
    // The file itself may be written, the folder takes no draft beside it.
    world.set_mode("sub/b.txt", 0o666);
    world.set_mode("a.txt", 0o666);
    world.set_mode("sub", 0o555);
    let before = world.text("sub/b.txt");
    if !as_nobody(&world, &["review"]).stdout.contains("sub/b.txt") {
        return untried("another user", "nobody may run this program here");
    }
    let ended = as_nobody(&world, &["approve", "--all"]);
    assert_ne!(ended.code, Some(0), "{ended:#?}");
    ended.says("is in a read-only folder");
    // Where the user may write beside it, the other file is written.
    assert_eq!(world.text("sub/b.txt"), before);
    world.set_mode("sub", 0o755);
}

/// A small file system of its own, gone when dropped.
struct Small(std::path::PathBuf);

impl Small {
    /// Makes one at `path`; none where this may not be done.
    fn at(path: &Path) -> Option<Self> {
        if !is_root() {
            return None;
        }
        fs::create_dir_all(path).unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=512k", "none"])
            .arg(path);
        let mounted = mount.output().is_ok_and(|out| out.status.success());
        mounted.then(|| Self(path.to_owned()))
    }

    /// Leaves no room in it.
    fn fill(&self) {
        let chunk = vec![b'x'; 4096];
        let mut file = fs::File::create(self.0.join("filler")).unwrap();
        while std::io::Write::write_all(&mut file, &chunk).is_ok() {}
    }

    fn free(&self) {
        fs::remove_file(self.0.join("filler")).unwrap();
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _gone = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_mount_in_the_temporary_folder_is_not_in_the_way_of_a_program() {
    let world = World::new(&[("a.txt", "a\n")]);
    world.configure("[run]\nshadow = \"overlay\"\n");
    if world.run(&["run", "--", "true"]).code == Some(125) {
        return untried("mounts", "no shadow can be made");
    }
    let Some(_small) = Small::at(&world.beside("mounted")) else {
        return untried("mounts", "no file system may be mounted");
    };
    let ran = world.run(&["run", "--", "sh", "-c", "cat a.txt; mktemp; rm a.txt"]);
    ran.done().says("1 file staged");
    assert_eq!(world.text("a.txt"), "a\n");
}

#[test]
fn a_full_disk_under_the_files_leaves_them_as_they_were() {
    let world = World::new(&[("a.txt", "a\n")]);
    let Some(small) = Small::at(&world.at("small")) else {
        return untried("mounts", "no file system may be mounted");
    };
    let long = "b\n".repeat(10_000);
    world.write("small/b.txt", &long);
    let more = long.replacen("b\n", "B and more\n", 1);
    world.stage(json!([
        section("a.txt", "a\n", "A\n"),
        { "file": "small/b.txt", "whole": { "content": more } }
    ]));
    small.fill();
    refused(&world, "No space left");
    small.free();
    world.run(&["approve", "--all"]).done();
    assert_eq!(
        (world.text("a.txt").as_str(), world.text("small/b.txt")),
        ("A\n", more)
    );
}

#[test]
fn a_full_disk_under_the_store_leaves_the_files_as_they_were() {
    let world = World::new(&[("a.txt", "a\n")]);
    let Some(small) = Small::at(&world.beside("state")) else {
        return untried("mounts", "no file system may be mounted");
    };
    world.stage(json!([section("a.txt", "a\n", "A\n")]));
    small.fill();
    refused(&world, "room left on its disk");
    small.free();
    world.run(&["approve", "--all"]).done();
    assert_eq!(world.text("a.txt"), "A\n");
    small.fill();
    let before = world.files();
    let ended = world.run(&["revert", "a.txt"]);
    assert_ne!(ended.code, Some(0), "{ended:#?}");
    assert_eq!(world.files(), before);
}

#[test]
fn a_file_of_50_mb_is_refused_in_a_word() {
    let world = World::new(&[]);
    world.write("large.txt", "line\n".repeat(10 * 1024 * 1024));
    let answer = world.apply(
        &[],
        &json!({"changes": [section("large.txt", "line", "x")]}),
    );
    assert_ne!(answer.code, Some(0));
    answer.says("files above 8388608 are neither");
}
