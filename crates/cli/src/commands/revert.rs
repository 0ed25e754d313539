//! `signoff revert`, `signoff undo` and `signoff redo`.
//!
//! In: a file or a changeset, and how far to go back. Out: files written, or a preview. What can be taken back in part is
//! only said, until it is asked for with `--yes`.

use anyhow::Context as _;
use serde_json::{Value, json};
use signoff_core::engine::{Engine, NamedChangeset};
use signoff_core::stage::review::{
    RevertHunk, RevertOutcome, RevertTarget, RevertTo, RevertedFile,
};
use signoff_review::review::history::others_in_effect;
use signoff_setup::opened;
use signoff_setup::paths::Paths;

use super::commits::{Commits, Reversal, ReversalOutcome, last_changeset};
use super::history::dropped;
use super::hunk_lines::{print_diff_lines, print_your_lines};
use super::{Ending, out};
use crate::args::{LAST, RedoArgs, RevertArgs, RevertMode, UndoArgs};

pub(super) fn run(paths: &Paths, args: &RevertArgs) -> anyhow::Result<Ending> {
    if let Some(name) = &args.changeset {
        return changeset(paths, name, args.mode);
    }
    let to = match (args.to, args.only) {
        (Some(version), _) => RevertTo::Version(version),
        (None, Some(version)) => RevertTo::Only(version),
        (None, None) => RevertTo::Last,
    };
    let path = args.path.as_deref().unwrap_or_default();
    let mut engine = opened::engine(paths)?;
    take_back(&mut engine, &RevertTarget::file(path, to), args.mode)
}

pub(super) fn undo(paths: &Paths, args: &UndoArgs) -> anyhow::Result<Ending> {
    Commits::recovered(paths)?;
    let last = last_changeset(paths)?;
    match Reversal::to_undo(paths, last.as_ref())? {
        None => changeset(paths, LAST, args.mode),
        Some(reversal) => reversed(paths, &reversal, args.mode),
    }
}

/// Takes a commit back, or makes it again, with its files.
fn reversed(paths: &Paths, reversal: &Reversal, mode: RevertMode) -> anyhow::Result<Ending> {
    let (commit, files) = match reversal.carry_out(paths, mode)? {
        ReversalOutcome::Refused(commit) => {
            commit.tell(mode.json)?;
            return Ok(Ending::NeedsUser);
        }
        ReversalOutcome::FilesStay(files) => (None, Some(files)),
        ReversalOutcome::Done(commit, files) => (Some(commit), files),
    };
    if let Some(commit) = &commit {
        commit.tell(mode.json).context(out::DONE_BUT)?;
    }
    match files {
        Some(files) if commit.is_some() && mode.dry_run => previewed(&files, mode),
        Some(files) => told(&mut opened::engine(paths)?, &files, mode),
        None => Ok(Ending::Done),
    }
}

pub(super) fn redo(paths: &Paths, args: &RedoArgs) -> anyhow::Result<Ending> {
    Commits::recovered(paths)?;
    let mut engine = opened::engine(paths)?;
    if let Some(path) = &args.path {
        let target = RevertTarget::file(path, RevertTo::Redo);
        return take_back(&mut engine, &target, args.mode);
    }
    let name = args.changeset.as_deref().unwrap_or(LAST);
    let named = if name == LAST {
        let last = engine.last_taken_back()?;
        if args.changeset.is_none()
            && let Some(reversal) = Reversal::to_redo(paths, last)?
        {
            return reversed(paths, &reversal, args.mode);
        }
        last.map_or(NamedChangeset::None, |(_, id)| NamedChangeset::One(id))
    } else {
        engine.changeset(name)?
    };
    match named {
        NamedChangeset::One(redo) => {
            take_back(&mut engine, &RevertTarget::Redo { redo }, args.mode)
        }
        other => unnamed(&other, name, "there is nothing to redo", args.mode),
    }
}

fn changeset(paths: &Paths, name: &str, mode: RevertMode) -> anyhow::Result<Ending> {
    let mut engine = opened::engine(paths)?;
    match engine.changeset(name)? {
        NamedChangeset::One(changeset) => {
            take_back(&mut engine, &RevertTarget::Changeset { changeset }, mode)
        }
        other => unnamed(&other, name, &nothing_left(&mut engine)?, mode),
    }
}

/// Says why no change can be reverted: what history dropped is in the files still.
pub(super) fn nothing_left(engine: &mut Engine) -> anyhow::Result<String> {
    let why = match dropped(engine.dropped(None)?) {
        Some(dropped) => format!("all that is kept is reverted already; {dropped}"),
        None => "nothing was written, or all of it is reverted already".to_owned(),
    };
    Ok(format!("there is nothing to revert: {why}"))
}

/// Says why a name is that of no changeset.
fn unnamed(
    found: &NamedChangeset,
    name: &str,
    none: &str,
    mode: RevertMode,
) -> anyhow::Result<Ending> {
    match found {
        NamedChangeset::Several(ids) => {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            let why = format!("{name} could be any of {}", ids.join(", "));
            let value = json!({"status": "conflict", "error": why});
            report(&value, &why, Ending::NeedsUser, mode)
        }
        _ if name == LAST => nothing(none, mode),
        _ => nothing(&format!("history has no changeset {name}"), mode),
    }
}

