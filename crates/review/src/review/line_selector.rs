//! Line selector: keys that select lines of a hunk, and the verdict that the lines come to.
//!
//! In: keys, while lines of the selected hunk are being chosen. Out: another selection, or a verdict on the hunk. For
//! example `v`, Space on two of four added lines and `a` mark the hunk as approved with these two alone.

use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::stage::review::{LineSelectionOutcome, Verdict};

use super::KeyNames;
use super::keys::LineKey;
use super::line_selection::LineSelection;
use super::list::ReviewList;
use super::presentation::Presentation;
use super::subject::ReviewSubject;
use crate::response::{Response, ReviewText};

/// Returns what is said where the hunk is another one by now.
fn reads_differently(KeyNames { select_lines, .. }: &KeyNames) -> String {
    format!("The hunk changed: {select_lines} selects its lines again")
}

/// Returns what is said where no line is meant that could be denied.
fn nothing_to_deny(KeyNames { toggle_line, .. }: &KeyNames) -> String {
    format!("Nothing to deny here: {toggle_line} selects lines")
}

/// The lines that are being selected, if any are.
#[derive(Debug, Default)]
pub(super) struct LineSelector(Option<LineSelection>);

/// What a key comes to.
#[derive(Debug)]
pub(super) enum LineKeyOutcome {
    /// It was dealt with here.
    Done(Response),
    /// All of the hunk is to be denied.
    DenyHunk,
    /// The hunk is to have this verdict.
    Approve(HunkId, Verdict),
    /// The lines are to be denied, and the rest of the hunk approved.
    DenyLines(HunkId),
}

/// Lines that are denied of a hunk of which something is left.
#[derive(Debug)]
pub(super) struct LineDenial {
    /// They, each behind its sign.
    pub(super) lines: Vec<String>,
    /// The hunk's new text without them.
    pub(super) rest: String,
}

impl LineSelector {
    /// Begins to select lines of the selected hunk.
    pub(super) fn begin(
        &mut self,
        subject: &ReviewSubject,
        presentation: &mut Presentation,
    ) -> Response {
        if let Some(refusal) = subject.refusal(&Verdict::edited(String::new())) {
            return Response::Say(refusal);
        }
        if !presentation.is_in_sight(subject) {
            return presentation.show_first(subject);
        }
        let Some((file, hunk)) = subject.selected() else {
            return Response::say("There is no hunk here");
        };
        if hunk.lines.is_empty() || hunk.is_told_by_sizes() {
            return Response::say("There are no lines to select here");
        }
        if matches!(
            subject.marks().get(hunk.id),
            Some(Verdict::ApproveEdited { .. })
        ) {
            let KeyNames {
                take_back,
                select_lines,
                ..
            } = subject.names();
            return Response::Say(format!(
                "The hunk is approved with another text: {take_back} takes the mark away, then {select_lines} selects lines"
            ));
        }
        let shown = presentation.first_line_shown(subject);
        self.0 = Some(LineSelection::new(file, hunk, shown));
        presentation.begin_lines(subject, hunk.id);
        Response::Handled
    }

    /// Ends the selection; false if there was none.
    pub(super) fn end(&mut self, subject: &ReviewSubject, presentation: &mut Presentation) -> bool {
        let was_on = self.0.take().is_some();
        if was_on {
            presentation.end_lines(subject);
        }
        was_on
    }

    /// Returns true while lines are being selected.
    pub(super) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Takes over that the list is another one.
    pub(super) fn relist(&mut self, list: &ReviewList) {
        if let Some(lines) = &mut self.0 {
            lines.relist(list);
        }
    }

    /// Returns the lines that are being selected, unless their hunk is another one by now.
    pub(super) fn selection(&self, list: &ReviewList) -> Option<&LineSelection> {
        let hunk = list.selected_hunk()?;
        self.0.as_ref().filter(|lines| lines.is_of(hunk))
    }

