//! Scripts of git, each in many states of a repository: signed off, what a script did in the shadow is what it does outside;
//! or git refuses it there, or signoff says at its end what the repository does not get.
//!
//! A part of them is tried; with `GIT_SCRIPTS=all` in the environment, every script in every state, and with another text those
//! whose names or states have it.

use std::collections::VecDeque;
use std::panic::catch_unwind;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use crate::commits::{
    IDENTITY, PATH, approve_all, is_commit, is_known, prepared, seen, take_all_back, work_tree,
};
use crate::run::sh;
use crate::world::World;

const SCRIPTS: &str = include_str!("git_scripts.txt");

/// Of so many pairs of a script and a state one is tried.
const PART: usize = 61;

/// Branches, tags and a merge. `topic` and `side` merge with `main`, `clash` does not.
const HISTORY: &str = "
printf '*.o\\n' > .gitignore; git add .; git commit -qm first
echo 2 >> b.txt; git commit -qam second; git tag old; git branch old-branch
git checkout -q -b topic; echo t > t.txt; git add t.txt; git commit -qm topic1
echo t2 >> t.txt; git commit -qam topic2; echo u > u.txt; git add u.txt; git commit -qm topic3
git checkout -q -b clash main; echo clash > a.txt; git commit -qam clash
git checkout -q -b merged old; echo m > m.txt; git add m.txt; git commit -qm m; git merge -q --no-ff -m mm topic~2
git checkout -q main; echo m1 > a.txt; git commit -qam main1
git checkout -q -b side; echo s > s.txt; git add s.txt; git commit -qm side; git checkout -q main
";

/// The folder becomes a linked work tree, of a repository that has another branch checked out.
const LINKED: &str = "mkdir ../main; mv .git ../main; git -C ../main update-ref refs/heads/elsewhere main
git -C ../main symbolic-ref HEAD refs/heads/elsewhere; git -C ../main worktree add -q --no-checkout ../tree main
mv ../tree/.git .; cp ../main/.git/index ../main/.git/worktrees/tree; git worktree repair > ../said; rm ../said";
/// The same, of a repository without another work tree, with settings of its own.
const LINKED_BARE: &str = "mv .git ../main; git -C ../main config core.bare true; git -C ../main worktree add -q --no-checkout ../tree main
mv ../tree/.git .; cp ../main/index ../main/worktrees/tree; git worktree repair > ../said; rm ../said
git config extensions.worktreeConfig true; git -C ../main config --unset core.bare; git -C ../main config --worktree core.bare true
git config --worktree user.name B";
/// Most of the files are there, some by another repository.
const SUBMODULE: &str =
    "git init -q -b main ../outer; git -C ../outer commit -q --allow-empty -m outer
git -c protocol.file.allow=always submodule --quiet add ../outer outer; git commit -qm submodule";

/// How a repository is made, and what the user did last.
const STATES: [(&str, &str); 12] = [
    ("-q -b main", ""),
    ("-q -b main --object-format=sha256", ""),
    ("-q -b main --ref-format=reftable", ""),
    ("-q -b main", "git checkout -q --detach"),
    (
        "-q -b main",
        "echo s > staged.txt; git add staged.txt; echo u >> sub/c.txt; echo n > untracked.txt",
    ),
    ("-q -b main", "git gc -q"),
    ("-q -b main", LINKED),
    ("-q -b main --object-format=sha256", LINKED),
    ("-q -b main --ref-format=reftable", LINKED),
    ("-q -b main", LINKED_BARE),
    ("-q -b main", SUBMODULE),
    (
        "-q -b main",
        "git sparse-checkout set --no-cone '/*' '!sub/'",
    ),
];

/// Script, part of a state, and the message: in that state signoff reports that it does not take the result over. Outside, git
/// changes the `HEAD` of the bare repository, or stages another commit of a submodule.
const TOLD_IN: [(&str, &str, &str); 2] = [
    ("branch rename current", "core.bare true", "main/HEAD"),
    ("apply index", "submodule", "outer is a submodule"),
];

/// What comes of a script in the shadow.
#[derive(Clone, Copy, Debug)]
enum Expected<'s> {
    /// What comes of it outside.
    Same,
    /// Git fails with this text, and nothing changes; or it refuses it, as outside.
    Refused(&'s str),
    /// The user is told this text, and the repository does not get it; or git refuses it, as outside.
    Told(&'s str),
}

#[derive(Clone, Debug)]
struct Script<'s> {
    name: &'s str,
    user: &'s str,
    expected: Expected<'s>,
    text: String,
}

