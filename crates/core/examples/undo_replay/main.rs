//! Undo over the history of real repositories: a change of a commit is signed off, later commits move on, and the change is taken
//! back.
//!
//! In: git directories, how many cases. Out: how many were taken back, refused by name, or wrong, and the cases that are asked
//! for. What is right is what git makes of it: `git merge-file`, from the file after the commit to the file before it, applied to
//! the later file, as `git revert` does.
//!
//! ```text
//! commit 40   a.rs: one hunk         written to a workspace, and approved
//! commit 57   a.rs, four commits on  put in its place, as a pull or a rebase does
//! undo        the hunk is gone, all else is as in commit 57
//! ```
//!
//! With `--moves` the cases are files that a commit moved or removed, and all files of a later commit are put in the place of the
//! workspace: where git says that it was moved, the change is to be taken back there, and one to a file that is gone nowhere.
//!
//! `cargo run --release -p signoff-core --example undo_replay -- [--moves] [--cases N] [--seed N] [--show CLASS] GIT_DIR...`

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program to run by hand, which asks git and may stop at what it did not expect"
)]

mod departures;
mod repository;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use signoff_core::edit::diff::lines::difference;
use signoff_core::engine::{
    Decision, Engine, ProgramBase, ProgramContent, ProgramFile, ProgramRun,
};
use signoff_core::id::{Ambient, Timestamp};
use signoff_core::stage::proposal::Origin;
use signoff_core::stage::review::{RevertTarget, RevertTo, Ruling, Verdict};
use signoff_core::text::Source;
use tempfile::TempDir;
use uuid::Uuid;

use repository::{Case, Repository};

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Git takes the change back, and so does signoff, with the same bytes.
    Same,
    /// Git takes it back, and signoff says why it does not.
    Refused,
    /// Both take it back, to different bytes.
    Differs,
    /// The later file has nothing of the change: both leave it.
    Gone,
    /// The later file has nothing of the change by git, and signoff changed it.
    GoneChanged,
    /// Git has a conflict, and signoff says why it does not.
    BothRefused,
    /// The same, though each text that the change wrote is there once.
    BothRefusedThere,
    /// Git has a conflict, and signoff took the change back: the lines of the change, and no others, are exchanged.
    BeyondGit,
    /// The same, with other lines.
    BeyondGitDiffers,
    /// The file is elsewhere by then: taken back where it went, with git's bytes.
    Moved,
    /// The file is elsewhere by then, and signoff says so.
    MovedRefused,
    /// The file is elsewhere by then, and signoff made something else.
    MovedDiffers,
}

fn main() {
    let (mut cases, mut seed, mut show, mut folders) = (1_000, 1, None, Vec::new());
    let mut is_of_moves = false;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--moves" => is_of_moves = true,
            "--cases" => cases = words.next().unwrap().parse().unwrap(),
            "--seed" => seed = words.next().unwrap().parse().unwrap(),
            "--show" => show = words.next(),
            folder => folders.push(PathBuf::from(folder)),
        }
    }
    let share = cases / folders.len().max(1);
    if is_of_moves {
        return departures::replay(&folders, (seed, share), show.as_deref());
    }
    let mut all: BTreeMap<Class, usize> = BTreeMap::new();
    for folder in &folders {
        let mut counts: BTreeMap<Class, usize> = BTreeMap::new();
        for case in Repository::read(folder).cases(seed, share) {
            let (class, said) = judge(&case);
            *counts.entry(class).or_default() += 1;
            *all.entry(class).or_default() += 1;
            if show.as_deref() == Some(&format!("{class:?}")) {
                println!("{class:?} {case}: {said}");
            }
        }
        println!("{}: {counts:?}", folder.display());
    }
    let of = |class| all.get(&class).copied().unwrap_or_default();
    let right = of(Class::Same) + of(Class::BeyondGit);
    let wrong = of(Class::Differs) + of(Class::BeyondGitDiffers) + of(Class::GoneChanged);
    let there = right + wrong + of(Class::Refused) + of(Class::BothRefusedThere);
    println!("all: {all:?}");
    println!("where the text is there: {right} of {there} taken back, {wrong} to be looked at");
}

