//! Measures the index of one folder: cold, unchanged, with one changed file, and a query after loading it.
//!
//! `cargo run --release -p signoff-context --example timing -- FOLDER [REQUEST]`; the changed file is a copy of
//! nothing: it is made in the folder and removed. The index is in a temporary folder.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program to run by hand"
)]

use std::path::PathBuf;
use std::time::Instant;

use signoff_context::disk::Store;
use signoff_context::rank::{Weights, rank};
use signoff_sandbox::ignored;

/// A request with common and rare words.
const REQUEST: &str =
    "fix the error that the parser returns when reading an empty file header in the test server";

fn main() {
    let mut arguments = std::env::args().skip(1);
    let root = PathBuf::from(arguments.next().unwrap())
        .canonicalize()
        .unwrap();
    let request = arguments.next().unwrap_or_else(|| REQUEST.to_owned());
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::new(&root, &scratch.path().join("index"));
    let refresh = |name: &str| {
        let start = Instant::now();
        let index = store
            .refresh(&ignored::walk(&root, &Default::default()), &|_| None)
            .unwrap();
        println!(
            "{name:<28} {:>10.1?}  {} files",
            start.elapsed(),
            index.len()
        );
    };
    refresh("cold");
    println!("{:<28} {:>10}", "memory so far, most", memory());
    let size: u64 = std::fs::read_dir(scratch.path().join("index"))
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    println!("{:<28} {:>7} MB", "on disk", size / 1_000_000);
    refresh("unchanged");
    let file = root.join("signoff_timing_file.rs");
    std::fs::write(&file, "fn changed() {}\n").unwrap();
    std::fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(60))
        .unwrap();
    refresh("one new file");
    let start = Instant::now();
    store.refresh_files(&["signoff_timing_file.rs"]).unwrap();
    println!(
        "{:<28} {:>10.1?}",
        "one file, known to change",
        start.elapsed()
    );
    std::fs::remove_file(&file).unwrap();
    refresh("one file gone");
    for _ in 0..3 {
        let start = Instant::now();
        let index = store.load().unwrap();
        let loaded = start.elapsed();
        let ranked = rank(&index, &request, &Weights::default(), 10);
        println!(
            "{:<28} {:>10.1?}  of it {loaded:.1?} to load, {} files",
            "load and query",
            start.elapsed(),
            ranked.len()
        );
    }
    println!("{:<28} {:>10}", "memory, most", memory());
}

/// Returns the most memory that the process had.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap_or("unknown").trim().to_owned()
}
