//! Run record: what the connections of one program in the shadow have in common.
//!
//! In: what an agent is to be told when it begins, proposals as they are made, verdicts as they are told. Out: an end to
//! proposals where there are too many, and, when the program is over, which proposals it made and of which of them it
//! does not know the verdict.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signoff_core::id::ProposalId;
use tokio::sync::Semaphore;

use super::limits::{MOST_AT_WORK, MOST_PROPOSALS, MOST_PROPOSED_BYTES};

/// What there is to say at the beginning of every connection of a program in the shadow.
const IN_SHADOW: &str = "\
\n\nYou run in a shadow of the user's workspace. What you write to files yourself is proposed too, but only when you end, and \
you learn nothing of the user's decision: make an edit with propose_edits or by writing the file, not both. What you propose \
is not in the files that you see: read_staged has it, and what the user approves may not be in them either.";

/// What the connections share.
#[derive(Debug)]
pub(crate) struct RunRecord {
    /// What the user decided about proposals of earlier runs, in words.
    notice: Option<String>,
    done: Mutex<RunProposals>,
    turns: Arc<Semaphore>,
}

/// Returns what bounds how much is worked on at once.
pub(super) fn turns() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(MOST_AT_WORK))
}

/// What happened on the connections so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunProposals {
    /// Proposals that were made, in the order of their ids, which is that of their time.
    pub made: BTreeSet<ProposalId>,
    /// Those of them whose verdict was not told.
    pub untold: BTreeSet<ProposalId>,
    /// Whether the notice was read: whoever lists the tools has read what came before.
    pub is_notice_told: bool,
    bytes: usize,
}

impl RunRecord {
    pub(crate) fn new(notice: Option<String>) -> Self {
        Self {
            notice,
            done: Mutex::default(),
            turns: turns(),
        }
    }

    pub(super) fn turns(&self) -> Arc<Semaphore> {
        Arc::clone(&self.turns)
    }

    /// Returns what happened so far.
    pub(crate) fn proposals(&self) -> RunProposals {
        self.done().clone()
    }

    /// Returns what a connection is told beside the use of the tools.
    pub(super) fn instructions(&self) -> String {
        let notice = self.notice.as_ref();
        let notice = notice.map(|notice| format!("\n\nOf your earlier work here: {notice}"));
        format!("{IN_SHADOW}{}", notice.as_deref().unwrap_or(""))
    }

    /// Admits a proposal of so many bytes.
    pub(super) fn admit(&self, bytes: usize) -> Result<(), String> {
        let mut done = self.done();
        let all = done.bytes.saturating_add(bytes);
        if all > MOST_PROPOSED_BYTES || done.made.len() >= MOST_PROPOSALS {
            return Err(format!(
                "this run has proposed as much as one may: {MOST_PROPOSALS} proposals, or {} MiB of edits",
                MOST_PROPOSED_BYTES >> 20
            ));
        }
        done.bytes = all;
        Ok(())
    }

    pub(super) fn made(&self, ids: impl Iterator<Item = ProposalId> + Clone) {
        let mut done = self.done();
        done.made.extend(ids.clone());
        done.untold.extend(ids);
    }

    /// Notes that the agent knows all verdicts on a proposal.
    pub(super) fn told(&self, ids: impl Iterator<Item = ProposalId>) {
        let mut done = self.done();
        for id in ids {
            done.untold.remove(&id);
        }
    }

    pub(super) fn notice_told(&self) {
        self.done().is_notice_told = true;
    }

    fn done(&self) -> MutexGuard<'_, RunProposals> {
        // Sets of ids are whole whatever happened to whoever held them.
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_run_proposes_only_so_much() {
        let record = RunRecord::new(None);
        assert_eq!(record.admit(MOST_PROPOSED_BYTES), Ok(()));
        assert!(record.admit(1).unwrap_err().contains("64 MiB"));
        let record = RunRecord::new(None);
        let ids = (0..MOST_PROPOSALS as u128).map(|id| ProposalId(Uuid::from_u128(id)));
        record.made(ids);
        assert!(record.admit(1).unwrap_err().contains("20000 proposals"));
    }

    #[test]
    fn what_was_told_is_not_told_again() {
        let record = RunRecord::new(Some("denied".to_owned()));
        assert!(
            record
                .instructions()
                .ends_with("Of your earlier work here: denied")
        );
        let id = |id| ProposalId(Uuid::from_u128(id));
        record.made([id(1), id(2)].into_iter());
        record.told([id(1), id(3)].into_iter());
        record.notice_told();
        let proposals = record.proposals();
        assert_eq!(proposals.made, BTreeSet::from([id(1), id(2)]));
        assert_eq!(proposals.untold, BTreeSet::from([id(2)]));
        assert!(proposals.is_notice_told);
    }
}
