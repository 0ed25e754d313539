//! Pending hunks, as far as the conversation needs to know.
//!
//! In: what was staged, decided and read. Out: the number that waits, and whether a verdict
//! calls for an answer of the model. Truth about proposals is the engine's.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use signoff_core::edit::diff::line::LineKind;
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::plural::counted;
use signoff_core::stage::review::{
    HunkStatus, HunkView, ProposalView, Ruling, StagedProposals, Verdict,
};

use crate::notice::{Judged, Notice, name};

/// The hunks that wait.
#[derive(Debug, Default)]
pub(in crate::session) struct PendingHunks {
    pending: BTreeMap<HunkId, PendingHunk>,
    /// Proposals that were made in this conversation.
    ours: HashSet<ProposalId>,
}

/// A hunk that waits.
#[derive(Debug)]
struct PendingHunk {
    /// Its file.
    path: String,
    /// What it removes and adds, in short. Line numbers and context are left out: the verdict
    /// on one hunk changes them in the next.
    lines: u64,
}

/// How a hunk looked at some time.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct Look {
    hunk: HunkId,
    lines: u64,
}

impl PendingHunks {
    /// Takes proposals in that this conversation staged.
    pub(in crate::session) fn stage(&mut self, staged: &StagedProposals) {
        self.ours.extend(staged.iter().map(|view| view.id));
        self.pending.extend(staged.iter().flat_map(waiting));
    }

    /// Takes proposals as made in this conversation, which an earlier process staged.
    pub(in crate::session) fn claim(&mut self, proposals: impl Iterator<Item = ProposalId>) {
        self.ours.extend(proposals);
    }

    /// Returns the files with hunks that wait, and how many.
    pub(in crate::session) fn waiting(&self) -> Vec<String> {
        let mut files: BTreeMap<&str, usize> = BTreeMap::new();
        for hunk in self.pending.values() {
            *files.entry(&hunk.path).or_default() += 1;
        }
        let each = files.into_iter();
        each.map(|(path, hunks)| format!("{} ({})", name(path), counted(hunks, "hunk")))
            .collect()
    }

    /// Takes the whole review list as it is now, and returns the hunks that do not wait any more.
    pub(in crate::session) fn read(&mut self, proposals: &[ProposalView]) -> Vec<HunkId> {
        let now = proposals.iter().flat_map(waiting).collect();
        let before = std::mem::replace(&mut self.pending, now);
        let gone = before.into_keys();
        gone.filter(|hunk| !self.pending.contains_key(hunk))
            .collect()
    }

    /// Takes over that hunks are part of later ones now.
    pub(in crate::session) fn forget(&mut self, hunks: &[HunkId]) {
        self.pending.retain(|hunk, _| !hunks.contains(hunk));
    }

    /// Takes verdicts and returns true if one of them is for the model to answer: a denial
    /// with a reason, of a hunk or of lines of one, of something that it proposed in this conversation.
    pub(in crate::session) fn decide(&mut self, hunks: &[Judged]) -> bool {
        for judged in hunks {
            if judged.status != HunkStatus::Pending {
                self.pending.remove(&judged.hunk);
            }
        }
        hunks.iter().any(|judged| {
            judged.status.denial().is_some() && self.ours.contains(&judged.hunk.proposal)
        })
    }

    /// Tells whether any hunk waits.
    pub(in crate::session) fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Tells whether any hunk of this proposal waits.
    pub(in crate::session) fn waits(&self, proposal: ProposalId) -> bool {
        let hunk = |number| HunkId { proposal, number };
        let mut hunks = self.pending.range(hunk(0)..=hunk(u32::MAX));
        hunks.next().is_some()
    }

    /// Returns how the hunks that rulings approve look now.
    pub(in crate::session) fn looks(&self, rulings: &[Ruling]) -> Vec<Look> {
        let approved = rulings
            .iter()
            .filter(|ruling| !matches!(ruling.verdict, Verdict::Deny { .. }));
        approved
            .filter_map(|ruling| {
                let lines = self.pending.get(&ruling.hunk)?.lines;
                let hunk = ruling.hunk;
                Some(Look { hunk, lines })
            })
            .collect()
    }

    /// Returns the files of the hunks that wait and look different now.
    pub(in crate::session) fn changed(&self, looks: &[Look]) -> Vec<String> {
        let mut paths: Vec<String> = looks
            .iter()
            .filter_map(|look| {
                let now = self.pending.get(&look.hunk)?;
                (now.lines != look.lines).then(|| now.path.clone())
            })
            .collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Returns the notice for a new turn that begins while hunks are pending.
    pub(in crate::session) fn notice(&self) -> Option<Notice> {
        let waiting = self.pending.values();
        let mut paths: Vec<String> = waiting.map(|hunk| hunk.path.clone()).collect();
        paths.sort_unstable();
        paths.dedup();
        let hunks = self.pending.len();
        (hunks > 0).then_some(Notice::Waiting { hunks, paths })
    }
}

fn waiting(view: &ProposalView) -> impl Iterator<Item = (HunkId, PendingHunk)> {
    view.pending().map(|hunk| {
        let waiting = PendingHunk {
            path: view.path.clone(),
            lines: lines(hunk),
        };
        (hunk.id, waiting)
    })
}

fn lines(hunk: &HunkView) -> u64 {
    let mut hasher = DefaultHasher::new();
    for line in hunk
        .lines
        .iter()
        .filter(|line| line.kind != LineKind::Context)
    {
        (line.kind == LineKind::Added, &line.text, line.newline).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use signoff_core::edit::diff::line::DiffLine;

    use super::*;
    use crate::session::test_kit;

    fn view(lines: &[(LineKind, u32, &str)]) -> ProposalView {
        let mut view = test_kit::view(1, 1);
        let line = |(kind, number, text): &(LineKind, u32, &str)| DiffLine {
            kind: *kind,
            old: Some(*number),
            new: Some(*number),
            text: (*text).to_owned(),
            emphasis: Vec::new(),
            newline: true,
        };
        view.hunks[0].lines = lines.iter().map(line).collect();
        view
    }

    fn check(now: &[(LineKind, u32, &str)], changed: bool) {
        use LineKind::{Added, Context, Removed};
        let then = view(&[(Context, 1, "a"), (Removed, 2, "b"), (Added, 2, "c")]);
        let mut pending_hunks = PendingHunks::default();
        pending_hunks.read(&[then]);
        let looks = pending_hunks.looks(&[Ruling {
            hunk: test_kit::hunk(1, 1),
            verdict: Verdict::Approve,
        }]);
        pending_hunks.read(&[view(now)]);
        assert_eq!(
            !pending_hunks.changed(&looks).is_empty(),
            changed,
            "{now:?}"
        );
    }

    #[test]
    fn only_what_is_removed_and_added_makes_a_hunk_another() {
        use LineKind::{Added, Context, Removed};
        check(
            &[(Context, 1, "a"), (Removed, 2, "b"), (Added, 2, "c")],
            false,
        );
        check(
            &[(Context, 8, "z"), (Removed, 9, "b"), (Added, 9, "c")],
            false,
        );
        check(
            &[(Context, 1, "a"), (Removed, 2, "b!"), (Added, 2, "c")],
            true,
        );
        check(
            &[(Context, 1, "a"), (Removed, 2, "b"), (Added, 2, "c!")],
            true,
        );
        check(
            &[(Context, 1, "a"), (Added, 2, "b"), (Removed, 2, "c")],
            true,
        );
    }
}
