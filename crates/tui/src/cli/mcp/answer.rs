//! What another agent is answered: JSON, bounded.
//!
//! In: values of the engine. Out: one text, cut where it is longer than clients take, and said so in it.

use serde_json::{Value, json};
use signoff_core::engine::{Answer, HunkOutcome};
use signoff_core::record::store::Dropped;
use signoff_core::stage::review::{HistoryView, HunkState, HunkStatus};
use signoff_core::text::Source;

use super::limits::MOST_BYTES;
use crate::cli::history::moment;

/// What a call came to.
pub(super) struct AgentAnswer {
    /// What is said.
    pub(super) text: String,
    /// Whether the call could not be done as asked.
    pub(super) failed: bool,
}

impl AgentAnswer {
    pub(super) fn of(value: &Value) -> Self {
        Self {
            text: value.to_string(),
            failed: false,
        }
    }

    pub(super) fn refusal(why: impl Into<String>) -> Self {
        Self {
            text: why.into(),
            failed: true,
        }
    }

    /// Returns the answer to what was proposed.
    pub(super) fn proposed(answer: &Answer) -> serde_json::Result<Self> {
        let mut value = serde_json::to_value(answer)?;
        if let (Some(object), true) = (value.as_object_mut(), answer.staged) {
            object.insert(
                "next".into(),
                json!("the user decides; ask proposal_status"),
            );
        }
        Ok(Self {
            text: value.to_string(),
            failed: !answer.is_ok(),
        })
    }

    /// Returns a file's text as it would be.
    pub(super) fn text(file: &str, source: &Source) -> Self {
        match source.text() {
            Err(why) => Self::refusal(format!("{file}: {why}")),
            Ok(text) if text.len() > MOST_BYTES => Self::refusal(format!(
                "{file} would have {} bytes; no more than {MOST_BYTES} are given",
                text.len()
            )),
            Ok(text) => Self {
                text: text.to_owned(),
                failed: false,
            },
        }
    }
}

/// Returns where hunks stand, and how many of them wait.
pub(super) fn outcomes(hunks: &[HunkOutcome], unknown: &[String]) -> Value {
    let waiting = hunks.iter().filter(|own| waits(own)).count();
    let mut value = json!({
        "waiting": waiting,
        "hunks": hunks.iter().map(outcome).collect::<Vec<_>>(),
    });
    if let (Some(object), false) = (value.as_object_mut(), unknown.is_empty()) {
        object.insert("unknown".into(), json!(unknown));
    }
    value
}

/// Returns whether the user has not decided about it.
pub(super) fn waits(hunk: &HunkOutcome) -> bool {
    hunk.status.state() == HunkState::Pending
}

fn outcome(hunk: &HunkOutcome) -> Value {
    let mut value = json!({
        "hunk": hunk.hunk.to_string(),
        "file": hunk.path,
        "status": hunk.status.state().word(),
    });
    let told = match &hunk.status {
        HunkStatus::Pending | HunkStatus::Committed => json!({}),
        HunkStatus::Denied { reason } => json!({"reason": reason}),
        HunkStatus::Conflict { reason } => json!({"reason": reason}),
        HunkStatus::Replaced { by } | HunkStatus::Rewritten { by } => json!({"by": by}),
        HunkStatus::Edited { text, denied } => json!({
            "written_instead": text,
            "denied_lines": denied.as_ref().map(|denied| &denied.lines),
            "reason": denied.as_ref().and_then(|denied| denied.reason.as_deref()),
        }),
    };
    if let (Some(object), Value::Object(told)) = (value.as_object_mut(), told) {
        object.extend(told);
    }
    value
}

/// Returns the newest entries of history.
pub(super) fn history(entries: &[HistoryView], most: usize, gone: Dropped) -> Value {
    let entry = |entry: &HistoryView| {
        json!({
            "file": entry.path,
            "version": entry.version,
            "time": moment(entry.time),
            "status": entry.status.to_string(),
            "description": entry.description,
            "changeset": entry.changeset,
            "by": entry.proposer.as_ref().map(ToString::to_string),
            "added": entry.added,
            "removed": entry.removed,
        })
    };
    json!({
        "entries": entries.iter().take(most).map(entry).collect::<Vec<_>>(),
        "more": entries.len().saturating_sub(most),
        "dropped": gone.old + gone.whole,
    })
}
