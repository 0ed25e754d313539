//! Pending verdicts: marks, reasons that are being typed, and the question about a verdict.
//!
//! In: marks, questions and keys. Out: what the same key again confirms. What outlives the run is in `kept`.

use std::collections::HashSet;

use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::stage::review::AfterApproval;

use super::ReviewKey;
use super::comments::Comments;
use super::critique::CritiqueNotes;
use super::kept::Kept;
use super::key_names::KeyNames;
use super::marks::Marks;
use super::questions::Questions;
use super::seen::Counts;
use super::text_drafts::TextDrafts;

/// What the user is about to hand over.
#[derive(Debug, Default)]
pub(super) struct PendingVerdicts {
    pub(super) marks: Marks,
    pub(super) kept: Kept,
    /// Comments that were not sent.
    pub(super) comments: Comments,
    /// What the review agent says of hunks.
    pub(super) critique: CritiqueNotes,
    /// New texts of hunks that are edited in place.
    pub(super) texts: TextDrafts,
    /// What the model was asked about hunks.
    pub(super) questions: Questions,
    question: Option<VerdictQuestion>,
    /// What the keys are called that messages about verdicts mention.
    pub(super) names: KeyNames,
    /// What was chosen for after the verdicts that are being given.
    pub(super) after: Option<AfterApproval>,
}

/// A verdict that was not carried out yet: the same key again confirms it.
#[derive(Debug)]
struct VerdictQuestion {
    key: ReviewKey,
    about: Confirmation,
    text: String,
    drawn: bool,
}

/// What the same key again confirms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Confirmation {
    /// That what is said about the selected file need not be displayed.
    About,
    /// That lines of the selected hunk need not be displayed.
    Hunk,
    /// Nothing: some of several hunks are shown page by page, and none is waived.
    Several(HashSet<HunkId>),
    /// That the selected hunk is meant, which is never approved with others: in conflict, it takes the place of what the
    /// user has there, or its lines are not displayed.
    Alone,
}

impl PendingVerdicts {
    /// Returns what the user is asked.
    pub(super) fn question(&self) -> Option<&str> {
        let question = self.question.as_ref();
        question.map(|question| question.text.as_str())
    }

    /// Asks whether a key is meant.
    pub(super) fn ask(&mut self, key: ReviewKey, about: Confirmation, text: String) {
        self.question = Some(VerdictQuestion {
            key,
            about,
            text,
            drawn: false,
        });
    }

    /// Drops the question; true if there was one.
    pub(super) fn drop_question(&mut self) -> bool {
        self.question.take().is_some()
    }

    /// Takes the question away and returns what this key confirms of it: nothing if it is another key than the one that
    /// was asked about, or if no frame has shown the question.
    pub(super) fn confirm(&mut self, key: ReviewKey) -> Option<Confirmation> {
        let question = self.question.take();
        question
            .filter(|question| question.drawn && question.key == key)
            .map(|question| question.about)
    }

    /// Returns true if there is a question that no frame has shown.
    pub(super) fn is_question_new(&self) -> bool {
        let question = self.question.as_ref();
        question.is_some_and(|question| !question.drawn)
    }

    /// Takes over whether a frame shows the question.
    pub(super) fn show_question(&mut self, is_shown: bool) {
        if let Some(question) = &mut self.question {
            question.drawn = is_shown;
        }
    }

    /// Returns the hunks that are shown page by page, if the question is about several.
    pub(super) fn several(&self) -> Option<&HashSet<HunkId>> {
        match self.question.as_ref().map(|question| &question.about) {
            Some(Confirmation::Several(meant)) => Some(meant),
            _ => None,
        }
    }

    /// Says anew how much of several hunks is left to be shown.
    pub(super) fn count_anew(&mut self, counts: Counts) {
        if let Some(question) = &mut self.question {
            question.text = walk_text(question.key, counts, &self.names);
        }
    }
}

/// More unseen lines than these are said, and what spares the presses: on a screen of 24 rows they take more than 20.
const MANY_LINES: usize = 400;

/// Returns what is asked about several hunks that are shown page by page.
pub(super) fn walk_text(
    key: ReviewKey,
    Counts {
        all,
        unseen,
        lines,
        has_never_waived,
    }: Counts,
    names: &KeyNames,
) -> String {
    let letter = match key {
        ReviewKey::ApproveSame => &names.approve_same,
        ReviewKey::ApproveProved => &names.approve_folded,
        _ => &names.approve_all,
    };
    match (all, unseen) {
        (1, 0) => format!("1 hunk, all of it was displayed: {letter} approves it"),
        (all, 0) => format!("{all} hunks, all were displayed: {letter} approves them"),
        (all, _) if lines > MANY_LINES => {
            let (all, lines) = (counted(all, "hunk"), counted(lines, "line"));
            let approve = &names.approve;
            let waives = if has_never_waived {
                String::new()
            } else {
                format!("; {approve} {approve} approves a hunk unseen")
            };
            format!("{all}, {lines} not displayed yet: {letter} shows more{waives}")
        }
        (all, unseen) => {
            let skip = match key {
                ReviewKey::ApproveSame | ReviewKey::ApproveProved => "",
                _ => "; /approve all skips this",
            };
            let all = counted(all, "hunk");
            format!("{all}, {unseen} not displayed yet: {letter} shows more{skip}")
        }
    }
}
