//! Keys of the line selection.
//!
//! In: keys, while lines of the selected hunk are being chosen. Out: another selection, or a verdict on it. For example
//! `v`, Space on two of four added lines and `a` mark the hunk as approved with these two alone.

use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::review::{LineSelectionOutcome, Verdict};

use super::KeyNames;
use super::arrangement::DiffPurpose;
use super::line_selection::{LineSelection, ended_text};
use super::pending_verdicts::Confirmation;
use super::{Outcome, Review, ReviewKey, Scope, say};

/// What keys ask of selected lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineKey {
    /// To the next line.
    Next,
    /// To the one before.
    Previous,
    /// A screen on.
    PageDown,
    /// A screen back.
    PageUp,
    /// To the first line of the hunk.
    First,
    /// To the last.
    Last,
    /// Select the line, or not.
    Toggle,
    /// Select all lines, or none.
    ToggleAll,
    /// Approve the selected lines.
    Approve,
    /// Deny them, and approve the rest.
    Deny,
    /// Comment on the line.
    Comment,
}

impl LineKey {
    /// Tells whether this gives a verdict, or leads to one.
    pub(super) fn decides(self) -> bool {
        match self {
            Self::Approve | Self::Deny | Self::Comment => true,
            Self::Next
            | Self::Previous
            | Self::PageDown
            | Self::PageUp
            | Self::First
            | Self::Last
            | Self::Toggle
            | Self::ToggleAll => false,
        }
    }
}

/// What is said where the hunk is another one by now.
const READS_DIFFERENTLY: &str = "The hunk changed: v selects its lines anew";

impl Review {
    /// Begins to select lines of the selected hunk.
    pub(super) fn begin_lines(&mut self) -> Outcome {
        let text = String::new();
        if let Some(refusal) = self.refusal(&Verdict::ApproveEdited { text }) {
            return Outcome::Say(refusal);
        }
        let (diff, scene) = self.parts();
        if !diff.is_in_sight(&scene) {
            return self.show_first();
        }
        let Some((file, hunk)) = self.selected() else {
            return say("There is no hunk here");
        };
        if hunk.lines.is_empty() || hunk.is_told_by_sizes() {
            return say("There are no lines to select here");
        }
        if matches!(
            self.verdicts.marks.get(hunk.id),
            Some(Verdict::ApproveEdited { .. })
        ) {
            let KeyNames {
                take_back,
                select_lines,
                ..
            } = &self.verdicts.names;
            return Outcome::Say(format!(
                "The hunk is marked with another text: {take_back} takes that back, then {select_lines}"
            ));
        }
        let lines = LineSelection::new(file, hunk, self.first_line_shown());
        let id = hunk.id;
        self.lines = Some(lines);
        // A fold shows none of its lines.
        self.folds.open(id);
        self.lay_lines_out();
        Outcome::Handled
    }

    /// Returns the first line of the selected hunk that is on the screen.
    fn first_line_shown(&self) -> Option<usize> {
        let at = self.list.at();
        let mut rows = self.diff.screen().iter();
        rows.find_map(|row| {
            let is_own = row.file == at.file && row.hunk == Some(at.hunk);
            row.line.filter(|_| is_own)
        })
    }

    /// Ends the selection of lines; false if there was none.
    pub(crate) fn end_lines(&mut self) -> bool {
        let was_on = self.lines.take().is_some();
        if was_on {
            self.lay_lines_out();
        }
        was_on
    }

    fn lay_lines_out(&mut self) {
        self.arrangement.show_for(if self.lines.is_some() {
            DiffPurpose::SelectLines
        } else {
            DiffPurpose::Read
        });
        self.diff.changed(&self.list);
    }

    /// Returns true while lines are being selected.
    pub(crate) fn selects_lines(&self) -> bool {
        self.lines.is_some()
    }

    /// Returns the lines that are being selected, unless their hunk is another one by now.
    pub(super) fn line_selection(&self) -> Option<&LineSelection> {
        let hunk = self.list.selected_hunk()?;
        self.lines.as_ref().filter(|lines| lines.is_of(hunk))
    }

    /// Returns what is said of how many lines are selected.
    pub(crate) fn selected_count(&self) -> Option<String> {
        Some(self.line_selection()?.count())
    }

    /// Does what a key asks of selected lines.
    pub(super) fn lines_key(&mut self, key: LineKey, confirmed: Option<Confirmation>) -> Outcome {
        if self.line_selection().is_none() {
            self.end_lines();
            return say(READS_DIFFERENTLY);
        }
        if key.decides() && !self.was_drawn() {
            return say("The proposal changed: look again");
        }
        match key {
            LineKey::Approve => self.approve_selected(confirmed),
            LineKey::Deny => self.ask_about_selected(confirmed),
            LineKey::Comment => self.begin_line_comment(),
            LineKey::Toggle | LineKey::ToggleAll => self.toggle_lines(key),
            LineKey::Next
            | LineKey::Previous
            | LineKey::PageDown
            | LineKey::PageUp
            | LineKey::First
            | LineKey::Last => {
                self.move_in_lines(key);
                Outcome::Handled
            }
        }
    }

