//! Review views: staged work and history as plain values for screens and JSON.
//!
//! In: proposals and history entries. Out: views that hold no text of the file beyond
//! the lines shown. Names and lines are as in the file; whoever draws them escapes
//! control characters.

mod after_approval;
mod changed_move;
pub mod critique;
mod effect;
mod file_diff;
mod listing;
mod proof;
mod proposer;
mod question;
mod reading;
mod revert;
mod second_signature;
mod selection;
mod sign_off;
mod stack_place;
mod status;
mod written_since;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::edit::diff::line::{DiffLine, LineKind};
use crate::edit::diff::undisplayed::Undisplayed;
use crate::edit::intent::Operation;
use crate::id::{ChangesetId, HunkId, ProposalId, Timestamp};

pub use after_approval::AfterApproval;
pub use changed_move::ChangedMove;
pub use effect::{EncodingChange, ModeChange, ProposalEffect};
pub use file_diff::{DiffHunk, DiffScope, FileDiff, ScopedDiff};
pub use listing::{ReviewListing, StagedProposals};
pub use proof::Proof;
pub use proposer::Proposer;
pub use question::{AnswerEnd, HunkQuestion};
pub use reading::{DisplayHash, HunkReading};
pub use revert::{
    BlockedFile, GoneChange, RevertHunk, RevertOutcome, RevertTarget, RevertTo, RevertedFile,
};
pub use second_signature::{
    ArrivedVerdict, ChangeHash, HunkOffer, OtherRuling, OtherVerdict, Signer, SignerKey,
    standing_denial,
};
pub use selection::LineSelectionOutcome;
pub use sign_off::{CheckRun, SeenSplices, Sight, SignOff, checks_in_words};
pub use stack_place::StackPlace;
pub use status::{DeniedLines, HunkState, HunkStatus};
pub use written_since::{ConversationSpan, WrittenSince};

/// What was decided about one hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// Write it.
    Approve,
    /// Write this in place of the hunk's new text, see [`HunkView::new_text`].
    ApproveEdited {
        /// The user's text.
        text: String,
        /// The lines of the hunk that are not in it since the user denied them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        denied: Option<DeniedLines>,
    },
    /// Drop it, and tell the model why.
    Deny {
        /// The user's words, if any were given.
        reason: Option<String>,
    },
}

impl Verdict {
    /// Approves a hunk with a text in the place of its new one.
    pub fn edited(text: String) -> Self {
        Self::ApproveEdited { text, denied: None }
    }
}

/// A verdict and the hunk that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ruling {
    /// The hunk.
    pub hunk: HunkId,
    /// What the list displayed of it that the user looked at.
    #[serde(skip)]
    pub displayed: DisplayHash,
    /// What of it they had before them, for the history.
    #[serde(skip)]
    pub sight: Sight,
    /// What was decided.
    pub verdict: Verdict,
}

impl Ruling {
    /// Gives a verdict on a hunk as a list displays it, which counts as unseen.
    pub fn new(hunk: &HunkView, verdict: Verdict) -> Self {
        Self {
            hunk: hunk.id,
            displayed: hunk.displayed,
            sight: Sight::Unseen,
            verdict,
        }
    }

    /// Returns the same, for a hunk of which this was displayed.
    #[must_use]
    pub fn with_sight(self, sight: Sight) -> Self {
        Self { sight, ..self }
    }
}

/// One hunk of a staged proposal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HunkView {
    /// Identity, for verdicts.
    pub id: HunkId,
    /// What is displayed of it, for verdicts.
    #[serde(skip)]
    pub displayed: DisplayHash,
    /// `@@ -3,7 +3,8 @@ enclosing line`.
    pub header: String,
    /// Where it stands.
    pub status: HunkStatus,
    /// Context, removed and added lines in order; of one in conflict as it was when it last
    /// applied. Empty once it is decided on.
    pub lines: Vec<DiffLine>,
    /// The lines that the user has in the place of a hunk in conflict with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub yours: Vec<String>,
    /// Whether it can be approved by its id although it is in conflict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takeable: bool,
    /// Whether it then replaces the same lines as an earlier one that can be approved: one of them at most is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_rival: bool,
    /// Those earlier ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rivals: Vec<HunkId>,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// That the user denied the same before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_before: Option<DeniedBefore>,
    /// What other people said of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<ArrivedVerdict>,
    /// The rewrite that it makes like others do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Grouped>,
    /// What it is, where that is proved and told whole in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// The other side of its block, where that moved with few words changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<ChangedMove>,
    /// Size and hash of what it changes, while it waits and its lines are not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undisplayed: Option<Undisplayed>,
    /// Where it stands in its file, if other proposals about the file are staged too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<StackPlace>,
}

