//! The index of a workspace: segments and history, seen as one.
//!
//! In: a base segment, a newer one that stands in for some of its files, and past commits. Out:
//! [`Index`], which numbers all files in one row.
//!
//! **Invariant:** a query reads the tables and the postings of its terms, never all postings.

use std::collections::HashMap;

use crate::extract::extract;
use crate::history::History;
use crate::role::{Role, stem};
use crate::segment::{Document, Run, Segment, write};
use crate::words::{Field, Key};

/// Fewer messages do not tell which words are usual.
const ENOUGH_MESSAGES: usize = 50;

/// The share of the files of a workspace that one commit may touch and say something of them.
const MOST_OF_TREE: usize = 5;
/// Number of files that is never too large for a commit, however small the workspace is.
const FEW_FILES: usize = 6;

/// A file of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A part of the index: a segment, and which of its files count.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) segment: Segment,
    /// By file: whether it counts; a newer segment may stand in for it.
    pub(crate) counts: Vec<bool>,
    /// The number of its first file and of its first chunk.
    pub(crate) first_file: u32,
    pub(crate) first_chunk: u32,
}

/// The index of a workspace.
#[derive(Debug, Default)]
pub struct Index {
    pub(crate) parts: Vec<Part>,
    pub(crate) history: History,
}

/// How often a term is in a chunk of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) file: FileId,
    /// The chunk, counted over all parts.
    pub(crate) chunk: u32,
    /// The number of terms of the chunk.
    pub(crate) chunk_terms: u32,
    pub(crate) count: u8,
}

impl Index {
    /// Makes an index of segments; of the files of each, only those count that `counts` says.
    pub fn new(segments: Vec<(Segment, Vec<bool>)>, history: History) -> Self {
        let (mut first_file, mut first_chunk) = (0, 0);
        let parts = segments.into_iter().map(|(segment, counts)| {
            let part = Part {
                counts,
                first_file,
                first_chunk,
                segment,
            };
            first_file += u32::try_from(part.segment.len()).unwrap_or(u32::MAX);
            first_chunk += u32::try_from(part.segment.chunk_count()).unwrap_or(u32::MAX);
            part
        });
        Self {
            parts: parts.collect(),
            history,
        }
    }

