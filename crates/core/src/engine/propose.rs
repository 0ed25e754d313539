//! Staging a payload: all of its changes or none.
//!
//! In: changes, untrusted. Out: an [`Answer`], and proposals over the overlay. A later change
//! of the payload is planned on the text that an earlier one leaves.

use std::collections::{BTreeMap, HashSet};

use super::answer::NOT_RUN;
use super::folder::without_files;
use super::texts::Texts;
use super::{Answer, Decision, Engine, EngineError, FileAnswer, Status};
use crate::guard::{self, Alarm};
use crate::id::{ChangesetId, ProposalId};
use crate::intent::Operation;
use crate::plan::{self, Attempted, Evidence, Outcome, Part, Plan, Presence, Strategy};
use crate::proposal::{Card, Origin};
use crate::request::{Change, Payload, Request};
use crate::review::ProposalView;
use crate::text::{EditSet, Source};
use crate::workspace::{AccessError, MAX_FILE_BYTES, WorkspacePath};

/// Lines of a description that are kept, in characters.
const DESCRIPTION_CHARS: usize = 200;

/// So many warnings are told on a card.
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

/// A change that can be staged.
struct Ready {
    at: usize,
    path: WorkspacePath,
    operation: Operation,
    strategy: Strategy,
    plan: Plan,
    to: Option<WorkspacePath>,
}

