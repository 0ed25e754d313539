//! The engine and the model, side by side.
//!
//! In: steps. Out: both take each, and are compared after it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use signoff_core::disk::transaction::CommitError;
use signoff_core::disk::workspace::memory::{Failure, MemoryWorkspace};
use signoff_core::edit::request::Payload;
use signoff_core::engine::{Decision, Engine, EngineError, SubmittedPayload};
use signoff_core::id::{Ambient, ChangesetId, HunkId, Timestamp};
use signoff_core::record::store::Store;
use signoff_core::stage::proposal::Origin;
use signoff_core::stage::review::{
    HunkStatus, HunkView, RevertOutcome, RevertTarget, RevertTo, Ruling, Verdict,
};
use uuid::Uuid;

use crate::body::{Body, NAMES, Name, SLOTS};
use crate::model::{Fate, Model, Op, Outcome};
use crate::past::Reversal;
use crate::step::{Choice, Place, Step, To};

pub(crate) struct World {
    files: MemoryWorkspace,
    _folder: tempfile::TempDir,
    store: PathBuf,
    engine: Engine,
    other: Engine,
    model: Model,
    texts: u64,
    sets: Vec<ChangesetId>,
    fault: Option<(usize, Failure)>,
    during: Option<(usize, Place)>,
}

/// What became of a commit in which something may have gone wrong.
enum Met<T> {
    /// It came to its end; the user may have saved a file in between.
    Ended(T, Option<(Name, Option<Body>)>),
    /// It failed, and nothing but the user's save happened.
    Failed,
}

