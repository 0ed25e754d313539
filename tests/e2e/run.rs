//! `signoff run`, and the model's commands in the shadow: the disk stays as it is, and what a program
//! changed becomes proposals.
//!
//! Where the system makes no shadow, as a container without namespaces, there is nothing to try.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::untried::untried;
use crate::world::{Ended, Found, World, section};

/// What shows programs the workspace as staged.
const BACKENDS: [&str; 1] = ["overlay"];

/// Tries something in a world for each backend that works here.
pub(crate) fn in_each(files: &[(&str, &str)], try_in: impl Fn(World, &str)) {
    for backend in BACKENDS {
        let world = World::new(files);
        world.configure(&format!("[run]\nshadow = \"{backend}\"\n"));
        let tried = world.run(&["run", "--", "true"]);
        if tried.code == Some(125) {
            untried(backend, tried.stderr.trim());
        } else {
            try_in(world, backend);
        }
    }
}

pub(crate) fn sh(world: &World, command: &str) -> Ended {
    world.run(&["run", "--", "sh", "-c", command])
}

/// It staged into a store that was gone with the shadow, and listed that nothing waits.
#[test]
fn signoff_in_its_own_shadow_says_where_changes_are_collected() {
    in_each(&[("a.txt", "one\n")], |world, _| {
        let own = crate::world::signoff();
        let show = format!("[run]\nshow = [{own:?}]\n");
        world.configure(&show);
        world.stage(json!([section("a.txt", "one", "two")]));
        let own = own.to_str().unwrap();
        let told = format!("this is the shadow of {}", world.root().display());
        for inner in [
            &["review"][..],
            &["apply"],
            &["approve", "--all"],
            &["run", "--", "true"],
            &["exec", "--offline", "help"],
            &["--plain", "--offline"],
        ] {
            let ended = world.run(&[&["run", "--", own], inner].concat());
            ended.ends(1).says(&told).says("no file changed");
        }
        for (inner, expected) in [
            (&["--version"][..], "signoff "),
            (&["help"], "Commands:"),
            (&["doctor"], &*format!("!!  shadow     {told}")),
            (&["check", "a.txt"], ""),
            // Another folder is its own.
            (&["-C", "/dev/shm", "review"], "nothing waits"),
        ] {
            let ended = world.run(&[&["run", "--", own], inner].concat());
            ended.done().says(expected);
        }
        assert_eq!(world.text("a.txt"), "one\n");
        world.run(&["approve", "--all"]).done();
    });
}

#[test]
fn json_of_a_run_has_proposals_as_the_review_lists_them() {
    in_each(&[("a.txt", "one\n")], |world, _| {
        let ran = world.run(&["run", "--json", "--", "sh", "-c", "echo two >> a.txt"]);
        let told = ran.done().json();
        let listed = world.review();
        assert_eq!(told["proposals"], Value::from(listed));
        assert_eq!(told["proposals"][0]["hunks"][0]["status"], "pending");
    });
}

/// Returns what is proposed, as `operation path`.
fn proposed(world: &World) -> Vec<String> {
    let word = |proposal: &Value| {
        let text = |name: &str| proposal[name].as_str().map(str::to_owned);
        let to = text("to").map(|to| format!(" {to}")).unwrap_or_default();
        format!(
            "{} {}{to}",
            text("operation").unwrap(),
            text("path").unwrap()
        )
    };
    world.review().iter().map(word).collect()
}

/// Returns the files of a world by their paths in it.
pub(crate) fn relative(world: &World) -> Vec<(PathBuf, Found)> {
    let files = world.files().into_iter();
    let each = files.map(|(path, found)| (path.strip_prefix(world.root()).unwrap().into(), found));
    each.collect()
}

