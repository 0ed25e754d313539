//! Line selection: which lines of a hunk a verdict is about.
//!
//! In: a hunk and the lines that the user chose. Out: marks in the margin, and what the choice comes to.
//!
//! ```text
//! ▌     4 4   fn a() {
//! ▌●    5   -     one();      selected: it goes
//! ▸○    6   -     two();      not selected: it stays; the cursor is here
//! ▌●      5 +     uno();
//! ```

use signoff_core::edit::diff::line::LineKind;
use signoff_core::edit::intent::Operation;
use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::stage::review::{HunkView, LineSelectionOutcome, ProposalView};

use super::KeyNames;
use super::keys::LineKey;
use super::list::ReviewList;
use super::seen::Reading;
use crate::theme::Role;
use crate::wrap::Row;

/// Lines of one hunk.
#[derive(Clone, Debug)]
pub(super) struct LineSelection {
    hunk: HunkId,
    /// How the hunk read when it was begun.
    reads: Reading,
    /// The hunk is gone, or reads differently by now.
    is_lost: bool,
    /// The line that keys are about.
    pub(super) cursor: usize,
    /// Which lines change the file, and whether they are selected.
    lines: Vec<Option<bool>>,
    /// All lines are selected, or none: the file goes or moves as a whole.
    is_whole: bool,
}

impl LineSelection {
    /// Begins with no line selected.
    pub(super) fn new(file: &ProposalView, hunk: &HunkView, shown: Option<usize>) -> Self {
        let lines = hunk.lines.iter();
        let lines: Vec<Option<bool>> = lines
            .map(|line| (line.kind != LineKind::Context).then_some(false))
            .collect();
        let from = shown.unwrap_or(0);
        let next = lines.iter().skip(from).position(Option::is_some);
        let first = || lines.iter().position(Option::is_some);
        let is_whole = match file.operation {
            Operation::Create | Operation::Modify | Operation::Rewrite => file.to.is_some(),
            Operation::Delete | Operation::Move | Operation::Link | Operation::Permissions => true,
        };
        Self {
            hunk: hunk.id,
            reads: Reading::of_hunk(hunk),
            is_lost: false,
            cursor: next.map(|next| from + next).or_else(first).unwrap_or(0),
            lines,
            is_whole,
        }
    }

    /// Returns true if these are lines of this hunk as it reads now.
    pub(super) fn is_of(&self, hunk: &HunkView) -> bool {
        self.hunk == hunk.id && !self.is_lost
    }

    /// Takes over that the list is another one.
    pub(super) fn relist(&mut self, list: &ReviewList) {
        let hunk = list.hunk(self.hunk);
        self.is_lost |= hunk.is_none_or(|hunk| Reading::of_hunk(hunk) != self.reads);
    }

    /// Does what a key asks that moves the cursor; a page has so many lines.
    pub(super) fn move_cursor(&mut self, key: LineKey, page: usize) {
        let last = self.lines.len().saturating_sub(1);
        self.cursor = match key {
            LineKey::Next => self.cursor.saturating_add(1).min(last),
            LineKey::Previous => self.cursor.saturating_sub(1),
            LineKey::PageDown => self.cursor.saturating_add(page).min(last),
            LineKey::PageUp => self.cursor.saturating_sub(page),
            LineKey::First => 0,
            LineKey::Last => last,
            LineKey::Toggle
            | LineKey::ToggleAll
            | LineKey::Approve
            | LineKey::Deny
            | LineKey::Comment => self.cursor,
        };
    }

    /// Selects the line at the cursor, or not; returns what there is to say.
    pub(super) fn toggle(&mut self, hunk: &HunkView) -> Option<String> {
        let Some(Some(own)) = self.lines.get_mut(self.cursor) else {
            let text = "This line stays as it is: those with + and - can be selected";
            return Some(text.to_owned());
        };
        *own = !*own;
        let is_selected = *own;
        if self.is_whole {
            self.set_all(is_selected);
            return Some("The file is changed as a whole: all lines go together".to_owned());
        }
        self.ended(hunk)
    }

