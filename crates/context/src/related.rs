//! Related tests: the tests that belong to files.
//!
//! In: an index, and files that changed. Out: test files with scores and reasons, best first: those that changed
//! themselves, then those that are called like a file or stand in it, then the others by their score. Its signals: the
//! name; past commits that changed both; the test imports the file; it is near.

use std::collections::HashMap;

use signoff_source::plural::counted;

use crate::imports::last_name;
use crate::index::{FileId, Index};
use crate::role::{Role, stem, subject};
use crate::words::whole;

/// A test file that belongs to what changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Related {
    /// Where it is, relative to the workspace.
    pub path: String,
    /// How well it fits; the best signal alone has 1.
    pub score: f32,
    /// Why.
    pub reason: String,
}

/// What each signal counts: a name says more than a common past, and that more than an import. Of the tests that
/// 29 commits of five repositories changed, 89% were among the first five with these.
const NAMED: f32 = 1.0;
const TOGETHER: f32 = 0.9;
const IMPORTED: f32 = 0.5;
const NEAR: f32 = 0.4;
/// Commits in common that count as one half: fewer say less.
const FEW_COMMITS: f32 = 2.0;

/// What a changelog, a lock file or other text counts beside code: too little to run a test. Of 400 commits of eight
/// repositories all tests are among the first five for 67% with a quarter, 64% with nothing and 66% with all of it.
const BESIDE_CODE: f32 = 0.25;

/// Returns the tests that belong to files, at most `limit`. `has_tests` tells whether a source file has tests
/// of its own.
pub fn tests(
    index: &Index,
    files: &[&str],
    has_tests: &dyn Fn(&str) -> bool,
    limit: usize,
) -> Vec<Related> {
    let all: Vec<Test<'_>> = (0..index.file_slots())
        .filter_map(|slot| {
            let file = FileId(u32::try_from(slot).ok()?);
            let path = index.path(file);
            (index.role(file) == Role::Test && index.find(path) == Some(file)).then(|| Test {
                file,
                path,
                subject: subject(path),
                imports: index.imports(file),
            })
        })
        .collect();
    let commits = index.commits();
    let mut found: HashMap<&str, Match> = HashMap::new();
    let has_code = files.iter().any(|path| is_code(path));
    for path in files {
        let weight = if has_code && !is_code(path) {
            BESIDE_CODE
        } else {
            1.0
        };
        let is_test = Role::of(path) == Role::Test;
        if is_test || has_tests(path) {
            let reason = if is_test {
                "it changed".to_owned()
            } else {
                "it has tests of its own".to_owned()
            };
            let own = found.entry(path).or_default();
            *own = Match {
                tie: if is_test { Tie::Changed } else { Tie::Named },
                score: own.score + NAMED + TOGETHER,
                reason,
            };
        }
        let together = index.find(path).map(|file| together(&commits, file));
        let together = together.unwrap_or_default();
        for test in all.iter().filter(|test| test.path != *path) {
            let Some(fit) = test.fits(path, &together) else {
                continue;
            };
            let own = found.entry(test.path).or_default();
            own.score += weight * fit.score;
            if fit.tie > own.tie || own.reason.is_empty() {
                own.tie = own.tie.max(fit.tie);
                own.reason = fit.reason;
            }
        }
    }
    let mut found: Vec<(&str, Match)> = found.into_iter().collect();
    found.sort_by(|(a_path, a), (b_path, b)| {
        b.tie
            .cmp(&a.tie)
            .then_with(|| b.score.total_cmp(&a.score))
            .then_with(|| a_path.cmp(b_path))
    });
    let related = found.into_iter().take(limit).map(|(path, own)| Related {
        path: path.to_owned(),
        score: own.score,
        reason: own.reason,
    });
    related.collect()
}

fn is_code(path: &str) -> bool {
    matches!(Role::of(path), Role::Source | Role::Test)
}

/// Returns all test files of an index.
pub fn all_tests(index: &Index) -> Vec<String> {
    let slots = (0..index.file_slots()).filter_map(|slot| u32::try_from(slot).ok());
    let files = slots.map(FileId).filter(|file| {
        index.role(*file) == Role::Test && index.find(index.path(*file)) == Some(*file)
    });
    files.map(|file| index.path(file).to_owned()).collect()
}

/// What binds a test to what changed, the strongest last: it comes before any number of weaker ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Tie {
    /// Its imports, its past or its place.
    #[default]
    Likely,
    /// Its name, or it is in the file.
    Named,
    /// It changed itself.
    Changed,
}

/// How a test fits what changed.
#[derive(Clone, Debug, Default)]
struct Match {
    tie: Tie,
    score: f32,
    reason: String,
}

struct Test<'a> {
    file: FileId,
    path: &'a str,
    subject: String,
    imports: Vec<String>,
}

