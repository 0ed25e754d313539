//! Moving a folder: the moves of all files in it.
//!
//! In: a change that moves a folder. Out: a change for each file, or why the folder stays. Folders
//! without a file in them stay where they are.

use crate::disk::workspace::{DirEntryKind, WorkspacePath};
use crate::edit::plan::{Outcome, Part};
use crate::edit::request::{Change, Request};
use crate::engine::EngineError;
use crate::engine::overlay::Overlay;
use crate::text::Slice;

/// Maximum number of files moved with a folder: the user reviews each.
const MOST: usize = 500;

/// The files of a folder that is to be moved.
enum FilesBelow {
    Movable(Vec<WorkspacePath>),
    /// Something in it cannot be moved, for this reason.
    Unmovable(String),
}

/// Replaces each move of a folder by the moves of its files.
pub(super) fn spread(overlay: &Overlay, parts: Vec<Part>) -> Result<Vec<Part>, EngineError> {
    let mut spread = Vec::with_capacity(parts.len());
    for part in parts {
        match folder_moved(overlay, &part.change) {
            Some((from, to)) => spread.extend(each_file(overlay, &part.change, &from, &to)?),
            None => spread.push(part),
        }
    }
    Ok(spread)
}

/// Returns which folder a change moves, and where to, if it moves one.
fn folder_moved(overlay: &Overlay, change: &Change) -> Option<(WorkspacePath, String)> {
    let Request::Move { to } = &change.request else {
        return None;
    };
    let from = overlay.path(&change.file).ok()?;
    let is_folder = !overlay.listed(&from).ok()?.is_empty();
    is_folder.then(|| (from, to.clone()))
}

fn each_file(
    overlay: &Overlay,
    change: &Change,
    from: &WorkspacePath,
    to: &str,
) -> Result<Vec<Part>, EngineError> {
    let to = match WorkspacePath::parse(to, &overlay.root) {
        Ok(to) => to,
        Err(error) => return refused(change, error.to_string()),
    };
    let below = format!("{from}/");
    if from.as_str().is_empty() || format!("{to}/").starts_with(&below) {
        return refused(
            change,
            format!("{} cannot be moved into itself", from.shown()),
        );
    }
    if overlay.listed(&to).is_ok_and(|entries| !entries.is_empty()) {
        return refused(change, format!("{to} is there already"));
    }
    let files = match files_below(overlay, from)? {
        FilesBelow::Movable(files) if files.is_empty() => {
            return refused(change, without_files(from));
        }
        FilesBelow::Movable(files) => files,
        FilesBelow::Unmovable(why) => return refused(change, why),
    };
    Ok(files
        .into_iter()
        .map(|file| moved(change, from, &to, file))
        .collect())
}

fn moved(change: &Change, from: &WorkspacePath, to: &WorkspacePath, file: WorkspacePath) -> Part {
    let rest = file.as_str().slice(from.as_str().len()..);
    let request = Request::Move {
        to: format!("{to}{rest}"),
    };
    let change = Change {
        file: file.to_string(),
        request,
        ..change.clone()
    };
    Part {
        change,
        known: None,
    }
}

fn refused<E>(change: &Change, why: String) -> Result<Vec<Part>, E> {
    Ok(vec![Part {
        change: change.clone(),
        known: Some(Outcome::Refused { why }),
    }])
}

/// Returns the files in a folder and the folders in it.
fn files_below(overlay: &Overlay, folder: &WorkspacePath) -> Result<FilesBelow, EngineError> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in overlay.listed(&folder)? {
            let path = WorkspacePath::parse(&format!("{folder}/{}", entry.name), &overlay.root)?;
            match entry.kind {
                DirEntryKind::Dir => folders.push(path),
                DirEntryKind::File if files.len() < MOST => files.push(path),
                DirEntryKind::File => {
                    let why = format!("{folder} has more than {MOST} files");
                    return Ok(FilesBelow::Unmovable(why));
                }
                DirEntryKind::Symlink | DirEntryKind::Other => {
                    let why = format!("{path} is no file, and only files are moved");
                    return Ok(FilesBelow::Unmovable(why));
                }
            }
        }
    }
    // A folder is read in any order, and cards are numbered in this one.
    files.sort();
    Ok(FilesBelow::Movable(files))
}

/// Says why a folder is not moved that holds no file.
pub(super) fn without_files(folder: &WorkspacePath) -> String {
    format!("{folder} is a folder without files, and only files are moved")
}

/// Returns the folders, deepest first, that a file leaves when it goes to another folder under the
/// same name: those that are left empty by it go as well.
pub(in crate::engine) fn left(from: &WorkspacePath, to: &WorkspacePath) -> Vec<WorkspacePath> {
    let names = from.as_str().rsplit('/').zip(to.as_str().rsplit('/'));
    let same = names.take_while(|(from, to)| from == to).count();
    let parts = from.as_str().split('/').count();
    match same {
        0 => Vec::new(),
        _ => from
            .folders()
            .take_while(|folder| {
                let depth = folder.as_str().split('/').count();
                depth + same >= parts && !to.as_str().starts_with(&format!("{folder}/"))
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests;
