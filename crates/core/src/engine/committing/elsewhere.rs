//! Verdicts on hunks that another process has decided meanwhile.
//!
//! In: rulings. Out: the hunks that do not wait any more, what became of each, and how to say so:
//! what another process wrote is in the file, and must not be called unwritten.

use std::collections::BTreeMap;

use super::decide::HunkOutcome;
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;
use crate::stage::review::{HunkStatus, Ruling};

/// What became of a hunk whose lines the user put into the file.
const IN_FILE: &str = "in the file already";

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
    /// Returns what another process did with the hunk, or the user with the file; nothing if it still waits.
    fn fate(&self) -> Option<&'static str> {
        match self.status {
            HunkStatus::Committed | HunkStatus::Edited { .. } => Some("approved"),
            HunkStatus::Denied { .. } => Some("denied"),
            HunkStatus::InFile => Some(IN_FILE),
            HunkStatus::Pending
            | HunkStatus::Replaced { .. }
            | HunkStatus::Rewritten { .. }
            | HunkStatus::Conflict { .. } => None,
        }
    }
}

/// Says which of these hunks another process approved or denied, or are in the file already, a line for each file and fate.
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
            let (which, is, was, they) = match numbers.as_slice() {
                [one] => (format!("hunk {one}"), "is", "was", "it"),
                several => (format!("{} hunks", several.len()), "are", "were", "they"),
            };
            if fate == IN_FILE {
                return format!("{which} of {path} {is} {fate}: nothing waits of that");
            }
            let history = match fate {
                "approved" => format!("; {they} {is} in history"),
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
            outcome(6, "b.rs", HunkStatus::InFile),
        ];
        let expected = [
            "hunk 2 of a.rs was approved by another signoff process; it is in history",
            "2 hunks of b.rs were approved by another signoff process; they are in history",
            "hunk 4 of b.rs was denied by another signoff process",
            "hunk 6 of b.rs is in the file already: nothing waits of that",
        ];
        assert_eq!(decided_by_others(&outcomes), expected);
    }
}
