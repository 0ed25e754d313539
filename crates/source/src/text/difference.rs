//! Line difference of two texts.
//!
//! In: two sequences of lines. Out: pairs of ranges that differ, in order. Lines that occur
//! once on both sides anchor the rest (patience diff, after Bram Cohen); between anchors runs
//! Myers' algorithm, and where the stretch is too large for it, the stretch is one change. So
//! the work stays near linear on any input.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{EditSet, Slice as _, Source, Splice};

/// Product of the line counts of two stretches beyond which they are one change. Attack: two texts of a hundred thousand
/// lines without a line in common, for which Myers takes time with the product.
const MYERS_LIMIT: usize = 1_000_000;

/// Lines `old` become lines `new`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineDifference {
    /// 0-based lines of the old side.
    pub old: Range<usize>,
    /// 0-based lines of the new side.
    pub new: Range<usize>,
}

/// Returns the changes that lead from `old` to `new`; between them, lines are equal.
pub fn diff_lines(old: &[&[u8]], new: &[&[u8]]) -> Vec<LineDifference> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(room);
    let tail = tail.take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);

    let mut changes = Vec::new();
    let mut from = (head, head);
    for (a, b) in anchors(old, head..old_end, new, head..new_end) {
        stretch(old, from.0..a, new, from.1..b, &mut changes);
        from = (a + 1, b + 1);
    }
    stretch(old, from.0..old_end, new, from.1..new_end, &mut changes);
    join(changes)
}

/// Returns the change from one text to another, whole lines at a time.
pub fn difference(old: &Source, new: &Source) -> EditSet {
    let old_lines: Vec<&[u8]> = all_lines(old)
        .map(|line| old.line_with_ending(line))
        .collect();
    let new_lines: Vec<&[u8]> = all_lines(new)
        .map(|line| new.line_with_ending(line))
        .collect();
    let splices = diff_lines(&old_lines, &new_lines)
        .into_iter()
        .map(|change| {
            let (at, removed) = bytes_of(old, &change.old);
            Splice {
                at,
                old: removed,
                new: bytes_of(new, &change.new).1,
            }
        });
    let splices = EditSet::new(splices.collect());
    splices.unwrap_or_else(|_overlap| EditSet::between(old.bytes(), new.bytes()))
}

fn all_lines(source: &Source) -> Range<usize> {
    0..source.line_count()
}

/// Returns the same change without the lines that it leaves as they are.
pub fn narrowed(edits: &EditSet) -> EditSet {
    // Splices side by side are one: what each puts in must not meet at a point.
    let mut joined: Vec<Splice> = Vec::new();
    for splice in edits.splices() {
        match joined.last_mut().filter(|last| last.end() == splice.at) {
            Some(last) => {
                last.old.extend_from_slice(&splice.old);
                last.new.extend_from_slice(&splice.new);
            }
            None => joined.push(splice.clone()),
        }
    }
    let parts = joined.iter().flat_map(|splice| {
        let within = difference(&source_of(&splice.old), &source_of(&splice.new));
        within
            .splices()
            .iter()
            .map(|part| Splice {
                at: splice.at + part.at,
                ..part.clone()
            })
            .collect::<Vec<_>>()
    });
    EditSet::new(parts.collect()).unwrap_or_else(|_overlap| edits.clone())
}

fn source_of(bytes: &[u8]) -> Source {
    Source::new(bytes.to_vec())
}

/// Returns where lines begin, and their bytes.
fn bytes_of(source: &Source, lines: &Range<usize>) -> (usize, Vec<u8>) {
    let range = source.line_range(lines.start).start..source.line_range(lines.end).start;
    (range.start, source.bytes().slice(range).to_vec())
}

/// Returns pairs of equal lines: unique on both sides and in order on both.
fn anchors(
    old: &[&[u8]],
    old_range: Range<usize>,
    new: &[&[u8]],
    new_range: Range<usize>,
) -> Vec<(usize, usize)> {
    let mut seen: HashMap<&[u8], (usize, usize, usize, usize)> = HashMap::new();
    for (line, text) in slice(old, old_range.clone()).iter().enumerate() {
        let entry = seen.entry(text).or_default();
        entry.0 += 1;
        entry.1 = old_range.start + line;
    }
    for (line, text) in slice(new, new_range.clone()).iter().enumerate() {
        if let Some(entry) = seen.get_mut(text) {
            entry.2 += 1;
            entry.3 = new_range.start + line;
        }
    }
    let unique = seen
        .into_values()
        .filter(|(olds, _, news, _)| (*olds, *news) == (1, 1));
    let mut pairs: Vec<_> = unique.map(|(_, a, _, b)| (a, b)).collect();
    pairs.sort_unstable();
    longest_increasing(&pairs)
}