/// Runs a shell command in a workspace that another one has prepared: it proposes what is expected, and leaves
/// the disk as it was; approved, the disk is as it would be after the command alone; taken back, as it was before.
fn as_on_a_plain_copy(files: &[(&str, &str)], setup: &str, command: &str, expected: &[&str]) {
    let plainly = |world: &World, command: &str| {
        let mut sh = Command::new("sh");
        let ran = sh.args(["-c", command]).current_dir(world.root()).status();
        assert!(ran.unwrap().success(), "{command}");
    };
    in_each(files, |world, backend| {
        plainly(&world, setup);
        let before = world.files();
        let ran = sh(&world, command);
        assert_eq!(ran.code, Some(0), "{command} in {backend}: {}", ran.stderr);
        assert_eq!(world.files(), before, "{command}");
        assert_eq!(proposed(&world), *expected, "{command}");
        // A second program sees what the first one left.
        let again = sh(&world, "ls -R; cat a.txt");
        let told = format!("{command}, seen again: {}", again.stderr);
        assert_eq!(proposed(&world), *expected, "{told}");
        // Programs that run unseen are looked at first.
        for proposal in world.review() {
            world
                .run(&["approve", proposal["id"].as_str().unwrap()])
                .done();
        }
        let plain = World::new(files);
        plainly(&plain, setup);
        plainly(&plain, command);
        assert_eq!(relative(&world), relative(&plain), "{command} in {backend}");
        if !expected.is_empty() {
            world.run(&["revert", "--changeset", "last"]).done();
            assert_eq!(world.files(), before, "{command} taken back in {backend}");
        }
    });
}

#[test]
fn links_permissions_and_encodings_are_proposed_as_well() {
    let files = [
        ("a.txt", "one\n"),
        ("run.sh", "echo\n"),
        ("sub/b.txt", "two\n"),
    ];
    let setup = "chmod 600 a.txt; chmod 755 run.sh; ln -s a.txt own; ln -s ../a.txt sub/own; \
                 printf 'caf\\351\\n' > latin";
    let cases: &[(&str, &[&str])] = &[
        ("rm own", &["delete own"]),
        ("sed -i s/one/1/ own", &["delete own", "create own"]),
        ("echo more >> own", &["modify a.txt"]),
        ("ln -sf sub/b.txt own", &["link own"]),
        ("mv own other", &["move own other"]),
        ("rm -rf sub", &["delete sub/b.txt", "delete sub/own"]),
        (
            "mv sub moved",
            &["move sub/b.txt moved/b.txt", "move sub/own moved/own"],
        ),
        ("ln -s ../a.txt sub/new", &["link sub/new"]),
        ("mkdir d; ln -s gone d/dangling", &["link d/dangling"]),
        ("ln -sf sub/b.txt a.txt", &["delete a.txt", "link a.txt"]),
        ("chmod +x a.txt", &["permissions a.txt"]),
        (
            "chmod 600 run.sh; echo x >> run.sh",
            &["modify run.sh", "permissions run.sh"],
        ),
        ("chmod -x run.sh", &["permissions run.sh"]),
        (
            "printf 'caf\\303\\251\\n' > latin",
            &["delete latin", "create latin"],
        ),
        (
            "printf '\\377\\376a\\0' > a.txt",
            &["delete a.txt", "create a.txt"],
        ),
        ("cp -a . ../copy; rm -rf ../copy", &[]),
    ];
    for (command, expected) in cases {
        as_on_a_plain_copy(&files, setup, command, expected);
    }
}

