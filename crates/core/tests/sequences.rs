//! Any row of staging, verdicts, saves, reverts, redos and restarts ends where a simple model
//! says, or in a reported conflict that changes nothing.
//!
//! The file has a fixed number of lines and every text that is ever put in is new, so the model
//! needs no merging: what is on a line says whose it is. More cases: `PROPTEST_CASES=10000`.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test: a surprise is a failure, and it plays the outside world"
)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use signoff_core::engine::{Asked, Decision, Engine, Undone};
use signoff_core::id::{Ambient, HunkId, Timestamp};
use signoff_core::proposal::Origin;
use signoff_core::request::Payload;
use signoff_core::review::{HunkStatus, RevertTo, Ruling, Verdict};
use signoff_core::store::Store;
use signoff_core::workspace::memory::MemoryWorkspace;
use uuid::Uuid;

const LINES: usize = 4;

#[derive(Clone, Copy, Debug)]
enum Step {
    Stage(usize),
    Approve(usize),
    ApproveUnseen(usize, usize),
    Deny(usize),
    Save(usize),
    RevertLast,
    RevertOnly(usize),
    Redo,
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let line = 0..LINES;
    prop_oneof![
        4 => line.clone().prop_map(Step::Stage),
        4 => (0..8_usize).prop_map(Step::Approve),
        1 => ((0..8_usize), line.clone()).prop_map(|(hunk, line)| Step::ApproveUnseen(hunk, line)),
        2 => (0..8_usize).prop_map(Step::Deny),
        2 => line.prop_map(Step::Save),
        2 => Just(Step::RevertLast),
        2 => (1..8_usize).prop_map(Step::RevertOnly),
        2 => Just(Step::Redo),
        1 => Just(Step::Restart),
    ]
}

/// One entry of history: on `line`, `old` became `new`.
#[derive(Clone, Debug)]
struct Written {
    line: usize,
    old: String,
    new: String,
    /// The index of the entry that this one takes back.
    takes_back: Option<usize>,
}

/// What the engine should come to.
#[derive(Default)]
struct Model {
    disk: Vec<String>,
    /// What is staged over each line, lowest first.
    chains: Vec<Vec<(HunkId, String)>>,
    history: Vec<Written>,
}

impl Model {
    fn overlay(&self) -> Vec<String> {
        let top = |(disk, chain): (&String, &Vec<(HunkId, String)>)| {
            chain
                .last()
                .map_or_else(|| disk.clone(), |(_, text)| text.clone())
        };
        self.disk.iter().zip(&self.chains).map(top).collect()
    }

    fn place(&self, hunk: HunkId) -> Option<(usize, usize)> {
        let each = self.chains.iter().enumerate();
        each.into_iter()
            .find_map(|(line, chain)| Some((line, chain.iter().position(|(own, _)| *own == hunk)?)))
    }

    fn save(&mut self, line: usize, text: String) {
        self.disk[line] = text;
        self.chains[line].clear();
    }

    fn in_effect(&self) -> Vec<bool> {
        let mut effective = vec![true; self.history.len()];
        for index in (0..self.history.len()).rev() {
            if let (Some(taken), true) = (self.history[index].takes_back, effective[index]) {
                effective[taken] = false;
            }
        }
        effective
    }

    fn target(&self, to: RevertTo) -> Option<usize> {
        let effective = self.in_effect();
        let last = |fits: &dyn Fn(usize) -> bool| {
            (0..self.history.len())
                .rev()
                .find(|index| effective[*index] && fits(*index))
        };
        let is_change = |index: usize| self.history[index].takes_back.is_none();
        match to {
            RevertTo::Last => last(&is_change),
            RevertTo::Redo => last(&|index| self.history[index].takes_back.is_some_and(is_change)),
            RevertTo::Only(version) => last(&|index| index as u64 + 1 == version),
            RevertTo::Version(_) => None,
        }
    }

    /// Takes an entry back; false if its text is not there any more.
    fn take_back(&mut self, index: usize) -> bool {
        let Written { line, old, new, .. } = self.history[index].clone();
        if self.disk[line] != new {
            return false;
        }
        // For staged work a revert is a change of the file like any other.
        self.save(line, old.clone());
        self.history.push(Written {
            line,
            old: new,
            new: old,
            takes_back: Some(index),
        });
        true
    }
}

struct World {
    files: MemoryWorkspace,
    _folder: tempfile::TempDir,
    store: PathBuf,
    engine: Engine,
    model: Model,
    texts: u64,
}

