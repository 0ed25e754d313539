//! What a conversation already knows of its edits.
//!
//! In: its notices, in order. Out: which proposals it believes to wait, and whether a verdict or
//! a reversal is news to it. Goes through compaction: what is told is not told again.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use signoff_core::engine::HunkOutcome;
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::stage::review::HunkState;
use signoff_sandbox::waiting_commits::ChangeState;

use super::Notice;

/// What a conversation was told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Rows", into = "Rows")]
pub struct ToldOutcomes {
    /// Proposals that were staged, and how many hunks each had.
    staged: BTreeMap<ProposalId, usize>,
    /// Hunks that do not wait any more, and what became of each.
    verdicts: BTreeMap<HunkId, HunkState>,
    /// Files and versions that are taken back.
    back: BTreeSet<(String, u64)>,
    /// Commits of its programs by their ids, and where each stands.
    commits: BTreeMap<String, ChangeState>,
}

/// The same as lists: keys in JSON are strings.
#[derive(Serialize, Deserialize)]
struct Rows {
    staged: Vec<(ProposalId, usize)>,
    verdicts: Vec<(HunkId, HunkState)>,
    back: Vec<(String, u64)>,
    #[serde(default)]
    commits: Vec<(String, ChangeState)>,
}

impl ToldOutcomes {
    /// Returns what these notices tell, oldest first.
    pub(crate) fn of<'a>(notices: impl IntoIterator<Item = &'a Notice>) -> Self {
        let mut told = Self::default();
        notices.into_iter().for_each(|notice| told.take(notice));
        told
    }

    /// Takes in a notice.
    pub(crate) fn take(&mut self, notice: &Notice) {
        match notice {
            Notice::Staged { proposals, .. } => {
                let each = proposals.iter().map(|staged| (staged.id, staged.hunks));
                self.staged.extend(each);
            }
            Notice::Verdicts { hunks, .. } => {
                let each = hunks
                    .iter()
                    .map(|judged| (judged.hunk, judged.status.state()));
                let decided = each.filter(|(_, state)| *state != HunkState::Pending);
                self.verdicts.extend(decided);
            }
            Notice::Reverted {
                path,
                taken_back,
                restored,
                ..
            } => {
                let versions = taken_back.iter();
                self.back
                    .extend(versions.map(|version| (path.clone(), *version)));
                for version in restored {
                    self.back.remove(&(path.clone(), *version));
                }
            }
            Notice::Rewound { taken_back } => self.back.extend(taken_back.iter().cloned()),
            Notice::Commits { changes } => {
                let each = changes.iter().map(|own| (own.id.clone(), own.state));
                self.commits.extend(each);
            }
            Notice::Compacted { digest } => self.absorb(digest.told()),
            _ => {}
        }
    }

    /// Takes in what was told later.
    pub(crate) fn absorb(&mut self, later: &Self) {
        self.staged.extend(&later.staged);
        self.verdicts.extend(&later.verdicts);
        self.back.extend(later.back.iter().cloned());
        let commits = later.commits.iter();
        self.commits
            .extend(commits.map(|(id, state)| (id.clone(), *state)));
    }

    /// Leaves out proposals of which all is told.
    pub(crate) fn without_settled(mut self) -> Self {
        let open: BTreeSet<ProposalId> = self.unsettled().into_iter().collect();
        self.staged.retain(|id, _| open.contains(id));
        self.verdicts
            .retain(|hunk, _| open.contains(&hunk.proposal));
        let is_over = |state| matches!(state, ChangeState::Denied | ChangeState::Reverted);
        self.commits.retain(|_, state| !is_over(*state));
        self
    }

    /// Returns the proposals with hunks that wait, as far as was told.
    pub(crate) fn unsettled(&self) -> Vec<ProposalId> {
        let mut settled: BTreeMap<ProposalId, usize> = BTreeMap::new();
        for (hunk, state) in &self.verdicts {
            // One in conflict can still be denied.
            if *state != HunkState::Conflict {
                *settled.entry(hunk.proposal).or_default() += 1;
            }
        }
        let waits =
            |(id, hunks): &(&ProposalId, &usize)| settled.get(id).is_none_or(|done| done < *hunks);
        let waiting = self.staged.iter().filter(waits);
        waiting.map(|(id, _)| *id).collect()
    }

    /// Returns every proposal of which it was told that it is staged.
    pub(crate) fn staged(&self) -> impl Iterator<Item = ProposalId> {
        self.staged.keys().copied()
    }

    /// Tells whether what became of a hunk was not told.
    pub(crate) fn is_news(&self, judged: &HunkOutcome) -> bool {
        let told = self.verdicts.get(&judged.hunk);
        told.is_none_or(|state| *state != judged.status.state())
    }

    /// Returns where a commit of a program stands, as far as was told.
    pub(crate) fn commit(&self, id: &str) -> Option<ChangeState> {
        self.commits.get(id).copied()
    }

    /// Tells whether the last that was told of a version is that it is taken back.
    pub(crate) fn is_back(&self, path: &str, version: u64) -> bool {
        self.back.contains(&(path.to_owned(), version))
    }

    /// Tells whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.staged.is_empty()
            && self.verdicts.is_empty()
            && self.back.is_empty()
            && self.commits.is_empty()
    }
}

impl From<Rows> for ToldOutcomes {
    fn from(rows: Rows) -> Self {
        Self {
            staged: rows.staged.into_iter().collect(),
            verdicts: rows.verdicts.into_iter().collect(),
            back: rows.back.into_iter().collect(),
            commits: rows.commits.into_iter().collect(),
        }
    }
}

impl From<ToldOutcomes> for Rows {
    fn from(told: ToldOutcomes) -> Self {
        Self {
            staged: told.staged.into_iter().collect(),
            verdicts: told.verdicts.into_iter().collect(),
            back: told.back.into_iter().collect(),
            commits: told.commits.into_iter().collect(),
        }
    }
}