#[test]
fn what_a_program_changes_is_proposed_and_the_disk_stays() {
    let files = [
        ("a.txt", "one\n"),
        ("src/b.txt", "two\n"),
        ("src/deep/c.txt", "three\n"),
        ("docs/d.md", "four\n"),
    ];
    let cases: &[(&str, &[&str])] = &[
        ("sed -i s/one/1/ a.txt", &["modify a.txt"]),
        ("rm -rf src", &["delete src/b.txt", "delete src/deep/c.txt"]),
        ("mv docs text", &["move docs/d.md text/d.md"]),
        (
            "rm -rf src; mkdir src; echo new > src/b.txt",
            &["delete src/deep/c.txt", "modify src/b.txt"],
        ),
        ("mkdir -p x/y; : > x/y/empty", &["create x/y/empty"]),
        ("printf 'a\\0b' > binary", &["create binary"]),
        (
            "echo '#!/bin/sh' > run.sh; chmod +x run.sh",
            &["create run.sh"],
        ),
        ("true", &[]),
    ];
    for (command, expected) in cases {
        as_on_a_plain_copy(&files, "true", command, expected);
    }
    in_each(&[], |world, _| {
        sh(&world, "echo '#!/bin/sh' > run.sh; chmod +x run.sh").done();
        let id = world.review()[0]["id"].as_str().unwrap().to_owned();
        world.run(&["approve", &id]).done();
        let mode = fs::metadata(world.at("run.sh"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o111, 0o111);
    });
}

#[test]
fn a_program_writes_nowhere_else_and_finds_no_keys_and_no_network() {
    in_each(&[("a.txt", "a\n")], |world, _| {
        fs::create_dir_all(world.beside("home/.ssh")).unwrap();
        fs::write(world.beside("home/.ssh/id"), "secret").unwrap();
        symlink(world.beside("home"), world.at("out")).unwrap();
        // In a temporary folder, as here, such writes go to the program's own.
        for command in [
            "echo x > ../beside",
            "echo x > out/beside",
            "rm -f out/.ssh/id",
            "mkdir \"$HOME/made\"",
            "chmod 777 ..",
        ] {
            let before = fs::metadata(world.beside("")).unwrap().permissions();
            sh(&world, command);
            assert!(!world.beside("beside").exists(), "{command}");
            assert!(!world.beside("home/beside").exists(), "{command}");
            assert!(!world.beside("home/made").exists(), "{command}");
            let after = fs::metadata(world.beside("")).unwrap().permissions();
            assert_eq!(after, before, "{command}");
        }
        for command in [
            "echo x > /etc/signoff-test",
            "umount .",
            "unshare -Urm umount .",
            "kill -9 $PPID",
            "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), 1)'",
        ] {
            let ran = sh(&world, command);
            assert_ne!(ran.code, Some(0), "{command}: {}", ran.stderr);
        }
        let read = sh(
            &world,
            "cat out/.ssh/id \"$HOME/.ssh\"/*; cat \"$XDG_STATE_HOME\"/signoff/*/*/state.db",
        );
        assert_eq!(read.stdout, "", "{}", read.stderr);
        assert_eq!(fs::read(world.beside("home/.ssh/id")).unwrap(), b"secret");
        assert_eq!(proposed(&world), [""; 0]);
    });
}

#[test]
fn what_a_program_of_the_user_did_is_no_models_line() {
    in_each(&[("a.txt", "1\n")], |world, _| {
        sh(&world, "sed -i s/1/2/ a.txt").done();
        world.run(&["approve", "--all"]).done();
        world.run(&["blame", "a.txt"]).done().says("program v1");
    });
}

#[test]
fn a_program_ends_as_it_would_and_takes_its_children_along() {
    in_each(&[], |world, _| {
        assert_eq!(sh(&world, "exit 7").code, Some(7));
        assert_eq!(sh(&world, "kill -9 $$").code, Some(137));
        assert_eq!(world.run(&["run", "--", "no-such-program"]).code, Some(127));
        assert_eq!(world.run(&["run", "--", "/etc/passwd"]).code, Some(126));
        assert_eq!(sh(&world, "echo out; echo err >&2").stdout, "out\n");
        let marked = format!("10{}", std::process::id());
        sh(
            &world,
            &format!("(setsid sleep {marked} &) ; sleep {marked} & trap '' TERM"),
        )
        .done();
        assert!(!runs(&marked));
    });
}

/// Nothing that a program has started outlives it where the process that would end it is killed.
#[test]
fn children_end_where_their_supervisor_is_killed() {
    in_each(&[], |world, backend| {
        let marked = format!("11{}", std::process::id());
        let script = format!("setsid sleep {marked} & echo ready; read never");
        let mut running = world.start(&["run", "--", "sh", "-c", &script]);
        assert_eq!(running.line(), "ready\n");
        let supervisor = children(running.id());
        assert_eq!(supervisor.len(), 1, "{backend}: {supervisor:?}");
        supervisor.iter().for_each(|id| {
            crate::world::signal(*id, "KILL");
        });
        running.end();
        assert!(!runs(&marked), "{backend}");
    });
}

/// Returns the processes that a process has started.
fn children(id: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).unwrap().flatten();
    let each = tasks.map(|task| fs::read_to_string(task.path().join("children")).unwrap());
    let each: Vec<String> = each.collect();
    let ids = each.iter().flat_map(|line| line.split_whitespace());
    ids.map(|id| id.parse().unwrap()).collect()
}

