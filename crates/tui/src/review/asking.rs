//! Asking the model about the selected hunk.
//!
//! In: a key, the question as it is typed, and the answer as it arrives. Out: the question with its hunk, for the
//! session; rows below the hunk. The hunk waits on.

use signoff_core::id::HunkId;
use signoff_llm::session::{AnswerEnd, HunkQuestion};

use super::{Outcome, Review, say};
use crate::wrap::Row;

impl Review {
    /// Has the user type a question about the selected hunk.
    pub(super) fn ask_question(&mut self) -> Outcome {
        let (diff, scene) = self.parts();
        if !diff.is_in_sight(&scene) {
            return self.show_first();
        }
        match self.list.selected_hunk() {
            Some(hunk) => Outcome::AskQuestion(hunk.id),
            None => say("There is no hunk here"),
        }
    }

    /// Keeps a question that is being typed; an empty one is forgotten.
    pub(crate) fn draft_question(&mut self, hunk: HunkId, text: &str) {
        if self.verdicts.questions.drafted(hunk) != text {
            self.verdicts.questions.draft(hunk, text);
            self.verdicts.kept.change();
        }
    }

    /// Returns the question that was begun, if any was.
    pub(crate) fn drafted_question(&self, hunk: HunkId) -> &str {
        self.verdicts.questions.drafted(hunk)
    }

    /// Returns the newest question about a hunk that got no answer.
    pub(crate) fn unanswered_question(&self, hunk: HunkId) -> Option<&str> {
        self.verdicts.questions.unanswered(hunk)
    }

    /// Returns a question with its hunk, unless that is gone.
    pub(crate) fn question_about(&self, hunk: HunkId, text: &str) -> Option<HunkQuestion> {
        let files = self.list.files().iter();
        let mut found = files.flat_map(|file| file.hunks.iter().map(move |own| (file, own)));
        let (file, hunk) = found.find(|(_, own)| own.id == hunk)?;
        Some(HunkQuestion {
            path: file.path.clone(),
            hunk: hunk.clone(),
            text: text.to_owned(),
        })
    }

    /// Returns the selected hunk if an answer about it arrives.
    pub(crate) fn awaits_answer(&self) -> Option<HunkId> {
        let hunk = self.list.selected_hunk()?.id;
        self.verdicts.questions.is_open(hunk).then_some(hunk)
    }

    /// Takes over that the model was asked about a hunk.
    pub(crate) fn asked(&mut self, hunk: HunkId, path: &str, question: &str) {
        self.verdicts.questions.ask(hunk, path, question);
        self.verdicts.marks.ask(hunk);
        self.verdicts.kept.change();
        self.put_below(hunk);
    }

    /// Takes a piece of the model's answer about a hunk, and how it ended. Returns question and answer once that is over.
    pub(crate) fn answered(
        &mut self,
        hunk: HunkId,
        text: &str,
        end: Option<&AnswerEnd>,
    ) -> Vec<Row> {
        self.verdicts.questions.answered(hunk, text, end);
        self.put_below(hunk);
        if end.is_none() {
            return Vec::new();
        }
        self.verdicts.kept.change();
        self.verdicts.questions.newest(hunk)
    }
}
