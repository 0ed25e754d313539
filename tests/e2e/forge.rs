//! Offers through a forge: a hook of a bare repository takes `refs/for/` and asks for what Gerrit, Gitea and Forgejo ask for.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::commit::git;
use crate::offers::{two_people, waiting};
use crate::world::{World, section, whole};

/// Of each commit a Change-Id, as Gerrit; a topic, and a word where it is replaced, as Gitea and Forgejo. Changes are numbered.
const PROC_RECEIVE: &str = r#"#!/usr/bin/env python3
import re, subprocess, sys
def read():
    lines = []
    while size := int(sys.stdin.buffer.read(4), 16):
        lines.append(sys.stdin.buffer.read(size - 4).decode().rstrip("\n"))
    return lines
def send(*texts):
    for text in texts:
        sys.stdout.buffer.write(b"%04x" % (len(text.encode()) + 4) + text.encode())
    sys.stdout.buffer.write(b"0000")
    sys.stdout.buffer.flush()
def git(*arguments):
    return subprocess.run(("git",) + arguments, capture_output=True, text=True).stdout.split()
offered = read()
send("version=1\0push-options")
commands = read()
options = dict(one.split("=") for one in read()) if "push-options" in offered[0] else {}
def judged(new, name):
    topic = re.search("refs/for/main(?:/|%topic=)(.+)", name)
    topic = topic.group(1) if topic else options.get("topic")
    if not topic:
        return "topic-branch is not set"
    pull = "refs/pull/%s/head" % topic
    if git("rev-parse", "--verify", "--quiet", pull) not in ([], [new]) and "force-push" not in options:
        return "request `force-push` push option"
    for commit in git("rev-list", "--reverse", new, "^main"):
        ids = git("log", "-1", "--format=%(trailers:key=Change-Id,valueonly)", commit)
        if len(ids) != 1 or not re.fullmatch("I[0-9a-f]{40}", ids[0]):
            return "missing Change-Id in message footer"
        number = "refs/numbers/%s/" % ids[0]
        sets = len(git("for-each-ref", number)) // 3
        git("update-ref", number + str(sets + 1), commit)
    git("update-ref", pull, new)
for command in commands:
    _, new, name = command.split(" ")
    why = judged(new, name)
    send(("ng %s %s" % (name, why)) if why else "ok " + name)
"#;

/// Makes a forge of the repository that both know as `origin`, and has both reach it as a server.
fn forge(origin: &Path, people: [&World; 2]) {
    let at = origin.to_string_lossy();
    for world in people {
        world.program(
            &world.beside("ssh"),
            "#!/bin/sh\nshift\nexec sh -c \"$*\"\n",
        );
        let ssh = world.beside("ssh");
        let config = format!(
            "[core]\nsshCommand = {}\n[ssh]\nvariant = simple\n",
            ssh.display()
        );
        fs::write(world.beside("home/.gitconfig"), config).unwrap();
        git(
            world,
            &["remote", "set-url", "origin", &format!("forge:{at}")],
        );
    }
    let [ann, _] = people;
    for setting in [
        ["receive.procReceiveRefs", "refs/for"],
        ["receive.advertisePushOptions", "true"],
    ] {
        git(ann, &["-C", &at, "config", setting[0], setting[1]]);
    }
    ann.program(&origin.join("hooks/proc-receive"), PROC_RECEIVE);
}

#[test]
fn an_offer_goes_through_a_forge_and_verdicts_come_back() {
    let Some((ann, bob, origin)) = two_people() else {
        return;
    };
    forge(&origin, [&ann, &bob]);
    let at = origin.to_string_lossy().into_owned();
    ann.stage(json!([section("a.txt", "a", "A")]));
    let offer = |branch: &str| {
        ann.run(&["offer", "--to", "origin", "--for", branch, "--json"])
            .done()
            .json()
    };
    let first = offer("main");
    let listed = |below: &str| {
        let names = ["-C", &at, "for-each-ref", "--format=%(refname)", below];
        let names = git(&ann, &names);
        names.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    // What is on disk is what the last commit has: one change.
    assert_eq!(listed("refs/numbers").len(), 1);
    let pull = listed("refs/pull").remove(0);
    bob.run(&["take", "origin"]).ends(1);
    bob.run(&["take", "origin", "refs/pull/none/head"])
        .ends(1)
        .says("there is no offer refs/pull/none/head");
    bob.run(&["take", "origin", "main"])
        .ends(1)
        .says("its message is that of no offer");
    bob.run(&["take", "origin", &pull])
        .done()
        .says(first["offer"].as_str().unwrap())
        .says("took 1 change");

    // What replaces it is the next patch set of the same change.
    ann.stage(json!([whole("new.txt", "new\n")]));
    let second = offer("main");
    assert_eq!(second["replaces"], json!([first["offer"]]));
    let numbers = listed("refs/numbers");
    assert_eq!(numbers.len(), 2);
    assert_eq!(numbers[1], numbers[0].replace("/1", "/2"));
    bob.run(&["approve", "--all"]).done();
    bob.run(&["offer", "--answers", "--to", "origin"]).done();
    ann.run(&["take", "origin"]).done().says("approved by Bob");
    bob.run(&["take", "origin", &pull])
        .done()
        .says("it replaces");

    // Topics as Gerrit and Gitea write them; what is only on disk is a change before the offer.
    ann.write("other.txt", "mine\n1\n");
    ann.stage(json!([section("other.txt", "1", "2")]));
    for branch in ["main%topic=x", "main/y"] {
        offer(branch);
    }
    assert_eq!(listed("refs/pull").len(), 3);
    assert_eq!(waiting(&ann).as_array().unwrap().len(), 3);
    for where_else in [["--bundle", "file"], ["--branch", "b"]] {
        let [name, value] = where_else;
        ann.run(&["offer", "--for", "main", name, value]).ends(2);
    }
}
