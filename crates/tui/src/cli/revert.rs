//! `signoff revert` and `signoff redo`.
//!
//! In: a file or a changeset, and how far to go back. Out: files written, or a preview.

use anyhow::Context as _;
use serde_json::{Value, json};
use signoff_core::engine::NamedChangeset;
use signoff_core::engine::{
    ChangesetPreview, ChangesetUndone, Engine, Preview, RevertConflict, RevertForecast, Undone,
};
use signoff_core::id::ChangesetId;
use signoff_core::stage::review::{HistoryView, RevertTo};

use super::{Ending, opened, out, review};
use crate::args::{RedoArgs, RevertArgs, UndoArgs};
use crate::paths::Paths;
use crate::review::history::others_in_effect;

pub(super) fn run(paths: &Paths, args: &RevertArgs) -> anyhow::Result<Ending> {
    if let Some(name) = &args.changeset {
        return named_changeset(paths, name, args.dry_run, args.json);
    }
    let to = match (args.to, args.only) {
        (Some(version), _) => RevertTo::Version(version),
        (None, Some(version)) => RevertTo::Only(version),
        (None, None) => RevertTo::Last,
    };
    file(
        paths,
        args.path.as_deref().unwrap_or_default(),
        to,
        args.dry_run,
        args.json,
    )
}

pub(super) fn undo(paths: &Paths, args: &UndoArgs) -> anyhow::Result<Ending> {
    named_changeset(paths, LAST, args.dry_run, args.json)
}

pub(super) fn redo(paths: &Paths, args: &RedoArgs) -> anyhow::Result<Ending> {
    if let Some(name) = &args.changeset {
        return redo_changeset(paths, name, args.dry_run, args.json);
    }
    let path = args.path.as_deref().unwrap_or_default();
    file(paths, path, RevertTo::Redo, args.dry_run, args.json)
}

fn redo_changeset(paths: &Paths, name: &str, dry_run: bool, json: bool) -> anyhow::Result<Ending> {
    let mut engine = opened::engine(paths)?;
    let named = if name == LAST {
        let last = engine.last_taken_back()?;
        last.map_or(NamedChangeset::None, NamedChangeset::One)
    } else {
        engine.changeset(name)?
    };
    match named {
        NamedChangeset::One(id) => {
            let none = format!("nothing of changeset {id} is taken back");
            if dry_run {
                let preview = engine.preview_redo(id)?;
                return previewed(&preview, &none, json);
            }
            let done = engine.redo_changeset(id)?;
            carried_out(done, "put back", &none, json)
        }
        other => unnamed(&other, name, "there is nothing to put back", json),
    }
}

fn file(
    paths: &Paths,
    path: &str,
    to: RevertTo,
    dry_run: bool,
    json: bool,
) -> anyhow::Result<Ending> {
    let mut engine = opened::engine(paths)?;
    if dry_run {
        return match engine.preview(path, to)? {
            RevertForecast::Possible(preview) if json => shown(out::json(&preview_value(&preview))),
            RevertForecast::Possible(preview) => shown(print_preview(&preview)),
            RevertForecast::Nothing { why } => nothing(&why, json),
            RevertForecast::Conflict { why } => conflict(&mut engine, path, to, &why, json),
        };
    }
    let undone = engine.revert(path, to)?;
    told(&mut engine, path, to, undone, json)
}

fn told(
    engine: &mut Engine,
    path: &str,
    to: RevertTo,
    undone: Undone,
    json: bool,
) -> anyhow::Result<Ending> {
    match undone {
        Undone::Done {
            path,
            version,
            taken_back,
            summary,
            unkept,
            ..
        } => {
            let value = json!({
                "status": "reverted", "path": path, "version": version, "taken_back": taken_back,
                "unkept": unkept,
            });
            let said = [vec![format!("{path}: {summary}")], unkept]
                .concat()
                .join("; ");
            let ending = report(&value, &said, Ending::Done, json)?;
            if !json && to != RevertTo::Redo {
                tell_of_others(engine, &path, &taken_back)?;
            }
            Ok(ending)
        }
        Undone::Nothing { why } => nothing(&why, json),
        Undone::Conflict { why } => conflict(engine, path, to, &why, json),
    }
}

/// The name of the newest changeset that is in effect.
pub(super) const LAST: &str = "last";

/// Says which other files still have what was written with the changes that were taken back.
fn tell_of_others(engine: &mut Engine, path: &str, taken_back: &[u64]) -> anyhow::Result<()> {
    let history = engine.history(None)?;
    let own = |entry: &&HistoryView| entry.path == path && taken_back.contains(&entry.version);
    let Some(changeset) = history.iter().filter(own).find_map(|entry| entry.changeset) else {
        return Ok(());
    };
    let others = others_in_effect(&history, changeset, path);
    if !others.is_empty() {
        out::remark(&format!(
            "{} still {} what was written together with it: `signoff revert --changeset {changeset}` takes back all of it",
            others.join(", "),
            if others.len() == 1 { "has" } else { "have" }
        ));
    }
    Ok(())
}

/// Says that there is nothing to take back.
fn nothing(why: &str, json: bool) -> anyhow::Result<Ending> {
    let value = json!({"status": "nothing", "error": why});
    report(&value, why, Ending::Unmet, json)
}

