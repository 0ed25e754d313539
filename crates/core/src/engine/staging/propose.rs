//! Staging a payload: all of its changes or none.
//!
//! In: changes, untrusted. Out: an [`Answer`], and proposals over the overlay. A later change
//! of the payload is planned on the text that an earlier one leaves.

use std::collections::HashSet;

use super::draft::{Draft, Ready, Site, Unplanned, rename};
use super::folder::without_files;
use super::moving::Destination;
use super::texts::Texts;
use crate::budget::Budget;
use crate::disk::workspace::{AccessError, WorkspacePath};
use crate::edit::guard::{self, Alarm};
use crate::edit::intent::Operation;
use crate::edit::plan::{self, Evidence, Outcome, Part};
use crate::edit::request::{Change, Payload, Rename, Request};
use crate::engine::{Answer, Decision, Engine, EngineError, FileAnswer, Status};
use crate::id::{ChangesetId, HunkId, ProposalId};
use crate::stage::proposal::layer_kind::BesideText;
use crate::stage::proposal::rewritten::Joined;
use crate::stage::proposal::{Card, DESCRIPTION_CHARS, Origin};
use crate::stage::review::ProposalView;
use crate::text::Source;

/// Maximum number of warnings shown on a review card.
const MAX_NOTES: usize = 3;

/// A payload and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The changes.
    pub payload: Payload,
    /// Where they come from.
    pub origin: Origin,
    /// The turn's changeset; a new one is made where there is none.
    pub changeset: Option<ChangesetId>,
}

/// What became of a payload that was planned beside the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum DraftEnd {
    /// It was staged, or the answer says why not.
    Answered(Answer),
    /// A text is another by now: what was asked is to be planned again.
    Outdated(Asked),
}

/// What a change is planned on.
enum SiteOutcome {
    Site(Site),
    /// It needs no planning: this becomes of it.
    Decided(Outcome),
}

/// What an answer is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Stage,
    Rehearse,
}

impl Engine {
    /// Stages every change of the payload, or none; files stay as they are.
    pub fn propose(&mut self, asked: Asked) -> Result<Answer, EngineError> {
        self.answer(asked, Purpose::Stage)
    }

    /// Answers as [`Self::propose`] would, and stages nothing.
    pub fn rehearse(&mut self, asked: Asked) -> Result<Answer, EngineError> {
        self.answer(asked, Purpose::Rehearse)
    }

    fn answer(&mut self, asked: Asked, purpose: Purpose) -> Result<Answer, EngineError> {
        let _lock = self.state.begin()?;
        let parts = self.spread(parts(&asked.payload.changes))?;
        let mut draft = Draft::new(asked, parts, Budget::default(), self.syntax.clone());
        while let Some(unplanned) = self.next_of(&mut draft)? {
            draft.plan(unplanned)?;
        }
        draft.check();
        self.answer_with(draft, purpose)
    }

    /// Begins to stage a payload. Its changes are planned while the engine is free for others: each
    /// that [`Self::next_change`] returns by [`Draft::plan`], then all by [`Draft::check`].
    pub fn begin_propose(&mut self, asked: Asked, budget: Budget) -> Result<Draft, EngineError> {
        let _lock = self.state.begin()?;
        let parts = self.spread(parts(&asked.payload.changes))?;
        Ok(Draft::new(asked, parts, budget, self.syntax.clone()))
    }

    /// Returns the next change of a payload that is to be planned, with its text as it is now.
    pub fn next_change(&mut self, draft: &mut Draft) -> Result<Option<Unplanned>, EngineError> {
        let _lock = self.state.begin()?;
        self.next_of(draft)
    }

    /// Stages what was planned, if all of it can be, and the texts are still those that it was
    /// planned on.
    pub fn end_propose(&mut self, draft: Draft) -> Result<DraftEnd, EngineError> {
        let _lock = self.state.begin()?;
        for (path, text) in &draft.read {
            if self.state.text(path)? != *text {
                return Ok(DraftEnd::Outdated(draft.asked));
            }
        }
        self.answer_with(draft, Purpose::Stage)
            .map(DraftEnd::Answered)
    }

    fn next_of(&mut self, draft: &mut Draft) -> Result<Option<Unplanned>, EngineError> {
        while let Some(Part { change, known }) = draft.part().cloned() {
            let found = match known {
                Some(outcome) => SiteOutcome::Decided(outcome),
                None => self.site(&change, &draft.texts)?,
            };
            match found {
                SiteOutcome::Site(site) => {
                    draft.note(&site);
                    let peers = self.peers(&change, draft)?;
                    return Ok(Some(Unplanned {
                        change,
                        site,
                        peers,
                    }));
                }
                SiteOutcome::Decided(outcome) => draft.known(&change, outcome),
            }
        }
        Ok(None)
    }

