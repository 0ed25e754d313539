//! History: what was written, and how to take it back.
//!
//! In: committed changes, as differences and not as copies. Out: per file the last entries,
//! oldest out first; [`revert`]: the change that takes some of them back, carried over
//! everything that came later; [`cherry_pick`]: what some of them make of another text; and
//! [`rename_detection`]: where a file went that was moved without signoff.
//!
//! **Invariant:** history goes with the file: a move takes all entries to the new path (`docs/decisions/0008`).
//!
//! **Invariant:** history holds no copies of earlier versions. A reversal that does not commute is a conflict.

pub mod blame;
pub mod cherry_pick;
pub mod rename_detection;
pub mod revert;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use crate::disk::workspace::WorkspacePath;
use crate::disk::workspace::attributes::Attributes;
use crate::edit::diff::line_ends::LineEnds;
use crate::edit::plan::{Presence, Strategy};
use crate::id::{ChangesetId, ProposalId, Timestamp};
use crate::stage::proposal::Origin;
use crate::stage::review::{EntryStatus, HistoryView, ModeChange, ProposalEffect, SignOff};
use crate::text::{EditSet, Encoding, Mismatch, Source};

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
    /// Attributes before, of a file that went away or got other permission bits.
    pub attributes: Option<Attributes>,
    /// How the text before is written in the file.
    pub encoding: Encoding,
    /// The path before and after, if the entry moved the file.
    pub moved: Option<(WorkspacePath, WorkspacePath)>,
    /// Folders that were made for the file, deepest first.
    pub folders: Vec<WorkspacePath>,
    /// How it was signed off; none for what was not, and for what an earlier version wrote.
    pub sign_off: Option<SignOff>,
}

impl Entry {
    /// Returns the text before the entry, worked out from the one after it, and the text after the
    /// entry below it: the user may have changed something in between.
    pub fn undone(&self, after: &Source) -> Result<(Source, Source), Mismatch> {
        let before = Source::new(self.edits.invert().apply(after.bytes())?);
        let below = Source::new(self.drift.invert().apply(before.bytes())?);
        Ok((before, below))
    }

    fn numbered(&self) -> (u64, &EntryKind) {
        (self.version, &self.kind)
    }

    /// Returns what the entry wrote beside its lines: permission bits, and line endings alone.
    fn effect(&self) -> ProposalEffect {
        let before = self.attributes.as_ref();
        let mode = before
            .filter(|_| self.presence == Presence::Kept)
            .and_then(|before| {
                let from = Some(before.mode);
                before.replaced_by.map(|to| ModeChange { from, to })
            });
        ProposalEffect {
            mode,
            line_ends: LineEnds::changed_in(self.edits.splices()),
            ..ProposalEffect::default()
        }
    }

    fn view(&self, in_effect: bool) -> HistoryView {
        let origin = self.kind.origin();
        let ends = self.moved.as_ref();
        HistoryView {
            version: self.version,
            time: self.time,
            path: self.path.to_string(),
            moved: ends.map(|(from, to)| (from.to_string(), to.to_string())),
            description: self.description.clone(),
            proposal: self.kind.proposal(),
            changeset: self.kind.changeset(),
            takes_back: self.kind.takes_back().to_vec(),
            request: origin
                .map(|origin| origin.request.clone())
                .filter(|request| !request.is_empty()),
            turned: None,
            is_folded: false,
            strategy: self.kind.strategy().map(|strategy| strategy.to_string()),
            session: origin.map(|origin| origin.session.clone()),
            proposer: origin.map(|origin| origin.proposer.clone()),
            edited: self.kind.is_edited(),
            sign_off: self.sign_off.clone(),
            status: self.kind.status(in_effect),
            added: self.lines.0,
            removed: self.lines.1,
            effect: self.effect(),
        }
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
    /// A move of the file that was made outside of signoff, and found afterwards.
    MovedOutside,
}

impl EntryKind {
    /// Returns what the entry is now.
    pub fn status(&self, in_effect: bool) -> EntryStatus {
        match self {
            _ if !in_effect => EntryStatus::Reverted,
            Self::Applied { .. } => EntryStatus::Applied,
            Self::Ran { .. } => EntryStatus::Ran,
            Self::Revert(_) => EntryStatus::Revert,
            Self::MovedOutside => EntryStatus::Moved,
        }
    }

    /// Returns true if the entry is a change that signoff knows the origin of.
    pub fn is_change(&self) -> bool {
        match self {
            Self::Applied { .. } | Self::Ran { .. } => true,
            Self::Revert(_) | Self::MovedOutside => false,
        }
    }

    /// Returns true if the entry takes others back.
    pub fn is_revert(&self) -> bool {
        matches!(self, Self::Revert(_))
    }

    /// Returns the proposal, if it is one.
    pub fn proposal(&self) -> Option<ProposalId> {
        match self {
            Self::Applied { proposal, .. } => Some(*proposal),
            Self::Ran { .. } | Self::Revert(_) | Self::MovedOutside => None,
        }
    }

