//! Commits of programs: proposed, made in the repository once signed off, and taken back.

use std::process::Command;

use serde_json::{Value, json};

use crate::confined::world;
use crate::run::{relative, sh};
use crate::untried::untried;
use crate::world::{World, section};

/// Who commits, and when: the same commit has the same name then.
pub(crate) const IDENTITY: &str = "export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b \
                        GIT_AUTHOR_DATE='@1700000000 +0000' GIT_COMMITTER_DATE='@1700000000 +0000'; set -e; ";
pub(crate) const FIRST: &str =
    "git init -q -b main; printf '*.o\\n' > .gitignore; git add .; git commit -qm first; ";

/// Where `signoff` looks for git if nothing says so.
pub(crate) const PATH: &str = "/usr/bin:/bin";

pub(crate) fn plainly(world: &World, script: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{IDENTITY}{script}")]);
    command.current_dir(world.root()).env_clear();
    command.env("PATH", PATH);
    command.env("HOME", world.beside("home"));
    let ran = command.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success(), "{script}: {}: {said}", ran.status);
    String::from_utf8(ran.stdout).unwrap()
}

/// Returns all that a user sees of a repository.
pub(crate) fn seen(world: &World) -> String {
    let script = "git symbolic-ref -q HEAD || git rev-parse HEAD; git for-each-ref --format='%(refname) %(objectname)'; \
                  git stash list --format='%H %gs'; git ls-files --stage; git status --porcelain=v2; git fsck --no-dangling --no-progress 2>&1 | grep -v -e '^missing tree 4b825' -e '^missing tree 6ef19b' || true";
    plainly(world, script)
}

/// Returns the files of a world without git's.
pub(crate) fn work_tree(world: &World) -> Vec<String> {
    let files = relative(world).into_iter();
    let files = files.filter(|(path, _)| !path.starts_with(".git"));
    files.map(|found| format!("{found:?}")).collect()
}

/// Returns a world with the settings of a user in it, prepared by a script.
pub(crate) fn prepared(setup: &str) -> Option<World> {
    let world = world(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("sub/c.txt", "c\n")])?;
    let settings = "[user]\n\tname = A\n\temail = a@b\n";
    std::fs::write(world.beside("home/.gitconfig"), settings).unwrap();
    plainly(&world, setup);
    Some(world)
}

pub(crate) fn is_commit(own: &Value) -> bool {
    own["operation"] == "commit"
}

#[test]
fn verdicts_on_files_and_commits_are_one_object() {
    let commit = "echo x >> a.txt; git commit -qam mine";
    for (command, status) in [("approve", "made"), ("deny", "denied")] {
        let Some(world) = prepared(FIRST) else {
            return;
        };
        sh(&world, commit).done();
        let waiting = world.review();
        let id = waiting.iter().find(|own| is_commit(own)).unwrap()["id"].clone();
        let told = world.run(&[command, "--all", "--json"]).done().json();
        assert_eq!(told["status"], "done", "{told}");
        assert_eq!(told["hunks"].as_array().unwrap().len(), 1, "{told}");
        assert_eq!(told["commits"][0]["commit"], id, "{told}");
        assert_eq!(told["commits"][0]["status"], status, "{told}");
        sh(&world, "git commit -q --allow-empty -m alone").done();
        let told = world.run(&[command, "--all", "--json"]).done().json();
        assert_eq!(told["pending"], 0, "{told}");
        assert_eq!(told["commits"][0]["status"], status, "{told}");
    }
}

/// Approves all that waits by its id: files, then commits.
pub(crate) fn approve_all(world: &World) {
    for is_of_commits in [false, true] {
        for own in world.review() {
            if is_commit(&own) == is_of_commits {
                world.run(&["approve", own["id"].as_str().unwrap()]).done();
            }
        }
    }
}

#[test]
fn what_a_program_commits_is_made_once_it_is_signed_off() {
    let commit = "echo x >> a.txt; git commit -qam mine";
    let topic = "git checkout -q -b topic; echo y > new; git add new; git commit -qm two";
    let cases: &[(&str, &[&str])] = &[
        ("", &[commit]),
        ("", &[commit, "echo z >> a.txt; git commit -qam more"]),
        ("", &[commit, "git commit -q --amend -m other"]),
        ("", &["git commit -q --amend -m other"]),
        ("", &[topic]),
        (
            "",
            &[
                topic,
                "git checkout -q main; git merge -q --no-ff -m merged topic",
            ],
        ),
        (topic_setup(), &["git rebase -q main topic"]),
        (
            topic_setup(),
            &["git checkout -q main; git cherry-pick topic"],
        ),
        (topic_setup(), &["git merge -q --no-ff -m merged main"]),
        ("", &["git tag v1; git tag -m signed v2"]),
        ("", &["git branch -m trunk"]),
        (
            "git branch old; git pack-refs --all",
            &["git branch -D old"],
        ),
        ("git branch x", &["git branch -D x; git branch x/y"]),
        (
            "",
            &["git checkout -q --detach; echo x >> a.txt; git commit -qam detached"],
        ),
        (
            "",
            &["git mv a.txt moved; git rm -q b.txt; chmod +x sub/c.txt; git commit -qam files"],
        ),
        ("", &["git commit -q --allow-empty -m empty; git gc -q"]),
        // What the user has staged, and what he has not, stays.
        (
            "echo s >> b.txt; git add b.txt; echo t >> sub/c.txt",
            &["echo x >> a.txt; git commit -qm mine a.txt"],
        ),
        (
            "git rm -q --cached b.txt; echo b.txt >> .git/info/exclude",
            &["echo x >> a.txt; git commit -qm mine a.txt"],
        ),
        (
            "git sparse-checkout set sub",
            &["echo x >> sub/c.txt; git commit -qam sparse"],
        ),
        // The pointer of a submodule.
        (
            "git init -q -b main ../lib; git -C ../lib commit -q --allow-empty -m lib; \
             git -c protocol.file.allow=always submodule --quiet add ../lib lib; git commit -qm sub; \
             git -C lib commit -q --allow-empty -m second",
            &[
                "git add lib; git commit -qm pointer",
                "git commit -q --amend -m other",
            ],
        ),
    ];
    for (setup, scripts) in cases {
        for init in [
            "-q -b main",
            "-q -b main --object-format=sha256",
            "-q -b main --ref-format=reftable",
        ] {
            if init != "-q -b main" && (scripts.len() > 1 || !is_known(init)) {
                continue;
            }
            let first = FIRST.replace("-q -b main", init);
            as_outside(&format!("{first}{setup}"), scripts);
        }
    }
    // On a branch without a commit.
    as_outside("git init -q -b main", &["git add .; git commit -qm first"]);
}

/// The object of a file that cannot be compressed has its bytes as they are. One line of it is a line that another file loses.
#[test]
fn what_git_compressed_holds_no_file() {
    let Some(world) = prepared(FIRST) else {
        return;
    };
    let script = "(head -c 70000 /dev/urandom; printf '\\na\\n'; head -c 70000 /dev/urandom) > big; echo A > a.txt; \
                  git add .; git commit -qm both";
    sh(&world, script).done();
    let review = world.review();
    let own = review.iter().find(|own| own["path"] == "a.txt").unwrap();
    assert_eq!(own["held"], Value::Null, "{own}");
    approve_all(&world);
    assert_eq!(world.text("a.txt"), "A\n");
    assert_eq!(plainly(&world, "git log -1 --format=%s"), "both\n");
}