    /// Returns the files in which a payload renames what this change renames, the first time that
    /// they are asked for. What cannot be read is left to its own change.
    fn peers(
        &mut self,
        change: &Change,
        draft: &Draft,
    ) -> Result<Vec<(WorkspacePath, Source, Rename)>, EngineError> {
        let mut found = Vec::new();
        let mut change = change.clone();
        let Some(own) = rename(&mut change) else {
            return Ok(found);
        };
        if draft
            .renamed
            .contains_key(&(own.from.clone(), own.to.clone()))
        {
            return Ok(found);
        }
        for mut part in draft.parts.iter().map(|part| part.change.clone()) {
            let Some(request) = rename(&mut part) else {
                continue;
            };
            if (&request.from, &request.to) != (&own.from, &own.to) {
                continue;
            }
            let request = request.clone();
            let path = self.state.overlay.path(&part.file).ok();
            let source = path.as_ref().map(|path| self.text_in(path, &draft.texts));
            if let (Some(path), Some(Ok(Some(source)))) = (path, source) {
                found.push((path, source, request));
            }
        }
        // One file alone takes its names from no other.
        if found.len() > 1 {
            let crates = self.crates_around(found.iter().map(|(path, ..)| path));
            for (_, _, request) in &mut found {
                request.crates.clone_from(&crates);
            }
        }
        Ok(found)
    }

    fn answer_with(&mut self, draft: Draft, purpose: Purpose) -> Result<Answer, EngineError> {
        let Draft {
            asked,
            parts,
            mut results,
            ready,
            ..
        } = draft;
        let all_ok = results.iter().all(|result| result.ok);
        let mut answer = Answer {
            results: Vec::new(),
            staged: false,
            changeset: None,
            verify: None,
            written: false,
            rewritten: Vec::new(),
            proposals: Vec::new(),
        };
        if !all_ok {
            results.iter_mut().for_each(FileAnswer::hold_back);
            if purpose == Purpose::Stage {
                self.note_unplaced(&asked, &parts, &results)?;
            }
        } else if purpose == Purpose::Stage && !ready.is_empty() {
            let fresh = ChangesetId((self.state.ambient.uuid)());
            let changeset = asked.changeset.unwrap_or(fresh);
            let (ids, rewritten) = self.push_all(&asked, &parts, ready, changeset, &mut results)?;
            self.forget_unplaced(&asked);
            answer.rewritten = rewritten;
            answer.staged = !ids.is_empty();
            answer.changeset = answer.staged.then_some(changeset);
            let views = self.show().into_iter();
            answer.proposals = views.filter(|view| ids.contains(&view.id)).collect();
            answer.written =
                answer.staged && self.write_at_once(&answer.proposals, &mut results)?;
            answer.staged &= !answer.written;
        }
        answer.results = results;
        Ok(answer)
    }

    /// Writes fresh proposals where that is wanted and none of them has to be seen first; returns
    /// whether it did.
    pub(in crate::engine) fn write_at_once(
        &mut self,
        proposals: &[ProposalView],
        results: &mut [FileAnswer],
    ) -> Result<bool, EngineError> {
        if !self.write_through {
            return Ok(false);
        }
        let decision = self.approve_unseen_now(proposals)?;
        let written = matches!(decision, Decision::Done(_));
        let staged = results
            .iter_mut()
            .filter(|result| result.status == Status::Staged);
        if written {
            staged.for_each(|result| result.status = Status::Applied);
        }
        Ok(written)
    }

    /// Returns what a change is to be planned on, or why it must not be.
    fn site(&mut self, change: &Change, texts: &Texts) -> Result<SiteOutcome, EngineError> {
        let refused = |why: String| Ok(SiteOutcome::Decided(Outcome::Refused { why }));
        let path = match self.state.overlay.path(&change.file) {
            Ok(path) => path,
            Err(error) => return refused(error.to_string()),
        };
        if path == WorkspacePath::root() {
            let path = path.shown().to_owned();
            return refused(AccessError::IsFolder { path }.to_string());
        }
        let allowed = path.editable().map_err(AccessError::from);
        let on_disk = self.state.overlay.stage.key_of(&path).unwrap_or(&path);
        let moves = matches!(change.request, Request::Move { .. });
        match allowed.and_then(|()| self.state.overlay.workspace.check_writable(on_disk)) {
            Err(AccessError::IsFolder { .. }) if moves => return refused(without_files(&path)),
            Err(error) => return refused(error.to_string()),
            Ok(()) => {}
        }
        let text = match self.text_in(&path, texts) {
            Ok(text) => text,
            Err(EngineError::Access(error)) => return refused(error.to_string()),
            Err(error) => return Err(error),
        };
        if text.is_none()
            && let Some(why) = self.in_the_way(&path, texts)
        {
            return refused(why);
        }
        let to = match self.destination(&path, change, texts)? {
            Destination::Unmoved => None,
            Destination::To(to) => Some(to),
            Destination::Decided(outcome) => return Ok(SiteOutcome::Decided(outcome)),
        };
        let gone = texts.get(&path).and_then(|text| text.to.as_ref());
        if let Some(name) = gone.or(self.state.overlay.stage.vacated(&path)) {
            return refused(format!(
                "{path} is moved to {name} by a change that waits; edit {name}"
            ));
        }
        Ok(SiteOutcome::Site(Site { path, text, to }))
    }

