//! Texts that the user types in the review: reasons, questions, comments, new texts of hunks, what to search for.
//!
//! In: keys, each text as it is typed, the model's answer. Out: drafts that are offered again, rows below the hunk,
//! messages to the model, and matches in sight. The hunk waits on.

use signoff_core::id::HunkId;
use signoff_core::stage::review::{AnswerEnd, HunkQuestion, HunkStatus};

use super::comments::CommentClaim;
use super::diff::NewNotes;
use super::pending_verdicts::Confirmation;
use super::search::LinePlace;
use super::subject::ReviewSubject;
use super::{Review, ReviewKey, ReviewTool};
use crate::response::{Manuscript, Response, ReviewText, Scope};
use crate::wrap::Row;

/// Reasons, and new texts.
impl Review {
    /// Keeps a reason that is being typed; an empty one is forgotten.
    pub fn draft(&mut self, scope: Scope, text: &str) {
        self.subject.verdicts.kept.draft(scope, text);
    }

    /// Returns the reason that was begun, if any was.
    pub fn drafted(&self, scope: Scope) -> &str {
        self.subject.verdicts.kept.drafted(scope)
    }

    /// Has the user edit the selected hunk's new text in place.
    pub(super) fn edit_in_place(&mut self, confirmed: Option<Confirmation>) -> Response {
        let key = ReviewKey::Tool(ReviewTool::EditInPlace);
        match self.edit(key, confirmed) {
            Response::Edit(manuscript) => {
                let verdicts = &mut self.subject.verdicts;
                verdicts.kept.change();
                Response::EditInPlace {
                    hunk: manuscript.hunk,
                    outdated: verdicts.texts.begin(manuscript),
                }
            }
            other => other,
        }
    }

    /// Returns the text of a hunk that is being edited in place.
    pub(crate) fn drafted_text(&self, hunk: HunkId) -> &str {
        self.subject.verdicts.texts.text(hunk)
    }

    /// Returns true if the text of a hunk is being edited in place: not if the hunk is gone meanwhile.
    pub(crate) fn has_drafted_text(&self, hunk: HunkId) -> bool {
        self.subject.verdicts.texts.has(hunk)
    }

    /// Keeps the text as it is typed.
    pub(crate) fn draft_text(&mut self, hunk: HunkId, text: &str) {
        let verdicts = &mut self.subject.verdicts;
        verdicts.texts.set(hunk, text);
        verdicts.kept.change();
    }

    /// Returns once what was typed in the place of a hunk's new text.
    pub fn take_drafted_text(&mut self, hunk: HunkId) -> Option<Manuscript> {
        let verdicts = &mut self.subject.verdicts;
        verdicts.kept.change();
        verdicts.texts.take(hunk)
    }
}

/// Questions to the model.
impl Review {
    /// Has the user type a question about the selected hunk.
    pub(super) fn ask_question(&mut self) -> Response {
        if !self.presentation.is_in_sight(&self.subject) {
            return self.presentation.show_first(&self.subject);
        }
        match self.subject.list.selected_hunk() {
            Some(hunk) => Response::AskText(ReviewText::Question(hunk.id)),
            None => Response::say("There is no hunk here"),
        }
    }

    /// Has the user type what is to be different in the selected hunk, which the model writes again then.
    pub(super) fn regenerate(&mut self) -> Response {
        if !self.presentation.is_in_sight(&self.subject) {
            return self.presentation.show_first(&self.subject);
        }
        match self.subject.list.selected_hunk() {
            Some(hunk) if hunk.status == HunkStatus::Pending => {
                Response::AskText(ReviewText::Remark(hunk.id))
            }
            Some(_) => Response::say("Only a hunk that waits is written again"),
            None => Response::say("There is no hunk here"),
        }
    }

    /// Keeps a question that is being typed; an empty one is forgotten.
    pub fn draft_question(&mut self, hunk: HunkId, text: &str) {
        self.subject.verdicts.draft_question(hunk, text);
    }

