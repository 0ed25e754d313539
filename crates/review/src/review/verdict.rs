//! Verdicts on the selected hunk, or on lines of it.
//!
//! In: a key, and whether the user confirmed it. Out: marks, or a question: what has not been displayed is shown first,
//! and approved only when the same key comes again; so is what would overwrite the user's own lines.

use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::stage::review::{DeniedLines, HunkReading, Proof, Verdict};

use super::conflict::{KEPT, is_conflict, no_conflict, resolution};
use super::line_selector::{LineDenial, LineKeyOutcome};
use super::marks::TakenBack;
use super::overwriting::asked_alone;
use super::pending_verdicts::Confirmation;
use super::presentation::letter;
use super::several_hunks::Deniable;
use super::subject::ReviewSubject;
use super::{DENIAL, LineKey, Review, ReviewKey, ReviewTool};
use crate::response::{Manuscript, Response, Scope};

/// What is said where the mark of another hunk went.
const DISPLACED: &str =
    "Another hunk was marked to be written over the same lines: its mark is taken away";

/// Approving.
impl Review {
    pub(super) fn approve(&mut self, confirmed: Option<Confirmation>) -> Response {
        let first = self.mark_approved(ReviewKey::Approve, confirmed);
        first.unwrap_or_else(|| self.submit_if_all_marked())
    }

    /// Approves the selected hunk, which stays selected, or takes its mark away.
    pub(super) fn toggle(&mut self, confirmed: Option<Confirmation>) -> Response {
        let hunk = self.subject.list.selected_hunk();
        if hunk.is_some_and(|hunk| self.subject.marks().get(hunk.id).is_some()) {
            return self.take_back();
        }
        if let Some(first) = self.mark_approved(ReviewKey::Tool(ReviewTool::Toggle), confirmed) {
            return first;
        }
        match self.subject.next_open(self.subject.list.at()) {
            Some(_) => Response::Handled,
            None => self.submit_if_all_marked(),
        }
    }

    /// Marks the selected hunk as approved, or returns what comes first.
    fn mark_approved(
        &mut self,
        key: ReviewKey,
        confirmed: Option<Confirmation>,
    ) -> Option<Response> {
        if let Some(refusal) = self.subject.refusal(&Verdict::Approve) {
            return Some(Response::Say(refusal));
        }
        if confirmed != Some(Confirmation::Alone) {
            if let Some(first) = self
                .presentation
                .look_first(&mut self.subject, key, confirmed)
            {
                return Some(first);
            }
            let selected = self.subject.selected();
            let letter = letter(key, self.key_names());
            let asks = selected.and_then(|(file, hunk)| asked_alone(file, hunk, letter));
            if let Some(text) = asks {
                let about = Confirmation::Alone;
                self.subject.verdicts.ask(key, about, text);
                return Some(Response::Handled);
            }
        }
        let fold = self.presentation.selected_fold(&self.subject);
        let id = self.subject.list.selected_hunk().map(|hunk| hunk.id);
        let has_displaced = id.is_some_and(|id| {
            self.change_marks(|subject| subject.mark_alone(id, Verdict::Approve))
        });
        if let Some((hunk, proof)) = fold {
            self.subject.verdicts.marks.note_fold(hunk, proof);
        }
        self.mark_others_with_it();
        has_displaced.then(|| Response::say(DISPLACED))
    }

    /// Gives the selected hunk's new text to be edited.
    pub(super) fn edit(&mut self, key: ReviewKey, confirmed: Option<Confirmation>) -> Response {
        if let Some(refusal) = self.subject.refusal(&Verdict::edited(String::new())) {
            return Response::Say(refusal);
        }
        if let Some(first) = self
            .presentation
            .look_first(&mut self.subject, key, confirmed)
        {
            return first;
        }
        match self.subject.manuscript() {
            Some(manuscript) => Response::Edit(manuscript),
            None => Response::say("There is no text to edit here"),
        }
    }