    fn push_all(
        &mut self,
        asked: &Asked,
        parts: &[Part],
        ready: Vec<Ready>,
        changeset: ChangesetId,
        results: &mut [FileAnswer],
    ) -> Result<(Vec<ProposalId>, Vec<HunkId>), EngineError> {
        let created = (self.state.ambient.now)();
        let mut paths: Vec<WorkspacePath> = Vec::new();
        let mut ids = Vec::new();
        let mut rewritten = Vec::new();
        let mut stage = self.state.overlay.stage.clone();
        let left = results
            .iter()
            .filter(|result| result.status == Status::Left);
        let left: Vec<String> = left.filter_map(|result| result.evidence.clone()).collect();
        for Ready {
            at,
            path,
            operation,
            strategy,
            plan,
            to,
            ..
        } in ready
        {
            let id = ProposalId((self.state.ambient.uuid)());
            let (Some(Part { change, .. }), Some(result)) = (parts.get(at), results.get_mut(at))
            else {
                continue;
            };
            let card = Card {
                operation,
                description: describe(change, operation),
                strategy,
                evidence: plan.evidence.how.clone(),
                matched: Some(plan.evidence.clone()).filter(Evidence::is_told),
                note: note(&result.warnings, &left),
                held: None,
                created,
                origin: asked.origin.clone(),
            };
            let base = match stage.key_of(&path) {
                Some(_) => None,
                None => self
                    .state
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
            let joined = match asked.changeset {
                Some(_) => stage.join_rewritten(id)?,
                None => None,
            };
            if let Some(joined) = joined {
                if let Some(edits) = &joined.left {
                    let texts = (joined.before.as_ref(), joined.after.as_ref());
                    let alarms =
                        guard::inspect(&self.syntax, &path, texts.0, texts.1, edits, strategy);
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
        self.recognise(&mut stage, &ids)?;
        for proposal in stage.proposals.iter().filter(|p| ids.contains(&p.id)) {
            let own = results.iter_mut().find(|r| r.proposal == Some(proposal.id));
            own.into_iter().for_each(|own| own.note_denied(proposal));
        }
        let before = std::mem::replace(&mut self.state.overlay.stage, stage);
        let keys = paths
            .iter()
            .filter_map(|path| self.state.overlay.stage.key_of(path));
        let keys: Vec<WorkspacePath> = keys.cloned().collect();
        if let Err(error) = self.state.save(&keys) {
            self.state.overlay.stage = before;
            return Err(error);
        }
        Ok((ids, rewritten))
    }
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

/// Takes patches for several files apart. Where a payload gives such a patch once for each of
/// its files, each part is made once.
fn parts(changes: &[Change]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut known: HashSet<(String, String)> = HashSet::new();
    for change in changes {
        let mut own = plan::parts(change.clone());
        if own.len() > 1 {
            for part in &mut own {
                let Request::Unified(patch) = &part.change.request else {
                    continue;
                };
                if !known.insert((part.change.file.clone(), patch.clone())) {
                    part.known = Some(Outcome::AlreadyApplied {
                        why: "an earlier change of this request is the same".into(),
                    });
                }
            }
        }
        parts.extend(own);
    }
    parts
}

/// Returns the line on the card that tells of warnings, and of files that are left as they are.
fn note(warnings: &[Alarm], left: &[String]) -> Option<String> {
    let all = warnings.iter().map(Alarm::to_string);
    let all = all.chain(left.iter().cloned());
    let lines: Vec<String> = all.take(MAX_NOTES).collect();
    let count = warnings.len() + left.len();
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

impl Answer {
    /// Returns whether every change is, or will be on approval, as asked.
    pub fn is_ok(&self) -> bool {
        self.results.iter().all(|result| result.ok)
    }

    /// Returns whether any change needs the user: it is ambiguous or refused.
    pub fn needs_user(&self) -> bool {
        let needs =
            |result: &FileAnswer| matches!(result.status, Status::Ambiguous | Status::Refused);
        self.results.iter().any(needs)
    }
}