/// Says what is in the way of a revert, with the places in the file.
fn conflict(
    engine: &mut Engine,
    path: &str,
    to: RevertTo,
    why: &str,
    json: bool,
) -> anyhow::Result<Ending> {
    let revert_conflicts = engine.revert_conflicts(path, to)?;
    let value = json!({
        "status": "conflict", "error": why,
        "hunks": revert_conflicts.iter().map(conflict_value).collect::<Vec<_>>(),
    });
    let ending = report(&value, why, Ending::NeedsUser, json)?;
    if !json {
        revert_conflicts.iter().try_for_each(print_conflict)?;
    }
    Ok(ending)
}

fn conflict_value(conflict: &RevertConflict) -> Value {
    json!({
        "header": conflict.header, "lines": conflict.lines,
        "line": conflict.place.start, "yours": conflict.yours,
    })
}

/// Prints what taking a hunk back would do, and what is in its place.
fn print_conflict(conflict: &RevertConflict) -> anyhow::Result<()> {
    out::line(&conflict.header)?;
    review::print_lines(&conflict.lines)?;
    review::print_yours(&conflict.yours)
}

fn named_changeset(paths: &Paths, name: &str, dry_run: bool, json: bool) -> anyhow::Result<Ending> {
    let mut engine = opened::engine(paths)?;
    match engine.changeset(name)? {
        NamedChangeset::One(id) => changeset(&mut engine, id, dry_run, json),
        other => unnamed(
            &other,
            name,
            "there is nothing to take back: nothing was written, or all of it is taken back already",
            json,
        ),
    }
}

/// Says why a name is that of no changeset.
fn unnamed(found: &NamedChangeset, name: &str, none: &str, json: bool) -> anyhow::Result<Ending> {
    match found {
        NamedChangeset::Several(ids) => {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            blocked(&format!("{name} could be any of {}", ids.join(", ")), json)
        }
        _ if name == LAST => nothing(none, json),
        _ => nothing(
            &format!("nothing was written with a changeset {name}"),
            json,
        ),
    }
}

fn changeset(
    engine: &mut Engine,
    id: ChangesetId,
    dry_run: bool,
    json: bool,
) -> anyhow::Result<Ending> {
    let none = format!("nothing of changeset {id} is in effect");
    if dry_run {
        return previewed(&engine.preview_changeset(id)?, &none, json);
    }
    carried_out(engine.revert_changeset(id)?, "taken back", &none, json)
}

fn previewed(preview: &ChangesetPreview, none: &str, json: bool) -> anyhow::Result<Ending> {
    match preview {
        ChangesetPreview::Possible(previews) if json => {
            let files: Vec<Value> = previews.iter().map(preview_value).collect();
            shown(out::json(&json!({"status": "preview", "files": files})))
        }
        ChangesetPreview::Possible(previews) => shown(previews.iter().try_for_each(print_preview)),
        ChangesetPreview::Nothing => nothing(none, json),
        ChangesetPreview::Conflict { why } => blocked(why, json),
    }
}

fn carried_out(
    done: ChangesetUndone,
    deed: &str,
    none: &str,
    json: bool,
) -> anyhow::Result<Ending> {
    match done {
        ChangesetUndone::Done { files, unkept } => {
            let each = files
                .iter()
                .map(|file| json!({"path": file.path, "version": file.version}));
            let value = json!({
                "status": "reverted", "files": each.collect::<Vec<_>>(), "unkept": unkept,
            });
            let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
            let back = format!("{deed} in {}", names.join(", "));
            let said = [vec![back], unkept].concat().join("; ");
            report(&value, &said, Ending::Done, json)
        }
        ChangesetUndone::Nothing => nothing(none, json),
        ChangesetUndone::Conflict { why } => blocked(&why, json),
    }
}

/// Says which file is in the way of taking a changeset back.
fn blocked(why: &str, json: bool) -> anyhow::Result<Ending> {
    let value = json!({"status": "conflict", "error": why});
    report(&value, why, Ending::NeedsUser, json)
}

fn shown(printed: anyhow::Result<()>) -> anyhow::Result<Ending> {
    printed.map(|()| Ending::Done)
}

fn preview_value(preview: &Preview) -> Value {
    let hunk = |(header, lines): &(String, _)| json!({"header": header, "lines": lines});
    let hunks: Vec<Value> = preview.hunks.iter().map(hunk).collect();
    json!({
        "status": "preview", "path": preview.path, "to": preview.to,
        "summary": preview.summary, "hunks": hunks,
    })
}

fn print_preview(preview: &Preview) -> anyhow::Result<()> {
    out::line(&format!("would {} in {}", preview.summary, preview.path))?;
    if let Some(to) = &preview.to {
        out::line(&format!("would move {} to {to}", preview.path))?;
    }
    for (header, lines) in &preview.hunks {
        out::line(header)?;
        review::print_lines(lines)?;
    }
    Ok(())
}

fn report(value: &Value, line: &str, ending: Ending, json: bool) -> anyhow::Result<Ending> {
    let printed = if json {
        out::json(value)
    } else if ending == Ending::Done {
        out::line(line)
    } else {
        out::remark(line);
        Ok(())
    };
    printed.context(out::DONE_BUT)?;
    Ok(ending)
}
