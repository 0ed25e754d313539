//! Extraction of many files on all cores, in bounded memory.
//!
//! In: files. Out: runs of sorted postings. A thread that holds a full run of postings sorts it and keeps
//! it in a short form, in memory at first and in nameless files of the folder beyond that.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use signoff_source::syntax::with_room;

use super::listing::Listed;
use super::threads;
use crate::codec::put_number;
use crate::extract::{MAX_TEXT_BYTES, Posting, extract};
use crate::segment::{Damaged, Document, Run};
use crate::words::Key;

/// Postings that a thread holds before it sorts them: 8 MB.
const MAX_POSTINGS: usize = 500_000;
/// Bytes of sorted runs that stay in memory.
const MAX_MEMORY: usize = 16 * 1024 * 1024;
/// Files that a thread takes at once.
const BATCH: usize = 16;

/// Postings in their short form.
enum Short {
    Memory(Vec<u8>),
    Spilled(File),
}

struct Sorted {
    documents: Vec<Document>,
    postings: Short,
}

/// Extracts files; those that cannot be read any more have their path only.
///
/// # Errors
///
/// Fails if there is no room in `folder` for what does not stay in memory.
pub(super) fn extract_all(
    root: &Path,
    folder: &Path,
    files: &[Listed],
) -> io::Result<Vec<Run<'static>>> {
    let next = AtomicUsize::new(0);
    let memory = AtomicUsize::new(0);
    // Runs come in any order: each is sorted, and merging sorts them together.
    let runs = Mutex::new(Vec::new());
    let work = || -> io::Result<()> {
        let mut worker = Worker {
            root,
            folder,
            memory: &memory,
            documents: Vec::new(),
            postings: Vec::new(),
            chunks: 0,
        };
        loop {
            let at = next.fetch_add(BATCH, Ordering::Relaxed);
            let Some(batch) = files.get(at..).filter(|rest| !rest.is_empty()) else {
                break;
            };
            for file in batch.iter().take(BATCH) {
                worker.add(file);
            }
            if worker.postings.len() >= MAX_POSTINGS {
                let run = worker.sort()?;
                runs.lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .push(run);
            }
        }
        if !worker.documents.is_empty() {
            let run = worker.sort()?;
            runs.lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .push(run);
        }
        Ok(())
    };
    let threads = threads(files.len().div_ceil(BATCH));
    // Parsers need room to recurse, which `with_room` has.
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|_| scope.spawn(|| with_room(work).unwrap_or_else(broken_thread)))
            .collect();
        let own = with_room(work).unwrap_or_else(broken_thread);
        others
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|_| broken_thread()))
            .fold(own, Result::and)
    })?;
    let runs = runs
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    runs.into_iter().map(Sorted::into_run).collect()
}

fn broken_thread<T>() -> io::Result<T> {
    Err(io::Error::other("a thread that reads files broke down"))
}

/// What a thread has extracted since it last sorted.
struct Worker<'a> {
    root: &'a Path,
    folder: &'a Path,
    /// Bytes of runs in memory, of all threads.
    memory: &'a AtomicUsize,
    documents: Vec<Document>,
    postings: Vec<Posting>,
    chunks: u32,
}

impl Worker<'_> {
    fn add(&mut self, file: &Listed) {
        let bytes = read(&self.root.join(&*file.path), file.size);
        let (document, postings) = Document::of(extract(&file.path, bytes.as_deref()), file.stamp);
        let first = self.chunks;
        let postings = postings.into_iter();
        self.postings.extend(postings.map(|posting| Posting {
            chunk: posting.chunk + first,
            ..posting
        }));
        self.chunks += u32::try_from(document.chunks.len()).unwrap_or(u32::MAX);
        self.documents.push(document);
    }

    fn sort(&mut self) -> io::Result<Sorted> {
        self.postings.sort_unstable();
        let mut out = Vec::new();
        let mut last = 0;
        for posting in self.postings.drain(..) {
            put_number(&mut out, posting.key.0 - last);
            put_number(&mut out, u64::from(posting.chunk));
            out.push(posting.count);
            last = posting.key.0;
        }
        self.chunks = 0;
        let documents = std::mem::take(&mut self.documents);
        let held = self.memory.fetch_add(out.len(), Ordering::Relaxed);
        let postings = if held + out.len() <= MAX_MEMORY {
            out.shrink_to_fit();
            Short::Memory(out)
        } else {
            let mut file = BufWriter::new(tempfile::tempfile_in(self.folder)?);
            file.write_all(&out)?;
            Short::Spilled(file.into_inner().map_err(io::IntoInnerError::into_error)?)
        };
        Ok(Sorted {
            documents,
            postings,
        })
    }
}

impl Sorted {
    fn into_run(self) -> io::Result<Run<'static>> {
        let reader: Box<dyn BufRead> = match self.postings {
            Short::Memory(bytes) => Box::new(Cursor::new(bytes)),
            Short::Spilled(mut file) => {
                file.rewind()?;
                Box::new(BufReader::with_capacity(64 * 1024, file))
            }
        };
        let postings = Postings { reader, last: 0 };
        Ok(Run {
            documents: self.documents.into_iter().map(Ok).collect(),
            postings: Box::new(postings),
        })
    }
}

/// Reads a file of no more than the bytes that are indexed; none for others and for what is no regular
/// file any more.
fn read(path: &Path, size: u64) -> Option<Vec<u8>> {
    if size > MAX_TEXT_BYTES as u64 || !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
    // It may have grown since.
    File::open(path)
        .ok()?
        .take(MAX_TEXT_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}

/// Postings that come back from their short form.
struct Postings {
    reader: Box<dyn BufRead>,
    last: u64,
}

impl Postings {
    /// Reads a number, if there is one.
    fn number(&mut self) -> io::Result<Option<u64>> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let mut byte = [0];
            if self.reader.read(&mut byte)? == 0 {
                return Ok(None);
            }
            let [byte] = byte;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    fn posting(&mut self) -> io::Result<Option<Posting>> {
        let Some(step) = self.number()? else {
            return Ok(None);
        };
        self.last = self.last.wrapping_add(step);
        let chunk = self.number()?.and_then(|chunk| u32::try_from(chunk).ok());
        let mut count = [0];
        self.reader.read_exact(&mut count)?;
        let [count] = count;
        let chunk = chunk.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(Some(Posting {
            key: Key(self.last),
            chunk,
            count,
        }))
    }
}

impl Iterator for Postings {
    type Item = Result<Posting, Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        self.posting().map_err(|_unreadable| Damaged).transpose()
    }
}
