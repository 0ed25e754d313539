//! `signoff review`: what waits for a verdict.
//!
//! In: the store. Out: proposals with their diffs, as text or JSON.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use serde_json::{Value, json};
use signoff_core::edit::diff::line::DiffLine;
use signoff_core::engine::{Engine, decided_by_others};
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::plural;
use signoff_core::stage::review::critique::{CommentPlace, Critique, PlacedComment};
use signoff_core::stage::review::{HunkStatus, HunkView, ModeChange, ProposalEffect, ProposalView};
use signoff_review::review::words::{deed, place};
use signoff_setup::clock::moment;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_tui::error_text::in_words;
use signoff_tui::state_files::marks::MarksFile;

use super::commits::Commits;
use super::hunk_lines::{diff_lines, your_lines};
use super::pager::Pages;
use super::verdict::why_unnamed;
use super::{Ending, out, patch};
use crate::args::ReviewArgs;
use crate::configuration;

pub(super) fn run(paths: &Paths, args: &ReviewArgs) -> anyhow::Result<Ending> {
    if args.patch {
        return patch::run(paths);
    }
    let mut engine = opened::as_it_is(paths)?;
    let waited = engine.unshown()?;
    let proposals = engine.review()?;
    remark_on_gone(&mut engine, &waited)?;
    let commits = Commits::recovered(paths)?;
    let critique = critique(paths);
    if args.json {
        let shown = proposals
            .iter()
            .map(|own| ListedEntry::Proposal(shown_with(own, &critique)));
        out::json_list(shown.chain(commits.values().map(ListedEntry::Commit)))?;
    } else if proposals.is_empty() && commits.is_empty() {
        out::line("nothing waits for a verdict")?;
    } else {
        let mut pages = Pages::new();
        proposals
            .iter()
            .for_each(|proposal| print(proposal, &critique, &mut pages));
        print_groups(&proposals, &mut pages);
        commits.print(&mut pages);
        pages.show(&configuration::user_shell(paths))?;
    }
    Ok(Ending::Done)
}

/// Says which hunks do not wait any more since the look at the files, as these have their lines already.
fn remark_on_gone(engine: &mut Engine, waited: &[ProposalView]) -> anyhow::Result<()> {
    let ids: Vec<ProposalId> = waited.iter().map(|proposal| proposal.id).collect();
    let open = waited.iter().flat_map(|proposal| &proposal.hunks);
    let open: HashSet<HunkId> = (open.filter(|hunk| hunk.status.is_open()))
        .map(|hunk| hunk.id)
        .collect();
    let mut hunks = engine.outcomes(&ids, &[])?.hunks;
    hunks.retain(|outcome| open.contains(&outcome.hunk));
    decided_by_others(&hunks)
        .iter()
        .for_each(|line| out::remark(line));
    Ok(())
}

/// Returns what the review agent says of hunks that wait; nothing where that cannot be read.
pub(super) fn critique(paths: &Paths) -> Critique {
    match MarksFile::new(&paths.store).load() {
        Ok(kept) => kept.critique().clone(),
        Err(error) => {
            out::remark(&format!(
                "comments of the review agent are left out: {}",
                in_words(&error)
            ));
            Critique::default()
        }
    }
}

/// What waits, as other programs read it.
#[derive(Serialize)]
#[serde(untagged)]
enum ListedEntry<'a> {
    Proposal(Shown<'a>),
    Commit(Value),
}

/// A proposal as other programs read it.
#[derive(Serialize)]
pub(super) struct Shown<'a> {
    #[serde(flatten)]
    head: Value,
    hunks: Vec<ShownHunk<'a>>,
}

/// A hunk as other programs read it. Its lines are written as they are: of a large file they are
/// hundreds of thousands.
#[derive(Serialize)]
struct ShownHunk<'a> {
    #[serde(flatten)]
    head: Value,
    /// Lines as in events; empty once it is decided, in a conflict as it last applied.
    lines: &'a [DiffLine],
    /// Your lines in the place of a hunk in conflict.
    yours: &'a [String],
    /// What `approve --with` puts another text in place of.
    new_text: String,
}

/// Returns a proposal as other programs read it, in which the review agent says nothing.
pub(super) fn shown(proposal: &ProposalView) -> Shown<'_> {
    shown_with(proposal, &Critique::default())
}