/// Returns whether a process runs that has this argument.
fn runs(argument: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let line = |path: &Path| fs::read(path.join("cmdline")).unwrap_or_default();
    processes.map(|entry| line(&entry.path())).any(|line| {
        line.split(|byte| *byte == 0)
            .any(|word| word == argument.as_bytes())
    })
}

#[test]
fn ignored_files_stay_in_the_shadow_until_they_are_wanted() {
    in_each(
        &[(".gitignore", "built/\n"), ("a.txt", "a\n")],
        |world, _| {
            let made = sh(
                &world,
                "mkdir -p built/in; echo 1 > built/in/x; ln -s in built/link",
            )
            .done();
            assert!(made.stderr.contains("ignored file"), "{}", made.stderr);
            assert_eq!(proposed(&world), [""; 0]);
            assert!(!world.at("built").exists());
            assert_eq!(sh(&world, "cat built/link/x").stdout, "1\n");
            // An ignore file that a program wrote hides nothing from the review, and is no way to stay.
            sh(&world, "echo '*' > .gitignore; echo b > a.txt").done();
            assert_eq!(proposed(&world), ["modify .gitignore", "modify a.txt"]);
            world.run(&["deny", "--all"]).done();
            assert_eq!(sh(&world, "cat .gitignore a.txt").stdout, "built/\na\n");
            let again = "mkdir -p built/in; echo 2 > built/in/x; ln -sfn in built/link";
            world
                .run(&["run", "--keep-ignored", "--", "sh", "-c", again])
                .done();
            assert_eq!(world.text("built/in/x"), "2\n");
            assert_eq!(
                fs::read_link(world.at("built/link")).unwrap(),
                Path::new("in")
            );
        },
    );
}

/// A copy has a link in the place of installed packages, which no rule for folders names.
#[test]
fn a_program_that_changes_nothing_is_told_of_nothing() {
    let files = [
        (".gitignore", "node_modules/\n"),
        ("node_modules/x/index.js", "x\n"),
        ("a.txt", "a\n"),
    ];
    in_each(&files, |world, backend| {
        let ran = sh(&world, "cat node_modules/x/index.js").done();
        assert_eq!(ran.stdout, "x\n", "{backend}");
        assert!(!ran.stderr.contains("not staged"), "{}", ran.stderr);
    });
}

#[test]
fn what_is_not_staged_is_named() {
    in_each(&[("a.txt", "a\n")], |world, _| {
        for (command, told) in [
            ("mkfifo pipe", "pipe: it is a pipe"),
            ("git init -q .", "to git's folder: .git"),
        ] {
            let ran = sh(&world, command).done();
            assert!(ran.stderr.contains(told), "{command}: {}", ran.stderr);
            assert_eq!(proposed(&world), [""; 0], "{command}");
        }
        let discarded = world.run(&["run", "--discard", "--", "rm", "a.txt"]).done();
        assert!(
            discarded.stderr.contains("nothing is staged"),
            "{}",
            discarded.stderr
        );
        assert_eq!(proposed(&world), [""; 0]);
    });
}