impl HunkView {
    /// Returns whether it is told by the sizes of its sides: it is too large to be shown, or the list is too long.
    pub fn is_told_by_sizes(&self) -> bool {
        self.lines.iter().any(DiffLine::stands_for_others)
    }

    /// Returns whether it is a change of line endings alone, which its one line says whole. What is shown by its sizes
    /// has a line for each side that has lines.
    pub fn tells_line_ends(&self) -> bool {
        matches!(self.lines.as_slice(), [only] if only.stands_for_others() && only.kind == LineKind::Added)
            && self.removed > 0
    }

    /// Returns the line of the file on disk at which it changes something, from 0.
    pub fn line_in_file(&self) -> u32 {
        if let Some(place) = self.place {
            return place.line;
        }
        let mut line = 0;
        for own in &self.lines {
            match (own.kind, own.old) {
                (LineKind::Context, Some(old)) => line = old,
                (LineKind::Removed, Some(old)) => return old.saturating_sub(1),
                _ => return line,
            }
        }
        line
    }

    /// Returns the hunk's new text: from its first changed line to its last one, context between
    /// them included.
    pub fn new_text(&self) -> String {
        let first = self.lines.iter().position(is_change).unwrap_or(0);
        let last = self.lines.iter().rposition(is_change);
        let within = self.lines.get(first..last.map_or(first, |last| last + 1));
        let mut text = String::new();
        for line in within.unwrap_or_default() {
            if line.kind != LineKind::Removed {
                text.push_str(&line.text);
                text.push_str(if line.newline { "\n" } else { "" });
            }
        }
        text
    }
}

fn is_change(line: &DiffLine) -> bool {
    line.kind != LineKind::Context
}

/// An earlier verdict on a hunk of the same file that did the same, blanks and lines beside it aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeniedBefore {
    /// The user's words, if any were given.
    pub reason: Option<String>,
    /// When.
    pub time: Timestamp,
}

/// A hunk that was denied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeniedEdit {
    /// Its number among those of the workspace; grows with time.
    pub number: u64,
    /// Path relative to the workspace.
    pub path: String,
    /// What the change was for.
    pub description: String,
    /// When it was denied, and why.
    #[serde(flatten)]
    pub denied: DeniedBefore,
    /// Lines that it would have added.
    pub added: u32,
    /// Lines that it would have removed.
    pub removed: u32,
}

/// The rewrite that a hunk makes like others do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grouped {
    /// The id of the first hunk of the list that makes the rewrite and nothing else.
    pub key: String,
    /// What becomes of what, as `old` → `new`.
    pub rewrite: String,
    /// True if the hunk does something else as well.
    pub outlier: bool,
}

/// One staged proposal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalView {
    /// Identity, known to the model.
    pub id: ProposalId,
    /// The turn's changeset that it belongs to.
    pub changeset: ChangesetId,
    /// Path relative to the workspace, with `/` between components.
    pub path: String,
    /// Where the file goes, if it moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// What happens to the file.
    pub operation: Operation,
    /// One line, in the model's words.
    pub description: String,
    /// How the place was found, in words: `exact`, `exact; 4 lines below the line number given`.
    pub evidence: String,
    /// Whether the place was found by likeness, and not by the text that was asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_guess: bool,
    /// How the place was found, in a user's words, if it is not as asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<String>,
    /// Which strategy made it.
    pub strategy: String,
    /// Something that the user should know before deciding, as "re-anchored on your own edit".
    pub note: Option<String>,
    /// What runs or obeys the file, if anything does: it is written only if it is named or was
    /// displayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<String>,
    /// Why what it removes would be nowhere, if so: it is written only if it is named or was displayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// True if a hunk is written only once another person approved it: naming it is not enough.
    #[serde(skip)]
    pub lacks_signature: bool,
    /// What it writes beside the lines of its hunks.
    #[serde(default, skip_serializing_if = "ProposalEffect::is_empty")]
    pub effect: ProposalEffect,
    /// Who proposed it.
    #[serde(default)]
    pub proposer: Proposer,
    /// When it was staged.
    pub created: Timestamp,
    /// Hunks in file order.
    pub hunks: Vec<HunkView>,
}

impl ProposalView {
    /// Adds to the note, behind what it says already.
    pub fn add_note(&mut self, text: &str) {
        self.note = Some(match self.note.take() {
            Some(own) => format!("{own}; {text}"),
            None => text.to_owned(),
        });
    }

