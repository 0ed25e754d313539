//! `signoff commit`: what was signed off, as a commit of git.
//!
//! In: which changes, and a message. Out: the commit, with what stays as it is; or what it would be; or why there is none.

use std::collections::HashSet;
use std::io::{IsTerminal as _, stdin, stdout};
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, anyhow};
use serde_json::{Value, json};
use signoff_core::engine::{Engine, NamedChangeset};
use signoff_core::record::history::cherry_pick::{FileRecord, PickChoice};
use signoff_llm::commit::{CommitChoice, CommitHooks, CommitPlan, CommitReport, PassedFile};
use signoff_sandbox::git_write::{CommitRefusal, GitWriter, UserVariables};
use signoff_sandbox::waiting_commits::WaitingCommits;
use signoff_setup::config::Config;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
#[cfg(target_os = "linux")]
use signoff_setup::shadow_setup;
use signoff_tui::user_shell::editor;

use super::repository::asker;
use super::{Ending, commits, out};
use crate::args::{CommitArgs, LAST, ModelArgs};
use crate::configuration;

pub(super) fn run(paths: &Paths, args: &CommitArgs) -> anyhow::Result<Ending> {
    commits::recover(paths)
        .iter()
        .for_each(|line| out::remark(line));
    let mut engine = opened::engine(paths)?;
    let records = records(&mut engine, &args.paths)?;
    let changes = match chosen(&mut engine, &records, args)? {
        Ok(changes) => changes,
        Err(why) => return unmet(args, "nothing", &why, Ending::Unmet),
    };
    // Nothing of git is waited for with the store locked.
    drop(engine);
    let stop = AtomicBool::new(false);
    let user = UserVariables::of_process();
    let writer = GitWriter::open(asker(paths, &stop), &user).map_err(|why| anyhow!(why))?;
    let choice = CommitChoice {
        changes,
        own_lines: args.own_lines,
    };
    let plan = CommitPlan::of(&writer, records, &choice).map_err(|why| anyhow!(why))?;
    if args.dry_run {
        return previewed(&plan, args);
    }
    if !plan.blocked.is_empty() {
        return blocked(&plan, args);
    }
    if plan.files.is_empty() {
        tell_left_out(&plan, args);
        let why = CommitRefusal::Nothing.to_string();
        return unmet(args, "nothing", &why, Ending::Unmet);
    }
    if args.message.is_none() && !(stdin().is_terminal() && stdout().is_terminal()) {
        let why = "there is no terminal for an editor: give a message with -m";
        return unmet(args, "nothing", why, Ending::Usage);
    }
    let Some(message) = message(paths, &plan, args)? else {
        let why = "there is no message, so nothing was committed";
        return unmet(args, "nothing", why, Ending::Unmet);
    };
    let config = configuration::load(paths, &ModelArgs::default())?;
    let hooks = hook_runner(paths, &config, &writer);
    let journal = WaitingCommits::at(&paths.commits());
    match plan.commit(&writer, &message, config.commit, hooks.as_deref(), &journal) {
        Ok(Ok(report)) => committed(&plan, &report, args),
        Ok(Err(refusal)) => unmet(args, "refused", &refusal.to_string(), Ending::NeedsUser),
        Err(why) => Err(anyhow!(why)),
    }
}

/// Returns what runs the hooks of the repository, if it has any.
#[cfg(target_os = "linux")]
fn hook_runner(
    paths: &Paths,
    config: &Config,
    writer: &GitWriter<'_>,
) -> Option<Box<dyn CommitHooks>> {
    let has_hooks = config.programs.shadow && !writer.hooks().is_empty();
    let runner = has_hooks.then(|| shadow_setup::commit_hooks(paths, &config.programs));
    Some(Box::new(runner.flatten()?))
}

#[cfg(not(target_os = "linux"))]
fn hook_runner(_: &Paths, _: &Config, _: &GitWriter<'_>) -> Option<Box<dyn CommitHooks>> {
    None
}

/// Returns the files that have a history, or those of them that are named.
fn records(engine: &mut Engine, paths: &[String]) -> anyhow::Result<Vec<FileRecord>> {
    if paths.is_empty() {
        return Ok(engine.file_records(None)?);
    }
    let mut records = Vec::new();
    for path in paths {
        records.extend(engine.file_records(Some(path))?);
    }
    Ok(records)
}

/// Returns which changes are meant, or why a name is that of none.
fn chosen(
    engine: &mut Engine,
    records: &[FileRecord],
    args: &CommitArgs,
) -> anyhow::Result<Result<PickChoice, String>> {
    if let Some(name) = &args.session {
        return Ok(session(records, name).map(PickChoice::Session));
    }
    if args.changeset.is_empty() {
        return Ok(Ok(PickChoice::All));
    }
    let mut ids = HashSet::new();
    for name in &args.changeset {
        match engine.changeset(name)? {
            NamedChangeset::One(id) => drop(ids.insert(id)),
            NamedChangeset::None => {
                return Ok(Err(format!("history has no changeset {name}")));
            }
            NamedChangeset::Several(ids) => {
                let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
                return Ok(Err(format!("{name} could be any of {}", ids.join(", "))));
            }
        }
    }
    Ok(Ok(PickChoice::Changesets(ids)))
}

