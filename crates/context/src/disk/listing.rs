//! The files of a workspace, each with a stamp that changes when the file does.
//!
//! In: a folder and the rules of a walk. Out: regular files by path; links and names that are no UTF-8 are
//! left out.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

use ignore::{WalkBuilder, WalkState};

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

/// Lists the files that a walk finds, sorted by path.
pub(super) fn list(root: &Path, walk: &WalkBuilder) -> Vec<Listed> {
    let (sender, receiver) = mpsc::channel();
    let now = SystemTime::now();
    walk.build_parallel().run(|| {
        let sender = sender.clone();
        Box::new(move |entry| {
            let file = entry
                .ok()
                .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
            if let Some(file) = file.and_then(|entry| listed(root, &entry, now)) {
                // Nobody listens any more only if the walk is over.
                let _sent = sender.send(file);
            }
            WalkState::Continue
        })
    });
    drop(sender);
    let mut files: Vec<Listed> = receiver.into_iter().collect();
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    files
}

fn listed(root: &Path, entry: &ignore::DirEntry, now: SystemTime) -> Option<Listed> {
    let path = entry.path().strip_prefix(root).ok()?.to_str()?;
    let metadata = entry.metadata().ok()?;
    let changed = metadata.modified().ok()?;
    let is_settled = changed + TICK < now;
    let numbers = [
        metadata.size(),
        metadata.mtime() as u64,
        metadata.mtime_nsec() as u64,
        metadata.ctime() as u64,
        metadata.ctime_nsec() as u64,
        metadata.ino(),
    ];
    let bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let stamp = if is_settled {
        crate::codec::checksum(&bytes).max(1)
    } else {
        0
    };
    Some(Listed {
        path: path.into(),
        stamp,
        size: metadata.len(),
    })
}
