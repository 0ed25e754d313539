//! Output for a reader: colours and the pager on a terminal, a patch for `git apply` elsewhere.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::screen::Screen;
use crate::world::{World, section, whole};

const GREEN: vt100::Color = vt100::Color::Idx(2);
const RED: vt100::Color = vt100::Color::Idx(1);

/// The shows of what is staged, each with the lines of it that are in colours.
const SHOWS: [&[&str]; 3] = [&["review"], &["review", "--patch"], &["diff"]];

fn staged() -> World {
    let world = World::new(&[("a.txt", "one\ntwo\nthree\n")]);
    world.stage(json!([section("a.txt", "two", "zwei")]));
    world
}

/// A pager that keeps what it reads and what it is started with, and says so.
fn keeps(world: &World) -> String {
    let (text, how) = (world.beside("text"), world.beside("how"));
    let script = format!(
        "#!/bin/sh\ncat > '{}'\necho \"$LESS $*\" > '{}'\necho paged\n",
        text.display(),
        how.display()
    );
    let pager = world.beside("pager");
    world.program(&pager, &script);
    pager.display().to_string()
}

fn read(world: &World, name: &str) -> String {
    fs::read_to_string(world.beside(name)).unwrap()
}

#[test]
fn the_users_pager_reads_colours() {
    for show in SHOWS {
        let world = staged();
        let pager = keeps(&world) + " --own";
        let plain = world.run(show).done().stdout;
        let cases = [
            (None, None, "FRX --own\n"),
            (Some(("LESS", "M")), None, "M --own\n"),
            (None, Some(("NO_COLOR", "1")), "FRX --own\n"),
        ];
        for (less, no_color, how) in cases {
            let others = less.into_iter().chain(no_color);
            let environment: Vec<_> = [("PAGER", pager.as_str())]
                .into_iter()
                .chain(others)
                .collect();
            let left = Screen::open_in(&world, show, &environment).left();
            assert_eq!((left.code, left.contents.trim()), (0, "paged"), "{show:?}");
            assert_eq!(read(&world, "how"), how);
            let text = read(&world, "text");
            if no_color.is_some() {
                assert_eq!(text, plain, "{show:?}");
                continue;
            }
            for line in ["\u{1b}[31m-two\u{1b}[0m\n", "\u{1b}[32m+zwei\u{1b}[0m\n"] {
                assert!(text.contains(line), "{show:?}: {text:?}");
            }
            let bare = ["1", "31", "32", "36", "0"];
            let bare = bare.iter().fold(text, |text, colour| {
                text.replace(&format!("\u{1b}[{colour}m"), "")
            });
            assert_eq!(bare, plain, "{show:?}");
        }
    }
}

/// Without a pager, or with one that is not there, all of it is on the terminal itself.
#[test]
fn without_a_pager_the_terminal_has_the_colours() {
    for pager in ["", "cat", "no-such-pager -x"] {
        let world = staged();
        let mut screen = Screen::open_in(&world, &["diff"], &[("PAGER", pager)]);
        for (line, colour) in [("-two", RED), ("+zwei", GREEN)] {
            screen.wait(line, |screen| {
                let rows: Vec<String> = screen.rows(0, 80).collect();
                let row = rows.iter().position(|row| row.trim_end() == line);
                row.is_some_and(|row| {
                    let cell = screen.cell(u16::try_from(row).unwrap(), 0);
                    cell.is_some_and(|cell| cell.fgcolor() == colour)
                })
            });
        }
        assert_eq!(screen.left().code, 0, "{pager:?}");
    }
}

#[test]
fn a_reader_may_leave_early() {
    let world = World::new(&[]);
    world.stage(json!([whole("long.txt", &"a line\n".repeat(100_000))]));
    let pager = world.beside("pager");
    world.program(&pager, "#!/bin/sh\nread first\necho \"$first\"\n");
    let pager = pager.display().to_string();
    let left = Screen::open_in(&world, &["diff"], &[("PAGER", &pager)]).left();
    assert_eq!(left.code, 0);
    assert!(
        left.contents.contains("diff --git a/long.txt b/long.txt"),
        "{}",
        left.contents
    );
}

/// `git apply` makes of the patch what `approve --all` makes of the proposals.
#[test]
fn git_apply_takes_the_patch() {
    let world = World::new(&[
        ("a b.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"),
        ("é.txt", "one\r\ntwo\r\n"),
        ("end.txt", "no line ending"),
        ("gone.txt", "gone\n"),
        ("old.txt", "moved\nand changed\n"),
        ("run.sh", "echo 1\n"),
    ]);
    world.write("latin.txt", b"caf\xe9\nold\n");
    world.set_mode("run.sh", 0o755);
    let copy = world.beside("copy");
    let copied = Command::new("cp")
        .arg("-a")
        .arg(world.root())
        .arg(&copy)
        .status();
    assert!(copied.unwrap().success());
    world.stage(json!([
        section("a b.txt", "2", "zwei"),
        section("a b.txt", "9", "neun"),
        section("é.txt", "two", "zwei"),
        section("end.txt", "no line ending", "still no line ending"),
        section("latin.txt", "old", "né"),
        section("run.sh", "1", "2"),
        { "file": "gone.txt", "strategy": "delete" },
        { "file": "old.txt", "strategy": "move", "move": { "to": "sub/new.txt" } },
        whole("sub/deep/fresh.txt", "fresh\n"),
        whole("empty.txt", ""),
    ]));
    world.stage(json!([section("sub/new.txt", "and changed", "and edited")]));
    let patch = world.command(&["diff"]).output().unwrap();
    assert!(patch.status.success(), "{patch:?}");
    let file = world.beside("all.patch");
    fs::write(&file, &patch.stdout).unwrap();
    let mut git = Command::new("git");
    let applied = git.arg("apply").arg(&file).current_dir(&copy).output();
    let applied = applied.unwrap();
    assert!(applied.status.success(), "{applied:?}\n{patch:?}");
    let ids: Vec<String> = world
        .review()
        .iter()
        .map(|own| own["id"].as_str().unwrap().to_owned())
        .collect();
    let ids = ids.iter().map(String::as_str);
    world
        .run(&["approve"].into_iter().chain(ids).collect::<Vec<_>>())
        .done();
    let mut git = Command::new("git");
    let compared = git
        .args(["diff", "--no-index", "--"])
        .arg(&copy)
        .arg(world.root())
        .output()
        .unwrap();
    assert!(compared.status.success(), "{compared:?}");
}
