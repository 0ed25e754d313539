//! Exact occurrences of old text.
//!
//! In: a text and a pair. Out: the places at which the pair applies, less those at which it was made
//! already; and whether its new text is there where its old text is not.

use super::Place;
use crate::locate::limits::TELLING_TEXT;
use crate::locate::view::LfView;
use crate::locate::{Candidate, exact};
use crate::plan::outcome::{OrAnswer, invalid};
use crate::plan::{MAX_CANDIDATES, Outcome};
use crate::request::{MatchScope, Pair};
use crate::text::{Source, shared};

/// Returns where `pair` applies as it is; at no offset, if its old text is nowhere.
pub(super) fn locate(source: &Source, view: &LfView<'_>, pair: &Pair) -> OrAnswer<Place> {
    if pair.old.is_empty() {
        return empty_old(view);
    }
    let mut places = match pair.scope {
        MatchScope::Single => exact::places(view.text(), &pair.old),
        MatchScope::All => exact::all(view.text(), &pair.old),
    };
    places.retain(|at| !begins_within_indentation(view.text(), *at, &pair.old));
    let (done, open) = apart(view.text(), &places, pair);
    match (open.as_slice(), pair.scope) {
        ([], _) if done > 0 => Ok(Place::Made),
        ([], _) | (_, MatchScope::All) => Ok(Place::Exact(open)),
        ([_], MatchScope::Single) if done == 0 => Ok(Place::Exact(open)),
        (_, MatchScope::Single) => Err(ambiguous(source, view, &places)),
    }
}

/// An empty old text stands for the empty file.
fn empty_old(view: &LfView<'_>) -> OrAnswer<Place> {
    if view.text().is_empty() {
        Ok(Place::Exact(vec![0]))
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
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let starts_line = text
        .get(..*at)
        .is_some_and(|head| head.is_empty() || head.ends_with('\n'));
    let rest = text.get(at + pair.new.len()..).unwrap_or_default();
    let ends_line = pair.new.ends_with('\n') || rest.is_empty() || rest.starts_with('\n');
    let lines = starts_line && ends_line;
    let whole_lines = lines && letters(&pair.new) >= TELLING_TEXT;
    let (head, tail) = shared(&pair.old, &pair.new);
    let shared = (
        pair.old.get(..head).unwrap_or_default(),
        pair.old.get(pair.old.len() - tail..).unwrap_or_default(),
    );
    // Lines that stand between the two that they were to be put between, whatever they say.
    let fills = lines
        && shared.0.len() + shared.1.len() == pair.old.len()
        && shared.0.ends_with('\n')
        && letters(shared.0) > 0
        && letters(shared.1) > 0;
    whole_lines || fills || (letters(shared.0) + letters(shared.1) >= 2 && letters(&pair.new) >= 3)
}
