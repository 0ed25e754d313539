//! Hunks in conflict that a verdict on everything leaves.
//!
//! In: what waits. Out: how many hunks, where, and why, in words and as JSON.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};
use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::stage::review::{HunkStatus, HunkView, ProposalView};

/// Files that are named; more are counted.
const NAMED: usize = 5;

/// Hunks in conflict.
#[derive(Debug, Default)]
pub(super) struct Conflicts {
    /// How many, by file.
    files: BTreeMap<String, usize>,
    hunks: Vec<Value>,
    /// Those of them that can be approved by their ids, all at once.
    takeable: Vec<String>,
    /// Those that can be approved alone, and not with an earlier one of the same lines.
    rivals: Vec<String>,
}

impl Conflicts {
    /// Returns the hunks in conflict that do not take the verdict.
    pub(super) fn among(proposals: &[ProposalView], takes: impl Fn(&HunkView) -> bool) -> Self {
        let mut found = Self::default();
        for proposal in proposals {
            for hunk in proposal.hunks.iter().filter(|hunk| !takes(hunk)) {
                let HunkStatus::Conflict { reason } = &hunk.status else {
                    continue;
                };
                let named = if hunk.is_rival {
                    &mut found.rivals
                } else {
                    &mut found.takeable
                };
                named.extend(hunk.takeable.then(|| short_id(hunk.id)));
                *found.files.entry(proposal.path.clone()).or_default() += 1;
                found.hunks.push(json!({
                    "id": hunk.id.to_string(),
                    "path": proposal.path,
                    "reason": reason,
                }));
            }
        }
        found
    }

    /// Returns the commands that approve them, each of which works by itself.
    fn commands(&self) -> Vec<String> {
        let all: Vec<&str> = self.takeable.iter().map(String::as_str).collect();
        let all = all.get(..NAMED).unwrap_or(&all).join(" ");
        let all = (!all.is_empty()).then_some(all);
        let rivals = self.rivals.iter().take(NAMED).cloned();
        let commands = all.into_iter().chain(rivals);
        commands
            .map(|ids| format!("`signoff approve {ids}`"))
            .collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }

    /// Returns a JSON object with these conflicts in it, if there are any.
    pub(super) fn beside(&self, mut value: Value) -> Value {
        if let Some(object) = value.as_object_mut().filter(|_| !self.is_empty()) {
            object.insert("conflicts".into(), Value::Array(self.hunks.clone()));
        }
        value
    }
}

/// Returns a hunk's id without the part in which ids of one payload are alike.
fn short_id(hunk: HunkId) -> String {
    let id = hunk.to_string();
    id.rsplit('-').next().unwrap_or(&id).to_owned()
}

impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.files.iter().take(NAMED);
        let mut named: Vec<String> = named
            .map(|(path, count)| match count {
                1 => path.clone(),
                count => format!("{path} ({count})"),
            })
            .collect();
        if self.files.len() > NAMED {
            named.push(format!("{} more", self.files.len() - NAMED));
        }
        let (is, they) = match self.hunks.len() {
            1 => ("is", "it"),
            _ => ("are", "they"),
        };
        let commands = self.commands().join(", or of the same lines ");
        let how = match self.takeable.len() + self.rivals.len() {
            0 => "in conflict and can only be denied".to_owned(),
            all if all == self.hunks.len() => format!(
                "in conflict; deny what is to stay as it is there, or approve by its id what is to be replaced: {commands}"
            ),
            _ => format!(
                "in conflict; each can be denied, and some be approved by their ids: {commands}"
            ),
        };
        write!(
            f,
            "{} in {} {is} {how}; `signoff review` says why {they} {is}",
            counted(self.hunks.len(), "hunk"),
            named.join(", ")
        )
    }
}