    /// Returns the changeset that it was written with; none for a revert.
    pub fn changeset(&self) -> Option<ChangesetId> {
        match self {
            Self::Applied { changeset, .. } | Self::Ran { changeset, .. } => Some(*changeset),
            Self::Revert(_) | Self::MovedOutside => None,
        }
    }

    /// Returns the versions that it takes back; none for a change.
    pub fn takes_back(&self) -> &[u64] {
        match self {
            Self::Revert(versions) => versions,
            Self::Applied { .. } | Self::Ran { .. } | Self::MovedOutside => &[],
        }
    }

    /// Returns where it came from; none for a revert.
    pub fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Applied { origin, .. } | Self::Ran { origin, .. } => Some(origin),
            Self::Revert(_) | Self::MovedOutside => None,
        }
    }

    /// Returns how a proposal was made.
    pub fn strategy(&self) -> Option<Strategy> {
        match self {
            Self::Applied { strategy, .. } => Some(*strategy),
            Self::Ran { .. } | Self::Revert(_) | Self::MovedOutside => None,
        }
    }

    /// Returns true if it is the user's text in place of the model's.
    pub fn is_edited(&self) -> bool {
        matches!(self, Self::Applied { edited: true, .. })
    }
}

/// The entries of one file, oldest first: a ring buffer, of which the store keeps the newest and drops the oldest
/// (`history_limit`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileHistory {
    /// The entries.
    pub entries: Vec<Entry>,
    /// The newest version of an earlier history of this path that was dropped whole; else 0.
    pub dropped: u64,
}

impl FileHistory {
    /// Returns the version of the next entry.
    pub fn next_version(&self) -> u64 {
        let last = self.entries.last().map_or(0, |entry| entry.version);
        last.max(self.dropped) + 1
    }

    /// Returns the versions that no later entry in effect takes back.
    pub fn in_effect(&self) -> HashSet<u64> {
        in_effect(self.entries.iter().map(Entry::numbered))
    }

    /// Returns the same once another entry was made.
    pub fn in_effect_with(&self, next: &Entry) -> HashSet<u64> {
        in_effect(self.entries.iter().chain([next]).map(Entry::numbered))
    }

    /// Returns the entries as a person reads them, newest first.
    pub fn views(&self) -> Vec<HistoryView> {
        let effective = self.in_effect();
        let (about, turned) = self.turns();
        let views = self.entries.iter().rev();
        views
            .map(|entry| HistoryView {
                turned: turned.get(&entry.version).copied(),
                is_folded: entry.kind.is_revert()
                    && about
                        .get(&entry.version)
                        .is_some_and(|changes| !changes.is_empty()),
                ..entry.view(effective.contains(&entry.version))
            })
            .collect()
    }

    /// Returns entries with the changes that reverts among them put back in the place of these. For example, of a change 1, its
    /// revert 2 and the revert 3 of that, for 3 this is 1, and for 2 this is 2: what it is about is not in effect.
    pub fn with_first_changes(&self, versions: &[u64]) -> BTreeSet<u64> {
        let effective = self.in_effect();
        let (about, _) = self.turns();
        let mut all = BTreeSet::new();
        for version in versions {
            let changes = about.get(version).into_iter().flatten();
            let mut first = changes.filter(|change| effective.contains(change));
            match first.next() {
                Some(change) => all.extend(first.chain([change])),
                None => all.extend([*version]),
            }
        }
        all
    }

    /// Returns the changes that each entry is about, and when each change was last reverted or redone. For example, of a
    /// change 1, its revert 2 and the revert 3 of that, all are about 1, which was turned by 3. A revert of what is not kept
    /// any more is about nothing.
    fn turns(&self) -> (BTreeMap<u64, BTreeSet<u64>>, BTreeMap<u64, Timestamp>) {
        let mut about: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        let mut turned = BTreeMap::new();
        for entry in &self.entries {
            let changes = if entry.kind.is_revert() {
                let taken = entry.kind.takes_back().iter();
                let taken = taken.filter_map(|version| about.get(version));
                let changes: BTreeSet<u64> = taken.flatten().copied().collect();
                turned.extend(changes.iter().map(|change| (*change, entry.time)));
                changes
            } else {
                BTreeSet::from([entry.version])
            };
            about.insert(entry.version, changes);
        }
        (about, turned)
    }
}

/// Returns the versions that no later entry in effect takes back; the oldest entry comes first.
pub(super) fn in_effect<'e>(
    entries: impl DoubleEndedIterator<Item = (u64, &'e EntryKind)> + Clone,
) -> HashSet<u64> {
    let mut effective: HashSet<u64> = entries.clone().map(|(version, _)| version).collect();
    for (version, kind) in entries.rev() {
        if let EntryKind::Revert(versions) = kind
            && effective.contains(&version)
        {
            effective.retain(|version| !versions.contains(version));
        }
    }
    effective
}
