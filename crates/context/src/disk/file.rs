//! Bytes of an open file, read at any place.
//!
//! In: a file. Out: [`Bytes`]; the file may be renamed or replaced meanwhile, what was opened stays.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use crate::segment::Bytes;

/// An open file.
pub(super) struct FileBytes {
    file: File,
    size: u64,
}

impl FileBytes {
    pub(super) fn of(file: File) -> io::Result<Self> {
        let size = file.metadata()?.len();
        Ok(Self { file, size })
    }
}

impl Bytes for FileBytes {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, offset: u64, len: usize) -> Option<Cow<'_, [u8]>> {
        // A damaged offset or length must not make room for more than there is.
        let end = offset.checked_add(len as u64)?;
        if end > self.size {
            return None;
        }
        let mut bytes = vec![0; len];
        self.file.read_exact_at(&mut bytes, offset).ok()?;
        Some(Cow::Owned(bytes))
    }
}
