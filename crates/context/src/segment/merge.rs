//! Writing a segment: runs of sorted postings are merged.
//!
//! In: runs, each with files sorted by path and postings sorted by term. Out: one segment, written as
//! the postings come, so that memory holds the tables only.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};

use super::{BLOCK_BYTES, Damaged, MAGIC, Segment, sum};
use crate::codec::{put_number, put_text};
use crate::extract::{Extract, Posting};
use crate::role::Role;
use crate::words::Key;

/// A file without its postings.
#[derive(Clone, Debug)]
pub struct Document {
    /// Where it is, relative to the workspace.
    pub path: Box<str>,
    /// What it is for.
    pub role: Role,
    /// What tells whether it changed.
    pub stamp: u64,
    /// The number of terms of each chunk.
    pub chunks: Box<[u32]>,
    /// What it imports, a line each.
    pub imports: Box<str>,
}

impl Document {
    /// Splits what was extracted of a file into the file and its postings.
    pub fn of(extract: Extract, stamp: u64) -> (Self, Vec<Posting>) {
        let document = Self {
            path: extract.path.into(),
            role: extract.role,
            stamp,
            chunks: extract.chunks.into(),
            imports: extract.imports.join("\n").into(),
        };
        (document, extract.postings)
    }
}

/// Files with their postings.
pub struct Run<'a> {
    /// Files by path; a file without value is left out, and so are its postings.
    pub documents: Vec<Result<Document, LeftOut>>,
    /// Postings by term and chunk, chunks counted over all files of the run, those left out among
    /// them.
    pub postings: Box<dyn Iterator<Item = Result<Posting, Damaged>> + 'a>,
}

/// A file that is left out, with its number of chunks.
#[derive(Clone, Copy, Debug)]
pub struct LeftOut(pub usize);

impl<'a> Run<'a> {
    /// Returns a segment as a run, without the files that `keep` refuses.
    pub fn of(segment: &'a Segment, keep: impl Fn(usize) -> bool) -> Self {
        let documents = (0..segment.len()).map(|file| {
            let first = segment.first_chunk(file) as usize;
            let next = segment.records.get(file + 1);
            let end = next.map_or(segment.chunks.len(), |next| next.first_chunk as usize);
            if !keep(file) {
                return Err(LeftOut(end - first));
            }
            let chunks = segment.chunks.get(first..end).unwrap_or_default();
            Ok(Document {
                path: segment.path(file).into(),
                role: segment.role(file),
                stamp: segment.stamp(file),
                chunks: chunks.iter().map(|(_, terms)| *terms).collect(),
                imports: segment.import_lines(file).unwrap_or_default().into(),
            })
        });
        Self {
            documents: documents.collect(),
            postings: Box::new(segment.all_postings()),
        }
    }

    /// Returns files with their postings in memory as a run. Chunks are counted within each file.
    pub fn in_memory(mut files: Vec<(Document, Vec<Posting>)>) -> Self {
        files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        let (mut documents, mut all) = (Vec::new(), Vec::new());
        let mut first = 0;
        for (document, postings) in files {
            let here = postings.into_iter();
            all.extend(here.map(|posting| Posting {
                chunk: posting.chunk + first,
                ..posting
            }));
            first += u32::try_from(document.chunks.len()).unwrap_or(u32::MAX);
            documents.push(Ok(document));
        }
        all.sort_unstable();
        Self {
            documents,
            postings: Box::new(all.into_iter().map(Ok)),
        }
    }
}

/// The number that a chunk of a run has in the segment; none if its file is left out.
type Renumbered = Vec<Option<u32>>;

/// Writes the segment of several runs; no path may be in two of them.
///
/// # Errors
///
/// Fails where `out` does, and where a run is damaged.
pub fn write(out: &mut impl Write, id: u64, extra: &[u8], runs: Vec<Run<'_>>) -> io::Result<()> {
    let (lists, streams): (Vec<_>, Vec<_>) = runs
        .into_iter()
        .map(|run| (run.documents, run.postings))
        .unzip();
    let (documents, numbers) = number(lists);
    out.write_all(&MAGIC.to_le_bytes())?;
    let mut blocks = Blocks {
        out,
        at: 8,
        block: Vec::new(),
        list: Vec::new(),
        last: 0,
        key: None,
        index: Vec::new(),
    };
    merge(streams, &numbers, &mut blocks)?;
    blocks.end_list();
    blocks.end_block()?;
    let (imports_at, index) = (blocks.at, std::mem::take(&mut blocks.index));
    for document in &documents {
        out.write_all(document.imports.as_bytes())?;
    }
    let imports: u64 = documents
        .iter()
        .map(|document| document.imports.len() as u64)
        .sum();
    let tables = tables(id, extra, &index, &documents);
    out.write_all(&tables)?;
    for word in [imports_at, imports_at + imports, sum(&tables), MAGIC] {
        out.write_all(&word.to_le_bytes())?;
    }
    Ok(())
}

