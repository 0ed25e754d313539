//! What another agent is answered: JSON or a text, bounded.
//!
//! In: values of the engine. Out: one text, cut where it is longer than clients take, and said so in it.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use signoff_core::clip;
use signoff_core::engine::{Answer, HunkOutcome};
use signoff_core::record::store::Dropped;
use signoff_core::stage::review::{HistoryView, HunkState, HunkStatus};
use signoff_core::text::Source;
use signoff_setup::clock::moment;

use super::limits::MOST_BYTES;

/// Returns what was asked for.
pub(super) fn success(text: impl ToString) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(bounded(text.to_string()))])
}

/// Returns why a call is not done as asked, so that the other model reads it.
pub(super) fn refusal(why: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(bounded(why.into()))])
}

/// Cuts what is longer than clients take, and says so.
fn bounded(text: String) -> String {
    match clip::split(&text, MOST_BYTES) {
        (_, "") => text,
        (shown, rest) => {
            let left = rest.len();
            format!("{shown}\n[{left} more bytes are left out; ask for less]")
        }
    }
}

/// Returns the answer to what was proposed.
pub(super) fn proposed(answer: &Answer) -> serde_json::Result<CallToolResult> {
    let mut value = serde_json::to_value(answer)?;
    if answer.staged {
        value["next"] = json!("the user decides; ask proposal_status");
    }
    Ok(if answer.is_ok() {
        success(value)
    } else {
        refusal(value.to_string())
    })
}

/// Returns a file's text as it would be.
pub(super) fn text(file: &str, source: &Source) -> CallToolResult {
    match source.text() {
        Err(why) => refusal(format!("{file}: {why}")),
        Ok(text) if text.len() > MOST_BYTES => refusal(format!(
            "{file} would have {} bytes; no more than {MOST_BYTES} are given",
            text.len()
        )),
        Ok(text) => success(text),
    }
}

/// Returns where hunks stand, and how many of them wait.
pub(super) fn outcomes(hunks: &[HunkOutcome], unknown: &[String]) -> CallToolResult {
    let waiting = hunks.iter().filter(|hunk| waits(hunk)).count();
    let mut value = json!({
        "waiting": waiting,
        "hunks": hunks.iter().map(outcome).collect::<Vec<_>>(),
    });
    if !unknown.is_empty() {
        value["unknown"] = json!(unknown);
    }
    success(value)
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
    match &hunk.status {
        HunkStatus::Pending | HunkStatus::Committed | HunkStatus::InFile => {}
        HunkStatus::Denied { reason } => value["reason"] = json!(reason),
        HunkStatus::Conflict { reason } => value["reason"] = json!(reason),
        HunkStatus::Replaced { by } | HunkStatus::Rewritten { by } => value["by"] = json!(by),
        HunkStatus::Edited { text, denied } => {
            let reason = denied.as_ref().and_then(|denied| denied.reason.as_deref());
            value["written_instead"] = json!(text);
            value["denied_lines"] = json!(denied.as_ref().map(|denied| &denied.lines));
            value["reason"] = json!(reason);
        }
    }
    value
}

/// Returns the newest entries of history.
pub(super) fn history(entries: &[HistoryView], most: usize, gone: Dropped) -> CallToolResult {
    let newest: Vec<Value> = entries.iter().take(most).map(entry).collect();
    success(json!({
        "entries": newest,
        "more": entries.len().saturating_sub(most),
        "dropped": gone.old + gone.whole,
    }))
}

fn entry(entry: &HistoryView) -> Value {
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
}
