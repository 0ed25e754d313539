//! Approximate search by character.
//!
//! In: a pattern, a stretch of text. Out: where the pattern costs fewest insertions, deletions
//! and replacements (after Sellers), where each of its characters stands, and what comes next;
//! or only whether it is there at some cost, for long texts (after Myers, 64 rows at a time).

use std::collections::HashMap;

/// The largest table that is filled, in cells.
const MAX_CELLS: usize = 4_000_000;

/// The nearest place of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Near {
    /// For every character of the pattern, the character of the text that is the same; none
    /// where there is no such.
    pub stands: Vec<Option<usize>>,
    /// How much of the pattern is there, of 100.
    pub score: u8,
    /// The same for the best place that begins elsewhere, and where that is.
    pub next: Option<(usize, u8)>,
}

/// Finds `pattern` in `text`; none if they are too long to be compared.
pub(crate) fn nearest(pattern: &[char], text: &[char]) -> Option<Near> {
    let width = text.len() + 1;
    if pattern.is_empty() || pattern.len().saturating_mul(width) > MAX_CELLS {
        return None;
    }
    let mut moves = vec![UP; pattern.len() * width];
    // Per character of the text: the cost, and where what costs it begins.
    let mut column: Vec<(u32, u32)> = (0..width as u32).map(|begin| (0, begin)).collect();
    for (row, (own, moves)) in (1..).zip(pattern.iter().zip(moves.chunks_exact_mut(width))) {
        let mut left = (row, 0);
        let Some((first, cells)) = column.split_first_mut() else {
            continue;
        };
        let mut diagonal = std::mem::replace(first, left);
        for ((cell, how), other) in cells.iter_mut().zip(moves.iter_mut().skip(1)).zip(text) {
            let up = *cell;
            let step = diagonal.0 + u32::from(own != other);
            (left, *how) = if step <= up.0 + 1 && step <= left.0 + 1 {
                ((step, diagonal.1), if own == other { SAME } else { OTHER })
            } else if up.0 <= left.0 {
                ((up.0 + 1, up.1), UP)
            } else {
                ((left.0 + 1, left.1), LEFT)
            };
            diagonal = std::mem::replace(cell, left);
        }
    }
    let (costs, begins): (Vec<usize>, Vec<usize>) = column
        .into_iter()
        .map(|(cost, begin)| (cost as usize, begin as usize))
        .unzip();
    let (end, cost) = costs
        .iter()
        .copied()
        .enumerate()
        .min_by_key(|(_, cost)| *cost)?;
    let begin = begins.get(end).copied()?;
    let score = |cost: usize| {
        u8::try_from(100 * pattern.len().saturating_sub(cost) / pattern.len()).unwrap_or_default()
    };
    let apart = |(_, other): &(&usize, &usize)| other.abs_diff(begin) > pattern.len() / 2;
    let next = costs
        .iter()
        .zip(&begins)
        .filter(apart)
        .min_by_key(|(cost, _)| **cost);
    Some(Near {
        stands: trace(&moves, width, pattern.len(), end),
        score: score(cost),
        next: next.map(|(cost, begin)| (*begin, score(*cost))),
    })
}

/// The most work that [`has_within`] does, in words of 64 rows.
const MAX_WORDS: usize = 100_000_000;

/// Returns whether `pattern` stands in `text` at a cost of at most `cost`; none if the two are
/// too long to be compared.
pub(crate) fn has_within(pattern: &[char], text: &str, cost: usize) -> Option<bool> {
    let words = pattern.len().div_ceil(64);
    if words.saturating_mul(text.len()) > MAX_WORDS {
        return None;
    }
    if cost >= pattern.len() {
        return Some(true);
    }
    let mut masks: HashMap<char, Vec<u64>> = HashMap::new();
    for (row, char) in pattern.iter().enumerate() {
        let mask = masks.entry(*char).or_insert_with(|| vec![0; words]);
        if let Some(word) = mask.get_mut(row / 64) {
            *word |= 1 << (row % 64);
        }
    }
    let none = vec![0; words];
    let last = 1 << ((pattern.len() + 63) % 64);
    let mut column = vec![(u64::MAX, 0_u64); words];
    let mut now = pattern.len();
    for char in text.chars() {
        let mask = masks.get(&char).unwrap_or(&none);
        now = now.saturating_add_signed(step(&mut column, mask, last));
        if now <= cost {
            return Some(true);
        }
    }
    Some(false)
}