    /// Returns the question that was begun, if any was.
    pub(crate) fn drafted_question(&self, hunk: HunkId) -> &str {
        self.subject.verdicts.questions.drafted(hunk)
    }

    /// Returns the newest question about a hunk that got no answer.
    pub fn unanswered_question(&self, hunk: HunkId) -> Option<&str> {
        self.subject.verdicts.questions.unanswered(hunk)
    }

    /// Returns a question with its hunk, unless that is gone.
    pub fn question_about(&self, hunk: HunkId, text: &str) -> Option<HunkQuestion> {
        let (file, hunk) = self.subject.list.entry(hunk)?;
        Some(HunkQuestion {
            path: file.path.clone(),
            description: file.description.clone(),
            hunk: hunk.clone(),
            text: text.to_owned(),
        })
    }

    /// Returns the selected hunk if an answer about it arrives.
    pub fn awaits_answer(&self) -> Option<HunkId> {
        let hunk = self.subject.list.selected_hunk()?.id;
        let is_open = self.subject.verdicts.questions.is_open(hunk);
        is_open.then_some(hunk)
    }

    /// Takes over that the model was asked about a hunk.
    pub fn asked(&mut self, hunk: HunkId, path: &str, question: &str) {
        self.subject.verdicts.asked(hunk, path, question);
        self.show_newest_exchange(hunk);
    }

    /// Takes a piece of the model's answer about a hunk, and how it ended. Returns question and answer once that is over.
    pub fn answered(&mut self, hunk: HunkId, text: &str, end: Option<&AnswerEnd>) -> Vec<Row> {
        // Who scrolled away while it arrives reads something else.
        let follows = self.presentation.shows_end_of(&self.subject, hunk);
        let rows = self.subject.verdicts.answered(hunk, text, end);
        if follows {
            self.show_newest_exchange(hunk);
        } else {
            self.presentation.changed_in(&self.subject, hunk.proposal);
        }
        rows
    }

    fn show_newest_exchange(&mut self, hunk: HunkId) {
        let notes = NewNotes::Last(self.subject.verdicts.questions.newest_rows(hunk));
        self.presentation.changed_notes(&self.subject, hunk, notes);
    }

    /// Returns the model's newest answer about a hunk.
    pub fn newest_answer(&self, hunk: HunkId) -> Option<String> {
        self.subject.verdicts.questions.newest_answer(hunk)
    }
}

/// Comments.
impl Review {
    /// Has the user type a comment on the selected hunk.
    pub(super) fn begin_comment(&self) -> Response {
        match self.subject.list.selected_hunk() {
            Some(hunk) => Response::AskText(ReviewText::Comment(hunk.id)),
            None => Response::say("There is no hunk here"),
        }
    }

    /// Returns the comment on a hunk, to be edited.
    pub(crate) fn commented(&self, hunk: HunkId) -> &str {
        self.subject.verdicts.commented(hunk)
    }

    /// Takes over the comment on a hunk; an empty one is removed.
    pub fn comment(&mut self, hunk: HunkId, text: &str) {
        let ReviewSubject { list, verdicts, .. } = &mut self.subject;
        if verdicts.comment(list, hunk, text) {
            let notes = NewNotes::BelowHunk;
            self.presentation.changed_notes(&self.subject, hunk, notes);
        }
    }

    /// Keeps a comment on a hunk as it is typed: it is none before it is entered.
    pub(crate) fn draft_comment(&mut self, hunk: HunkId, text: &str) {
        let ReviewSubject { list, verdicts, .. } = &mut self.subject;
        verdicts.draft_comment(list, hunk, text);
    }

    /// Returns the comment on a line, to be edited.
    pub(crate) fn commented_line(&self, hunk: HunkId, line: usize) -> &str {
        let ReviewSubject { list, verdicts, .. } = &self.subject;
        verdicts.commented_line(list, (hunk, line))
    }

