//! Lines kept: what a file is without some versions where their lines, or those beside them, were changed again.
//!
//! ```text
//! before     after the version     now               without it
//! l4         l4                    mine4             mine4
//! l5         A5                    A5 improved       l5             goes: "A5 improved", which was A5
//! l6         l6                    mine6             mine6
//! ```
//!
//! A comparison has the three lines as one change. Which of its lines were those of the version is told in order where there
//! are as many as before, and else by resemblance. Lines put in between those of the version go with them. Where none
//! resembles them, nothing is told, and the whole change goes. Whatever goes is named, for a person to look at.

use std::ops::Range;

use crate::edit::diff::lines::{difference, narrowed};
use crate::edit::locate::similarity::alike;
use crate::plural::counted;
use crate::quote::one_line;
use crate::record::history::FileHistory;
use crate::text::{EditSet, Mismatch, Slice, Source, Splice};

/// Lines are the same one, changed, if they share this part of their pairs of bytes, of 100: the share from which words of a line
/// are emphasised.
const LEAST_ALIKE: u32 = 34;

/// A change with more combinations of lines than this, and not as many lines as before, is not told apart: a table of these
/// takes a few milliseconds.
const MOST_CELLS: usize = 16_384;

/// Maximum length of a quoted line, in bytes.
const MOST_QUOTED: usize = 60;

/// A file's text without some versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WithoutVersions {
    pub(super) text: Source,
    /// Lines that came later and go with them.
    pub(super) lost: Vec<String>,
}

impl WithoutVersions {
    /// Says what goes with the versions, or that nothing does.
    pub(super) fn held(&self) -> String {
        let mut lost = self.lost.iter().filter(|line| !line.is_empty());
        let Some(first) = lost.next() else {
            return "lines at its place were changed since, and stay".to_owned();
        };
        let first = one_line(first, MOST_QUOTED);
        match lost.count() {
            0 => format!("a line that was changed since goes with it: \"{first}\""),
            more => format!(
                "{} that were changed since go with it: \"{first}\" and {more} more",
                counted(more + 1, "line")
            ),
        }
    }
}

/// Returns a file's text without these versions, the newest first. `written` is the text after the newest entry.
pub(super) fn without(
    history: &FileHistory,
    versions: &[u64],
    written: Source,
    now: &Source,
) -> Result<WithoutVersions, Mismatch> {
    let (mut after, mut text) = (written, now.clone());
    let mut lost = Vec::new();
    let oldest = versions.iter().min();
    for entry in history.entries.iter().rev() {
        if oldest.is_none_or(|oldest| entry.version < *oldest) {
            break;
        }
        if versions.contains(&entry.version) {
            text = without_edits(&entry.edits, &after, &text, &mut lost)?;
        }
        after = entry.undone(&after)?.1;
    }
    Ok(WithoutVersions { text, lost })
}

fn without_edits(
    edits: &EditSet,
    after: &Source,
    now: &Source,
    lost: &mut Vec<String>,
) -> Result<Source, Mismatch> {
    let taken = narrowed(edits);
    let later = narrowed(&difference(after, now));
    let clashing = taken.clashes(&later);
    let back = taken.invert();
    let mut all: Vec<Splice> = back.splices().to_vec();
    for (index, splice) in later.splices().iter().enumerate() {
        if clashing.contains(&index) {
            beside(splice, &back, &mut all, lost);
        } else {
            all.push(splice.clone());
        }
    }
    let all = EditSet::new(joined(all)).map_err(|overlap| Mismatch { at: overlap.at })?;
    Ok(Source::new(all.apply(after.bytes())?))
}

/// Sorts splices, and joins those that put something in at one point: what goes back comes first.
fn joined(mut splices: Vec<Splice>) -> Vec<Splice> {
    splices.sort_by_key(|splice| (splice.at, splice.end()));
    let mut joined: Vec<Splice> = Vec::new();
    for splice in splices {
        match joined.last_mut() {
            Some(last) if last.at == splice.at && last.old.is_empty() && splice.old.is_empty() => {
                last.new.extend_from_slice(&splice.new);
            }
            _ => joined.push(splice),
        }
    }
    joined
}

