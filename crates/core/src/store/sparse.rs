//! The text after a file's newest entry, as far as it cannot be had from the file itself.
//!
//! In: the text, and where the entries that are kept touched it. Out: the text around those
//! places, and of the rest only marks: a hash of each stretch, a length and two bytes of hash of each
//! line. Read with the file as it is now, whose lines stand for those with the same marks, it is
//! the text again; a line that the user changed or removed since is so many zero bytes. That is
//! enough to tell where the user changed what, and what was there before is never asked for:
//! the user's own change is not taken back. Stretches end where a line's hash says, as in rsync's
//! and restic's chunking, so that the same lines make the same stretches wherever they are.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::text::codec::{Undecodable, number, read_number, take};

/// A stretch has at least so many bytes.
const LEAST: usize = 512;
/// It ends after a line that takes it to so many.
const MOST: usize = 16 * 1024;
/// One line in so many ends a stretch.
const ENDS: u16 = 16;
/// So many bytes around a touched place are kept as well.
const MARGIN: usize = 80;
/// No text is longer, in bytes.
const LONGEST: usize = 32 * 1024 * 1024;
/// Bytes of a stretch's hash.
const HASH: usize = 16;

/// Returns a text without what is far from `touched`, which is in order.
pub(super) fn thin(text: &[u8], touched: &[Range<usize>]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut near = touched.iter().peekable();
    let mut at = 0;
    for stretch in stretches(text) {
        let end = at + stretch.len();
        while near.next_if(|place| place.end + MARGIN < at).is_some() {}
        let keep = near.peek().is_some_and(|place| place.start <= end + MARGIN);
        number(&mut out, stretch.len() * 2 + usize::from(keep));
        match keep {
            true => out.extend_from_slice(stretch),
            false => mark(&mut out, stretch),
        }
        at = end;
    }
    out
}

/// Returns the text that [`thin`] was given, with what `now` does not tell as zero bytes; it has
/// the length that it had.
pub(super) fn fill(mut thin: &[u8], now: &[u8]) -> Result<Vec<u8>, Undecodable> {
    let mut parts = Vec::new();
    let mut whole = 0;
    while !thin.is_empty() {
        let part = Part::read(&mut thin)?;
        whole += part.length;
        if whole > LONGEST {
            return Err(Undecodable);
        }
        parts.push(part);
    }
    let here: Vec<([u8; HASH], &[u8])> = stretches(now)
        .map(|stretch| (hash(stretch), stretch))
        .collect();
    let wanted: HashSet<&[u8]> = parts.iter().map(|part| part.bytes).collect();
    let changed = here.iter().filter(|(own, _)| !wanted.contains(&own[..]));
    let mut lines = Lines::of(changed.map(|(_, stretch)| *stretch));
    let here: HashMap<&[u8], &[u8]> = here.iter().map(|(own, text)| (&own[..], *text)).collect();
    let mut out = Vec::with_capacity(whole);
    for part in parts {
        match part.marks {
            None => out.extend_from_slice(part.bytes),
            Some(marks) => match here.get(part.bytes) {
                Some(text) => out.extend_from_slice(text),
                None => marks
                    .into_iter()
                    .for_each(|mark| lines.fill(&mut out, mark)),
            },
        }
    }
    Ok(out)
}

/// The length and the hash of a line.
type Mark = (usize, u16);

/// A stretch as it is kept.
struct Part<'a> {
    length: usize,
    /// Its text, or its hash.
    bytes: &'a [u8],
    /// Its lines, where only the hash is there.
    marks: Option<Vec<Mark>>,
}

impl<'a> Part<'a> {
    fn read(thin: &mut &'a [u8]) -> Result<Self, Undecodable> {
        let head = read_number(thin)?;
        let (length, kept) = (head / 2, head % 2 == 1);
        if kept {
            let (bytes, marks) = (take(thin, length)?, None);
            return Ok(Self {
                length,
                bytes,
                marks,
            });
        }
        let bytes = take(thin, HASH)?;
        let (mut left, mut marks) = (length, Vec::new());
        while left > 0 {
            let line = read_number(thin)?;
            let hash = take(thin, 2)?.try_into();
            let hash = u16::from_le_bytes(hash.map_err(|_length| Undecodable)?);
            left = left.checked_sub(line).ok_or(Undecodable)?;
            marks.push((line, hash));
        }
        let marks = Some(marks);
        Ok(Self {
            length,
            bytes,
            marks,
        })
    }
}

