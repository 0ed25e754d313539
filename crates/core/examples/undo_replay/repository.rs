//! Histories of repositories, and cases drawn from them.
//!
//! In: a git directory. Out: changes of one file by one commit, each with the file as a later commit has it; or with all files of a
//! later commit that has this one elsewhere, or not at all.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files beyond this size, in bytes, are left out: generated ones, as lists of locked packages.
const LARGEST: usize = 300_000;
/// How many later commits that change the file lie between, at most.
const MOST_LATER: u64 = 12;

/// A row of commits, the oldest first.
pub(crate) struct Repository {
    folder: PathBuf,
    commits: Vec<Commit>,
}

struct Commit {
    name: String,
    changes: Vec<Change>,
}

/// What a commit does to a file.
enum Change {
    Modified(String),
    Moved { from: String, to: String },
    Removed(String),
}

/// A change that was signed off to a file which is not at its path later.
pub(crate) struct Departure {
    /// The change; the later text is empty if the file was removed.
    pub(crate) case: Case,
    /// Whether git says that it was moved, and where.
    pub(crate) is_moved: bool,
    /// All files of the later commit, as git archives them.
    pub(crate) archive: Vec<u8>,
}

/// A change that was signed off, and the file later.
#[derive(Clone)]
pub(crate) struct Case {
    commit: String,
    later_commit: String,
    pub(crate) path: String,
    pub(crate) later_path: String,
    pub(crate) before: Vec<u8>,
    pub(crate) after: Vec<u8>,
    pub(crate) later: Vec<u8>,
}

impl fmt::Display for Case {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (commit, later) = (short(&self.commit), short(&self.later_commit));
        write!(out, "{commit}..{later} {}", self.path)?;
        if self.later_path != self.path {
            write!(out, " -> {}", self.later_path)?;
        }
        Ok(())
    }
}

fn short(name: &str) -> &str {
    name.get(..10).unwrap_or(name)
}

impl Repository {
    pub(crate) fn read(folder: &Path) -> Self {
        let arguments = [
            "log",
            "--first-parent",
            "--diff-merges=first-parent",
            "-M",
            "--reverse",
            "--name-status",
            "-z",
            "--format=%x01%H",
            "HEAD",
        ];
        let listed = git(folder, &arguments);
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let commits = listed.split('\u{1}').skip(1).map(|record| {
            let mut fields = record
                .split('\0')
                .map(|field| field.trim_start_matches('\n'));
            let name = fields.next().unwrap().trim().to_owned();
            let mut changes = Vec::new();
            while let Some(kind) = fields.next().filter(|kind| !kind.is_empty()) {
                let path = fields.next().unwrap().to_owned();
                match kind.chars().next() {
                    Some('M') => changes.push(Change::Modified(path)),
                    Some('R') => changes.push(Change::Moved {
                        from: path,
                        to: fields.next().unwrap().to_owned(),
                    }),
                    Some('D') => changes.push(Change::Removed(path)),
                    Some('C') => drop(fields.next()),
                    _ => {}
                }
            }
            Commit { name, changes }
        });
        Self {
            folder: folder.to_owned(),
            commits: commits.collect(),
        }
    }