    /// Selects all lines, or none if all are; returns what there is to say.
    pub(super) fn toggle_all(&mut self, hunk: &HunkView) -> Option<String> {
        let is_all = self.lines.iter().flatten().all(|own| *own);
        self.set_all(!is_all);
        self.ended(hunk)
    }

    /// Returns what is said of a line that gets a line ending, since another follows it.
    fn ended(&self, hunk: &HunkView) -> Option<String> {
        match self.approved(hunk) {
            LineSelectionOutcome::Part { ended, .. } => {
                let line = ended?;
                let line = line.trim();
                Some(format!("A line follows `{line}`: it gets a line ending"))
            }
            LineSelectionOutcome::Nothing | LineSelectionOutcome::Whole => None,
        }
    }

    fn set_all(&mut self, is_selected: bool) {
        self.lines
            .iter_mut()
            .flatten()
            .for_each(|own| *own = is_selected);
    }

    /// Returns true if the line is selected.
    pub(super) fn is_selected(&self, line: usize) -> bool {
        self.lines.get(line) == Some(&Some(true))
    }

    /// Returns the lines that a denial is about: the selected ones, or else the one at the cursor.
    pub(super) fn denied(&self) -> Vec<usize> {
        let lines = 0..self.lines.len();
        let selected: Vec<usize> = lines.filter(|line| self.is_selected(*line)).collect();
        if !selected.is_empty() {
            return selected;
        }
        match self.lines.get(self.cursor) {
            Some(Some(_)) if self.is_whole => (0..self.lines.len()).collect(),
            Some(Some(_)) => vec![self.cursor],
            Some(None) | None => Vec::new(),
        }
    }

    /// Returns the text of the denied lines, each behind its sign.
    pub(super) fn denied_lines(&self, hunk: &HunkView) -> Vec<String> {
        let denied = self.denied();
        let lines = denied.iter().filter_map(|line| hunk.lines.get(*line));
        let signed = lines.filter_map(|line| match line.kind {
            LineKind::Added => Some(format!("+{}", line.text)),
            LineKind::Removed => Some(format!("-{}", line.text)),
            LineKind::Context => None,
        });
        signed.collect()
    }

    /// Returns what the hunk comes to with the selected lines alone.
    pub(super) fn approved(&self, hunk: &HunkView) -> LineSelectionOutcome {
        hunk.select_lines(|line| self.is_selected(line))
    }

    /// Returns what the hunk comes to without the denied lines.
    pub(super) fn rest(&self, hunk: &HunkView) -> LineSelectionOutcome {
        let denied = self.denied();
        hunk.select_lines(|line| denied.binary_search(&line).is_err())
    }

    /// Returns what is said of how many lines are selected.
    pub(super) fn count(&self) -> String {
        let all = self.lines.iter().flatten();
        let selected = all.clone().filter(|own| **own).count();
        format!("{selected} of {} selected", counted(all.count(), "line"))
    }

    /// Returns the margin of a line.
    pub(super) fn margin(&self, line: usize) -> Row {
        let cursor = if line == self.cursor { "▸" } else { "▌" };
        let row = Row::new(Role::Selected, cursor);
        match self.lines.get(line) {
            Some(Some(true)) => row.with(Role::Selected, "●"),
            Some(Some(false)) => row.with(Role::Dim, "○"),
            Some(None) | None => row.with(Role::Text, " "),
        }
    }
}

/// Returns what is asked about selected lines of a hunk of which lines have not been displayed.
pub(super) fn unseen_text(
    (key, names): (LineKey, &KeyNames),
    (unseen, all): (usize, &str),
    why: Option<&str>,
) -> String {
    let letter = match key {
        LineKey::Deny => &names.deny_lines,
        _ => &names.approve_lines,
    };
    match why {
        Some(why) => format!("{unseen} of {all} not displayed yet, and {why}: {letter} shows more"),
        None => format!("{unseen} of {all} not displayed yet: {letter} again goes on without them"),
    }
}
