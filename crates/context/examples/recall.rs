//! Measures the ranking on the past of git repositories.
//!
//! In: folders of repositories. For each of the newest commits that changed 1 to 6 source files that were
//! there before, the tree of its parent is checked out in a copy, and the files are ranked for the
//! message and for the subject line alone. Out: the share of the changed files among the first ten.
//!
//! `cargo run --release -p signoff-context --example recall -- [--commits N] [--author NAME] [NAME=WEIGHT]...
//! REPOSITORY...`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program to run by hand"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use past::{Past, git};
use signoff_context::index::Index;
use signoff_context::rank::{Weights, rank};
use signoff_context::role::Role;

mod past;

const FIRST: usize = 10;
const MOST_FILES: usize = 6;

#[derive(Default)]
struct Tally {
    cases: usize,
    recall: f64,
    at_five: f64,
    reciprocal: f64,
}

impl Tally {
    fn add(&mut self, changed: &[String], ranked: &[String]) {
        let found = |first: usize| {
            let hits = changed
                .iter()
                .filter(|path| ranked.iter().take(first).any(|known| known == *path));
            hits.count() as f64 / changed.len() as f64
        };
        self.cases += 1;
        self.recall += found(FIRST);
        self.at_five += found(5);
        let place = ranked.iter().position(|path| changed.contains(path));
        self.reciprocal += place.map_or(0.0, |place| 1.0 / (place + 1) as f64);
    }

    fn print(&self, name: &str) {
        let n = self.cases.max(1) as f64;
        println!(
            "{name:<32} {:>4} cases  recall@10 {:.3}  recall@5 {:.3}  MRR {:.3}",
            self.cases,
            self.recall / n,
            self.at_five / n,
            self.reciprocal / n
        );
    }
}

/// A commit with its message and the source files that it changed.
struct Case {
    id: String,
    message: String,
    changed: Vec<String>,
}

fn cases(repository: &Path, author: Option<&str>, most: usize) -> Vec<Case> {
    let author = author.map(|name| format!("--author={name}"));
    let mut arguments = vec![
        "log",
        "--no-merges",
        "--no-renames",
        "--name-status",
        "--format=%x01%H%n%B%x02",
    ];
    arguments.extend(author.as_deref());
    let log = git(repository, &arguments).unwrap_or_default();
    let cases = log.split('\u{1}').skip(1).filter_map(|entry| {
        let (head, files) = entry.split_once('\u{2}')?;
        let (id, message) = head.split_once('\n')?;
        let of_kind = |kind: &str| -> Vec<String> {
            let lines = files.lines().filter_map(|line| line.split_once('\t'));
            let lines = lines.filter(|(status, path)| *status == kind && is_source(path));
            lines.map(|(_, path)| path.to_owned()).collect()
        };
        let mut changed = of_kind("M");
        changed.extend(of_kind("D"));
        let is_case = (1..=MOST_FILES).contains(&changed.len()) && !message.trim().is_empty();
        is_case.then(|| Case {
            id: id.to_owned(),
            message: message.trim().to_owned(),
            changed,
        })
    });
    cases.take(most).collect()
}

fn is_source(path: &str) -> bool {
    let is_style = [".css", ".html", ".sh", ".sql", ".scss"]
        .iter()
        .any(|end| path.ends_with(end));
    matches!(Role::of(path), Role::Source | Role::Test) && !is_style
}

struct Times {
    refresh: Vec<Duration>,
    query: Vec<Duration>,
}

