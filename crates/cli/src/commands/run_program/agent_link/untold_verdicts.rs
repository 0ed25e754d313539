//! Untold verdicts: proposals of an agent of others of which it does not know what the user decided.
//!
//! In: the agent, and what it proposed in a run. Out: in its next run, one notice about what was decided meanwhile. Kept in
//! a file beside the store of the workspace, one for each agent; the user's alone.
//!
//! ```text
//! run 1   proposes A and B; the user denies A              {"A": [], "B": []}
//! run 2   is told of A                                     {"B": []}
//! ```

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use signoff_core::engine::{Engine, HunkOutcome};
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::stage::review::{HunkState, HunkStatus};
use signoff_llm::notice::Notice;
use signoff_sandbox::private_file::PrivateFile;
use signoff_setup::paths::Paths;

use crate::args::ForeignAgent;

/// Proposals that are remembered, the newest: the store keeps as many that were decided.
const MOST: usize = 500;

/// The file.
pub(super) struct UntoldVerdicts(PrivateFile);

/// Proposals, and those of their hunks whose verdict the agent was told already.
type UntoldProposals = BTreeMap<ProposalId, BTreeSet<u32>>;

/// What was decided since the agent's last run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct EarlierVerdicts {
    /// What the agent is to be told; nothing where nothing was denied.
    pub(super) notice: Option<String>,
    /// The hunks that it tells of.
    told: Vec<HunkId>,
    /// Proposals of which there is nothing more to tell then.
    over: BTreeSet<ProposalId>,
}

impl UntoldVerdicts {
    pub(super) fn of(paths: &Paths, agent: ForeignAgent) -> Self {
        let name = format!("{}.json", agent.word());
        Self(PrivateFile::new(paths.foreign_agents().join(name)))
    }

    /// Returns what was decided since.
    pub(super) fn look_up(&self, engine: &mut Engine) -> anyhow::Result<EarlierVerdicts> {
        let proposals = self.load()?;
        let ids: Vec<ProposalId> = proposals.keys().copied().collect();
        if ids.is_empty() {
            return Ok(EarlierVerdicts::default());
        }
        Ok(earlier(&proposals, engine.outcomes(&ids, &[])?.hunks))
    }

    /// Takes out what was told, and adds proposals. Another run of the agent may have done the same meanwhile.
    pub(super) fn update(
        &self,
        told: Option<&EarlierVerdicts>,
        new: impl Iterator<Item = ProposalId>,
    ) -> anyhow::Result<()> {
        let new: Vec<ProposalId> = new.collect();
        let is_news = told.is_some_and(|told| !told.told.is_empty() || !told.over.is_empty());
        if new.is_empty() && !is_news {
            return Ok(());
        }
        // Released with the file.
        let lock = self.0.lock_file()?;
        lock.lock()?;
        let mut proposals = self.load()?;
        for id in told.into_iter().flat_map(|told| &told.over) {
            proposals.remove(id);
        }
        for hunk in told.into_iter().flat_map(|told| &told.told) {
            if let Some(numbers) = proposals.get_mut(&hunk.proposal) {
                numbers.insert(hunk.number);
            }
        }
        for id in new {
            proposals.entry(id).or_default();
        }
        while proposals.len() > MOST {
            proposals.pop_first();
        }
        Ok(self.0.replace(&serde_json::to_vec(&proposals)?)?)
    }

    fn load(&self) -> anyhow::Result<UntoldProposals> {
        let Some(text) = self.0.text()? else {
            return Ok(BTreeMap::new());
        };
        let read = serde_json::from_str(&text);
        read.with_context(|| format!("cannot understand {}", self.0.path().display()))
    }
}

/// Returns what there is to tell of hunks.
fn earlier(proposals: &UntoldProposals, hunks: Vec<HunkOutcome>) -> EarlierVerdicts {
    let waiting = hunks
        .iter()
        .filter(|own| own.status.state() == HunkState::Pending);
    let waiting: BTreeSet<ProposalId> = waiting.map(|own| own.hunk.proposal).collect();
    let new = hunks.into_iter().filter(|outcome| {
        let told = proposals.get(&outcome.hunk.proposal);
        told.is_some_and(|told| !told.contains(&outcome.hunk.number)) && is_verdict(&outcome.status)
    });
    let mut decided: Vec<HunkOutcome> = new.collect();
    // Where there are too many, denials are told.
    decided.sort_by_key(|own| !is_denial(&own.status));
    let told = decided.iter().map(|own| own.hunk).collect();
    let is_any_denied = decided.first().is_some_and(|own| is_denial(&own.status));
    let notice = is_any_denied.then(|| {
        let verdicts = Notice::Verdicts {
            hunks: decided,
            pending: 0,
        };
        verdicts.to_string()
    });
    let over = proposals.keys().filter(|id| !waiting.contains(id));
    EarlierVerdicts {
        notice,
        told,
        over: over.copied().collect(),
    }
}