/// Returns the conversation of a name that wrote something.
fn session(records: &[FileRecord], name: &str) -> Result<String, String> {
    let entries = records.iter().flat_map(|record| &record.history.entries);
    let mut written: Vec<_> = entries
        .filter_map(|entry| Some((entry.time, entry.kind.origin()?.session.as_str())))
        .filter(|(_, session)| !session.is_empty())
        .collect();
    written.sort();
    let mut found: Vec<&str> = match name {
        LAST => written
            .last()
            .map(|(_, session)| *session)
            .into_iter()
            .collect(),
        name => {
            let all = written.iter().map(|(_, session)| *session);
            all.filter(|session| session.starts_with(name)).collect()
        }
    };
    found.sort_unstable();
    found.dedup();
    match found.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(format!("no conversation {name} wrote anything")),
        several => Err(format!("{name} could be any of {}", several.join(", "))),
    }
}

/// Returns the message that the user gives, or writes in the editor; none if it is empty.
fn message(paths: &Paths, plan: &CommitPlan, args: &CommitArgs) -> anyhow::Result<Option<String>> {
    let message = match &args.message {
        Some(message) => message.clone(),
        None => {
            let shell = configuration::user_shell(paths);
            let edited = editor::edit(&shell, &to_edit(plan), "COMMIT_EDITMSG")?;
            let lines = edited.lines().filter(|line| !line.starts_with('#'));
            lines.collect::<Vec<_>>().join("\n")
        }
    };
    Ok(Some(message.trim().to_owned()).filter(|message| !message.is_empty()))
}

fn to_edit(plan: &CommitPlan) -> String {
    let files: String = plan
        .files
        .iter()
        .map(|file| format!("#   {file}\n"))
        .collect();
    format!(
        "{}\n# Lines that begin with `#` are left out; without any other, nothing is committed.\n# On {}:\n{files}",
        plan.message(),
        plan.place()
    )
}

fn previewed(plan: &CommitPlan, args: &CommitArgs) -> anyhow::Result<Ending> {
    // The commit itself would be refused.
    let ending = if plan.blocked.is_empty() {
        Ending::Done
    } else {
        Ending::NeedsUser
    };
    if args.json {
        out::json(&json!({
            "status": "preview", "branch": plan.head.branch(), "message": plan.message(),
            "files": files(plan), "blocked": passed(&plan.blocked), "left_out": passed(&plan.left_out),
        }))?;
        return Ok(ending);
    }
    if plan.files.is_empty() && plan.blocked.is_empty() {
        out::line("nothing that was signed off is missing in the last commit")?;
    } else if !plan.files.is_empty() {
        out::line(&format!("would commit on {}:", plan.place()))?;
    }
    for file in &plan.files {
        out::line(&format!("  {file}"))?;
    }
    for PassedFile { path, why } in &plan.blocked {
        out::line(&format!("cannot commit {path}: {why}"))?;
    }
    tell_left_out(plan, args);
    Ok(ending)
}

/// Says which files are in the way; nothing was committed.
fn blocked(plan: &CommitPlan, args: &CommitArgs) -> anyhow::Result<Ending> {
    if args.json {
        let error = "what is meant of some files does not apply to the last commit";
        let value = json!({"status": "conflict", "error": error, "blocked": passed(&plan.blocked)});
        out::json(&value)?;
        return Ok(Ending::NeedsUser);
    }
    plan.obstacles().iter().for_each(|line| out::remark(line));
    Ok(Ending::NeedsUser)
}

fn committed(
    plan: &CommitPlan,
    report: &CommitReport,
    args: &CommitArgs,
) -> anyhow::Result<Ending> {
    let commit = &report.committed.commit;
    if args.json {
        out::json(&json!({
            "status": "committed", "commit": commit.as_str(), "branch": plan.head.branch(),
            "files": files(plan), "left_out": passed(&plan.left_out),
            "staged": report.committed.staged, "hooks": report.hooks, "unnoted": report.unnoted,
        }))
        .context(out::DONE_BUT)?;
        return Ok(Ending::Done);
    }
    out::line(&report.line(plan)).context(out::DONE_BUT)?;
    for line in report.remarks() {
        out::remark(&line);
    }
    tell_left_out(plan, args);
    Ok(Ending::Done)
}

fn tell_left_out(plan: &CommitPlan, args: &CommitArgs) {
    for PassedFile { path, why } in plan.left_out.iter().filter(|_| !args.json) {
        out::remark(&format!("{path} is left out: {why}"));
    }
}

fn unmet(args: &CommitArgs, status: &str, why: &str, ending: Ending) -> anyhow::Result<Ending> {
    if args.json {
        out::json(&json!({"status": status, "error": why}))?;
    } else {
        // What a hook printed has several lines.
        let (first, rest) = why.split_once('\n').unwrap_or((why, ""));
        out::remark(first);
        if !rest.is_empty() {
            out::progress(rest);
        }
    }
    Ok(ending)
}

fn files(plan: &CommitPlan) -> Vec<Value> {
    let files = plan.files.iter().map(|file| {
        let (added, removed) = file.lines();
        let versions: Vec<u64> = file.entries.iter().map(|entry| entry.version).collect();
        json!({
            "path": file.path, "from": file.from, "added": added, "removed": removed, "versions": versions,
        })
    });
    files.collect()
}

fn passed(files: &[PassedFile]) -> Vec<Value> {
    let files = files.iter();
    files
        .map(|file| json!({"path": file.path, "error": file.why}))
        .collect()
}
