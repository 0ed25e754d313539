//! Measures what requests are given of files, on the past of git repositories.
//!
//! In: folders of repositories. Of each, some of the newest 1,500 commits that changed 1 to 6 files which were there
//! before, each with its message as the request and its parent as the workspace. Out: the share of the changed files
//! that the request is given as text, that it is given a changed place of, and that it is at least given the name of;
//! for every other commit, which rules were chosen on, and for those between. With `--rules` the same without each
//! signal of the ranking, and for work that was begun: one file is modified, or half of them with what the commit changes in them, and
//! the others count.
//!
//! `cargo run --release -p signoff-context --example given -- [--commits N] [--room KIB] [--rules] [--show]
//! [NAME=WEIGHT]... REPOSITORY...`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program to run by hand"
)]

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use past::{Past, git};
use signoff_context::excerpt::excerpts;
use signoff_context::index::Index;
use signoff_context::rank::{Ranked, Weights, Work, rank_at_work};

mod past;

const MOST_FILES: usize = 6;
/// What the interface ranks, and what it names beside the texts.
const RANKED: usize = 30;
const NAMED: usize = 15;
/// Signals that `--rules` does without.
const SIGNALS: &[&str] = &[
    "chunks",
    "files",
    "paths",
    "definitions",
    "messages",
    "recency",
    "named",
    "pairs",
    "cochange",
    "scope",
];
/// Subjects of commits that are no request to an agent.
const DULL: &[&str] = &[
    "bump",
    "merge",
    "revert",
    "release",
    "chore(deps",
    "build(deps",
];

struct Case {
    id: String,
    message: String,
    changed: Vec<String>,
    /// Of each file, the lines of the old text that were changed.
    places: BTreeMap<String, Vec<(usize, usize)>>,
}

/// What a request is asked with.
#[derive(Clone)]
struct Asked {
    row: String,
    request: String,
    modified: Vec<String>,
    /// What is changed in the modified files.
    diff: String,
    weights: Weights,
    /// Files that do not count.
    apart: Vec<String>,
    /// Whether excerpts are given also where the request names files.
    gives_all: bool,
}

#[derive(Default)]
struct Tally {
    cases: usize,
    files: usize,
    text: usize,
    place: usize,
    named: usize,
    bytes: usize,
}

impl Tally {
    fn print(&self, name: &str) {
        let share = |count: usize| 100.0 * count as f64 / self.files.max(1) as f64;
        println!(
            "{name:<44} {:>4} cases {:>5} files  text {:5.1}  place {:5.1}  named {:5.1}  bytes {:>6}",
            self.cases,
            self.files,
            share(self.text),
            share(self.place),
            share(self.named),
            self.bytes / self.cases.max(1)
        );
    }
}

fn cases(repository: &Path, most: usize) -> Vec<Case> {
    let options = [
        "log",
        "--no-merges",
        "--no-renames",
        "--name-status",
        "--max-count=1500",
        "--format=%x01%H%n%B%x02",
    ];
    let log = git(repository, &options).unwrap_or_default();
    let cases = log.split('\u{1}').skip(1).filter_map(|entry| {
        let (head, files) = entry.split_once('\u{2}')?;
        let (id, message) = head.split_once('\n')?;
        let lines = files.lines().filter_map(|line| line.split_once('\t'));
        let changed = lines.filter(|(status, _)| matches!(*status, "M" | "D"));
        let changed: Vec<String> = changed.map(|(_, path)| path.to_owned()).collect();
        let subject = message
            .trim()
            .lines()
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let is_case = (1..=MOST_FILES).contains(&changed.len())
            && subject.split_whitespace().count() >= 4
            && !DULL.iter().any(|word| subject.starts_with(word));
        is_case.then(|| Case {
            id: id.to_owned(),
            message: message.trim().to_owned(),
            changed,
            places: BTreeMap::new(),
        })
    });
    let all: Vec<Case> = cases.collect();
    let step = (all.len() / most.max(1)).max(1);
    let mut chosen: Vec<Case> = all.into_iter().step_by(step).take(most).collect();
    for case in &mut chosen {
        case.places = places(repository, &case.id);
    }
    chosen
}