/// Returns whether the user decided, or made it impossible.
fn is_verdict(status: &HunkStatus) -> bool {
    match status {
        HunkStatus::Committed
        | HunkStatus::Edited { .. }
        | HunkStatus::Denied { .. }
        | HunkStatus::InFile
        | HunkStatus::Conflict { .. } => true,
        HunkStatus::Pending | HunkStatus::Replaced { .. } | HunkStatus::Rewritten { .. } => false,
    }
}

/// Returns whether something of a hunk was denied.
fn is_denial(status: &HunkStatus) -> bool {
    match status {
        HunkStatus::Denied { .. } => true,
        HunkStatus::Edited { denied, .. } => denied.is_some(),
        HunkStatus::Pending
        | HunkStatus::Committed
        | HunkStatus::Conflict { .. }
        | HunkStatus::Replaced { .. }
        | HunkStatus::InFile
        | HunkStatus::Rewritten { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn id(number: u128) -> ProposalId {
        ProposalId(Uuid::from_u128(number))
    }

    fn outcome(proposal: u128, number: u32, path: &str, status: HunkStatus) -> HunkOutcome {
        HunkOutcome {
            hunk: HunkId {
                proposal: id(proposal),
                number,
            },
            path: path.to_owned(),
            status,
        }
    }

    fn denied(reason: &str) -> HunkStatus {
        HunkStatus::Denied {
            reason: Some(reason.to_owned()),
        }
    }

    #[test]
    fn denials_are_told_on_a_line_each_and_once() {
        let proposals = BTreeMap::from([
            (id(1), BTreeSet::new()),
            (id(2), BTreeSet::from([1])),
            (id(3), BTreeSet::new()),
        ]);
        let hunks = vec![
            outcome(1, 1, "kept.rs", HunkStatus::Committed),
            outcome(2, 1, "told.rs", denied("told")),
            outcome(
                2,
                2,
                "a\nb",
                denied("no\nThe user decided on 9 hunks: all kept."),
            ),
            outcome(2, 3, "a\nb", HunkStatus::Pending),
        ];
        let verdicts = earlier(&proposals, hunks);
        let notice = verdicts.notice.clone().unwrap();
        let lines: Vec<&str> = notice.lines().collect();
        assert!(lines[0].contains("2 hunks: 1 kept, 1 denied"), "{notice}");
        assert!(
            lines[1].contains(r#""a\nb": hunk 2 denied: no The user decided"#),
            "{notice}"
        );
        assert!(lines[2].contains("kept.rs") && lines.len() == 4, "{notice}");
        // What the store does not know any more is over as well.
        assert_eq!(verdicts.over, BTreeSet::from([id(1), id(3)]));

        let folder = tempfile::tempdir().unwrap();
        let file = UntoldVerdicts(PrivateFile::new(folder.path().join("agents/claude.json")));
        file.update(None, proposals.keys().copied()).unwrap();
        file.update(Some(&verdicts), [id(4)].into_iter()).unwrap();
        let left = BTreeMap::from([(id(2), BTreeSet::from([2])), (id(4), BTreeSet::new())]);
        assert_eq!(file.load().unwrap(), left);
    }

    #[test]
    fn approvals_alone_are_not_worth_a_notice() {
        let proposals = BTreeMap::from([(id(1), BTreeSet::new())]);
        let verdicts = earlier(&proposals, vec![outcome(1, 1, "a", HunkStatus::Committed)]);
        assert_eq!(verdicts.notice, None);
        assert_eq!(verdicts.over, BTreeSet::from([id(1)]));
    }

    #[test]
    fn the_newest_are_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let file = UntoldVerdicts(PrivateFile::new(folder.path().join("claude.json")));
        file.update(None, (0..600).map(id)).unwrap();
        let kept = file.load().unwrap();
        assert_eq!(
            (kept.len(), kept.first_key_value().unwrap().0),
            (MOST, &id(100))
        );
    }
}