/// Lines by their marks, and where the one after the last that was found is.
struct Lines<'a> {
    by_mark: HashMap<Mark, Vec<(usize, &'a [u8])>>,
    next: usize,
}

impl<'a> Lines<'a> {
    fn of(stretches: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut by_mark: HashMap<Mark, Vec<(usize, &[u8])>> = HashMap::new();
        let lines = stretches.flat_map(|text| text.split_inclusive(|byte| *byte == b'\n'));
        for (at, line) in lines.enumerate() {
            let own = by_mark.entry((line.len(), short(line)));
            own.or_default().push((at, line));
        }
        Self { by_mark, next: 0 }
    }

    /// Adds the next line with this mark, else the last before it: lines mostly come in the order
    /// that they had. Without one it adds zero bytes.
    fn fill(&mut self, out: &mut Vec<u8>, mark: Mark) {
        let own = self.by_mark.get(&mark).map_or(&[][..], Vec::as_slice);
        let at = own.partition_point(|(at, _)| *at < self.next);
        match own.get(at).or(own.last()) {
            Some((at, line)) => {
                self.next = at + 1;
                out.extend_from_slice(line);
            }
            None => blank(out, mark.0),
        }
    }
}

fn blank(out: &mut Vec<u8>, length: usize) {
    out.resize(out.len() + length.saturating_sub(1), 0);
    out.push(b'\n');
}

fn mark(out: &mut Vec<u8>, stretch: &[u8]) {
    out.extend_from_slice(&hash(stretch));
    for line in stretch.split_inclusive(|byte| *byte == b'\n') {
        number(out, line.len());
        out.extend_from_slice(&short(line).to_le_bytes());
    }
}

/// Cuts a text, after whole lines.
fn stretches(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut length = 0;
        for line in rest.split_inclusive(|byte| *byte == b'\n') {
            length += line.len();
            if length >= MOST || (length >= LEAST && short(line).is_multiple_of(ENDS)) {
                break;
            }
        }
        let (stretch, later) = rest.split_at_checked(length)?;
        rest = later;
        (!stretch.is_empty()).then_some(stretch)
    })
}

fn hash(stretch: &[u8]) -> [u8; HASH] {
    let whole = blake3::hash(stretch);
    let mut short = [0; HASH];
    let bytes = short.iter_mut().zip(whole.as_bytes());
    bytes.for_each(|(to, from)| *to = *from);
    short
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
            prop_assert!(fill(&thin, &old).unwrap() == old);
            let mut changed = lines.clone();
            changed.splice(at.min(lines.len())..at.min(lines.len()), [60_000, 60_001]);
            let filled = fill(&thin, &text(&changed)).unwrap();
            prop_assert_eq!(filled.len(), old.len());
            let bare = fill(&thin, b"").unwrap();
            prop_assert_eq!(bare.len(), old.len());
            prop_assert_eq!(&bare[near.clone()], &old[near]);
        }

        #[test]
        fn garbage_is_refused_or_read(bytes: Vec<u8>) {
            let _read = fill(&bytes, b"a\n");
        }
    }

    #[test]
    fn it_takes_a_fraction_of_the_text() {
        let lines: Vec<u16> = (0..30_000).collect();
        let old = text(&lines);
        let touched = 500_000..500_040;
        let thin = thin(&old, std::slice::from_ref(&touched));
        assert!(
            thin.len() * 8 < old.len(),
            "{} of {}",
            thin.len(),
            old.len()
        );
        let mut changed = lines;
        changed[100] = 60_000;
        let filled = fill(&thin, &text(&changed)).unwrap();
        let differ = filled.iter().zip(&old).filter(|(a, b)| a != b).count();
        assert!(differ < 40, "{differ}");
    }
}
