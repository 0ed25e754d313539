//! Outcome of a key in the review: verdicts to be carried out, or what the user is asked.

use serde::{Deserialize, Serialize};
use signoff_core::id::HunkId;
use signoff_core::stage::review::{HunkReading, Ruling};

use super::subject::FileLine;

/// Which hunks a denial is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scope {
    /// One.
    Hunk(HunkId),
    /// Lines of one: the rest of it is approved.
    Lines(HunkId),
    /// Every one that waits without a mark.
    All,
}

/// What came of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was dealt with here.
    Handled,
    /// These verdicts are to be carried out.
    Decide(Vec<Ruling>),
    /// The page that says what will be written is to be shown.
    SignOff,
    /// The user is to be asked for a reason.
    AskReason(Scope),
    /// The same, where the answer begins with this text.
    SuggestReason(Scope, String),
    /// The user is to type a question about this hunk.
    AskQuestion(HunkId),
    /// The user is to type what to search for.
    AskQuery,
    /// The user is to type a comment on this hunk.
    AskComment(HunkId),
    /// The user is to type a comment on this line of a hunk.
    AskLineComment(HunkId, usize),
    /// This text is for the clipboard.
    Copy(String),
    /// The user's editor is to open a file.
    Open(FileLine),
    /// The user is to edit a text.
    Edit(Manuscript),
    /// The user is to edit the new text of this hunk in place.
    EditInPlace {
        hunk: HunkId,
        /// What was begun of it before the hunk changed.
        outdated: Option<Manuscript>,
    },
    /// There is something to say.
    Say(String),
}

/// A hunk's new text, for the user's editor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manuscript {
    /// The hunk.
    pub(crate) hunk: HunkId,
    /// Its file.
    pub(crate) path: String,
    /// The text.
    pub(crate) text: String,
    /// How the hunk reads.
    pub(super) reads: HunkReading,
}

/// Returns that there is something to say.
pub(super) fn say(line: &str) -> Outcome {
    Outcome::Say(line.to_owned())
}
