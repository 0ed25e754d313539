//! The patch text of diff-match-patch: characters with a few of their neighbours, and offsets.

use std::fmt::Write as _;
use std::ops::Range;

use crate::ask::Ask;
use crate::text::{self, Change};

/// So many characters of context stand on each side, at first and at most.
const MARGIN: usize = 16;
const MAX_MARGIN: usize = 128;

/// Returns the patch text.
pub(super) fn patch(ask: &Ask) -> String {
    let before = text::join(&ask.before);
    let mut patch = String::new();
    // Each patch counts in the text after those before it.
    let mut shift = ask.style.numbers_off * 40;
    for piece in pieces(ask, &before) {
        write(&mut patch, &before, &piece, shift);
        let removed = count(before.get(piece.removed.clone()).unwrap_or_default());
        shift += count(&piece.added) as isize - removed as isize;
    }
    patch
}

/// Returns whether what the patch shows is in `text` once at most.
pub(super) fn is_told(ask: &Ask, text: &str) -> bool {
    let before = text::join(&ask.before);
    pieces(ask, &before).iter().all(|piece| {
        let shown = before.get(piece.shown.clone()).unwrap_or_default();
        text.matches(shown).nth(1).is_none()
    })
}

/// Returns whether `text` has neither what the patch removes nor what it leaves.
pub(super) fn is_stale(ask: &Ask, text: &str) -> bool {
    let before = text::join(&ask.before);
    pieces(ask, &before).iter().all(|piece| {
        let removed = &before[piece.removed.clone()];
        let lead = &before[piece.shown.start..piece.removed.start];
        let trail = &before[piece.removed.end..piece.shown.end];
        let left = format!("{lead}{}{trail}", piece.added);
        removed.trim().len() >= 8 && !text.contains(removed.trim()) && !text.contains(&left)
    })
}

struct Piece {
    /// Bytes of the text before that are shown.
    shown: Range<usize>,
    /// Bytes of it that go.
    removed: Range<usize>,
    added: String,
}

fn pieces(ask: &Ask, before: &str) -> Vec<Piece> {
    let starts = starts(&ask.before);
    let changes = text::changes(&ask.before, &ask.after);
    changes
        .iter()
        .map(|change| piece(before, &starts, change))
        .collect()
}

fn piece(before: &str, starts: &[usize], change: &Change) -> Piece {
    let at = |line: usize| starts.get(line).copied().unwrap_or(before.len());
    let (start, end) = (at(change.old.start), at(change.old.end));
    let old = before.get(start..end).unwrap_or_default();
    let new = text::join(&change.new);
    let head = common(old.chars(), new.chars());
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = common(old_rest.chars().rev(), new_rest.chars().rev());
    let added = new_rest[..new_rest.len() - tail].to_owned();
    let removed = start + head..end - tail;
    let mut margin = MARGIN;
    let mut shown = around(before, &removed, margin);
    while margin < MAX_MARGIN && before.matches(&before[shown.clone()]).nth(1).is_some() {
        margin *= 2;
        shown = around(before, &removed, margin);
    }
    Piece {
        shown,
        removed,
        added,
    }
}

fn around(text: &str, range: &Range<usize>, margin: usize) -> Range<usize> {
    let left: usize = text[..range.start]
        .chars()
        .rev()
        .take(margin)
        .map(char::len_utf8)
        .sum();
    let right: usize = text[range.end..]
        .chars()
        .take(margin)
        .map(char::len_utf8)
        .sum();
    range.start - left..range.end + right
}

fn write(patch: &mut String, before: &str, piece: &Piece, shift: isize) {
    let lead = &before[piece.shown.start..piece.removed.start];
    let removed = &before[piece.removed.clone()];
    let trail = &before[piece.removed.end..piece.shown.end];
    let first = (count(&before[..piece.shown.start]) as isize + shift).max(0) + 1;
    let around = count(lead) + count(trail);
    let _ = writeln!(
        patch,
        "@@ -{first},{} +{first},{} @@",
        around + count(removed),
        around + count(&piece.added),
    );
    for (mark, part) in [
        (' ', lead),
        ('-', removed),
        ('+', &piece.added),
        (' ', trail),
    ] {
        if !part.is_empty() {
            let _ = writeln!(patch, "{mark}{}", encoded(part));
        }
    }
}

fn starts(lines: &[String]) -> Vec<usize> {
    let ends = lines.iter().scan(0, |end, line| {
        *end += line.len() + 1;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

fn common(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    let same = a.zip(b).take_while(|(a, b)| a == b);
    same.map(|(a, _)| a.len_utf8()).sum()
}

fn count(text: &str) -> usize {
    text.chars().count()
}

/// Encodes as JavaScript's `encodeURI` does, but for blanks.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b" !~*'();/?:@&=+$,#-_.".contains(&byte);
        if plain {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
