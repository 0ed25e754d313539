//! The text after a file's newest entry, as far as it cannot be had from the file itself.
//!
//! In: the text, and where the entries that are kept touched it. Out: the lines around those
//! places, and of the rest only marks: a hash of each stretch, and four bits of each line's. Read
//! with the file as it is now, whose stretches and lines stand for those with the same marks, it
//! is the text again; a line that the user changed or removed since is zero bytes. That is enough
//! to tell where the user changed what, and what was there before is never asked for: the user's
//! own change is not taken back. Stretches end where a line's hash says, as in rsync's and
//! restic's chunking, so that the same lines make the same stretches wherever they are.

use std::collections::HashMap;
use std::ops::Range;

use crate::text::codec::{Undecodable, number, read_number, take};

/// How a text is cut and marked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// A stretch has at least so many bytes.
    least: usize,
    /// One line in so many ends a stretch.
    ends: u16,
    /// Bytes of a stretch's hash.
    hash: usize,
    /// Whether a line's mark has its length and two bytes of hash.
    long_marks: bool,
}

/// The form that is written.
pub(super) const FORM: Form = Form {
    least: 2048,
    ends: 32,
    hash: 8,
    long_marks: false,
};

/// The form of earlier versions, which is read.
pub(super) const EARLIER: Form = Form {
    least: 512,
    ends: 16,
    hash: 16,
    long_marks: true,
};

/// A stretch ends after a line that takes it to so many bytes.
const MOST: usize = 16 * 1024;
/// So many bytes around a touched place are kept as well, and the whole of their lines.
const MARGIN: usize = 80;
/// No text is longer, in bytes.
const LONGEST: usize = 32 * 1024 * 1024;
/// So many lines in a row with the same marks, between others, are the same lines.
const ENOUGH: usize = 3;
/// Stretches that changed are compared by their lines up to so many pairs of these.
const PAIRS: usize = 250_000;

/// Returns a text without what is far from `touched`, which is in order.
pub(super) fn thin(text: &[u8], touched: &[Range<usize>]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut near = touched.iter().peekable();
    let mut at = 0;
    for stretch in stretches(text, FORM) {
        let start = at;
        let (mut run, mut kept) = (start, false);
        for line in stretch.split_inclusive(|byte| *byte == b'\n') {
            while near.next_if(|place| place.end + MARGIN < at).is_some() {}
            let end = at + line.len();
            let keep = near.peek().is_some_and(|place| place.start <= end + MARGIN);
            if keep != kept {
                part(&mut out, text.get(run..at).unwrap_or_default(), kept);
                (run, kept) = (at, keep);
            }
            at = end;
        }
        part(&mut out, text.get(run..at).unwrap_or_default(), kept);
    }
    out
}

/// Returns the text that [`thin`] was given, with what `now` does not tell as zero bytes; it has
/// the length that it had.
pub(super) fn fill(mut thin: &[u8], form: Form, now: &[u8]) -> Result<Vec<u8>, Undecodable> {
    let mut parts = Vec::new();
    let mut whole = 0;
    while !thin.is_empty() {
        let part = Part::read(&mut thin, form)?;
        whole += part.length();
        if whole > LONGEST {
            return Err(Undecodable);
        }
        parts.push(part);
    }
    let stretches = Stretches::of(now, form);
    let (mut out, mut group, mut cursor) = (Vec::with_capacity(whole), Vec::new(), 0);
    for part in parts {
        let found = match &part {
            Part::Text(_) => None,
            Part::Marks { hash, length, .. } => stretches.find(hash, *length, cursor),
        };
        let Some(found) = found else {
            group.push(part);
            continue;
        };
        let text = now.get(found.clone()).unwrap_or_default();
        if found.start < cursor {
            // It stands before others that it came after.
            group.push(Part::Text(text));
            continue;
        }
        let between = now.get(cursor..found.start).unwrap_or_default();
        fill_group(&mut out, &group, between);
        group.clear();
        out.extend_from_slice(text);
        cursor = found.end;
    }
    fill_group(&mut out, &group, now.get(cursor..).unwrap_or_default());
    Ok(out)
}