/// The model edits, runs and has a program rewrite its edit: no question, and one proposal.
#[test]
fn the_models_commands_see_its_edits_and_need_no_question() {
    in_each(&[("a.sh", "echo one\n")], |world, _| {
        let edit = json!({ "delta": "call", "name": "edit_section", "arguments": {
            "path": "a.sh", "description": "two", "old_text": "echo one", "new_text": "echo two",
        } });
        let bash = |command: &str| json!({ "delta": "call", "name": "bash", "arguments": { "command": command } });
        let answers = [
            json!({ "deltas": [edit] }),
            json!({ "deltas": [bash("sh a.sh; sed -i s/two/three/ a.sh")] }),
            json!({ "deltas": [bash("sh a.sh")] }),
            json!({ "deltas": [{ "delta": "text", "text": "Done." }] }),
        ];
        let replay = world.beside("replay.jsonl");
        fs::write(&replay, answers.map(|answer| answer.to_string()).join("\n")).unwrap();
        let replay = replay.to_str().unwrap();
        let before = world.files();
        let exec = [
            "exec", "--json", "--stop", "turn-end", "--replay", replay, "go",
        ];
        let events = world.run(&exec).done();
        let printed: Vec<&str> = events
            .stdout
            .lines()
            .filter(|l| l.contains("call_output"))
            .collect();
        assert!(
            printed[0].contains("two") && printed[1].contains("three"),
            "{printed:?}"
        );
        assert_eq!(world.files(), before);
        assert_eq!(proposed(&world), ["modify a.sh"]);
        assert!(
            !events.stdout.contains("another signoff process"),
            "{}",
            events.stdout
        );
    });
}

/// Nothing runs that was not asked about: a model's command unattended, a program of the user's.
#[test]
fn what_cannot_be_confined_does_not_run() {
    let world = World::new(&[("a.txt", "a\n")]);
    let Some(ran) = world.run_without_namespaces(&["run", "--", "rm", "a.txt"]) else {
        return untried("without namespaces", "there is no `unshare`");
    };
    let told = ran.ends(125).stderr;
    assert!(told.contains("signoff doctor"), "{told}");
    let bash = json!({ "delta": "call", "name": "bash", "arguments": { "command": "rm a.txt" } });
    let replay = world.beside("replay.jsonl");
    fs::write(&replay, json!({ "deltas": [bash] }).to_string()).unwrap();
    let exec = ["exec", "--replay", replay.to_str().unwrap(), "go"];
    let told = world.run_without_namespaces(&exec).unwrap();
    assert!(told.stderr.contains("needs permission"), "{}", told.stderr);
    assert_eq!(world.text("a.txt"), "a\n");
    assert_eq!(proposed(&world), [""; 0]);
    let doctor = world.run_without_namespaces(&["doctor"]).unwrap();
    doctor.says("programs cannot be confined here");
}

#[test]
fn what_a_setting_keeps_from_running_ends_with_125() {
    let world = World::new(&[("a.txt", "a\n")]);
    world.configure("[run]\nshadow = 5\n");
    let told = world.run(&["run", "--", "rm", "a.txt"]).ends(125).stderr;
    assert!(told.contains("config.toml"), "{told}");
    assert_eq!(world.text("a.txt"), "a\n");
}

#[test]
fn a_staged_script_is_made_executable_by_a_program() {
    in_each(&[("a.txt", "one\n")], |world, _| {
        let script = json!({"file": "go.sh", "strategy": "whole", "whole": {"content": "#!/bin/sh\necho gone\n"}});
        let id = world.stage(json!([script])).remove(0);
        sh(&world, "chmod +x go.sh && ./go.sh").done().says("gone");
        // The next command finds it so.
        sh(&world, "./go.sh").done().says("gone");
        let unseen = world.run(&["approve", "--all"]).ends(3);
        unseen.says("go.sh (it may be run as a program)");
        assert!(!world.at("go.sh").exists());
        world.run(&["approve", &id]).done();
        assert_eq!(
            fs::metadata(world.at("go.sh"))
                .unwrap()
                .permissions()
                .mode()
                & 0o111,
            0o111
        );
    });
}

