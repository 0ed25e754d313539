//! `signoff history`: what was written.
//!
//! In: a file, or none for all. Out: entries, newest first.

use jiff::Timestamp as Moment;
use serde_json::{Value, json};
use signoff_core::id::Timestamp;
use signoff_core::review::HistoryView;

use super::{Ending, out};
use crate::args::HistoryArgs;
use crate::place::Place;

pub(super) fn list(place: &Place, args: &HistoryArgs) -> anyhow::Result<Ending> {
    let entries = place.engine_as_it_is()?.history(args.path.as_deref())?;
    if args.json {
        out::json(&json!({"entries": entries.iter().map(value).collect::<Vec<_>>()}))?;
    } else if entries.is_empty() {
        out::line("no history")?;
    }
    for entry in entries.iter().filter(|_| !args.json) {
        let moved = entry.moved.as_ref();
        let moved = moved.map(|(from, to)| format!("  {from} to {to}"));
        out::line(&format!(
            "{}  {} v{}  {}  +{} -{}{}  {}",
            moment(entry.time),
            entry.path,
            entry.version,
            entry.status,
            entry.added,
            entry.removed,
            moved.unwrap_or_default(),
            entry.description
        ))?;
    }
    Ok(Ending::Done)
}

fn value(entry: &HistoryView) -> Value {
    json!({
        "version": entry.version,
        "time": moment(entry.time),
        "path": entry.path,
        "moved": entry.moved.as_ref().map(|(from, to)| json!({"from": from, "to": to})),
        "description": entry.description,
        "proposal": entry.proposal,
        "status": entry.status,
        "added": entry.added,
        "removed": entry.removed,
    })
}

/// Returns a time in RFC 3339, in UTC.
pub(super) fn moment(time: Timestamp) -> String {
    let moment = Moment::from_millisecond(time.0).unwrap_or_default();
    format!("{moment:.0}")
}
