//! Changed lines: where in a text lines belong of which only the new wording is known.
//!
//! In: a text, and lines of a later version of it, some as they stand. Out: the text with the lines in their place,
//! or none if no place is clear. The lines are aligned with those of the text (after Smith and Waterman): a line is
//! paired with one that is the same or alike; the others are new. What stands between two paired lines goes only if
//! both of them are as they were, or if others come for it. Lines are new only beside one that stands.

use std::cmp::Reverse;
use std::iter::once;

use super::similarity::alike;
use crate::text::indent::leading;

/// How alike a line and its later version are at least, of 100.
const ALIKE: i32 = 50;
/// What a line costs that is new or gone, where two that are the same are worth 100: less than a pair is worth.
const GAP: i32 = 35;
/// What two empty lines are worth: any text has some.
const EMPTY: i32 = 30;
/// By how much the best place is better than another: less does not tell them apart.
const AHEAD: i32 = 10;
/// How many pairs of lines are compared: enough for 500 lines among 1,000.
const MAX_PAIRS: usize = 500_000;

/// A text with changed lines in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The text.
    pub text: String,
    /// True if some of the lines stand in the text as they are: then others beside them may be new.
    pub is_anchored: bool,
}

/// Puts changed lines into a text. Parts of them that belong to different places have a line between them that only
/// says so, as `...`.
pub fn place(text: &str, changed: &str) -> Option<Changed> {
    let mut placed: Option<Changed> = None;
    for part in parts(changed) {
        let (before, anchored) = match &placed {
            Some(placed) => (placed.text.as_str(), placed.is_anchored),
            None => (text, true),
        };
        let next = place_part(before, &part)?;
        placed = Some(Changed {
            is_anchored: anchored && next.is_anchored,
            ..next
        });
    }
    placed
}

/// Returns the runs of lines between those that stand for others, without empty lines around them.
fn parts(changed: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = changed.lines().map(str::trim_end).collect();
    let stands_for_others =
        |line: &&str| matches!(line.trim(), "..." | "…" | "# ..." | "// ..." | "/* ... */");
    let parts = lines.split(stands_for_others).map(|part| {
        let first = part.iter().position(|line| !line.is_empty());
        let last = part.iter().rposition(|line| !line.is_empty());
        let range = first.zip(last).map(|(first, last)| first..last + 1);
        part.get(range.unwrap_or_default()).unwrap_or_default()
    });
    parts
        .filter(|part| !part.is_empty())
        .map(<[&str]>::to_vec)
        .collect()
}

/// A line of those that changed, and the one of the text that it is a version of.
#[derive(Clone, Copy, Debug)]
struct Pair {
    new: usize,
    old: usize,
}

fn place_part(text: &str, new: &[&str]) -> Option<Changed> {
    let old: Vec<&str> = text.lines().collect();
    if old.len().checked_mul(new.len())? > MAX_PAIRS {
        return None;
    }
    let pairs = aligned(&old, new)?;
    let is_same = |pair: &Pair| {
        let (new, old) = (new.get(pair.new), old.get(pair.old));
        new.zip(old)
            .is_some_and(|(new, old)| !new.is_empty() && new.trim() == old.trim())
    };
    let is_anchored = pairs.iter().any(is_same);
    if !is_anchored && pairs.len() < new.len() {
        return None;
    }
    let (first, last) = (pairs.first()?, pairs.last()?);
    let shift = Shift::of(&old, new, &pairs);
    let mut lines: Vec<String> = Vec::with_capacity(old.len() + new.len());
    let keep = |lines: &mut Vec<String>, from: usize, to: usize| {
        let kept = old.get(from..to).unwrap_or_default();
        lines.extend(kept.iter().map(|line| (*line).to_owned()));
    };
    let come = |lines: &mut Vec<String>, from: usize, to: usize| {
        let come = new.get(from..to).unwrap_or_default();
        lines.extend(come.iter().map(|line| shift.apply(line)));
    };
    keep(&mut lines, 0, first.old);
    come(&mut lines, 0, first.new + 1);
    for (pair, next) in pairs.iter().zip(pairs.iter().skip(1)) {
        let goes = (is_same(pair) && is_same(next)) || next.new > pair.new + 1;
        if !goes {
            keep(&mut lines, pair.old + 1, next.old);
        }
        come(&mut lines, pair.new + 1, next.new + 1);
    }
    come(&mut lines, last.new + 1, new.len());
    keep(&mut lines, last.old + 1, old.len());
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut placed = lines.join(ending);
    if text.ends_with('\n') {
        placed.push_str(ending);
    }
    Some(Changed {
        text: placed,
        is_anchored,
    })
}

