//! Responses: what a key, or a text that is entered, comes to in a pane.
//!
//! In: nothing. Out: [`Response`], which every pane gives to a key and which the app carries out in one place, with the
//! values that it holds.
//!
//! Example: `d` in the review is answered with `AskReason(Scope::Hunk(id), None)`: the app asks for the reason in the
//! place of the composer, and the review is given the text once it is entered.

use serde::{Deserialize, Serialize};
use signoff_core::id::{ChangesetId, HunkId};
use signoff_core::stage::review::{DiffScope, HunkReading, RevertTarget, RevertTo, Ruling};

/// What a pane answers a key with.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// The pane dealt with it: the next frame shows how.
    Handled,
    /// It is no key of the pane's.
    NotMine,
    /// This is said in the status line until the next key.
    Say(String),
    /// These verdicts are carried out.
    Decide(Vec<Ruling>),
    /// The page that says what will be written is shown.
    SignOff,
    /// The user is asked for a reason, which begins with this text; without one with what was typed before.
    AskReason(Scope, Option<String>),
    /// The user is asked for a text about the review.
    AskText(ReviewText),
    /// The user is asked whether something is to be taken back.
    AskRevert(RevertQuestion),
    /// The diff of this is shown over the history, under this name.
    ShowDiff(DiffScope, String),
    /// This text is for the clipboard.
    Copy(String),
    /// The user's editor opens a file.
    OpenFile(FileLine),
    /// The user edits a hunk's new text in an editor.
    Edit(Manuscript),
    /// The user edits the new text of this hunk in place.
    EditInPlace {
        /// The hunk.
        hunk: HunkId,
        /// What was begun of it before the hunk changed.
        outdated: Option<Manuscript>,
    },
}

impl Response {
    /// Returns that there is something to say.
    pub fn say(line: &str) -> Self {
        Self::Say(line.to_owned())
    }

    /// Returns what there is to say, if anything is.
    pub fn said(line: Option<String>) -> Self {
        line.map_or(Self::Handled, Self::Say)
    }
}

/// Which hunks a denial is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// One.
    Hunk(HunkId),
    /// Lines of one: the rest of it is approved.
    Lines(HunkId),
    /// Every one that waits without a mark.
    All,
}

/// What is typed about the review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewText {
    /// A question to the model about a hunk.
    Question(HunkId),
    /// What is to be different in a hunk, which the model writes again.
    Remark(HunkId),
    /// A comment on a hunk.
    Comment(HunkId),
    /// A comment on a line of a hunk.
    LineComment(HunkId, usize),
    /// The new text of a hunk.
    NewText(HunkId),
    /// What to search for in the diffs.
    Search,
}

/// A revert that the user has yet to confirm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevertQuestion {
    /// What.
    pub target: RevertTarget,
    /// What will be taken back, as a question.
    pub text: String,
    /// The changeset that it is a part of, if other files have something of it too.
    pub whole: Option<ChangesetId>,
}

impl RevertQuestion {
    /// Tells whether what was reverted is to be put back.
    pub fn puts_back(&self) -> bool {
        match self.target.parts().0 {
            RevertTarget::Redo { .. } => true,
            RevertTarget::OneFile { to, .. } => *to == RevertTo::Redo,
            _ => false,
        }
    }
}

/// A hunk's new text, for the user's editor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manuscript {
    /// The hunk.
    pub hunk: HunkId,
    /// Its file.
    pub path: String,
    /// The text.
    pub text: String,
    /// How the hunk reads.
    pub reads: HunkReading,
}

/// A line of a file on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLine {
    /// Path relative to the workspace.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
}