/// Puts the files of all runs in one order and numbers their chunks.
fn number(lists: Vec<Vec<Result<Document, LeftOut>>>) -> (Vec<Document>, Vec<Renumbered>) {
    let mut numbers: Vec<Renumbered> = Vec::new();
    let mut all = Vec::new();
    for (run, list) in lists.into_iter().enumerate() {
        let mut count = 0;
        for document in list {
            match document {
                Ok(document) => {
                    let first = count;
                    count += document.chunks.len();
                    all.push((document, run, first));
                }
                Err(LeftOut(chunks)) => count += chunks,
            }
        }
        numbers.push(vec![None; count]);
    }
    all.sort_by(|(a, ..), (b, ..)| a.path.cmp(&b.path));
    let mut next = 0_u32;
    let mut documents = Vec::with_capacity(all.len());
    for (document, run, first) in all {
        let own = numbers
            .get_mut(run)
            .and_then(|numbers| numbers.get_mut(first..));
        for slot in own
            .unwrap_or_default()
            .iter_mut()
            .take(document.chunks.len())
        {
            *slot = Some(next);
            next += 1;
        }
        documents.push(document);
    }
    (documents, numbers)
}

type Stream<'a> = Box<dyn Iterator<Item = Result<Posting, Damaged>> + 'a>;

/// Merges streams of postings into blocks.
fn merge(
    mut streams: Vec<Stream<'_>>,
    numbers: &[Renumbered],
    blocks: &mut Blocks<'_, impl Write>,
) -> io::Result<()> {
    let mut next = |run: usize| -> io::Result<Option<Posting>> {
        let Some(stream) = streams.get_mut(run) else {
            return Ok(None);
        };
        for posting in stream {
            let posting = posting.map_err(|Damaged| io::Error::from(io::ErrorKind::InvalidData))?;
            let numbers = numbers.get(run).map_or(&[][..], Vec::as_slice);
            if let Some(chunk) = numbers.get(posting.chunk as usize).copied().flatten() {
                return Ok(Some(Posting { chunk, ..posting }));
            }
        }
        Ok(None)
    };
    let mut heap = BinaryHeap::new();
    for run in 0..numbers.len() {
        heap.extend(next(run)?.map(|posting| Reverse((posting, run))));
    }
    while let Some(Reverse((posting, run))) = heap.pop() {
        blocks.push(posting)?;
        heap.extend(next(run)?.map(|posting| Reverse((posting, run))));
    }
    Ok(())
}

/// Blocks of postings as they are written.
struct Blocks<'a, W> {
    out: &'a mut W,
    at: u64,
    block: Vec<u8>,
    /// The postings of `key`.
    list: Vec<u8>,
    /// The last chunk of the list.
    last: u32,
    key: Option<Key>,
    /// The first key of each block and where it begins.
    index: Vec<(Key, u64)>,
}

impl<W: Write> Blocks<'_, W> {
    fn push(&mut self, posting: Posting) -> io::Result<()> {
        if self.key != Some(posting.key) {
            self.end_list();
            if self.block.len() >= BLOCK_BYTES {
                self.end_block()?;
            }
            if self.block.is_empty() {
                self.index.push((posting.key, self.at));
            }
            (self.key, self.last) = (Some(posting.key), 0);
        }
        put_number(
            &mut self.list,
            u64::from(posting.chunk.wrapping_sub(self.last)),
        );
        self.list.push(posting.count);
        self.last = posting.chunk;
        Ok(())
    }

    fn end_list(&mut self) {
        if let Some(key) = self.key.take() {
            self.block.extend_from_slice(&key.0.to_le_bytes());
            put_number(&mut self.block, self.list.len() as u64);
            self.block.append(&mut self.list);
        }
    }

    fn end_block(&mut self) -> io::Result<()> {
        self.out.write_all(&self.block)?;
        self.at += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }
}

fn tables(id: u64, extra: &[u8], index: &[(Key, u64)], documents: &[Document]) -> Vec<u8> {
    let mut out = id.to_le_bytes().to_vec();
    put_number(&mut out, extra.len() as u64);
    out.extend_from_slice(extra);
    put_number(&mut out, index.len() as u64);
    let mut before = 0;
    for (key, at) in index {
        out.extend_from_slice(&key.0.to_le_bytes());
        put_number(&mut out, at - before);
        before = *at;
    }
    put_number(&mut out, documents.len() as u64);
    for document in documents {
        out.extend_from_slice(&document.stamp.to_le_bytes());
        out.push(document.role.code());
        put_number(&mut out, document.path.len() as u64);
        put_number(&mut out, document.imports.len() as u64);
        put_number(&mut out, document.chunks.len() as u64);
        document
            .chunks
            .iter()
            .for_each(|terms| put_number(&mut out, u64::from(*terms)));
    }
    let paths: String = documents.iter().map(|document| &*document.path).collect();
    put_text(&mut out, &paths);
    out
}
