//! Programs while the user saves, and beside each other: nothing that anybody wrote is lost, and nothing waits.

use std::fs;

use serde_json::Value;

use crate::run::{in_each, sh};
use crate::screen::Screen;
use crate::world::{Running, World};

/// Starts a program that does `before`, waits for a line, and does `after`.
fn program(world: &World, before: &str, after: &str) -> Running {
    let script = format!("{before}; echo ready; read go; {after}");
    let mut running = world.start(&["run", "--", "sh", "-c", &script]);
    assert_eq!(running.line(), "ready\n");
    running
}

/// Lets a program go on to its end.
fn ends(mut running: Running) {
    running.say("go\n");
    running.end().done();
}

/// Returns what is proposed with the statuses of the hunks, as `modify a.txt: pending conflict`.
fn proposed(world: &World) -> Vec<String> {
    let one = |proposal: &Value| {
        let hunks = proposal["hunks"].as_array().unwrap().iter();
        let statuses: Vec<&str> = hunks.map(|hunk| hunk["status"].as_str().unwrap()).collect();
        let (operation, path) = (&proposal["operation"], &proposal["path"]);
        format!(
            "{} {}: {}",
            operation.as_str().unwrap(),
            path.as_str().unwrap(),
            statuses.join(" ")
        )
    };
    world.review().iter().map(one).collect()
}

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

#[test]
fn what_the_user_saves_while_a_program_runs_stays() {
    type Save = fn(&World);
    // What the program does, what the user saves meanwhile, and the file after all is approved.
    let cases: &[(&str, Save, Option<&str>)] = &[
        (
            "sed -i s/3/three/ a.txt",
            |world| world.write("a.txt", LINES.replace('8', "mine")),
            Some("1\n2\nthree\n4\n5\n6\n7\nmine\n9\n"),
        ),
        // The same change on both sides.
        (
            "sed -i s/3/three/ a.txt",
            |world| world.write("a.txt", LINES.replace('3', "three")),
            Some("1\n2\nthree\n4\n5\n6\n7\n8\n9\n"),
        ),
        // The same line: a conflict, which is not approved with the rest.
        (
            "sed -i s/3/three/ a.txt",
            |world| world.write("a.txt", LINES.replace('3', "mine")),
            Some("1\n2\nmine\n4\n5\n6\n7\n8\n9\n"),
        ),
        (
            "rm a.txt",
            |world| world.write("a.txt", LINES.replace('3', "mine")),
            Some("1\n2\nmine\n4\n5\n6\n7\n8\n9\n"),
        ),
        (
            "sed -i s/3/three/ a.txt",
            |world| fs::remove_file(world.at("a.txt")).unwrap(),
            None,
        ),
        (
            "rm a.txt; printf 'theirs\\n' > a.txt",
            |world| world.write("a.txt", "mine\n"),
            Some("mine\n"),
        ),
        (
            "printf 'a\\0b' > a.txt",
            |world| world.write("a.txt", b"c\0d"),
            Some("c\0d"),
        ),
    ];
    let in_git: &[bool] = &[false, true];
    in_each(&[("a.txt", LINES), ("b.txt", "b\n")], |world, backend| {
        for is_repository in in_git {
            if *is_repository {
                let git = "git init -q . && git add -A && git -c user.name=a -c user.email=a@a commit -qm a";
                plainly(&world, git);
            }
            for (number, (command, save, expected)) in cases.iter().enumerate() {
                // The look at what files are comes after a moment.
                let wait = "sleep 0.4";
                let first = format!("{wait}; {command}");
                // The program changes the file before the user does, or after.
                for (before, after) in [(first.as_str(), "true"), (wait, *command)] {
                    world.write("a.txt", LINES);
                    let running = program(&world, before, &format!("{after}; true"));
                    save(&world);
                    ends(running);
                    world.run(&["approve", "--all"]);
                    let text = fs::read(world.at("a.txt")).ok();
                    let text = text.map(|bytes| String::from_utf8(bytes).unwrap());
                    let told = format!("case {number} in {backend}, {:?}", proposed(&world));
                    assert_eq!(text.as_deref(), *expected, "{told}");
                    world.run(&["deny", "--all", "--reason", "no"]);
                }
            }
        }
    });
}

