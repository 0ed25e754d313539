//! Verdicts on hunks that another process has decided meanwhile.
//!
//! In: rulings. Out: the hunks that do not wait any more, what became of each, and how to say so:
//! what another process wrote is in the file, and must not be called unwritten.

use std::collections::BTreeMap;

use super::decide::HunkOutcome;
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;
use crate::stage::review::{HunkStatus, Ruling};

/// Returns those of the hunks ruled on that were written or denied before.
pub(super) fn decided_elsewhere(
    state: &WorkspaceState,
    rulings: &[Ruling],
) -> Result<Vec<HunkOutcome>, EngineError> {
    let mut decided = Vec::new();
    for ruling in rulings {
        let hunk = ruling.hunk;
        let open = state.overlay.stage.find(hunk);
        let found = match open.map(|(path, record)| (path.to_string(), record.status.clone())) {
            Some(open) => Some(open),
            None => state.store.proposal(hunk.proposal)?.and_then(|closed| {
                let mut records = closed.hunks.into_iter();
                let record = records.find(|record| record.number == hunk.number)?;
                Some((closed.path.to_string(), record.status))
            }),
        };
        decided.extend(found.and_then(|(path, status)| {
            let outcome = HunkOutcome { hunk, path, status };
            outcome.fate().is_some().then_some(outcome)
        }));
    }
    Ok(decided)
}

impl HunkOutcome {
    /// Returns what another process did with the hunk; nothing if it still waits.
    fn fate(&self) -> Option<&'static str> {
        match self.status {
            HunkStatus::Committed | HunkStatus::Edited { .. } => Some("approved"),
            HunkStatus::Denied { .. } => Some("denied"),
            HunkStatus::Pending
            | HunkStatus::Replaced { .. }
            | HunkStatus::Rewritten { .. }
            | HunkStatus::Conflict { .. } => None,
        }
    }
}

/// Says which of these hunks another process approved or denied, a line for each file and verdict.
pub fn decided_by_others(hunks: &[HunkOutcome]) -> Vec<String> {
    let mut groups: BTreeMap<(&str, &str), Vec<u32>> = BTreeMap::new();
    for outcome in hunks {
        if let Some(fate) = outcome.fate() {
            let numbers = groups.entry((&outcome.path, fate)).or_default();
            numbers.push(outcome.hunk.number);
        }
    }
    let groups = groups.into_iter();
    groups
        .map(|((path, fate), numbers)| {
            let (which, was, is) = match numbers.as_slice() {
                [one] => (format!("hunk {one}"), "was", "it is"),
                several => (format!("{} hunks", several.len()), "were", "they are"),
            };
            let history = match fate {
                "approved" => format!("; {is} in history"),
                _ => String::new(),
            };
            format!("{which} of {path} {was} {fate} by another signoff process{history}")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{HunkId, ProposalId};

    #[test]
    fn says_who_did_what_to_how_many_hunks() {
        let outcome = |number, path: &str, status| HunkOutcome {
            hunk: HunkId {
                proposal: ProposalId(uuid::Uuid::nil()),
                number,
            },
            path: path.to_owned(),
            status,
        };
        let text = String::new();
        let outcomes = [
            outcome(2, "a.rs", HunkStatus::Committed),
            outcome(1, "b.rs", HunkStatus::Committed),
            outcome(3, "b.rs", HunkStatus::Edited { text, denied: None }),
            outcome(4, "b.rs", HunkStatus::Denied { reason: None }),
            outcome(5, "b.rs", HunkStatus::Pending),
        ];
        let expected = [
            "hunk 2 of a.rs was approved by another signoff process; it is in history",
            "2 hunks of b.rs were approved by another signoff process; they are in history",
            "hunk 4 of b.rs was denied by another signoff process",
        ];
        assert_eq!(decided_by_others(&outcomes), expected);
    }
}
