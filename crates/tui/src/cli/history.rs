//! `signoff history` and `signoff revert`.
//!
//! In: a file. Out: its history, newest first; or changes taken back.

use jiff::Timestamp as Moment;
use serde_json::{Value, json};
use signoff_core::engine::Undone;
use signoff_core::id::Timestamp;
use signoff_core::review::{HistoryView, RevertTo};

use super::{Ending, out};
use crate::args::{HistoryArgs, RevertArgs};
use crate::place::Place;

pub(super) fn list(place: &Place, args: &HistoryArgs) -> anyhow::Result<Ending> {
    let entries = place.engine()?.history(args.path.as_deref())?;
    if args.json {
        out::json(&json!({"entries": entries.iter().map(value).collect::<Vec<_>>()}))?;
    } else if entries.is_empty() {
        out::line("no history")?;
    }
    for entry in entries.iter().filter(|_| !args.json) {
        out::line(&format!(
            "{}  {} v{}  {}  +{} -{}  {}",
            moment(entry.time),
            entry.path,
            entry.version,
            entry.status,
            entry.added,
            entry.removed,
            entry.description
        ))?;
    }
    Ok(Ending::Done)
}

pub(super) fn revert(place: &Place, args: &RevertArgs) -> anyhow::Result<Ending> {
    let to = args.to.map_or(RevertTo::Last, RevertTo::Version);
    let undone = place.engine()?.revert(&args.path, to)?;
    let (value, line, ending) = match undone {
        Undone::Done { path, version, taken_back, summary } => (
            json!({"status": "reverted", "path": path, "version": version, "taken_back": taken_back}),
            format!("{path}: {summary}"),
            Ending::Done,
        ),
        Undone::Nothing { why } => (json!({"status": "nothing", "error": why}), why, Ending::Unmet),
        Undone::Conflict { why } => {
            (json!({"status": "conflict", "error": why}), why, Ending::NeedsUser)
        }
    };
    if args.json {
        out::json(&value)?;
    } else if ending == Ending::Done {
        out::line(&line)?;
    } else {
        out::remark(&line);
    }
    Ok(ending)
}

fn value(entry: &HistoryView) -> Value {
    json!({
        "version": entry.version,
        "time": moment(entry.time),
        "path": entry.path,
        "description": entry.description,
        "proposal": entry.proposal,
        "status": entry.status,
        "added": entry.added,
        "removed": entry.removed,
    })
}

/// Returns a time in RFC 3339, in UTC.
fn moment(time: Timestamp) -> String {
    let moment = Moment::from_millisecond(time.0).unwrap_or_default();
    format!("{moment:.0}")
}