/// Adds what a later change does to lines beside those that go back, and names what goes with them.
fn beside(later: &Splice, back: &EditSet, kept: &mut Vec<Splice>, lost: &mut Vec<String>) {
    let (old, new) = (lines(&later.old), lines(&later.new));
    let Some(runs) = own_runs(later, (&old, &new), back) else {
        lost.extend(new.iter().map(|line| said(line)));
        return;
    };
    let ends = OwnRun {
        old: old.len()..old.len(),
        new: new.len()..new.len(),
    };
    let (mut at, mut old_from, mut new_from) = (later.at, 0, 0);
    for run in runs.into_iter().chain([ends]) {
        let was = old.slice(old_from..run.old.start).concat();
        let is = new.slice(new_from..run.new.start);
        let taken = old.slice(run.old.clone());
        let own = new.slice(run.new.clone()).iter();
        let changed = own.filter(|line| !taken.contains(line));
        lost.extend(changed.map(|line| said(line)));
        let behind = at + was.len() + taken.concat().len();
        if was.is_empty() && back.splices().iter().any(|own| is_within(own, at)) {
            lost.extend(is.iter().map(|line| said(line)));
        } else {
            let new = is.concat();
            kept.push(Splice { at, old: was, new });
        }
        (at, old_from, new_from) = (behind, run.old.end, run.new.end);
    }
}

/// Lines that are those of what goes back, in a later change: as it found them, and as it left them. Where it found none, they
/// stand for a point between two lines, at which lines go back.
struct OwnRun {
    old: Range<usize>,
    new: Range<usize>,
}

/// Returns which lines of a later change are those of what goes back, or none if that cannot be told.
fn own_runs(
    later: &Splice,
    (old, new): (&[&[u8]], &[&[u8]]),
    back: &EditSet,
) -> Option<Vec<OwnRun>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = later.at;
    for (index, line) in old.iter().enumerate() {
        let (start, end) = (at, at + line.len());
        at = end;
        let mut splices = back.splices().iter();
        if splices.any(|own| own.at < end && start < own.end() || is_within_line(own, start, end)) {
            match found
                .last_mut()
                .filter(|last| last.end == index && last.start < index)
            {
                Some(last) => last.end = index + 1,
                None => found.push(index..index + 1),
            }
        } else if index > 0 && back.splices().iter().any(|own| is_point(own, start)) {
            found.push(index..index);
        }
    }
    if found.is_empty() {
        return Some(Vec::new());
    }
    let became = line_pairs(old, new)?;
    let runs = found.into_iter().map(|old| {
        let new = now(&old, &became)?;
        Some(OwnRun { old, new })
    });
    runs.collect()
}

fn is_within(own: &Splice, at: usize) -> bool {
    own.at < at && at < own.end()
}

fn is_within_line(own: &Splice, start: usize, end: usize) -> bool {
    own.old.is_empty() && start < own.at && own.at < end
}

fn is_point(own: &Splice, at: usize) -> bool {
    own.old.is_empty() && own.at == at
}

/// Returns which lines became of these, or none if none of them is known. `became` has it for each line.
fn now(old: &Range<usize>, became: &[Option<usize>]) -> Option<Range<usize>> {
    if old.is_empty() {
        let above = became.get(old.start.checked_sub(1)?).copied().flatten();
        let below = became.get(old.start).copied().flatten();
        let point = above.map(|line| line + 1).or(below)?;
        return Some(point..point);
    }
    let known: Vec<usize> = became
        .slice(old.clone())
        .iter()
        .flatten()
        .copied()
        .collect();
    Some(*known.first()?..*known.last()? + 1)
}