impl Test<'_> {
    /// Returns how well the test fits a file, and why.
    fn fits(&self, path: &str, together: &HashMap<FileId, usize>) -> Option<Match> {
        let own = whole(stem(path));
        let is_named = self.subject == subject(path) || self.subject == own;
        let commits = together.get(&self.file).copied().unwrap_or_default();
        let imports = || {
            self.imports
                .iter()
                .filter_map(|import| last_name(import))
                .any(|name| whole(name) == own)
        };
        let is_imported = !is_named && !own.is_empty() && imports();
        let near = nearness(self.path, path);
        let past = commits as f32 / (commits as f32 + FEW_COMMITS);
        let mut score = TOGETHER * past;
        let name = path.rsplit('/').next().unwrap_or(path);
        let reason = if is_named {
            score += NAMED;
            format!("it is called like {name}")
        } else if is_imported {
            score += IMPORTED;
            format!("it imports {name}")
        } else if commits > 0 {
            format!("it changed with {name} in {}", counted(commits, "commit"))
        } else if near >= 1.0 {
            format!("it is in the folder of {name}")
        } else {
            return None;
        };
        Some(Match {
            tie: if is_named { Tie::Named } else { Tie::Likely },
            score: score + NEAR * near,
            reason,
        })
    }
}

/// Returns how many commits changed a test together with a file.
fn together(commits: &[Vec<FileId>], file: FileId) -> HashMap<FileId, usize> {
    let mut counts = HashMap::new();
    for commit in commits.iter().filter(|commit| commit.contains(&file)) {
        for other in commit.iter().filter(|other| **other != file) {
            *counts.entry(*other).or_default() += 1;
        }
    }
    counts
}

/// Returns which share of their folders two files have in common, those of tests left out; 1 for the
/// same folder.
fn nearness(test: &str, path: &str) -> f32 {
    let (test, path) = (named_folders(test), named_folders(path));
    let most = test.len().max(path.len());
    if most == 0 {
        return 1.0;
    }
    let common = test.iter().filter(|folder| path.contains(folder)).count();
    common as f32 / most as f32
}

/// Returns the folders of a path without those that any project has.
fn named_folders(path: &str) -> Vec<String> {
    let (folders, _) = path.rsplit_once('/').unwrap_or_default();
    let named = folders
        .split('/')
        .filter(|folder| !folder.is_empty())
        .filter(|folder| !matches!(*folder, "test" | "tests" | "__tests__" | "src" | "main"));
    named.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;

    fn found(files: &[(&str, &str)], log: &str, changed: &[&str]) -> Vec<(String, String)> {
        let texts = files.iter().map(|(path, text)| (*path, text.as_bytes()));
        let index = Index::of_texts(texts, History::parse(log));
        let inline = |path: &str| {
            files
                .iter()
                .any(|(own, text)| *own == path && text.contains("#[test]"))
        };
        let related = super::tests(&index, changed, &inline, 5);
        related
            .into_iter()
            .map(|one| (one.path, one.reason))
            .collect()
    }

    fn pair(path: &str, reason: &str) -> (String, String) {
        (path.to_owned(), reason.to_owned())
    }

    #[test]
    fn tests_are_found_by_name_import_past_and_place() {
        let files = [
            ("src/parser.py", "def parse(): pass\n"),
            ("tests/test_parser.py", "import other\n"),
            ("tests/test_api.py", "from src.parser import parse\n"),
            ("tests/test_past.py", "x = 1\n"),
            ("elsewhere/tests/test_none.py", "y = 1\n"),
        ];
        let log = "\u{1}a b\nmessage\n\u{2}\nsrc/parser.py\ntests/test_past.py\n";
        assert_eq!(
            found(&files, log, &["src/parser.py"]),
            [
                pair("tests/test_parser.py", "it is called like parser.py"),
                pair("tests/test_api.py", "it imports parser.py"),
                pair(
                    "tests/test_past.py",
                    "it changed with parser.py in 1 commit"
                ),
            ]
        );
    }

    #[test]
    fn text_brings_no_test_ahead_of_those_that_changed_or_are_called_so() {
        let files = [
            ("src/parser.py", "def parse(): pass\n"),
            ("tests/test_parser.py", "x = 1\n"),
            ("tests/test_edited.py", "x = 1\n"),
            ("tests/test_often.py", "x = 1\n"),
            ("CHANGES.md", "# Changes\n"),
            ("uv.lock", "x\n"),
        ];
        let log = "\u{1}a b\nmessage\n\u{2}\nCHANGES.md\nuv.lock\ntests/test_often.py\n".repeat(20);
        let changed = [
            "CHANGES.md",
            "uv.lock",
            "src/parser.py",
            "tests/test_edited.py",
        ];
        let found = found(&files, &log, &changed);
        assert_eq!(
            found[..2],
            [
                pair("tests/test_edited.py", "it changed"),
                pair("tests/test_parser.py", "it is called like parser.py"),
            ]
        );
    }

    #[test]
    fn a_file_with_tests_and_a_changed_test_come_first() {
        let files = [
            ("src/a.rs", "#[test]\nfn t() {}\n"),
            ("tests/a.rs", "fn x() {}\n"),
        ];
        assert_eq!(
            found(&files, "", &["src/a.rs"]),
            [
                pair("src/a.rs", "it has tests of its own"),
                pair("tests/a.rs", "it is called like a.rs"),
            ]
        );
        let changed = found(&files, "", &["tests/a.rs"]);
        assert_eq!(changed[0], pair("tests/a.rs", "it changed"));
    }
}
