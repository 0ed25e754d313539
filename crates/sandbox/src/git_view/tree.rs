//! Looks at what git reads in a work tree beside the files that it compares.
//!
//! In: the top of a work tree and a folder of it. Out: that ignore files, attributes, and what git reads of
//! repositories further in, as submodules, are regular files of bounded size; or which is not. Git
//! would wait for a pipe, and read a device without end.

use std::fs;
use std::path::{Path, PathBuf};

use super::plain::refused;
use super::repository::MAX_POINTER;
use crate::regular;

/// Files of rules, which git reads in every folder that it looks at.
const RULES: [&str; 4] = [".gitignore", ".gitattributes", ".gitmodules", ".mailmap"];
/// What git reads of a repository further in to learn which commit it is at.
const OF_REPOSITORY: [&str; 8] = [
    "HEAD",
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "packed-refs",
    "shallow",
    "objects/info/alternates",
];
/// Files of rules are no larger, in bytes.
const MAX_RULES: u64 = 1024 * 1024;
/// Files of a repository further in are no larger, in bytes.
const MAX_OF_REPOSITORY: u64 = 128 * 1024 * 1024;
/// Names that are looked at. Beyond, the limit on git's time ends what hangs.
const MOST_NAMES: usize = 500_000;

/// Looks at a folder with all below it, and at the rules in those above it up to the top.
pub(crate) fn check(top: &Path, root: &Path) -> Result<(), String> {
    let above = root.ancestors().skip(1);
    for folder in above.take_while(|above| above.starts_with(top)) {
        for name in RULES {
            bounded(&folder.join(name), MAX_RULES)?;
        }
    }
    let mut names = MOST_NAMES;
    walk(root, &mut names, &mut |path, name| {
        if RULES.iter().any(|rules| name == *rules) {
            return bounded(path, MAX_RULES).map(|()| Enter::No);
        }
        if name != ".git" {
            return Ok(Enter::Folders);
        }
        if path.parent() != Some(top) {
            further_in(path)?;
        }
        Ok(Enter::No)
    })
}

/// Whether a walk goes into what it found.
enum Enter {
    Folders,
    No,
}

/// Goes through a folder without following links, as long as there are names to be looked at.
fn walk(
    folder: &Path,
    names: &mut usize,
    each: &mut dyn FnMut(&Path, &std::ffi::OsStr) -> Result<Enter, String>,
) -> Result<(), String> {
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        // What cannot be listed is not read by git either.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if *names == 0 {
                return Ok(());
            }
            *names -= 1;
            let path = entry.path();
            let enter = each(&path, &entry.file_name())?;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && matches!(enter, Enter::Folders) {
                waiting.push(path);
            }
        }
    }
    Ok(())
}

/// Looks at the `.git` of a folder further in: a folder, or a file that names one.
fn further_in(git: &Path) -> Result<(), String> {
    let Ok(found) = fs::metadata(git) else {
        return Ok(());
    };
    let own = if found.is_dir() {
        git.to_owned()
    } else {
        let Some(own) = pointed(git, "gitdir:") else {
            return Ok(());
        };
        own
    };
    repository(&own)?;
    pointed(&own.join("commondir"), "").map_or(Ok(()), |common| repository(&common))
}

fn repository(folder: &Path) -> Result<(), String> {
    for name in OF_REPOSITORY {
        bounded(&folder.join(name), MAX_OF_REPOSITORY)?;
    }
    for name in ["refs", "reftable"] {
        let mut names = MOST_NAMES;
        walk(&folder.join(name), &mut names, &mut |path, _name| {
            bounded(path, MAX_OF_REPOSITORY).map(|()| Enter::Folders)
        })?;
    }
    Ok(())
}

/// Returns the path that a file names after a word, relative to its folder.
fn pointed(file: &Path, word: &str) -> Option<PathBuf> {
    let text = regular::text(file, MAX_POINTER).ok()?;
    let path = text.trim().strip_prefix(word)?.trim();
    Some(file.parent()?.join(path))
}

/// Refuses what is neither a folder nor a regular file of at most `most` bytes. Links are followed, as some
/// versions of git do.
fn bounded(path: &Path, most: u64) -> Result<(), String> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(found) if !found.is_file() => Err(refused(path, "is not a regular file")),
        Ok(found) if found.len() > most => {
            Err(refused(path, &format!("has more than {most} bytes")))
        }
        Ok(_) => Ok(()),
        // What is not there, or may not be read, is not read by git.
        Err(_) => Ok(()),
    }
}
