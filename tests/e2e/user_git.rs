//! Git in the shadow is the user's git: ignore rules, attributes, who commits, large files, hooks, and what is pushed.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::commits::{PATH, approve_all, plainly, prepared};
use crate::run::sh;
use crate::screen::Screen;
use crate::server::Server;
use crate::world::World;

const START: &str = "git init -q -b main; git add .; git commit -qm first; \
                     git remote add origin ssh://git@work.example/r.git; ";

/// Returns what a script prints outside of the shadow.
fn outside(world: &World, script: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(world.root());
    command
        .env_clear()
        .envs(world.environment())
        .env("PATH", PATH);
    let ran = command.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success(), "{script}: {said}");
    String::from_utf8(ran.stdout).unwrap()
}

/// Writes a file of the user's.
fn write(world: &World, path: &str, text: &str) {
    let path = world.beside(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn what_the_user_ignores_is_not_committed_by_a_program() {
    let settings = "[user]\n\tname = A\n\temail = a@b\n[include]\n\tpath = more\n";
    let patterns = "[core]\n\texcludesFile = ~/ignored\n\tattributesFile = \"~/attributes\"\n";
    for (ignored, attributes, more) in [
        ("config/git/ignore", "config/git/attributes", ""),
        ("home/ignored", "home/attributes", patterns),
    ] {
        let Some(world) = prepared(START) else { return };
        write(&world, "home/.gitconfig", settings);
        write(&world, "home/more", more);
        write(&world, ignored, ".idea/\n*.local\n");
        write(&world, attributes, "*.txt text eol=crlf\n");
        let script = "echo secret > secrets.local; mkdir .idea; echo x > .idea/x";
        plainly(&world, script);
        let asks = "git status --porcelain; git check-attr eol a.txt";
        assert_eq!(outside(&world, asks), "a.txt: eol: crlf\n");
        let script = format!("{asks}; echo x >> a.txt; git add -A; git commit -qm mine");
        assert_eq!(sh(&world, &script).done().stdout, "a.txt: eol: crlf\n");
        approve_all(&world);
        let made = outside(
            &world,
            "git show --format=%s --name-only; git status --porcelain",
        );
        assert_eq!(made, "mine\n\na.txt\n");
    }
}

#[test]
fn who_commits_is_what_git_says_outside() {
    let asks = "git config user.email; git var GIT_AUTHOR_IDENT | cut -d'>' -f1; git var GIT_COMMITTER_IDENT | cut -d'>' -f1";
    let own = "[user]\n\tname = A\n\temail = a@home\n";
    let work = "path = ~/.gitwork\n";
    for condition in [
        "include",
        "includeIf \"gitdir:WS/\"",
        "includeIf \"gitdir/i:WS/.GIT\"",
        "includeIf \"onbranch:ma*\"",
        "includeIf \"hasconfig:remote.*.url:ssh://git@work.example/**\"",
        "includeIf \"gitdir:/elsewhere/\"",
    ] {
        let Some(world) = prepared(START) else { return };
        let condition = condition.replace("WS", &world.root().display().to_string());
        write(
            &world,
            "home/.gitconfig",
            &format!("{own}[{condition}]\n\t{work}"),
        );
        let email = "[user]\n\temail = a@work\n[committer]\n\tname = C\n";
        write(&world, "home/.gitwork", email);
        let expected = outside(&world, asks);
        assert_eq!(sh(&world, asks).done().stdout, expected, "{condition}");
        // Made by the program, and made anew of a part by signoff.
        for denied in [false, true] {
            sh(
                &world,
                "sed -i '1i x' a.txt; echo y >> b.txt; git commit -qam mine",
            )
            .done();
            if denied {
                let review = world.review();
                let of_b = review.iter().find(|own| own["path"] == "b.txt").unwrap();
                world.run(&["deny", of_b["id"].as_str().unwrap()]).done();
            }
            approve_all(&world);
            let made = outside(&world, "git log -1 --format='%an <%ae%n%cn <%ce'");
            let (_, identities) = expected.split_once('\n').unwrap();
            assert_eq!(made, identities, "{condition} {denied}");
        }
    }
}

#[test]
fn variables_say_who_commits_as_well() {
    let Some(world) = prepared(START) else { return };
    let mut command = world.command(&["run", "--", "git", "var", "GIT_AUTHOR_IDENT"]);
    command.env("GIT_AUTHOR_EMAIL", "a@variable");
    let ran = crate::world::finish(command, b"").done();
    assert!(ran.stdout.starts_with("A <a@variable> "), "{ran:?}");
    write(&world, "home/global", "[user]\n\tname = G\n\temail = g@b\n");
    let mut command = world.command(&["run", "--", "git", "var", "GIT_AUTHOR_IDENT"]);
    command.env("GIT_CONFIG_GLOBAL", world.beside("home/global"));
    let ran = crate::world::finish(command, b"").done();
    assert!(ran.stdout.starts_with("G <g@b> "), "{ran:?}");
}

/// What `git lfs` does, in two lines of shell: a file goes to `.git/lfs/objects`, and a pointer to the commit.
fn large_files(world: &World) {
    let clean = "t=.git/lfs/tmp; mkdir -p $t; cat > $t/x; h=$(sha256sum < $t/x | cut -c1-64)\n\
                 d=.git/lfs/objects/$(echo $h | cut -c1-2)/$(echo $h | cut -c3-4)\n\
                 mkdir -p $d; mv $t/x $d/$h; printf 'oid sha256:%s\\n' $h\n";
    let smudge = "h=$(cut -d: -f2); cat .git/lfs/objects/??/??/$h\n";
    fs::write(world.at("clean.sh"), clean).unwrap();
    fs::write(world.at("smudge.sh"), smudge).unwrap();
    let set = "git init -q -b main; git config filter.lfs.clean 'sh clean.sh'; git config filter.lfs.smudge 'sh smudge.sh'; \
               git config filter.lfs.required true; printf '*.bin filter=lfs -text\\n' > .gitattributes; \
               printf 'one' > big.bin; git add .; git commit -qm first";
    outside(world, set);
}

#[test]
fn large_files_come_with_the_commit_that_names_them() {
    for changes in [
        &["printf two > big.bin; git commit -qam two"][..],
        &[
            "printf two > big.bin; git commit -qam two",
            "printf three > big.bin; git commit -qam three",
        ],
        &[
            "printf two > big.bin; git add big.bin",
            "git commit -qm two",
        ],
    ] {
        let Some(world) = prepared("true") else {
            return;
        };
        large_files(&world);
        for change in changes {
            let ran = sh(&world, change).done();
            assert!(!ran.stderr.contains("not taken over"), "{ran:?}");
        }
        approve_all(&world);
        // Each can be checked out.
        let each = "git status --porcelain; for c in $(git rev-list main); do git checkout -q $c; cat big.bin; echo; done";
        let last = ["two\none\n", "three\ntwo\none\n", "two\none\n"];
        assert!(
            last.contains(&outside(&world, each).as_str()),
            "{changes:?}"
        );
    }
}

#[test]
fn a_large_file_is_what_its_name_says_or_nothing_is_committed() {
    let Some(world) = prepared("true") else {
        return;
    };
    large_files(&world);
    // Once the commit is made: git may have the file made anew at the commit, to compare it.
    let forged = "printf two > big.bin; git commit -qam two; h=$(printf two | sha256sum | cut -c1-64); \
                  f=$(ls .git/lfs/objects/??/??/$h); chmod u+w $f; printf other > $f";
    let ran = sh(&world, forged).done();
    assert!(
        ran.stderr.contains("is another file than its name says"),
        "{ran:?}"
    );
    assert!(!ran.stderr.contains("waits for a sign-off"), "{ran:?}");
    let objects = outside(&world, "git log --format=%s; cat .git/lfs/objects/??/??/*");
    assert_eq!(objects, "first\none");
}

#[test]
fn a_name_that_is_not_utf8_is_refused_at_the_commit() {
    let first =
        format!("f=$(printf 'caf\\351.txt'); echo 1 > $f; echo 1 > $(printf 'caf\\350'); {START}");
    for (script, is_refused) in [
        (
            "echo 2 >> $(printf 'caf\\351.txt'); echo x >> a.txt; git commit -qam mine",
            true,
        ),
        (
            "git checkout -q -b $(printf 't\\351'); git checkout -q main; echo x >> a.txt; git commit -qam mine",
            false,
        ),
    ] {
        let Some(world) = prepared(&first) else {
            return;
        };
        let ran = sh(&world, script).done();
        let refused = r#"it cannot be made: the name of caf\xe9.txt in it is not UTF-8"#;
        assert_eq!(ran.stderr.contains(refused), is_refused, "{ran:?}");
        let ended = world.run(&["approve", "--all"]);
        let ended = ended.ends(if is_refused { 3 } else { 0 });
        let log = outside(
            &world,
            "git log --format=%s; git for-each-ref | wc -l; git status --porcelain",
        );
        let expected = if is_refused {
            "first\n1\n M a.txt\n"
        } else {
            "mine\nfirst\n1\n"
        };
        assert_eq!(log, expected, "{ended:?}");
    }
}

/// In the interface and between two runs.
#[test]
fn a_model_is_told_what_became_of_its_commits() {
    let commit = json!({ "command": "echo x >> a.txt; git commit -qam mine" });
    for (decides, told) in [
        (
            &["approve", "--all"][..],
            "signed off, and in the repository",
        ),
        (&["deny", "--all"], "not made: the user denied it"),
    ] {
        let Some(world) = prepared(START) else { return };
        let server = Server::start();
        let url = server.url();
        let exec = |more: &[&str], prompt: &str| {
            let asks = ["exec", "--stop", "turn-end", "--url", &url, "--model", "m"];
            world.start(&[&asks[..], more, &[prompt]].concat())
        };
        let first = exec(&[], "commit it");
        server.next().call("call_1", "bash", &commit);
        server.next().say("Done.");
        first.end();
        world.run(decides).done();
        let second = exec(&["--continue"], "and now?");
        let asked = server.next();
        let notices = asked.said_by("system").join("\n");
        assert!(
            notices.contains("commit ") && notices.contains(told),
            "{notices}"
        );
        asked.say("Fine.");
        second.end();
        // It is told once.
        let third = exec(&["--continue"], "again?");
        let asked = server.next();
        let notices = asked.said_by("system").join("\n");
        assert_eq!(notices.matches(told).count(), 1, "{notices}");
        asked.say("Fine.");
        third.end();
    }
}

#[test]
fn the_model_goes_on_after_a_commit_that_is_made_alone() {
    let Some(world) = prepared(START) else { return };
    let server = Server::start();
    let url = server.url();
    let mut screen = Screen::open(&world, &["--url", &url, "--model", "m", "commit it"]);
    let commit = json!({ "command": "git commit -q --allow-empty -m empty" });
    server.next().call("call_1", "bash", &commit);
    server.next().say("All said.");
    screen.shows("All said.");
    screen.shows("1 hunk waits");
    screen.press("\t");
    screen.shows("a approve");
    screen.press("a");
    screen.signs_by("c");
    let asked = server.next();
    let notices = asked.said_by("system").join("\n");
    assert!(
        notices.contains("signed off, and in the repository"),
        "{notices}"
    );
    asked.say("Went on.");
    screen.shows("Went on.");
}

#[test]
fn hooks_that_did_not_run_are_named() {
    const SAID: &str = "hooks of git did not run: pre-commit";
    let commit = "echo x >> a.txt; git commit -qam mine";
    // A folder of the user's, which no program finds.
    let Some(world) = prepared(START) else { return };
    let settings = "[user]\n\tname = A\n\temail = a@b\n[core]\n\thooksPath = ~/.githooks\n";
    write(&world, "home/.gitconfig", settings);
    write(&world, "home/.githooks/pre-commit", "#!/bin/sh\nexit 1\n");
    plainly(&world, "chmod +x ~/.githooks/pre-commit");
    let ran = sh(&world, commit).done();
    assert!(ran.stderr.contains(SAID), "{ran:?}");
    let made = world.run(&["approve", "--all"]).done();
    assert!(made.stdout.contains(SAID), "{made:?}");
    // What a program set up, as husky does when packages are installed: it does not last.
    let Some(world) = prepared(START) else { return };
    let husky = "git init -q -b main; mkdir .husky; printf '#!/bin/sh\\nexit 1\\n' > .husky/pre-commit; printf '_\\n' > .husky/.gitignore; \
                 git add .; git commit -qm husky";
    outside(&world, husky);
    let install = "mkdir .husky/_; for h in pre-commit commit-msg; do printf '#!/bin/sh\\nh=$(dirname $0)/../'$h'; \
                   [ -f $h ] || exit 0; sh $h\\n' > .husky/_/$h; chmod +x .husky/_/$h; done; git config core.hooksPath .husky/_";
    let ran = sh(&world, install).done();
    assert!(
        ran.stderr
            .contains(".git/config, with the hooks in .husky/_"),
        "{ran:?}"
    );
    assert!(sh(&world, commit).done().stderr.contains(SAID));
    world.run(&["deny", "--all"]).done();
    // In the program itself they run.
    let both = format!("{install}; {commit}");
    assert_eq!(
        sh(&world, &format!("rm -rf .husky/_; {both}")).code,
        Some(1)
    );
}

#[test]
fn a_push_says_which_commits_wait() {
    const QUESTION: &str = "no, or instead?";
    let Some(world) = prepared(START) else { return };
    let bash = |command: &str| {
        let call = json!({ "delta": "call", "name": "bash", "arguments": { "command": command } });
        json!({ "deltas": [call] })
    };
    let answers = [
        bash("echo x >> a.txt; git commit -qam mine"),
        bash("git push ../remote HEAD"),
        json!({ "deltas": [{ "delta": "text", "text": "All said." }] }),
    ];
    let replay = world.beside("replay.jsonl");
    fs::write(&replay, answers.map(|answer| answer.to_string()).join("\n")).unwrap();
    plainly(&world, "git init -q --bare ../remote");
    let mut screen = Screen::open(
        &world,
        &[
            "--plain",
            "--stop",
            "turn-end",
            "--replay",
            replay.to_str().unwrap(),
            "go",
        ],
    );
    screen.shows("git push ../remote HEAD");
    screen.shows(QUESTION);
    let plain = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let asked = plain(screen.contents());
    assert_eq!(
        asked.matches("waits for a sign-off and is not in").count(),
        1,
        "{asked}"
    );
    screen.press("yes\r");
    screen.shows("All said.");
    let said = plain(screen.contents());
    assert_eq!(
        said.matches("waits for a sign-off and is not in").count(),
        2,
        "{said}"
    );
}
