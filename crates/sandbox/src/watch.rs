//! Changes of a folder between two looks, with the bytes before and after.
//!
//! In: a folder. Out: on each look, what changed since the look before. Files that ignore files
//! name are not seen, nor is anything in `.git`. What is held to compare with is bounded: of
//! files too large, or beyond the bound, only the change is told and not the bytes.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};

use ignore::{DirEntry, WalkState};
use signoff_source::file::FileStamp;
use signoff_source::path::reserved::ReservedFolders;

use crate::{ignored, regular};

/// A folder that is looked at now and then.
#[derive(Debug)]
pub struct Watch {
    root: PathBuf,
    /// Folders that are not looked at.
    reserved: ReservedFolders,
    bounds: Bounds,
    seen: HashMap<String, WatchedFile>,
    held: usize,
    looked: bool,
}

/// How much is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Files that are watched.
    pub files: usize,
    /// Bytes of one file.
    pub file: usize,
    /// Bytes of all files together.
    pub all: usize,
}

/// A file that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Path relative to the folder, with `/` between its parts.
    pub path: String,
    /// What it held at the look before.
    pub before: Content,
    /// What it holds now.
    pub after: Content,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// There is no such file.
    Absent,
    /// These bytes.
    Bytes(Arc<[u8]>),
    /// Something that is not held: the file is too large, or unreadable.
    NotHeld,
}

/// A file as it was at the last look.
#[derive(Clone, Debug)]
struct WatchedFile {
    stamp: FileStamp,
    /// True if it was written so shortly before the look that a later write might leave no trace
    /// in the stamp.
    fresh: bool,
    bytes: Option<Arc<[u8]>>,
}

/// Clocks of file systems tick this slowly, at worst.
const TICK: Duration = Duration::from_millis(20);

impl Default for Bounds {
    fn default() -> Self {
        Self {
            files: 200_000,
            file: 1_500_000,
            all: 64_000_000,
        }
    }
}

impl Watch {
    /// Returns a watch on a folder that was not looked at yet.
    pub fn new(root: PathBuf, reserved: ReservedFolders, bounds: Bounds) -> Self {
        Self {
            root,
            reserved,
            bounds,
            seen: HashMap::new(),
            held: 0,
            looked: false,
        }
    }

    /// Returns what changed since the last look, by path; the first look finds nothing changed.
    pub fn look(&mut self) -> Vec<Changed> {
        let now = SystemTime::now();
        let found = self.walk();
        let mut changed = Vec::new();
        let gone: Vec<String> = self
            .seen
            .keys()
            .filter(|path| !found.contains_key(*path))
            .cloned()
            .collect();
        for path in gone {
            let before = self.forget(&path);
            changed.push(Changed {
                path,
                before,
                after: Content::Absent,
            });
        }
        for (path, stamp) in found {
            if let Some(change) = self.compare(path, stamp, now) {
                changed.push(change);
            }
        }
        if !std::mem::replace(&mut self.looked, true) {
            return Vec::new();
        }
        changed.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        changed
    }

    fn compare(&mut self, path: String, stamp: FileStamp, now: SystemTime) -> Option<Changed> {
        let known = self.seen.get(&path);
        if known.is_some_and(|seen| seen.stamp == stamp && !seen.fresh) {
            return None;
        }
        let before = self.forget(&path);
        let bytes = self.hold(&path, stamp);
        let after = content(bytes.as_ref());
        let fresh = is_fresh(stamp, now);
        self.seen.insert(
            path.clone(),
            WatchedFile {
                stamp,
                fresh,
                bytes,
            },
        );
        let same = match (&before, &after) {
            (Content::Bytes(before), Content::Bytes(after)) => before == after,
            _ => false,
        };
        (!same).then_some(Changed {
            path,
            before,
            after,
        })
    }

    /// Reads a file and keeps its bytes, if they may be kept.
    fn hold(&mut self, path: &str, stamp: FileStamp) -> Option<Arc<[u8]>> {
        let size = usize::try_from(stamp.size()).ok()?;
        if size > self.bounds.file || self.held + size > self.bounds.all {
            return None;
        }
        let bytes: Arc<[u8]> = regular::read(&self.root.join(path), stamp.size())
            .ok()?
            .into();
        self.held += bytes.len();
        Some(bytes)
    }

    /// Drops what is known of a file and returns it.
    fn forget(&mut self, path: &str) -> Content {
        let Some(seen) = self.seen.remove(path) else {
            return Content::Absent;
        };
        self.held -= seen.bytes.as_ref().map_or(0, |bytes| bytes.len());
        content(seen.bytes.as_ref())
    }

    /// Returns the files that there are.
    fn walk(&self) -> BTreeMap<String, FileStamp> {
        let (sender, found) = mpsc::channel();
        let walk = ignored::walk(&self.root, &self.reserved).build_parallel();
        walk.run(|| {
            let (sender, root) = (sender.clone(), &self.root);
            Box::new(move |entry| {
                // A folder that cannot be read is as it was, as far as anybody can tell.
                let file = entry.ok().and_then(|entry| file(root, &entry));
                if file.is_some_and(|file| sender.send(file).is_err()) {
                    return WalkState::Quit;
                }
                WalkState::Continue
            })
        });
        drop(sender);
        let mut files: BTreeMap<String, FileStamp> = found.into_iter().collect();
        while files.len() > self.bounds.files {
            files.pop_last();
        }
        files
    }
}

fn file(root: &Path, entry: &DirEntry) -> Option<(String, FileStamp)> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let relative = entry.path().strip_prefix(root).ok()?;
    // A name that is no text cannot be named to the model or the user.
    let path = relative.to_str()?.to_owned();
    Some((path, FileStamp::of(&entry.metadata().ok()?)))
}

fn content(bytes: Option<&Arc<[u8]>>) -> Content {
    match bytes {
        Some(bytes) => Content::Bytes(Arc::clone(bytes)),
        None => Content::NotHeld,
    }
}

fn is_fresh(stamp: FileStamp, now: SystemTime) -> bool {
    let (seconds, nanos) = stamp.written();
    let (Ok(seconds), Ok(nanos)) = (u64::try_from(seconds), u32::try_from(nanos)) else {
        return true;
    };
    let written = SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos));
    written.is_none_or(|written| written + TICK >= now)
}

#[cfg(test)]
mod tests;