/// A part of a text as it is kept.
enum Part<'a> {
    Text(&'a [u8]),
    Marks {
        length: usize,
        hash: &'a [u8],
        /// One for each line.
        lines: Vec<u8>,
    },
}

impl<'a> Part<'a> {
    fn read(thin: &mut &'a [u8], form: Form) -> Result<Self, Undecodable> {
        let head = read_number(thin)?;
        let (length, kept) = (head / 2, head % 2 == 1);
        if kept {
            return Ok(Self::Text(take(thin, length)?));
        }
        let hash = take(thin, form.hash)?;
        let lines = match form.long_marks {
            true => long_marks(thin, length)?,
            false => {
                let count = read_number(thin)?;
                let packed = take(thin, count.div_ceil(2))?;
                let both = packed.iter().flat_map(|two| [two >> 4, two & 15]);
                both.take(count).collect()
            }
        };
        Ok(Self::Marks {
            length,
            hash,
            lines,
        })
    }

    fn length(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Marks { length, .. } => *length,
        }
    }

    fn line_marks(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => lines(text).map(mark).collect(),
            Self::Marks { lines, .. } => lines.clone(),
        }
    }
}

fn long_marks(thin: &mut &[u8], mut left: usize) -> Result<Vec<u8>, Undecodable> {
    let mut marks = Vec::new();
    while left > 0 {
        let line = read_number(thin)?;
        let hash = take(thin, 2)?.try_into();
        let hash = u16::from_le_bytes(hash.map_err(|_length| Undecodable)?);
        left = left.checked_sub(line).ok_or(Undecodable)?;
        marks.push(folded(hash));
    }
    Ok(marks)
}

fn part(out: &mut Vec<u8>, text: &[u8], kept: bool) {
    if text.is_empty() {
        return;
    }
    number(out, text.len() * 2 + usize::from(kept));
    if kept {
        out.extend_from_slice(text);
        return;
    }
    let hash = blake3::hash(text);
    out.extend(hash.as_bytes().iter().take(FORM.hash));
    let marks: Vec<u8> = lines(text).map(mark).collect();
    number(out, marks.len());
    let pairs = marks.chunks(2);
    out.extend(pairs.map(|pair| match pair {
        [first, second] => first << 4 | second,
        rest => rest.first().map_or(0, |last| last << 4),
    }));
}

/// The stretches of the file as it is, by their hashes.
struct Stretches {
    starts: HashMap<Vec<u8>, Vec<usize>>,
}

impl Stretches {
    fn of(now: &[u8], form: Form) -> Self {
        let mut starts: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        let mut at = 0;
        for stretch in stretches(now, form) {
            let hash = blake3::hash(stretch);
            let hash = hash.as_bytes().iter().copied().take(form.hash).collect();
            starts.entry(hash).or_default().push(at);
            at += stretch.len();
        }
        Self { starts }
    }

    /// Returns where a stretch is: the first at or after `from`, else the last before.
    fn find(&self, hash: &[u8], length: usize, from: usize) -> Option<Range<usize>> {
        let starts = self.starts.get(hash)?;
        let next = starts.partition_point(|start| *start < from);
        let start = starts.get(next).or(starts.last())?;
        Some(*start..start + length)
    }
}