    /// Takes over what the user made of a hunk's new text: it is marked as approved so. Returns nothing if the hunk
    /// is gone, does not wait any more, or does not read as it did when it was given to the editor.
    pub fn edited(&mut self, manuscript: &Manuscript, text: String) -> Option<Response> {
        let id = manuscript.hunk;
        let hunk = self.subject.list.hunk(id)?;
        let takes = (self.subject.marks()).takes_alone(hunk, &Verdict::edited(String::new()));
        if HunkReading::of(hunk) != manuscript.reads || !takes {
            return None;
        }
        if is_conflict(hunk) {
            return Some(match resolution(hunk, text) {
                Some(Verdict::Deny { reason }) => self.deny(Scope::Hunk(id), reason),
                Some(verdict) => self.resolve(id, verdict),
                None => {
                    let key = &self.key_names().edit;
                    Response::Say(format!(
                        "The marks between both texts are still there: {key} edits it again"
                    ))
                }
            });
        }
        let verdict = if hunk.new_text() == text {
            Verdict::Approve
        } else {
            let denied = self.still_denied(id, &text);
            Verdict::ApproveEdited { text, denied }
        };
        Some(self.mark_one(id, &verdict))
    }

    /// Returns the lines that the user denied of a hunk which are not in another text that they make of it either.
    fn still_denied(&self, id: HunkId, text: &str) -> Option<DeniedLines> {
        let Some(Verdict::ApproveEdited { denied, .. }) = self.subject.marks().get(id) else {
            return None;
        };
        let DeniedLines { lines, reason } = denied.clone()?;
        let is_out = |line: &String| match line.split_at_checked(1) {
            Some(("+", added)) => text.lines().all(|own| own != added),
            Some((_, removed)) => text.lines().any(|own| own == removed),
            None => false,
        };
        let lines: Vec<String> = lines.into_iter().filter(is_out).collect();
        (!lines.is_empty()).then_some(DeniedLines { lines, reason })
    }

    /// Marks a hunk in conflict as approved with a text that the user made of both.
    fn resolve(&mut self, id: HunkId, verdict: Verdict) -> Response {
        let has_displaced = self.change_marks(|subject| subject.mark_alone(id, verdict));
        self.mark_others_with_it();
        if has_displaced {
            return Response::say(DISPLACED);
        }
        self.submit_if_all_marked()
    }
}

/// Denying, and taking marks back.
impl Review {
    /// Denies what was asked about. The head that has the reason may be out of sight once the next hunk is selected.
    pub fn deny(&mut self, scope: Scope, reason: Option<String>) -> Response {
        let said = reason.as_ref().map(|why| format!("To be denied: {why}"));
        let response = match scope {
            Scope::All => self.rule_all(&Verdict::Deny { reason }),
            Scope::Hunk(id) => {
                self.end_lines();
                self.mark_one(id, &Verdict::Deny { reason })
            }
            Scope::Lines(id) => self.deny_lines(id, reason),
        };
        match response {
            Response::Handled => Response::said(said),
            other => other,
        }
    }

    /// Returns what the user is asked before hunks are denied.
    pub fn ask_why(&self, scope: Scope) -> String {
        match scope {
            Scope::Hunk(id) => {
                let own = self.subject.list.entry(id);
                match own.map_or(0, |(_, hunk)| self.presentation.unseen_lines(hunk)) {
                    0 => "Why deny this hunk?".to_owned(),
                    unseen => format!("Why deny this hunk? {} unseen", counted(unseen, "line")),
                }
            }
            Scope::Lines(_) => self.lines.ask_why(&self.subject.list),
            Scope::All => {
                let Deniable {
                    all,
                    unseen,
                    marked,
                } = self.deniable();
                let marked = (marked > 0).then(|| format!("{marked} marked ✓"));
                let unseen = (unseen > 0).then(|| format!("{unseen} unseen"));
                let of_them: Vec<String> = marked.into_iter().chain(unseen).collect();
                let question = match all {
                    1 => "Why deny the hunk?".to_owned(),
                    all => format!("Why deny all {all} hunks?"),
                };
                format!("{question} {}", of_them.join(", "))
                    .trim_end()
                    .to_owned()
            }
        }
    }

