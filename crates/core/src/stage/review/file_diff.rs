//! File diffs: what a set of changes makes of a file, as plain values.
//!
//! In: a scope, such as all that waits. Out: for each file one diff, whatever number of changes it is made of.

use serde::{Deserialize, Serialize};

use crate::edit::diff::line::{DiffLine, LineKind};
use crate::edit::intent::Operation;

/// Which changes a diff shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "scope")]
pub enum DiffScope {
    /// All that waits, on top of the files as they are.
    Waiting,
    /// What the last turn of the conversation that changed anything has changed, written and staged.
    LastTurn,
    /// What the conversation has changed, written and staged.
    Conversation,
    /// Entries of history.
    Entries {
        /// The files with their versions.
        entries: Vec<(String, u64)>,
    },
    /// A hunk that was denied.
    Denied {
        /// Its number.
        number: u64,
    },
}

/// What the changes of a scope make of each file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopedDiff {
    /// Which changes.
    #[serde(flatten)]
    pub scope: DiffScope,
    /// The files, by their paths.
    pub files: Vec<FileDiff>,
    /// Files whose diff could not be made, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<(String, String)>,
}

/// One file's diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    /// Path after the changes, relative to the workspace.
    pub path: String,
    /// Path before them, if they move the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What becomes of the file.
    pub operation: Operation,
    /// Something that the diff does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The hunks, in file order.
    pub hunks: Vec<DiffHunk>,
}

/// One hunk of a file's diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffHunk {
    /// `@@ -3,7 +3,8 @@ enclosing line`.
    pub header: String,
    /// Context, removed and added lines in order.
    pub lines: Vec<DiffLine>,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
}

impl DiffHunk {
    /// Returns how many of its changed lines are not among its lines.
    pub fn left_out(&self) -> usize {
        let all = (self.added + self.removed) as usize;
        let changed = self.lines.iter();
        let changed = changed.filter(|line| line.kind != LineKind::Context);
        all.saturating_sub(changed.count())
    }
}

impl FileDiff {
    /// Returns how many lines are added and removed.
    pub fn lines(&self) -> (u32, u32) {
        (self.sum(|hunk| hunk.added), self.sum(|hunk| hunk.removed))
    }

    fn sum(&self, of: fn(&DiffHunk) -> u32) -> u32 {
        self.hunks.iter().map(of).sum()
    }
}