fn places(repository: &Path, commit: &str) -> BTreeMap<String, Vec<(usize, usize)>> {
    let parent = format!("{commit}~1");
    let options = [
        "-c",
        "core.quotePath=false",
        "diff",
        "--no-renames",
        "--no-ext-diff",
        "-U0",
    ];
    let diff = git(repository, &[&options[..], &[&parent, commit]].concat());
    let mut found: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    let mut path = String::new();
    for line in diff.unwrap_or_default().lines() {
        if let Some(old) = line.strip_prefix("--- a/") {
            path = old.trim_end().to_owned();
        } else if let Some(rest) = line.strip_prefix("@@ -") {
            let old = rest.split(' ').next().unwrap_or_default();
            let (first, count) = old.split_once(',').unwrap_or((old, "1"));
            let (first, count): (usize, usize) = (first.parse().unwrap(), count.parse().unwrap());
            let last = first + count.max(1) - 1;
            found.entry(path.clone()).or_default().push((first, last));
        }
    }
    found
}

/// Returns what a commit changes in some of its files.
fn diff_of(repository: &Path, commit: &str, files: &[String]) -> String {
    let parent = format!("{commit}~1");
    let options = [
        "diff",
        "--no-renames",
        "--no-ext-diff",
        &parent,
        commit,
        "--",
    ];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    git(repository, &[&options[..], &files].concat()).unwrap_or_default()
}

/// Returns the first files that a commit changed, and the diff of these.
fn changed_in(repository: &Path, commit: &str) -> (Vec<String>, String) {
    let parent = format!("{commit}~1");
    let options = ["diff", "--name-only", "--diff-filter=M", &parent, commit];
    let listed = git(repository, &options).unwrap_or_default();
    let files: Vec<String> = listed.lines().take(3).map(str::to_owned).collect();
    let diff = diff_of(repository, commit, &files);
    (files, diff)
}

fn asked(repository: &Path, case: &Case, weights: &Weights, has_rules: bool) -> Vec<Asked> {
    let ask = |row: &str, request: &str, modified: &[String], weights: &Weights| Asked {
        row: row.to_owned(),
        request: request.to_owned(),
        modified: modified.to_vec(),
        diff: String::new(),
        weights: weights.clone(),
        apart: modified.to_vec(),
        gives_all: false,
    };
    let message = case.message.as_str();
    let mut all = vec![ask("message", message, &[], weights)];
    if !has_rules {
        return all;
    }
    let subject = message.lines().next().unwrap_or_default();
    all.push(ask("subject alone", subject, &[], weights));
    let mut beside = ask("others beside those that are named", message, &[], weights);
    beside.gives_all = true;
    all.push(beside);
    for name in SIGNALS {
        let mut without = weights.clone();
        without.set(name, 0.0);
        all.push(ask(&format!("without {name}"), message, &[], &without));
    }
    if let [begun, _, ..] = case.changed.as_slice() {
        let begun = std::slice::from_ref(begun);
        let mut unknown = ask(
            "the others, nothing known to be modified",
            message,
            &[],
            weights,
        );
        unknown.apart = begun.to_vec();
        all.push(unknown);
        all.push(ask("the others, one modified", message, begun, weights));
        all.push(ask(
            "the others, \"finish what I began\"",
            "finish what I began",
            begun,
            weights,
        ));
        let half = &case.changed[..case.changed.len().div_ceil(2)];
        for request in ["finish what I began", "the tests fail, mend that"] {
            let mut half_done = ask(&format!("half done, {request:?}"), request, half, weights);
            half_done.diff = diff_of(repository, &case.id, half);
            all.push(half_done);
        }
        let other = format!("{}~3", case.id);
        let (modified, diff) = changed_in(repository, &other);
        let few: Vec<&str> = subject.split_whitespace().take(4).collect();
        let mut beside = ask(
            "first words, other work begun, unread",
            &few.join(" "),
            &modified,
            weights,
        );
        beside.apart = Vec::new();
        all.push(beside.clone());
        beside.row = "first words, other work begun".to_owned();
        beside.diff = diff;
        all.push(beside);
    }
    all
}

