//! Text that is nearly there, character by character.
//!
//! In: a pattern, a stretch of text. Out: where the pattern costs fewest insertions, deletions
//! and replacements (after Sellers), where each of its characters stands, and what comes next.

/// The largest table that is filled, in cells.
const MAX_CELLS: usize = 4_000_000;

/// The nearest place of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// For every character of the pattern, the character of the text that is the same; none
    /// where there is no such.
    pub stands: Vec<Option<usize>>,
    /// How much of the pattern is there, of 100.
    pub score: u8,
    /// The same for the best place that begins elsewhere, and where that is.
    pub next: Option<(usize, u8)>,
}

/// Finds `pattern` in `text`; none if they are too long to be compared.
pub fn nearest(pattern: &[char], text: &[char]) -> Option<Near> {
    let width = text.len() + 1;
    if pattern.is_empty() || pattern.len().saturating_mul(width) > MAX_CELLS {
        return None;
    }
    let mut moves: Vec<u8> = Vec::with_capacity(pattern.len() * width);
    let mut costs: Vec<usize> = vec![0; width];
    let mut begins: Vec<usize> = (0..width).collect();
    for (row, own) in pattern.iter().enumerate() {
        let (mut next_costs, mut next_begins) = (vec![row + 1], vec![0]);
        moves.push(UP);
        let cells = costs
            .iter()
            .zip(&begins)
            .zip(costs.iter().zip(&begins).skip(1))
            .zip(text);
        for (((diagonal, from), (up, up_from)), other) in cells {
            let left = next_costs.last().copied().unwrap_or_default();
            let left_from = next_begins.last().copied().unwrap_or_default();
            let step = diagonal + usize::from(own != other);
            let (cost, begin, how) = if step <= up + 1 && step <= left + 1 {
                (step, *from, if own == other { SAME } else { OTHER })
            } else if *up <= left {
                (up + 1, *up_from, UP)
            } else {
                (left + 1, left_from, LEFT)
            };
            next_costs.push(cost);
            next_begins.push(begin);
            moves.push(how);
        }
        (costs, begins) = (next_costs, next_begins);
    }
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
}