fn open(files: &MemoryWorkspace, store: &Path) -> Engine {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let tick = || NEXT.fetch_add(1, Ordering::Relaxed);
    let ambient = Ambient {
        now: Box::new(move || Timestamp(tick() as i64)),
        uuid: Box::new(move || Uuid::from_u64_pair(3, tick())),
    };
    let store = Store::open(store).unwrap();
    let mut engine = Engine::new(Box::new(files.clone()), store, ambient).unwrap();
    engine.set_history_limit(1000);
    engine
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (files, store) = (MemoryWorkspace::default(), folder.path().join("state.db"));
        let mut texts = 0;
        let mut model = Model::default();
        for name in &NAMES[..2] {
            let body = Body::fresh(|| {
                texts += 1;
                format!("old {texts}.")
            });
            files.save(name, body.bytes());
            model.save(name, Some(body));
        }
        let (engine, other) = (open(&files, &store), open(&files, &store));
        Self {
            files,
            _folder: folder,
            store,
            engine,
            other,
            model,
            texts,
            sets: Vec::new(),
            fault: None,
            during: None,
        }
    }

    pub(crate) fn take(&mut self, step: Step) {
        match step {
            Step::Stage(file, mask) => self.stage(&[(NAMES[file], mask)]),
            Step::StageTwo(one, two, _) if one == two => {}
            Step::StageTwo(one, two, mask) => {
                self.stage(&[(NAMES[one], mask), (NAMES[two], 16 - mask)]);
            }
            Step::Create(file) => self.create(NAMES[file]),
            Step::Delete(file) => self.delete(NAMES[file]),
            Step::Move(from, to) => self.relocate(NAMES[from], NAMES[to]),
            Step::Decide(choices) => self.decide(&choices, None),
            Step::Unseen(place, hunk) => self.decide(&[(hunk, Choice::Approve)], Some(place)),
            Step::Save(place) => self.save(place),
            Step::Revert(file, to) => self.revert(NAMES[file], to),
            Step::RevertSet(at) => self.revert_set(at),
            Step::Fault(at, true) => self.fault = Some((at, Failure::Crash)),
            Step::Fault(at, false) => self.fault = Some((at, Failure::Error)),
            Step::During(at, place) => self.during = Some((at, place)),
            Step::Restart => self.restart(),
            Step::Switch => std::mem::swap(&mut self.engine, &mut self.other),
        }
        self.check();
    }

    fn restart(&mut self) {
        self.engine = open(&self.files, &self.store);
        self.other = open(&self.files, &self.store);
    }

    fn fresh(&mut self, whose: &str) -> String {
        self.texts += 1;
        format!("{whose} {}.", self.texts)
    }

    fn body(&mut self, whose: &str) -> Body {
        Body::fresh(|| self.fresh(whose))
    }

    /// Proposes changes; returns the changeset and the hunks of each, or none if not staged.
    fn propose(&mut self, changes: &[Value]) -> Option<(ChangesetId, Vec<Vec<HunkId>>)> {
        let payload = Payload::parse(&json!({"changes": changes}).to_string()).unwrap();
        let asked = SubmittedPayload {
            payload,
            origin: Origin::default(),
            changeset: None,
            only: None,
        };
        let answer = self.engine.propose(asked).unwrap();
        let set = answer.changeset.filter(|_| answer.staged)?;
        let own = |result: &signoff_core::engine::FileAnswer| {
            let mut views = answer.proposals.iter();
            let view = views.find(|view| Some(view.id) == result.proposal).unwrap();
            view.hunks.iter().map(|hunk| hunk.id).collect()
        };
        self.sets.push(set);
        Some((set, answer.results.iter().map(own).collect()))
    }

    fn stage(&mut self, files: &[(Name, u8)]) {
        let (mut changes, mut staged) = (Vec::new(), Vec::new());
        for (name, mask) in files {
            let now = self.model.overlay(name);
            let mut edits = Vec::new();
            let mut hunks: [BTreeMap<usize, String>; 2] = Default::default();
            for slot in (0..SLOTS).filter(|slot| mask >> slot & 1 == 1) {
                let new = self.fresh("model");
                let old = match &now {
                    Some(body) => body.slots[slot].clone(),
                    None => "nowhere".to_owned(),
                };
                edits.push(json!({"old_text": old, "new_text": new}));
                hunks[slot / 2].insert(slot, new);
            }
            changes.push(json!({"file": name, "section": {"edits": edits}}));
            staged.push((*name, hunks.into_iter().filter(|lines| !lines.is_empty())));
        }
        let there = |(name, _): &(Name, u8)| self.model.overlay(name).is_some();
        let expected = files.iter().all(there);
        let answer = self.propose(&changes);
        assert_eq!(answer.is_some(), expected, "{files:?}");
        let Some((set, ids)) = answer else { return };
        for ((name, hunks), ids) in staged.into_iter().zip(ids) {
            let hunks: Vec<_> = hunks.map(Op::Lines).collect();
            assert_eq!(hunks.len(), ids.len(), "{files:?}");
            self.model
                .stage(name, set, ids.into_iter().zip(hunks).collect());
        }
    }

    fn stage_one(&mut self, name: Name, change: Value, op: Op, expected: bool) {
        let answer = self.propose(&[change]);
        assert_eq!(answer.is_some(), expected, "{op:?} of {name}");
        let Some((set, ids)) = answer else { return };
        self.model.stage(name, set, vec![(ids[0][0], op)]);
    }

    fn create(&mut self, name: Name) {
        let expected = self.model.overlay(name).is_none() && !self.model.is_vacated(name);
        if self.model.overlay(name).is_some() {
            return;
        }
        let body = self.body("model");
        let text = String::from_utf8(body.bytes()).unwrap();
        let change = json!({"file": name, "whole": {"content": text}});
        self.stage_one(name, change, Op::Create(body), expected);
    }

    fn delete(&mut self, name: Name) {
        let expected = self.model.overlay(name).is_some();
        if !expected {
            return;
        }
        let change = json!({"file": name, "strategy": "delete"});
        self.stage_one(name, change, Op::Delete, expected);
    }

    fn relocate(&mut self, from: Name, to: Name) {
        let free = self.model.key_of(to).is_none() && !self.model.disk.contains_key(to);
        let expected = from != to && free && self.model.overlay(from).is_some();
        let change = json!({"file": from, "move": {"to": to}});
        self.stage_one(from, change, Op::Move(to), expected);
    }

    /// Returns the file and the text that the user would leave; none for one that goes.
    fn users(&mut self, place: Place) -> Option<(Name, Option<Body>)> {
        match place {
            Place::Line(file, slot) => {
                let mut body = self.model.disk.get(NAMES[file]).cloned()?;
                body.slots[slot] = self.fresh("user");
                Some((NAMES[file], Some(body)))
            }
            Place::Whole(file) => Some((NAMES[file], Some(self.body("user")))),
            Place::Gone(file) => {
                let there = self.model.disk.contains_key(NAMES[file]);
                there.then_some((NAMES[file], None))
            }
        }
    }

    fn save(&mut self, place: Place) {
        let Some((name, body)) = self.users(place) else {
            return;
        };
        match &body {
            Some(body) => self.files.save(name, body.bytes()),
            None => self.files.remove(name),
        }
        self.model.save(name, body);
    }

    fn verdict(&mut self, hunk: HunkId, choice: Choice) -> (Verdict, Fate) {
        let op = self.model.hunk(hunk).map(|(_, hunk)| hunk.op.clone());
        match (choice, op) {
            (Choice::Approve, _) => (Verdict::Approve, Fate::Approve),
            (Choice::Deny, _) => (Verdict::Deny { reason: None }, Fate::Deny),
            (Choice::Edit, Some(Op::Create(_))) => {
                let body = self.body("edited");
                let text = String::from_utf8(body.bytes()).unwrap();
                (Verdict::edited(text), Fate::Edit(Op::Create(body)))
            }
            (Choice::Edit, Some(Op::Lines(lines))) => {
                let new = lines.keys().map(|slot| (*slot, self.fresh("edited")));
                let new: BTreeMap<usize, String> = new.collect();
                let text = new.values().map(|line| format!("{line}\n")).collect();
                (Verdict::edited(text), Fate::Edit(Op::Lines(new)))
            }
            (Choice::Edit, op) => {
                let text = "no text\n".to_owned();
                let op = op.unwrap_or(Op::Delete);
                (Verdict::edited(text), Fate::Edit(op))
            }
        }
    }

    fn decide(&mut self, choices: &[(usize, Choice)], unseen: Option<Place>) {
        let views = self.engine.review().unwrap();
        let hunks = views.iter().flat_map(|view| &view.hunks);
        let open = hunks.filter(|hunk| {
            matches!(
                hunk.status,
                HunkStatus::Pending | HunkStatus::Conflict { .. }
            )
        });
        let open: Vec<&HunkView> = open.collect();
        if open.is_empty() {
            return;
        }
        let choices = choices.iter();
        let chosen = choices.map(|(at, choice)| match open[at % open.len()] {
            // A merge of lines is no row of the model: `engine::tests::saves` takes such hunks.
            hunk if hunk.takeable => (hunk.id, (hunk, Choice::Deny)),
            hunk => (hunk.id, (hunk, *choice)),
        });
        let chosen: BTreeMap<HunkId, (&HunkView, Choice)> = chosen.collect();
        let (mut rulings, mut fates) = (Vec::new(), Vec::new());
        for (id, (hunk, choice)) in chosen {
            let (verdict, fate) = self.verdict(id, choice);
            rulings.push(Ruling::new(hunk, verdict));
            fates.push((id, fate));
        }
        let shown = fates.iter().filter_map(|(id, _)| self.model.hunk(*id));
        let shown: BTreeSet<Name> = shown.map(|(key, _)| key).collect();
        let is_unseen = unseen.is_some();
        unseen.into_iter().for_each(|place| self.save(place));
        // What was shown is not what is there any more, if it is about the same file.
        let stale = {
            let mut later = self.model.clone();
            !later.settle().is_disjoint(&shown)
        };
        let met = self.commit(|engine| engine.decide(&rulings));
        let (decision, saved) = match met {
            Met::Ended(decision, saved) => (decision, saved),
            Met::Failed => return,
        };
        let is_done = matches!(decision, Decision::Done(_));
        if stale {
            assert!(!is_done, "{decision:?}");
        } else if saved.is_some() && matches!(decision, Decision::Changed { .. }) {
            // The save was noticed in time.
        } else {
            let expected = self.model.decide(&fates);
            let got = match decision {
                Decision::Done(_) => Outcome::Done,
                Decision::Refused { .. } | Decision::Elsewhere { .. } => Outcome::Refused,
                Decision::Changed { .. } => Outcome::Moved,
            };
            // A file that was saved since is looked at before what is asked of it; nothing is written either way. Case:
            // a hunk in conflict is approved after a save of a line that none of them shows.
            let is_noticed = is_unseen && (got, expected) == (Outcome::Moved, Outcome::Refused);
            assert!(
                is_noticed || got == expected,
                "{got:?}, not {expected:?}: {rulings:?}: {decision:?}"
            );
        }
        saved
            .into_iter()
            .for_each(|(name, body)| self.model.save(name, body));
    }

    /// Does what may write files, with what was arranged to happen meanwhile.
    fn commit<T>(&mut self, work: impl FnOnce(&mut Engine) -> Result<T, EngineError>) -> Met<T> {
        let (fault, during) = (self.fault.take(), self.during.take());
        let save = during.and_then(|(at, place)| Some((at, self.users(place)?)));
        let bytes = |body: &Option<Body>| body.as_ref().map(Body::bytes);
        self.files.fail_at(fault);
        let arranged = save.as_ref();
        self.files
            .save_at(arranged.map(|(at, (name, body))| (*at, (*name).to_owned(), bytes(body))));
        let ended = work(&mut self.engine);
        let happened = self.files.steps() > save.as_ref().map_or(usize::MAX, |(at, _)| *at);
        self.files.fail_at(None);
        self.files.save_at(None);
        let saved = save.map(|(_, saved)| saved).filter(|_| happened);
        match ended {
            Ok(value) => Met::Ended(value, saved),
            Err(error) => {
                assert!(fault.is_some(), "{error}");
                let crashed = matches!(fault, Some((_, Failure::Crash)));
                if crashed {
                    self.restart();
                }
                let torn = matches!(error, EngineError::Commit(CommitError::Torn { .. }));
                let _recovered = torn.then(|| self.engine.review().unwrap());
                // Whether the failed commit or the user took a file away, the journal does not say:
                // it may come back.
                let back = |(name, body): &(Name, Option<Body>)| {
                    body.is_none() && self.files.load(name).is_some()
                };
                let saved = saved.filter(|saved| !back(saved));
                saved
                    .into_iter()
                    .for_each(|(name, body)| self.model.save(name, body));
                Met::Failed
            }
        }
    }

    fn revert(&mut self, name: Name, to: To) {
        let wanted = match to {
            To::Last => RevertTo::Last,
            To::Only(version) => RevertTo::Only(version),
            To::Version(version) => RevertTo::Version(version),
            To::Redo => RevertTo::Redo,
        };
        let gone = !self.model.disk.contains_key(name) && self.model.past.of(name).is_empty();
        let at = self.model.past.moved_from(name).filter(|_| gone);
        let at = at.unwrap_or(name);
        let wanted = RevertTarget::file(name, wanted);
        let forecast = self.engine.foresee(&wanted).unwrap();
        let is_possible = forecast.offered.is_some();
        let (undone, saved) = match self.commit(|engine| engine.take_back(&wanted)) {
            Met::Ended(undone, saved) => (undone, saved),
            Met::Failed => return,
        };
        let noticed = saved.is_some() && is_conflict(&undone);
        if !(noticed && is_possible) {
            let versions = self.model.past.meant(at, to);
            let expected = self.model.revert(&[(at, versions)]);
            let agrees = match (&undone, &expected) {
                (own, Reversal::Done { versions, .. }) => {
                    own.written && own.files[0].taken_back == *versions && is_possible
                }
                (own, Reversal::Nothing) => own.is_nothing() && !is_possible,
                (own, Reversal::Conflict) => is_conflict(own) && !is_possible,
            };
            assert!(agrees, "{name} {to:?}: {undone:?}, not {expected:?}");
        }
        saved
            .into_iter()
            .for_each(|(name, body)| self.model.save(name, body));
    }

    fn revert_set(&mut self, at: usize) {
        if self.sets.is_empty() {
            return;
        }
        let set = self.sets[at % self.sets.len()];
        let (undone, saved) = match self
            .commit(|engine| engine.take_back(&RevertTarget::Changeset { changeset: set }))
        {
            Met::Ended(undone, saved) => (undone, saved),
            Met::Failed => return,
        };
        let names = self.model.past.names().into_iter();
        let wanted = names.map(|name| (name, self.model.past.of_set(name, set)));
        let wanted: Vec<_> = wanted
            .filter(|(_, versions)| !versions.is_empty())
            .collect();
        let mut next = self.model.clone();
        let expected = next.revert(&wanted);
        let agrees = match (&undone, &expected) {
            (own, Reversal::Done { .. }) if own.written => {
                self.model = next;
                true
            }
            (own, Reversal::Done { .. }) => is_conflict(own) && saved.is_some(),
            (own, Reversal::Nothing) => own.is_nothing(),
            (own, Reversal::Conflict) => is_conflict(own),
        };
        assert!(agrees, "{wanted:?}: {undone:?}, not {expected:?}");
        saved
            .into_iter()
            .for_each(|(name, body)| self.model.save(name, body));
    }

    fn check(&mut self) {
        self.model.settle();
        let views = self.engine.review().unwrap();
        let hunks = || views.iter().flat_map(|view| &view.hunks);
        let pending = hunks().filter(|hunk| hunk.status == HunkStatus::Pending);
        let pending: BTreeSet<HunkId> = pending.map(|hunk| hunk.id).collect();
        assert_eq!(pending, self.model.pending(), "what waits");
        let conflicts = hunks().filter(|hunk| matches!(hunk.status, HunkStatus::Conflict { .. }));
        let conflicts: BTreeSet<HunkId> = conflicts.map(|hunk| hunk.id).collect();
        assert_eq!(conflicts, self.model.conflicts, "nothing is dropped unsaid");
        let history = self.engine.history(None).unwrap();
        for name in NAMES {
            let on_disk = self.model.disk.get(name).map(Body::bytes);
            assert_eq!(self.files.load(name), on_disk, "{name} on disk");
            let staged = self.engine.read(name).unwrap();
            let staged = staged.map(|source| source.bytes().to_vec());
            let expected = self.model.overlay(name).map(|body| body.bytes());
            assert_eq!(staged, expected, "{name} as staged");
            let entries = history.iter().filter(|view| view.path == name);
            let mut entries: Vec<_> = entries.map(|view| (view.version, view.status)).collect();
            entries.sort_unstable_by_key(|(version, _)| *version);
            assert_eq!(entries, self.model.past.statuses(name), "history of {name}");
            let blamed = self.engine.blame(name).unwrap();
            let there = self.model.disk.contains_key(name);
            assert!(!there || !blamed.is_empty(), "blame of {name}");
        }
        assert_eq!(self.files.drafts(), 0);
    }
}

fn is_conflict(undone: &RevertOutcome) -> bool {
    !undone.written && !undone.blocked.is_empty()
}
