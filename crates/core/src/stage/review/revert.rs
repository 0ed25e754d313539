//! What is to be taken back, and what that comes to.
//!
//! ```text
//! target                          of four files that a changeset wrote, one changed since
//! foresee  files 3, blocked 1     offered: the target, with the fourth file apart
//! take back the target            nothing is written
//! take back what is offered       3 files are written, the fourth is proposed
//! ```

use serde::{Deserialize, Serialize};

use super::{StagedProposals, WrittenSince};
use crate::edit::diff::line::DiffLine;
use crate::id::{ChangesetId, ProposalId};

/// What is to be taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RevertTarget {
    /// Changes to one file.
    OneFile {
        /// Path relative to the workspace.
        path: String,
        /// How far.
        to: RevertTo,
    },
    /// All that was written with one changeset.
    Changeset {
        /// Which.
        changeset: ChangesetId,
    },
    /// All that was written with one changeset, and all that was written to its files since.
    Before {
        /// Which changeset.
        before: ChangesetId,
    },
    /// What took back changes of one changeset, so that they are in effect again in all of their files.
    Redo {
        /// Which changeset.
        redo: ChangesetId,
    },
    /// All that a conversation wrote since a time.
    Since(WrittenSince),
    /// All of another target, but for some files, which are not written: what takes them back is proposed.
    Part {
        /// The other target.
        of: Box<Self>,
        /// The paths of these files.
        apart: Vec<String>,
    },
}

/// Which earlier state of a file to go back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RevertTo {
    /// Take back the newest change that is still in effect.
    Last,
    /// Make the file what it was right after this version; 0 is before the first.
    Version(u64),
    /// Take back this one version and keep the later ones.
    Only(u64),
    /// Put back what the newest revert took back.
    Redo,
}

impl RevertTarget {
    /// Returns changes to one file as a target.
    pub fn file(path: impl Into<String>, to: RevertTo) -> Self {
        let path = path.into();
        Self::OneFile { path, to }
    }

    /// Returns the target that is meant in whole or in part, and the files of it that are not to be written.
    pub fn parts(&self) -> (&Self, &[String]) {
        match self {
            Self::Part { of, apart } => (of.parts().0, apart),
            whole => (whole, &[]),
        }
    }
}

/// What taking a target back comes to: what it would do, or what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RevertOutcome {
    /// What was asked for.
    #[serde(flatten)]
    pub target: RevertTarget,
    /// Whether it was done; else no file was changed.
    pub written: bool,
    /// The files that go back.
    pub files: Vec<RevertedFile>,
    /// The files that stay, as something is in the way or they are apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<BlockedFile>,
    /// Why there is nothing to take back, where no file goes back and none stays.
    pub nothing: String,
    /// What could not be kept or proposed, a line each: attributes of files that go back, changes to files that stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unkept: Vec<String>,
    /// What takes back the files that stay, once it is staged, in the review list that was made right after writing.
    #[serde(flatten, skip_serializing_if = "StagedProposals::is_empty")]
    pub proposals: StagedProposals,
    /// What to take back so that these files go back and no others; none if there are no such files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered: Option<RevertTarget>,
    /// Number of changesets of which something is meant.
    pub changesets: usize,
}

/// A file that goes back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RevertedFile {
    /// Where it is before.
    pub path: String,
    /// Where it goes, if a move is taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// What is taken back, in one line.
    pub summary: String,
    /// The version of its new entry of history.
    pub version: u64,
    /// The versions taken back, newest first.
    pub taken_back: Vec<u64>,
    /// The changes that are not in effect any more, oldest first.
    pub gone: Vec<GoneChange>,
    /// The changes that are in effect again, oldest first.
    pub restored: Vec<u64>,
    /// What changes, while it is not written.
    pub hunks: Vec<RevertHunk>,
}

impl RevertedFile {
    /// Returns its path after.
    pub fn name(&self) -> &str {
        self.to.as_ref().unwrap_or(&self.path)
    }
}

/// A change that is not in effect any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GoneChange {
    /// Its version.
    pub version: u64,
    /// The proposal that it was, if it was one.
    pub proposal: Option<ProposalId>,
}

/// A file that stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockedFile {
    /// The file.
    pub path: String,
    /// What is in the way, in one line.
    pub why: String,
    /// Of one version that cannot be taken back: the hunks that something is in the way of.
    pub hunks: Vec<RevertHunk>,
    /// Whether what takes it back can be proposed.
    pub proposable: bool,
}

/// One hunk of what a revert changes, or would change if nothing were in the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RevertHunk {
    /// `@@ -3,7 +3,8 @@ enclosing line`.
    pub header: String,
    /// Context, removed and added lines in order.
    pub lines: Vec<DiffLine>,
    /// The 1-based line of the file where something is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The lines that are in its place now, where they are in the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub yours: Vec<String>,
}

impl RevertOutcome {
    /// Returns true if nothing of what is meant is in effect: no file goes back, and none stays.
    pub fn is_nothing(&self) -> bool {
        self.files.is_empty() && self.blocked.is_empty()
    }

    /// Returns the number of files of which something is meant.
    pub fn file_count(&self) -> usize {
        self.files.len() + self.blocked.len()
    }

    /// Returns what is in the way, in one line: of the first file that was not to stay, if any such file does.
    pub fn conflict(&self) -> Option<&str> {
        let (_, apart) = self.target.parts();
        let mut blocked = self
            .blocked
            .iter()
            .filter(|file| !apart.contains(&file.path));
        let first = blocked.next().or(self.blocked.first())?;
        Some(&first.why)
    }

    /// Says which part goes back, if some files do and others stay: `3 of 4 files go back; a.rs changed since: it comes
    /// as a proposal`.
    pub fn part(&self) -> Option<String> {
        if self.files.is_empty() {
            return None;
        }
        let deed = match (self.target.parts().0, self.files.len()) {
            (RevertTarget::Redo { .. }, 1) => "is put back",
            (RevertTarget::Redo { .. }, _) => "are put back",
            (_, 1) => "goes back",
            _ => "go back",
        };
        let (back, all) = (self.files.len(), self.file_count());
        Some(format!("{back} of {all} files {deed}; {}", self.stays()?))
    }

    /// Says which files stay, and what becomes of them, if any do.
    pub fn stays(&self) -> Option<String> {
        let (proposed, left) = (self.blocked_names(true), self.blocked_names(false));
        let proposed = (!proposed.is_empty()).then(|| {
            let how = if self.is_one_blocked(true) {
                "it comes as a proposal"
            } else {
                "they come as proposals"
            };
            format!("{proposed} changed since: {how}")
        });
        let left = (!left.is_empty()).then(|| {
            let how = if self.is_one_blocked(false) {
                "stays"
            } else {
                "stay"
            };
            format!("{left} {how}: something is in the way")
        });
        let said: Vec<String> = proposed.into_iter().chain(left).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }

    fn is_one_blocked(&self, proposable: bool) -> bool {
        let files = self.blocked.iter();
        files.filter(|file| file.proposable == proposable).count() == 1
    }

    fn blocked_names(&self, proposable: bool) -> String {
        let files = self.blocked.iter();
        let files = files.filter(|file| file.proposable == proposable);
        files
            .map(|file| file.path.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    }
}