/// Returns a proposal as other programs read it.
fn shown_with<'a>(proposal: &'a ProposalView, critique: &Critique) -> Shown<'a> {
    let head = json!({
        // Identity. Stable.
        "id": proposal.id,
        // What it belongs to.
        "changeset": proposal.changeset,
        // The file. Stable.
        "path": proposal.path,
        // Where a `move` goes; or null. Stable.
        "to": proposal.to,
        // What happens to the file. Stable.
        "operation": proposal.operation,
        // One line, in the model's words. Stable.
        "description": proposal.description,
        // `pending` while a hunk waits, else `committed` if one was written, `conflict` or `denied`. Stable.
        "status": proposal.state().word(),
        // How it was made.
        "strategy": proposal.strategy,
        // How the place was found.
        "evidence": proposal.evidence,
        // Something to know; or null.
        "note": proposal.note,
        // What runs or obeys the file; or null.
        "runs": proposal.runs,
        // Why `approve --all` leaves it; or null.
        "held": proposal.held,
        // What it writes beside its lines, where that changes: `mode` (`from`, `to`), `line_ends` (`to_crlf`,
        // `to_lf`, `new_crlf`, `new_lf`), `encoding` (`from`, `to`), `byte_order_mark`; `loosens`; `told`, a
        // sentence for each.
        "effect": effect(&proposal.effect),
        // Who proposed it, as in history.
        "proposer": proposal.proposer,
        // When it was staged.
        "created": moment(proposal.created),
    });
    Shown {
        head,
        hunks: proposal
            .hunks
            .iter()
            .map(|hunk| shown_hunk(hunk, critique))
            .collect(),
    }
}

/// Returns what a proposal writes beside its lines, with the sentences that people read.
pub(super) fn effect(effect: &ProposalEffect) -> Value {
    let mut shown = json!(effect);
    if let Some(parts) = shown.as_object_mut() {
        parts.insert("told".to_owned(), json!(effect.told()));
        let loosens = effect.mode.is_some_and(ModeChange::loosens);
        parts.insert("loosens".to_owned(), json!(loosens));
    }
    shown
}

fn shown_hunk<'a>(hunk: &'a HunkView, critique: &Critique) -> ShownHunk<'a> {
    let head = json!({
        // `PROPOSAL#NUMBER`. Stable.
        "id": hunk.id.to_string(),
        // `@@ -1,3 +1,3 @@ enclosing line`. Stable.
        "header": hunk.header,
        // `pending`, `committed`, `denied`, `replaced`, `in_file` (you put the same lines there) or `conflict`. Stable.
        "status": hunk.status.state().word(),
        // Why it is denied or in conflict; or null.
        "reason": reason(hunk),
        // `reason` and `time`, if you denied the same lines in this file; else null.
        "denied_before": hunk.denied_before.as_ref().map(|denied| {
            json!({"reason": denied.reason, "time": moment(denied.time)})
        }),
        // Of other people: `verdict` (`approve`, `edit`, `deny`, `withdraw`), `reason`, `by` (`name`, `email`, `key`), `offer`, `time`, and
        // `counts`: whether it is about the hunk as it waits, and `lacks_key`: true where it only lacks the key that is wanted.
        "verdicts": hunk.verdicts,
        // `key`, `rewrite` and `outlier`, if others make the same rewrite; else null.
        "group": hunk.group,
        // `{"is":"layout"}`, `{"is":"renamed","from","to"}`, `{"is":"moved","with","path","line","lines"}`; or null.
        "proof": hunk.proof,
        // Of the review agent: `severity`, `line` or null, `text`, `earlier_text`.
        "comments": critique.on(hunk).iter().map(shown_comment).collect::<Vec<_>>(),
        // Lines added.
        "added": hunk.added,
        // Lines removed.
        "removed": hunk.removed,
        // Of a hunk that is not displayed: `why` (`too_large`, `long_list`), `old` and `new`: `lines`, `bytes`,
        // `sha256`, or null; else null.
        "undisplayed": hunk.undisplayed,
    });
    ShownHunk {
        head,
        lines: &hunk.lines,
        yours: &hunk.yours,
        new_text: hunk.new_text(),
    }
}

fn shown_comment(placed: &PlacedComment<'_>) -> Value {
    let line = match placed.place {
        CommentPlace::Line { number, .. } => Some(number),
        CommentPlace::Hunk | CommentPlace::EarlierText => None,
    };
    json!({
        "severity": placed.comment.severity,
        "line": line,
        "text": placed.comment.text,
        "earlier_text": placed.place == CommentPlace::EarlierText,
    })
}

/// Returns what the review agent says of a hunk, a line each.
pub(super) fn comment_lines(critique: &Critique, hunk: &HunkView) -> Vec<String> {
    let lines = critique.on(hunk).into_iter().map(|placed| {
        let severity = placed.comment.severity;
        let place = match placed.place {
            CommentPlace::Line { number, .. } => format!(" at line {number}"),
            CommentPlace::Hunk => String::new(),
            CommentPlace::EarlierText => " of an earlier text".to_owned(),
        };
        format!("review agent, {severity}{place}: {}", placed.comment.text)
    });
    lines.collect()
}

