//! Questions about hunks that wait, and how their answers ended.

use serde::Serialize;

use super::HunkView;

/// What the user asks about a hunk, or says of how it is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkQuestion {
    /// The hunk's file.
    pub path: String,
    /// What its proposer says that it is for.
    pub description: String,
    /// The hunk as it was displayed.
    pub hunk: HunkView,
    /// The question, or the remark.
    pub text: String,
}

/// How the answer to a question ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "end")]
pub enum AnswerEnd {
    /// The answer is complete.
    Whole,
    /// The answer was longer than the limit, and the rest was dropped.
    TooLong,
    /// The user stopped the answer, or asked the next question.
    Cancelled,
    /// The provider failed.
    Failed {
        /// The provider's error.
        why: String,
    },
    /// No model is connected: the next prompt holds the question.
    NoModel,
}