fn main() {
    let mut weights = Weights::default();
    let (mut author, mut most, mut repositories) = (None, 60, Vec::new());
    let (mut show, mut no_history, mut sweep) = (false, false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--commits" => most = arguments.next().unwrap().parse().unwrap(),
            "--author" => author = arguments.next(),
            "--show" => show = true,
            "--no-history" => no_history = true,
            "--sweep" => sweep = true,
            _ => match argument.split_once('=') {
                Some((name, value)) => assert!(weights.set(name, value.parse().unwrap()), "{name}"),
                None => repositories.push(PathBuf::from(argument).canonicalize().unwrap()),
            },
        }
    }
    let mut totals: BTreeMap<String, Tally> = BTreeMap::new();
    let mut times = Times {
        refresh: Vec::new(),
        query: Vec::new(),
    };
    for repository in &repositories {
        let name = repository
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let past = Past::of(repository);
        let mut found = [Tally::default(), Tally::default()];
        for case in cases(repository, author.as_deref(), most) {
            if past.before(&case.id).is_none() {
                continue;
            }
            let start = Instant::now();
            let index = past.index(!no_history);
            times.refresh.push(start.elapsed());
            if sweep {
                for (name, variant) in variants(&weights) {
                    sweep_case(&index, &case, &name, &variant, &mut totals);
                }
                continue;
            }
            measure(
                &index,
                &case,
                &weights,
                &mut found,
                &mut totals,
                &mut times,
                show,
            );
        }
        found[0].print(&format!("{name}, message"));
        found[1].print(&format!("{name}, subject"));
    }
    println!();
    totals.iter().for_each(|(name, tally)| tally.print(name));
    for (name, times) in [("refresh", &mut times.refresh), ("query", &mut times.query)] {
        times.sort();
        let most = times.last().copied().unwrap_or_default();
        println!(
            "{name}: median {:?}, most {most:?}",
            times.get(times.len() / 2).copied().unwrap_or_default()
        );
    }
}

/// Returns the weights, and with each of them halved, doubled and gone.
fn variants(weights: &Weights) -> Vec<(String, Weights)> {
    let mut variants = vec![(" as they are".to_owned(), weights.clone())];
    for name in Weights::NAMES {
        for factor in [0.0, 0.5, 2.0] {
            let mut variant = weights.clone();
            variant.set(name, weights.get(name).unwrap_or_default() * factor);
            variants.push((format!("{name} x{factor}"), variant));
        }
    }
    variants
}

fn sweep_case(
    index: &Index,
    case: &Case,
    name: &str,
    weights: &Weights,
    totals: &mut BTreeMap<String, Tally>,
) {
    let subject = case.message.lines().next().unwrap_or_default();
    for (kind, query) in [("message", case.message.as_str()), ("subject", subject)] {
        let ranked = rank(index, query, weights, FIRST).into_iter();
        let paths: Vec<String> = ranked.map(|ranked| ranked.path).collect();
        totals
            .entry(format!("{name}, {kind}"))
            .or_default()
            .add(&case.changed, &paths);
        totals
            .entry(name.to_owned())
            .or_default()
            .add(&case.changed, &paths);
    }
}

fn measure(
    index: &Index,
    case: &Case,
    weights: &Weights,
    found: &mut [Tally; 2],
    totals: &mut BTreeMap<String, Tally>,
    times: &mut Times,
    show: bool,
) {
    let subject = case.message.lines().next().unwrap_or_default();
    for (nth, query) in [case.message.as_str(), subject].into_iter().enumerate() {
        let start = Instant::now();
        let ranked = rank(index, query, weights, FIRST);
        times.query.push(start.elapsed());
        let paths: Vec<String> = ranked.iter().map(|ranked| ranked.path.clone()).collect();
        if let Some(tally) = found.get_mut(nth) {
            tally.add(&case.changed, &paths);
        }
        let kind = ["message", "subject"].get(nth).copied().unwrap_or_default();
        let size = match case.changed.len() {
            1 => "1 file",
            2 | 3 => "2 to 3 files",
            _ => "4 to 6 files",
        };
        totals
            .entry(format!("all, {kind}"))
            .or_default()
            .add(&case.changed, &paths);
        totals
            .entry(format!("{kind}, {size}"))
            .or_default()
            .add(&case.changed, &paths);
        if show {
            println!("\n{kind}: {query}");
            for ranked in &ranked {
                let mark = if case.changed.contains(&ranked.path) {
                    "*"
                } else {
                    " "
                };
                println!(
                    "{mark} {:.2} {} ({})",
                    ranked.score,
                    ranked.path,
                    ranked.reasons.join("; ")
                );
            }
            for missed in case.changed.iter().filter(|path| !paths.contains(path)) {
                println!("- {missed}");
            }
        }
    }
}
