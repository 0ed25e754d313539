//! Undo history of the composer.
//!
//! In: replacements as they happen. Out: the replacement that undoes the newest one; letters
//! typed one after another are one step.

use std::collections::VecDeque;

/// How many steps are kept; a person does not go further back than this by hand.
const LIMIT: usize = 500;

/// One replacement: at `at`, `removed` made way for `added`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// Byte offset.
    pub(crate) at: usize,
    /// The text that was there.
    pub(crate) removed: String,
    /// The text that is there now.
    pub(crate) added: String,
}

/// The steps that can be taken back, newest last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Undo {
    steps: VecDeque<Change>,
}

impl Undo {
    /// Remembers a change.
    pub(crate) fn record(&mut self, change: Change) {
        if let Some(last) = self.steps.back_mut()
            && continues(last, &change)
        {
            last.added.push_str(&change.added);
            return;
        }
        if self.steps.len() == LIMIT {
            self.steps.pop_front();
        }
        self.steps.push_back(change);
    }

    /// Returns the newest change, to be turned round.
    pub(crate) fn pop(&mut self) -> Option<Change> {
        self.steps.pop_back()
    }
}

fn continues(last: &Change, next: &Change) -> bool {
    let is_letter = |text: &str| text.chars().count() == 1 && !text.contains(['\n', ' ']);
    next.removed.is_empty()
        && is_letter(&next.added)
        && !last.added.ends_with(['\n', ' '])
        && last.added.len() < 64
        && !last.added.is_empty()
        && last.at + last.added.len() == next.at
}
