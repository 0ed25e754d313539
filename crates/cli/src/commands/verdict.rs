//! `signoff approve` and `signoff deny`.
//!
//! In: ids of proposals or hunks. Out: files written, all or none, and what became of each.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use serde_json::{Value, json};
use signoff_core::disk::workspace::MAX_FILE_BYTES;
use signoff_core::engine::{
    Decided, Decision, Engine, HunkOutcome, OwnTextAlarms, decided_by_others, paths_of,
};
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::plural::counted;
use signoff_core::stage::review::{
    HunkState, HunkStatus, HunkView, ProposalView, Ruling, Sight, Verdict,
};
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_tui::error_text::in_words;
use signoff_tui::user_shell::editor;

use super::commits::{CommitOutcome, Commits, last_changeset, written_since};
use super::conflicts::Conflicts;
use super::programs::Programs;
use super::{Ending, check_project, out};
use crate::args::{ApproveArgs, DenyArgs};
use crate::configuration;

pub(super) fn approve(paths: &Paths, args: &ApproveArgs) -> anyhow::Result<Ending> {
    if args.checked && check_project::run(paths, args.json)? == Ending::NeedsUser {
        let why = "the staged changes bring in errors, or a check was not done".to_owned();
        let decision = Decision::Refused { why };
        out::remark(&summary(&decision));
        if args.json {
            out::json(&value(&decision))?;
        }
        return Ok(Ending::NeedsUser);
    }
    let with = args.with.as_deref().map(text_of).transpose()?;
    let is_named = !args.ids.is_empty() || args.group.is_some();
    let sight = match (args.edit, is_named) {
        (true, _) => Sight::Editor,
        (false, true) => Sight::Named,
        (false, false) => Sight::Unseen,
    };
    let verdict = |proposal: &ProposalView, hunk: &HunkView| {
        let text = match &with {
            Some(text) => text.clone(),
            None if args.edit && hunk.is_told_by_sizes() => {
                bail!("{} is not shown, so that it cannot be edited", hunk.id)
            }
            None if args.edit => editor::edit(
                &configuration::user_shell(paths),
                &hunk.new_text(),
                &proposal.path,
            )?,
            // Nothing says that the user has seen it.
            None if args.ids.is_empty() && why_unnamed(proposal, hunk).is_some() => {
                return Ok(None);
            }
            None => {
                let ruling = Ruling::new(hunk, Verdict::Approve);
                return Ok(Some(ruling.with_sight(sight.clone())));
            }
        };
        let verdict = if text == hunk.new_text() {
            Verdict::Approve
        } else {
            Verdict::edited(text)
        };
        Ok(Some(Ruling::new(hunk, verdict).with_sight(sight.clone())))
    };
    let most = if with.is_some() { 1 } else { usize::MAX };
    let how = (args.json, args.checked);
    let commits = Commits::recovered(paths)?;
    let (chosen, ids) = commits.named(&args.ids)?;
    let is_of_commits_alone = !chosen.is_empty() && ids.is_empty()
        || args.all && !commits.is_empty() && opened::engine(paths)?.waiting()?.is_empty();
    let before = last_changeset(paths)?;
    let (ending, ruled) = if is_of_commits_alone {
        (Ending::Done, None)
    } else {
        let which = Which::of(&ids, args.group.as_deref());
        rule(paths, which, verdict, is_pending, most, how)?
    };
    let (chosen, left) = if args.all {
        commits.unheld()
    } else {
        (chosen, Vec::new())
    };
    let made = if chosen.is_empty() {
        Ok(Vec::new())
    } else {
        // What belongs to a commit was written before it is made.
        let changeset = written_since(paths, before.as_ref());
        changeset.and_then(|changeset| commits.approve(&chosen, changeset))
    };
    // What was written is said also where the commits cannot be made.
    let (mut outcomes, fault) = match made {
        Ok(outcomes) => (outcomes, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    outcomes.extend(left);
    print(paths, ruled, &outcomes, args.json)?;
    match (fault, ending) {
        (Some(error), _) => Err(error),
        (None, Ending::Done) => Ok(CommitOutcome::ending(&outcomes)),
        (None, ending) => Ok(ending),
    }
}

/// Prints what came of commits: in the object of the hunks' verdicts, which is `ruled`, or as lines after theirs.
fn print(
    paths: &Paths,
    ruled: Option<Value>,
    outcomes: &[CommitOutcome],
    json: bool,
) -> anyhow::Result<()> {
    let printed = if json {
        let value = with_commits(paths, ruled, outcomes)?;
        value.iter().try_for_each(out::json)
    } else {
        outcomes.iter().try_for_each(CommitOutcome::print)
    };
    printed.context(out::DONE_BUT)
}

/// Returns what came of hunks and commits as one object: none where nothing was decided on.
pub(super) fn with_commits(
    paths: &Paths,
    ruled: Option<Value>,
    outcomes: &[CommitOutcome],
) -> anyhow::Result<Option<Value>> {
    let mut value = match ruled {
        ruled if outcomes.is_empty() => return Ok(ruled),
        Some(ruled) => ruled,
        None => {
            let waiting = opened::engine(paths)?.waiting()?;
            value(&Decision::Done(Decided {
                pending: waiting.iter().flat_map(ProposalView::pending).count(),
                ..Decided::default()
            }))
        }
    };
    value["commits"] = outcomes.iter().map(CommitOutcome::value).collect();
    Ok(Some(value))
}

/// Reads the text to approve in place of a hunk's own.
fn text_of(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let limit = MAX_FILE_BYTES + 1;
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    read.with_context(|| format!("cannot read {}", path.display()))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        bail!("{} has more than {MAX_FILE_BYTES} bytes", path.display());
    }
    String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8 text", path.display()))
}

pub(super) fn deny(paths: &Paths, args: &DenyArgs) -> anyhow::Result<Ending> {
    let reason = args
        .reason
        .clone()
        .filter(|reason| !reason.trim().is_empty());
    let verdict = Verdict::Deny { reason };
    let commits = Commits::recovered(paths)?;
    let (named, ids) = commits.named(&args.ids)?;
    let chosen = if args.all { commits.all() } else { named };
    let is_of_commits_alone = !chosen.is_empty() && ids.is_empty();
    if is_of_commits_alone && (!args.all || opened::engine(paths)?.waiting()?.is_empty()) {
        let outcomes = commits.deny(&chosen);
        print(paths, None, &outcomes, args.json)?;
        return Ok(CommitOutcome::ending(&outcomes));
    }
    let denied: RefCell<BTreeSet<String>> = RefCell::default();
    let (ending, ruled) = rule(
        paths,
        Which::of(&ids, args.group.as_deref()),
        |proposal, hunk| {
            denied.borrow_mut().insert(proposal.path.clone());
            Ok(Some(Ruling::new(hunk, verdict.clone())))
        },
        |hunk| hunk.status.is_open(),
        usize::MAX,
        (args.json, false),
    )?;
    let outcomes = commits.deny(&chosen);
    print(paths, ruled, &outcomes, args.json)?;
    if let (Verdict::Deny { reason: Some(why) }, Ending::Done) = (&verdict, ending) {
        let denied = denied.into_inner();
        let path = denied.first().filter(|_| denied.len() == 1);
        let command = super::rule::command(path.map_or("", String::as_str), why);
        out::remark(&format!("to make it a rule for every request: {command}"));
    }
    Ok(match ending {
        Ending::Done => CommitOutcome::ending(&outcomes),
        ending => ending,
    })
}

/// What to do where a review is required, or a check does not hold.
pub(super) const LOOK: &str = "what is staged stays staged: `signoff review` shows it, `signoff approve --all` or `signoff approve ID` writes it";

/// Writes all that `proposals` hold, which nobody looked at, or none of it.
pub(super) fn approve_these<'a>(
    engine: &mut Engine,
    proposals: impl IntoIterator<Item = &'a ProposalView>,
) -> anyhow::Result<Decision> {
    let decision = engine.approve_unseen(proposals)?;
    if let Decision::Refused { .. } = &decision {
        out::remark(LOOK);
    }
    Ok(decision)
}