fn scripts() -> Vec<Script<'static>> {
    let mut scripts: Vec<Script<'_>> = Vec::new();
    for line in SCRIPTS.lines().filter(|line| !line.starts_with("# ")) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, scripts.last_mut()) {
            ("==", _) => scripts.push(Script {
                name: rest,
                user: "",
                expected: Expected::Same,
                text: String::new(),
            }),
            ("user", Some(script)) => script.user = rest,
            ("refused", Some(script)) => script.expected = Expected::Refused(rest),
            ("told", Some(script)) => script.expected = Expected::Told(rest),
            (_, Some(script)) => script.text.extend([line, "\n"]),
            (_, None) => panic!("{line}"),
        }
    }
    scripts
}

#[test]
fn scripts_of_git_do_in_the_shadow_what_they_do_outside_or_are_refused() {
    let wanted = std::env::var("GIT_SCRIPTS").ok();
    let is_wanted = |named: &str, number: usize| match wanted.as_deref() {
        Some("all") => true,
        Some(text) if !text.is_empty() => named.contains(text),
        Some(_) | None => number.is_multiple_of(PART),
    };
    let scripts = scripts();
    let pairs = scripts
        .iter()
        .flat_map(|script| STATES.map(|state| (script, state)));
    let part = pairs.enumerate().filter(|(number, (script, state))| {
        is_wanted(&format!("{} after {state:?}", script.name), *number)
    });
    let left: Mutex<VecDeque<_>> = Mutex::new(part.map(|(_, pair)| pair).collect());
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().unwrap().get() {
            scope.spawn(|| {
                let next = || left.lock().unwrap().pop_front();
                while let Some((script, state)) = next() {
                    // One that panics takes no other with it.
                    let ran = catch_unwind(|| as_expected(script, state));
                    let ran = ran.unwrap_or_else(|_panicked| Err("it panicked".to_owned()));
                    if let Err(why) = ran {
                        let why = format!("{} after {state:?}: {why}", script.name);
                        failed.lock().unwrap().push(why);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// Runs a script in the shadow and outside. Returns what is otherwise than expected.
fn as_expected(script: &Script<'_>, (init, last): (&str, &str)) -> Result<(), String> {
    if init != STATES[0].0 && !is_known(init) {
        return Ok(());
    }
    let setup = format!("git init {init}{HISTORY}{last}\n{}", script.user);
    let (Some(world), Some(outside)) = (prepared(&setup), prepared(&setup)) else {
        return Ok(());
    };
    let now = |world: &World| (seen(world), work_tree(world));
    let before = now(&world);
    let text = format!("{IDENTITY}{}", script.text);
    let ran = sh(&world, &text);
    if now(&world) != before {
        return Err(format!("the repository changed: {ran:?}"));
    }
    let told_here = TOLD_IN.iter().find(|(name, state, _)| {
        *name == script.name && (init.contains(state) || last.contains(state))
    });
    match script.expected {
        Expected::Refused(why) if ran.stderr.contains(why) => {
            if ran.code == Some(0) || world.review().iter().any(is_commit) {
                return Err(format!("it is not refused: {ran:?}"));
            }
            return Ok(());
        }
        Expected::Told(what) if ran.stderr.contains(what) => return Ok(()),
        Expected::Same if told_here.is_some_and(|(.., what)| ran.stderr.contains(what)) => {
            return Ok(());
        }
        // Git may refuse it in this state, outside as well.
        Expected::Refused(_) | Expected::Told(_) if !ran.stderr.contains("no file changed") => {
            return Err(format!("not told: {ran:?}"));
        }
        Expected::Refused(_) | Expected::Told(_) | Expected::Same => {}
    }
    let mut command = Command::new("sh");
    command.args(["-c", &text]).current_dir(outside.root());
    command.env_clear().env("PATH", PATH);
    let plain = command.env("HOME", outside.beside("home")).output();
    let plain = plain.unwrap();
    if ran.code != plain.status.code() {
        return Err(format!("{ran:?}, and outside {plain:?}"));
    }
    approve_all(&world);
    let (found, expected) = (now(&world), now(&outside));
    if found != expected || !world.review().is_empty() {
        return Err(format!("{found:#?}\nand not\n{expected:#?}\nafter {ran:?}"));
    }
    take_all_back(&world);
    let found = now(&world);
    if found != before {
        return Err(format!("taken back {found:#?}\nand not\n{before:#?}"));
    }
    Ok(())
}
