//! Reading a segment: its tables, the postings of a term, all postings in order.
//!
//! In: bytes. Out: a segment or postings, or nothing where the bytes are damaged.

use super::{Bytes, Damaged, FOOTER, MAGIC, Record, Segment, entry, sum};
use crate::codec::Reader;
use crate::extract::Posting;
use crate::role::Role;
use crate::words::Key;

pub(super) fn load(bytes: Box<dyn Bytes>) -> Option<Segment> {
    let end = bytes.size().checked_sub(FOOTER as u64)?;
    let footer = bytes.read(end, FOOTER)?;
    let mut footer = Reader(&footer);
    let (imports_at, tables_at) = (footer.word()?, footer.word()?);
    let (expected, magic) = (footer.word()?, footer.word()?);
    let begin = bytes.read(0, 8)?;
    if magic != MAGIC || Reader(&begin).word()? != MAGIC || imports_at > tables_at {
        return None;
    }
    let len = usize::try_from(end.checked_sub(tables_at)?).ok()?;
    let tables = bytes.read(tables_at, len)?.into_owned();
    if sum(&tables) != expected {
        return None;
    }
    let mut reader = Reader(&tables);
    let id = reader.word()?;
    let len = reader.size()?;
    let extra = reader.bytes(len)?.to_vec();
    let blocks = blocks(&mut reader)?;
    let (records, chunks) = records(&mut reader)?;
    let paths = reader.text()?.to_owned();
    Some(Segment {
        bytes,
        id,
        extra,
        records,
        paths,
        chunks,
        blocks,
        imports_at,
    })
}

fn blocks(reader: &mut Reader<'_>) -> Option<Vec<(Key, u64)>> {
    let count = reader.size()?;
    let mut blocks = Vec::new();
    let mut at = 0;
    for _ in 0..count {
        let key = Key(reader.word()?);
        at += reader.number()?;
        blocks.push((key, at));
    }
    Some(blocks)
}

/// Records of files, and of each chunk its file and its number of terms.
type Tables = (Vec<Record>, Vec<(u32, u32)>);

fn records(reader: &mut Reader<'_>) -> Option<Tables> {
    let count = reader.small()?;
    let (mut records, mut chunks) = (Vec::new(), Vec::new());
    let (mut path_end, mut imports_end) = (0_u32, 0_u64);
    for file in 0..count {
        let stamp = reader.word()?;
        let role = Role::from_code(reader.byte()?)?;
        path_end = path_end.checked_add(reader.small()?)?;
        imports_end = imports_end.checked_add(reader.number()?)?;
        let first_chunk = u32::try_from(chunks.len()).ok()?;
        for _ in 0..reader.small()? {
            chunks.push((file, reader.small()?));
        }
        records.push(Record {
            path_end,
            first_chunk,
            role,
            stamp,
            imports_end,
        });
    }
    Some((records, chunks))
}

/// Returns where a block begins and how long it is.
fn extent(segment: &Segment, block: usize) -> Option<(u64, usize)> {
    let (_, start) = *segment.blocks.get(block)?;
    let end = segment
        .blocks
        .get(block + 1)
        .map_or(segment.imports_at, |(_, next)| *next);
    Some((start, usize::try_from(end.checked_sub(start)?).ok()?))
}

pub(super) fn postings(segment: &Segment, key: Key) -> Option<Vec<Posting>> {
    let after = segment.blocks.partition_point(|(first, _)| *first <= key);
    let (start, len) = extent(segment, after.checked_sub(1)?)?;
    let block = segment.bytes.read(start, len)?;
    let mut reader = Reader(&block);
    while !reader.0.is_empty() {
        let (found, list) = entry(&mut reader)?;
        if found == key {
            return decoded(key, list);
        }
        if found > key {
            break;
        }
    }
    None
}

fn decoded(key: Key, mut list: Reader<'_>) -> Option<Vec<Posting>> {
    // A posting takes two bytes at least.
    let mut postings = Vec::with_capacity(list.0.len() / 2);
    let mut chunk = 0_u32;
    while !list.0.is_empty() {
        chunk = chunk.checked_add(list.small()?)?;
        postings.push(Posting {
            key,
            chunk,
            count: list.byte()?,
        });
    }
    Some(postings)
}

/// All postings of a segment in order.
pub(super) struct All<'a> {
    segment: &'a Segment,
    block: usize,
    waiting: std::vec::IntoIter<Posting>,
}

impl<'a> All<'a> {
    pub(super) fn new(segment: &'a Segment) -> Self {
        Self {
            segment,
            block: 0,
            waiting: Vec::new().into_iter(),
        }
    }

    /// Reads the next block; none if it is damaged.
    fn read(&mut self) -> Option<Vec<Posting>> {
        let (start, len) = extent(self.segment, self.block)?;
        let block = self.segment.bytes.read(start, len)?;
        let mut reader = Reader(&block);
        let mut postings = Vec::new();
        while !reader.0.is_empty() {
            let (key, list) = entry(&mut reader)?;
            postings.extend(decoded(key, list)?);
        }
        Some(postings)
    }
}

impl Iterator for All<'_> {
    type Item = Result<Posting, Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(posting) = self.waiting.next() {
                return Some(Ok(posting));
            }
            if self.block >= self.segment.blocks.len() {
                return None;
            }
            let Some(postings) = self.read() else {
                self.block = usize::MAX;
                return Some(Err(Damaged));
            };
            self.block += 1;
            self.waiting = postings.into_iter();
        }
    }
}
