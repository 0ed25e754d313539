//! Commits by history: which changes of a commit were signed off here, whoever made the commit.
//!
//! ```text
//! history   1: a → b    2: b → c
//! commit    a → b       is entry 1: signed
//! commit    a → c       is both: signed
//! commit    a → d       is none of what was signed off: unsigned
//! ```
//!
//! In: what a commit changes, and the histories of files. Out: the files that the commit makes of its parent's by entries of
//! history alone, up to one of them: what applying these to the parent's file comes to is exactly what the commit has. A part
//! of an entry, as `git add --patch` takes it, is none of these, nor is a file with lines that the user typed between.

use std::collections::{BTreeMap, HashSet};

use signoff_core::edit::plan::Presence;
use signoff_core::record::history::FileHistory;
use signoff_core::record::history::cherry_pick::{FileRecord, PickChoice, PickOutcome, Picked};
use signoff_core::text::{Mismatch, Source};
use signoff_sandbox::git_write::{Blob, BlobChange, GitWriter, ListedCommit};

use super::receipt::SignedFile;
use super::{CommitFile, base, blob};

/// Returns the files of a commit that were signed off, by what history has.
///
/// # Errors
///
/// Fails if git does.
pub fn signed_by_history(
    writer: &GitWriter<'_>,
    commit: &ListedCommit,
    changes: &BTreeMap<String, BlobChange>,
    records: &[FileRecord],
) -> Result<Vec<SignedFile>, String> {
    // What a merge has otherwise than its parents nobody signed off.
    if commit.parents.len() > 1 {
        return Ok(Vec::new());
    }
    let is_changed = |path: &str| {
        let path = writer.below_top(path);
        path.is_ok_and(|path| changes.contains_key(&path))
    };
    let meant = records.iter().filter(|record| {
        let mut names = record.names();
        names.any(|name| is_changed(name.as_str()))
    });
    let meant: Vec<&FileRecord> = meant.collect();
    if meant.is_empty() {
        return Ok(Vec::new());
    }
    let names = meant.iter().flat_map(|record| record.names());
    let names: Vec<String> = names.map(ToString::to_string).collect();
    let before = match commit.parents.first() {
        Some(parent) => writer.blobs(parent, &names)?,
        None => BTreeMap::new(),
    };
    let after = writer.blobs(&commit.id, &names)?;
    let mut signed = Vec::new();
    for record in meant {
        let Some(file) = made_of(record, &before, &after) else {
            continue;
        };
        for path in file.from.iter().chain([&file.path]) {
            let top = writer.below_top(path)?;
            if let Some(change) = changes.get(&top) {
                signed.push(SignedFile::of(top, change, Some(&file)));
            }
        }
    }
    Ok(signed)
}

/// Returns what entries up to one of them make of a file, if that is what the commit has.
fn made_of(
    record: &FileRecord,
    before: &BTreeMap<String, Blob>,
    after: &BTreeMap<String, Blob>,
) -> Option<CommitFile> {
    // A history that does not lead to its text vouches for nothing.
    let states = states(record).ok()?;
    states.into_iter().find_map(|state| {
        let base = base(before, &state, &HashSet::new());
        let named = base.as_ref().map(|(name, file)| (name, file));
        match state.cherry_pick(named, &PickChoice::All) {
            Ok(PickOutcome::Picked(picked)) if is_in(&picked, after) => {
                Some(CommitFile::of(&state, base, picked))
            }
            _ => None,
        }
    })
}

/// Returns a file as it was after each of its entries, the newest first.
fn states(record: &FileRecord) -> Result<Vec<FileRecord>, Mismatch> {
    let mut states = Vec::new();
    let mut path = record.path.clone();
    let empty = || Source::new(Vec::new());
    let mut written = record.written.clone();
    for (index, entry) in record.history.entries.iter().enumerate().rev() {
        let entries = record.history.entries.iter().take(index + 1);
        states.push(FileRecord {
            path: path.clone(),
            history: FileHistory {
                entries: entries.cloned().collect(),
                dropped: record.history.dropped,
            },
            written: written.clone(),
            now: written.clone(),
            executable: record.executable,
        });
        let (_, below) = entry.undone(&written.unwrap_or_else(empty))?;
        if let Some((from, _)) = &entry.moved {
            path = from.clone();
        }
        let previous = index.checked_sub(1);
        let previous = previous.and_then(|index| record.history.entries.get(index));
        let is_there = previous.is_some_and(|entry| entry.presence != Presence::Deleted);
        let text = Source::in_encoding(below.bytes().to_vec(), entry.encoding);
        written = is_there.then_some(text);
    }
    Ok(states)
}

fn is_in(picked: &Picked, after: &BTreeMap<String, Blob>) -> bool {
    let is_moved = picked.from.as_ref();
    if is_moved.is_some_and(|from| after.contains_key(from.as_str())) {
        return false;
    }
    match (&picked.after, after.get(picked.path.as_str())) {
        (None, None) => true,
        (Some(file), Some(own)) => blob(file).as_ref() == Some(own),
        (None, Some(_)) | (Some(_), None) => false,
    }
}
