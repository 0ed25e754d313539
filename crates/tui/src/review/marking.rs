//! Marks that are given and taken back with one key, and hunks without one.
//!
//! In: keys. Out: marks, and the hunk that is selected. For example `s` marks five hunks, and `u` on the next takes the
//! five marks back and selects the first of them.

use super::pending_verdicts::Confirmation;
use super::{Outcome, Review, ReviewKey, ReviewTool, say};

impl Review {
    /// Approves the selected hunk, which stays selected, or takes its mark away.
    pub(super) fn toggle(&mut self, confirmed: Option<Confirmation>) -> Outcome {
        let hunk = self.list.selected_hunk();
        if hunk.is_some_and(|hunk| self.verdicts.marks.get(hunk.id).is_some()) {
            return self.take_back();
        }
        if let Some(first) = self.mark_approved(ReviewKey::Tool(ReviewTool::Toggle), confirmed) {
            return first;
        }
        match self.next_open(self.list.at()) {
            Some(_) => Outcome::Handled,
            None => self.submit_if_all_marked(),
        }
    }

    /// Takes the selected hunk's mark away; where it has none, takes back the last marks that were given together, and
    /// goes there.
    pub(super) fn take_back(&mut self) -> Outcome {
        let had_edited = self.verdicts.marks.has_edited();
        let outcome = self.take_marks_back();
        self.mark_other_side();
        self.marked_anew(had_edited);
        outcome
    }

    fn take_marks_back(&mut self) -> Outcome {
        let marks = &mut self.verdicts.marks;
        if let Some(hunk) = self.list.selected_hunk()
            && marks.get(hunk.id).is_some()
        {
            if marks.is_sent(hunk.id) {
                return say("Already handed over");
            }
            marks.unset(hunk.id);
            return Outcome::Handled;
        }
        let undone = marks.undo();
        let Some(place) = self.list.find(|_, hunk| undone.contains(&hunk.id)) else {
            return say("There is no mark to take back");
        };
        self.select(place);
        match undone.len() {
            1 => Outcome::Handled,
            marks => Outcome::Say(format!("{marks} marks taken back")),
        }
    }

    /// Selects the next hunk without a mark.
    pub(super) fn go_to_next_open(&mut self) -> Outcome {
        let at = self.list.at();
        let after = self.list.next().unwrap_or_default();
        self.go_to_open(self.next_open(after).filter(|place| *place != at))
    }

    /// Selects the hunk without a mark before the selected one.
    pub(super) fn go_to_previous_open(&mut self) -> Outcome {
        let at = self.list.at();
        let marks = &self.verdicts.marks;
        let open = self.list.find_before(at, |_, hunk| {
            marks.is_open(hunk) && marks.get(hunk.id).is_none()
        });
        self.go_to_open(open.filter(|place| *place != at))
    }

    fn go_to_open(&mut self, place: Option<super::list::HunkPlace>) -> Outcome {
        match place {
            Some(place) => {
                self.select(place);
                Outcome::Handled
            }
            None => say("No other hunk is without a mark"),
        }
    }
}