fn plainly(world: &World, command: &str) {
    let mut sh = std::process::Command::new("sh");
    let ran = sh.args(["-c", command]).current_dir(world.root()).status();
    assert!(ran.unwrap().success(), "{command}");
}

#[test]
fn programs_run_beside_each_other_and_lose_nothing_of_one_another() {
    in_each(&[("a.txt", LINES)], |world, backend| {
        let first = program(&world, "true", "sed -i s/3/three/ a.txt; echo 1 > n1");
        // It does not wait.
        sh(&world, "sed -i s/8/eight/ a.txt; echo 2 > n2").done();
        ends(first);
        assert_eq!(
            proposed(&world).len(),
            4,
            "{backend}: {:?}",
            proposed(&world)
        );
        world.run(&["approve", "--all"]).done();
        assert_eq!(world.text("a.txt"), "1\n2\nthree\n4\n5\n6\n7\neight\n9\n");
        assert_eq!(
            (world.text("n1"), world.text("n2")),
            ("1\n".into(), "2\n".into())
        );
    });
}

#[test]
fn programs_that_change_the_same_line_are_both_shown() {
    in_each(&[("a.txt", LINES)], |world, backend| {
        let first = program(&world, "true", "sed -i s/3/first/ a.txt");
        sh(&world, "sed -i s/3/second/ a.txt").done();
        ends(first);
        let proposed = proposed(&world);
        let expected = ["modify a.txt: pending", "modify a.txt: conflict"];
        assert_eq!(proposed, expected, "{backend}");
        let shown = world.run(&["review"]).stdout;
        assert!(
            shown.contains("first") && shown.contains("second"),
            "{shown}"
        );
    });
}

#[test]
fn a_file_that_is_moved_keeps_the_permissions_that_the_user_gives_it_meanwhile() {
    in_each(&[("a.txt", "secret\n")], |world, backend| {
        plainly(&world, "chmod 644 a.txt");
        let running = program(&world, "sleep 0.4; mv a.txt b.txt", "true");
        plainly(&world, "chmod 600 a.txt");
        ends(running);
        world.run(&["approve", "--all"]).done();
        plainly(
            &world,
            "test ! -e a.txt && test \"$(stat -c %a b.txt)\" = 600",
        );
        assert_eq!(world.text("b.txt"), "secret\n", "{backend}");
    });
}

#[test]
fn what_moved_to_where_there_is_a_conflict_is_not_taken_from_where_it_was() {
    // What the program does, and what the user saves in b.txt afterwards.
    let cases = [
        ("mv a.txt b.txt", "21\nmine\n23\n"),
        ("rm b.txt; mv a.txt b.txt; echo x >> b.txt", "mine\n"),
        ("mv a.txt t; mv b.txt a.txt; mv t b.txt", "21\nmine\n23\n"),
    ];
    in_each(&[], |world, backend| {
        for (command, saved) in cases {
            world.write("a.txt", LINES);
            world.write("b.txt", "21\n22\n23\n");
            sh(&world, command).done();
            world.write("b.txt", saved);
            // The first look finds out, the second approval is about what was shown.
            world.run(&["approve", "--all"]).ends(3);
            world.run(&["approve", "--all"]).ends(3);
            assert_eq!(world.text("a.txt"), LINES, "{command} in {backend}");
            assert_eq!(world.text("b.txt"), saved);
            world.run(&["deny", "--all", "--reason", "no"]).done();
        }
    });
}