    pub(super) fn ask_reason(&mut self) -> Response {
        if let Some(refusal) = self.subject.refusal(&DENIAL) {
            return Response::Say(refusal);
        }
        if !self.presentation.is_in_sight(&self.subject) {
            return self.presentation.show_first(&self.subject);
        }
        match self.subject.list.selected_hunk() {
            Some(hunk) => Response::AskReason(Scope::Hunk(hunk.id), None),
            None => Response::say("There is no hunk here"),
        }
    }

    /// Denies the selected hunk, since the user's own lines stay.
    pub(super) fn keep_mine(&mut self) -> Response {
        let hunk = self.subject.list.selected_hunk();
        let Some(hunk) = hunk.filter(|hunk| is_conflict(hunk)) else {
            return Response::Say(no_conflict(self.key_names()));
        };
        let id = hunk.id;
        if let Some(refusal) = (self.subject.marks()).refusal(Some(hunk), &DENIAL, self.key_names())
        {
            return Response::Say(refusal);
        }
        if !self.presentation.is_in_sight(&self.subject) {
            return self.presentation.show_first(&self.subject);
        }
        let reason = Some(KEPT.to_owned());
        self.mark_one(id, &Verdict::Deny { reason })
    }

    /// Takes the selected hunk's mark away; where it has none, takes back the last marks that were given together, and
    /// goes there. For example `s` marks five hunks, and `u` on the next takes the five marks back and selects the first
    /// of them.
    pub(super) fn take_back(&mut self) -> Response {
        let hunk = self.subject.list.selected_hunk().map(|hunk| hunk.id);
        let had_edited = self.subject.marks().has_edited();
        let outcome = match self.subject.verdicts.marks.take_back(hunk) {
            TakenBack::Selected => Response::Handled,
            TakenBack::AlreadySent => Response::say("Already handed over"),
            TakenBack::Last(undone) => self.presentation.go_to_undone(&mut self.subject, &undone),
        };
        self.mark_others_with_it();
        self.lay_edited_out(had_edited);
        outcome
    }
}

/// Lines of the selected hunk.
impl Review {
    /// Begins to select lines.
    pub(super) fn begin_lines(&mut self) -> Response {
        self.lines.begin(&self.subject, &mut self.presentation)
    }

    /// Ends the selection of lines; false if there was none.
    pub fn end_lines(&mut self) -> bool {
        self.lines.end(&self.subject, &mut self.presentation)
    }

    /// Does what a key asks of selected lines.
    pub(super) fn press_on_lines(
        &mut self,
        key: LineKey,
        confirmed: Option<Confirmation>,
    ) -> Response {
        let Self {
            lines,
            subject,
            presentation,
            ..
        } = self;
        match lines.press(key, subject, presentation) {
            LineKeyOutcome::Done(outcome) => outcome,
            LineKeyOutcome::DenyHunk => self.ask_reason(),
            LineKeyOutcome::Approve(id, verdict) => {
                if let Some(first) = self.presentation.look_first(
                    &mut self.subject,
                    ReviewKey::Lines(key),
                    confirmed,
                ) {
                    return first;
                }
                self.end_lines();
                self.mark_one(id, &verdict)
            }
            LineKeyOutcome::DenyLines(id) => {
                let first = self.presentation.look_first(
                    &mut self.subject,
                    ReviewKey::Lines(key),
                    confirmed,
                );
                first.unwrap_or(Response::AskReason(Scope::Lines(id), None))
            }
        }
    }

    /// Approves a hunk without the denied lines, which the model is told with the reason.
    fn deny_lines(&mut self, id: HunkId, reason: Option<String>) -> Response {
        let denial = self.lines.denial(id, &self.subject, &mut self.presentation);
        let denial = match denial {
            Ok(denial) => denial,
            Err(why) => return Response::Say(why),
        };
        self.end_lines();
        let LineDenial { lines, rest: text } = denial;
        let denied = Some(DeniedLines { lines, reason });
        self.mark_one(id, &Verdict::ApproveEdited { text, denied })
    }
}

