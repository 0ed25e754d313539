//! Looks at the files of a repository before git does.
//!
//! In: paths below a folder of git's. Out: that they are regular files of bounded size and folders, reached
//! through no link; or which one is not.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

/// Files below a folder that are looked at: a repository that was never packed has some 100,000.
const MOST_FILES: usize = 1_000_000;

/// Names a file that git is not let near, and why.
pub(crate) fn refused(path: &Path, why: &str) -> String {
    format!("{path:?} {why}, so git is not run on this repository")
}

/// Looks at a name without following it; none if nothing is there.
pub(crate) fn kind(path: &Path) -> Result<Option<Metadata>, String> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Err(refused(path, "is a link")),
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(refused(path, &format!("cannot be read ({error})"))),
    }
}

/// Returns whether a path is a regular file, with no more than `most` bytes.
pub(crate) fn file(path: &Path, most: u64) -> Result<bool, String> {
    match kind(path)? {
        None => Ok(false),
        Some(found) if !found.is_file() => Err(refused(path, "is not a regular file")),
        Some(found) if found.len() > most => {
            Err(refused(path, &format!("has more than {most} bytes")))
        }
        Some(_) => Ok(true),
    }
}

/// Returns whether a path is a folder.
pub(crate) fn folder(path: &Path) -> Result<bool, String> {
    match kind(path)? {
        None => Ok(false),
        Some(found) if found.is_dir() => Ok(true),
        Some(_) => Err(refused(path, "is not a folder")),
    }
}

/// Returns whether a path is a folder with nothing in it but folders and regular files of at most
/// `most` bytes.
pub(crate) fn folders(top: &Path, most: u64) -> Result<bool, String> {
    if !folder(top)? {
        return Ok(false);
    }
    let mut waiting = vec![top.to_owned()];
    let mut seen = 0_usize;
    while let Some(folder) = waiting.pop() {
        for path in entries(&folder, &mut seen)? {
            match kind(&path)? {
                Some(found) if found.is_dir() => waiting.push(path),
                _ => drop(file(&path, most)?),
            }
        }
    }
    Ok(true)
}

/// Returns whether a path is a folder with regular files in it and nothing else.
pub(crate) fn flat(path: &Path, seen: &mut usize) -> Result<bool, String> {
    if !folder(path)? {
        return Ok(false);
    }
    count(path, seen, |entry| {
        // The kind comes with the name, so that nothing else is asked about each of many files.
        match entry.file_type() {
            Ok(kind) if kind.is_file() => Ok(()),
            Ok(kind) if kind.is_symlink() => Err(refused(&entry.path(), "is a link")),
            _ => Err(refused(&entry.path(), "is not a regular file")),
        }
    })?;
    Ok(true)
}

/// Returns what a folder holds.
pub(crate) fn entries(folder: &Path, seen: &mut usize) -> Result<Vec<std::path::PathBuf>, String> {
    let mut paths = Vec::new();
    count(folder, seen, |entry| {
        paths.push(entry.path());
        Ok(())
    })?;
    Ok(paths)
}

fn count(
    folder: &Path,
    seen: &mut usize,
    mut each: impl FnMut(&fs::DirEntry) -> Result<(), String>,
) -> Result<(), String> {
    let unread = |error: io::Error| refused(folder, &format!("cannot be read ({error})"));
    for entry in fs::read_dir(folder).map_err(unread)? {
        *seen += 1;
        if *seen > MOST_FILES {
            return Err(refused(folder, "holds too many files"));
        }
        each(&entry.map_err(unread)?)?;
    }
    Ok(())
}
