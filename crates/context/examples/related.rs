//! Measures the related tests on the past of git repositories.
//!
//! In: folders of repositories. For each of the newest commits that changed 1 to 6 other files than tests and 1 to 6 tests,
//! all of which were there before, the tree of its parent is checked out in a copy, and the tests of the other files are
//! ranked. Out: the share of the commits of which all and any of the tests are among the first five.
//!
//! `cargo run --release -p signoff-context --example related -- [--commits N] [--show] REPOSITORY...`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program to run by hand"
)]

use std::path::{Path, PathBuf};

use past::{Past, git};
use signoff_context::related;
use signoff_context::role::Role;

mod past;

const FIRST: usize = 5;
const MOST_FILES: usize = 6;

#[derive(Default)]
struct Tally {
    cases: usize,
    all: usize,
    any: usize,
    share: f64,
}

impl Tally {
    fn add(&mut self, changed: &[String], ranked: &[String]) {
        let is_found = |path: &&String| ranked.contains(path);
        let found = changed.iter().filter(is_found).count();
        self.cases += 1;
        self.all += usize::from(found == changed.len());
        self.any += usize::from(found > 0);
        self.share += found as f64 / changed.len() as f64;
    }

    fn print(&self, name: &str) {
        let of = |count: f64| 100.0 * count / self.cases.max(1) as f64;
        println!(
            "{name:<24} {:>4} commits  all {:.0}%  any {:.0}%  of the tests {:.0}%",
            self.cases,
            of(self.all as f64),
            of(self.any as f64),
            of(self.share)
        );
    }
}

/// A commit with the tests that it changed, and the other files.
struct Case {
    id: String,
    tests: Vec<String>,
    others: Vec<String>,
}

fn cases(repository: &Path, most: usize) -> Vec<Case> {
    let arguments = [
        "log",
        "--no-merges",
        "--no-renames",
        "--name-status",
        "--format=%x01%H",
    ];
    let log = git(repository, &arguments).unwrap_or_default();
    let cases = log.split('\u{1}').skip(1).filter_map(|entry| {
        let (id, files) = entry.split_once('\n')?;
        let files = files.lines().filter_map(|line| line.split_once('\t'));
        let modified = files.filter(|(status, _)| *status == "M");
        let modified = modified.map(|(_, path)| path.to_owned());
        let (tests, others): (Vec<String>, Vec<String>) =
            modified.partition(|path| Role::of(path) == Role::Test);
        let sources = others.iter().filter(|path| Role::of(path) == Role::Source);
        let is_case =
            (1..=MOST_FILES).contains(&tests.len()) && (1..=MOST_FILES).contains(&sources.count());
        is_case.then(|| Case {
            id: id.to_owned(),
            tests,
            others,
        })
    });
    cases.take(most).collect()
}

fn main() {
    let (mut most, mut show, mut repositories) = (60, false, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--commits" => most = arguments.next().unwrap().parse().unwrap(),
            "--show" => show = true,
            _ => repositories.push(PathBuf::from(argument).canonicalize().unwrap()),
        }
    }
    let mut total = Tally::default();
    for repository in &repositories {
        let past = Past::of(repository);
        let mut found = Tally::default();
        for case in cases(repository, most) {
            let Some(tree) = past.before(&case.id) else {
                continue;
            };
            let index = past.index(true);
            let others: Vec<&str> = case.others.iter().map(String::as_str).collect();
            let has_tests = |path: &str| {
                let text = std::fs::read_to_string(tree.join(path)).unwrap_or_default();
                path.ends_with(".rs") && text.contains("#[test]")
            };
            let ranked = related::tests(&index, &others, &has_tests, FIRST);
            let paths: Vec<String> = ranked.iter().map(|one| one.path.clone()).collect();
            found.add(&case.tests, &paths);
            total.add(&case.tests, &paths);
            if show && case.tests.iter().any(|path| !paths.contains(path)) {
                println!("\n{} changed {:?}", case.id, case.others);
                for one in &ranked {
                    let mark = if case.tests.contains(&one.path) {
                        "*"
                    } else {
                        " "
                    };
                    println!("{mark} {:.2} {} ({})", one.score, one.path, one.reason);
                }
                let missed = case.tests.iter().filter(|path| !paths.contains(path));
                missed.for_each(|path| println!("- {path}"));
            }
        }
        let name = repository.parent().and_then(Path::file_name);
        found.print(&name.unwrap_or_default().to_string_lossy());
    }
    total.print("all");
}