#[test]
fn what_the_user_puts_in_the_place_of_a_file_holds_up_nothing_else() {
    in_each(&[], |world, backend| {
        for in_the_way in [
            "rm a.txt; mkdir a.txt; echo mine > a.txt/in",
            "rm a.txt; mkfifo a.txt",
            "echo mine > d",
            "mkdir n",
            "rm -rf e; ln -s / e",
        ] {
            world.write("a.txt", LINES);
            world.write("b.txt", "b\n");
            world.write("e/f", "f\n");
            let program = "echo x >> e/f; echo x >> a.txt; echo x >> b.txt; mkdir d; echo x > d/new; echo x > n";
            sh(&world, program).done();
            plainly(&world, in_the_way);
            sh(&world, "true").done();
            world.run(&["approve", "--all"]).ends(3);
            assert_eq!(world.text("b.txt"), "b\nx\n", "{in_the_way} in {backend}");
            world.run(&["deny", "--all", "--reason", "no"]).done();
            plainly(&world, "rm -rf a.txt d n e");
        }
    });
}

#[test]
fn a_program_that_changes_permissions_is_heard_whatever_the_user_saves() {
    in_each(&[("a.txt", LINES)], |world, backend| {
        let git = "git init -q . && git add -A && git -c user.name=a -c user.email=a@a commit -qm a; chmod 644 a.txt";
        plainly(&world, git);
        let running = program(&world, "sleep 0.4; chmod 640 a.txt", "true");
        world.write("a.txt", LINES.replace('5', "mine"));
        ends(running);
        // Whether it was the program or the user cannot be told here, so the user decides.
        let expected = ["permissions a.txt: conflict"];
        assert_eq!(proposed(&world), expected, "{backend}");
    });
}

/// What a program left is taken over what the user saved meanwhile, in the interface by the same key twice.
#[test]
fn the_interface_takes_what_a_program_left_over_a_save() {
    // What the program does, and what is asked before it overwrites the save.
    let cases = [
        ("sed -i s/3/three/ a.txt", "This overwrites 1 line of yours"),
        ("rm a.txt", "This deletes the file as you left it, 9 lines"),
    ];
    in_each(&[("a.txt", LINES)], |world, backend| {
        for (command, question) in cases {
            world.write("a.txt", LINES);
            let running = program(&world, &format!("sleep 0.4; {command}"), "true");
            let mine = LINES.replace('3', "mine");
            world.write("a.txt", &mine);
            ends(running);
            let mut screen = Screen::open(&world, &["--offline"]);
            screen.shows("1 hunk in conflict: Tab");
            screen.press("\t");
            screen.shows("[conflict]");
            screen.shows("a approve");
            screen.press("a");
            screen.wait(question, |screen| {
                // A page of a long hunk is shown first.
                let contents = screen.contents();
                contents.contains(question) || contents.contains("not displayed yet")
            });
            if !screen.contents().contains(question) {
                screen.shows("a approve");
                screen.press("a");
                screen.shows(question);
            }
            assert_eq!(world.text("a.txt"), mine, "{command} in {backend}");
            screen.shows("a approve");
            screen.press("a");
            screen.signs();
            screen.shows("1 hunk approved");
            let text = fs::read_to_string(world.at("a.txt")).ok();
            let expected = (command != "rm a.txt").then(|| LINES.replace('3', "three"));
            assert_eq!(text, expected, "{command} in {backend}");
            screen.press("\x04");
            assert_eq!(screen.left().code, 0);
            // What was overwritten comes back.
            world.run(&["undo"]).done();
            assert_eq!(world.text("a.txt"), mine, "{command} in {backend}");
        }
    });
}

/// What is staged in a new folder is not on disk when the program starts, and the layer needs no mark to remove it.
#[test]
fn what_is_approved_while_a_program_removes_it_is_proposed_to_go() {
    for (command, expected) in [
        ("rm m/h.txt", "delete m/h.txt: pending"),
        ("rm -r m", "delete m/h.txt: pending"),
        ("mv m/h.txt h2.txt", "move m/h.txt: pending"),
    ] {
        in_each(&[], |world, backend| {
            sh(&world, "mkdir m; echo h > m/h.txt").done();
            let running = program(&world, "test -e m/h.txt", command);
            world.run(&["approve", "--all"]).done();
            assert_eq!(world.text("m/h.txt"), "h\n");
            ends(running);
            let proposed = proposed(&world);
            assert!(
                proposed.iter().any(|own| own == expected),
                "{command} in {backend}: {proposed:?}"
            );
        });
    }
}
