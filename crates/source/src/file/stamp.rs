//! File stamps: two states of a file told apart without reading it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

/// What the system says of a file, its content apart. A file with another stamp may read differently. One with the same
/// stamp reads the same, unless it was written so shortly before the stamp was taken that the clock of the file system
/// had not moved on: whoever keeps what was read compares [`written`](Self::written) with the time.
///
/// No program can write to a file and keep its stamp: it can set the time of modification back, but not that of the
/// last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileStamp {
    /// Returns the stamp of the file that this was read of.
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Returns the size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns when the file was last written or changed otherwise, in seconds and nanoseconds since 1970.
    pub fn written(&self) -> (i64, i64) {
        self.changed.max(self.modified)
    }

    /// Returns the numbers that a stamp is kept as beyond this process. The device is left out: it may have
    /// another number after the next start of the system.
    pub fn kept(&self) -> [u64; 6] {
        [
            self.size,
            self.modified.0 as u64,
            self.modified.1 as u64,
            self.changed.0 as u64,
            self.changed.1 as u64,
            self.inode,
        ]
    }
}
