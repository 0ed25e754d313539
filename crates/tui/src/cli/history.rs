//! `signoff history`: what was written.
//!
//! In: a file, or none for all. Out: entries, newest first.

use jiff::Timestamp as Moment;
use serde_json::{Value, json};
use signoff_core::id::Timestamp;
use signoff_core::review::HistoryView;
use signoff_core::store::Dropped;

use super::{Ending, opened, out};
use crate::args::HistoryArgs;
use crate::place::Place;

pub(super) fn list(place: &Place, args: &HistoryArgs) -> anyhow::Result<Ending> {
    let mut engine = opened::as_it_is(place)?;
    let entries = engine.history(args.path.as_deref())?;
    let gone = engine.dropped(args.path.as_deref())?;
    if args.json {
        out::json(&json!({
            "entries": entries.iter().map(value).collect::<Vec<_>>(),
            "dropped": {"old": gone.old, "whole": gone.whole},
        }))?;
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
    if let Some(text) = dropped(gone).filter(|_| !args.json) {
        out::line(&text)?;
    }
    Ok(Ending::Done)
}

/// Says what was dropped of history, if anything was.
pub(super) fn dropped(gone: Dropped) -> Option<String> {
    let old = format!("{} older entries are not kept any more", gone.old);
    let whole = format!(
        "{} entries of files not written for long were dropped to keep the store small",
        gone.whole
    );
    match (gone.old, gone.whole) {
        (0, 0) => None,
        (_, 0) => Some(old),
        (0, _) => Some(whole),
        _ => Some(format!("{old}; {whole}")),
    }
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