/// Adds parts that are nowhere as they were: their lines are looked for `between` the parts
/// before and after them.
fn fill_group(out: &mut Vec<u8>, group: &[Part<'_>], between: &[u8]) {
    let old: Vec<u8> = group.iter().flat_map(Part::line_marks).collect();
    let candidates: Vec<&[u8]> = lines(between).collect();
    let mut found = same_lines(&old, &candidates).into_iter();
    for part in group {
        match part {
            Part::Text(text) => {
                out.extend_from_slice(text);
                let _known = found.by_ref().take(lines(text).count()).count();
            }
            Part::Marks { length, lines, .. } => {
                let own: Vec<Option<&[u8]>> = found.by_ref().take(lines.len()).collect();
                fill_lines(out, *length, &own);
            }
        }
    }
}

/// Returns for each line, by its mark, which of `now` it is.
fn same_lines<'a>(old: &[u8], now: &[&'a [u8]]) -> Vec<Option<&'a [u8]>> {
    let marks: Vec<u8> = now.iter().map(|line| mark(line)).collect();
    let alike = |(a, b): &(&u8, &u8)| a == b;
    let head = old.iter().zip(&marks).take_while(alike).count();
    let room = old.len().min(marks.len()) - head;
    let ends = old.iter().rev().zip(marks.iter().rev());
    let tail = ends.take(room).take_while(alike).count();
    let mut found = vec![None; old.len()];
    let mut same = |from: usize, to: usize, count: usize| {
        let pairs = found.iter_mut().skip(from).zip(now.iter().skip(to));
        pairs
            .take(count)
            .for_each(|(line, text)| *line = Some(*text));
    };
    same(0, 0, head);
    same(old.len() - tail, now.len() - tail, tail);
    let mut open = vec![(head..old.len() - tail, head..now.len() - tail)];
    while let Some((before, after)) = open.pop() {
        if before.len().saturating_mul(after.len()) > PAIRS {
            continue;
        }
        let inner = old.get(before.clone()).unwrap_or_default();
        let other = marks.get(after.clone()).unwrap_or_default();
        let (from, to, count) = longest_run(inner, other);
        if count < ENOUGH {
            continue;
        }
        let (from, to) = (before.start + from, after.start + to);
        same(from, to, count);
        open.push((before.start..from, after.start..to));
        open.push((from + count..before.end, to + count..after.end));
    }
    found
}

/// Returns where the longest run that two texts have in common begins in each, and its length.
/// With marks of four bits, the longest common sequence would take lines apart that belong
/// together.
fn longest_run(a: &[u8], b: &[u8]) -> (usize, usize, usize) {
    let mut best = (0, 0, 0);
    let mut above = vec![0; b.len()];
    for (i, mark) in a.iter().enumerate() {
        let mut diagonal = 0;
        for (j, (other, cell)) in b.iter().zip(&mut above).enumerate() {
            let run = if mark == other { diagonal + 1 } else { 0 };
            diagonal = std::mem::replace(cell, run);
            if run > best.2 {
                best = (i + 1 - run, j + 1 - run, run);
            }
        }
    }
    best
}

/// Adds lines of `length` bytes together, those that are not found as zero bytes.
fn fill_lines(out: &mut Vec<u8>, length: usize, found: &[Option<&[u8]>]) {
    let known: usize = found.iter().flatten().map(|line| line.len()).sum();
    let unknown = found.iter().filter(|line| line.is_none()).count();
    let fits = match unknown {
        0 => known == length,
        _ => known + unknown <= length,
    };
    let nothing = [None];
    // Where the lengths do not agree, a line was taken for another.
    let (found, mut unknown, mut left) = match fits {
        true => (found, unknown, length - known),
        false => (&nothing[..], 1, length),
    };
    for line in found {
        match line {
            Some(line) => out.extend_from_slice(line),
            None => {
                // How long each was is not known, but how long all were.
                let own = left - (unknown - 1) * (left / unknown);
                out.resize(out.len() + own.saturating_sub(1), 0);
                out.extend((own > 0).then_some(b'\n'));
                left -= own;
                unknown -= 1;
            }
        }
    }
}

/// Cuts a text, after whole lines.
fn stretches(text: &[u8], form: Form) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut length = 0;
        for line in lines(rest) {
            length += line.len();
            if length >= MOST || (length >= form.least && short(line).is_multiple_of(form.ends)) {
                break;
            }
        }
        let (stretch, later) = rest.split_at_checked(length)?;
        rest = later;
        (!stretch.is_empty()).then_some(stretch)
    })
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

fn mark(line: &[u8]) -> u8 {
    folded(short(line))
}

/// Returns four bits that do not decide where a stretch ends.
fn folded(hash: u16) -> u8 {
    (hash >> 12) as u8
}