/// Which hunks a verdict is about.
enum Which<'a> {
    All,
    Group(&'a str),
    Ids(&'a [String]),
}

impl<'a> Which<'a> {
    fn of(ids: &'a [String], group: Option<&'a str>) -> Self {
        match (ids, group) {
            (_, Some(key)) => Self::Group(key),
            ([], None) => Self::All,
            (ids, None) => Self::Ids(ids),
        }
    }
}

/// Rules on what `ids` or `group` name, or on everything where there is neither, each with what was displayed of it; hunks
/// without a verdict have to be named. Says what came of it; as JSON, returns it.
fn rule(
    paths: &Paths,
    which: Which<'_>,
    verdict: impl Fn(&ProposalView, &HunkView) -> anyhow::Result<Option<Ruling>>,
    fits: impl Fn(&HunkView) -> bool,
    most: usize,
    (json, checked): (bool, bool),
) -> anyhow::Result<(Ending, Option<Value>)> {
    let mut engine = opened::engine(paths)?;
    // Not moved onto the files as they are now: what the user did not see is not written.
    let proposals = engine.waiting()?;
    let named = match which {
        Which::All => None,
        Which::Group(key) => Some(told(grouped(&proposals, key), json)?),
        Which::Ids(ids) => Some(told(named(&proposals, ids, &fits), json)?),
    };
    let mut rulings: Vec<Ruling> = Vec::new();
    let mut programs = Programs::default();
    let mut held = HashSet::new();
    for proposal in &proposals {
        for hunk in &proposal.hunks {
            let is_meant = match &named {
                None => fits(hunk),
                Some(named) => named.contains(&hunk.id),
            };
            if !is_meant {
                continue;
            }
            if rulings.len() == most {
                bail!("one text is for one hunk; name it as ID#NUMBER");
            }
            match verdict(proposal, hunk)? {
                Some(ruling) => rulings.push(ruling),
                None => {
                    held.insert(hunk.id);
                    if let Some(why) = why_unnamed(proposal, hunk) {
                        programs.skip(proposal, hunk.id, why);
                    }
                }
            }
        }
    }
    let approves = rulings
        .iter()
        .any(|ruling| matches!(ruling.verdict, Verdict::Approve));
    if named.is_none() && approves {
        let unwritable = engine.unwritable(&held);
        held.extend(leave(&proposals, &unwritable, &mut rulings, &mut programs));
        // What it held before is nowhere if its half of a move is written and the other is not.
        let hunks = proposals.iter().flat_map(|own| &own.hunks);
        held.extend(
            hunks
                .filter(|hunk| is_in_conflict(hunk))
                .map(|hunk| hunk.id),
        );
    }
    if !held.is_empty() {
        let together = engine.held_together(&held);
        leave(&proposals, &together, &mut rulings, &mut programs);
    }
    let left = if checked {
        left_waiting(&proposals, &rulings)
    } else {
        None
    };
    let mut own_text = Vec::new();
    let decision = if rulings.is_empty() && !proposals.is_empty() {
        let conflicts = Conflicts::among(&proposals, &fits);
        let why = why_none(&programs, &conflicts, named.is_some());
        Decision::Refused { why }
    } else if let Some(why) = left {
        Decision::Refused { why }
    } else {
        own_text = alarms_of_own_text(&mut engine, &rulings)?;
        engine.decide(&rulings)?
    };
    // Where everything was meant, what is left is part of the answer.
    let left = match (&decision, &named) {
        (Decision::Done(_), None) => Conflicts::among(&engine.waiting()?, &fits),
        _ => Conflicts::default(),
    };
    let value = json.then(|| {
        let mut value = programs.beside(left.beside(value(&decision)));
        if !own_text.is_empty() {
            value["own_text"] = json!(own_text);
        }
        value
    });
    if value.is_none() {
        let own = match (&decision, &named) {
            (Decision::Done(_), Some(_)) => left_of_named(&mut engine, &rulings, &fits)?,
            _ => Conflicts::default(),
        };
        let is_done = matches!(decision, Decision::Done(_));
        let said = [
            Some(summary(&decision)),
            (!left.is_empty()).then(|| left.to_string()),
            (!own.is_empty()).then(|| own.to_string()),
            (is_done && !programs.is_empty()).then(|| programs.to_string()),
        ];
        let said: Vec<String> = said.into_iter().flatten().collect();
        out::line(&said.join("; ")).context(out::DONE_BUT)?;
    }
    let ending = if left.is_empty() && programs.is_empty() {
        ending(&decision)
    } else {
        Ending::NeedsUser
    };
    Ok((ending, value))
}

/// Returns why nothing that waits is decided on: what has to be named, and conflicts.
fn why_none(programs: &Programs, conflicts: &Conflicts, is_named: bool) -> String {
    // What is left may belong to a hunk in conflict, which is what there is to decide on.
    let tells_conflicts = programs.is_empty() || !is_named && !conflicts.is_empty();
    let why = [
        (!programs.is_empty()).then(|| programs.to_string()),
        tells_conflicts.then(|| conflicts.to_string()),
    ];
    let why: Vec<String> = why.into_iter().flatten().collect();
    why.join("; ")
}

/// Returns the conflicts that are left of proposals that were named.
fn left_of_named(
    engine: &mut Engine,
    rulings: &[Ruling],
    fits: impl Fn(&HunkView) -> bool,
) -> anyhow::Result<Conflicts> {
    let ruled: HashSet<ProposalId> = rulings.iter().map(|own| own.hunk.proposal).collect();
    let mut left = engine.waiting()?;
    left.retain(|proposal| ruled.contains(&proposal.id));
    Ok(Conflicts::among(&left, fits))
}

/// Returns what guards find in texts of the user's, which are written all the same, and says it on standard error.
fn alarms_of_own_text(
    engine: &mut Engine,
    rulings: &[Ruling],
) -> anyhow::Result<Vec<OwnTextAlarms>> {
    if !rulings
        .iter()
        .any(|ruling| matches!(ruling.verdict, Verdict::ApproveEdited { .. }))
    {
        return Ok(Vec::new());
    }
    let found = engine.own_text_alarms(rulings)?;
    for OwnTextAlarms { path, alarms } in &found {
        for alarm in alarms {
            out::remark(&format!("warning: your text in {path}: {alarm}"));
        }
    }
    Ok(found)
}

/// Takes the rulings on proposals out that are left for a reason; returns their hunks.
fn leave(
    proposals: &[ProposalView],
    reasons: &BTreeMap<ProposalId, String>,
    rulings: &mut Vec<Ruling>,
    programs: &mut Programs,
) -> Vec<HunkId> {
    let mut left = Vec::new();
    for proposal in proposals {
        let Some(why) = reasons.get(&proposal.id) else {
            continue;
        };
        for ruling in rulings.extract_if(.., |ruling| ruling.hunk.proposal == proposal.id) {
            programs.skip(proposal, ruling.hunk, why.clone());
            left.push(ruling.hunk);
        }
    }
    left
}

/// Returns why a hunk is written only if it is named, if it is: what runs its file, what it may lose, or that it is not
/// displayed.
pub(super) fn why_unnamed(proposal: &ProposalView, hunk: &HunkView) -> Option<String> {
    let undisplayed = hunk.undisplayed.as_ref().map(ToString::to_string);
    let reasons = [proposal.runs.clone(), proposal.held.clone(), undisplayed];
    let reasons: Vec<String> = reasons.into_iter().flatten().collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// Says which staged hunks would wait on, if any: the checks looked at them as well, and one may be what they passed by.
fn left_waiting(proposals: &[ProposalView], rulings: &[Ruling]) -> Option<String> {
    let ruled: HashSet<HunkId> = rulings.iter().map(|ruling| ruling.hunk).collect();
    let left = proposals
        .iter()
        .filter(|proposal| proposal.pending().any(|hunk| !ruled.contains(&hunk.id)));
    let left: Vec<String> = left
        .map(|proposal| {
            let id = proposal.id.to_string();
            let short = id.rsplit('-').next().unwrap_or(&id);
            format!("{} ({short})", proposal.path)
        })
        .collect();
    (!left.is_empty()).then(|| {
        format!(
            "the checks were of all that is staged, and {} would not be written: approve it by its id with the rest, or \
             deny it",
            left.join(", ")
        )
    })
}

/// Returns how a command ends with this decision.
pub(super) fn ending(decision: &Decision) -> Ending {
    match decision {
        Decision::Done(_) => Ending::Done,
        Decision::Changed { .. } | Decision::Elsewhere { .. } | Decision::Refused { .. } => {
            Ending::NeedsUser
        }
    }
}

/// Says as JSON, where that is asked for, that nothing waits that was named.
fn told(hunks: anyhow::Result<Vec<HunkId>>, json: bool) -> anyhow::Result<Vec<HunkId>> {
    if let Err(error) = hunks.as_ref()
        && json
    {
        let why = in_words(error);
        out::json(&value(&Decision::Refused { why }))?;
    }
    hunks
}

/// Returns the hunks of a group that do nothing else. A group is named after its first hunk: by a part of the id of its
/// proposal, with the hunk's number or without.
fn grouped(proposals: &[ProposalView], name: &str) -> anyhow::Result<Vec<HunkId>> {
    let (part, number) = match name.split_once('#') {
        Some((part, number)) => (part, Some(number)),
        None => (name, None),
    };
    let hunks = proposals.iter().flat_map(|proposal| &proposal.hunks);
    let groups = hunks.filter_map(|hunk| Some((hunk, hunk.group.as_ref()?)));
    let named: BTreeSet<&str> = groups
        .clone()
        .map(|(_, group)| group.key.as_str())
        .filter(|key| {
            let (proposal, first) = key.split_once('#').unwrap_or((key, ""));
            is_meant(proposal, part) && number.is_none_or(|number| number == first)
        })
        .collect();
    let mut names = named.into_iter();
    let key = match (names.next(), names.next()) {
        (Some(key), None) => key,
        (None, _) => bail!("no group {name} waits; `signoff review` lists them"),
        (Some(_), Some(_)) => bail!("{name} names several groups; give more of the id"),
    };
    let plain = groups.filter(|(_, group)| group.key == key && !group.outlier);
    Ok(plain.map(|(hunk, _)| hunk.id).collect())
}

/// Returns the hunks that `ids` name.
fn named(
    proposals: &[ProposalView],
    ids: &[String],
    fits: &dyn Fn(&HunkView) -> bool,
) -> anyhow::Result<Vec<HunkId>> {
    let mut hunks: Vec<HunkId> = Vec::new();
    for id in ids {
        let (prefix, number) = match id.split_once('#') {
            Some((prefix, number)) => {
                let read = number.parse::<u32>();
                (
                    prefix,
                    Some(read.with_context(|| format!("{id}: no number of a hunk after #"))?),
                )
            }
            None => (id.as_str(), None),
        };
        let matches: Vec<&ProposalView> = proposals
            .iter()
            .filter(|proposal| is_meant(&proposal.id.to_string(), prefix))
            .collect();
        let proposal = match matches.as_slice() {
            [one] => one,
            [] => bail!("no proposal {id} waits; `signoff review` lists them"),
            several => bail!(
                "{} proposals begin or end with {prefix}; give more of the id",
                several.len()
            ),
        };
        // Who names a hunk in conflict, or a proposal of which nothing else is left, means what it puts there; the engine
        // says why not, if so.
        let kinds: [&dyn Fn(&HunkView) -> bool; 3] = [fits, &is_takeable, &|hunk| {
            number.is_some() && is_in_conflict(hunk)
        }];
        let mut chosen: Vec<HunkId> = Vec::new();
        for is_kind in kinds {
            if chosen.is_empty() {
                let named = proposal.hunks.iter().map(|hunk| (hunk.id, hunk));
                let named = named.filter(|(id, _)| number.is_none_or(|number| id.number == number));
                chosen.extend(named.filter(|(_, hunk)| is_kind(hunk)).map(|(id, _)| id));
            }
        }
        if chosen.is_empty() {
            let why = if proposal.hunks.iter().any(is_in_conflict) {
                ": what is left of it is in conflict and can only be denied"
            } else {
                ""
            };
            return Err(anyhow!("nothing of {id} waits for this verdict{why}"));
        }
        hunks.extend(chosen);
    }
    hunks.sort_unstable();
    hunks.dedup();
    Ok(hunks)
}

fn is_pending(hunk: &HunkView) -> bool {
    hunk.status == HunkStatus::Pending
}

fn is_in_conflict(hunk: &HunkView) -> bool {
    matches!(hunk.status, HunkStatus::Conflict { .. })
}

fn is_takeable(hunk: &HunkView) -> bool {
    is_in_conflict(hunk) && hunk.takeable
}

/// Fewer characters of an id are a slip: `0` means whatever waits alone.
const FEWEST: usize = 4;

/// Ids of one payload begin alike and end differently.
pub(super) fn is_meant(id: &str, part: &str) -> bool {
    let part = part.to_lowercase();
    part.len() >= FEWEST && (id.starts_with(&part) || id.ends_with(&part))
}

/// Returns what became of rulings as one line.
pub(super) fn summary(decision: &Decision) -> String {
    match decision {
        Decision::Done(decided) => done(decided),
        Decision::Changed { hunks } => format!(
            "{} changed on disk since it was shown; nothing was written. The proposals were moved \
             onto the new text: look at `signoff review` and decide again",
            paths_of(hunks).join(", ")
        ),
        Decision::Elsewhere { hunks, others } => {
            let others = match others {
                0 => String::new(),
                others => format!(
                    "; {} not carried out: look at `signoff review` and decide again",
                    if *others == 1 {
                        "1 other verdict was".to_owned()
                    } else {
                        format!("{others} other verdicts were")
                    }
                ),
            };
            format!("{}{others}", decided_by_others(hunks).join("; "))
        }
        Decision::Refused { why } => format!("nothing was written: {why}"),
    }
}

fn count(decided: &Decided, state: HunkState) -> usize {
    let hunks = decided.hunks.iter();
    hunks.filter(|hunk| hunk.status.state() == state).count()
}

fn done(decided: &Decided) -> String {
    let mut parts = Vec::new();
    if !decided.committed.is_empty() {
        let files = decided.committed.iter().map(|(path, _)| {
            if decided.deleted.contains(path) {
                format!("deleted {path}")
            } else {
                path.clone()
            }
        });
        let files: Vec<String> = files.collect();
        parts.push(format!(
            "wrote {} ({})",
            counted(count(decided, HunkState::Committed), "hunk"),
            files.join(", ")
        ));
    }
    for (state, said) in [
        (HunkState::Denied, "denied"),
        (HunkState::Conflict, "left in conflict"),
    ] {
        let count = count(decided, state);
        if count > 0 {
            parts.push(format!("{said} {}", counted(count, "hunk")));
        }
    }
    if decided.pending > 0 {
        parts.push(format!(
            "{} still waiting",
            counted(decided.pending, "hunk")
        ));
    }
    parts.extend(decided.unkept.iter().cloned());
    if parts.is_empty() {
        "nothing waits for a verdict".to_owned()
    } else {
        parts.join("; ")
    }
}

/// Returns what became of rulings as JSON.
pub(super) fn value(decision: &Decision) -> Value {
    match decision {
        Decision::Done(decided) => {
            let hunks = decided.hunks.iter().map(outcome_value);
            let committed = decided.committed.iter();
            let committed = committed.map(|(path, version)| {
                let mut file = json!({"path": path, "version": version});
                if decided.deleted.contains(path) {
                    file["deleted"] = json!(true);
                }
                file
            });
            json!({
                "status": "done",
                "committed": committed.collect::<Vec<_>>(),
                "hunks": hunks.collect::<Vec<_>>(),
                "pending": decided.pending,
                "unkept": decided.unkept,
            })
        }
        Decision::Changed { hunks } => json!({"status": "moved", "paths": paths_of(hunks)}),
        Decision::Elsewhere { hunks, .. } => {
            let hunks = hunks.iter().map(outcome_value).collect::<Vec<_>>();
            json!({"status": "elsewhere", "hunks": hunks})
        }
        Decision::Refused { why } => json!({"status": "refused", "error": why}),
    }
}

fn outcome_value(outcome: &HunkOutcome) -> Value {
    json!({
        "id": outcome.hunk.to_string(),
        "path": outcome.path,
        "status": outcome.status.state().word(),
        "edited": matches!(outcome.status, HunkStatus::Edited { .. }),
    })
}
