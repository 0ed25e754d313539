//! Single edits of real files.
//!
//! In: the histories of files. Out: edits: one to three hunks that lead from one version
//! towards the next, or back.

use std::rc::Rc;

use crate::ask::{Ask, Hunk, Row, Style};
use crate::packages::History;
use crate::text::{self, Change, Lines};

/// Changes with at most so many lines between them are one hunk.
const JOINED: usize = 6;
/// Longer changes are left out: nobody phrases them as an edit.
const MAX_CHANGED: usize = 60;

/// An edit of one file.
pub(crate) struct Edit {
    /// Which package it is of.
    pub(crate) package: String,
    /// Which file.
    pub(crate) path: String,
    /// The text that it was made for.
    pub(crate) base: Rc<Lines>,
    /// What it does, hunk by hunk.
    pub(crate) hunks: Vec<Vec<Change>>,
    /// All that was done between the two versions.
    pub(crate) all: Rc<Vec<Change>>,
    /// Other texts of the file: the versions on the far side of the base.
    pub(crate) others: Vec<Rc<Lines>>,
}

/// Returns all edits of a history, forwards and backwards.
pub(crate) fn edits(history: &History) -> Vec<Edit> {
    let mut found = Vec::new();
    for (at, pair) in history.versions.windows(2).enumerate() {
        if let [old, new] = pair {
            let before = history.versions.get(..at).unwrap_or_default();
            let after = history.versions.get(at + 2..).unwrap_or_default();
            between(history, old, new, before, &mut found);
            between(history, new, old, after, &mut found);
        }
    }
    found
}

fn between(
    history: &History,
    base: &Rc<Lines>,
    next: &Lines,
    others: &[Rc<Lines>],
    found: &mut Vec<Edit>,
) {
    let all = Rc::new(text::changes(base, next));
    let hunks = grouped(&all);
    let mut at = 0;
    while at < hunks.len() {
        // One hunk mostly, at times two or three, always the same for the same place.
        let count = [1, 1, 2, 1, 3]
            .get(at % 5)
            .copied()
            .unwrap_or(1)
            .min(hunks.len() - at);
        let taken = hunks.get(at..at + count).unwrap_or_default().to_vec();
        at += count;
        if taken.iter().all(|hunk| changed(hunk) <= MAX_CHANGED) {
            found.push(Edit {
                package: history.package.clone(),
                path: history.path.clone(),
                base: Rc::clone(base),
                hunks: taken,
                all: Rc::clone(&all),
                others: others.to_vec(),
            });
        }
    }
}

fn grouped(all: &[Change]) -> Vec<Vec<Change>> {
    let mut hunks: Vec<Vec<Change>> = Vec::new();
    let mut end = None;
    for change in all {
        match hunks.last_mut() {
            Some(hunk) if end.is_some_and(|end| change.old.start <= end + JOINED) => {
                hunk.push(change.clone());
            }
            _ => hunks.push(vec![change.clone()]),
        }
        end = Some(change.old.end);
    }
    hunks
}

fn changed(hunk: &[Change]) -> usize {
    hunk.iter()
        .map(|change| change.old.len() + change.new.len())
        .sum()
}

impl Edit {
    /// Returns its changes in order.
    pub(crate) fn changes(&self) -> impl Iterator<Item = &Change> {
        self.hunks.iter().flatten()
    }

    /// Returns the text after it.
    pub(crate) fn after(&self) -> Lines {
        text::apply(&self.base, self.changes())
    }

    /// Phrases it with `context` lines around each hunk.
    pub(crate) fn ask(&self, context: usize) -> Ask {
        let hunks = self
            .hunks
            .iter()
            .map(|hunk| self.hunk(hunk, context, context))
            .collect();
        Ask {
            path: self.path.clone(),
            hunks,
            before: Rc::clone(&self.base),
            after: Rc::new(self.after()),
            style: Style::default(),
        }
    }

    /// Returns the rows of a hunk with so many context lines above and below.
    pub(crate) fn hunk(&self, changes: &[Change], above: usize, below: usize) -> Hunk {
        let first = changes.first().map_or(0, |change| change.old.start);
        let last = changes.last().map_or(0, |change| change.old.end);
        let start = first.saturating_sub(above);
        let end = (last + below).min(self.base.len());
        let context = |range: std::ops::Range<usize>| {
            let lines = self.base.get(range).unwrap_or_default();
            lines.iter().cloned().map(Row::Context)
        };
        let mut rows = Vec::new();
        let mut at = start;
        for change in changes {
            rows.extend(context(at..change.old.start));
            let removed = self.base.get(change.old.clone()).unwrap_or_default();
            rows.extend(removed.iter().cloned().map(Row::Removed));
            rows.extend(change.new.iter().cloned().map(Row::Added));
            at = change.old.end;
        }
        rows.extend(context(at..end));
        Hunk { start, rows }
    }
}
