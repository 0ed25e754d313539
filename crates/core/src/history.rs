//! What was written, and how to take it back.
//!
//! In: committed changes, as differences and not as copies. Out: per file the last entries,
//! oldest out first, and [`revert`]: the change that takes some of them back, carried over
//! everything that came later.

pub mod blame;
pub mod revert;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::id::{ChangesetId, ProposalId, Timestamp};
use crate::plan::{Presence, Strategy};
use crate::proposal::Origin;
use crate::review::HistoryView;
use crate::text::{EditSet, Encoding, Mismatch, Source};
use crate::workspace::WorkspacePath;
use crate::workspace::attributes::Attributes;

/// Entries kept per file unless configured otherwise.
pub const DEFAULT_LIMIT: usize = 10;

/// One committed change to one file. History goes with the file: all entries of a file have the
/// path that it has now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The file.
    pub path: WorkspacePath,
    /// 1-based, one more than the entry before; never reused.
    pub version: u64,
    /// When it was written.
    pub time: Timestamp,
    /// What it was for.
    pub description: String,
    /// Whether it is a change or takes some back.
    pub kind: EntryKind,
    /// What happened to the file's existence.
    pub presence: Presence,
    /// What the user changed between the entry before and this one.
    pub drift: EditSet,
    /// The change, made for the text after that.
    pub edits: EditSet,
    /// Lines added and removed.
    pub lines: (u32, u32),
    /// Attributes of a file that went away.
    pub attributes: Option<Attributes>,
    /// How the text before is written in the file.
    pub encoding: Encoding,
    /// The path before and after, if the entry moved the file.
    pub moved: Option<(WorkspacePath, WorkspacePath)>,
    /// Folders that were made for the file, deepest first.
    pub folders: Vec<WorkspacePath>,
}

impl Entry {
    /// Returns the text before the entry, worked out from the one after it, and the text after the
    /// entry below it: the user may have changed something in between.
    pub fn undone(&self, after: &Source) -> Result<(Source, Source), Mismatch> {
        let before = Source::new(self.edits.invert().apply(after.bytes())?);
        let below = Source::new(self.drift.invert().apply(before.bytes())?);
        Ok((before, below))
    }
}

/// Whether an entry is a change or takes some back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// An approved proposal.
    Applied {
        /// Which.
        proposal: ProposalId,
        /// The changeset that it was written with.
        changeset: ChangesetId,
        /// How it was made.
        strategy: Strategy,
        /// Where it came from.
        origin: Origin,
        /// Whether it is the user's text in place of the model's.
        #[serde(default)]
        edited: bool,
    },
    /// A change that a command made by itself.
    Ran {
        /// The changeset of the turn that ran it.
        changeset: ChangesetId,
        /// Where the command came from.
        origin: Origin,
    },
    /// A revert of these versions.
    Revert(Vec<u64>),
}

/// The entries of one file, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileHistory {
    /// The entries.
    pub entries: Vec<Entry>,
    /// The newest version of an earlier history of this path that was dropped whole; else 0.
    pub dropped: u64,
}

fn moved(entry: &Entry) -> Option<(String, String)> {
    let ends = entry.moved.as_ref();
    ends.map(|(from, to)| (from.to_string(), to.to_string()))
}

impl FileHistory {
    /// Returns the version of the next entry.
    pub fn next_version(&self) -> u64 {
        let last = self.entries.last().map_or(0, |entry| entry.version);
        last.max(self.dropped) + 1
    }

    /// Returns the versions that no later entry in effect takes back.
    pub fn in_effect(&self) -> HashSet<u64> {
        let mut effective: HashSet<u64> = self.entries.iter().map(|entry| entry.version).collect();
        for entry in self.entries.iter().rev() {
            if let (EntryKind::Revert(versions), true) =
                (&entry.kind, effective.contains(&entry.version))
            {
                effective.retain(|version| !versions.contains(version));
            }
        }
        effective
    }

    /// Returns the entries as a person reads them, newest first.
    pub fn views(&self) -> Vec<HistoryView> {
        let effective = self.in_effect();
        let view = |entry: &Entry| {
            let (proposal, status) = match (&entry.kind, effective.contains(&entry.version)) {
                (EntryKind::Applied { proposal, .. }, true) => (Some(*proposal), "applied"),
                (EntryKind::Applied { proposal, .. }, false) => (Some(*proposal), "reverted"),
                (EntryKind::Ran { .. }, true) => (None, "ran"),
                (EntryKind::Revert(_), true) => (None, "revert"),
                (EntryKind::Ran { .. } | EntryKind::Revert(_), false) => (None, "reverted"),
            };
            let (changeset, origin) = match &entry.kind {
                EntryKind::Applied {
                    changeset, origin, ..
                }
                | EntryKind::Ran { changeset, origin } => (Some(*changeset), Some(origin)),
                EntryKind::Revert(_) => (None, None),
            };
            let (strategy, edited) = match &entry.kind {
                EntryKind::Applied {
                    strategy, edited, ..
                } => (Some(strategy.to_string()), *edited),
                EntryKind::Ran { .. } | EntryKind::Revert(_) => (None, false),
            };
            HistoryView {
                changeset,
                strategy,
                session: origin.map(|origin| origin.session.clone()),
                model: origin.map(|origin| origin.model.clone()),
                edited,
                version: entry.version,
                time: entry.time,
                path: entry.path.to_string(),
                moved: moved(entry),
                description: entry.description.clone(),
                proposal,
                status: status.to_owned(),
                added: entry.lines.0,
                removed: entry.lines.1,
            }
        };
        self.entries.iter().rev().map(view).collect()
    }
}