    /// Returns true if these are lines of a hunk.
    pub(super) fn is_about(&self, list: &ReviewList, hunk: HunkId) -> bool {
        let own = list.selected_hunk().map(|own| own.id);
        own == Some(hunk) && self.selection(list).is_some()
    }

    /// Does what a key asks.
    pub(super) fn press(
        &mut self,
        key: LineKey,
        subject: &ReviewSubject,
        presentation: &mut Presentation,
    ) -> LineKeyOutcome {
        let selected = self.0.as_mut().zip(subject.list.selected_hunk());
        let Some((lines, hunk)) = selected.filter(|(lines, hunk)| lines.is_of(hunk)) else {
            self.end(subject, presentation);
            return LineKeyOutcome::Done(Response::Say(reads_differently(subject.names())));
        };
        if key.decides() && !presentation.was_drawn() {
            return LineKeyOutcome::Done(Response::say("The proposal changed: look again"));
        }
        match key {
            LineKey::Approve => match lines.approved(hunk) {
                LineSelectionOutcome::Nothing => LineKeyOutcome::DenyHunk,
                LineSelectionOutcome::Whole => LineKeyOutcome::Approve(hunk.id, Verdict::Approve),
                LineSelectionOutcome::Part { text, .. } => {
                    LineKeyOutcome::Approve(hunk.id, Verdict::edited(text))
                }
            },
            LineKey::Deny => match lines.rest(hunk) {
                LineSelectionOutcome::Nothing => LineKeyOutcome::DenyHunk,
                LineSelectionOutcome::Whole => {
                    LineKeyOutcome::Done(Response::Say(nothing_to_deny(subject.names())))
                }
                LineSelectionOutcome::Part { .. } => LineKeyOutcome::DenyLines(hunk.id),
            },
            LineKey::Comment => LineKeyOutcome::Done(Response::AskText(ReviewText::LineComment(
                hunk.id,
                lines.cursor,
            ))),
            LineKey::Toggle => LineKeyOutcome::Done(Response::said(lines.toggle(hunk))),
            LineKey::ToggleAll => LineKeyOutcome::Done(Response::said(lines.toggle_all(hunk))),
            LineKey::Next
            | LineKey::Previous
            | LineKey::PageDown
            | LineKey::PageUp
            | LineKey::First
            | LineKey::Last => {
                // A row stays in sight, beside the head.
                let page = presentation.diff().screen().len().saturating_sub(2).max(1);
                lines.move_cursor(key, page);
                presentation.show_line(subject, lines.cursor);
                LineKeyOutcome::Done(Response::Handled)
            }
        }
    }

    /// Returns what the user is asked before lines are denied.
    pub(super) fn ask_why(&self, list: &ReviewList) -> String {
        let lines = self.selection(list);
        let count = lines.map_or(0, |lines| lines.denied().len());
        let what = match count {
            1 => "this line".to_owned(),
            count => format!("these {}", counted(count, "line")),
        };
        format!("Why deny {what}? The rest is approved")
    }

    /// Returns what is left of a hunk without the lines that are denied; else what there is to say. Lines of a hunk that
    /// is another one by now are let go.
    pub(super) fn denial(
        &mut self,
        hunk: HunkId,
        subject: &ReviewSubject,
        presentation: &mut Presentation,
    ) -> Result<LineDenial, String> {
        let own = subject.list.selected_hunk().filter(|own| own.id == hunk);
        let Some((lines, own)) = self.selection(&subject.list).zip(own) else {
            self.end(subject, presentation);
            return Err(reads_differently(subject.names()));
        };
        match lines.rest(own) {
            LineSelectionOutcome::Part { text, .. } => Ok(LineDenial {
                lines: lines.denied_lines(own),
                rest: text,
            }),
            LineSelectionOutcome::Nothing | LineSelectionOutcome::Whole => {
                Err(nothing_to_deny(subject.names()))
            }
        }
    }
}
