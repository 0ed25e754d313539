//! `signoff history`: what was written.
//!
//! In: a file, or none for all. Out: entries, newest first.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};
use signoff_core::edit::diff::line::DiffLine;
use signoff_core::engine::Engine;
use signoff_core::plural::counted;
use signoff_core::record::store::Dropped;
use signoff_core::stage::review::{DeniedEdit, DiffHunk, EntryStatus, HistoryView, Proposer};
use signoff_review::review::history::MadeCommit;
use signoff_review::review::words::place;
use signoff_setup::clock::moment;
use signoff_setup::opened;
use signoff_setup::paths::Paths;

use super::hunk_lines::print_diff_lines;
use super::{Ending, commits, out};
use crate::args::HistoryArgs;

pub(super) fn list(paths: &Paths, args: &HistoryArgs) -> anyhow::Result<Ending> {
    let mut engine = opened::as_it_is(paths)?;
    if args.denied {
        return list_denied(&mut engine, args);
    }
    let entries = engine.history(args.path.as_deref())?;
    let gone = engine.dropped(args.path.as_deref())?;
    // A commit is no entry of a file.
    let mut commits = match &args.path {
        None => commits::made(paths)?,
        Some(_) => Vec::new(),
    };
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
            "commits": commits.iter().rev().map(commit_value).collect::<Vec<_>>(),
            "dropped": {"old": gone.old, "whole": gone.whole},
        }))?;
        return Ok(Ending::Done);
    }
    if entries.is_empty() && commits.is_empty() {
        out::line("no history")?;
    }
    let mut heading = None;
    for entry in entries.iter().filter(|own| !own.is_folded) {
        while let Some(commit) = commits.pop_if(|own| own.entry.time >= entry.time) {
            heading = None;
            out::line(&commit_line(&commit))?;
        }
        let request = entry.request.as_deref().zip(entry.changeset);
        if let Some((text, _)) = request.filter(|_| request != heading) {
            out::line(&format!("{text}:"))?;
        }
        heading = request;
        let indent = if request.is_some() { "  " } else { "" };
        out::line(&format!("{indent}{}", entry_line(entry)))?;
        for (header, lines) in patches.get(&version_of(entry)).into_iter().flatten() {
            out::line(place(header))?;
            print_diff_lines(lines)?;
        }
    }
    for commit in commits.iter().rev() {
        out::line(&commit_line(commit))?;
    }
    if let Some(text) = dropped(gone) {
        out::line(&text)?;
    }
    Ok(Ending::Done)
}

/// Returns a commit of a program on one line: `2026-07-01T10:00:00Z  commit c23c935  made, reverted 2026-07-01T11:00:00Z  mine`.
fn commit_line(commit: &MadeCommit) -> String {
    let entry = &commit.entry;
    let turned = entry.turned.map(moment);
    let turned = turned.map_or_else(String::new, |then| format!(", reverted {then}"));
    let (made, name, what) = (moment(entry.time), &entry.path, &entry.description);
    format!("{made}  {name}  made{turned}  {what}")
}

fn commit_value(commit: &MadeCommit) -> Value {
    let entry = &commit.entry;
    json!({
        // The id that it had while it waited.
        "id": entry.changeset.map(|id| id.0.simple().to_string()),
        // When it was made, in UTC. Stable.
        "time": moment(entry.time),
        // The newest commit, as `commit c23c935`; without one `branches and tags` or `git's index`.
        "name": entry.path,
        // The subject of that commit, or what became of branches and tags.
        "description": entry.description,
        // `applied`, or `reverted` once it was taken back. Stable.
        "status": entry.status,
        // When it was reverted, or null.
        "turned": entry.turned.map(moment),
        // What was written with it, or null.
        "changeset": commit.with,
    })
}

/// Returns an entry on one line: `2026-07-01T10:00:00Z  a.txt (2)  written  +1 -1  seen; pytest passed  Name the spans`;
/// the number is what `revert --to` and `--only` take.
fn entry_line(entry: &HistoryView) -> String {
    let moved = entry.moved.as_ref();
    let moved = moved.map(|(from, to)| format!("  {from} to {to}"));
    let edited = if entry.edited { ", edited" } else { "" };
    let named = entry.proposer.as_ref().filter(|own| own.is_named());
    let named = named.map_or_else(String::new, |own| format!(", proposed by {own}"));
    let word = match entry.status {
        EntryStatus::Applied => "written".to_owned(),
        other => other.to_string(),
    };
    let (status, turned) = match (entry.status, entry.turned) {
        (_, None) => (word, String::new()),
        (EntryStatus::Reverted, Some(then)) => {
            ("written".to_owned(), format!(", reverted {}", moment(then)))
        }
        (_, Some(then)) => (word, format!(", redone {}", moment(then))),
    };
    let signed = entry.sign_off.as_ref();
    let signed = signed.map_or_else(String::new, |own| format!("  {}", own.in_words()));
    let effect = entry.effect.told().into_iter();
    let effect: String = effect.map(|told| format!("  {told}")).collect();
    format!(
        "{}  {} ({})  {status}{named}{edited}{turned}  +{} -{}{}{effect}{signed}  {}",
        moment(entry.time),
        entry.path,
        entry.version,
        entry.added,
        entry.removed,
        moved.unwrap_or_default(),
        entry.description
    )
}

