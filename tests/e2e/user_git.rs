//! Git in the shadow is the user's git: ignore rules, attributes, who commits.

use std::fs;
use std::process::Command;

use crate::commits::{PATH, approve_all, plainly, prepared};
use crate::run::sh;
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