    /// Makes an index of texts in memory.
    pub fn of_texts<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
        history: History,
    ) -> Self {
        let files = files
            .into_iter()
            .map(|(path, bytes)| Document::of(extract(path, Some(bytes)), 0));
        let mut out = Vec::new();
        let written = write(&mut out, 0, &[], vec![Run::in_memory(files.collect())]);
        let segment = written
            .ok()
            .and_then(|()| Segment::load(Box::new(out)).ok());
        let counts = segment.into_iter().map(|segment| {
            let counts = vec![true; segment.len()];
            (segment, counts)
        });
        Self::new(counts.collect(), history)
    }

    /// Returns the number of files that count.
    pub fn len(&self) -> usize {
        let counted = self
            .parts
            .iter()
            .map(|part| part.counts.iter().filter(|counts| **counts).count());
        counted.sum()
    }

    /// Returns whether no file counts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of files, those that do not count among them.
    pub(crate) fn file_slots(&self) -> usize {
        self.parts.iter().map(|part| part.segment.len()).sum()
    }

    /// Returns the number of chunks.
    pub(crate) fn chunk_slots(&self) -> usize {
        self.parts
            .iter()
            .map(|part| part.segment.chunk_count())
            .sum()
    }

    fn part(&self, file: FileId) -> Option<(&Part, usize)> {
        let after = self.parts.partition_point(|part| part.first_file <= file.0);
        let part = self.parts.get(after.checked_sub(1)?)?;
        Some((part, (file.0 - part.first_file) as usize))
    }

    /// Returns the path of a file.
    pub fn path(&self, file: FileId) -> &str {
        self.part(file)
            .map_or("", |(part, local)| part.segment.path(local))
    }

    /// Returns what a file is for.
    pub fn role(&self, file: FileId) -> Role {
        self.part(file)
            .map_or(Role::Data, |(part, local)| part.segment.role(local))
    }

    /// Returns what a file imports, as it is written.
    pub(crate) fn imports(&self, file: FileId) -> Vec<String> {
        self.part(file)
            .map_or_else(Vec::new, |(part, local)| part.segment.imports(local))
    }

    /// Returns the path of the only file with this name, if it is the only one.
    pub fn only(&self, name: &str) -> Option<String> {
        let end = format!("/{name}");
        let mut found = self
            .paths()
            .filter(|path| *path == name || path.ends_with(&end));
        let first = found.next()?.to_owned();
        found.next().is_none().then_some(first)
    }

    /// Returns the paths of the files with this name, in any case.
    pub fn called(&self, name: &str) -> Vec<String> {
        self.paths()
            .filter(|path| {
                let last = path.rsplit('/').next();
                last.is_some_and(|last| last.eq_ignore_ascii_case(name))
            })
            .map(str::to_owned)
            .collect()
    }

    /// Returns the path of the only source file with this stem, if it is the only one.
    pub fn only_stem(&self, word: &str) -> Option<String> {
        let mut found = self
            .paths()
            .filter(|path| stem(path) == word && Role::of(path) == Role::Source);
        let first = found.next()?.to_owned();
        found.next().is_none().then_some(first)
    }

    /// Returns the paths of source files and their tests.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.paths()
            .filter(|path| matches!(Role::of(path), Role::Source | Role::Test))
    }

    /// Returns the paths of the files that count.
    fn paths(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(|part| {
            let counted = (0..part.segment.len())
                .zip(&part.counts)
                .filter(|(_, counts)| **counts);
            counted.map(|(local, _)| part.segment.path(local))
        })
    }

    /// Returns the files that a path names: all below it if it ends in a slash.
    pub(crate) fn named_by(&self, path: &str) -> Vec<FileId> {
        if !path.ends_with('/') {
            return self.find(path).into_iter().collect();
        }
        let below = self.paths().filter(|own| own.starts_with(path));
        below.filter_map(|own| self.find(own)).collect()
    }

    /// Returns the file at a path.
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.parts.iter().find_map(|part| {
            let local = part.segment.find(path)?;
            let counts = part.counts.get(local).copied().unwrap_or_default();
            counts.then(|| FileId(part.first_file + u32::try_from(local).unwrap_or(u32::MAX)))
        })
    }

    /// Returns where a term is.
    pub(crate) fn hits(&self, key: Key) -> Vec<Hit> {
        let mut hits = Vec::new();
        for part in &self.parts {
            for posting in part.segment.postings(key) {
                let Some((local, chunk_terms)) = part.segment.chunk(posting.chunk) else {
                    continue;
                };
                if part.counts.get(local).copied().unwrap_or_default() {
                    let file = FileId(part.first_file + u32::try_from(local).unwrap_or(u32::MAX));
                    let chunk = part.first_chunk + posting.chunk;
                    hits.push(Hit {
                        file,
                        chunk,
                        chunk_terms,
                        count: posting.count,
                    });
                }
            }
        }
        hits
    }

    /// Returns the files that have a term, each once.
    pub fn files_with(&self, key: Key) -> Vec<FileId> {
        let mut files: Vec<FileId> = self.hits(key).into_iter().map(|hit| hit.file).collect();
        files.dedup();
        files
    }

    /// Returns the number of terms of each file, and their mean.
    pub(crate) fn lengths(&self) -> (Vec<u32>, f32) {
        let mut lengths = vec![0_u32; self.file_slots()];
        for part in &self.parts {
            for chunk in 0..u32::try_from(part.segment.chunk_count()).unwrap_or(u32::MAX) {
                if let Some((local, terms)) = part.segment.chunk(chunk)
                    && let Some(length) = lengths.get_mut(part.first_file as usize + local)
                {
                    *length += terms;
                }
            }
        }
        let total: f64 = lengths.iter().map(|length| f64::from(*length)).sum();
        let mean = total / lengths.len().max(1) as f64;
        (lengths, (mean as f32).max(1.0))
    }

    /// Returns of each past commit, the newest first, the files that are still there; none of a commit that touched a
    /// large part of the workspace, as one that formats or moves: it says nothing of any of them.
    pub(crate) fn commits(&self) -> Vec<Vec<FileId>> {
        let most = (self.len() / MOST_OF_TREE).max(FEW_FILES);
        let now: Vec<Option<FileId>> = self
            .history
            .paths
            .iter()
            .map(|path| self.find(path))
            .collect();
        let commits = self.history.commits.iter();
        commits
            .map(|commit| {
                let files = Some(&commit.files).filter(|files| files.len() <= most);
                files
                    .into_iter()
                    .flatten()
                    .filter_map(|number| now.get(*number as usize).copied().flatten())
                    .collect()
            })
            .collect()
    }

    /// Returns the share of past messages that have a term; 0 where there are too few to tell.
    pub(crate) fn share_of_messages(&self, stem: &str) -> f32 {
        let key = Key::new(Field::Text, stem);
        let commits = &self.history.commits;
        let having = commits
            .iter()
            .filter(|commit| commit.terms.binary_search(&key).is_ok());
        having.count() as f32 / commits.len().max(ENOUGH_MESSAGES) as f32
    }

    /// Returns past commits.
    pub fn history(&self) -> &History {
        &self.history
    }
}

/// Values by file.
pub(crate) type ByFile<T> = HashMap<FileId, T>;
