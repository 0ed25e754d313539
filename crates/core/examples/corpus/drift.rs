//! Edits on a text that has moved on.
//!
//! The truth is the merge of both, taken only where an unchanged line is between what the edit
//! does and what happened otherwise, and where the lines that it shows are in one place only. A
//! format that shows less than lines has to show as much of them.

use crate::ask::{Ask, Hunk};
use crate::case::{Case, Class, Kind, Make, Truth};
use crate::edit::Edit;
use crate::format::Format;
use crate::random::Random;
use crate::text::{self, Change, Compare, Index, Lines};

const FORMATS: [Format; 5] = [
    Format::Section,
    Format::Unified,
    Format::Bare,
    Format::Envelope,
    Format::Dmp,
];

/// Returns the classes.
pub(crate) fn classes() -> Vec<Class> {
    let class = |name, make: Make| Class {
        kind: Kind::Drift,
        name,
        formats: &FORMATS,
        weight: 2,
        make,
    };
    vec![
        class("another version, lines shown as they were", version_far),
        class("another version, lines shown changed too", version_near),
        class("the rest of the same release applied first", sibling),
    ]
}

fn version_far(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    version(random, edit, format, Reach::Far)
}

fn version_near(random: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    version(random, edit, format, Reach::Near)
}

/// Whether the drift touches lines that the request shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Near,
    Far,
}

fn version(random: &mut Random, edit: &Edit, format: Format, reach: Reach) -> Option<Case> {
    let other = random.pick(&edit.others)?;
    let drift = text::changes(&edit.base, other);
    drifted(edit, format, reach, &drift, other)
}

/// Hunks of one release are too far from each other to touch what the others show.
fn sibling(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let mine: Vec<&Change> = edit.changes().collect();
    let rest = edit.all.iter().filter(|change| !mine.contains(change));
    let drift: Vec<Change> = rest.cloned().collect();
    let other = text::apply(&edit.base, &drift);
    drifted(edit, format, Reach::Far, &drift, &other)
}

fn drifted(
    edit: &Edit,
    format: Format,
    reach: Reach,
    drift: &[Change],
    other: &Lines,
) -> Option<Case> {
    let mine: Vec<Change> = edit.changes().cloned().collect();
    let moved = text::transfer(&mine, drift)?;
    let ask = edit.ask(3);
    let touched = ask.hunks.iter().any(|hunk| touches(hunk, drift));
    (touched == (reach == Reach::Near) && !drift.is_empty()).then_some(())?;
    let starts = first_lines(edit, &moved);
    certain(edit, &ask, other, &starts).then_some(())?;
    let before = text::join(other);
    (format.is_told(&ask, &before) && format.tells(&ask, other, &moved)).then_some(())?;
    Some(Case {
        path: edit.path.clone(),
        before,
        change: format.change(&ask),
        truth: Truth::Text(text::join(&text::apply(other, &moved))),
    })
}

/// Returns whether one of the changes is within the rows of the hunk.
fn touches(hunk: &Hunk, drift: &[Change]) -> bool {
    let shown = hunk.start..hunk.start + hunk.before().len();
    let within = |change: &Change| change.old.start < shown.end && change.old.end > shown.start;
    let between = |change: &Change| {
        change.old.is_empty() && change.old.start > shown.start && change.old.start < shown.end
    };
    drift.iter().any(|change| within(change) || between(change))
}

/// Returns where the first change of each hunk has moved to.
fn first_lines(edit: &Edit, moved: &[Change]) -> Vec<usize> {
    let mut firsts = Vec::new();
    let mut at = 0;
    for hunk in &edit.hunks {
        firsts.push(moved.get(at).map_or(0, |change| change.old.start));
        at += hunk.len();
    }
    firsts
}

/// Returns whether each hunk can only be meant for where it has moved to: all that it shows,
/// or the changed lines with one neighbour on each side, stand there and nowhere else.
fn certain(edit: &Edit, ask: &Ask, other: &Lines, firsts: &[usize]) -> bool {
    let index = Index::new(other);
    let mut hunks = ask.hunks.iter().zip(&edit.hunks).zip(firsts);
    hunks.all(|((shown, changes), first)| {
        let core = edit.hunk(changes, 1, 1);
        [shown, &core].into_iter().any(|hunk| {
            let block = hunk.before();
            let start = first.checked_sub(hunk.margins().0);
            let told = block.iter().any(|line| text::telling(line));
            told && index.places(&block, Compare::Trimmed) == start.map_or(vec![], |at| vec![at])
        })
    })
}