fn main() {
    let mut weights = Weights::default();
    let (mut most, mut room) = (40, 24);
    let (mut show, mut has_rules, mut repositories) = (false, false, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--commits" => most = arguments.next().unwrap().parse().unwrap(),
            "--room" => room = arguments.next().unwrap().parse().unwrap(),
            "--show" => show = true,
            "--rules" => has_rules = true,
            _ => match argument.split_once('=') {
                Some((name, value)) => assert!(weights.set(name, value.parse().unwrap()), "{name}"),
                None => repositories.push(PathBuf::from(argument).canonicalize().unwrap()),
            },
        }
    }
    let mut totals: BTreeMap<String, Tally> = BTreeMap::new();
    for repository in &repositories {
        let past = Past::of(repository);
        let row = format!("in {}", repository.display());
        for (nth, case) in cases(repository, most).iter().enumerate() {
            if past.before(&case.id).is_none() {
                continue;
            }
            let index = past.index(true);
            let half = if nth % 2 == 0 {
                "chosen on"
            } else {
                "held out"
            };
            let texts: RefCell<HashMap<String, Option<String>>> = RefCell::default();
            let read = |path: &str| -> Option<String> {
                let show = || git(repository, &["show", &format!("{}~1:{path}", case.id)]);
                let mut texts = texts.borrow_mut();
                texts.entry(path.to_owned()).or_insert_with(show).clone()
            };
            for asked in asked(repository, case, &weights, has_rules) {
                let in_half = format!("{}, {half}", asked.row);
                measure(
                    &index,
                    case,
                    &asked,
                    room * 1024,
                    &read,
                    show,
                    totals.entry(in_half).or_default(),
                );
                if asked.row == "message" {
                    measure(
                        &index,
                        case,
                        &asked,
                        room * 1024,
                        &read,
                        false,
                        totals.entry(row.clone()).or_default(),
                    );
                }
            }
        }
    }
    totals.iter().for_each(|(name, tally)| tally.print(name));
}

fn measure(
    index: &Index,
    case: &Case,
    asked: &Asked,
    room: usize,
    read: &dyn Fn(&str) -> Option<String>,
    show: bool,
    tally: &mut Tally,
) {
    let work = Work {
        modified: &asked.modified,
        diff: &|| Some(asked.diff.clone()),
    };
    let ranking = rank_at_work(index, &asked.request, &work, &asked.weights, RANKED);
    let ranked = ranking.files;
    let lines = ranking.changed_lines.unwrap_or_default();
    let request = format!("{}\n{lines}", asked.request);
    // Where the request names files, it is given these alone.
    let is_named = |file: &&Ranked| {
        let reason = file.reasons.first();
        reason.is_some_and(|reason| reason.ends_with("is named in the request"))
    };
    let meant: Vec<&Ranked> = match ranked.iter().filter(is_named).collect::<Vec<_>>() {
        named if named.is_empty() || asked.gives_all => ranked.iter().collect(),
        named => named,
    };
    let given = excerpts(meant, &request, room, read);
    let is_text = |path: &str| given.iter().any(|own| own.file.path == path);
    let others = ranked.iter().filter(|file| !is_text(&file.path));
    let named: Vec<&str> = others.take(NAMED).map(|file| file.path.as_str()).collect();
    tally.cases += 1;
    tally.bytes += given.iter().map(|own| own.text.len()).sum::<usize>();
    if show {
        println!("\n{}: {}", asked.row, asked.request);
    }
    for path in case
        .changed
        .iter()
        .filter(|path| !asked.apart.contains(*path))
    {
        let places = case.places.get(path).map_or(&[][..], Vec::as_slice);
        let mut parts = given.iter().filter(|own| own.file.path == *path);
        let has_place = parts.any(|part| {
            let Some(lines) = &part.lines else {
                return true;
            };
            places
                .iter()
                .any(|(first, last)| lines.start() <= last && first <= lines.end())
        });
        let is_named = is_text(path) || named.contains(&path.as_str());
        tally.files += 1;
        tally.text += usize::from(is_text(path));
        tally.place += usize::from(has_place);
        tally.named += usize::from(is_named);
        if show {
            let at = ranked.iter().position(|file| file.path == *path);
            let reasons = at
                .and_then(|at| ranked.get(at))
                .map(|file| file.reasons.join("; "));
            println!(
                "text {} place {has_place} at {at:?} {path} {reasons:?}",
                is_text(path)
            );
        }
    }
}