#[test]
fn what_waits_for_a_look_is_named_with_all_that_it_builds_on() {
    in_each(&[("a.txt", "a\n"), ("run.sh", "echo\n")], |world, _| {
        world.set_mode("run.sh", 0o755);
        sh(&world, "ln -sf a.txt run.sh").done();
        let told = world.run(&["approve", "--all"]).stdout;
        let (_, command) = told.split_once("`signoff ").unwrap();
        let (command, _) = command.split_once('`').unwrap();
        let words: Vec<&str> = command.split(' ').collect();
        world.run(&words).done();
        assert_eq!(
            fs::read_link(world.at("run.sh")).unwrap(),
            Path::new("a.txt")
        );
    });
}

#[test]
fn a_moved_script_can_be_run_by_the_next_program() {
    in_each(&[("run.sh", "#!/bin/sh\necho ran\n")], |world, _| {
        world.set_mode("run.sh", 0o755);
        sh(&world, "mv run.sh moved.sh").done();
        assert_eq!(proposed(&world), ["move run.sh moved.sh"]);
        assert_eq!(sh(&world, "./moved.sh").done().stdout, "ran\n");
        assert_eq!(proposed(&world), ["move run.sh moved.sh"]);
    });
}

#[test]
fn a_second_program_keeps_the_permissions_that_the_first_one_gave() {
    in_each(&[("a.txt", "one\n")], |world, backend| {
        let mode = |name: &str| {
            let found = fs::metadata(world.at(name)).unwrap();
            found.permissions().mode() & 0o777
        };
        sh(&world, "echo '#!/bin/sh' > n; chmod 755 n; chmod 600 a.txt").done();
        sh(&world, "echo true >> n; printf '\\377\\376a\\0' > a.txt").done();
        for proposal in world.review() {
            let id = proposal["id"].as_str().unwrap();
            world.run(&["approve", id]).done();
        }
        assert_eq!((mode("n"), mode("a.txt")), (0o755, 0o600), "{backend}");
        assert_eq!(world.text("n"), "#!/bin/sh\ntrue\n");
    });
}

#[test]
fn what_is_not_proposed_is_named() {
    let cases = [
        (
            "rmdir empty",
            "empty: it is an empty folder, which stays",
            &["overlay"][..],
        ),
        ("chmod 700 sub", "sub: its permissions", &["overlay"]),
        ("chmod 600 large", "large: it has 9000000 bytes", &BACKENDS),
    ];
    in_each(&[("sub/a.txt", "a\n")], |world, backend| {
        fs::create_dir_all(world.at("empty")).unwrap();
        world.write("large", vec![0; 9_000_000]);
        for (command, named, backends) in cases {
            let ran = sh(&world, command).done();
            let is_named = ran.stderr.contains(named);
            assert!(
                is_named || !backends.contains(&backend),
                "{command} in {backend}: {}",
                ran.stderr
            );
        }
        assert_eq!(world.review().len(), 0);
    });
}

#[test]
fn a_file_in_a_read_only_folder_is_in_the_way_of_no_other() {
    in_each(
        &[("ro/a.txt", "a\n"), ("b.txt", "b\n")],
        |world, backend| {
            let mode = |mode| fs::set_permissions(world.at("ro"), fs::Permissions::from_mode(mode));
            mode(0o555).unwrap();
            if fs::write(world.at("ro/made"), "").is_ok() {
                untried("a read-only folder", "root writes there all the same");
                return;
            }
            let ran = sh(&world, "echo more >> ro/a.txt; echo more >> b.txt").done();
            let named = "ro/a.txt is in a read-only folder";
            assert!(ran.stderr.contains(named), "{backend}: {}", ran.stderr);
            world.run(&["approve", "--all"]).done();
            assert_eq!(world.text("b.txt"), "b\nmore\n");
            mode(0o755).unwrap();
        },
    );
}

