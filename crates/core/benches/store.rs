//! What it costs to keep staged work and history on disk.
//!
//! In: a workspace and a store in a temporary folder. Out: times of whole operations, with
//! every wait for the disk in them.

#![expect(
    clippy::unwrap_used,
    reason = "a benchmark may stop at what it did not expect"
)]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use divan::Bencher;
use divan::counter::ItemsCount;
use serde_json::{Value, json};
use signoff_core::edit::request::Payload;
use signoff_core::engine::{Decision, Engine, SubmittedPayload};
use signoff_core::id::{Ambient, Timestamp};
use signoff_core::stage::proposal::Origin;
use signoff_core::stage::review::{RevertTarget, RevertTo, Ruling, Verdict};
use tempfile::TempDir;
use uuid::Uuid;

fn main() {
    divan::main();
}

/// Files of one turn.
const FILES: usize = 5;
/// The size of each of them.
const SMALL: usize = 20_000;
/// The size of the file with a long history.
const LARGE: usize = 1_000_000;

#[divan::bench]
fn open_new(bencher: Bencher<'_, '_>) {
    bencher
        .with_inputs(|| World::new(FILES, SMALL))
        .bench_local_refs(|world| world.engine());
}

#[divan::bench]
fn open_with_staged_work(bencher: Bencher<'_, '_>) {
    let world = World::new(FILES, SMALL);
    world.stage(&mut world.engine(), 0);
    bencher.bench_local(|| world.engine().review().unwrap());
}

#[divan::bench(sample_count = 30)]
fn stage_5_files(bencher: Bencher<'_, '_>) {
    bencher
        .counter(ItemsCount::new(FILES))
        .with_inputs(|| Open::new(FILES, SMALL))
        .bench_local_refs(|open| open.stage(0));
}

#[divan::bench(sample_count = 30)]
fn commit_5_files(bencher: Bencher<'_, '_>) {
    let staged = || {
        let mut open = Open::new(FILES, SMALL);
        open.stage(0);
        open
    };
    bencher
        .counter(ItemsCount::new(FILES))
        .with_inputs(staged)
        .bench_local_refs(Open::approve);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn write_10_changes_to_1_mb(bencher: Bencher<'_, '_>) {
    bencher
        .counter(ItemsCount::new(10_usize))
        .with_inputs(|| Open::new(1, LARGE))
        .bench_local_refs(Open::ten_changes);
}

#[divan::bench(sample_count = 30)]
fn show_10_changes_of_1_mb(bencher: Bencher<'_, '_>) {
    let mut open = Open::new(1, LARGE);
    open.ten_changes();
    bencher.bench_local(|| {
        let entries = open.engine.history(None).unwrap();
        assert_eq!(entries.len(), 10);
        entries
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn take_back_10_changes_of_1_mb(bencher: Bencher<'_, '_>) {
    let written = || {
        let mut open = Open::new(1, LARGE);
        open.ten_changes();
        open
    };
    bencher.with_inputs(written).bench_local_refs(|open| {
        let undone = open
            .engine
            .take_back(&RevertTarget::file("0.txt", RevertTo::Version(0)))
            .unwrap();
        assert!(undone.written, "{undone:?}");
    });
}

/// A workspace and its store, gone when dropped.
struct World {
    folder: TempDir,
    files: usize,
}

/// A world and an engine over it.
struct Open {
    engine: Engine,
    world: World,
}

impl World {
    fn new(files: usize, size: usize) -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let text: String = (0..size / 20)
            .map(|n| format!("this is line {n:06}\n"))
            .collect();
        for file in 0..files {
            std::fs::write(folder.path().join(format!("work/{file}.txt")), &text).unwrap();
        }
        Self { folder, files }
    }

    fn engine(&self) -> Engine {
        let at = |name: &str| -> PathBuf { self.folder.path().join(name) };
        Engine::open(&at("work"), &at("state.db"), ambient()).unwrap()
    }

    /// Stages the change of one line, another in every round, in each file.
    fn stage(&self, engine: &mut Engine, round: usize) {
        let line = format!("this is line {:06}\n", 500 + round);
        let edit = json!({"old_text": line, "new_text": format!("{}, changed\n", line.trim_end())});
        let changes: Vec<Value> = (0..self.files)
            .map(|file| json!({"file": format!("{file}.txt"), "section": {"edits": [edit]}}))
            .collect();
        let payload = Payload::parse(&json!({"changes": changes}).to_string()).unwrap();
        let asked = SubmittedPayload {
            payload,
            origin: Origin::default(),
            changeset: None,
            only: None,
        };
        assert!(engine.propose(asked).unwrap().staged);
    }
}

impl Open {
    fn new(files: usize, size: usize) -> Self {
        let world = World::new(files, size);
        Self {
            engine: world.engine(),
            world,
        }
    }

    fn stage(&mut self, round: usize) {
        self.world.stage(&mut self.engine, round);
    }

    fn approve(&mut self) {
        let views = self.engine.review().unwrap();
        let hunks = views.iter().flat_map(|view| &view.hunks);
        let rulings: Vec<Ruling> = hunks
            .map(|hunk| Ruling::new(hunk, Verdict::Approve))
            .collect();
        let decision = self.engine.decide(&rulings).unwrap();
        assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
    }

    fn ten_changes(&mut self) {
        for round in 0..10 {
            self.stage(round);
            self.approve();
        }
    }
}

fn ambient() -> Ambient {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let next = || COUNT.fetch_add(1, Ordering::Relaxed);
    Ambient {
        now: Box::new(move || Timestamp(next() as i64)),
        uuid: Box::new(move || Uuid::from_u64_pair(7, next())),
    }
}
