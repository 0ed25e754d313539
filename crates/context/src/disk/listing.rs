//! The files of a workspace, each with a stamp that changes when the file does.
//!
//! In: a folder and the rules of a walk. Out: regular files by path, and the folders that they are in; links and names that are no UTF-8 are
//! left out.

use std::fs::Metadata;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

use ignore::{WalkBuilder, WalkState};
use signoff_source::file::FileStamp;

use super::folders::Folders;

/// A file that changed so shortly before it was looked at may change again within one tick of the file
/// system's clock: its stamp says nothing.
const TICK: Duration = Duration::from_millis(20);

/// A file of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// Relative to the workspace.
    pub(super) path: Box<str>,
    /// A hash of size, times and inode; 0 if they say nothing.
    pub(super) stamp: u64,
    /// In bytes.
    pub(super) size: u64,
}

/// Lists the files that a walk finds, sorted by path, and the folders that it went through.
pub(super) fn list(root: &Path, walk: &WalkBuilder) -> (Vec<Listed>, Folders) {
    let (sender, receiver) = mpsc::channel();
    let now = SystemTime::now();
    walk.build_parallel().run(|| {
        let sender = sender.clone();
        Box::new(move |entry| {
            let found = entry.ok().and_then(|entry| listed(root, &entry, now));
            // Nobody listens any more only if the walk is over.
            let _sent = found.map(|found| sender.send(found));
            WalkState::Continue
        })
    });
    drop(sender);
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for (found, is_folder) in receiver {
        if is_folder {
            folders.push((found.path, found.stamp))
        } else {
            files.push(found)
        }
    }
    files.sort_unstable_by(|a: &Listed, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    (files, Folders::of(root, folders))
}

/// Returns a file or a folder, and which of them it is.
fn listed(root: &Path, entry: &ignore::DirEntry, now: SystemTime) -> Option<(Listed, bool)> {
    let kind = entry.file_type()?;
    if !kind.is_file() && !kind.is_dir() {
        return None;
    }
    let path = entry.path().strip_prefix(root).ok()?.to_str()?;
    let metadata = entry.metadata().ok()?;
    let found = Listed {
        path: path.into(),
        stamp: stamp(&metadata, now),
        size: metadata.len(),
    };
    Some((found, kind.is_dir()))
}

/// Looks at one file; none if it is gone or no regular file.
pub(super) fn look_at(root: &Path, path: &str, now: SystemTime) -> Option<Listed> {
    let metadata = root.join(path).symlink_metadata().ok()?;
    let is_file = metadata.is_file();
    is_file.then(|| Listed {
        path: path.into(),
        stamp: stamp(&metadata, now),
        size: metadata.len(),
    })
}

/// Returns a hash of size, times and inode; 0 if they say nothing.
pub(super) fn stamp(metadata: &Metadata, now: SystemTime) -> u64 {
    let settled = metadata
        .modified()
        .ok()
        .and_then(|changed| changed.checked_add(TICK));
    if settled.is_none_or(|settled| settled >= now) {
        return 0;
    }
    let numbers = FileStamp::of(metadata).kept();
    crate::codec::checksum(numbers.map(u64::to_le_bytes).as_flattened()).max(1)
}