fn open(files: &MemoryWorkspace, store: &Path) -> Engine {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let tick = || NEXT.fetch_add(1, Ordering::Relaxed);
    let ambient = Ambient {
        now: Box::new(move || Timestamp(tick() as i64)),
        uuid: Box::new(move || Uuid::from_u64_pair(3, tick())),
    };
    let mut engine = Engine::new(
        Box::new(files.clone()),
        Store::open(store).unwrap(),
        ambient,
    )
    .unwrap();
    engine.set_history_limit(1000);
    engine
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (files, store) = (MemoryWorkspace::default(), folder.path().join("state.db"));
        let disk: Vec<String> = (0..LINES).map(|line| format!("line {line}")).collect();
        files.save("a", text(&disk));
        let engine = open(&files, &store);
        let model = Model {
            disk,
            chains: vec![Vec::new(); LINES],
            history: Vec::new(),
        };
        Self {
            files,
            _folder: folder,
            store,
            engine,
            model,
            texts: 0,
        }
    }

    fn fresh(&mut self, whose: &str) -> String {
        self.texts += 1;
        format!("{whose} {}.", self.texts)
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Stage(line) => self.stage(line),
            Step::Approve(at) => self.approve(at, None),
            Step::ApproveUnseen(at, line) => self.approve(at, Some(line)),
            Step::Deny(at) => self.deny(at),
            Step::Save(line) => self.save(line),
            Step::RevertLast => self.revert(RevertTo::Last),
            Step::RevertOnly(version) => self.revert(RevertTo::Only(version as u64)),
            Step::Redo => self.revert(RevertTo::Redo),
            Step::Restart => self.engine = open(&self.files, &self.store),
        }
    }

    fn stage(&mut self, line: usize) {
        let (old, new) = (self.model.overlay()[line].clone(), self.fresh("model"));
        let change = serde_json::json!({"changes": [{"file": "a", "section": {"edits":
            [{"old_text": old, "new_text": new}]}}]});
        let payload = Payload::parse(&change.to_string()).unwrap();
        let asked = Asked {
            payload,
            origin: Origin::default(),
            changeset: None,
        };
        let answer = self.engine.propose(asked).unwrap();
        let hunk = answer.proposals[0].hunks[0].id;
        self.model.chains[line].push((hunk, new));
    }

    fn waiting(&mut self, at: usize) -> Option<HunkId> {
        let views = self.engine.review().unwrap();
        let hunks = views.iter().flat_map(|view| &view.hunks);
        let waiting: Vec<HunkId> = hunks
            .filter(|hunk| hunk.status == HunkStatus::Pending)
            .map(|hunk| hunk.id)
            .collect();
        let staged: usize = self.model.chains.iter().map(Vec::len).sum();
        assert_eq!(waiting.len(), staged, "nothing staged is dropped unsaid");
        waiting.get(at % waiting.len().max(1)).copied()
    }

    fn approve(&mut self, at: usize, saved: Option<usize>) {
        let Some(hunk) = self.waiting(at) else { return };
        saved.into_iter().for_each(|line| self.save(line));
        let decision = self
            .engine
            .decide(&[Ruling {
                hunk,
                verdict: Verdict::Approve,
            }])
            .unwrap();
        if saved.is_some() {
            assert!(matches!(decision, Decision::Moved { .. }), "{decision:?}");
            return;
        }
        let (line, height) = self.model.place(hunk).unwrap();
        if height > 0 {
            assert!(matches!(decision, Decision::Refused { .. }), "{decision:?}");
            return;
        }
        assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
        let (_, new) = self.model.chains[line].remove(0);
        let old = std::mem::replace(&mut self.model.disk[line], new.clone());
        self.model.history.push(Written {
            line,
            old,
            new,
            takes_back: None,
        });
    }

    fn deny(&mut self, at: usize) {
        let Some(hunk) = self.waiting(at) else { return };
        let verdict = Verdict::Deny { reason: None };
        let decision = self.engine.decide(&[Ruling { hunk, verdict }]).unwrap();
        assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
        let (line, height) = self.model.place(hunk).unwrap();
        self.model.chains[line].truncate(height);
    }

    fn save(&mut self, line: usize) {
        let mine = self.fresh("user");
        self.model.save(line, mine);
        self.files.save("a", text(&self.model.disk));
    }

    fn revert(&mut self, to: RevertTo) {
        let undone = self.engine.revert("a", to).unwrap();
        match self.model.target(to) {
            None => assert!(
                matches!(undone, Undone::Nothing { .. }),
                "{to:?}: {undone:?}"
            ),
            Some(index) => match self.model.take_back(index) {
                true => assert!(matches!(undone, Undone::Done { .. }), "{to:?}: {undone:?}"),
                false => assert!(
                    matches!(undone, Undone::Conflict { .. }),
                    "{to:?}: {undone:?}"
                ),
            },
        }
    }

    fn check(&mut self) {
        assert_eq!(self.files.load("a").unwrap(), text(&self.model.disk));
        let overlay = self.engine.read("a").unwrap().unwrap();
        assert_eq!(overlay.bytes(), text(&self.model.overlay()));
        assert_eq!(
            self.engine.history(None).unwrap().len(),
            self.model.history.len()
        );
    }
}

fn text(lines: &[String]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|line| format!("{line}\n").into_bytes())
        .collect()
}

/// Fewer cases than usual unless told otherwise: each writes to disk and waits for it.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = default
        .cases
        .min(if std::env::var_os("PROPTEST_CASES").is_some() {
            u32::MAX
        } else {
            64
        });
    ProptestConfig { cases, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn everything_ends_where_the_model_says(steps in proptest::collection::vec(step(), 1..24)) {
        let mut world = World::new();
        for step in steps {
            world.take(step);
            world.check();
        }
    }
}
