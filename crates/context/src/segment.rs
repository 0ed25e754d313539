//! Segment: an immutable inverted index over some files.
//!
//! In: runs of sorted postings with the files that they are about. Out: bytes, and from these a
//! [`Segment`] that finds the postings of a term with one read. The blocks of postings stay where they
//! are; only tables are loaded: the files, their chunks, and the first term of each block.
//!
//! ```text
//! magic | blocks of postings | imports of each file | tables | footer
//! ```
//!
//! **Invariant:** what is damaged or of another version is no segment and no history, never a panic.

use std::borrow::Cow;

use crate::codec::{Reader, checksum};
use crate::extract::Posting;
use crate::role::Role;
use crate::words::Key;

mod merge;
mod read;

pub use merge::{Document, LeftOut, Run, write};

/// Begins and ends a segment; the number is the version of format, tokenization and extraction.
const MAGIC: u64 = u64::from_le_bytes(*b"soctx001");
/// The size of the footer: where imports and tables begin, the checksum of the tables, the magic.
const FOOTER: usize = 4 * 8;
/// Bytes after which a block of postings ends.
const BLOCK_BYTES: usize = 4 * 1024;

/// Bytes that can be read at any place: of memory or of a file.
pub trait Bytes: Send + Sync {
    /// Returns how many there are.
    fn size(&self) -> u64;
    /// Returns `len` bytes at `offset`; none if they are not there.
    fn read(&self, offset: u64, len: usize) -> Option<Cow<'_, [u8]>>;
}

impl Bytes for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, offset: u64, len: usize) -> Option<Cow<'_, [u8]>> {
        let offset = usize::try_from(offset).ok()?;
        self.get(offset..offset.checked_add(len)?)
            .map(Cow::Borrowed)
    }
}

/// The bytes are not those of a segment of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// A file as a segment has it.
#[derive(Clone, Copy, Debug)]
struct Record {
    /// Where its path ends in the table of paths; it begins where the one before ends.
    path_end: u32,
    /// Its first chunk.
    first_chunk: u32,
    role: Role,
    stamp: u64,
    /// Where its imports end; they begin where those of the file before end.
    imports_end: u64,
}

/// An inverted index over some files, sorted by path.
pub struct Segment {
    bytes: Box<dyn Bytes>,
    id: u64,
    /// What the caller put beside the index.
    extra: Vec<u8>,
    records: Vec<Record>,
    paths: String,
    /// Of each chunk, the file and the number of terms.
    chunks: Vec<(u32, u32)>,
    /// Of each block, the first key and where it begins.
    blocks: Vec<(Key, u64)>,
    /// Where the blocks end and the imports begin.
    imports_at: u64,
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("id", &self.id)
            .field("files", &self.records.len())
            .finish_non_exhaustive()
    }
}

impl Segment {
    /// Loads the tables of a segment.
    pub fn load(bytes: Box<dyn Bytes>) -> Result<Self, Damaged> {
        read::load(bytes).ok_or(Damaged)
    }

    /// Returns what tells the segment from others.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns what was put beside the index.
    pub fn extra(&self) -> &[u8] {
        &self.extra
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns the path of a file; an empty one if there is no such file.
    pub fn path(&self, file: usize) -> &str {
        let start = self
            .before(file)
            .map_or(0, |record| record.path_end as usize);
        let end = self
            .records
            .get(file)
            .map_or(start, |record| record.path_end as usize);
        self.paths.get(start..end).unwrap_or_default()
    }

    fn before(&self, file: usize) -> Option<&Record> {
        self.records.get(file.checked_sub(1)?)
    }

    /// Returns the file at a path.
    pub fn find(&self, path: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.path(middle).cmp(path) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// Returns what a file is for.
    pub fn role(&self, file: usize) -> Role {
        self.records
            .get(file)
            .map_or(Role::Data, |record| record.role)
    }

    /// Returns what told that a file is as it was.
    pub fn stamp(&self, file: usize) -> u64 {
        self.records.get(file).map_or(0, |record| record.stamp)
    }

    /// Returns what a file imports, as it is written.
    pub fn imports(&self, file: usize) -> Vec<String> {
        let lines = self.import_lines(file).unwrap_or_default();
        lines.lines().map(str::to_owned).collect()
    }

    fn import_lines(&self, file: usize) -> Option<String> {
        let start = self.before(file).map_or(0, |record| record.imports_end);
        let end = self.records.get(file)?.imports_end;
        let len = usize::try_from(end.checked_sub(start)?).ok()?;
        let bytes = self.bytes.read(self.imports_at.checked_add(start)?, len)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns the number of chunks.
    pub fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// Returns the file of a chunk and the number of terms in the chunk.
    pub fn chunk(&self, chunk: u32) -> Option<(usize, u32)> {
        let (file, terms) = self.chunks.get(chunk as usize)?;
        Some((*file as usize, *terms))
    }

    /// Returns the first chunk of a file.
    pub fn first_chunk(&self, file: usize) -> u32 {
        self.records
            .get(file)
            .map_or(0, |record| record.first_chunk)
    }

    /// Returns the postings of a term, in the order of chunks; none where the bytes are damaged.
    pub fn postings(&self, key: Key) -> Vec<Posting> {
        read::postings(self, key).unwrap_or_default()
    }

    /// Returns all postings, sorted.
    pub fn all_postings(&self) -> impl Iterator<Item = Result<Posting, Damaged>> + '_ {
        read::All::new(self)
    }
}

/// Reads the entry at the front of a block: a term and the bytes of its postings.
fn entry<'a>(reader: &mut Reader<'a>) -> Option<(Key, Reader<'a>)> {
    let key = Key(reader.word()?);
    let len = reader.size()?;
    Some((key, Reader(reader.bytes(len)?)))
}

/// Returns the checksum of the tables.
fn sum(tables: &[u8]) -> u64 {
    checksum(tables) ^ MAGIC
}

#[cfg(test)]
mod tests;