/// Moves a column of the table, kept as differences up and down between its rows, by one
/// character; returns by how much the last row changes.
fn step(column: &mut [(u64, u64)], mask: &[u64], last: u64) -> isize {
    let (mut up, mut down) = (0, 0);
    let mut change = 0;
    let count = column.len();
    for (index, ((plus, minus), mask)) in column.iter_mut().zip(mask).enumerate() {
        let mask_down = mask | down;
        let sum = (mask_down & *plus).wrapping_add(*plus);
        let diagonal = (sum ^ *plus) | mask_down;
        let mut raises = *minus | !(diagonal | *plus);
        let mut lowers = *plus & diagonal;
        let top = if index + 1 == count { last } else { 1 << 63 };
        let (rises, falls) = (raises & top != 0, lowers & top != 0);
        if index + 1 == count {
            change = isize::from(rises) - isize::from(falls);
        }
        raises = raises << 1 | up;
        lowers = lowers << 1 | down;
        let vertical = mask | *minus;
        *plus = lowers | !(vertical | raises);
        *minus = raises & vertical;
        (up, down) = (u64::from(rises), u64::from(falls));
    }
    change
}

const SAME: u8 = 0;
const OTHER: u8 = 1;
const UP: u8 = 2;
const LEFT: u8 = 3;

fn trace(moves: &[u8], width: usize, rows: usize, end: usize) -> Vec<Option<usize>> {
    let mut stands = vec![None; rows];
    let (mut row, mut column) = (rows, end);
    while row > 0 {
        let how = moves.get((row - 1) * width + column).copied().unwrap_or(UP);
        if how == SAME
            && let Some(place) = stands.get_mut(row - 1)
        {
            *place = column.checked_sub(1);
        }
        match how {
            UP => row -= 1,
            LEFT => column = column.saturating_sub(1),
            _ => (row, column) = (row - 1, column.saturating_sub(1)),
        }
    }
    stands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_place_and_the_next_are_found() {
        let chars = |text: &str| text.chars().collect::<Vec<char>>();
        let near = nearest(&chars("hello"), &chars("a help b hallo c")).unwrap();
        assert_eq!(near.stands, [Some(9), None, Some(11), Some(12), Some(13)]);
        assert_eq!((near.score, near.next), (80, Some((2, 60))));
        assert_eq!(nearest(&chars("abc"), &chars("")).unwrap().score, 0);
    }
    #[test]
    fn long_texts_are_searched_as_the_table_would() {
        // A small generator; what matters is that both ways agree on all lengths around a word.
        let mut state = 7_u64;
        let mut next = |count: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % count
        };
        for length in [1, 5, 63, 64, 65, 127, 128, 130] {
            for _ in 0..20 {
                let pattern: Vec<char> = (0..length)
                    .map(|_| ['a', 'b', 'é'][next(3) as usize])
                    .collect();
                let mut text: Vec<char> = (0..200)
                    .map(|_| ['a', 'b', 'c'][next(3) as usize])
                    .collect();
                text.splice(20..20, pattern.iter().copied().filter(|_| next(9) > 0));
                let least = (0..=length).find(|cost| {
                    let string: String = text.iter().collect();
                    has_within(&pattern, &string, *cost) == Some(true)
                });
                assert_eq!(least, Some(table(&pattern, &text)), "{pattern:?} {text:?}");
            }
        }
    }

    fn table(pattern: &[char], text: &[char]) -> usize {
        let mut costs = vec![0; text.len() + 1];
        for (row, own) in pattern.iter().enumerate() {
            let mut below = vec![row + 1];
            for (at, other) in text.iter().enumerate() {
                let step = costs[at] + usize::from(own != other);
                below.push(step.min(costs[at + 1] + 1).min(below[at] + 1));
            }
            costs = below;
        }
        costs.into_iter().min().unwrap()
    }
}