/// Prints what was denied, newest first, with its lines and the reason.
fn list_denied(engine: &mut Engine, args: &HistoryArgs) -> anyhow::Result<Ending> {
    let denied = engine.denied_hunks(args.path.as_deref())?;
    let mut values = Vec::new();
    for hunk in &denied {
        // Another process may have dropped it meanwhile.
        let Some(shown) = engine.denied_lines(hunk.number)? else {
            continue;
        };
        if args.json {
            values.push(denied_value(hunk, &shown));
            continue;
        }
        let reason = hunk.denied.reason.as_deref();
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        out::line(&format!(
            "{}  {}  +{} -{}  {}  denied{reason}",
            moment(hunk.denied.time),
            hunk.path,
            hunk.added,
            hunk.removed,
            hunk.description,
        ))?;
        out::line(place(&shown.header))?;
        print_diff_lines(&shown.lines)?;
        if shown.left_out() > 0 {
            out::line(&format!(
                "{} not kept",
                counted(shown.left_out(), "more changed line")
            ))?;
        }
    }
    if args.json {
        out::json(&json!({ "denied": values }))?;
    } else if denied.is_empty() {
        out::line("no denied hunk is kept")?;
    }
    Ok(Ending::Done)
}

fn denied_value(hunk: &DeniedEdit, shown: &DiffHunk) -> Value {
    json!({
        "time": moment(hunk.denied.time),
        "path": hunk.path,
        "description": hunk.description,
        "reason": hunk.denied.reason,
        "added": hunk.added,
        "removed": hunk.removed,
        "hunks": [{"header": shown.header, "lines": shown.lines}],
    })
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
        // The number of the entry for this file, from 1. Stable.
        "version": entry.version,
        // In UTC, as `2026-11-22T00:00:11Z`. Stable.
        "time": moment(entry.time),
        // The file. Stable.
        "path": entry.path,
        // `from` and `to`; or null. Stable.
        "moved": entry.moved.as_ref().map(|(from, to)| json!({"from": from, "to": to})),
        // What the change was for. Stable.
        "description": entry.description,
        // The prompt that it came from, or the command of `signoff run`, on one line; else null.
        "request": entry.request,
        // When it was last reverted or redone, or null.
        "turned": entry.turned.map(moment),
        // What it came from; null for a revert. Stable.
        "proposal": entry.proposal,
        // What it was written with; null for a revert. Stable.
        "changeset": entry.changeset,
        // The conversation, empty from the command line; null for a revert.
        "session": entry.session,
        // The model; or null.
        "model": entry.proposer.as_ref().and_then(Proposer::model),
        // Tagged by `kind`: `user`, `model` with `name`, `agent` with `name` and `model`, `program`, `foreign_agent`
        // with `name`, `mcp` with `client`; null for a revert.
        "proposer": entry.proposer,
        // How the place was found; null for a revert.
        "strategy": entry.strategy,
        // `applied`; `ran`: a command made it; `reverted`: a later entry took it out; `revert`: it takes others out;
        // `moved`: the file was moved outside of signoff. Stable.
        "status": entry.status,
        // It is your text in place of the model's.
        "edited": entry.edited,
        // `hunks`: of each how many `splices` of the change it has and, in `as`, what was displayed of it: `seen`; `folded`,
        // with the `proof`; `editor`: an editor displayed it; `named`: by its id on the command line; `unseen`. `checks`: what
        // had run on the staged files as they were written, with `name`, `passed` and `outcome`. Null for a revert, for what
        // a command made, and for entries of earlier versions.
        "sign_off": entry.sign_off,
        // Lines added. Stable.
        "added": entry.added,
        // Lines removed. Stable.
        "removed": entry.removed,
        // As in `review --json`.
        "effect": super::review::effect(&entry.effect),
    });
    if let (Some(hunks), Some(fields)) = (hunks, value.as_object_mut()) {
        fields.insert("hunks".to_owned(), json!(hunks));
    }
    value
}
