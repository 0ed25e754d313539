//! Pairs of old and new lines, for two columns.
//!
//! In: the lines that a change takes away, and those that it puts in their place. Out: which stand side by side. Lines
//! that resemble each other do; what is left between them is filled up in order.
//!
//! ```text
//! -let a = 1;        let a = 1;   | // counts
//! -call(a);     =>                | let a = 2;
//! +// counts         call(a);     | call(a, b);
//! +let a = 2;
//! +call(a, b);
//! ```

/// Two sides with more combinations of lines than this are paired in order: a frame stays below 5 ms with some of them
/// in sight.
const MOST_CELLS: usize = 4_096;

/// Lines resemble each other if this share of the longer one is the same, in percent: the share from which words of a
/// line are emphasised.
const LEAST_SHARE: usize = 34;

/// One row of two columns: indexes of an old line and a new one.
pub(super) type Pair = (Option<usize>, Option<usize>);

/// Returns the rows in which lines stand side by side; every line is in one of them, in order.
pub(super) fn pairs(old: &[&str], new: &[&str]) -> Vec<Pair> {
    let matched = if old.len() * new.len() <= MOST_CELLS && old.len() != new.len() {
        resembling(old, new)
    } else {
        Vec::new()
    };
    let mut rows = Vec::with_capacity(old.len().max(new.len()));
    let (mut a, mut b) = (0, 0);
    for (left, right) in matched.into_iter().chain([(old.len(), new.len())]) {
        let count = (left - a).max(right - b);
        rows.extend((0..count).map(|at| {
            let own = |from: usize, end: usize| Some(from + at).filter(|index| *index < end);
            (own(a, left), own(b, right))
        }));
        if left < old.len() {
            rows.push((Some(left), Some(right)));
        }
        (a, b) = (left + 1, right + 1);
    }
    rows
}

/// Returns pairs of lines that resemble each other, in order on both sides, with the highest sum of resemblance
/// (Needleman and Wunsch).
fn resembling(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let columns = new.len() + 1;
    let mut best = vec![0_usize; (old.len() + 1) * columns];
    let mut alike = vec![0_usize; old.len() * new.len()];
    let get = |best: &[usize], a: usize, b: usize| best.get(a * columns + b).copied().unwrap_or(0);
    for (a, left) in old.iter().enumerate().rev() {
        for (b, right) in new.iter().enumerate().rev() {
            let own = resemblance(left, right);
            let together = if own > 0 {
                own + get(&best, a + 1, b + 1)
            } else {
                0
            };
            let apart = get(&best, a + 1, b).max(get(&best, a, b + 1));
            if let Some(cell) = best.get_mut(a * columns + b) {
                *cell = together.max(apart);
            }
            if let Some(cell) = alike.get_mut(a * new.len() + b) {
                *cell = own;
            }
        }
    }
    let mut out = Vec::new();
    let (mut a, mut b) = (0, 0);
    while a < old.len() && b < new.len() {
        let own = alike.get(a * new.len() + b).copied().unwrap_or(0);
        let here = get(&best, a, b);
        if own > 0 && here == own + get(&best, a + 1, b + 1) {
            out.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if here == get(&best, a + 1, b) {
            a += 1;
        } else {
            b += 1;
        }
    }
    out
}

/// Returns how much two lines have in common at their start and end, in percent of the longer one; 0 if too little.
fn resemblance(old: &str, new: &str) -> usize {
    let (old, new) = (old.trim(), new.trim());
    let longer = old.len().max(new.len());
    let Some((head, tail)) = common(old, new) else {
        return usize::from(old == new) * 100;
    };
    let share = (head + tail) * 100 / longer.max(1);
    if share >= LEAST_SHARE { share } else { 0 }
}

/// Returns how many bytes two texts have in common at their start, and at their end beside that; none if one is empty.
fn common(old: &str, new: &str) -> Option<(usize, usize)> {
    let room = old.len().min(new.len());
    let same = |pair: &(u8, u8)| pair.0 == pair.1;
    let head = old.bytes().zip(new.bytes()).take_while(same).count();
    let rest = room - head;
    let ends = old.bytes().rev().zip(new.bytes().rev()).take(rest);
    let tail = ends.take_while(same).count();
    (room > 0).then_some((head, tail))
}

/// Returns the ranges in which two lines differ that resemble each other; none where they do not.
pub(super) fn differing(old: &str, new: &str) -> Option<[(usize, usize); 2]> {
    if resemblance(old, new) == 0 {
        return None;
    }
    let (mut head, mut tail) = common(old, new)?;
    while !(old.is_char_boundary(head) && new.is_char_boundary(head)) {
        head -= 1;
    }
    while !(old.is_char_boundary(old.len() - tail) && new.is_char_boundary(new.len() - tail)) {
        tail -= 1;
    }
    Some([(head, old.len() - tail), (head, new.len() - tail)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(old: &'static str, new: &'static str) -> String {
        let split = |text: &'static str| text.split(',').filter(|line| !line.is_empty()).collect();
        let (old, new): (Vec<&str>, Vec<&str>) = (split(old), split(new));
        let side = |index: Option<usize>, lines: &[&str]| {
            index
                .and_then(|at| lines.get(at).copied())
                .unwrap_or("-")
                .to_owned()
        };
        let rows = pairs(&old, &new).into_iter();
        let rows = rows.map(|(a, b)| format!("{}|{}", side(a, &old), side(b, &new)));
        rows.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_that_resemble_each_other_stand_side_by_side() {
        for (old, new, expected) in [
            ("let a = 1;", "let a = 2;", "let a = 1;|let a = 2;"),
            (
                "let a = 1;,call(a);",
                "// counts,let a = 2;,call(b);",
                "-|// counts let a = 1;|let a = 2; call(a);|call(b);",
            ),
            ("x,y", "", "x|- y|-"),
            ("", "x,y", "-|x -|y"),
            ("one,two", "uuu,vvv,www", "one|uuu two|vvv -|www"),
        ] {
            assert_eq!(shown(old, new), expected);
        }
    }

    #[test]
    fn what_differs_is_found_between_characters() {
        assert_eq!(
            differing("let a = é;", "let a = è;"),
            Some([(8, 10), (8, 10)])
        );
        assert_eq!(differing("one", "two"), None);
    }

    proptest! {
        #[test]
        fn every_line_is_in_one_row_in_order(old in prop::collection::vec("[ab]{0,4}", 0..12), new in prop::collection::vec("[ab]{0,4}", 0..12)) {
            let [left, right] = [&old, &new].map(|side| side.iter().map(String::as_str).collect::<Vec<_>>());
            let rows = pairs(&left, &right);
            let left: Vec<usize> = rows.iter().filter_map(|row| row.0).collect();
            let right: Vec<usize> = rows.iter().filter_map(|row| row.1).collect();
            prop_assert_eq!(left, (0..old.len()).collect::<Vec<_>>());
            prop_assert_eq!(right, (0..new.len()).collect::<Vec<_>>());
            prop_assert!(rows.iter().all(|row| row.0.is_some() || row.1.is_some()));
        }
    }
}
