//! Outcomes of proposals and of what conversations wrote, whichever process decided.
//!
//! In: proposals and conversations. Out: each hunk's status as far as the store keeps it, and
//! what history says of everything that they wrote. Nothing is changed.

use std::collections::{BTreeSet, HashSet};

use crate::engine::EngineError;
use crate::engine::committing::decide::HunkOutcome;
use crate::engine::state::WorkspaceState;
use crate::id::ProposalId;
use crate::stage::proposal::Proposal;
use crate::stage::review::HistoryView;

/// What became of proposals, and of what was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// The hunks of the proposals, in the order asked; those of one that the store has dropped
    /// are not among them.
    pub hunks: Vec<HunkOutcome>,
    /// Hunks of any proposal that wait.
    pub pending: usize,
    /// The changes that the conversations wrote, as history tells of them, oldest first.
    pub written: Vec<HistoryView>,
}

/// Returns what became of these proposals and of what these conversations wrote.
pub(in crate::engine) fn outcomes(
    state: &WorkspaceState,
    proposals: &[ProposalId],
    sessions: &[String],
) -> Result<Outcomes, EngineError> {
    let mut outcomes = Outcomes {
        pending: state.overlay.stage.pending().count(),
        ..Outcomes::default()
    };
    for id in proposals {
        let open = state
            .overlay
            .stage
            .proposals
            .iter()
            .find(|open| open.id == *id);
        match open {
            Some(open) => outcomes.hunks.extend(hunk_outcomes(open)),
            None => {
                let closed = state.store.proposal(*id)?;
                outcomes.hunks.extend(closed.iter().flat_map(hunk_outcomes));
            }
        }
    }
    let mut paths = BTreeSet::new();
    for session in sessions {
        paths.extend(state.store.written_by(session)?);
    }
    let sessions: HashSet<&str> = sessions.iter().map(String::as_str).collect();
    for path in paths {
        let views = state.store.history(&path)?.views();
        outcomes.written.extend(views.into_iter().filter(|view| {
            let session = view.session.as_deref();
            session.is_some_and(|session| sessions.contains(session))
        }));
    }
    outcomes
        .written
        .sort_by_key(|view| (view.time, view.version));
    Ok(outcomes)
}

fn hunk_outcomes(proposal: &Proposal) -> impl Iterator<Item = HunkOutcome> {
    proposal.hunks.iter().map(|record| HunkOutcome {
        hunk: crate::id::HunkId {
            proposal: proposal.id,
            number: record.number,
        },
        path: proposal.path.to_string(),
        status: record.status.clone(),
    })
}