/// Returns for each line of a change which of the new ones it became; none if there are too many to tell.
fn line_pairs(old: &[&[u8]], new: &[&[u8]]) -> Option<Vec<Option<usize>>> {
    if old.len() == new.len() {
        return Some((0..old.len()).map(Some).collect());
    }
    if old.len().saturating_mul(new.len()) > MOST_CELLS {
        return None;
    }
    let (mut became, mut at) = (vec![None; old.len()], (0, 0));
    let table = Resemblance::of(old, new);
    while let Some(own) = table.cell(at) {
        let (right, below) = ((at.0, at.1 + 1), (at.0 + 1, at.1));
        if own > 0 && table.best(at) == own + table.best((at.0 + 1, at.1 + 1)) {
            if let Some(line) = became.get_mut(at.0) {
                *line = Some(at.1);
            }
            at = (at.0 + 1, at.1 + 1);
        } else if table.best(at) == table.best(below) {
            at = below;
        } else {
            at = right;
        }
    }
    Some(became)
}

/// How far each line of a change resembles each new one, and the highest sum of it over pairs in order (Needleman and Wunsch).
struct Resemblance {
    cells: Vec<u32>,
    best: Vec<u32>,
    rows: usize,
    columns: usize,
}

impl Resemblance {
    fn of(old: &[&[u8]], new: &[&[u8]]) -> Self {
        let each = old
            .iter()
            .flat_map(|line| new.iter().map(|other| resemblance(line, other)));
        let mut table = Self {
            cells: each.collect(),
            best: vec![0; (old.len() + 1) * (new.len() + 1)],
            rows: old.len(),
            columns: new.len(),
        };
        for row in (0..table.rows).rev() {
            for column in (0..table.columns).rev() {
                let apart = table
                    .best((row + 1, column))
                    .max(table.best((row, column + 1)));
                let together = match table.cell((row, column)) {
                    Some(own) if own > 0 => own + table.best((row + 1, column + 1)),
                    _ => 0,
                };
                if let Some(best) = table.best.get_mut(row * (table.columns + 1) + column) {
                    *best = apart.max(together);
                }
            }
        }
        table
    }

    fn cell(&self, (row, column): (usize, usize)) -> Option<u32> {
        let is_there = row < self.rows && column < self.columns;
        let cell = self.cells.get(row * self.columns + column);
        cell.filter(|_| is_there).copied()
    }

    fn best(&self, (row, column): (usize, usize)) -> u32 {
        let best = self.best.get(row * (self.columns + 1) + column);
        best.copied().unwrap_or(0)
    }
}

/// Returns how far two lines resemble each other, of 100; 0 if too little. One that begins or ends with the other is the same
/// one, longer.
fn resemblance(old: &[u8], new: &[u8]) -> u32 {
    let (old, new) = (said(old), said(new));
    let (short, long) = if old.len() < new.len() {
        (&old, &new)
    } else {
        (&new, &old)
    };
    let is_longer = !short.is_empty() && (long.starts_with(short) || long.ends_with(short));
    let own = alike(&old, &new);
    if own >= LEAST_ALIKE {
        own
    } else if is_longer {
        LEAST_ALIKE
    } else {
        0
    }
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Returns a line without the blanks around it.
fn said(line: &[u8]) -> String {
    String::from_utf8_lossy(line.trim_ascii()).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Few different lines, so that places look alike.
    fn text() -> impl Strategy<Value = String> {
        let line = prop::sample::select(vec!["a\n", "b\n", "ab\n", "c\n", "}\n"]);
        prop::collection::vec(line, 0..8).prop_map(|lines| lines.concat())
    }

    fn count(text: &str, line: &str) -> usize {
        text.lines().filter(|own| *own == line).count()
    }

    proptest! {
        /// A line is in the text still, was one of the version, or is named.
        #[test]
        fn no_line_goes_unnamed((base, wanted, saved) in (text(), text(), text())) {
            let [base, after, now] = [&base, &wanted, &saved].map(|text| source_of(text));
            let edits = difference(&base, &after);
            let made: String = edits.splices().iter().map(|own| String::from_utf8_lossy(&own.new)).collect();
            let mut lost = Vec::new();
            let text = without_edits(&edits, &after, &now, &mut lost).unwrap();
            let text = text.text().unwrap();
            for line in saved.lines() {
                let left = count(text, line) + count(&lost.join("\n"), line) + count(&made, line);
                prop_assert!(count(&saved, line) <= left, "{line} {text} {lost:?}");
            }
        }
    }

    fn source_of(text: &str) -> Source {
        Source::new(text.as_bytes().to_vec())
    }
}