#[test]
fn what_a_program_closed_to_itself_is_not_gone() {
    let files = [
        ("a.txt", "a\n"),
        ("sub/b.txt", "b\n"),
        ("staged.txt", "s\n"),
    ];
    in_each(&files, |world, backend| {
        world.stage(serde_json::json!([section("sub/b.txt", "b", "B")]));
        for closed in [
            "chmod 000 .",
            "chmod 444 .",
            "chmod 000 sub",
            "echo new > a.txt; chmod 000 .",
        ] {
            let ran = sh(&world, closed).done();
            let is_root = fs::read_dir("/root").is_ok();
            if is_root {
                untried("a folder without permissions", "root reads it all the same");
            } else if closed.ends_with("sub") {
                assert!(
                    ran.stderr.contains("it cannot be read"),
                    "{closed} in {backend}: {}",
                    ran.stderr
                );
            }
            let expected: &[&str] = match proposed(&world).len() {
                2 if is_root => &["modify sub/b.txt", "modify a.txt"],
                _ => &["modify sub/b.txt"],
            };
            assert_eq!(
                proposed(&world),
                expected,
                "{closed} in {backend}: {}",
                ran.stderr
            );
        }
    });
}

#[test]
fn a_file_that_was_a_link_in_between_is_a_file_again() {
    in_each(&[("a.txt", "a\n"), ("b.txt", "b\n")], |world, backend| {
        let before = world.files();
        sh(&world, "ln -sfn a.txt b.txt").done();
        world.run(&["approve", "--all"]).done();
        sh(&world, "rm b.txt; echo new > b.txt").done();
        world.run(&["approve", "--all"]).done();
        world.run(&["revert", "--changeset", "last"]).done();
        assert_eq!(
            fs::read_link(world.at("b.txt")).unwrap(),
            Path::new("a.txt")
        );
        world.run(&["revert", "--changeset", "last"]).done();
        assert_eq!(world.files(), before, "{backend}");
    });
}

#[test]
fn a_link_that_leads_out_waits_for_a_look() {
    in_each(&[], |world, backend| {
        for command in [
            "ln -s /etc/passwd p",
            "ln -s .. up",
            "mkdir d; ln -s ../../home d/h",
            "ln -s .. up; ln -s up/home h",
        ] {
            sh(&world, command).done();
            let ended = world.run(&["approve", "--all"]).ends(3);
            ended.says("the link leads out of the workspace");
            assert!(
                relative(&world)
                    .iter()
                    .all(|(_, own)| !matches!(own, Found::Link(_))),
                "{command} in {backend}"
            );
            world.run(&["deny", "--all", "--reason", "no"]).done();
        }
    });
}

#[test]
fn what_rules_deny_to_read_is_empty_to_programs() {
    let world = World::new(&[("secret.txt", "SECRET\n"), ("a.txt", "a\n")]);
    world.configure(
        "[run]\nshadow = \"overlay\"\n[[permissions]]\ntool = \"read\"\npattern = \"secret*\"\naction = \"deny\"\n",
    );
    let ran = sh(&world, "cat secret.txt a.txt");
    if ran.code == Some(125) {
        untried("overlay", ran.stderr.trim());
        return;
    }
    assert_eq!(ran.stdout, "a\n", "{}", ran.stderr);
}

#[test]
fn staged_work_on_an_ignored_file_stays_staged() {
    let files = [
        (".gitignore", "*.tmp\nbuilt/\n"),
        ("k.tmp", "1\n"),
        ("built/x", "1\n"),
        ("later", "1\n"),
    ];
    in_each(&files, |world, backend| {
        world.stage(json!([
            section("k.tmp", "1", "2"),
            section("built/x", "1", "2"),
            section("later", "1", "2"),
        ]));
        world.write(".gitignore", "*.tmp\nbuilt/\nlater\n");
        assert_eq!(
            sh(&world, "cat k.tmp built/x later").done().stdout,
            "2\n2\n2\n"
        );
        assert_eq!(proposed(&world).len(), 3, "{backend}");
        sh(&world, "echo 3 >> k.tmp").done();
        world.run(&["approve", "--all"]).done();
        let texts = ["k.tmp", "built/x", "later"].map(|name| world.text(name));
        assert_eq!(texts, ["2\n3\n", "2\n", "2\n"], "{backend}");
    });
}