/// A history as large repositories have it: a pack of more than a megabyte, and a commit that git's own check refuses by now.
const LARGE: &str = "
awk 'BEGIN { srand(1); for (i = 0; i < 400000; i++) printf \"%d\\n\", rand() * 1e9 }' > big.txt
git add big.txt; git commit -qm big
git cat-file commit HEAD | sed 's/ +0000$/ +051800/' > ../commit
git reset -q --soft $(git hash-object -t commit -w --literally ../commit)
echo b >> b.txt; git commit -qam third; git repack -adq
";

#[test]
fn what_is_committed_in_a_large_repository_is_made() {
    // Git asks the server for what a clone of a part lacks.
    let promised = "for pack in .git/objects/pack/*.pack; do touch ${pack%.pack}.promisor; done; \
                    git config remote.origin.url none; git config remote.origin.promisor true";
    for setup in ["", promised] {
        let setup = format!("{FIRST}{LARGE}{setup}");
        as_outside(
            &setup,
            &[
                "echo x >> a.txt; git add a.txt",
                "git commit -qm mine; echo y >> a.txt",
                // What was there before is in the pack.
                "git commit -qam more; git revert --no-edit HEAD",
            ],
        );
    }
    as_outside(
        &format!("{FIRST}{LARGE}"),
        &["echo x >> a.txt; git commit -qam mine; git gc -q"],
    );
}

#[test]
fn what_is_committed_in_a_clone_is_made() {
    for options in ["", "--depth 1", "--filter=blob:none", "--filter=tree:0"] {
        let setup = format!(
            "{FIRST}echo 2 >> b.txt; git commit -qam second; git config uploadpack.allowFilter true; mv .git ../origin
            git clone -q {options} \"file://$PWD/../origin\" ../clone; mv ../clone/.git .; git reset -q"
        );
        // The last tree is in the pack that was cloned, of which git sets the time. A clone of a part has it fetched, also outside.
        let script = if options.contains("filter") {
            "echo 3 >> b.txt; git commit -qam third"
        } else {
            "echo 3 >> b.txt; git commit -qam third; git revert --no-edit HEAD"
        };
        as_outside(&setup, &[script]);
    }
}

