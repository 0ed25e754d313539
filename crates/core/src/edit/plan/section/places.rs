//! Exact occurrences of old text.
//!
//! In: a text and a pair. Out: the places at which the pair applies, less those at which it was made
//! already; and whether its new text is there where its old text is not.

use super::PairPlace;
use crate::edit::locate::limits::TELLING_TEXT;
use crate::edit::locate::view::LfView;
use crate::edit::locate::{Candidate, exact};
use crate::edit::plan::outcome::{OrAnswer, invalid};
use crate::edit::plan::{MAX_CANDIDATES, Outcome};
use crate::edit::request::{MatchScope, Pair};
use crate::text::{Slice, Source, shared};

/// Returns where `pair` applies as it is; at no offset, if its old text is nowhere.
pub(super) fn locate(source: &Source, view: &LfView<'_>, pair: &Pair) -> OrAnswer<PairPlace> {
    if pair.old.is_empty() {
        return empty_old(view);
    }
    let mut places = match pair.scope {
        MatchScope::Single => exact::places(view.text(), &pair.old),
        MatchScope::All => exact::all(view.text(), &pair.old),
    };
    // What stands once is meant, wherever on its line it begins: in Python and YAML the blanks before it
    // are part of what is written. Case: `what_stands_once_is_replaced_letter_by_letter`.
    if places.len() > 1 {
        places.retain(|at| !begins_within_indentation(view.text(), *at, &pair.old));
    }
    let (done, open) = apart(view.text(), &places, pair);
    match (open.as_slice(), pair.scope) {
        ([], _) if done > 0 => Ok(PairPlace::Made),
        ([], _) | (_, MatchScope::All) => Ok(PairPlace::Exact(open)),
        ([_], MatchScope::Single) if done == 0 => Ok(PairPlace::Exact(open)),
        (_, MatchScope::Single) => Err(ambiguous(source, view, &places)),
    }
}

/// An empty old text stands for the empty file.
fn empty_old(view: &LfView<'_>) -> OrAnswer<PairPlace> {
    if view.text().is_empty() {
        Ok(PairPlace::Exact(vec![0]))
    } else {
        Err(invalid(
            "the old text is empty, but the file is not; give the text to replace",
        ))
    }
}

fn ambiguous(source: &Source, view: &LfView<'_>, places: &[usize]) -> Outcome {
    let count = match places.len() {
        exact::MAX_PLACES => format!("{} or more", exact::MAX_PLACES),
        count => count.to_string(),
    };
    let starts = places.iter().take(MAX_CANDIDATES);
    Outcome::Ambiguous {
        why: format!("the old text is there {count} times; add lines that tell which is meant"),
        candidates: Candidate::each(source, starts.map(|at| view.real(*at..*at).start)),
    }
}

/// Splits the places of the old text into the number of those that are already part of the
/// new text, and the others. So an insertion that repeats its context is not doubled.
fn apart(text: &str, places: &[usize], pair: &Pair) -> (usize, Vec<usize>) {
    if !pair.new.contains(&pair.old) {
        return (0, places.to_vec());
    }
    if let Some(blank) = blank_lines(pair) {
        let open: Vec<usize> = places
            .iter()
            .copied()
            .filter(|at| !blank.stand(text, *at, *at + pair.old.len()))
            .collect();
        return (places.len() - open.len(), open);
    }
    // The old text is part of the new one wherever this covers it.
    let made = exact::places_up_to(text, &pair.new, usize::MAX);
    let mut last = 0;
    let mut is_done = |at: usize| {
        last += made.get(last..).map_or(0, |rest| {
            rest.iter().take_while(|start| **start <= at).count()
        });
        let nearest = last.checked_sub(1).and_then(|nearest| made.get(nearest));
        nearest.is_some_and(|start| at + pair.old.len() <= start + pair.new.len())
    };
    let open: Vec<usize> = places.iter().copied().filter(|at| !is_done(*at)).collect();
    (places.len() - open.len(), open)
}

/// Line breaks around the old text, which are all that a new text adds.
struct BlankLines {
    above: usize,
    below: usize,
}

/// Returns the line breaks that a pair adds, if it adds nothing else: `a` becomes `a\n`.
fn blank_lines(pair: &Pair) -> Option<BlankLines> {
    let at = pair.new.find(&pair.old)?;
    let (above, rest) = pair.new.split_at_checked(at)?;
    let below = rest.get(pair.old.len()..)?;
    let only = is_line_breaks(above) && is_line_breaks(below) && !pair.old.trim().is_empty();
    only.then_some(BlankLines {
        above: above.len(),
        below: below.len(),
    })
}

fn is_line_breaks(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'\n')
}

impl BlankLines {
    /// Returns whether they stand around the text from `start` to `end`, besides the breaks that end the
    /// line above and its own.
    fn stand(&self, text: &str, start: usize, end: usize) -> bool {
        let head = text.slice(..start);
        let tail = text.slice(end..);
        let own = usize::from(!head.is_empty());
        let closes = usize::from(text.get(..end).is_some_and(|text| !text.ends_with('\n')));
        let above = newlines(&mut head.bytes().rev());
        let below = newlines(&mut tail.bytes());
        (self.above == 0 || above >= self.above + own)
            && (self.below == 0 || below >= self.below + closes)
    }
}

fn newlines(bytes: &mut dyn Iterator<Item = u8>) -> usize {
    bytes.take_while(|byte| *byte == b'\n').count()
}

/// Returns whether lines that were found begin in the middle of a line's indentation: then
/// they are indented otherwise than in the file, and only loosely what was asked for.
fn begins_within_indentation(text: &str, at: usize, old: &str) -> bool {
    old.contains('\n')
        && old.starts_with([' ', '\t'])
        && lead(text, at).is_some_and(|lead| !lead.is_empty())
}

/// Returns what stands before byte `at` on its line, if that is blanks and nothing else.
pub(super) fn lead(text: &str, at: usize) -> Option<&str> {
    let head = text.get(..at)?;
    let rest = head.trim_end_matches([' ', '\t']);
    let lead = head.get(rest.len()..)?;
    (rest.is_empty() || rest.ends_with('\n')).then_some(lead)
}

/// Returns whether the new text stands in the file once, and says enough to be the result of
/// this very change: it shares words with the old text, or it is whole lines of some length.
pub(super) fn is_there(text: &str, pair: &Pair) -> bool {
    let places = exact::places(text, &pair.new);
    let [at] = places.as_slice() else {
        return false;
    };
    let starts_line = text
        .get(..*at)
        .is_some_and(|head| head.is_empty() || head.ends_with('\n'));
    let rest = text.slice(at + pair.new.len()..);
    let ends_line = pair.new.ends_with('\n') || rest.is_empty() || rest.starts_with('\n');
    let lines = starts_line && ends_line;
    let whole_lines = lines && letters(&pair.new) >= TELLING_TEXT;
    let (head, tail) = shared(&pair.old, &pair.new);
    let shared = (
        pair.old.slice(..head),
        pair.old.slice(pair.old.len() - tail..),
    );
    // Lines that stand between the two that they were to be put between, whatever they say.
    let fills = lines
        && shared.0.len() + shared.1.len() == pair.old.len()
        && shared.0.ends_with('\n')
        && letters(shared.0) > 0
        && letters(shared.1) > 0;
    whole_lines || fills || (letters(shared.0) + letters(shared.1) >= 2 && letters(&pair.new) >= 3)
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}