#[test]
fn a_private_file_comes_back_private() {
    in_each(&[("a.txt", "a\n")], |world, backend| {
        let mode = |mode| fs::set_permissions(world.at("a.txt"), fs::Permissions::from_mode(mode));
        mode(0o600).unwrap();
        let before = world.files();
        sh(&world, "rm a.txt").done();
        world.run(&["approve", "--all"]).done();
        sh(&world, "echo new > a.txt; chmod 644 a.txt").done();
        world.run(&["approve", "--all"]).done();
        world.run(&["revert", "--changeset", "last"]).done();
        world.run(&["revert", "--changeset", "last"]).done();
        assert_eq!(world.files(), before, "{backend}");
    });
}

#[test]
fn permissions_that_the_user_gives_a_file_since_they_were_staged_stay() {
    // What the program does, and what is there after the user made the file private and approved.
    let cases = [
        ("chmod 664 a.txt", "a\n", "conflict"),
        ("chmod 664 a.txt; echo more >> a.txt", "a\nmore\n", ""),
    ];
    in_each(&[], |world, backend| {
        let mode = |mode| fs::set_permissions(world.at("a.txt"), fs::Permissions::from_mode(mode));
        for (command, text, status) in cases {
            world.write("a.txt", "a\n");
            mode(0o644).unwrap();
            sh(&world, command).done();
            mode(0o600).unwrap();
            let id = |proposal: &Value| proposal["id"].as_str().unwrap().to_owned();
            let ids: Vec<String> = world.review().iter().map(id).collect();
            let mut approve = vec!["approve"];
            approve.extend(ids.iter().map(String::as_str));
            // The bits that it would have got are not those that it was shown with.
            assert_ne!(world.run(&approve).code, Some(0));
            world.run(&["approve", "--all"]);
            let found = fs::metadata(world.at("a.txt"))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(found & 0o777, 0o600, "{command} in {backend}");
            assert_eq!(world.text("a.txt"), text);
            let left = world.run(&["review", "--json"]).done().stdout;
            assert!(left.contains(status), "{left}");
            world.run(&["deny", "--all", "--reason", "no"]);
        }
    });
}

#[test]
fn an_agent_of_others_finds_its_own_folders_and_leaves_them_as_they_are() {
    in_each(&[("a.txt", "one\n")], |world, backend| {
        let home = |path: &str| world.beside("home").join(path);
        for (path, text) in [
            (".claude/settings", "own\n"),
            (".claude.json", "{}\n"),
            (".ssh/id", "key\n"),
        ] {
            fs::create_dir_all(home(path).parent().unwrap()).unwrap();
            fs::write(home(path), text).unwrap();
        }
        // Unconfined, a program finds the home folder as it is.
        let confined = backend == "overlay";
        let agent =
            "cat ~/.claude/settings ~/.claude.json; cat ~/.ssh/id 2> /dev/null; echo two > a.txt";
        let writes = " && echo new > ~/.claude/settings && echo new > ~/.claude.json";
        let script = [agent, if confined { writes } else { "" }].concat();
        let ran = world.run(&["run", "--agent", "claude", "--", "sh", "-c", &script]);
        assert_eq!(ran.code, Some(0), "{backend}: {}", ran.stderr);
        if confined {
            assert_eq!(ran.stdout, "own\n{}\n", "{}", ran.stderr);
        }
        assert_eq!(proposed(&world), ["modify a.txt"], "{backend}");
        assert_eq!(world.text("a.txt"), "one\n");
        assert_eq!(
            fs::read_to_string(home(".claude/settings")).unwrap(),
            "own\n"
        );
        assert_eq!(fs::read_to_string(home(".claude.json")).unwrap(), "{}\n");
        if confined {
            let other = world.run(&[
                "run",
                "--",
                "sh",
                "-c",
                "cat ~/.claude/settings ~/.claude.json",
            ]);
            assert_eq!((other.code, other.stdout.as_str()), (Some(1), ""));
        }
    });
}