    fn move_in_lines(&mut self, key: LineKey) {
        // A row stays in sight, beside the head.
        let page = self.diff.screen().len().saturating_sub(2).max(1);
        let Some(lines) = &mut self.lines else {
            return;
        };
        match key {
            LineKey::PageDown => lines.step(true, page),
            LineKey::PageUp => lines.step(false, page),
            LineKey::First => lines.step(false, usize::MAX),
            LineKey::Last => lines.step(true, usize::MAX),
            LineKey::Previous => lines.step(false, 1),
            _ => lines.step(true, 1),
        }
        self.show_cursor();
    }

    /// Brings the cursor to view.
    fn show_cursor(&mut self) {
        let hunk = self.list.selected_hunk();
        let above = hunk.map_or(0, |hunk| {
            1 + super::hunk_lines::warnings(hunk, &self.verdicts.names).len()
        });
        let Some(line) = self.lines.as_ref().map(|lines| above + lines.cursor) else {
            return;
        };
        let (diff, scene) = self.parts();
        diff.show_line(&scene, line);
    }

    fn toggle_lines(&mut self, key: LineKey) -> Outcome {
        let (Some(hunk), Some(lines)) = (self.list.selected_hunk(), self.lines.as_mut()) else {
            return Outcome::Handled;
        };
        let said = match key {
            LineKey::ToggleAll => {
                lines.toggle_all();
                None
            }
            _ => lines.toggle(),
        };
        match (said, lines.approved(hunk)) {
            (Some(said), _) => say(said),
            (
                None,
                LineSelectionOutcome::Part {
                    ended: Some(line), ..
                },
            ) => Outcome::Say(ended_text(&line)),
            (None, _) => Outcome::Handled,
        }
    }

    /// Approves the selected lines; none is a denial.
    fn approve_selected(&mut self, confirmed: Option<Confirmation>) -> Outcome {
        let Some((lines, hunk)) = self.line_selection().zip(self.list.selected_hunk()) else {
            return say(READS_DIFFERENTLY);
        };
        let (id, outcome) = (hunk.id, lines.approved(hunk));
        let verdict = match outcome {
            LineSelectionOutcome::Nothing => return self.ask_reason(),
            LineSelectionOutcome::Whole => Verdict::Approve,
            LineSelectionOutcome::Part { text, .. } => Verdict::ApproveEdited { text },
        };
        let key = ReviewKey::Lines(LineKey::Approve);
        if let Some(first) = self.look_first(key, confirmed) {
            return first;
        }
        self.end_lines();
        self.mark_one(id, &verdict)
    }

    /// Asks why lines are denied, of which the rest is approved.
    fn ask_about_selected(&mut self, confirmed: Option<Confirmation>) -> Outcome {
        let Some((lines, hunk)) = self.line_selection().zip(self.list.selected_hunk()) else {
            return say(READS_DIFFERENTLY);
        };
        let id = hunk.id;
        match lines.rest(hunk) {
            LineSelectionOutcome::Nothing => self.ask_reason(),
            LineSelectionOutcome::Whole => self.nothing_to_deny(),
            LineSelectionOutcome::Part { .. } => {
                let key = ReviewKey::Lines(LineKey::Deny);
                let first = self.look_first(key, confirmed);
                first.unwrap_or(Outcome::AskReason(Scope::Lines(id)))
            }
        }
    }

    fn nothing_to_deny(&self) -> Outcome {
        let key = &self.verdicts.names.toggle_line;
        Outcome::Say(format!("Nothing to deny here: {key} selects lines"))
    }

    /// Returns what the user is asked before lines are denied.
    pub(super) fn ask_why_lines(&self) -> String {
        let lines = self.line_selection();
        let count = lines.map_or(0, |lines| lines.denied().len());
        let what = match count {
            1 => "this line".to_owned(),
            count => format!("these {}", counted(count, "line")),
        };
        format!("Why deny {what}? The rest is approved")
    }

    /// Approves a hunk without the denied lines; the reason is a comment on the first of them.
    pub(super) fn deny_selected(&mut self, id: HunkId, verdict: Verdict) -> Outcome {
        let found = self.line_selection().zip(self.list.selected_hunk());
        let Some((lines, hunk)) = found.filter(|(_, hunk)| hunk.id == id) else {
            self.end_lines();
            return say(READS_DIFFERENTLY);
        };
        let LineSelectionOutcome::Part { text, .. } = lines.rest(hunk) else {
            return self.nothing_to_deny();
        };
        let first = lines.denied().first().copied();
        if let (Verdict::Deny { reason: Some(why) }, Some(line)) = (verdict, first) {
            self.comment_line(id, line, &format!("Denied: {why}"));
        }
        self.end_lines();
        self.mark_one(id, &Verdict::ApproveEdited { text })
    }
}