/// Plays a case. Returns what became of it, and what was said.
fn judge(case: &Case) -> (Class, String) {
    let world = TempDir::new().unwrap();
    let root = world.path().join("work");
    fs::create_dir(&root).unwrap();
    write(&root.join(&case.path), &case.before);
    let mut engine = Engine::open(&root, &world.path().join("state.db"), ambient()).unwrap();
    sign_off(&mut engine, case);
    assert_eq!(
        fs::read(root.join(&case.path)).unwrap(),
        case.after,
        "{case}"
    );
    let is_moved = case.later_path != case.path;
    if is_moved {
        fs::remove_file(root.join(&case.path)).unwrap();
    }
    let place = root.join(&case.later_path);
    write(&place, &case.later);
    let outcome = engine.take_back(&RevertTarget::file(&case.path, RevertTo::Only(1)));
    let (is_written, said) = match outcome {
        Ok(outcome) => {
            let why = outcome.conflict().unwrap_or(&outcome.nothing).to_owned();
            (outcome.written, why)
        }
        Err(error) => (false, error.to_string()),
    };
    let found = fs::read(&place).unwrap_or_default();
    let is_elsewhere = is_moved && root.join(&case.path).exists();
    let by_git = merged(world.path(), case);
    let is_same = by_git.as_ref() == Some(&found);
    let class = match (&by_git, is_written) {
        _ if is_moved && is_written && is_same && !is_elsewhere => Class::Moved,
        _ if is_moved && is_written => Class::MovedDiffers,
        _ if is_moved => Class::MovedRefused,
        (Some(merged), false) if *merged == case.later => Class::Gone,
        (Some(merged), true) if *merged == case.later && !is_same => Class::GoneChanged,
        (Some(_), true) if is_same => Class::Same,
        (Some(_), true) => Class::Differs,
        (Some(_), false) => Class::Refused,
        (None, true) if exchanged(&case.after, &case.before) == exchanged(&case.later, &found) => {
            Class::BeyondGit
        }
        (None, true) => Class::BeyondGitDiffers,
        (None, false) if is_there(case) => Class::BothRefusedThere,
        (None, false) => Class::BothRefused,
    };
    if !is_written {
        assert_eq!(
            found, case.later,
            "nothing is written without a word: {case}"
        );
    }
    let said = match (is_written, by_git) {
        (true, Some(merged)) if merged != found => world_diff(world.path(), &merged, &found),
        (true, None) => world_diff(world.path(), &case.later, &found),
        _ => said,
    };
    (class, said)
}

/// Returns how many more of each line one text has than the other.
fn exchanged<'t>(one: &'t [u8], other: &'t [u8]) -> BTreeMap<&'t [u8], i32> {
    let mut counts: BTreeMap<&[u8], i32> = BTreeMap::new();
    for (text, by) in [(one, 1), (other, -1)] {
        for line in text.split(|byte| *byte == b'\n') {
            *counts.entry(line).or_default() += by;
        }
    }
    counts.retain(|_, count| *count != 0);
    counts
}

/// Returns whether each text that the change wrote is in the later file, once.
fn is_there(case: &Case) -> bool {
    let edits = difference(
        &Source::new(case.before.clone()),
        &Source::new(case.after.clone()),
    );
    edits.splices().iter().all(|splice| {
        let new: &[u8] = &splice.new;
        let mut places = case
            .later
            .windows(new.len().max(1))
            .filter(|own| *own == new);
        !new.is_empty() && places.next().is_some() && places.next().is_none()
    })
}

/// Writes the change of the commit, as the user signs it off.
fn sign_off(engine: &mut Engine, case: &Case) {
    let content = |bytes: &[u8]| ProgramContent::File {
        bytes: bytes.to_vec(),
        mode: None,
    };
    let run = ProgramRun {
        finishes: Vec::new(),
        command: "commit".to_owned(),
        files: vec![ProgramFile {
            path: case.path.clone(),
            content: Some(content(&case.after)),
            base: ProgramBase::Current,
            folders_gone: 0,
        }],
        not_collected: Vec::new(),
        held: None,
        origin: Origin::default(),
        changeset: None,
    };
    engine.stage_program(run).unwrap();
    let views = engine.review().unwrap();
    let hunks = views.iter().flat_map(|view| &view.hunks);
    let rulings: Vec<Ruling> = hunks
        .map(|hunk| Ruling::new(hunk, Verdict::Approve))
        .collect();
    let decision = engine.decide(&rulings).unwrap();
    assert!(
        matches!(decision, Decision::Done(_)),
        "{case}: {decision:?}"
    );
}

/// Returns what git makes of the later file with the change taken back; none for a conflict.
fn merged(folder: &Path, case: &Case) -> Option<Vec<u8>> {
    let at = |name: &str| folder.join(name);
    fs::write(at("later"), &case.later).unwrap();
    fs::write(at("after"), &case.after).unwrap();
    fs::write(at("before"), &case.before).unwrap();
    let mut git = Command::new("git");
    git.args(["merge-file", "-p", "-q", "later", "after", "before"]);
    let ran = git.current_dir(folder).output().unwrap();
    (ran.status.code() == Some(0)).then_some(ran.stdout)
}

fn world_diff(folder: &Path, one: &[u8], other: &[u8]) -> String {
    fs::write(folder.join("expected"), one).unwrap();
    fs::write(folder.join("found"), other).unwrap();
    let mut git = Command::new("git");
    git.args(["diff", "--no-index", "--no-color", "expected", "found"]);
    let ran = git.current_dir(folder).output().unwrap();
    format!("\n{}", String::from_utf8_lossy(&ran.stdout))
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn ambient() -> Ambient {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let next = || COUNT.fetch_add(1, Ordering::Relaxed);
    Ambient {
        now: Box::new(move || Timestamp(next() as i64)),
        uuid: Box::new(move || Uuid::from_u64_pair(7, next())),
    }
}
