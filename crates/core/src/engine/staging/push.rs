//! Pushing a planned payload on top of the stage: all of its changes or none.
//!
//! In: a draft. Out: proposals, with what is to be said of each; or, where a change cannot be done, nothing but the
//! answers why.

use super::answer::{Answer, FileAnswer, Status};
use super::denied_before::recognise;
use super::draft::{PayloadDraft, ReadyChange};
use super::propose::SubmittedPayload;
use super::replacing::{self, NOT_REWRITTEN};
use super::unplaced::Unplaced;
use crate::disk::workspace::WorkspacePath;
use crate::edit::guard::{self, Alarm, Guard};
use crate::edit::intent::Operation;
use crate::edit::plan::{Evidence, Part};
use crate::edit::request::{Change, Request};
use crate::edit::rule;
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;
use crate::id::{ChangesetId, HunkId, ProposalId};
use crate::stage::proposal::layer_kind::BesideText;
use crate::stage::proposal::rewritten::{Joined, join_rewritten};
use crate::stage::proposal::{Card, DESCRIPTION_CHARS};
use crate::syntax::SyntaxCache;

/// Maximum number of warnings shown on a review card.
const MAX_NOTES: usize = 3;

/// A payload of which all that can be staged is.
pub(super) struct Pushed {
    /// What became of it, but for the proposals as they are shown.
    pub(super) answer: Answer,
    /// The fresh proposals; none if nothing was to be staged.
    pub(super) proposals: Option<Vec<ProposalId>>,
}

/// Stages a draft if all of it can be; else keeps it for a question where it says only too little of one place.
pub(super) fn push(
    state: &mut WorkspaceState,
    syntax: &SyntaxCache,
    unplaced: &mut Unplaced,
    mut draft: PayloadDraft,
) -> Result<Pushed, EngineError> {
    replacing::refuse_elsewhere(&state.overlay.stage, &mut draft)?;
    let PayloadDraft {
        asked,
        parts,
        mut results,
        ready,
        held,
        ..
    } = draft;
    if !results.iter().all(|result| result.ok) {
        results.iter_mut().for_each(FileAnswer::hold_back);
        unplaced.note(state, &asked, &parts, &results)?;
        return Ok(Pushed::nothing(results));
    }
    if ready.is_empty() {
        return Ok(Pushed::nothing(results));
    }
    let fresh = ChangesetId((state.ambient.uuid)());
    let only = asked.only.as_deref();
    let replaced = only.and_then(|only| state.overlay.stage.proposal(only.first()?.proposal));
    let changeset = replaced.map(|own| own.changeset).or(asked.changeset);
    let changeset = changeset.unwrap_or(fresh);
    let payload = (&asked, parts.as_slice(), held.as_ref());
    let pushed = push_all(state, syntax, payload, ready, changeset, &mut results)?;
    let Some((ids, rewritten)) = pushed else {
        results.iter_mut().for_each(FileAnswer::hold_back);
        return Ok(Pushed::nothing(results));
    };
    unplaced.forget_files_of(&state.overlay, &asked);
    let staged = !ids.is_empty();
    Ok(Pushed {
        answer: Answer {
            rewritten,
            staged,
            changeset: staged.then_some(changeset),
            ..Answer::unstaged(results)
        },
        proposals: Some(ids),
    })
}

/// Fresh proposals, and the hunks that waited and are in them now.
type Fresh = (Vec<ProposalId>, Vec<HunkId>);

impl Pushed {
    fn nothing(results: Vec<FileAnswer>) -> Self {
        Self {
            answer: Answer::unstaged(results),
            proposals: None,
        }
    }
}

