//! The index of a workspace: cold, with one changed file, and a query with the load of the index.
//!
//! The workspace is made: files of 100 lines whose words are drawn from a vocabulary. Real trees are measured
//! with `cargo run --release -p signoff-context --example timing -- FOLDER`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark stops where it cannot be set up"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use signoff_context::disk::Store;
use signoff_context::rank::{Weights, rank};
use signoff_sandbox::ignored;
use tempfile::TempDir;

const LINES: usize = 100;
/// Different words of a workspace.
const WORDS: usize = 5_000;
const FOLDERS: usize = 50;
const REQUEST: &str =
    "the handler of word17 fails when word170 meets word4711 in the parser of headers";

struct World {
    folder: TempDir,
    files: usize,
}

impl World {
    fn new(files: usize) -> Self {
        let world = Self {
            folder: TempDir::new().expect("a folder"),
            files,
        };
        for number in 0..files {
            world.put(number, number);
        }
        world
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("ws")
    }

    fn path(number: usize) -> String {
        format!("part{}/file{number}.rs", number % FOLDERS)
    }

    /// Writes a file, whose text follows from `seed`.
    fn put(&self, number: usize, seed: usize) {
        let mut text = String::new();
        for line in 0..LINES {
            // A product of primes walks through the vocabulary without a pattern that matters here.
            let word = |nth: usize| (seed * 7_919 + line * 104_729 + nth * 1_299_709) % WORDS;
            let _written = writeln!(
                text,
                "fn word{}_word{}(word{}: u32) {{}}",
                word(1),
                word(2),
                word(3)
            );
        }
        let path = self.root().join(Self::path(number));
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn store(&self, name: &str) -> Store {
        Store::new(&self.root(), &self.folder.path().join(name))
    }
}

fn main() {
    divan::main();
}

#[divan::bench(args = [500, 2_000], sample_count = 5)]
fn cold(bencher: Bencher<'_, '_>, files: usize) {
    let world = World::new(files);
    let mut nth = 0;
    bencher
        .counter(ItemsCount::new(files * LINES))
        .bench_local(|| {
            nth += 1;
            let store = world.store(&format!("index{nth}"));
            black_box(
                store
                    .refresh(&ignored::walk(&world.root(), &Default::default()), &|_| {
                        None
                    })
                    .unwrap()
                    .len(),
            )
        });
}

#[divan::bench(args = [500, 2_000])]
fn load_and_query(bencher: Bencher<'_, '_>, files: usize) {
    let world = World::new(files);
    let store = world.store("index");
    store
        .refresh(&ignored::walk(&world.root(), &Default::default()), &|_| {
            None
        })
        .unwrap();
    bencher.bench_local(|| rank(&store.load().unwrap(), REQUEST, &Weights::default(), 10));
}

#[divan::bench(args = [500, 2_000])]
fn one_changed_file(bencher: Bencher<'_, '_>, files: usize) {
    let world = World::new(files);
    let store = world.store("index");
    store
        .refresh(&ignored::walk(&world.root(), &Default::default()), &|_| {
            None
        })
        .unwrap();
    let mut seed = world.files;
    bencher.bench_local(|| {
        seed += 1;
        world.put(0, seed);
        black_box(store.refresh_files(&[&World::path(0)]).unwrap().len())
    });
}

#[divan::bench(args = [500, 2_000])]
fn nothing_changed(bencher: Bencher<'_, '_>, files: usize) {
    let world = World::new(files);
    let store = world.store("index");
    let refresh = || {
        store
            .refresh(&ignored::walk(&world.root(), &Default::default()), &|_| {
                None
            })
            .unwrap()
            .len()
    };
    refresh();
    bencher.bench_local(|| black_box(refresh()));
}