fn reason(hunk: &HunkView) -> Option<&str> {
    match &hunk.status {
        HunkStatus::Denied { reason } => reason.as_deref(),
        HunkStatus::Conflict { reason } => Some(reason),
        HunkStatus::Pending
        | HunkStatus::Committed
        | HunkStatus::Edited { .. }
        | HunkStatus::Replaced { .. }
        | HunkStatus::InFile
        | HunkStatus::Rewritten { .. } => None,
    }
}

/// Letters of a proposal's id by which `review` names a group: its end, since those of one payload begin alike.
const GROUP_ID: usize = 8;

/// Prints the rewrites that several hunks make, each named after the first hunk that makes it.
fn print_groups(proposals: &[ProposalView], pages: &mut Pages) {
    let mut groups: BTreeMap<&str, (&str, [usize; 2], Vec<String>)> = BTreeMap::new();
    let hunks = proposals
        .iter()
        .flat_map(|proposal| proposal.hunks.iter().map(move |hunk| (proposal, hunk)));
    for (proposal, hunk) in hunks {
        let Some(group) = &hunk.group else { continue };
        let own = groups.entry(&group.key);
        let (_, [count, left], outliers) = own.or_insert((&group.rewrite, [0, 0], Vec::new()));
        if group.outlier {
            outliers.push(hunk.id.to_string());
        } else {
            *count += 1;
            *left += usize::from(why_unnamed(proposal, hunk).is_some());
        }
    }
    let keys: Vec<&str> = groups.keys().copied().collect();
    for (key, (rewrite, [count, left], outliers)) in groups {
        let key = group_name(key, &keys);
        pages.line(&format!(
            "group {key}: {rewrite} in {}; `signoff approve --group {key}` writes {}",
            plural::counted(count, "hunk"),
            written_of_group(count, left)
        ));
        for outlier in outliers {
            pages.line(&format!("  {outlier} does it too, and something else"));
        }
    }
}

/// Says how many of the hunks of a group are written where the group is approved, of which some are held back.
fn written_of_group(count: usize, left: usize) -> String {
    match (count, count.saturating_sub(left)) {
        (1, 1) => "it".to_owned(),
        (_, 0) => "none of it, and says why".to_owned(),
        (_, written) if left > 0 => format!("{written}, and says why not the others"),
        _ => "them".to_owned(),
    }
}

/// Returns the end of a group's key, or all of it where several of `keys` end in the same.
fn group_name(key: &str, keys: &[&str]) -> String {
    let Some((proposal, number)) = key.split_once('#') else {
        return key.to_owned();
    };
    let cut = proposal.len().saturating_sub(GROUP_ID);
    let short = format!("{}#{number}", proposal.get(cut..).unwrap_or(proposal));
    let is_sole = keys.iter().filter(|other| other.ends_with(&short)).count() == 1;
    if is_sole { short } else { key.to_owned() }
}

/// Returns that the user denied the same as a hunk before, and why, if they did.
pub(super) fn denied_before(hunk: &HunkView) -> Option<String> {
    let denied = hunk.denied_before.as_ref()?;
    let why = denied.reason.as_deref();
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    Some(format!("you denied this before{why}"))
}

fn print(proposal: &ProposalView, critique: &Critique, pages: &mut Pages) {
    let to = proposal.to.as_ref().map(|to| format!(" to {to}"));
    pages.head(&format!(
        "{} {}{}  {}",
        deed(proposal.operation),
        proposal.path,
        to.unwrap_or_default(),
        proposal.description
    ));
    pages.line(&format!("  {}", proposal.id));
    if proposal.proposer.is_named() {
        pages.line(&format!("  proposed by {}", proposal.proposer));
    }
    if let Some(placed) = &proposal.placed {
        pages.line(&format!("  {placed}"));
    }
    if let Some(note) = &proposal.note {
        pages.line(&format!("  note: {note}"));
    }
    for hunk in &proposal.hunks {
        let why = reason(hunk)
            .map(|reason| format!(": {reason}"))
            .unwrap_or_default();
        pages.line(&format!(
            "  #{} {}{why}",
            hunk.id.number,
            hunk.status.state().word()
        ));
        if let Some(denied) = denied_before(hunk) {
            pages.line(&format!("  {denied}"));
        }
        for verdict in &hunk.verdicts {
            pages.line(&format!("  {verdict}"));
        }
        pages.diff_line(place(&hunk.header));
        diff_lines(&hunk.lines)
            .iter()
            .for_each(|line| pages.diff_line(line));
        your_lines(&hunk.yours)
            .iter()
            .for_each(|line| pages.line(line));
        comment_lines(critique, hunk)
            .iter()
            .for_each(|line| pages.line(&format!("  {line}")));
    }
    pages.line("");
}