    /// Takes over the comment on a line; an empty one is removed. Where the hunk reads differently by now, it is
    /// a comment on the hunk.
    pub fn comment_line(&mut self, hunk: HunkId, line: usize, text: &str) {
        let ReviewSubject { list, verdicts, .. } = &mut self.subject;
        if !self.lines.is_about(list, hunk) {
            return self.comment(hunk, text);
        }
        if verdicts.comment_line(list, (hunk, line), text) {
            let notes = NewNotes::BelowLine(line);
            self.presentation.changed_notes(&self.subject, hunk, notes);
        }
    }

    /// Keeps a comment on a line as it is typed, as [`Self::comment_line`] takes it.
    pub(crate) fn draft_comment_line(&mut self, hunk: HunkId, line: usize, text: &str) {
        let ReviewSubject { list, verdicts, .. } = &mut self.subject;
        if self.lines.is_about(list, hunk) {
            verdicts.draft_comment_line(list, (hunk, line), text);
        } else {
            verdicts.draft_comment(list, hunk, text);
        }
    }

    /// Returns how many comments were not sent.
    pub fn comment_count(&self) -> usize {
        self.subject.verdicts.comments.count()
    }

    /// Takes all comments that were entered, to be sent.
    pub fn take_comments(&mut self) -> Option<CommentClaim> {
        let claim = self.subject.verdicts.take_comments()?;
        self.presentation.changed(&self.subject);
        Some(claim)
    }
}

/// Search.
impl Review {
    /// Begins a search at the selected hunk.
    pub(super) fn begin_search(&mut self) -> Response {
        self.search.begin(self.subject.list.at());
        Response::AskText(ReviewText::Search)
    }

    /// Looks for a query while it is typed.
    pub(crate) fn find_query(&mut self, query: &str) {
        self.search.find(query);
        if query.is_empty() {
            let origin = self.search.origin();
            self.presentation.select(&mut self.subject, origin);
        }
        self.search_on();
    }

    /// Looks at more lines, if a search is under way.
    pub fn search_on(&mut self) {
        if self.search.goes_on()
            && let Some(place) = self.search.step(self.subject.list.files())
        {
            self.presentation.show_match(&mut self.subject, place);
        }
    }

    /// Returns true while a search has lines left to look at.
    pub fn is_searching(&self) -> bool {
        self.search.goes_on()
    }

    /// Ends the search; false if there was none.
    pub fn end_search(&mut self) -> bool {
        self.search.end()
    }

    /// Ends a search that is being typed, and goes back to where it began.
    pub fn drop_search(&mut self) {
        let origin = self.search.origin();
        self.search.end();
        self.presentation.select(&mut self.subject, origin);
    }

    /// Returns true if anything was found.
    pub fn finds(&mut self) -> bool {
        self.search.finds(self.subject.list.files())
    }

    /// Returns which match is selected, of how many, and where it is if its line does not show it.
    pub fn search_count(&self) -> Option<String> {
        let count = self.search.count()?;
        let hidden = self.search.hidden_column(self.subject.list.files());
        Some(match hidden {
            Some(column) => format!("{count}, in column {column}, which is not shown"),
            None => count,
        })
    }

    /// Selects the next match of the search, or else the next hunk without a mark.
    pub(super) fn go_to_next(&mut self) -> Response {
        if self.search.is_active() {
            let found = self.search.next(self.subject.list.files());
            return self.go_to_match(found);
        }
        let list = &self.subject.list;
        let after = list.next().unwrap_or_default();
        let open = self.subject.next_open(after);
        self.presentation.go_to_unmarked(&mut self.subject, open)
    }

    /// Selects the match of the search before the selected one, or else the hunk without a mark.
    pub(super) fn go_to_previous(&mut self) -> Response {
        if self.search.is_active() {
            let found = self.search.previous(self.subject.list.files());
            return self.go_to_match(found);
        }
        let open = self.subject.previous_open();
        self.presentation.go_to_unmarked(&mut self.subject, open)
    }

    fn go_to_match(&mut self, found: Option<LinePlace>) -> Response {
        if let Some(place) = found {
            self.presentation.show_match(&mut self.subject, place);
        }
        Response::Handled
    }
}
