//! The index on disk: kept up to date in a folder of its own.
//!
//! In: a workspace, and a folder for the index. Out: an [`Index`] of the workspace as it is now. The
//! folder has a base segment; a tail, which stands in for the files that changed since the base was
//! written; and past commits. Files are told to be unchanged by size, times and inode, so that one
//! changed file costs the listing and a small tail. A large tail is merged with the base.
//!
//! What is damaged or of another version is made anew. Files are written beside their place and
//! renamed, and a tail names its base, so that processes may work at once: the last one stands, and what
//! does not fit is made anew.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use ignore::WalkBuilder;
use tempfile::NamedTempFile;

use crate::codec::{Reader, put_number};
use crate::history::History;
use crate::index::Index;
use crate::segment::{Run, Segment, write};

mod extraction;
mod file;
mod listing;

use file::FileBytes;
use listing::Listed;

const BASE: &str = "base";
const TAIL: &str = "tail";
const HISTORY: &str = "history";
/// Files that a tail may have: as many as are extracted and merged in the time of a few frames.
const MAX_TAIL: usize = 256;
/// The size of the buffer that segments are written through.
const BUFFER: usize = 256 * 1024;

/// The index of a workspace on disk.
#[derive(Clone, Debug)]
pub struct Store {
    /// The workspace.
    root: PathBuf,
    /// The folder of the index.
    folder: PathBuf,
}

/// Asks git for commits, as [`crate::history::LOG_ARGUMENTS`] says: those after the one given, or all;
/// none if git cannot tell.
pub type Log<'a> = &'a (dyn Fn(Option<&str>) -> Option<String> + Sync);

/// The segments as they are on disk.
#[derive(Default)]
struct State {
    base: Option<Segment>,
    tail: Option<Segment>,
    /// By file of the base: whether neither the tail has another text of it nor it is gone.
    counts: Vec<bool>,
}

impl Store {
    /// Names the index of the workspace `root` in `folder`; nothing is read or made.
    pub fn new(root: &Path, folder: &Path) -> Self {
        Self {
            root: root.to_owned(),
            folder: folder.to_owned(),
        }
    }

    /// Returns the index as it was last written, without a look at the workspace; none if there is none.
    pub fn load(&self) -> Option<Index> {
        let state = State::load(&self.folder);
        state.base.as_ref()?;
        Some(state.index(self.load_history().unwrap_or_default()))
    }

    /// Brings the index up to date with the files that `walk` finds in the workspace and with the
    /// commits of `log`, and returns it.
    ///
    /// # Errors
    ///
    /// Fails if the folder of the index cannot be written.
    pub fn refresh(&self, walk: &WalkBuilder, log: Log<'_>) -> io::Result<Index> {
        fs::create_dir_all(&self.folder)?;
        std::thread::scope(|scope| {
            let history = scope.spawn(|| self.refresh_history(log));
            let state = State::load(&self.folder);
            let listed = listing::list(&self.root, walk);
            let state = match self.update(state, &listed) {
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    self.update(State::default(), &listed)?
                }
                updated => updated?,
            };
            Ok(state.index(history.join().unwrap_or_default()))
        })
    }

    /// Brings the segments up to date with the files of the workspace.
    fn update(&self, mut state: State, listed: &[Listed]) -> io::Result<State> {
        let changed = state.compare(listed);
        let tail_counts = changed.tail_counts;
        let dropped = changed.gone || tail_counts.iter().any(|counts| !counts);
        if changed.files.is_empty() && !dropped && state.base.is_some() {
            return Ok(state);
        }
        let kept = tail_counts.iter().filter(|counts| **counts).count();
        let is_small = state.base.is_some() && kept + changed.files.len() <= MAX_TAIL;
        let runs = extraction::extract_all(&self.root, &self.folder, &changed.files)?;
        let mut all: Vec<Run<'_>> = runs;
        if let Some(tail) = &state.tail {
            all.push(Run::of(tail, |file| {
                tail_counts.get(file).copied().unwrap_or_default()
            }));
        }
        if is_small {
            let base = state.base.as_ref().map_or(0, Segment::id);
            let tail = self.write(TAIL, &beside(base, &state.counts), all)?;
            state.tail = Some(tail);
            return Ok(state);
        }
        if let Some(base) = &state.base {
            all.push(Run::of(base, |file| {
                state.counts.get(file).copied().unwrap_or_default()
            }));
        }
        let base = self.write(BASE, &[], all)?;
        // A tail that stays names another base and is passed over.
        let _gone = fs::remove_file(self.folder.join(TAIL));
        let counts = vec![true; base.len()];
        Ok(State {
            base: Some(base),
            tail: None,
            counts,
        })
    }

    fn write(&self, name: &str, extra: &[u8], runs: Vec<Run<'_>>) -> io::Result<Segment> {
        let draft = NamedTempFile::new_in(&self.folder)?;
        let mut out = BufWriter::with_capacity(BUFFER, draft);
        write(&mut out, fresh_id(), extra, runs)?;
        let draft = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        let file = draft
            .persist(self.folder.join(name))
            .map_err(|error| error.error)?;
        let bytes = FileBytes::of(file)?;
        Segment::load(Box::new(bytes)).map_err(|_damaged| io::ErrorKind::InvalidData.into())
    }

    fn load_history(&self) -> Option<History> {
        History::decode(&fs::read(self.folder.join(HISTORY)).ok()?)
    }

    /// Brings the past commits up to date; without git there are none.
    fn refresh_history(&self, log: Log<'_>) -> History {
        let known = self.load_history().filter(|known| !known.head.is_empty());
        if let Some(known) = known
            && let Some(text) = log(Some(&known.head))
        {
            let newer = History::parse(&text);
            if newer.head.is_empty() {
                return known;
            }
            let history = known.extend(newer);
            self.save_history(&history);
            return history;
        }
        let history = log(None)
            .map(|text| History::parse(&text))
            .unwrap_or_default();
        if !history.head.is_empty() {
            self.save_history(&history);
        }
        history
    }

    /// Writes the past commits; where that fails, they are read from git again.
    fn save_history(&self, history: &History) {
        let saved = NamedTempFile::new_in(&self.folder).and_then(|mut draft| {
            draft.write_all(&history.encode())?;
            draft
                .persist(self.folder.join(HISTORY))
                .map_err(|error| error.error)
        });
        drop(saved);
    }
}