    /// Returns the hunks that wait for a verdict.
    pub fn pending(&self) -> impl Iterator<Item = &HunkView> {
        self.hunks
            .iter()
            .filter(|hunk| hunk.status == HunkStatus::Pending)
    }

    /// Returns where the proposal stands: it waits while a hunk does, else it is written if any
    /// hunk was, in conflict if any cannot be, or denied.
    pub fn state(&self) -> HunkState {
        [
            HunkState::Pending,
            HunkState::Committed,
            HunkState::Conflict,
            HunkState::Denied,
            HunkState::InFile,
        ]
        .into_iter()
        .find(|state| self.hunks.iter().any(|hunk| hunk.status.state() == *state))
        .unwrap_or(HunkState::Denied)
    }
}

/// One entry of a file's history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryView {
    /// 1-based number of the entry for this path; grows by one per entry, never reused.
    pub version: u64,
    /// When it was written.
    pub time: Timestamp,
    /// Path relative to the workspace.
    pub path: String,
    /// The path before and after, if the entry moved the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<(String, String)>,
    /// What the change was for.
    pub description: String,
    /// The proposal that it came from; none for a revert.
    pub proposal: Option<ProposalId>,
    /// What it was written with; none for a revert.
    #[serde(default)]
    pub changeset: Option<ChangesetId>,
    /// How the place was found, for a proposal.
    #[serde(default)]
    pub strategy: Option<String>,
    /// The conversation; empty from the command line, none for a revert.
    #[serde(default)]
    pub session: Option<String>,
    /// Who proposed it; none for a revert.
    #[serde(default)]
    pub proposer: Option<Proposer>,
    /// Whether it is the user's text in place of the model's.
    #[serde(default)]
    pub edited: bool,
    /// The versions that it takes back, newest first, if it is a revert.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub takes_back: Vec<u64>,
    /// What the user asked for, on one line; none for a revert, and where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// When it was last reverted or redone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turned: Option<Timestamp>,
    /// True for a revert of which `turned` of other entries says all.
    #[serde(skip)]
    pub is_folded: bool,
    /// How it was signed off; none for what was not, and for what an earlier version wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_off: Option<SignOff>,
    /// Whether it is in effect.
    pub status: EntryStatus,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// What it wrote beside its lines.
    #[serde(default, skip_serializing_if = "ProposalEffect::is_empty")]
    pub effect: ProposalEffect,
}

/// What an entry of history is now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryStatus {
    /// An approved proposal, in effect.
    #[default]
    Applied,
    /// A change that a command made, in effect.
    Ran,
    /// A later entry took it back.
    Reverted,
    /// It takes others back.
    Revert,
    /// The file was moved outside of signoff.
    Moved,
}

impl EntryStatus {
    /// Returns the word for it, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Ran => "ran",
            Self::Reverted => "reverted",
            Self::Revert => "revert",
            Self::Moved => "moved",
        }
    }
}

impl fmt::Display for EntryStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Who last put something into a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineAuthor {
    /// It was there before the history that is kept.
    Before,
    /// The user, outside of signoff.
    User,
    /// A model.
    Model,
    /// The user, with `signoff apply`.
    Applied,
    /// The user, in place of what a model proposed.
    Edited,
    /// A command that a model ran.
    Command,
    /// A program that the user ran in the shadow.
    Program,
    /// Another person, by an offer.
    Person,
    /// A revert.
    Revert,
}

impl LineAuthor {
    /// Returns the word for it, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::User => "user",
            Self::Model => "model",
            Self::Applied => "applied",
            Self::Edited => "edited",
            Self::Command => "command",
            Self::Program => "program",
            Self::Person => "person",
            Self::Revert => "revert",
        }
    }
}

impl fmt::Display for LineAuthor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One line of a file, and who last put something into it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlameView {
    /// 1-based line.
    pub line: u32,
    /// Who.
    pub author: LineAuthor,
    /// The entry of history, for a model or a revert.
    pub version: Option<u64>,
    /// When it was written.
    pub time: Option<Timestamp>,
    /// What it was for.
    pub description: Option<String>,
    /// The proposal, for a model.
    pub proposal: Option<ProposalId>,
    /// How the place was found, for a model.
    pub strategy: Option<String>,
    /// The conversation, for a model; empty from the command line.
    pub session: Option<String>,
    /// Who proposed the change that the line came with.
    pub proposer: Option<Proposer>,
    /// What the user had asked for, on one line.
    pub request: Option<String>,
    /// What was displayed of its hunk at the sign-off, where that is known.
    pub sight: Option<Sight>,
    /// What had run on the files as they were written.
    pub checks: Vec<CheckRun>,
    /// The line without its ending.
    pub text: String,
}