/// A change that may be planned: its file, the text to plan it on, and where the file goes.
struct Site {
    path: WorkspacePath,
    text: Option<Source>,
    to: Option<WorkspacePath>,
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
        let _lock = self.begin()?;
        let parts = self.spread(parts(&asked.payload.changes))?;
        let (mut results, ready) = self.plan_all(&parts)?;
        let checks = &asked.payload.verify;
        let all_ok = results.iter().all(|result| result.ok);
        let mut answer = Answer {
            results: Vec::new(),
            staged: false,
            changeset: None,
            verify: (!checks.is_empty()).then(|| NOT_RUN.to_owned()),
            written: false,
            proposals: Vec::new(),
        };
        if !all_ok {
            results.iter_mut().for_each(FileAnswer::hold_back);
        } else if purpose == Purpose::Stage && !ready.is_empty() {
            let fresh = ChangesetId((self.ambient.uuid)());
            let changeset = asked.changeset.unwrap_or(fresh);
            let ids = self.push_all((&asked.origin, &parts), ready, changeset, &mut results)?;
            answer.staged = true;
            answer.changeset = Some(changeset);
            let views = self.show().into_iter();
            answer.proposals = views.filter(|view| ids.contains(&view.id)).collect();
            answer.written = self.write_at_once(&answer.proposals, &mut results)?;
            answer.staged = !answer.written;
        }
        results
            .iter_mut()
            .for_each(|result| result.note_unchecked(checks));
        answer.results = results;
        Ok(answer)
    }

    /// Writes fresh proposals where that is wanted and none of them has to be seen first; returns
    /// whether it did.
    fn write_at_once(
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

    /// Plans every change, each on what the ones before it leave.
    fn plan_all(&mut self, parts: &[Part]) -> Result<(Vec<FileAnswer>, Vec<Ready>), EngineError> {
        let mut texts = Texts::default();
        let mut results = Vec::with_capacity(parts.len());
        let mut ready = Vec::new();
        for (at, Part { change, known }) in parts.iter().enumerate() {
            let (site, attempted) = match known {
                Some(outcome) => (None, attempted(change, outcome.clone())),
                None => self.plan_one(change, &mut texts)?,
            };
            let strategy = attempted.strategy;
            results.push(FileAnswer::of(&change.file, &attempted));
            if let (Some(Site { path, to, .. }), Outcome::Planned(plan)) = (site, attempted.outcome)
            {
                let operation = match to {
                    Some(_) => Operation::Move,
                    None => operation(&plan, strategy),
                };
                ready.push(Ready {
                    at,
                    path,
                    operation,
                    strategy,
                    plan,
                    to,
                });
            }
        }
        guard_all(&texts, &ready, &mut results);
        Ok((results, ready))
    }

    /// Plans a change, and notes what it leaves of its file.
    fn plan_one(
        &mut self,
        change: &Change,
        texts: &mut Texts,
    ) -> Result<(Option<Site>, Attempted), EngineError> {
        let site = match self.site(change, texts)? {
            Ok(site) => site,
            Err(outcome) => return Ok((None, attempted(change, outcome))),
        };
        let mut attempted = plan::attempt(&site.path, site.text.as_ref(), change);
        if let Outcome::Planned(plan) = &attempted.outcome {
            match &site.to {
                Some(to) => texts.moved(&site.path, site.text.as_ref(), to),
                None => match after(&site, plan)? {
                    Ok(now) => texts.edited(&site.path, site.text.as_ref(), now),
                    Err(outcome) => attempted.outcome = outcome,
                },
            }
        }
        Ok((Some(site), attempted))
    }

    /// Returns what a change is to be planned on, or why it must not be.
    fn site(
        &mut self,
        change: &Change,
        texts: &Texts,
    ) -> Result<Result<Site, Outcome>, EngineError> {
        let refused = |why: String| Ok(Err(Outcome::Refused { why }));
        let path = match self.path(&change.file) {
            Ok(path) => path,
            Err(error) => return refused(error.to_string()),
        };
        if path == WorkspacePath::root() {
            let path = path.shown().to_owned();
            return refused(AccessError::IsFolder { path }.to_string());
        }
        let allowed = path.editable().map_err(AccessError::from);
        let on_disk = self.stage.key_of(&path).unwrap_or(&path);
        let moves = matches!(change.request, Request::Move { .. });
        match allowed.and_then(|()| self.workspace.check_writable(on_disk)) {
            Err(AccessError::IsFolder { .. }) if moves => return refused(without_files(&path)),
            Err(error) => return refused(error.to_string()),
            Ok(()) => {}
        }
        let text = match self.text_in(&path, texts) {
            Ok(text) => text,
            Err(EngineError::Access(error)) => return refused(error.to_string()),
            Err(error) => return Err(error),
        };
        let to = match self.destination(&path, change, texts)? {
            Ok(to) => to,
            Err(outcome) => return Ok(Err(outcome)),
        };
        let gone = texts.get(&path).and_then(|text| text.to.as_ref());
        if let Some(name) = gone.or(self.stage.vacated(&path)) {
            return refused(format!(
                "{path} is moved to {name} by a change that waits; edit {name}"
            ));
        }
        Ok(Ok(Site { path, text, to }))
    }

    fn push_all(
        &mut self,
        (origin, parts): (&Origin, &[Part]),
        ready: Vec<Ready>,
        changeset: ChangesetId,
        results: &mut [FileAnswer],
    ) -> Result<Vec<ProposalId>, EngineError> {
        let created = (self.ambient.now)();
        let mut paths: Vec<WorkspacePath> = Vec::new();
        let mut ids = Vec::new();
        let mut stage = self.stage.clone();
        for Ready {
            at,
            path,
            operation,
            strategy,
            plan,
            to,
        } in ready
        {
            let id = ProposalId((self.ambient.uuid)());
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
                note: note(&result.warnings),
                created,
                origin: origin.clone(),
            };
            let base = match stage.key_of(&path) {
                Some(_) => None,
                None => self.workspace.read(&path)?.map(|image| image.source),
            };
            stage.push(&path, base, (id, changeset), card, (plan, to))?;
            result.proposal = Some(id);
            result.status = Status::Staged;
            ids.push(id);
            paths.push(path);
        }
        self.recognise(&mut stage, &ids)?;
        for proposal in stage.proposals.iter().filter(|p| ids.contains(&p.id)) {
            let own = results.iter_mut().find(|r| r.proposal == Some(proposal.id));
            own.into_iter().for_each(|own| own.note_denied(proposal));
        }
        let before = std::mem::replace(&mut self.stage, stage);
        let keys = paths.iter().filter_map(|path| self.stage.key_of(path));
        let keys: Vec<WorkspacePath> = keys.cloned().collect();
        if let Err(error) = self.save(&keys) {
            self.stage = before;
            return Err(error);
        }
        Ok(ids)
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

/// Returns the text that a plan leaves, if any, or why it cannot be kept in a file.
fn after(
    Site { path, text, .. }: &Site,
    plan: &Plan,
) -> Result<Result<Option<Source>, Outcome>, EngineError> {
    let refused = |why: String| Ok(Err(Outcome::Refused { why }));
    let bytes = plan
        .edits
        .apply(text.as_ref().map_or(&[][..], Source::bytes))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return refused(format!(
            "{path} would have {} bytes; the limit is {MAX_FILE_BYTES}",
            bytes.len()
        ));
    }
    if plan.presence == Presence::Deleted {
        return Ok(Ok(None));
    }
    let now = match text {
        Some(text) => text.with_bytes(bytes),
        None => Source::new(bytes),
    };
    match now.encoded() {
        Some(_) => Ok(Ok(Some(now))),
        None => refused(format!(
            "{path} is in {}, which does not have all characters of the new text",
            now.encoding()
        )),
    }
}