/// What differs between the index and the workspace.
struct Changed {
    files: Vec<Listed>,
    /// Whether files of the base are gone.
    gone: bool,
    /// By file of the tail: whether it is as it was.
    tail_counts: Vec<bool>,
}

impl State {
    fn load(folder: &Path) -> Self {
        let load = |name: &str| {
            let bytes = FileBytes::of(File::open(folder.join(name)).ok()?).ok()?;
            Segment::load(Box::new(bytes)).ok()
        };
        let base = load(BASE);
        let mut counts = vec![true; base.as_ref().map_or(0, Segment::len)];
        let tail = load(TAIL).filter(|tail| {
            base.as_ref()
                .is_some_and(|base| leave_out(tail, base, &mut counts).is_some())
        });
        Self { base, tail, counts }
    }

    fn index(self, history: History) -> Index {
        let base = self.base.map(|base| (base, self.counts));
        let tail = self.tail.map(|tail| {
            let counts = vec![true; tail.len()];
            (tail, counts)
        });
        Index::new(base.into_iter().chain(tail).collect(), history)
    }

    /// Compares the index with the files of the workspace, and lets those of the base that are changed or
    /// gone no longer count.
    fn compare(&mut self, listed: &[Listed]) -> Changed {
        let mut tail_counts = vec![false; self.tail.as_ref().map_or(0, Segment::len)];
        let mut base_counts = vec![false; self.counts.len()];
        let mut files = Vec::new();
        for file in listed {
            let in_tail = self
                .tail
                .as_ref()
                .and_then(|tail| Some((tail, tail.find(&file.path)?)));
            let in_base = self
                .base
                .as_ref()
                .and_then(|base| Some((base, base.find(&file.path)?)));
            let is_same = |(segment, at): (&Segment, usize)| {
                segment.stamp(at) == file.stamp && file.stamp != 0
            };
            let base = in_base.filter(|(_, at)| self.counts.get(*at).copied().unwrap_or_default());
            let counts = match (in_tail, base) {
                (Some((tail, at)), _) if is_same((tail, at)) => tail_counts.get_mut(at),
                (None, Some((base, at))) if is_same((base, at)) => base_counts.get_mut(at),
                _ => {
                    files.push(file.clone());
                    None
                }
            };
            counts.into_iter().for_each(|counts| *counts = true);
        }
        let gone = self.counts != base_counts;
        self.counts = base_counts;
        Changed {
            files,
            gone,
            tail_counts,
        }
    }
}

/// Returns what a tail has beside its index: its base, and the files of the base that do not count.
fn beside(base: u64, counts: &[bool]) -> Vec<u8> {
    let mut out = base.to_le_bytes().to_vec();
    for (file, _) in counts.iter().enumerate().filter(|(_, counts)| !**counts) {
        put_number(&mut out, file as u64);
    }
    out
}

/// Reads what [`beside`] wrote; none if the tail is another base's.
fn leave_out(tail: &Segment, base: &Segment, counts: &mut [bool]) -> Option<()> {
    let mut reader = Reader(tail.extra());
    if reader.word()? != base.id() {
        return None;
    }
    while !reader.0.is_empty() {
        let file = reader.size()?;
        *counts.get_mut(file)? = false;
    }
    Some(())
}

/// Returns an id that no other segment of the folder has.
fn fresh_id() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let nanos = since.as_nanos() as u64;
    nanos ^ u64::from(std::process::id()) << 44
}

#[cfg(test)]
mod tests;
