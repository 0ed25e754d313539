//! Watching the store and the workspace for changes.
//!
//! In: the store and the files of an open review. Out: whether any of them is not what it was at
//! the last look. Only stamps are read: neither the store's lock nor a file is touched.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use signoff_core::file::FileStamp;

/// The store and the workspace, as they were at the last look.
#[derive(Debug)]
pub struct Watch {
    root: PathBuf,
    store: [PathBuf; 2],
    last: Option<Vec<Option<FileStamp>>>,
}

impl Watch {
    /// Returns a watch over a workspace and its store.
    pub fn new(root: &Path, store: &Path) -> Self {
        Self {
            root: root.to_owned(),
            store: [store.to_owned(), log_of(store)],
            last: None,
        }
    }

    /// Returns the workspace's folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns true if the store or one of these files changed since the last call; true at first.
    pub fn changed<'a>(&mut self, files: impl Iterator<Item = &'a str>) -> bool {
        let store = self.store.iter().map(|path| stamp(path));
        let files = files.map(|path| stamp(&self.root.join(path)));
        let now = Some(store.chain(files).collect());
        let changed = now != self.last;
        self.last = now;
        changed
    }
}

/// Returns the write-ahead log of a store, to which SQLite writes first.
fn log_of(store: &Path) -> PathBuf {
    let mut name = OsString::from(store);
    name.push("-wal");
    name.into()
}

/// Returns the stamp of what a path leads to; none if nothing is there.
fn stamp(path: &Path) -> Option<FileStamp> {
    let metadata = fs::metadata(path).ok()?;
    Some(FileStamp::of(&metadata))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_made_or_removed_is_noticed_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.txt"), "a").unwrap();
        let mut watch = Watch::new(folder.path(), &at("state.db"));
        let mut look = || {
            (
                watch.changed(["a.txt"].into_iter()),
                watch.changed(["a.txt"].into_iter()),
            )
        };
        assert_eq!(look(), (true, false));
        fs::write(at("state.db-wal"), "1").unwrap();
        assert_eq!(look(), (true, false));
        fs::write(at("a.txt"), "ab").unwrap();
        assert_eq!(look(), (true, false));
        fs::write(at("b.txt"), "b").unwrap();
        assert_eq!(look(), (false, false));
        fs::remove_file(at("a.txt")).unwrap();
        assert_eq!(look(), (true, false));
    }
}