fn attempted(change: &Change, outcome: Outcome) -> Attempted {
    Attempted {
        outcome,
        strategy: change.request.strategy(),
        others: Vec::new(),
    }
}

/// Lets the guards look at what all changes together make of each file: one of them may break
/// what a later one mends. Alarms go to the last change of their file.
fn guard_all(texts: &Texts, ready: &[Ready], results: &mut [FileAnswer]) {
    let mut by_path: BTreeMap<&WorkspacePath, Vec<&Ready>> = BTreeMap::new();
    for change in ready {
        match &change.to {
            // What was done to the file before it was moved is looked at where it goes.
            Some(to) => {
                let own = by_path.remove(&change.path).unwrap_or_default();
                by_path.entry(to).or_default().extend(own);
            }
            None => by_path.entry(&change.path).or_default().push(change),
        }
    }
    for (path, changes) in by_path {
        let (Some(text), Some((first, rest))) = (texts.get(path), changes.split_first()) else {
            continue;
        };
        let (mut last, mut edits) = (first.at, first.plan.edits.clone());
        for change in rest {
            last = change.at;
            edits = edits.compose(&change.plan.edits).unwrap_or_else(|_misfit| {
                let bytes = |text: &Option<Source>| text.clone().unwrap_or(Source::new(""));
                EditSet::between(bytes(&text.first).bytes(), bytes(&text.now).bytes())
            });
        }
        let Some(result) = results.get_mut(last) else {
            continue;
        };
        let strategy = result.strategy_used;
        let alarms = guard::inspect(
            path,
            text.first.as_ref(),
            text.now.as_ref(),
            &edits,
            strategy,
        );
        if let Some(why) = guard::refusal(&alarms) {
            result.refuse(&why);
        }
        result.note_alarms(alarms);
    }
}

/// Returns the line on the card that tells of warnings.
fn note(warnings: &[Alarm]) -> Option<String> {
    let lines: Vec<String> = warnings
        .iter()
        .take(MAX_NOTES)
        .map(Alarm::to_string)
        .collect();
    match warnings.len().saturating_sub(lines.len()) {
        _ if lines.is_empty() => None,
        0 => Some(lines.join("; ")),
        more => Some(format!("{}; and {more} more", lines.join("; "))),
    }
}

fn operation(plan: &Plan, strategy: Strategy) -> Operation {
    match (plan.presence, strategy) {
        (Presence::Created, _) => Operation::Create,
        (Presence::Deleted, _) => Operation::Delete,
        (Presence::Kept, Strategy::Whole) => Operation::Rewrite,
        (Presence::Kept, _) => Operation::Modify,
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
