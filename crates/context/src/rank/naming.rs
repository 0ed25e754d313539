//! Paths that a request names.
//!
//! In: a query. Out: [`Named`]: the files at these paths, or in these folders.

use crate::index::{ByFile, FileId, Index};
use crate::query::Query;
use crate::words::{self, Field, Key};

/// A name that more files have names none of them.
const MOST_FILES: usize = 20;
/// What a folder that is named counts, where a file counts 1.
const FOLDER_STRENGTH: f32 = 0.3;
/// Files below a folder that is named; larger folders say nothing.
const MOST_BELOW: usize = 60;

/// The files that a request names.
pub(super) struct Named {
    files: ByFile<(f32, String)>,
}

impl Named {
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(super) fn has(&self, file: FileId) -> bool {
        self.files.contains_key(&file)
    }

    /// Returns the name by which the request names a file.
    pub(super) fn name(&self, file: FileId) -> Option<&str> {
        self.files.get(&file).map(|(_, name)| name.as_str())
    }

    /// Returns the files, each with how surely it is meant.
    pub(super) fn files(&self) -> impl Iterator<Item = (FileId, f32)> + '_ {
        self.files
            .iter()
            .map(|(file, (strength, _))| (*file, *strength))
    }
}

/// Returns the files that a request names.
pub(super) fn named(index: &Index, query: &Query) -> Named {
    let mut files = ByFile::default();
    for path in &query.paths {
        for (file, strength) in at(index, path) {
            let entry = files.entry(file).or_insert((0.0, path.clone()));
            if strength > entry.0 {
                *entry = (strength, path.clone());
            }
        }
    }
    Named { files }
}

/// Returns the files at a path that may lack its first folders, or below such a folder.
fn at(index: &Index, path: &str) -> Vec<(FileId, f32)> {
    if let Some(file) = index.find(path) {
        return vec![(file, 1.0)];
    }
    let candidates = having_words(index, path);
    let behind = format!("/{path}");
    let exact = of_kind(index, &candidates, &|known| {
        known.ends_with(&behind) || path.ends_with(&format!("/{known}"))
    });
    if !exact.is_empty() {
        let strength = if exact.len() > MOST_FILES {
            0.0
        } else {
            1.0 / (exact.len() as f32).sqrt()
        };
        return exact
            .into_iter()
            .map(|file| (file, strength))
            .filter(|(_, strength)| *strength > 0.0)
            .collect();
    }
    // A path without its extension, or a folder.
    let without = of_kind(index, &candidates, &|known| {
        known
            .rsplit_once('.')
            .is_some_and(|(stem, _)| stem == path || stem.ends_with(&behind))
    });
    if !without.is_empty() && without.len() <= MOST_FILES {
        return without.into_iter().map(|file| (file, 0.7)).collect();
    }
    let within = format!("/{path}/");
    let below = of_kind(index, &candidates, &|known| {
        known.contains(&within) || known.starts_with(within.get(1..).unwrap_or_default())
    });
    if below.len() <= MOST_BELOW {
        return below
            .into_iter()
            .map(|file| (file, FOLDER_STRENGTH))
            .collect();
    }
    Vec::new()
}

fn of_kind(index: &Index, candidates: &[FileId], fits: &dyn Fn(&str) -> bool) -> Vec<FileId> {
    candidates
        .iter()
        .copied()
        .filter(|file| fits(index.path(*file)))
        .collect()
}

/// Returns the files whose paths have all words of a path.
fn having_words(index: &Index, path: &str) -> Vec<FileId> {
    let mut stems = Vec::new();
    for (_, word) in words::identifiers(path) {
        words::terms(word, |stem| stems.push(stem.to_owned()));
    }
    let mut lists: Vec<Vec<FileId>> = stems
        .iter()
        .map(|stem| index.files_with(Key::new(Field::Path, stem)))
        .collect();
    // An extension may differ, and a part of one letter is no term.
    lists.retain(|list| !list.is_empty());
    lists.sort_by_key(Vec::len);
    lists.into_iter().next().unwrap_or_default()
}