/// Returns the longest run of `pairs` (sorted by the first) whose second parts increase.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut piles: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        let pile = piles.partition_point(|top| pairs.get(*top).map(|pair| pair.1) < Some(pair.1));
        previous.push(
            pile.checked_sub(1)
                .and_then(|left| piles.get(left).copied()),
        );
        match piles.get_mut(pile) {
            Some(top) => *top = index,
            None => piles.push(index),
        }
    }
    let mut run = Vec::with_capacity(piles.len());
    let mut at = piles.last().copied();
    while let Some(index) = at {
        run.extend(pairs.get(index));
        at = previous.get(index).copied().flatten();
    }
    run.reverse();
    run
}

fn stretch(
    old: &[&[u8]],
    old_range: Range<usize>,
    new: &[&[u8]],
    new_range: Range<usize>,
    changes: &mut Vec<LineDifference>,
) {
    if old_range.is_empty() && new_range.is_empty() {
        return;
    }
    if old_range.len().saturating_mul(new_range.len()) > MYERS_LIMIT {
        changes.push(LineDifference {
            old: old_range,
            new: new_range,
        });
        return;
    }
    let (a, b) = (slice(old, old_range.clone()), slice(new, new_range.clone()));
    for op in capture_diff_slices(Algorithm::Myers, a, b) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (left, right) = (op.old_range(), op.new_range());
        changes.push(LineDifference {
            old: old_range.start + left.start..old_range.start + left.end,
            new: new_range.start + right.start..new_range.start + right.end,
        });
    }
}

/// Joins changes that touch.
fn join(changes: Vec<LineDifference>) -> Vec<LineDifference> {
    let mut joined: Vec<LineDifference> = Vec::with_capacity(changes.len());
    for change in changes {
        match joined.last_mut() {
            Some(last) if last.old.end == change.old.start && last.new.end == change.new.start => {
                last.old.end = change.old.end;
                last.new.end = change.new.end;
            }
            _ => joined.push(change),
        }
    }
    joined
}

fn slice<'a, 'b>(lines: &'b [&'a [u8]], range: Range<usize>) -> &'b [&'a [u8]] {
    lines.slice(range)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(text: &str) -> Vec<&[u8]> {
        text.split_inclusive('\n').map(str::as_bytes).collect()
    }

    fn rebuilt<'a>(
        old: &[&'a [u8]],
        new: &[&'a [u8]],
        changes: &[LineDifference],
    ) -> Vec<&'a [u8]> {
        let mut out = Vec::new();
        let mut done = 0;
        for change in changes {
            out.extend_from_slice(&old[done..change.old.start]);
            out.extend_from_slice(&new[change.new.clone()]);
            done = change.old.end;
        }
        out.extend_from_slice(&old[done..]);
        out
    }

    proptest! {
        #[test]
        fn the_changes_lead_from_old_to_new(a in "[a-d\n]{0,60}", b in "[a-d\n]{0,60}") {
            let (old, new) = (lines(&a), lines(&b));
            let changes = diff_lines(&old, &new);
            prop_assert_eq!(rebuilt(&old, &new, &changes), new);
            for pair in changes.windows(2) {
                prop_assert!(pair[0].old.end < pair[1].old.start || pair[0].new.end < pair[1].new.start);
            }
        }
    }

    #[test]
    fn one_changed_line_is_one_change() {
        let (old, new) = (lines("a\nb\nc\n"), lines("a\nx\nc\n"));
        assert_eq!(
            diff_lines(&old, &new),
            [LineDifference {
                old: 1..2,
                new: 1..2
            }]
        );
    }

    #[test]
    fn two_large_texts_without_a_common_line_are_one_change() {
        let a: String = (0..20_000).map(|n| format!("a{n}\n")).collect();
        let b: String = (0..20_000).map(|n| format!("b{n}\n")).collect();
        assert_eq!(diff_lines(&lines(&a), &lines(&b)).len(), 1);
    }
}