/// How the best way to a cell of the alignment ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A line is new.
    New,
    /// A line of the text is gone.
    Gone,
    Paired,
}

/// Returns which lines are versions of each other, in order, if there is one place where all of them are best.
fn aligned(old: &[&str], new: &[&str]) -> Option<Vec<Pair>> {
    let width = old.len() + 1;
    let mut steps: Vec<Step> = Vec::with_capacity(width * new.len());
    // Before the first line that changed, any line of the text costs nothing.
    let mut above: Vec<i32> = vec![0; width];
    for line in new {
        let mut scores: Vec<i32> = Vec::with_capacity(width);
        let mut left = None;
        let diagonals = once(None).chain(above.iter().copied().map(Some));
        let olds = once(None).chain(old.iter().map(Some));
        for ((up, diagonal), own) in above.iter().zip(diagonals).zip(olds) {
            let paired = diagonal.zip(own).and_then(|(score, own)| {
                let worth = worth(own.trim(), line.trim())?;
                Some((score + worth, Step::Paired))
            });
            // A place does not begin with a line that is gone.
            let gone = left.map(|score: i32| (score - GAP, Step::Gone));
            // Of two as good ways the last one counts.
            let ways = [gone, Some((up - GAP, Step::New)), paired];
            let best = ways.into_iter().flatten().max_by_key(|(score, _)| *score);
            let (score, step) = best?;
            scores.push(score);
            steps.push(step);
            left = Some(score);
        }
        above = scores;
    }
    let (end, top) = above
        .iter()
        .enumerate()
        .max_by_key(|(at, score)| (**score, Reverse(*at)))?;
    let elsewhere = above.iter().enumerate();
    let second = elsewhere
        .filter(|(at, _)| at.abs_diff(end) >= new.len())
        .map(|(_, score)| *score)
        .max();
    if second.is_some_and(|second| second + AHEAD > *top) {
        return None;
    }
    let (mut row, mut column, mut pairs) = (new.len(), end, Vec::new());
    while row > 0 {
        match steps.get(width * (row - 1) + column)? {
            Step::New => row -= 1,
            Step::Gone => column -= 1,
            Step::Paired => {
                (row, column) = (row - 1, column - 1);
                pairs.push(Pair {
                    new: row,
                    old: column,
                });
            }
        }
    }
    pairs.reverse();
    Some(pairs)
}

/// Returns what a pair is worth, if it is one.
fn worth(old: &str, new: &str) -> Option<i32> {
    if old == new {
        return Some(if new.is_empty() { EMPTY } else { 100 });
    }
    // Two lines of which one is three times the other are not alike.
    let (short, long) = (old.len().min(new.len()), old.len().max(new.len()));
    if short == 0 || short * 3 < long {
        return None;
    }
    let alike = i32::try_from(alike(old, new)).ok()?;
    (alike >= ALIKE).then_some(alike)
}

/// How the indentation of changed lines differs from that of the text.
struct Shift<'a> {
    from: &'a str,
    to: &'a str,
}

impl<'a> Shift<'a> {
    /// Returns what all pairs say; no difference if they do not agree.
    fn of(old: &[&'a str], new: &[&'a str], pairs: &[Pair]) -> Self {
        let mut shifts = pairs.iter().filter_map(|pair| {
            let (new, old) = (new.get(pair.new)?, old.get(pair.old)?);
            (!new.is_empty()).then(|| (leading(new), leading(old)))
        });
        let none = Self { from: "", to: "" };
        let Some((from, to)) = shifts.next() else {
            return none;
        };
        // `from` and `to` may have the same end: `\t\t` becomes `\t` for one line and `\t\t\t` becomes `\t\t` for another.
        let same = from
            .bytes()
            .rev()
            .zip(to.bytes().rev())
            .take_while(|(a, b)| a == b)
            .count();
        let (from, to) = (
            from.get(..from.len() - same).unwrap_or_default(),
            to.get(..to.len() - same).unwrap_or_default(),
        );
        let agrees = |(new, old): (&str, &str)| {
            new.strip_prefix(from)
                .zip(old.strip_prefix(to))
                .is_some_and(|(new, old)| new == old)
        };
        if shifts.all(agrees) {
            Self { from, to }
        } else {
            none
        }
    }

