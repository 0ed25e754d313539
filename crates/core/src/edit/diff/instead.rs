//! The lines that stand in place of a hunk in a text that changed otherwise.
//!
//! In: a hunk, the text that it was made for, and what became of that text. Out: the lines in
//! the hunk's place.

use std::ops::Range;

use super::hunk::Rendered;
use crate::edit::diff::line::LineKind;
use crate::text::{EditSet, Source, Splice};

/// A change from one text to another, in which places are looked up.
pub struct Saved<'a> {
    splices: &'a [Splice],
    /// By how much the splices before each one have moved it.
    ahead: Vec<isize>,
}

impl<'a> Saved<'a> {
    /// Takes a change.
    pub fn new(edits: &'a EditSet) -> Self {
        let ahead = edits.splices().iter().scan(0, |ahead, splice| {
            let own = *ahead;
            *ahead += grown(splice);
            Some(own)
        });
        Self {
            splices: edits.splices(),
            ahead: ahead.collect(),
        }
    }

    /// Returns where the bytes `start` to `end` are after the change, with what it put there.
    fn range(&self, (mut start, mut end): (usize, usize)) -> (usize, usize) {
        let first = self.splices.partition_point(|splice| splice.end() < start);
        let ahead = match (
            self.ahead.get(first),
            self.ahead.last(),
            self.splices.last(),
        ) {
            (Some(ahead), ..) => *ahead,
            (None, Some(ahead), Some(last)) => ahead + grown(last),
            _ => 0,
        };
        let mut within = 0;
        for splice in self.splices.get(first..).unwrap_or_default() {
            if splice.at > end {
                break;
            }
            start = start.min(splice.at);
            end = end.max(splice.end());
            within += grown(splice);
        }
        (
            start.saturating_add_signed(ahead),
            end.saturating_add_signed(ahead + within),
        )
    }
}

fn grown(splice: &Splice) -> isize {
    splice.new.len() as isize - splice.old.len() as isize
}

/// Returns the lines (0-based) that `now` has in place of those that a hunk of `base` changes;
/// `saved` leads from `base` to `now`.
pub fn instead(hunk: &Rendered, base: &Source, now: &Source, saved: &Saved<'_>) -> Range<usize> {
    let Some(changed) = changed_lines(hunk) else {
        return 0..0;
    };
    let start = base.line_range(changed.start).start;
    let end = if changed.is_empty() {
        start
    } else {
        base.line_range(changed.end - 1).end
    };
    let (from, to) = saved.range((start, end));
    if from < to {
        now.line_of(from)..now.line_of(to - 1) + 1
    } else {
        now.line_of(from)..now.line_of(from)
    }
}

/// Returns the lines that a hunk removes, or the place where it adds some; 0-based.
fn changed_lines(hunk: &Rendered) -> Option<Range<usize>> {
    let removed = hunk.lines.iter().filter(|l| l.kind == LineKind::Removed);
    let numbers = removed.filter_map(|line| line.old);
    let span = numbers.fold(None, |span: Option<(u32, u32)>, number| {
        Some(span.map_or((number, number), |(first, _)| (first, number)))
    });
    if let Some((first, last)) = span {
        return Some(first.saturating_sub(1) as usize..last as usize);
    }
    let added = hunk.lines.iter().position(|l| l.kind == LineKind::Added)?;
    let mut above = hunk.lines.iter().take(added).filter_map(|line| line.old);
    let place = above.next_back().unwrap_or(0) as usize;
    Some(place..place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::diff::hunk;
    use crate::edit::diff::lines::difference;

    fn check(base: &str, wanted: &str, mine: &str, expected: Range<usize>) {
        let (base, mine) = (Source::new(base), Source::new(mine));
        let edits = hunk::by_line(&base, &difference(&base, &Source::new(wanted)));
        let numbers = hunk::group(&base, &edits);
        let shown = hunk::render(&base, &edits, &numbers);
        let saved = difference(&base, &mine);
        assert_eq!(
            instead(&shown[0], &base, &mine, &Saved::new(&saved)),
            expected
        );
    }

    #[test]
    fn the_lines_in_the_place_of_a_hunk() {
        check("a\nb\nc\n", "a\nB\nc\n", "a\nmine\nc\n", 1..2);
        check("a\nb\nc\n", "a\nB\nc\n", "new\na\nmine\nand\nc\n", 2..4);
        check("a\nb\nc\n", "a\nB\nc\n", "a\nc\n", 1..1);
        check("a\nb\nc\n", "a\nB\nC\n", "a\nb\nmine\n", 1..3);
        check("a\nb\n", "a\nnew\nb\n", "a\nmine\nb\n", 1..2);
        check("", "new\n", "mine\n", 0..1);
    }
}