/// Takes a target back, or shows what that would do.
fn take_back(
    engine: &mut Engine,
    target: &RevertTarget,
    mode: RevertMode,
) -> anyhow::Result<Ending> {
    let outcome = attempt(engine, target, mode)?;
    if mode.dry_run && is_whole(&outcome, mode) {
        return previewed(&outcome, mode);
    }
    told(engine, &outcome, mode)
}

/// Takes a target back, or in part what can be where that is asked for; or works out what that would do.
pub(super) fn attempt(
    engine: &mut Engine,
    target: &RevertTarget,
    mode: RevertMode,
) -> anyhow::Result<RevertOutcome> {
    if mode.dry_run {
        return Ok(engine.foresee(target)?);
    }
    let outcome = engine.take_back(target)?;
    match &outcome.offered {
        Some(offered) if !outcome.blocked.is_empty() && mode.yes => Ok(engine.take_back(offered)?),
        Some(_) | None => Ok(outcome),
    }
}

/// Returns whether what was worked out would be written: all of it, or the part that is asked for.
pub(super) fn is_whole(foreseen: &RevertOutcome, mode: RevertMode) -> bool {
    foreseen.offered.is_some() && (foreseen.blocked.is_empty() || mode.yes)
}

/// Takes a target back once the user, who was shown what that would do, says so.
pub(super) fn after_question(
    paths: &Paths,
    target: &RevertTarget,
    is_wanted: impl FnOnce() -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    let mode = RevertMode::default();
    let mut engine = opened::engine(paths)?;
    let outcome = engine.foresee(target)?;
    let Some(offered) = &outcome.offered else {
        return told(&mut engine, &outcome, mode).map(drop);
    };
    previewed(&outcome, mode)?;
    // Another process may write while the user thinks.
    drop(engine);
    if !is_wanted()? {
        return out::line("nothing was changed");
    }
    let mut engine = opened::engine(paths)?;
    let outcome = engine.take_back(offered)?;
    told(&mut engine, &outcome, mode).map(drop)
}

/// Says what came of taking a target back.
fn told(engine: &mut Engine, outcome: &RevertOutcome, mode: RevertMode) -> anyhow::Result<Ending> {
    match outcome.conflict() {
        _ if outcome.written => written(engine, outcome, mode),
        Some(why) => conflict(outcome, why, mode),
        None => nothing(&none(engine, outcome)?, mode),
    }
}

/// Says that there is nothing to take back.
fn nothing(why: &str, mode: RevertMode) -> anyhow::Result<Ending> {
    let value = json!({"status": "nothing", "error": why});
    report(&value, why, Ending::Unmet, mode)
}

/// Says why there is nothing to take back.
fn none(engine: &mut Engine, outcome: &RevertOutcome) -> anyhow::Result<String> {
    Ok(match &outcome.target {
        RevertTarget::OneFile {
            path,
            to: RevertTo::Last,
        } => match dropped(engine.dropped(Some(path))?) {
            Some(dropped) => format!("{}; {dropped}", outcome.nothing),
            None => outcome.nothing.clone(),
        },
        RevertTarget::Changeset { changeset } => {
            format!("changeset {changeset} is reverted already, or was never written")
        }
        RevertTarget::Redo { redo } => format!("nothing of changeset {redo} is reverted"),
        _ => outcome.nothing.clone(),
    })
}

/// Says what is in the way, with the places in a file, and which other files could go back.
fn conflict(outcome: &RevertOutcome, why: &str, mode: RevertMode) -> anyhow::Result<Ending> {
    let mut value = json!({"status": "conflict", "error": why});
    let hunks: Vec<&RevertHunk> = match &outcome.target {
        RevertTarget::OneFile { .. } => outcome.blocked.iter().flat_map(|own| &own.hunks).collect(),
        _ => Vec::new(),
    };
    if matches!(outcome.target, RevertTarget::OneFile { .. }) {
        value["hunks"] = hunks.iter().map(|hunk| conflict_value(hunk)).collect();
    } else if outcome.offered.is_some() {
        value["files"] = outcome.files.iter().map(|file| json!(file.path)).collect();
        value["stay"] = stay_value(outcome);
    }
    let ending = report(&value, why, Ending::NeedsUser, mode)?;
    if !mode.json {
        hunks.iter().try_for_each(|hunk| print_conflict(hunk))?;
        if let Some(part) = outcome.part() {
            out::remark(&format!("nothing was written; with --yes {part}"));
        }
    }
    Ok(ending)
}

fn conflict_value(hunk: &RevertHunk) -> Value {
    json!({
        "header": hunk.header, "lines": hunk.lines,
        "line": hunk.line, "yours": hunk.yours,
    })
}