    /// Draws cases: a commit and a file of it, and one of the next commits that change the file.
    pub(crate) fn cases(&self, seed: u64, count: usize) -> Vec<Case> {
        let mut touched: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, commit) in self.commits.iter().enumerate() {
            for change in &commit.changes {
                let (Change::Modified(path) | Change::Moved { from: path, .. }) = change else {
                    continue;
                };
                touched.entry(path).or_default().push(at);
            }
        }
        let mut random = Random(seed);
        let mut cases = Vec::new();
        for _ in 0..count * 20 {
            if cases.len() == count {
                break;
            }
            let at = random.below(self.commits.len());
            let modified: Vec<&String> = self.commits[at]
                .changes
                .iter()
                .filter_map(|change| match change {
                    Change::Modified(path) => Some(path),
                    Change::Moved { .. } | Change::Removed(_) => None,
                })
                .collect();
            if modified.is_empty() {
                continue;
            }
            let path = modified[random.below(modified.len())];
            let later: Vec<usize> = touched[path.as_str()]
                .iter()
                .copied()
                .filter(|own| *own > at)
                .take(MOST_LATER as usize)
                .collect();
            if later.is_empty() {
                continue;
            }
            let later = later[random.below(later.len())];
            cases.extend(self.case(at, path, later));
        }
        cases
    }

    fn case(&self, at: usize, path: &str, later: usize) -> Option<Case> {
        let mut later_path = path.to_owned();
        for commit in &self.commits[at + 1..=later] {
            for change in &commit.changes {
                match change {
                    Change::Moved { from, to } if *from == later_path => {
                        later_path.clone_from(to);
                        break;
                    }
                    Change::Removed(gone) if *gone == later_path => return None,
                    _ => {}
                }
            }
        }
        let (commit, later_commit) = (&self.commits[at].name, &self.commits[later].name);
        let case = Case {
            before: self.blob(&format!("{commit}^"), path)?,
            after: self.blob(commit, path)?,
            later: self.blob(later_commit, &later_path)?,
            commit: commit.clone(),
            later_commit: later_commit.clone(),
            path: path.to_owned(),
            later_path,
        };
        // A change of permission bits alone has no text.
        (case.before != case.after).then_some(case)
    }

    /// Returns a case for each file that a commit moves or removes: one of the changes to it before, and all files as they are right
    /// after, or up to some commits later.
    pub(crate) fn departures(&self, seed: u64, count: usize) -> Vec<Departure> {
        let mut random = Random(seed);
        let mut touched: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut departures = Vec::new();
        for (at, commit) in self.commits.iter().enumerate() {
            for change in &commit.changes {
                let (path, is_moved) = match change {
                    Change::Modified(path) => {
                        touched.entry(path).or_default().push(at);
                        continue;
                    }
                    Change::Moved { from, .. } => (from, true),
                    Change::Removed(path) => (path, false),
                };
                let before = touched.remove(path.as_str()).unwrap_or_default();
                let last = before.len().saturating_sub(MOST_LATER as usize);
                let Some(before) = before.get(last..).filter(|own| !own.is_empty()) else {
                    continue;
                };
                departures.push((before[random.below(before.len())], at, path, is_moved));
            }
        }
        while departures.len() > count {
            departures.swap_remove(random.below(departures.len()));
        }
        let mut cases = Vec::new();
        for (written, gone, path, is_moved) in departures {
            let most = self.commits.len() - 1;
            let later = (gone + random.below(MOST_LATER as usize)).min(most);
            cases.extend(self.departure((written, later), path, is_moved));
        }
        cases
    }

    fn departure(
        &self,
        (at, later): (usize, usize),
        path: &str,
        is_moved: bool,
    ) -> Option<Departure> {
        let case = if is_moved {
            self.case(at, path, later)?
        } else {
            let (commit, later_commit) = (&self.commits[at].name, &self.commits[later].name);
            let case = Case {
                before: self.blob(&format!("{commit}^"), path)?,
                after: self.blob(commit, path)?,
                later: Vec::new(),
                commit: commit.clone(),
                later_commit: later_commit.clone(),
                path: path.to_owned(),
                later_path: path.to_owned(),
            };
            (case.before != case.after).then_some(case)?
        };
        let archive = git(
            &self.folder,
            &["archive", "--format=tar", &case.later_commit],
        );
        Some(Departure {
            case,
            is_moved,
            archive,
        })
    }

    fn blob(&self, commit: &str, path: &str) -> Option<Vec<u8>> {
        let name = format!("{commit}:{path}");
        let found = git(&self.folder, &["cat-file", "blob", &name]);
        let is_text = !found.is_empty() && found.len() <= LARGEST && !found.contains(&0);
        is_text.then_some(found)
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let mut git = Command::new("git");
    git.arg("--git-dir").arg(folder).args(arguments);
    git.output().unwrap().stdout
}

/// A generator of numbers, the same for a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}
