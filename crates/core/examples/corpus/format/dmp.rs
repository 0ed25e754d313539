//! The patch text of diff-match-patch: characters with a few of their neighbours, and offsets.

use std::fmt::Write as _;
use std::ops::Range;

use crate::ask::Ask;
use crate::text::{self, Change, Lines};

/// So many characters of context stand on each side, at first and at most.
const MARGIN: usize = 16;
const MAX_MARGIN: usize = 128;

/// Returns the patch text.
pub(super) fn patch(ask: &Ask) -> String {
    let mut patch = String::new();
    for piece in pieces(ask) {
        write(&mut patch, &piece, ask.style.numbers_off * 40);
    }
    patch
}

/// Returns whether what the patch shows is in `text` once at most.
pub(super) fn is_told(ask: &Ask, text: &str) -> bool {
    let once = |piece: &Piece| text.matches(&piece.shown()).nth(1).is_none();
    pieces(ask).iter().all(once)
}

/// Returns whether each piece tells its place in a text for which the changes are `moved`: all that
/// it shows, or what changes with the line above and the line below as far as it shows them, says
/// something and stands once in what the pieces before it leave.
pub(super) fn tells(ask: &Ask, text: &Lines, moved: &[Change]) -> bool {
    let pieces = pieces(ask);
    let told = |(at, piece): (usize, &Piece)| {
        let left = moved.get(..at).unwrap_or_default();
        let left = text::join(&text::apply(text, left));
        let told = |shown: &str| text::telling(shown) && left.matches(shown).count() == 1;
        told(&piece.shown()) || told(&piece.middle())
    };
    pieces.len() != moved.len() || pieces.iter().enumerate().all(told)
}

/// Returns whether `text` has neither what the patch removes nor what it leaves.
pub(super) fn is_stale(ask: &Ask, text: &str) -> bool {
    pieces(ask).iter().all(|piece| {
        let left = format!("{}{}{}", piece.lead, piece.added, piece.trail);
        let removed = piece.removed.trim();
        removed.len() >= 8 && !text.contains(removed) && !text.contains(&left)
    })
}

/// Returns whether `text` has neither what the patch shows nor what it leaves, nor what it removes:
/// where that stands elsewhere, a few characters are all that tells that it is not meant.
pub(super) fn is_gone(ask: &Ask, text: &str) -> bool {
    pieces(ask).iter().all(|piece| {
        let removed = piece.removed.trim();
        let left = format!("{}{}{}", piece.lead, piece.added, piece.trail);
        let stands = !removed.is_empty() && text.contains(removed);
        !stands && !text.contains(&piece.shown()) && !text.contains(&left)
    })
}

/// One change with the characters around it.
struct Piece {
    /// Characters before it, in the text that the pieces before it leave.
    at: usize,
    lead: String,
    removed: String,
    added: String,
    trail: String,
}

impl Piece {
    fn shown(&self) -> String {
        format!("{}{}{}", self.lead, self.removed, self.trail)
    }

    /// Returns what it shows from the line above what changes to the line below it.
    fn middle(&self) -> String {
        let above = self.lead.rmatch_indices('\n').nth(1);
        let lead = &self.lead[above.map_or(0, |(at, _)| at + 1)..];
        let head = format!("{}{}", self.lead, self.removed);
        // The rest of the line that changes, and the one below it.
        let lines = if head.is_empty() || head.ends_with('\n') {
            1
        } else {
            2
        };
        let below = self.trail.match_indices('\n').nth(lines - 1);
        let trail = &self.trail[..below.map_or(self.trail.len(), |(at, _)| at + 1)];
        format!("{lead}{}{trail}", self.removed)
    }
}

/// Returns the changes, each with what is around it in the text that those before it leave, as
/// diff-match-patch makes them: a change shows what the one before it has become.
fn pieces(ask: &Ask) -> Vec<Piece> {
    let starts = starts(&ask.before);
    let mut text = text::join(&ask.before);
    let end = text.len();
    let mut grown = 0_isize;
    let mut pieces = Vec::new();
    for change in text::changes(&ask.before, &ask.after) {
        let at = |line: usize| {
            let at = starts.get(line).copied().unwrap_or(end);
            at.saturating_add_signed(grown)
        };
        let (piece, place) = piece(&text, at(change.old.start)..at(change.old.end), &change);
        grown += piece.added.len() as isize - piece.removed.len() as isize;
        text.replace_range(place, &piece.added);
        pieces.push(piece);
    }
    pieces
}

/// Returns the piece of a change whose old lines are the bytes `range`, and the bytes that go.
fn piece(text: &str, range: Range<usize>, change: &Change) -> (Piece, Range<usize>) {
    let old = text.get(range.clone()).unwrap_or_default();
    let new = text::join(&change.new);
    let head = common(old.chars(), new.chars());
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = common(old_rest.chars().rev(), new_rest.chars().rev());
    let removed = range.start + head..range.end - tail;
    let mut margin = MARGIN;
    let mut shown = around(text, &removed, margin);
    while margin < MAX_MARGIN && text.matches(&text[shown.clone()]).nth(1).is_some() {
        margin *= 2;
        shown = around(text, &removed, margin);
    }
    let piece = Piece {
        at: count(&text[..shown.start]),
        lead: text[shown.start..removed.start].to_owned(),
        removed: text[removed.clone()].to_owned(),
        added: new_rest[..new_rest.len() - tail].to_owned(),
        trail: text[removed.end..shown.end].to_owned(),
    };
    (piece, removed)
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

fn write(patch: &mut String, piece: &Piece, off: isize) {
    let first = (piece.at as isize + off).max(0) + 1;
    let around = count(&piece.lead) + count(&piece.trail);
    let _ = writeln!(
        patch,
        "@@ -{first},{} +{first},{} @@",
        around + count(&piece.removed),
        around + count(&piece.added),
    );
    for (mark, part) in [
        (' ', &piece.lead),
        ('-', &piece.removed),
        ('+', &piece.added),
        (' ', &piece.trail),
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