    fn apply(&self, line: &str) -> String {
        match line.strip_prefix(self.from) {
            Some(rest) if !line.is_empty() => format!("{}{rest}", self.to),
            _ => line.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "LIMIT = 3\n\nclass Cart:\n    def add(self, item):\n        if len(self.items) > LIMIT:\n            \
                        raise ValueError(\"full\")\n        self.items.append(item)\n\n    def total(self):\n        \
                        total = 0\n        for item in self.items:\n            total += item.price\n        return total\n";

    fn placed(changed: &str) -> Option<String> {
        place(TEXT, changed).map(|changed| changed.text)
    }

    #[test]
    fn lines_go_where_they_are_alike() {
        for (changed, from, to) in [
            ("LIMIT = 5", "LIMIT = 3", "LIMIT = 5"),
            // With lines around it, and without its indentation.
            (
                "for item in self.items:\n    total += item.price * item.count\nreturn total",
                "item.price\n",
                "item.price * item.count\n",
            ),
            // New lines between two that stand.
            (
                "        self.items.append(item)\n        self.count += 1\n\n    def total(self):",
                "append(item)\n",
                "append(item)\n        self.count += 1\n",
            ),
            // A line is gone between two that stand.
            (
                "    def add(self, item):\n        self.items.append(item)",
                "        if len(self.items) > LIMIT:\n            raise ValueError(\"full\")\n",
                "",
            ),
            // Another one comes for it.
            (
                "        if len(self.items) > LIMIT:\n            return False\n        self.items.append(item)",
                "raise ValueError(\"full\")",
                "return False",
            ),
        ] {
            assert_eq!(
                placed(changed),
                Some(TEXT.replacen(from, to, 1)),
                "{changed}"
            );
        }
    }

    #[test]
    fn parts_may_belong_to_different_places() {
        let both = TEXT
            .replace("LIMIT = 3", "LIMIT = 5")
            .replace("full", "too many");
        let changed = "LIMIT = 5\n...\n            raise ValueError(\"too many\")";
        assert_eq!(placed(changed), Some(both.clone()));
        // Lines that both changed keep what stands between them.
        let changed =
            "        if len(self.items) > LIMIT + 1:\n        self.items.append(item.copy())";
        let kept = TEXT
            .replace("> LIMIT", "> LIMIT + 1")
            .replace("append(item)", "append(item.copy())");
        assert_eq!(placed(changed), Some(kept));
    }

    #[test]
    fn no_place_is_guessed() {
        for changed in [
            "",
            "\n",
            "import os",
            "...",
            "    def remove(self, name):\n        del self.names[name]",
        ] {
            assert_eq!(placed(changed), None, "{changed}");
        }
        // Two places are as good.
        let text = "a = load(1)\nb = 1\na = load(1)\nb = 2\n";
        assert_eq!(place(text, "a = load(3)"), None);
        let anchored = |changed| place(TEXT, changed).map(|changed| changed.is_anchored);
        assert_eq!(anchored("LIMIT = 5"), Some(false));
        assert_eq!(
            anchored("        total = 1\n        for item in self.items:"),
            Some(true)
        );
    }

    #[test]
    fn lines_end_as_in_the_text() {
        let text = |text: &str, changed: &str| place(text, changed).map(|changed| changed.text);
        assert_eq!(
            text("one = 1\r\ntwo = 2\r\n", "two = 3").as_deref(),
            Some("one = 1\r\ntwo = 3\r\n")
        );
        assert_eq!(
            text("one = 1\ntwo = 2", "two = 3\n").as_deref(),
            Some("one = 1\ntwo = 3")
        );
        assert_eq!(text("", "two = 3\n"), None);
    }

    proptest! {
        #[test]
        fn lines_that_stand_change_nothing(
            lines in prop::collection::vec("[a-e]{0,6}( [a-e]{1,4})?", 1..20),
            from in any::<prop::sample::Index>(),
            count in 1..8_usize,
        ) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let from = from.index(lines.len());
            let to = (from + count).min(lines.len());
            let changed = lines[from..to].join("\n");
            if let Some(placed) = place(&text, &changed) {
                prop_assert_eq!(placed.text, text);
            }
        }

        #[test]
        fn any_input_is_taken(text in "\\PC{0,40}(\n[ \ta-c]{0,9}){0,9}", changed in "\\PC{0,20}(\n[ \ta-c.]{0,9}){0,9}") {
            let _ = place(&text, &changed);
        }
    }
}