#[test]
fn no_pack_is_copied_and_nothing_is_packed_for_a_commit() {
    let Some(world) = prepared(&format!("{FIRST}{LARGE}git config gc.auto 1")) else {
        return;
    };
    let ran = sh(
        &world,
        &format!(
            "{IDENTITY}for n in 1 2 3 4 5 6 7 8 9; do echo $n >> a.txt; git commit -qam $n; done
             ls .git/objects/pack/*.pack | wc -l; touch -h .git/objects/pack/*.pack 2>&1 | cut -d: -f3"
        ),
    );
    assert_eq!(ran.done().stdout, "1\n Read-only file system\n");
}

/// Returns whether git makes such a repository.
pub(crate) fn is_known(init: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("git init {init}")])
        .env("PATH", PATH);
    let made = command.current_dir(folder.path()).output();
    made.unwrap().status.success()
}

fn topic_setup() -> &'static str {
    "git checkout -q -b topic; echo y > new; git add new; git commit -qm two; git checkout -q main; \
     echo x >> a.txt; git commit -qam main; git checkout -q topic"
}

/// Runs scripts in the shadow one after another, and signs off: the repository is as after the scripts alone. Taken back,
/// it is as before.
fn as_outside(setup: &str, scripts: &[&str]) {
    let (Some(world), Some(plain)) = (prepared(setup), prepared(setup)) else {
        return;
    };
    let before = (seen(&world), work_tree(&world));
    for script in scripts {
        let ran = sh(&world, &format!("{IDENTITY}{script}")).done();
        assert!(
            ran.stderr.contains("waits for a sign-off"),
            "{script}: {ran:?}"
        );
        plainly(&plain, script);
    }
    assert_eq!(
        (seen(&world), work_tree(&world)),
        before,
        "{setup}: {scripts:?}"
    );
    approve_all(&world);
    let told = format!("{setup}: {scripts:?}");
    assert_eq!(work_tree(&world), work_tree(&plain), "{told}");
    assert_eq!(seen(&world), seen(&plain), "{told}");
    assert_eq!(world.review(), Vec::<Value>::new(), "{told}");
    // The next program finds the repository as it is now.
    let head = sh(&world, "git log --format=%H -1; git status --porcelain").done();
    let expected = plainly(&plain, "git log --format=%H -1; git status --porcelain");
    assert_eq!(head.stdout, expected, "{told}");
    take_all_back(&world);
    assert_eq!((seen(&world), work_tree(&world)), before, "{told}");
}

/// Takes back all that was written, the newest first.
pub(crate) fn take_all_back(world: &World) {
    while world.run(&["undo"]).code == Some(0) {}
}

#[test]
fn a_change_waits_on_where_a_later_program_changes_nothing_of_it() {
    let Some(world) = prepared(FIRST) else { return };
    sh(
        &world,
        &format!("{IDENTITY}git commit -q --allow-empty -m mine"),
    )
    .done();
    let later = sh(&world, "git tag x; git tag -d x; git log --format=%s").done();
    assert!(later.stdout.starts_with("Deleted tag 'x'"), "{later:?}");
    assert_eq!(
        world.review().iter().filter(|own| is_commit(own)).count(),
        1
    );
    assert_eq!(sh(&world, "git log -1 --format=%s").done().stdout, "mine\n");
}

#[test]
fn branches_of_other_work_trees_stay_where_they_are() {
    let setup = format!("{FIRST}git branch topic; git worktree add -q ../other -b other");
    let Some(world) = prepared(&setup) else {
        return;
    };
    let script = "git commit -q --allow-empty -m mine; git update-ref refs/heads/other HEAD";
    sh(&world, &format!("{IDENTITY}{script}"))
        .done()
        .says("refs/heads/other, which is checked out in ");
    approve_all(&world);
    let at = |name: &str| plainly(&world, &format!("git log -1 --format=%s {name}"));
    assert_eq!([at("main"), at("other")], ["mine\n", "first\n"]);
    // As in another terminal, before it is signed off.
    sh(&world, "git switch -q topic").done();
    plainly(&world, "git -C ../other switch -q topic");
    let waiting = world.review();
    let id = waiting[0]["id"].as_str().unwrap();
    world
        .run(&["approve", id])
        .says("refs/heads/topic is checked out in another work tree");
    assert_eq!(plainly(&world, "git symbolic-ref --short HEAD"), "main\n");
}

#[test]
fn a_program_in_a_folder_of_a_repository_commits_the_files_of_the_folder() {
    let setup = format!("seq 9 > sub/c.txt; {FIRST}");
    let Some(world) = prepared(&setup) else {
        return;
    };
    plainly(
        &world,
        "echo own >> a.txt; echo staged >> b.txt; git add b.txt",
    );
    let before = (seen(&world), work_tree(&world));
    let inner = |arguments: &[&str]| world.run(&[&["-C", "sub"][..], arguments].concat());
    let run = |script: &str| inner(&["run", "--", "sh", "-c", &format!("{IDENTITY}{script}")]);
    run("echo x >> c.txt; git commit -qm mine c.txt")
        .done()
        .says("waits for a sign-off: commit");
    inner(&["approve", "--all"]).done();
    let told = "git show --format=%s --name-only; git status --porcelain";
    assert_eq!(
        plainly(&world, told),
        "mine\n\nsub/c.txt\n M a.txt\nM  b.txt\n"
    );
    while inner(&["undo"]).code == Some(0) {}
    assert_eq!((seen(&world), work_tree(&world)), before);
    // Of two changes in the file one is denied, and what is committed is the other.
    run("sed -i 's/1/one/; s/9/nine/' c.txt; git commit -qm parts c.txt").done();
    let waiting = inner(&["review", "--json"]).done().json();
    let of = |is_wanted: bool| {
        let mut all = waiting.as_array().unwrap().iter();
        let found = all.find(|own| is_commit(own) == is_wanted).unwrap();
        found["id"].as_str().unwrap().to_owned()
    };
    let (file, commit) = (of(false), of(true));
    inner(&["approve", &format!("{file}#1")]).done();
    inner(&["deny", &format!("{file}#2")]).done();
    inner(&["approve", &commit]).done();
    assert_eq!(
        plainly(&world, "git show HEAD:sub/c.txt"),
        "one\n2\n3\n4\n5\n6\n7\n8\n9\n"
    );
    while inner(&["undo"]).code == Some(0) {}
    assert_eq!((seen(&world), work_tree(&world)), before);
    // What the user changed around the folder is none of its business.
    run("git commit -qam all")
        .done()
        .says("a.txt of it is outside of the workspace");
    assert_eq!((seen(&world), work_tree(&world)), before);
}

#[test]
fn a_commit_that_was_denied_or_is_behind_changes_nothing() {
    let Some(world) = prepared(FIRST) else { return };
    let before = seen(&world);
    let commit = format!("{IDENTITY}echo x > new; git add new; git commit -qm mine");
    sh(&world, &commit).done();
    world.run(&["deny", "--all"]).done();
    assert_eq!(seen(&world), before);
    let log = sh(&world, "git log --oneline | wc -l").done();
    assert_eq!(log.stdout.trim(), "1");
    sh(&world, &commit).done();
    // Its file waits.
    let id = world.review().into_iter().find(is_commit).unwrap()["id"].clone();
    let id = id.as_str().unwrap().to_owned();
    world
        .run(&["approve", &id])
        .ends(3)
        .says("new of it waits for a verdict");
    plainly(&world, "git commit -q --allow-empty -m users");
    let moved = seen(&world);
    let ended = world.run(&["approve", "--all"]).ends(3);
    assert!(ended.stdout.contains("HEAD moved from"), "{ended:?}");
    assert_eq!(seen(&world).replace("? new\n", ""), moved);
}

#[test]
fn what_a_program_leaves_in_gits_folder_is_taken_or_named() {
    for (script, code, told) in [
        (
            "ln -s ../../../a.txt .git/refs/heads/x",
            0,
            "is no regular file",
        ),
        ("mkfifo .git/refs/heads/x", 0, "is no regular file"),
        (
            "(echo x > .git/hooks/pre-commit) || exit 7",
            7,
            "Read-only file system",
        ),
        ("git config core.pager evil", 0, ".git/config"),
        (
            "git init -q inner; cd inner; git commit -q --allow-empty -m x",
            0,
            "inner/.git",
        ),
        (
            "git worktree add -q --detach tree",
            128,
            "Read-only file system",
        ),
        ("git update-ref refs/own/x HEAD", 0, "refs/own/x"),
        (
            "git update-index --skip-worktree a.txt",
            0,
            "flags of files in git's index",
        ),
        ("echo x >> .git/info/exclude", 2, "Read-only file system"),
    ] {
        let Some(world) = prepared(FIRST) else { return };
        let before = (seen(&world), relative(&world));
        let ran = sh(&world, &format!("{IDENTITY}{script}"))
            .ends(code)
            .says(told);
        assert!(
            !ran.stderr.contains("waits for a sign-off"),
            "{script}: {ran:?}"
        );
        assert!(!world.review().iter().any(is_commit), "{script}");
        assert_eq!((seen(&world), relative(&world)), before, "{script}");
    }
    let Some(world) = prepared(FIRST) else { return };
    // A stash is there for the next program, and what was only looked at is no change.
    sh(&world, &format!("{IDENTITY}echo x >> a.txt; git stash -q")).done();
    let next = sh(
        &world,
        &format!("{IDENTITY}git stash pop -q; git status --porcelain"),
    )
    .done();
    assert_eq!(next.stdout, " M a.txt\n");
    let looked = sh(&world, "git status; git log; git diff").done();
    assert!(!looked.stderr.contains("git's"), "{looked:?}");
}

/// Else what the user had typed would be off the disk, and in a stash that is not made.
#[test]
fn what_a_stash_takes_off_the_disk_is_left_with_it() {
    let Some(world) = prepared(FIRST) else { return };
    plainly(&world, "echo mine >> a.txt");
    sh(
        &world,
        &format!("{IDENTITY}echo new > new.txt; git stash -q"),
    )
    .done();
    world
        .run(&["approve", "--all"])
        .ends(3)
        .says("a.txt (it goes with what the program put away in git's stash)");
    assert!(world.text("a.txt").ends_with("mine\n"));
    assert_eq!(world.text("new.txt"), "new\n");
    // What a later program does beside it goes with no stash.
    sh(&world, "echo later > later.txt").done();
    world.run(&["approve", "--all"]).ends(3);
    assert_eq!(world.text("later.txt"), "later\n");
    for waits in world.review() {
        world
            .run(&["approve", waits["id"].as_str().unwrap()])
            .done();
    }
    assert!(!world.text("a.txt").contains("mine"));
    plainly(&world, "git stash pop -q");
    assert!(world.text("a.txt").ends_with("mine\n"));
}

#[test]
fn a_commit_of_which_a_part_was_denied_is_made_of_the_rest() {
    for (denied, expected) in [
        (&["b.txt"][..], Some("a.txt\n")),
        (&["a.txt", "b.txt"], None),
    ] {
        let Some(world) = prepared(FIRST) else { return };
        let before = seen(&world);
        let script = "echo x >> a.txt; echo y >> b.txt; git commit -qam mine --author='B <b@c>'";
        sh(&world, &format!("{IDENTITY}{script}")).done();
        for own in world.review().iter().filter(|own| !is_commit(own)) {
            let is_denied = denied.contains(&own["path"].as_str().unwrap());
            let verdict = if is_denied { "deny" } else { "approve" };
            world.run(&[verdict, own["id"].as_str().unwrap()]).done();
        }
        let id = world.review()[0]["id"].clone();
        let ended = world.run(&["approve", id.as_str().unwrap()]).done();
        match expected {
            Some(files) => {
                let shown = plainly(
                    &world,
                    "git show --format='%an %s' --name-only | grep .; git status --porcelain",
                );
                assert_eq!(shown, format!("B mine\n{files}"), "{ended:?}");
            }
            None => assert_eq!(seen(&world), before, "{ended:?}"),
        }
        assert_eq!(world.review(), Vec::<Value>::new());
    }
}

/// Agents begin a branch of their own.
#[test]
fn a_part_of_a_new_branch_is_made_where_the_rest_was_denied() {
    for (denied, branches) in [
        (&["a.txt"][..], "main\ntopic two\n"),
        (&["a.txt", "b.txt"], "main\n"),
    ] {
        let Some(world) = prepared(FIRST) else { return };
        let script = "git checkout -q -b topic; echo x >> a.txt; git commit -qam one; \
                      echo y >> b.txt; git commit -qam two";
        sh(&world, &format!("{IDENTITY}{script}")).done();
        for own in world.review().iter().filter(|own| !is_commit(own)) {
            if denied.contains(&own["path"].as_str().unwrap()) {
                world.run(&["deny", own["id"].as_str().unwrap()]).done();
            }
        }
        world.run(&["approve", "--all"]).done();
        let list = "for b in main topic; do git rev-parse -q --verify $b > /dev/null || continue; \
                    echo $b $(git log --format=%s main..$b); done; git status --porcelain";
        assert_eq!(plainly(&world, list), branches);
    }
}

/// A commit that waits while the branch goes on.
#[test]
fn a_commit_that_head_has_is_dropped_and_another_one_says_what_helps() {
    let Some(world) = prepared(FIRST) else { return };
    let commit = format!("{IDENTITY}echo x >> a.txt; git commit -qam mine");
    sh(&world, &commit).done();
    let file = world.review().into_iter().find(|own| !is_commit(own));
    let file = file.unwrap()["id"].as_str().unwrap().to_owned();
    world.run(&["approve", &file]).done();
    plainly(&world, "git commit -qam users");
    world
        .run(&["approve", "--all"])
        .done()
        .says("HEAD has all that it commits");
    assert_eq!(world.review(), Vec::<Value>::new());
    sh(&world, &commit).done();
    world.run(&["approve", "--all"]).done();
    plainly(&world, "git commit -q --allow-empty -m later");
    world
        .run(&["undo"])
        .ends(3)
        .says("`git revert` takes it back");
}

/// What is changed after a commit is no part of it, whoever changed it, and what was denied is not either.
#[test]
fn a_commit_holds_what_the_program_committed_and_nothing_of_later() {
    let committed = "printf 'a\nx\n' > a.txt; git commit -qam mine";
    for (later, users, denied, in_commit, is_same) in [
        ("printf 'b\na\nx\nz\n' > a.txt", "", "", "a\nx\n", true),
        ("printf 'A\nx\n' > a.txt", "", "", "a\nx\n", true),
        // Lines of the commit were changed once more: only these were displayed.
        ("printf 'a\nX\n' > a.txt", "", "", "a\nX\n", false),
        ("", "printf 'b\na\nx\n' > a.txt", "", "a\nx\n", true),
        ("", "printf 'a\nX\n' > a.txt", "", "a\nx\n", true),
        ("printf 'b\na\nx\n' > a.txt", "", "b", "a\nx\n", true),
    ] {
        let Some(world) = prepared(FIRST) else { return };
        let made = format!("{IDENTITY}{committed}; git rev-parse HEAD");
        let made = sh(&world, &made).done().stdout;
        if !later.is_empty() {
            sh(&world, later).done();
        }
        for own in world.review().iter().filter(|own| !is_commit(own)) {
            for hunk in own["hunks"].as_array().unwrap() {
                let text = hunk["lines"].to_string();
                let is_denied = !denied.is_empty() && text.contains(&format!("{denied}\""));
                let verdict = if is_denied { "deny" } else { "approve" };
                world.run(&[verdict, hunk["id"].as_str().unwrap()]).done();
            }
        }
        plainly(&world, if users.is_empty() { "true" } else { users });
        let id = world.review()[0]["id"].clone();
        let ended = world.run(&["approve", id.as_str().unwrap()]).done();
        let told = format!("{later:?} {users:?}: {ended:?}");
        assert_eq!(plainly(&world, "git show HEAD:a.txt"), in_commit, "{told}");
        assert_eq!(
            plainly(&world, "git rev-parse HEAD") == made,
            is_same,
            "{told}"
        );
    }
    // What the same call changed after its commit was denied: all of the commit was approved.
    let Some(world) = prepared(&format!("{FIRST}seq 9 > a.txt; git commit -qam nine")) else {
        return;
    };
    let edit = world.stage(json!([section("a.txt", "2", "two")])).remove(0);
    let both = "git commit -qam mine; git rev-parse HEAD; sed -i s/8/eight/ a.txt";
    let made = sh(&world, &format!("{IDENTITY}{both}")).done().stdout;
    world.run(&["approve", &edit]).done();
    let waiting = world.review();
    let later = waiting.iter().find(|own| !is_commit(own)).unwrap();
    world.run(&["deny", later["id"].as_str().unwrap()]).done();
    let id = world.review()[0]["id"].clone();
    world.run(&["approve", id.as_str().unwrap()]).done();
    assert_eq!(
        plainly(&world, "git rev-parse HEAD; git status --porcelain"),
        made
    );
    // A part was denied, and the user typed more.
    let Some(world) = prepared(FIRST) else { return };
    let two = "seq 9 > a.txt; git commit -qam nine; sed -i 's/2/two/; s/8/eight/' a.txt; git commit -qam mine";
    sh(
        &world,
        &format!("{IDENTITY}seq 9 > a.txt; git commit -qam nine"),
    )
    .done();
    approve_all(&world);
    sh(
        &world,
        &format!("{IDENTITY}{}", two.split_once("nine; ").unwrap().1),
    )
    .done();
    let file = world.review()[0]["id"].as_str().unwrap().to_owned();
    world.run(&["deny", &format!("{file}#2")]).done();
    world.run(&["approve", &file]).done();
    plainly(&world, "echo 10 >> a.txt");
    let id = world.review()[0]["id"].clone();
    world
        .run(&["approve", id.as_str().unwrap()])
        .done()
        .says("without what is not approved of a.txt");
    let shown = plainly(&world, "git show HEAD:a.txt; git diff --stat | tail -1");
    assert_eq!(
        shown,
        "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n 1 file changed, 1 insertion(+)\n"
    );
}

/// What the program of these cases does, where a case has none of its own.
const COMMITS_BOTH: &str = "echo one > a.txt; echo two > b.txt; git commit -qam mine";
const SHOW_BOTH: &str = "git show HEAD:a.txt HEAD:b.txt";

/// What is signed off of a commit: the case, its program, what is done then, and what shows the commit as what.
const SIGNED_OFF: &[(&str, &str, &[Step], &str, &str)] = &[
    (
        "the user's line is in the way, and their file is of one that comes",
        "echo one > a.txt; echo two > b.txt; echo new > n.txt; git add .; git commit -qm mine",
        &[
            Step::User("echo mine > a.txt; echo mine > n.txt"),
            Step::Signoff(&["review"], 0, ""),
            Step::Signoff(
                &["approve", "--all"],
                3,
                "a.txt of it is in conflict: deny that first",
            ),
            Step::Each("deny"),
            Step::Signoff(
                &["approve", "--all"],
                0,
                "without what is not approved of a.txt, n.txt",
            ),
        ],
        "git show HEAD:a.txt HEAD:b.txt; git ls-tree --name-only HEAD",
        "a\ntwo\n.gitignore\na.txt\nb.txt\nsub\n",
    ),
    (
        "the user's text in the place of a hunk",
        COMMITS_BOTH,
        &[
            Step::With("a.txt", "ONE\n"),
            Step::Signoff(&["approve", "--all"], 0, "with a.txt as you signed it off"),
            Step::Signoff(&["verify", "HEAD~..HEAD"], 0, ""),
        ],
        SHOW_BOTH,
        "ONE\ntwo\n",
    ),
    (
        "what was taken back is in no commit, and what was typed there is not either",
        COMMITS_BOTH,
        &[
            Step::Each("approve"),
            Step::Signoff(&["revert", "a.txt"], 0, ""),
            Step::User("echo typed > a.txt"),
            Step::Signoff(
                &["approve", "--all"],
                0,
                "without what is not approved of a.txt",
            ),
        ],
        SHOW_BOTH,
        "a\ntwo\n",
    ),
    (
        "what is typed after a sign-off is in no commit, also where the file had a denial once",
        "echo never > a.txt",
        &[
            Step::Each("deny"),
            Step::Program(COMMITS_BOTH),
            Step::Each("approve"),
            Step::User("printf 'one and more\\nmore\\n' > a.txt"),
            Step::Signoff(&["approve", "--all"], 0, "made commit"),
        ],
        SHOW_BOTH,
        "one\ntwo\n",
    ),
    (
        "a file that was denied, and is the user's now",
        "echo new > n.txt; echo two > b.txt; git add .; git commit -qm mine",
        &[
            Step::Named("deny", "n.txt"),
            Step::User("echo private > n.txt"),
            Step::Signoff(
                &["approve", "--all"],
                0,
                "without what is not approved of n.txt",
            ),
        ],
        "git ls-tree --name-only HEAD; git show HEAD:b.txt",
        ".gitignore\na.txt\nb.txt\nsub\ntwo\n",
    ),
    (
        "a file that the user removed",
        "echo one > sub/c.txt; echo two > b.txt; git commit -qam mine",
        &[
            Step::User("rm -r sub"),
            Step::Signoff(&["review"], 0, ""),
            Step::Signoff(&["approve", "--all"], 3, "sub/c.txt of it is in conflict"),
            Step::Each("deny"),
            Step::Signoff(
                &["approve", "--all"],
                0,
                "without what is not approved of sub/c.txt",
            ),
        ],
        "git show HEAD:sub/c.txt HEAD:b.txt",
        "c\ntwo\n",
    ),
    (
        "a deletion that was denied, and the user typed on",
        "git rm -q a.txt; echo two > b.txt; git commit -qam mine",
        &[
            Step::Named("deny", "a.txt"),
            Step::User("echo more >> a.txt"),
            Step::Signoff(
                &["approve", "--all"],
                0,
                "without what is not approved of a.txt",
            ),
        ],
        SHOW_BOTH,
        "a\ntwo\n",
    ),
];

/// What is committed of a file is what was signed off of it, whatever is on disk and whatever was decided on it before.
#[test]
fn a_commit_holds_what_was_signed_off_and_nothing_of_the_users_typing() {
    for (case, program, steps, shown, expected) in SIGNED_OFF {
        let Some(world) = prepared(FIRST) else { return };
        sh(&world, &format!("{IDENTITY}{program}")).done();
        steps.iter().for_each(|step| step.take(&world));
        assert_eq!(&plainly(&world, shown), expected, "{case}");
        let commits = world.review();
        assert!(!commits.iter().any(is_commit), "{case}: {commits:?}");
    }
}

/// It was left out in silence, so that what it takes out of files was committed.
#[test]
fn a_filter_that_is_left_out_fails() {
    let filter = "git config filter.redact.clean 'sed s/password=.*/password=XXX/'; echo '*.cfg filter=redact' > .gitattributes; \
                  echo password=hunter2 > a.cfg; git add .; git commit -qm redacted";
    let Some(world) = prepared(&format!("{FIRST}{filter}")) else {
        return;
    };
    let script = format!("{IDENTITY}echo more >> a.cfg; git commit -qam mine");
    let ended = sh(&world, &script);
    assert_eq!(ended.code, Some(128), "{ended:?}");
    ended.says("this filter is left out, as its setting seems to hold a key");
    world.run(&["approve", "--all"]).done();
    let shown = plainly(
        &world,
        "git log --format=%s; git show HEAD:a.cfg; cat a.cfg",
    );
    assert_eq!(
        shown,
        "redacted\nfirst\npassword=XXX\npassword=hunter2\nmore\n"
    );
}

/// A text that the repository has at another path, for a moment and under a tag.
#[test]
fn a_known_text_at_a_new_path_is_shown_with_its_commit_and_named_to_be_made() {
    let example = "mkdir docs; echo 'run: x' > docs/example.yml; git add .; git commit -qm example";
    let Some(world) = prepared(&format!("{FIRST}{example}")) else {
        return;
    };
    let script = "mkdir -p ci; cp docs/example.yml ci/x.yml; git add .; git commit -qm one; git tag v1; \
                  git rm -q ci/x.yml; echo x >> a.txt; git commit -qam two";
    sh(&world, &format!("{IDENTITY}{script}")).done();
    let review = world.run(&["review"]).done();
    assert!(review.stdout.contains("+run: x"), "{review:?}");
    world
        .run(&["approve", "--all"])
        .ends(3)
        .says("it commits ci/x.yml otherwise");
    assert_eq!(
        plainly(&world, "git log -1 --format=%s; git tag"),
        "example\n"
    );
}

/// Its content is in no diff, and comes with the next `git submodule update`.
#[test]
fn another_state_of_a_submodule_is_shown_with_its_commit_and_named_to_be_made() {
    let submodule = "git init -q lib; git -C lib commit -q --allow-empty -m one; git add lib; git commit -qm with";
    let Some(world) = prepared(&format!("{FIRST}{submodule}")) else {
        return;
    };
    let before = seen(&world);
    let bump = "git update-index --cacheinfo 160000,$(git rev-parse HEAD),lib; git commit -qm typo";
    sh(&world, &format!("{IDENTITY}{bump}")).done();
    let review = world.run(&["review"]).done();
    assert!(review.stdout.contains("+Subproject commit"), "{review:?}");
    world
        .run(&["approve", "--all"])
        .ends(3)
        .says("it commits lib otherwise");
    assert_eq!(seen(&world), before);
}

/// What is done while a commit waits.
enum Step {
    /// A script of the user's.
    User(&'static str),
    /// A script under `signoff run`.
    Program(&'static str),
    /// A verdict on each proposal that is no commit.
    Each(&'static str),
    /// A verdict on the proposal of a path.
    Named(&'static str, &'static str),
    /// The approval of the first hunk of a path with another text.
    With(&'static str, &'static str),
    /// A command, how it ends, and what it says.
    Signoff(&'static [&'static str], i32, &'static str),
}

impl Step {
    fn take(&self, world: &World) {
        let proposals = || world.review().into_iter().filter(|own| !is_commit(own));
        let id = |own: &Value| own["id"].as_str().unwrap().to_owned();
        match self {
            Self::User(script) => drop(plainly(world, script)),
            Self::Program(script) => drop(sh(world, &format!("{IDENTITY}{script}")).done()),
            Self::Each(verdict) => proposals().for_each(|own| {
                world.run(&[verdict, &id(&own)]).done();
            }),
            Self::Named(verdict, path) => {
                let own = proposals().find(|own| own["path"] == *path).unwrap();
                world.run(&[verdict, &id(&own)]).done();
            }
            Self::With(path, text) => {
                let own = proposals().find(|own| own["path"] == *path).unwrap();
                let hunk = format!("{}#1", id(&own));
                std::fs::write(world.beside("with"), text).unwrap();
                let with = world.beside("with");
                let with = with.to_str().unwrap();
                world.run(&["approve", &hunk, "--with", with]).done();
            }
            Self::Signoff(arguments, code, said) => {
                world.run(arguments).ends(*code).says(said);
            }
        }
    }
}

#[test]
fn the_users_hooks_run_when_a_program_commits() {
    let hooks = "mkdir -p .git/hooks; printf '#!/bin/sh\\n! grep -q bad a.txt' > .git/hooks/pre-commit; \
                 printf '#!/bin/sh\\necho checked >> \"$1\"' > .git/hooks/commit-msg; chmod +x .git/hooks/*";
    let Some(world) = prepared(&format!("{FIRST}{hooks}")) else {
        return;
    };
    let refused = sh(
        &world,
        &format!("{IDENTITY}echo bad >> a.txt; git commit -qam mine"),
    )
    .ends(1);
    assert!(
        !refused.stderr.contains("waits for a sign-off"),
        "{refused:?}"
    );
    world.run(&["deny", "--all"]).done();
    sh(
        &world,
        &format!("{IDENTITY}echo good >> a.txt; git commit -qam mine"),
    )
    .done();
    world.run(&["approve", "--all"]).done();
    assert_eq!(
        plainly(&world, "git log -1 --format=%B").trim(),
        "mine\nchecked"
    );
}

#[test]
fn what_a_model_commits_in_several_commands_waits_as_one() {
    let Some(world) = prepared(FIRST) else { return };
    let before = seen(&world);
    let bash = |command: &str| {
        let arguments = json!({ "command": format!("{IDENTITY}{command}") });
        json!({ "deltas": [{ "delta": "call", "name": "bash", "arguments": arguments }] })
    };
    let answers = [
        bash("echo x >> a.txt; git commit -qam first-try"),
        bash("git commit -q --amend -m better"),
        json!({ "deltas": [{ "delta": "text", "text": "Done." }] }),
    ];
    let replay = world.beside("replay.jsonl");
    std::fs::write(&replay, answers.map(|answer| answer.to_string()).join("\n")).unwrap();
    let replay = replay.to_str().unwrap();
    let exec = world.run(&[
        "exec", "--json", "--stop", "turn-end", "--replay", replay, "go",
    ]);
    let told = exec.done().stdout;
    for subject in ["first-try", "better"] {
        let mut lines = told.lines();
        let is_told =
            lines.any(|own| own.contains("waits for a sign-off") && own.contains(subject));
        assert!(is_told, "{subject}: {told}");
    }
    assert_eq!(seen(&world), before);
    let waiting: Vec<Value> = world.review().into_iter().filter(is_commit).collect();
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0]["commits"][0]["message"], "better");
    world.run(&["approve", "--all"]).done();
    assert_eq!(
        plainly(&world, "git log --format=%s; git status --porcelain"),
        "better\nfirst\n"
    );
}

/// What a turn commits belongs to what it writes.
#[test]
fn what_a_model_commits_is_made_with_what_it_writes() {
    let Some(world) = prepared(FIRST) else { return };
    let command = format!("{IDENTITY}echo x >> a.txt; git commit -qam mine");
    let bash = json!({ "deltas": [{ "delta": "call", "name": "bash", "arguments": { "command": command } }] });
    let done = json!({ "deltas": [{ "delta": "text", "text": "Done." }] });
    let replay = world.beside("replay.jsonl");
    std::fs::write(&replay, format!("{bash}\n{done}\n")).unwrap();
    let replay = replay.to_str().unwrap();
    let stop = ["exec", "--stop", "turn-end", "--approve", "all"];
    let exec = world.run(&[&stop[..], &["--replay", replay, "go"]].concat());
    assert!(exec.done().stdout.contains("made commit"));
    assert_eq!(
        plainly(&world, "git log --format=%s; git status --porcelain"),
        "mine\nfirst\n"
    );
}

/// Texts that came and went between two commits are in the history that `git push` sends.
#[test]
fn what_no_diff_shows_of_a_commit_is_shown_with_it_and_named_to_be_made() {
    let Some(world) = prepared(FIRST) else { return };
    let script = "echo secret >> a.txt; git commit -qam one; git tag v1; git tag odd $(git hash-object -w a.txt); \
                  sed -i s/secret/fine/ a.txt; git commit -qam two";
    let ran = world.run(&["run", "--", "sh", "-c", &format!("{IDENTITY}{script}")]);
    assert!(ran.done().stderr.contains("refs/tags/odd"));
    assert!(world.run(&["review"]).done().stdout.contains("+secret"));
    let left = world.run(&["approve", "--all"]).ends(3);
    assert!(
        left.stderr.contains("it commits a.txt otherwise"),
        "{}",
        left.stderr
    );
    assert_eq!(plainly(&world, "git log --format=%s --all").trim(), "first");
    let waiting: Vec<Value> = world.review().into_iter().filter(is_commit).collect();
    world
        .run(&["approve", waiting[0]["id"].as_str().unwrap()])
        .done();
    assert_eq!(
        plainly(&world, "git log --format=%s; git tag"),
        "two\none\nfirst\nv1\n"
    );
}

/// What a program leaves in git, what the review has of it, and what `approve --all` says where it leaves it.
const SHOWN_WITH_GIT: [(&str, &str, &str); 11] = [
    (
        "echo SECRET >> a.txt; git add a.txt; sed -i /SECRET/d a.txt",
        "+SECRET",
        "stages a.txt otherwise",
    ),
    (
        "h=$(echo backdoor | git hash-object -w --stdin); git update-index --add --cacheinfo 100755,$h,evil.sh",
        "+backdoor",
        "stages evil.sh otherwise",
    ),
    (
        "git update-index --chmod=+x b.txt",
        "new mode 100755",
        "stages b.txt otherwise",
    ),
    (
        "git update-index --chmod=+x a.txt; git commit -qm modes",
        "new mode 100755",
        "commits a.txt otherwise",
    ),
    ("echo hidden >> a.txt; git stash -q", "+hidden", "new stash"),
    ("echo hidden > new; git stash -qu", "+hidden", "new stash"),
    ("git tag -a v1 -m 'words of a tag'", "words of a tag", ""),
    (
        "GIT_COMMITTER_NAME=Boss git commit -q --allow-empty -m x",
        "committed by Boss <a@b>",
        "",
    ),
    (
        "GIT_AUTHOR_DATE='@1 +0000' git commit -q --allow-empty -m x",
        "dated 1970-01-01",
        "",
    ),
    (
        "c=$(git cat-file commit HEAD | sed '/^committer/a gpgsig forged' | git hash-object -t commit -w --stdin); \
         git branch odd $c",
        "headers that git does not write: gpgsig",
        "has the header gpgsig",
    ),
    (
        "git commit -qam tidy",
        "has lines that are on disk already, and in no hunk that waits:",
        "",
    ),
];

#[test]
fn what_git_gets_beside_hunks_is_shown() {
    for (script, shown, left) in SHOWN_WITH_GIT {
        let Some(world) = prepared(FIRST) else { return };
        if script.contains("tidy") {
            plainly(&world, "echo wip >> b.txt");
        }
        sh(&world, &format!("{IDENTITY}{script}")).done();
        let review = world.run(&["review"]).done().stdout;
        assert!(review.contains(shown), "{script}: {review}");
        let json = world.run(&["review", "--json"]).done().stdout;
        assert!(
            script.contains("GIT_") || json.contains("undisplayed\":[{") || left.contains("header"),
            "{script}: {json}"
        );
        let all = world.run(&["approve", "--all"]);
        let is_left = all.stderr.contains("left the commit") && all.stderr.contains(left);
        assert_eq!(is_left, !left.is_empty(), "{script}: {}", all.stderr);
        assert_eq!(all.code, Some(if is_left { 3 } else { 0 }), "{script}");
    }
}

/// A commit that is amended has all files of the commit before, and shows no more than what it changes.
#[test]
fn an_amended_commit_is_held_for_what_it_loses_alone() {
    let Some(world) = prepared(FIRST) else { return };
    let script = format!("{IDENTITY}echo x >> a.txt; git commit -qa --amend -m better");
    world.run(&["run", "--", "sh", "-c", &script]).done();
    let waiting: Vec<Value> = world.review().into_iter().filter(is_commit).collect();
    let held = waiting[0]["held"].as_str().unwrap();
    assert!(
        held.contains("loses 1 commit") && !held.contains("otherwise"),
        "{held}"
    );
}

/// Of a row of commits each is made anew of what is approved: what is denied is in none, and a commit of which nothing is left
/// is left out.
#[test]
fn a_row_of_commits_of_which_a_part_was_denied_is_made_of_the_rest() {
    let one = "echo x >> a.txt; echo y >> b.txt; git commit -qam one --author='B <b@c>'";
    let row = format!(
        "{one}; echo z >> b.txt; git commit -qam two; echo w >> sub/c.txt; git commit -qam three"
    );
    for (denied, expected) in [
        (&["b.txt"][..], "B one: a.txt\nA three: sub/c.txt\n"),
        (
            &["a.txt"],
            "B one: b.txt\nA two: b.txt\nA three: sub/c.txt\n",
        ),
        (&["a.txt", "b.txt", "sub/c.txt"], ""),
    ] {
        let Some(world) = prepared(FIRST) else { return };
        let before = seen(&world);
        sh(&world, &format!("{IDENTITY}{row}")).done();
        for own in world.review().iter().filter(|own| !is_commit(own)) {
            let is_denied = denied.contains(&own["path"].as_str().unwrap());
            let verdict = if is_denied { "deny" } else { "approve" };
            world.run(&[verdict, own["id"].as_str().unwrap()]).done();
        }
        let id = world.review()[0]["id"].clone();
        let ended = world.run(&["approve", id.as_str().unwrap()]).done();
        let script = "for c in $(git rev-list --reverse HEAD~0 --not $(git rev-list --max-parents=0 HEAD)); do \
                      git log -1 --format='%an %s: ' $c | tr -d '\\n'; git show --format= --name-only $c | paste -sd, ; done; \
                      git status --porcelain; git fsck --no-dangling --no-progress 2>&1 | grep -v -e '^missing tree 4b825' -e '^missing tree 6ef19b' || true";
        assert_eq!(plainly(&world, script), expected, "{denied:?}: {ended:?}");
        if expected.is_empty() {
            assert_eq!(seen(&world), before);
        }
        take_all_back(&world);
        assert_eq!(seen(&world), before, "{denied:?}");
    }
}

/// Hooks run in the shadow on what is committed: one that fails commits nothing, and what they write stays there.
#[test]
fn hooks_run_confined_when_what_was_signed_off_is_committed() {
    let hook = |name: &str, script: &str| {
        format!(
            "mkdir -p .git/hooks; printf '%s\\n' '#!/bin/sh' '{script}' > .git/hooks/{name}; chmod +x .git/hooks/{name}; "
        )
    };
    for (hooks, told, message) in [
        (
            hook(
                "pre-commit",
                "echo seen; touch left-behind; git diff --cached --name-only >&2; git grep -q bad && exit 1; true",
            ) + &hook("commit-msg", "echo checked >> \"$1\"")
                + &hook("post-commit", "touch also-left"),
            "",
            "mine\nchecked",
        ),
        (
            hook("pre-commit", "echo no way >&2; exit 3"),
            "no way",
            "first",
        ),
        (
            hook("pre-commit", "echo more >> a.txt; git add a.txt"),
            "a hook changed what is committed",
            "first",
        ),
    ] {
        let Some(world) = prepared(&format!("{FIRST}{hooks}")) else {
            return;
        };
        sh(&world, "echo x >> a.txt").done();
        world.run(&["approve", "--all"]).done();
        let committed = world.run(&["commit", "-m", "mine"]);
        let said = format!("{}{}", committed.stdout, committed.stderr);
        assert_eq!(committed.code == Some(0), told.is_empty(), "{said}");
        assert!(
            said.contains(told) && !said.contains("did not run"),
            "{said}"
        );
        assert_eq!(plainly(&world, "git log -1 --format=%B").trim(), message);
        let left = plainly(&world, "ls; git status --porcelain");
        assert!(!left.contains("left"), "{left}");
    }
}

/// What git would store otherwise is refused by name.
#[test]
fn files_are_committed_with_the_line_ends_that_git_stores() {
    let checked_out = "git config core.autocrlf true; rm a.txt b.txt; git checkout -q .; ";
    for (setup, script, is_made) in [
        (
            "git config core.autocrlf input; ",
            "printf 'a\\r\\n' > new.txt",
            true,
        ),
        (
            "echo '*.txt text=auto' > .gitattributes; git add .; git commit -qm attributes; ",
            "printf 'a\\r\\n' > new.txt",
            true,
        ),
        (checked_out, "printf 'x\\r\\n' >> a.txt", true),
        (checked_out, "printf 'x\\r\\na\\r\\n' > a.txt", true),
        // Git converts them as well, but for one that is no text to it.
        (
            "echo '*.txt text' > .gitattributes; git add .; git commit -qm attributes; ",
            "printf 'a\\rb\\r\\n' > new.txt",
            false,
        ),
        (
            "git config core.autocrlf input; ",
            "printf 'a\\n' > new.txt",
            true,
        ),
        ("", "printf 'a\\r\\n' > new.txt", true),
    ] {
        let Some(world) = prepared(&format!("{FIRST}{setup}")) else {
            return;
        };
        sh(&world, script).done();
        world.run(&["approve", "--all"]).done();
        let committed = world.run(&["commit", "-m", "mine"]);
        let said = format!("{}{}", committed.stdout, committed.stderr);
        assert_eq!(
            committed.code == Some(0),
            is_made,
            "{setup}{script}: {said}"
        );
        if is_made {
            assert_eq!(plainly(&world, "git status --porcelain"), "");
        } else {
            assert!(said.contains("line ends"), "{said}");
        }
    }
}

/// A program has no key: commits are made anew and signed, each of them.
#[test]
fn commits_are_signed_as_the_user_has_it_or_that_is_said() {
    let commit = "echo x >> a.txt; git commit -qam mine; ";
    for (commits, tag, is_signed) in [(1, "", true), (2, "", true), (2, "git tag -m x v1", false)] {
        let Some(world) = prepared(FIRST) else { return };
        let gpg = world.beside("home/gpg");
        let script =
            "#!/bin/sh\ncat > /dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho SIGNATURE\n";
        std::fs::write(&gpg, script).unwrap();
        plainly(&world, &format!("chmod +x {}", gpg.display()));
        let settings = world.beside("home/.gitconfig");
        let signing = format!(
            "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {}\n",
            gpg.display()
        );
        let before = std::fs::read_to_string(&settings).unwrap();
        std::fs::write(&settings, before + &signing).unwrap();
        sh(
            &world,
            &format!("{IDENTITY}{}{tag}", commit.repeat(commits)),
        )
        .done();
        for own in world.review().iter().filter(|own| !is_commit(own)) {
            world.run(&["approve", own["id"].as_str().unwrap()]).done();
        }
        let id = world.review()[0]["id"].clone();
        let made = world.run(&["approve", id.as_str().unwrap()]).done();
        assert_eq!(made.stdout.contains("not signed"), !is_signed, "{made:?}");
        let script = "for c in $(git rev-list HEAD); do git cat-file commit $c; done";
        let all = plainly(&world, script);
        let signed = if is_signed { commits } else { 0 };
        assert_eq!(all.matches("SIGNATURE").count(), signed, "{all}");
        assert_eq!(plainly(&world, "git status --porcelain"), "");
    }
}

/// A commit is signed with the user's ssh key, which no program finds.
#[test]
fn commits_are_signed_with_an_ssh_key_of_the_users() {
    let Some(world) = prepared(FIRST) else { return };
    let key = world.beside("home/key");
    let mut keygen = Command::new("ssh-keygen");
    keygen.args(["-q", "-t", "ed25519", "-N", "", "-C", "a@b", "-f"]);
    let made = keygen.arg(&key).output();
    if !made.as_ref().is_ok_and(|made| made.status.success()) {
        return untried(
            "ssh signatures",
            &format!("ssh-keygen makes no key: {made:?}"),
        );
    }
    let settings = world.beside("home/.gitconfig");
    let signing = format!(
        "[commit]\n\tgpgSign = true\n[gpg]\n\tformat = ssh\n[user]\n\tsigningKey = {}\n",
        key.display()
    );
    let before = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, before + &signing).unwrap();
    sh(
        &world,
        &format!("{IDENTITY}echo x >> a.txt; git commit -qam mine"),
    )
    .done();
    approve_all(&world);
    let commit = plainly(&world, "git cat-file commit HEAD; git status --porcelain");
    assert!(commit.contains("BEGIN SSH SIGNATURE"), "{commit}");
    assert!(commit.ends_with("mine\n"), "{commit}");
}

/// What cannot be read, or lies behind a link, is neither committed nor taken for a file that is gone.
#[test]
fn a_commit_waits_while_a_file_of_it_cannot_be_read() {
    for (meanwhile, told) in [
        ("rm sub/c.txt; mkfifo sub/c.txt", "is not a regular file"),
        (
            "mv sub ../elsewhere; echo SECRET > ../elsewhere/c.txt; ln -s ../elsewhere sub",
            "a folder around it is a link",
        ),
    ] {
        let Some(world) = prepared(FIRST) else { return };
        let script = "echo x >> a.txt; echo y >> sub/c.txt; git commit -qam mine";
        sh(&world, &format!("{IDENTITY}{script}")).done();
        for own in world.review().iter().filter(|own| !is_commit(own)) {
            let verdict = if own["path"] == "a.txt" {
                "approve"
            } else {
                "deny"
            };
            world.run(&[verdict, own["id"].as_str().unwrap()]).done();
        }
        plainly(&world, meanwhile);
        let before = plainly(&world, "git rev-parse HEAD");
        let id = world.review()[0]["id"].clone();
        world
            .run(&["approve", id.as_str().unwrap()])
            .ends(3)
            .says(told);
        assert_eq!(plainly(&world, "git rev-parse HEAD"), before, "{meanwhile}");
        assert_eq!(world.review().len(), 1, "{meanwhile}");
    }
}

#[test]
fn a_commit_of_a_program_has_a_receipt_where_notes_are_wanted() {
    let Some(world) = prepared(FIRST) else { return };
    world.configure("[commit]\nnotes = true\n");
    sh(
        &world,
        &format!("{IDENTITY}echo x >> a.txt; git commit -qam mine"),
    );
    approve_all(&world);
    let verified = world.run(&["verify", "HEAD^!"]).done();
    let verified = verified
        .says("signed off by A <a@b>")
        .says("signed    a.txt  +1 -0");
    let stdout = verified.stdout;
    assert!(!stdout.contains("by the history"), "{stdout}");
}

/// What signoff has signed no program makes: neither notes of its own nor commits that read like them.
#[test]
fn a_program_makes_no_receipt_and_no_verdict() {
    for message in [
        "signoff receipt\n\n{}",
        "signoff verdicts\n\n{}",
        "x\n\nSignoff-Offer: {}",
    ] {
        let Some(world) = prepared(FIRST) else { return };
        let script = format!("git branch topic; git commit -q --allow-empty -m '{message}'");
        sh(&world, &format!("{IDENTITY}{script}")).done();
        let before = plainly(&world, "git rev-parse HEAD");
        let id = world.review()[0]["id"].as_str().unwrap().to_owned();
        world
            .run(&["approve", "--all"])
            .ends(3)
            .says("of signoff, which no program makes");
        world
            .run(&["approve", &id])
            .ends(3)
            .says("of signoff, which no program makes");
        assert_eq!(plainly(&world, "git rev-parse HEAD"), before);
        world.run(&["deny", &id]).done();
    }
    let Some(world) = prepared(FIRST) else { return };
    let refs = "for r in notes/signoff notes/signoff-verdicts/x notes/ai signoff/offers/y; do \
                git update-ref refs/$r HEAD; done; git update-ref refs/notes/mine HEAD";
    let ran = sh(&world, &format!("{IDENTITY}{refs}")).done();
    assert!(ran.stderr.contains("refs/notes/signoff"), "{ran:?}");
    world.run(&["approve", "--all"]).done();
    let made = plainly(&world, "git for-each-ref --format='%(refname)'");
    assert_eq!(made, "refs/heads/main\nrefs/notes/mine\n");
}

/// A text that no hunk shows cannot have a second signature.
#[test]
fn a_commit_has_no_text_of_a_path_that_wants_a_second_signature() {
    let commit = "echo evil > sub/c.txt; git commit -qam evil; ";
    for (script, is_refused) in [
        ("git checkout -q HEAD~1 -- sub/c.txt; git reset -q", true),
        ("git branch topic; git reset -q --hard HEAD~1", true),
        ("git tag v1; git reset -q --hard HEAD~1", true),
        ("echo c > sub/c.txt; git commit -qam good", true),
        ("", false),
    ] {
        let Some(world) = prepared(FIRST) else { return };
        world.configure("[second_signature]\npaths = [\"sub/**\"]\n");
        let commit = if is_refused {
            commit
        } else {
            "echo x >> a.txt; git commit -qam a"
        };
        sh(&world, &format!("{IDENTITY}{commit}{script}")).done();
        let refs = "git for-each-ref --format='%(refname) %(objectname)'";
        let before = plainly(&world, refs);
        for own in world.review().iter().filter(|own| !is_commit(own)) {
            world.run(&["approve", own["id"].as_str().unwrap()]);
        }
        let commits = world.review();
        let mut commits = commits.iter().filter(|own| is_commit(own));
        let id = commits.next().unwrap()["id"].as_str().unwrap().to_owned();
        let approved = world.run(&["approve", &id]);
        if is_refused {
            approved
                .ends(3)
                .says("sub/c.txt: sub/** wants a second signature: `signoff offer`");
            assert_eq!(plainly(&world, refs), before, "{script}");
        } else {
            approved.done();
        }
    }
}