/// Returns two bytes that tell most lines from most others: FNV-1a, folded.
fn short(line: &[u8]) -> u16 {
    let hash = line.iter().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    });
    (hash ^ (hash >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(lines: &[u16]) -> Vec<u8> {
        let lines = lines.iter();
        lines
            .flat_map(|line| format!("a line of some length, {line}\n").into_bytes())
            .collect()
    }

    proptest! {
        #[test]
        fn a_text_comes_again_and_what_was_touched_in_any_case(
            lines in proptest::collection::vec(0..2000_u16, 0..600),
            at in 0..600_usize,
            place in 0..20_000_usize,
        ) {
            let old = text(&lines);
            let place = place.min(old.len());
            let near = place..(place + 40).min(old.len());
            let touched = std::slice::from_ref(&near);
            let thin = thin(&old, touched);
            prop_assert!(fill(&thin, FORM, &old).unwrap() == old);
            let mut changed = lines.clone();
            changed.splice(at.min(lines.len())..at.min(lines.len()), [60_000, 60_001]);
            let filled = fill(&thin, FORM, &text(&changed)).unwrap();
            prop_assert_eq!(filled.len(), old.len());
            let bare = fill(&thin, FORM, b"").unwrap();
            prop_assert_eq!(bare.len(), old.len());
            prop_assert_eq!(&bare[near.clone()], &old[near]);
        }

        #[test]
        fn garbage_is_refused_or_read(bytes: Vec<u8>) {
            for form in [FORM, EARLIER] {
                let _read = fill(&bytes, form, b"a\n");
            }
        }
    }

    /// Writes a text as earlier versions did, without a kept place.
    fn thin_earlier(text: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for stretch in stretches(text, EARLIER) {
            number(&mut out, stretch.len() * 2);
            out.extend_from_slice(&blake3::hash(stretch).as_bytes()[..EARLIER.hash]);
            for line in lines(stretch) {
                number(&mut out, line.len());
                out.extend_from_slice(&short(line).to_le_bytes());
            }
        }
        out
    }

    /// Returns the numbers of the lines that differ, and whether all the others are the same.
    fn differing(filled: &[u8], old: &[u8]) -> Vec<usize> {
        assert_eq!(filled.len(), old.len());
        let pairs = lines(filled).zip(lines(old)).enumerate();
        let differ = pairs.filter(|(_, (a, b))| a != b);
        differ.map(|(at, _)| at).collect()
    }

    #[test]
    fn only_the_lines_that_the_user_changed_are_not_known() {
        let old: Vec<u16> = (0..3000).collect();
        let thinned = thin(&text(&old), &[]);
        let earlier = thin_earlier(&text(&old));
        #[track_caller]
        fn check(thin: &[u8], form: Form, old: &[u16], now: &[u16], expected: &[usize]) {
            let filled = fill(thin, form, &text(now)).unwrap();
            assert_eq!(differing(&filled, &text(old)), expected);
        }
        let changed = |places: &[usize]| {
            let mut now = old.clone();
            places.iter().for_each(|at| now[*at] = 9000 + *at as u16);
            now
        };
        let added = [&old[..700], &[9000, 9001][..], &old[700..]].concat();
        let removed = [&old[..700], &old[702..]].concat();
        let moved = [&old[..700], &old[1000..], &old[700..1000]].concat();
        for (thin, form) in [(&thinned, FORM), (&earlier, EARLIER)] {
            check(thin, form, &old, &old, &[]);
            check(thin, form, &old, &changed(&[100]), &[100]);
            check(
                thin,
                form,
                &old,
                &changed(&[100, 104, 2999]),
                &[100, 104, 2999],
            );
            check(thin, form, &old, &added, &[]);
            check(thin, form, &old, &removed, &[700, 701]);
        }
        let filled = fill(&thinned, FORM, &text(&moved)).unwrap();
        let lost = differing(&filled, &text(&old)).len();
        assert!(lost < 300, "{lost} lines");
    }

    #[test]
    fn it_takes_a_fraction_of_the_text() {
        let lines: Vec<u16> = (0..30_000).collect();
        let old = text(&lines);
        let touched = 500_000..500_040;
        let thin = thin(&old, std::slice::from_ref(&touched));
        let (own, whole) = (thin.len(), old.len());
        assert!(own * 40 < whole, "{own} of {whole}");
    }
}
