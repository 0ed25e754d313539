//! `signoff approve` and `signoff deny`.
//!
//! In: ids of proposals or hunks. Out: files written, all or none, and what became of each.

use anyhow::{Context as _, anyhow, bail};
use serde_json::{Value, json};
use signoff_core::engine::{Decided, Decision, Engine};
use signoff_core::id::HunkId;
use signoff_core::review::{HunkStatus, HunkView, ProposalView, Ruling, Verdict};

use super::{Ending, out};
use crate::args::{ApproveArgs, DenyArgs};
use crate::place::Place;

/// Why all that is left cannot be approved.
const IN_CONFLICT: &str =
    "what is left is in conflict and can only be denied; `signoff review` says why";

pub(super) fn approve(place: &Place, args: &ApproveArgs) -> anyhow::Result<Ending> {
    let pending = |hunk: &HunkView| hunk.status == HunkStatus::Pending;
    rule(place, &args.ids, &Verdict::Approve, pending, args.json)
}

pub(super) fn deny(place: &Place, args: &DenyArgs) -> anyhow::Result<Ending> {
    let reason = args
        .reason
        .clone()
        .filter(|reason| !reason.trim().is_empty());
    let open = |hunk: &HunkView| {
        matches!(
            hunk.status,
            HunkStatus::Pending | HunkStatus::Conflict { .. }
        )
    };
    rule(place, &args.ids, &Verdict::Deny { reason }, open, args.json)
}

/// Approves everything that `proposals` hold; used after a turn without a terminal.
pub(super) fn approve_these(
    engine: &mut Engine,
    proposals: &[ProposalView],
) -> anyhow::Result<Decision> {
    let hunks = proposals.iter().flat_map(ProposalView::pending);
    let rulings: Vec<Ruling> = hunks
        .map(|hunk| Ruling {
            hunk: hunk.id,
            verdict: Verdict::Approve,
        })
        .collect();
    Ok(engine.decide(&rulings)?)
}

/// Rules on what `ids` name, or on everything where there are none.
fn rule(
    place: &Place,
    ids: &[String],
    verdict: &Verdict,
    fits: impl Fn(&HunkView) -> bool,
    json: bool,
) -> anyhow::Result<Ending> {
    let mut engine = place.engine()?;
    // Not moved onto the files as they are now: what the user did not see is not written.
    let proposals = engine.waiting()?;
    let hunks = match ids {
        [] => proposals
            .iter()
            .flat_map(|p| &p.hunks)
            .filter(|h| fits(h))
            .map(|h| h.id)
            .collect(),
        ids => named(&proposals, ids, &fits)?,
    };
    let rulings: Vec<Ruling> = hunks
        .into_iter()
        .map(|hunk| Ruling {
            hunk,
            verdict: verdict.clone(),
        })
        .collect();
    let decision = match rulings.is_empty() && !proposals.is_empty() {
        true => Decision::Refused {
            why: IN_CONFLICT.to_owned(),
        },
        false => engine.decide(&rulings)?,
    };
    if json {
        out::json(&value(&decision))?;
    } else {
        out::line(&summary(&decision))?;
    }
    Ok(match decision {
        Decision::Done(_) => Ending::Done,
        Decision::Moved { .. } | Decision::Refused { .. } => Ending::NeedsUser,
    })
}

/// Returns the hunks that `ids` name.
fn named(
    proposals: &[ProposalView],
    ids: &[String],
    fits: &impl Fn(&HunkView) -> bool,
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
            .filter(|proposal| !prefix.is_empty() && proposal.id.to_string().starts_with(prefix))
            .collect();
        let proposal = match matches.as_slice() {
            [one] => one,
            [] => bail!("no proposal {id} waits; `signoff review` lists them"),
            several => bail!(
                "{} proposals begin with {prefix}; give more of the id",
                several.len()
            ),
        };
        let chosen = proposal.hunks.iter().filter(|hunk| fits(hunk));
        let chosen: Vec<HunkId> = chosen
            .map(|hunk| hunk.id)
            .filter(|hunk| number.is_none_or(|number| hunk.number == number))
            .collect();
        if chosen.is_empty() {
            return Err(anyhow!("nothing of {id} waits for this verdict"));
        }
        hunks.extend(chosen);
    }
    hunks.sort_unstable();
    hunks.dedup();
    Ok(hunks)
}

/// Returns what became of rulings as one line.
pub(super) fn summary(decision: &Decision) -> String {
    match decision {
        Decision::Done(decided) => done(decided),
        Decision::Moved { paths } => format!(
            "{} changed on disk since it was shown; nothing was written. The proposals were moved \
             onto the new text: look at `signoff review` and decide again",
            paths.join(", ")
        ),
        Decision::Refused { why } => format!("nothing was written: {why}"),
    }
}

fn done(decided: &Decided) -> String {
    let count = |word: &str| {
        decided
            .hunks
            .iter()
            .filter(|hunk| hunk.status.word() == word)
            .count()
    };
    let mut parts = Vec::new();
    if !decided.committed.is_empty() {
        let files: Vec<&str> = decided
            .committed
            .iter()
            .map(|(path, _)| path.as_str())
            .collect();
        parts.push(format!(
            "wrote {} ({})",
            plural(count("committed"), "hunk"),
            files.join(", ")
        ));
    }
    for (word, said) in [("denied", "denied"), ("conflict", "left in conflict")] {
        if count(word) > 0 {
            parts.push(format!("{said} {}", plural(count(word), "hunk")));
        }
    }
    if decided.pending > 0 {
        parts.push(format!("{} still waiting", plural(decided.pending, "hunk")));
    }
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
            let hunks = decided.hunks.iter().map(|hunk| {
                json!({
                    "id": hunk.hunk.to_string(),
                    "path": hunk.path,
                    "status": hunk.status.word(),
                })
            });
            let committed = decided.committed.iter();
            let committed =
                committed.map(|(path, version)| json!({"path": path, "version": version}));
            json!({
                "status": "done",
                "committed": committed.collect::<Vec<_>>(),
                "hunks": hunks.collect::<Vec<_>>(),
                "pending": decided.pending,
            })
        }
        Decision::Moved { paths } => json!({"status": "moved", "paths": paths}),
        Decision::Refused { why } => json!({"status": "refused", "error": why}),
    }
}

fn plural(count: usize, what: &str) -> String {
    if count == 1 {
        format!("1 {what}")
    } else {
        format!("{count} {what}s")
    }
}
