//! `signoff history`: what was written.
//!
//! In: a file, or none for all. Out: entries, newest first.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};
use signoff_core::edit::diff::line::DiffLine;
use signoff_core::engine::Engine;
use signoff_core::record::store::Dropped;
use signoff_core::stage::review::{HistoryView, Proposer};
use signoff_review::review::words::place;
use signoff_setup::clock::moment;
use signoff_setup::opened;
use signoff_setup::paths::Paths;

use super::review::print_lines;
use super::{Ending, out};
use crate::args::HistoryArgs;

pub(super) fn list(paths: &Paths, args: &HistoryArgs) -> anyhow::Result<Ending> {
    let mut engine = opened::as_it_is(paths)?;
    let entries = engine.history(args.path.as_deref())?;
    let gone = engine.dropped(args.path.as_deref())?;
    let patches = if args.patch {
        patches(&mut engine, &entries)?
    } else {
        HashMap::new()
    };
    if args.json {
        let values = entries.iter();
        let values = values.map(|entry| value(entry, patches.get(&version_of(entry))));
        out::json(&json!({
            "entries": values.collect::<Vec<_>>(),
            "dropped": {"old": gone.old, "whole": gone.whole},
        }))?;
    } else if entries.is_empty() {
        out::line("no history")?;
    }
    for entry in entries.iter().filter(|_| !args.json) {
        let moved = entry.moved.as_ref();
        let moved = moved.map(|(from, to)| format!("  {from} to {to}"));
        let edited = if entry.edited { ", edited" } else { "" };
        let strategy = entry.strategy.as_ref();
        let strategy = strategy.map(|strategy| format!(" by {strategy}"));
        let named = entry.proposer.as_ref().filter(|own| own.is_named());
        let named = named.map_or_else(String::new, |own| format!(", proposed by {own}"));
        let effect = entry.effect.told().into_iter();
        let effect: String = effect.map(|told| format!("  {told}")).collect();
        out::line(&format!(
            "{}  {} v{}  {}{}{edited}{}  +{} -{}{}{effect}  {}",
            moment(entry.time),
            entry.path,
            entry.version,
            entry.status,
            strategy.unwrap_or_default(),
            named,
            entry.added,
            entry.removed,
            moved.unwrap_or_default(),
            entry.description
        ))?;
        for (header, lines) in patches.get(&version_of(entry)).into_iter().flatten() {
            out::line(place(header))?;
            print_lines(lines)?;
        }
    }
    if let Some(text) = dropped(gone).filter(|_| !args.json) {
        out::line(&text)?;
    }
    Ok(Ending::Done)
}

/// Header and lines of each hunk of an entry, by its file and version.
type Patches = HashMap<(String, u64), Vec<(String, Vec<DiffLine>)>>;

fn version_of(entry: &HistoryView) -> (String, u64) {
    (entry.path.clone(), entry.version)
}

fn patches(engine: &mut Engine, entries: &[HistoryView]) -> anyhow::Result<Patches> {
    let paths: BTreeSet<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
    let mut all = HashMap::new();
    for path in paths {
        let patches = engine.patches(path)?.into_iter();
        all.extend(patches.map(|patch| ((path.to_owned(), patch.version), patch.hunks)));
    }
    Ok(all)
}

/// Says what was dropped of history, if anything was.
pub(super) fn dropped(gone: Dropped) -> Option<String> {
    let old = match gone.old {
        1 => "1 older entry is not kept any more".to_owned(),
        many => format!("{many} older entries are not kept any more"),
    };
    let whole = match gone.whole {
        1 => "1 entry of files not written for long was".to_owned(),
        many => format!("{many} entries of files not written for long were"),
    };
    let whole = format!("{whole} dropped to keep the store small");
    match (gone.old, gone.whole) {
        (0, 0) => None,
        (_, 0) => Some(old),
        (0, _) => Some(whole),
        _ => Some(format!("{old}; {whole}")),
    }
}

fn value(entry: &HistoryView, patch: Option<&Vec<(String, Vec<DiffLine>)>>) -> Value {
    let hunks = patch.map(|hunks| {
        let hunks = hunks.iter();
        let hunks = hunks.map(|(header, lines)| json!({"header": header, "lines": lines}));
        hunks.collect::<Vec<_>>()
    });
    let mut value = json!({
        "version": entry.version,
        "time": moment(entry.time),
        "path": entry.path,
        "moved": entry.moved.as_ref().map(|(from, to)| json!({"from": from, "to": to})),
        "description": entry.description,
        "proposal": entry.proposal,
        "changeset": entry.changeset,
        "session": entry.session,
        "model": entry.proposer.as_ref().and_then(Proposer::model),
        "proposer": entry.proposer,
        "strategy": entry.strategy,
        "status": entry.status,
        "edited": entry.edited,
        "added": entry.added,
        "removed": entry.removed,
        "effect": super::review::effect(&entry.effect),
    });
    if let (Some(hunks), Some(fields)) = (hunks, value.as_object_mut()) {
        fields.insert("hunks".to_owned(), json!(hunks));
    }
    value
}
