//! Undo of changes to files that were moved or removed without signoff.
//!
//! In: git directories. Out: how many changes were taken back where the file went by git, refused by name, or taken back elsewhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use signoff_core::engine::{Engine, WalkedFile};
use signoff_core::stage::review::{EntryStatus, RevertTarget, RevertTo};
use tempfile::TempDir;

use super::repository::{Departure, Repository};
use super::{ambient, exchanged, merged, sign_off, write};

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// Followed where git says that it went, and taken back with git's bytes.
    Moved,
    /// The same, and git has a conflict: the lines of the change, and no others, are exchanged.
    MovedBeyondGit,
    /// The same, with other bytes.
    MovedDiffers,
    /// Followed where git says that it went, and refused by name.
    MovedRefused,
    /// The same: git has a conflict as well, or nothing of the change is there.
    MovedRefusedByBoth,
    /// Git says that it was moved, signoff that it is gone or that several could be it.
    NotFollowed,
    /// Followed to another file than by git, to which it is gone or elsewhere, and refused.
    ElsewhereRefused,
    /// The same, and that file has the change: it is taken back there, and nothing else.
    ElsewhereMoved,
    /// The same, with other bytes.
    Elsewhere,
    /// Git says that it is gone, and so does signoff.
    Gone,
}

pub(crate) fn replay(folders: &[PathBuf], (seed, share): (u64, usize), show: Option<&str>) {
    let mut all: BTreeMap<Fate, usize> = BTreeMap::new();
    for folder in folders {
        let mut counts: BTreeMap<Fate, usize> = BTreeMap::new();
        for departure in Repository::read(folder).departures(seed, share) {
            let (fate, said) = judge(&departure);
            *counts.entry(fate).or_default() += 1;
            *all.entry(fate).or_default() += 1;
            if show == Some(&format!("{fate:?}")) {
                println!("{fate:?} {}: {said}", departure.case);
            }
        }
        println!("{}: {counts:?}", folder.display());
    }
    println!("all: {all:?}");
}

/// Plays a case. Returns what became of it, and what was said.
fn judge(departure: &Departure) -> (Fate, String) {
    let mut case = departure.case.clone();
    let world = TempDir::new().unwrap();
    let root = world.path().join("work");
    fs::create_dir(&root).unwrap();
    write(&root.join(&case.path), &case.before);
    let store = world.path().join("state.db");
    let mut engine = Engine::open(&root, &store, ambient()).unwrap();
    sign_off(&mut engine, &case);
    drop(engine);
    fs::remove_dir_all(&root).unwrap();
    fs::create_dir(&root).unwrap();
    unpack(&root, &departure.archive);
    let mut engine = Engine::open(&root, &store, ambient()).unwrap();
    let walked = root.clone();
    engine.set_file_walk(Box::new(move || walk(&walked)));
    let target = RevertTarget::file(&case.path, RevertTo::Only(1));
    let history = engine.history(None).unwrap();
    let moved = history
        .iter()
        .find(|entry| entry.status == EntryStatus::Moved);
    let followed = moved.map(|entry| entry.path.clone());
    if let Some(to) = &followed {
        case.later = fs::read(root.join(to)).unwrap();
    }
    let (is_written, said) = match engine.take_back(&target) {
        Ok(outcome) => {
            let why = outcome.conflict().unwrap_or(&outcome.nothing).to_owned();
            (outcome.written, why)
        }
        Err(error) => (false, error.to_string()),
    };
    let said = format!("{said} {followed:?}");
    let by_git = merged(world.path(), &case);
    let is_same = |to: &str| {
        let found = fs::read(root.join(to)).unwrap();
        match &by_git {
            Some(by_git) => *by_git == found,
            None => exchanged(&case.after, &case.before) == exchanged(&case.later, &found),
        }
    };
    let fate = match followed {
        None if departure.is_moved => Fate::NotFollowed,
        None => Fate::Gone,
        Some(to) if to == case.later_path && departure.is_moved => match (&by_git, is_written) {
            (Some(_), true) if is_same(&to) => Fate::Moved,
            (Some(_), true) => Fate::MovedDiffers,
            (None, true) if is_same(&to) => Fate::MovedBeyondGit,
            (None, true) => Fate::MovedDiffers,
            (Some(by_git), false) if *by_git != case.later => Fate::MovedRefused,
            (_, false) => Fate::MovedRefusedByBoth,
        },
        Some(_) if !is_written => Fate::ElsewhereRefused,
        Some(to) if is_same(&to) => Fate::ElsewhereMoved,
        Some(_) => Fate::Elsewhere,
    };
    (fate, said)
}

fn unpack(root: &Path, archive: &[u8]) {
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg("-").current_dir(root);
    let mut child = tar
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), archive).unwrap();
    child.wait().unwrap();
}

fn walk(root: &Path) -> Vec<WalkedFile> {
    let mut walked = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            let path = entry.path();
            if metadata.is_dir() {
                folders.push(path);
            } else if metadata.is_file()
                && let Some(path) = path.strip_prefix(root).unwrap().to_str()
            {
                walked.push(WalkedFile {
                    path: path.to_owned(),
                    size: metadata.len(),
                });
            }
        }
    }
    walked
}