fn stay_value(outcome: &RevertOutcome) -> Value {
    let files = outcome.blocked.iter().map(|file| {
        let mut proposals = outcome.proposals.iter();
        let proposal = proposals.find(|proposal| proposal.path == file.path);
        json!({
            "path": file.path, "error": file.why, "proposable": file.proposable,
            "proposal": proposal.map(|proposal| proposal.id),
        })
    });
    files.collect()
}

/// Prints what taking a hunk back would do, and what is in its place.
fn print_conflict(hunk: &RevertHunk) -> anyhow::Result<()> {
    out::line(&hunk.header)?;
    print_diff_lines(&hunk.lines)?;
    print_your_lines(&hunk.yours)
}

fn written(
    engine: &mut Engine,
    outcome: &RevertOutcome,
    mode: RevertMode,
) -> anyhow::Result<Ending> {
    if let (RevertTarget::OneFile { to, .. }, [file]) = (&outcome.target, &outcome.files[..]) {
        let value = json!({
            "status": "reverted", "path": file.name(), "version": file.version,
            "reverted": file.taken_back, "unkept": outcome.unkept,
        });
        let said = format!("{}: {}", file.name(), file.summary);
        let ending = report(&value, &with_unkept(said, outcome), Ending::Done, mode)?;
        if !mode.json && *to != RevertTo::Redo {
            tell_of_others(engine, file)?;
        }
        return Ok(ending);
    }
    let files = outcome.files.iter();
    let each = files.map(|file| json!({"path": file.name(), "version": file.version}));
    let mut value = json!({
        "status": "reverted", "files": each.collect::<Vec<_>>(), "unkept": outcome.unkept,
    });
    if !outcome.blocked.is_empty() {
        value["stay"] = stay_value(outcome);
    }
    let ending = report(&value, &said(outcome), Ending::Done, mode)?;
    if let Some(stays) = outcome.stays().filter(|_| !mode.json) {
        out::remark(&stays);
    }
    Ok(ending)
}

/// Says in which files something was taken back or put back.
pub(super) fn said(outcome: &RevertOutcome) -> String {
    let deed = match outcome.target.parts().0 {
        RevertTarget::Redo { .. } => "redone",
        _ => "reverted",
    };
    let names: Vec<&str> = outcome.files.iter().map(RevertedFile::name).collect();
    with_unkept(format!("{deed} in {}", names.join(", ")), outcome)
}

fn with_unkept(said: String, outcome: &RevertOutcome) -> String {
    let said = [said].into_iter().chain(outcome.unkept.iter().cloned());
    said.collect::<Vec<_>>().join("; ")
}

/// Says which other files still have what was written with the changes that were taken back.
fn tell_of_others(engine: &mut Engine, file: &RevertedFile) -> anyhow::Result<()> {
    let history = engine.history(None)?;
    let mut taken_back = history
        .iter()
        .filter(|entry| entry.path == file.name() && file.taken_back.contains(&entry.version));
    let Some(changeset) = taken_back.find_map(|entry| entry.changeset) else {
        return Ok(());
    };
    let others = others_in_effect(&history, changeset, file.name());
    if !others.is_empty() {
        out::remark(&format!(
            "{} still {} what was written together with it: `signoff revert --changeset {changeset}` reverts all of it",
            others.join(", "),
            if others.len() == 1 { "has" } else { "have" }
        ));
    }
    Ok(())
}

fn previewed(outcome: &RevertOutcome, mode: RevertMode) -> anyhow::Result<Ending> {
    match (&outcome.target, &outcome.files[..]) {
        (RevertTarget::OneFile { .. }, [file]) if mode.json => out::json(&preview_value(file))?,
        (_, files) if mode.json => {
            let files: Vec<Value> = files.iter().map(preview_value).collect();
            let mut value = json!({"status": "preview", "files": files});
            if !outcome.blocked.is_empty() {
                value["stay"] = stay_value(outcome);
            }
            out::json(&value)?;
        }
        (_, files) => {
            outcome.part().map_or(Ok(()), |part| out::line(&part))?;
            files.iter().try_for_each(print_preview)?;
        }
    }
    Ok(Ending::Done)
}

fn preview_value(file: &RevertedFile) -> Value {
    let hunks = file.hunks.iter();
    let hunks: Vec<Value> = hunks
        .map(|hunk| json!({"header": hunk.header, "lines": hunk.lines}))
        .collect();
    json!({
        "status": "preview", "path": file.path, "to": file.to,
        "summary": file.summary, "hunks": hunks,
    })
}

fn print_preview(file: &RevertedFile) -> anyhow::Result<()> {
    out::line(&format!("would {} in {}", file.summary, file.path))?;
    if let Some(to) = &file.to {
        out::line(&format!("would move {} to {to}", file.path))?;
    }
    for hunk in &file.hunks {
        out::line(&hunk.header)?;
        print_diff_lines(&hunk.lines)?;
    }
    Ok(())
}

fn report(value: &Value, line: &str, ending: Ending, mode: RevertMode) -> anyhow::Result<Ending> {
    let printed = if mode.json {
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
