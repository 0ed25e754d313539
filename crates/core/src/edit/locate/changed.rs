//! Changed lines: where in a text lines belong of which only the new wording is known.
//!
//! In: a text, and lines of a later version of it, some as they stand. Out: the text with the lines in their place,
//! or none if no place is clear. The lines are aligned with those of the text (after Smith and Waterman): a line is
//! paired with one that is the same or alike; the others are new. What stands between two paired lines goes only if
//! both of them are as they were, or if others come for it. Lines are new only beside one that stands. A line that the
//! text has nearby already is no new one: then the place is not clear. Lines that begin and end as the text and are most
//! of it are all of the text anew.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::iter::once;

use super::similarity::alike;
use crate::text::Slice;
use crate::text::indent::leading;

/// How alike a line and its later version are at least, of 100.
const ALIKE: i32 = 50;
/// What a line costs that is new or gone, where two that are the same are worth 100: less than a pair is worth.
const GAP: i32 = 35;
/// What two empty lines are worth: any text has some.
const EMPTY: i32 = 30;
/// By how much the best place is better than another: less does not tell them apart.
const AHEAD: i32 = 10;
/// Pairs of lines that are compared, the cells of the table: enough for 500 lines among 1,000.
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
    let parts = lines
        .split(|line| matches!(line.trim(), "..." | "…" | "# ..." | "// ..." | "/* ... */"))
        .map(|part| {
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
struct ChangedPair {
    new: usize,
    old: usize,
}

fn place_part(text: &str, new: &[&str]) -> Option<Changed> {
    let old: Vec<&str> = text.lines().collect();
    match extent(&old, new) {
        Extent::Part => {}
        Extent::Ends => return None,
        Extent::All => {
            return Some(Changed {
                text: ended_as(text, &new.join("\n")),
                is_anchored: true,
            });
        }
    }
    if old.len().checked_mul(new.len())? > MAX_PAIRS {
        return None;
    }
    let mut pairs = aligned(&old, new)?;
    let is_same = |pair: &ChangedPair| {
        let (new, old) = (new.get(pair.new), old.get(pair.old));
        new.zip(old)
            .is_some_and(|(new, old)| new.trim() == old.trim())
    };
    let has_text = |pair: &ChangedPair| new.get(pair.new).is_some_and(|line| !line.is_empty());
    let is_anchored = pairs.iter().any(|pair| has_text(pair) && is_same(pair));
    if !is_anchored && pairs.len() < new.len() {
        return None;
    }
    // Empty lines are alike everywhere: they part nothing and hold nothing together.
    pairs.retain(has_text);
    let rows = rows(&old, new, &pairs, is_same)?;
    if comes_again(&old, new, &pairs, &rows) {
        return None;
    }
    let shift = Shift::of(&old, new, &pairs);
    let lines = rows.iter().filter_map(|row| match row {
        MergedRow::Kept(at) => old.get(*at).map(|line| (*line).to_owned()),
        MergedRow::Given(at) => new.get(*at).map(|line| shift.apply(line)),
    });
    let lines: Vec<String> = lines.collect();
    Some(Changed {
        text: ended_as(text, &lines.join("\n")),
        is_anchored,
    })
}

/// A line of the text with the changed lines in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MergedRow {
    /// One of the text.
    Kept(usize),
    /// One of those given.
    Given(usize),
}

/// Returns the lines of the text with the changed ones in it.
fn rows(
    old: &[&str],
    new: &[&str],
    pairs: &[ChangedPair],
    is_same: impl Fn(&ChangedPair) -> bool,
) -> Option<Vec<MergedRow>> {
    let (first, last) = (pairs.first()?, pairs.last()?);
    let mut rows: Vec<MergedRow> = (0..first.old).map(MergedRow::Kept).collect();
    rows.extend((0..=first.new).map(MergedRow::Given));
    for (pair, next) in pairs.iter().zip(pairs.iter().skip(1)) {
        let between = new.slice(pair.new + 1..next.new);
        let comes = between.iter().any(|line| !line.is_empty());
        if comes || (is_same(pair) && is_same(next)) {
            rows.extend((pair.new + 1..=next.new).map(MergedRow::Given));
        } else {
            rows.extend((pair.old + 1..next.old).map(MergedRow::Kept));
            rows.push(MergedRow::Given(next.new));
        }
    }
    rows.extend((last.new + 1..new.len()).map(MergedRow::Given));
    rows.extend((last.old + 1..old.len()).map(MergedRow::Kept));
    Some(rows)
}

/// Returns lines with the endings of a text, and its end.
fn ended_as(text: &str, lines: &str) -> String {
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut ended = lines.replace('\n', ending);
    if text.ends_with('\n') {
        ended.push_str(ending);
    }
    ended
}

/// How much of a text is in lines that begin and end as it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// They do not.
    Part,
    /// Less than half: a large gap, or a text that was broken off and taken up at its end.
    Ends,
    /// Most of it: the text anew, with more or less in it.
    All,
}