/// Marks.
impl Review {
    /// Marks one hunk, unless it was decided on while the user typed.
    fn mark_one(&mut self, id: HunkId, verdict: &Verdict) -> Response {
        let hunk = self.subject.list.hunk(id);
        if !hunk.is_some_and(|hunk| self.subject.marks().takes(hunk, verdict)) {
            return Response::say("The hunk does not wait any more");
        }
        self.change_marks(|subject| subject.mark_each(|hunk| hunk.id == id, verdict));
        self.mark_others_with_it();
        self.submit_if_all_marked()
    }

    /// Changes marks. Only the user's own text changes the lines of a hunk.
    pub(super) fn change_marks<T>(&mut self, change: impl FnOnce(&mut ReviewSubject) -> T) -> T {
        let had_edited = self.subject.marks().has_edited();
        let changed = change(&mut self.subject);
        self.lay_edited_out(had_edited);
        changed
    }

    fn lay_edited_out(&mut self, had_edited: bool) {
        if had_edited || self.subject.marks().has_edited() {
            self.presentation.changed(&self.subject);
        }
    }

    /// Takes over what the mark of the selected hunk means for others: without its other side a block is not moved.
    pub(super) fn mark_others_with_it(&mut self) {
        let hunk = self.subject.list.selected_hunk();
        if hunk.is_some_and(|hunk| matches!(hunk.proof, Some(Proof::Moved { .. }))) {
            self.presentation.changed(&self.subject);
        }
    }
}

#[cfg(test)]
mod tests {
    use signoff_core::stage::review::{HunkStatus, Ruling, Sight};

    use super::*;
    use crate::review::kit::file;

    #[test]
    fn of_hunks_for_the_same_lines_the_one_that_was_marked_last_is_written() {
        let mut given = file("above");
        let (first, mut second) = (given.hunks[0].id, given.hunks[0].clone());
        second.id.number = 2;
        second.rivals = vec![first];
        given.hunks.push(second);
        for hunk in &mut given.hunks {
            let reason = "you changed the same lines since".to_owned();
            hunk.status = HunkStatus::Conflict { reason };
            hunk.takeable = true;
        }
        for order in [[0, 1], [1, 0]] {
            let mut review = Review::default();
            review.set(vec![given.clone()]);
            for (at, expected) in order
                .into_iter()
                .zip([Response::SignOff, Response::say(DISPLACED)])
            {
                let hunk = &given.hunks[at];
                let manuscript = Manuscript {
                    hunk: hunk.id,
                    path: given.path.clone(),
                    text: hunk.new_text(),
                    reads: HunkReading::of(hunk),
                };
                let said = review.edited(&manuscript, hunk.new_text());
                assert_eq!(said, Some(expected), "{order:?}");
            }
            let Response::Decide(rulings) = review.hand_over_and(None) else {
                panic!("nothing was handed over")
            };
            let decided: Vec<HunkId> = rulings.iter().map(|ruling| ruling.hunk).collect();
            assert_eq!(decided, [given.hunks[order[1]].id]);
        }
    }

    /// The editor may be open for minutes, and the file saved meanwhile.
    #[test]
    fn a_text_from_the_editor_is_for_the_hunk_that_was_given_to_it() {
        let given = file("above");
        let hunk = &given.hunks[0];
        let manuscript = Manuscript {
            hunk: hunk.id,
            path: given.path.clone(),
            text: hunk.new_text(),
            reads: HunkReading::of(hunk),
        };
        for (list, is_taken) in [
            (vec![file("above")], true),
            (vec![file("above, saved by the user")], false),
            (Vec::new(), false),
        ] {
            let mut review = Review::default();
            review.set(vec![given.clone()]);
            review.set(list);
            let text = "mine\n".to_owned();
            let verdict = Verdict::edited(text.clone());
            let ruling = Ruling::new(hunk, verdict).with_sight(Sight::Seen);
            let expected = is_taken.then_some(Response::SignOff);
            assert_eq!(review.edited(&manuscript, text), expected);
            let handed_over = if is_taken {
                Response::Decide(vec![ruling])
            } else {
                Response::Handled
            };
            assert_eq!(review.hand_over_and(None), handed_over);
        }
    }
}
