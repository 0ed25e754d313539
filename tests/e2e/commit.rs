//! `signoff commit`: a commit has what was signed off, whatever else the files have.

use std::process::Command;

use serde_json::json;

use crate::world::{World, section, whole};

/// A repository with a commit of a file of the user's.
pub(crate) fn repository() -> Option<World> {
    Command::new("git").arg("--version").output().ok()?;
    let world = World::new(&[("a.txt", "a\n.\n.\nb\n"), ("other.txt", "1\n")]);
    for arguments in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &["config", "user.name", "Ann"],
        &["config", "user.email", "ann@example.org"],
        &["add", "."],
        &["commit", "--quiet", "--message=first"],
    ] {
        git(&world, arguments);
    }
    Some(world)
}

pub(crate) fn git(world: &World, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(world.root());
    let output = command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Stages a change and signs it off.
pub(crate) fn sign_off(world: &World, change: serde_json::Value) {
    world.stage(json!([change]));
    world.run(&["approve", "--all"]).done();
}

#[test]
fn a_commit_has_what_was_signed_off_and_nothing_of_the_users_own() {
    let Some(world) = repository() else { return };
    world.write("a.txt", "mine\na\n.\n.\nb\n");
    world.write("other.txt", "2\n");
    git(&world, &["add", "other.txt"]);
    sign_off(&world, section("a.txt", "b", "B"));
    sign_off(&world, whole("new.txt", "new\n"));

    let preview = world.run(&["commit", "--dry-run"]).done();
    preview
        .says("would commit on branch main:")
        .says("a.txt  +1 -1")
        .says("new.txt (new)  +1 -0");
    let asked = world.run(&["commit"]).ends(2);
    assert!(asked.stderr.contains("-m"), "{}", asked.stderr);
    let done = world
        .run(&["commit", "-m", "sign\n\nbody", "--json"])
        .done()
        .json();
    assert_eq!(done["status"], "committed");
    assert_eq!(done["branch"], "main");
    assert_eq!(
        git(
            &world,
            &["show", "--format=%an%n%B", "--patch", "-U0", "--no-prefix"]
        )
        .lines()
        .filter(|line| !line.starts_with("index") && !line.starts_with("@@"))
        .collect::<Vec<_>>(),
        [
            "Ann",
            "sign",
            "",
            "body",
            "",
            "",
            "diff --git a.txt a.txt",
            "--- a.txt",
            "+++ a.txt",
            "-b",
            "+B",
            "diff --git new.txt new.txt",
            "new file mode 100644",
            "--- /dev/null",
            "+++ new.txt",
            "+new",
        ]
    );
    assert_eq!(
        git(&world, &["status", "--short"]),
        " M a.txt\nM  other.txt\n"
    );
    assert_eq!(world.text("a.txt"), "mine\na\n.\n.\nB\n");
    let again = world.run(&["commit", "-m", "again"]).ends(1);
    assert!(
        again.stderr.contains("nothing to commit"),
        "{}",
        again.stderr
    );
}

#[test]
fn changes_are_chosen_by_file_and_changeset() {
    let Some(world) = repository() else { return };
    sign_off(&world, section("a.txt", "a", "A"));
    sign_off(&world, section("a.txt", "b", "B"));
    sign_off(&world, section("other.txt", "1", "2"));
    let ids: Vec<String> = world
        .history()
        .iter()
        .map(|entry| entry["changeset"].as_str().unwrap().to_owned())
        .collect();
    world
        .run(&["commit", "-m", "B", "--changeset", &ids[1]])
        .done();
    assert_eq!(git(&world, &["show", "HEAD:a.txt"]), "a\n.\n.\nB\n");
    world.run(&["commit", "-m", "A", "a.txt"]).done();
    assert_eq!(git(&world, &["show", "HEAD:a.txt"]), "A\n.\n.\nB\n");
    assert_eq!(git(&world, &["status", "--short"]), " M other.txt\n");
    world.run(&["undo"]).done();
    world.run(&["commit", "-m", "none"]).ends(1);
    world
        .run(&["commit", "-m", "x", "--changeset", "nothing"])
        .ends(1);
    world
        .run(&["commit", "-m", "x", "--session", "last"])
        .ends(1);
}

#[test]
fn what_builds_on_lines_of_the_user_is_named_and_committed_only_with_them() {
    let Some(world) = repository() else { return };
    world.write("a.txt", "mine\na\n.\n.\nb\n");
    sign_off(&world, section("a.txt", "mine", "mine, better"));
    sign_off(&world, section("other.txt", "1", "2"));
    let refused = world.run(&["commit", "-m", "x"]).ends(3);
    assert!(
        refused.stderr.contains("a.txt: version 1"),
        "{}",
        refused.stderr
    );
    assert_eq!(git(&world, &["log", "--format=%s"]), "first\n");
    let value = world.run(&["commit", "-m", "x", "--json"]).ends(3).json();
    assert_eq!(value["blocked"][0]["path"], "a.txt");
    world.run(&["commit", "-m", "other", "other.txt"]).done();
    world.run(&["commit", "-m", "mine", "--own-lines"]).done();
    assert_eq!(
        git(&world, &["show", "HEAD:a.txt"]),
        "mine, better\na\n.\n.\nb\n"
    );
    assert_eq!(git(&world, &["status", "--short"]), "");
}

#[test]
fn what_is_ignored_or_converted_is_not_committed() {
    let Some(world) = repository() else { return };
    world.write(".gitignore", "*.log\n");
    world.write(".gitattributes", "*.bin filter=lfs\n");
    sign_off(&world, whole("x.log", "log\n"));
    let ignored = world.run(&["commit", "-m", "x"]).ends(1);
    assert!(
        ignored.stderr.contains("x.log is left out: git ignores it"),
        "{}",
        ignored.stderr
    );
    sign_off(&world, whole("x.bin", "large\n"));
    let refused = world.run(&["commit", "-m", "x"]).ends(3);
    assert!(refused.stderr.contains("filter=lfs"), "{}", refused.stderr);
}

#[test]
fn a_refused_commit_says_what_to_do() {
    let Some(world) = repository() else { return };
    sign_off(&world, section("other.txt", "1", "2"));
    world.write(".git/index.lock", "");
    let locked = world.run(&["commit", "-m", "x"]).ends(3);
    assert!(locked.stderr.contains("index.lock"), "{}", locked.stderr);
    std::fs::remove_file(world.at(".git/index.lock")).unwrap();
    world.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    world.set_mode(".git/hooks/pre-commit", 0o755);
    // Without a shadow none runs.
    world.configure("[run]\nshadow = false\n");
    let done = world.run(&["commit", "-m", "x"]).done();
    assert!(
        done.stderr.contains("hooks of git did not run: pre-commit"),
        "{}",
        done.stderr
    );
    let elsewhere = World::new(&[("a.txt", "a\n")]);
    let refused = elsewhere.run(&["commit", "-m", "x"]).ends(1);
    assert!(
        refused.stderr.contains("not a git repository"),
        "{}",
        refused.stderr
    );
}