fn extent(old: &[&str], new: &[&str]) -> Extent {
    if new.len() < 2 {
        return Extent::Part;
    }
    let own: Vec<&str> = old.iter().map(|line| line.trim_end()).collect();
    let own: Vec<&str> = own.into_iter().filter(|line| !line.is_empty()).collect();
    let is_run = old.windows(new.len()).any(|run| run == new);
    let ends = own.first() == new.first() && ending_lines(&own) == ending_lines(new);
    if !ends || is_run {
        return Extent::Part;
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in new {
        *counts.entry(line).or_default() += 1;
    }
    let stands = |line: &&&str| {
        let count = counts.get_mut(**line);
        count.is_some_and(|count| std::mem::replace(count, count.saturating_sub(1)) > 0)
    };
    if 2 * own.iter().filter(stands).count() >= own.len() {
        Extent::All
    } else {
        Extent::Ends
    }
}

/// Returns the last lines of a text from one on that has words in it: many a part ends with `}`.
fn ending_lines<'a, 'b>(lines: &'a [&'b str]) -> &'a [&'b str] {
    let last = lines
        .iter()
        .rposition(|line| line.contains(char::is_alphanumeric))
        .unwrap_or_default();
    lines.slice(last..)
}

/// Returns whether a line that comes stands in the text already and stays there: near the place it was moved, and at an
/// end of the lines it is the other side of a gap that costs more than a new line.
fn comes_again(old: &[&str], new: &[&str], pairs: &[ChangedPair], rows: &[MergedRow]) -> bool {
    let first = rows.iter().position(is_given).unwrap_or_default();
    let last = rows.iter().rposition(is_given).unwrap_or_default();
    let near = first.saturating_sub(new.len())..last + 1 + new.len();
    let lines = new.iter().enumerate();
    let mut telling = lines.filter(|(at, line)| {
        line.contains(char::is_alphanumeric) && !pairs.iter().any(|pair| pair.new == (*at))
    });
    telling.any(|(at, line)| {
        let is_end = at == 0 || at + 1 == new.len();
        let range = if is_end { 0..rows.len() } else { near.clone() };
        let mut rows = rows
            .get(range.start..range.end.min(rows.len()))
            .into_iter()
            .flatten();
        rows.any(|row| match row {
            MergedRow::Kept(at) => old.get(*at).is_some_and(|own| own.trim() == line.trim()),
            MergedRow::Given(_) => false,
        })
    })
}

fn is_given(row: &MergedRow) -> bool {
    matches!(row, MergedRow::Given(_))
}

/// How the best way to a cell of the alignment ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AlignmentStep {
    /// A line is new.
    New,
    /// A line of the text is gone.
    Gone,
    Paired,
}

/// Returns which lines are versions of each other, in order, if there is one place where all of them are best.
fn aligned(old: &[&str], new: &[&str]) -> Option<Vec<ChangedPair>> {
    let width = old.len() + 1;
    let mut steps: Vec<AlignmentStep> = Vec::with_capacity(width * new.len());
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
                Some((score + worth, AlignmentStep::Paired))
            });
            // A place does not begin with a line that is gone.
            let gone = left.map(|score: i32| (score - GAP, AlignmentStep::Gone));
            // Of two as good ways the last one counts.
            let ways = [gone, Some((up - GAP, AlignmentStep::New)), paired];
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
            AlignmentStep::New => row -= 1,
            AlignmentStep::Gone => column -= 1,
            AlignmentStep::Paired => {
                (row, column) = (row - 1, column - 1);
                pairs.push(ChangedPair {
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
    fn of(old: &[&'a str], new: &[&'a str], pairs: &[ChangedPair]) -> Self {
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
        let (from, to) = (from.slice(..from.len() - same), to.slice(..to.len() - same));
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
mod tests;
