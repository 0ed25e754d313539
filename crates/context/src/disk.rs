//! The index on disk: kept up to date in a folder of its own.
//!
//! In: a workspace, and a folder for the index. Out: an [`Index`] of the workspace as it is now. The
//! folder has a base segment; a tail, which stands in for the files that changed since the base was
//! written; the folders of the workspace; and past commits. A file or folder is unchanged if its
//! size, times and inode are: where no folder changed, the files need no walk through ignore rules, and one
//! changed file costs a small tail. A large tail is merged with the base.
//!
//! What is damaged or of another version is made anew. Files are written beside their place and
//! renamed, and a tail names its base, so that processes may work at once: the last one stands, and what
//! does not fit is made anew.
//!
//! **Invariant:** files are written beside their place and renamed, a tail names its base, and the list of folders
//! names both; what does not fit together is made anew. So several processes may work at once.

use std::fs::{self, DirBuilder, File};
use std::io::{self, BufWriter, Write as _};
use std::num::NonZero;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use ignore::WalkBuilder;
use tempfile::NamedTempFile;

use crate::history::History;
use crate::index::Index;
use crate::segment::{Run, Segment, write};

mod extraction;
mod file;
mod folders;
mod listing;
mod state;

use file::FileBytes;
use folders::Folders;
use state::{Changed, State};

const BASE: &str = "base";
const TAIL: &str = "tail";
const HISTORY: &str = "history";
const FOLDERS: &str = "folders";
/// Files that a tail may have: as many as are extracted and merged in the time of a few frames.
const MAX_TAIL: usize = 256;
/// The size of the buffer that segments are written through.
const BUFFER: usize = 256 * 1024;

/// Returns how many threads to start for so many shares of work: more than 8 neither read nor look faster.
fn threads(shares: usize) -> usize {
    thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(8)
        .min(shares)
        .max(1)
}

/// The index of a workspace on disk.
#[derive(Clone, Debug)]
pub struct Store {
    /// The workspace.
    root: PathBuf,
    /// The folder of the index.
    folder: PathBuf,
}

/// Asks git for commits, as [`crate::history::LOG_OPTIONS`] says: those after the one given, or all;
/// none if git cannot tell.
pub type Log<'a> = &'a (dyn Fn(Option<&str>) -> Option<String> + Sync);

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
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)?;
        // Of two that would make the first index, as at the start and for the first request, the second waits.
        let _made_once = self.lock_first();
        std::thread::scope(|scope| {
            let history = scope.spawn(|| self.refresh_history(log));
            let state = match self.follow(State::load(&self.folder), walk) {
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    self.follow(State::default(), walk)?
                }
                followed => followed?,
            };
            Ok(state.index(history.join().unwrap_or_default()))
        })
    }

    /// Locks the folder while the first index is made; none if there is one, or where nothing can be locked.
    fn lock_first(&self) -> Option<File> {
        if self.folder.join(BASE).exists() {
            return None;
        }
        let lock = File::open(&self.folder).ok()?;
        lock.lock().ok()?;
        Some(lock)
    }

    /// Brings the index up to date with these files, of which it is known that they changed, and returns
    /// it. Paths are relative to the workspace, and of files that a walk would find.
    ///
    /// # Errors
    ///
    /// Fails if the folder of the index cannot be written, or has no index.
    pub fn refresh_files(&self, paths: &[&str]) -> io::Result<Index> {
        let mut state = State::load(&self.folder);
        if state.base.is_none() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let changed = state.look_at(&self.root, paths);
        let state = self.update(state, changed)?;
        Ok(state.index(self.load_history().unwrap_or_default()))
    }

    /// Brings the segments up to date with the files of the workspace.
    fn follow(&self, mut state: State, walk: &WalkBuilder) -> io::Result<State> {
        let folders = Folders::load(&self.folder.join(FOLDERS));
        let known = folders
            .filter(|folders| folders.of == state.ids() && folders.are_as_they_were(&self.root));
        let look = known.and_then(|folders| Some((state.look(&self.root)?, folders)));
        let (changed, mut folders) = match look {
            Some(look) => look,
            None => {
                let (files, folders) = listing::list(&self.root, walk);
                (state.compare(&files), folders)
            }
        };
        let before = folders.of;
        let state = self.update(state, changed)?;
        folders.of = state.ids();
        if folders.of != before {
            self.save(FOLDERS, &folders.encode());
        }
        Ok(state)
    }

    /// Writes what changed: as a tail where it is little, or merged with all else.
    fn update(&self, mut state: State, changed: Changed) -> io::Result<State> {
        let tail_counts = changed.tail_counts;
        let dropped = changed.gone || tail_counts.iter().any(|counts| !counts);
        if changed.files.is_empty() && !dropped && state.base.is_some() {
            return Ok(state);
        }
        let kept = tail_counts.iter().filter(|counts| **counts).count();
        let is_small = state.base.is_some() && kept + changed.files.len() <= MAX_TAIL;
        let mut all: Vec<Run<'_>> =
            extraction::extract_all(&self.root, &self.folder, &changed.files)?;
        if let Some(tail) = &state.tail {
            all.push(Run::of(tail, |file| {
                tail_counts.get(file).copied().unwrap_or_default()
            }));
        }
        if is_small {
            let tail = self.write(TAIL, &state.beside(), all)?;
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
            self.save(HISTORY, &history.encode());
            return history;
        }
        let history = log(None)
            .map(|text| History::parse(&text))
            .unwrap_or_default();
        if !history.head.is_empty() {
            self.save(HISTORY, &history.encode());
        }
        history
    }

    /// Writes what can be made again; where that fails, it is made again.
    fn save(&self, name: &str, bytes: &[u8]) {
        let saved = NamedTempFile::new_in(&self.folder).and_then(|mut draft| {
            draft.write_all(bytes)?;
            draft
                .persist(self.folder.join(name))
                .map_err(|error| error.error)
        });
        drop(saved);
    }
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
