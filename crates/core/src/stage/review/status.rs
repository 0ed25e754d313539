//! Status of a hunk: whether it waits, or what was decided.
//!
//! In: verdicts, and what changed meanwhile. Out: the status with the user's texts, and the same in one word.

use serde::{Deserialize, Serialize};

/// Lines of a hunk that were denied while the rest of it was approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeniedLines {
    /// The lines, each behind `+` or `-`.
    pub lines: Vec<String>,
    /// The user's words, if any were given.
    pub reason: Option<String>,
}

/// Where one hunk stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum HunkStatus {
    /// Waits for a verdict.
    #[default]
    Pending,
    /// Approved and written to disk.
    Committed,
    /// Written to disk as the user edited it.
    Edited {
        /// The user's text.
        text: String,
        /// The lines of the hunk that are not in it since the user denied them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        denied: Option<DeniedLines>,
    },
    /// Denied; its text is not in the file.
    Denied {
        /// The user's words, if any were given.
        reason: Option<String>,
    },
    /// A program changed the same lines; its proposal has both.
    Replaced {
        /// The command.
        by: String,
    },
    /// A later change of its changeset changed the same lines; what is left to do of both is in that one's proposal.
    Rewritten {
        /// What the later change does, in the model's words.
        by: String,
    },
    /// The user put the same lines into the file: nothing is left to be done.
    InFile,
    /// Cannot be applied any more.
    Conflict {
        /// Why, in one line: the denied change or the user's own edit that it depends on.
        reason: String,
    },
}

/// Where one hunk stands, without the texts that belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HunkState {
    /// Waits for a verdict.
    Pending,
    /// Written to disk, as proposed or as the user edited it.
    Committed,
    /// Denied.
    Denied,
    /// A program or a later change changed the same lines.
    Replaced,
    /// The user put the same lines into the file.
    InFile,
    /// Cannot be applied any more.
    Conflict,
}

impl HunkStatus {
    /// Returns whether the hunk still needs the user: it waits, or is in conflict.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Pending | Self::Conflict { .. } => true,
            Self::Committed
            | Self::Edited { .. }
            | Self::Denied { .. }
            | Self::Replaced { .. }
            | Self::Rewritten { .. }
            | Self::InFile => false,
        }
    }

    /// Returns why the user denied it, or lines of it, if they said why.
    pub fn denial(&self) -> Option<&str> {
        match self {
            Self::Denied { reason } => reason.as_deref(),
            Self::Edited { denied, .. } => denied.as_ref()?.reason.as_deref(),
            Self::Pending
            | Self::Committed
            | Self::Replaced { .. }
            | Self::Rewritten { .. }
            | Self::InFile
            | Self::Conflict { .. } => None,
        }
    }

    /// Returns the status without its texts.
    pub fn state(&self) -> HunkState {
        match self {
            Self::Pending => HunkState::Pending,
            Self::Committed | Self::Edited { .. } => HunkState::Committed,
            Self::Denied { .. } => HunkState::Denied,
            Self::Replaced { .. } | Self::Rewritten { .. } => HunkState::Replaced,
            Self::InFile => HunkState::InFile,
            Self::Conflict { .. } => HunkState::Conflict,
        }
    }
}

impl HunkState {
    /// Returns the state as one word, as `review --json` prints it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Committed => "committed",
            Self::Denied => "denied",
            Self::Replaced => "replaced",
            Self::InFile => "in_file",
            Self::Conflict => "conflict",
        }
    }
}