/// Stages the changes of a payload; returns the proposals, and the hunks that waited and are in them now. None where the
/// payload was to write hunks again and does not; nothing is staged then.
fn push_all(
    state: &mut WorkspaceState,
    syntax: &SyntaxCache,
    (asked, parts, held): (&SubmittedPayload, &[Part], Option<&String>),
    ready: Vec<ReadyChange>,
    changeset: ChangesetId,
    results: &mut [FileAnswer],
) -> Result<Option<Fresh>, EngineError> {
    let created = (state.ambient.now)();
    let mut paths: Vec<WorkspacePath> = Vec::new();
    let mut ids = Vec::new();
    let mut rewritten = Vec::new();
    let mut stage = state.overlay.stage.clone();
    let left: Vec<String> = results
        .iter()
        .filter(|result| result.status == Status::Left)
        .filter_map(|result| result.evidence.clone())
        .collect();
    for ReadyChange {
        at,
        path,
        operation,
        strategy,
        plan,
        to,
        ..
    } in ready
    {
        let id = ProposalId((state.ambient.uuid)());
        let (Some(Part { change, .. }), Some(result)) = (parts.get(at), results.get_mut(at)) else {
            continue;
        };
        let card = Card {
            operation,
            description: describe(change, operation),
            strategy,
            evidence: plan.evidence.how.clone(),
            matched: Some(plan.evidence.clone()).filter(Evidence::is_told),
            note: note(&result.warnings, &left),
            held: held.cloned().or_else(|| forbidden(&result.warnings)),
            created,
            origin: asked.origin.clone(),
        };
        let base = match stage.key_of(&path) {
            Some(_) => None,
            None => state
                .overlay
                .workspace
                .read(&path)?
                .map(|image| image.source),
        };
        let beside = BesideText {
            to,
            ..BesideText::default()
        };
        stage.push(&path, base, (id, changeset), card, (plan, beside))?;
        result.proposal = Some(id);
        result.status = Status::Staged;
        // Where there is no turn, a payload's changes are decided on one by one.
        let joined = match (&asked.only, asked.changeset) {
            (Some(only), _) => {
                let own: Vec<HunkId> = only.iter().copied().chain(stage.hunks_of(&ids)).collect();
                join_rewritten(&mut stage, id, Some(&own))?
            }
            (None, Some(_)) => join_rewritten(&mut stage, id, None)?,
            (None, None) => None,
        };
        if let Some(joined) = joined {
            if let Some(edits) = &joined.left {
                let texts = (joined.before.as_ref(), joined.after.as_ref());
                let alarms = guard::inspect(syntax, &path, texts.0, texts.1, edits, strategy);
                stage.note(id, note(&alarms, &left));
            }
            tell_joined(results, (at, id), &joined, &ids);
            rewritten.extend(joined.hunks);
            ids.retain(|own| !joined.closed.contains(own));
            ids.extend(joined.left.map(|_left| id));
        } else {
            ids.push(id);
        }
        paths.push(path);
    }
    if asked.only.is_some() && rewritten.is_empty() {
        let staged = results
            .iter_mut()
            .filter(|result| result.status == Status::Staged);
        staged.for_each(|result| {
            result.proposal = None;
            result.refuse(NOT_REWRITTEN);
        });
        return Ok(None);
    }
    recognise(&state.store, &mut stage, &ids)?;
    for proposal in stage.proposals.iter().filter(|p| ids.contains(&p.id)) {
        let own = results.iter_mut().find(|r| r.proposal == Some(proposal.id));
        own.into_iter().for_each(|own| own.note_denied(proposal));
    }
    let before = std::mem::replace(&mut state.overlay.stage, stage);
    let keys: Vec<WorkspacePath> = paths
        .iter()
        .filter_map(|path| state.overlay.stage.key_of(path))
        .cloned()
        .collect();
    if let Err(error) = state.save(&keys) {
        state.overlay.stage = before;
        return Err(error);
    }
    Ok(Some((ids, rewritten)))
}

/// Tells of the change at `at` what it was joined with. Changes of the same payload that it took all of are in its
/// proposal now.
fn tell_joined(
    results: &mut [FileAnswer],
    (at, id): (usize, ProposalId),
    joined: &Joined,
    all: &[ProposalId],
) {
    let proposal = joined.left.as_ref().map(|_left| id);
    for (index, result) in results.iter_mut().enumerate() {
        if index == at {
            let earlier = joined.with.iter().filter(|own| !all.contains(own));
            result.rewrites = earlier.copied().collect();
            result.proposal = proposal;
        } else if result
            .proposal
            .is_some_and(|own| joined.closed.contains(&own))
        {
            result.proposal = proposal;
        } else {
            continue;
        }
        if proposal.is_none() {
            result.status = Status::TakenBack;
        }
    }
}

/// Returns why a change is held that breaks rules, and is staged all the same as the user proposes it.
fn forbidden(warnings: &[Alarm]) -> Option<String> {
    let broken = warnings.iter().filter(|alarm| alarm.guard == Guard::Rule);
    let broken: Vec<&str> = broken.map(|alarm| alarm.message.as_str()).collect();
    (!broken.is_empty()).then(|| rule::forbidden(&broken.join("; ")))
}

/// Returns the line on the card that tells of warnings, but for those of rules, and of files that are left as they are.
fn note(warnings: &[Alarm], left: &[String]) -> Option<String> {
    let own = warnings.iter().filter(|alarm| alarm.guard != Guard::Rule);
    let all = own.map(Alarm::to_string).chain(left.iter().cloned());
    let count = all.clone().count();
    let lines: Vec<String> = all.take(MAX_NOTES).collect();
    match count.saturating_sub(lines.len()) {
        _ if lines.is_empty() => None,
        0 => Some(lines.join("; ")),
        more => Some(format!("{}; and {more} more", lines.join("; "))),
    }
}

/// Returns one line for the card: the model's own, or what the request amounts to.
fn describe(change: &Change, operation: Operation) -> String {
    let own = change.description.as_deref().unwrap_or_default();
    let own: String = own.split_whitespace().collect::<Vec<_>>().join(" ");
    if own.is_empty() {
        let how = match &change.request {
            Request::Recipe(_) => " by recipe".to_owned(),
            Request::Move { to } => format!(" to {to}"),
            _ => String::new(),
        };
        return format!("{operation} {}{how}", change.file);
    }
    own.chars().take(DESCRIPTION_CHARS).collect()
}
