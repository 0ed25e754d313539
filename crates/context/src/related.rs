//! Related tests: the tests that belong to files.
//!
//! In: an index, and files that changed. Out: test files with scores and reasons, best first. Four signals: the
//! test is called like the file; past commits changed both; the test imports the file; it is near. A file
//! with tests of its own is its own best test.

use std::collections::HashMap;

use signoff_core::plural::counted;

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

/// Returns the tests that belong to files, at most `limit`. `has_tests` tells whether a source file has tests
/// of its own.
pub fn tests(
    index: &Index,
    files: &[&str],
    has_tests: &dyn Fn(&str) -> bool,
    limit: usize,
) -> Vec<Related> {
    let all = (0..index.file_slots()).filter_map(|slot| {
        let file = FileId(u32::try_from(slot).ok()?);
        let path = index.path(file);
        (index.role(file) == Role::Test && index.find(path) == Some(file)).then(|| Test {
            file,
            path,
            subject: subject(path),
            imports: index.imports(file),
        })
    });
    let all: Vec<Test<'_>> = all.collect();
    let commits = index.commits();
    let mut found: HashMap<&str, (f32, String)> = HashMap::new();
    for path in files {
        let is_test = Role::of(path) == Role::Test;
        if is_test || has_tests(path) {
            let reason = if is_test {
                "it changed".to_owned()
            } else {
                "it has tests of its own".to_owned()
            };
            found.insert(path, (NAMED + TOGETHER, reason));
        }
        let together = index.find(path).map(|file| together(&commits, file));
        let together = together.unwrap_or_default();
        for test in all.iter().filter(|test| test.path != *path) {
            let (score, reason) = test.fits(path, &together);
            let own = found.entry(test.path).or_insert((0.0, String::new()));
            if score > 0.0 {
                own.0 += score;
            }
            if own.1.is_empty() {
                own.1 = reason;
            }
        }
    }
    let mut related: Vec<Related> = found
        .into_iter()
        .filter(|(_, (score, _))| *score > 0.0)
        .map(|(path, (score, reason))| Related {
            path: path.to_owned(),
            score,
            reason,
        })
        .collect();
    related.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.path.cmp(&b.path))
    });
    related.truncate(limit);
    related
}

struct Test<'a> {
    file: FileId,
    path: &'a str,
    subject: String,
    imports: Vec<String>,
}

impl Test<'_> {
    /// Returns how well the test fits a file, and why.
    fn fits(&self, path: &str, together: &HashMap<FileId, usize>) -> (f32, String) {
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
            return (0.0, String::new());
        };
        (score + NEAR * near, reason)
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
    let folders = |path: &str| -> Vec<String> {
        let (folders, _) = path.rsplit_once('/').unwrap_or_default();
        let named = folders.split('/').filter(|folder| !folder.is_empty());
        let named = named
            .filter(|folder| !matches!(*folder, "test" | "tests" | "__tests__" | "src" | "main"));
        named.map(str::to_owned).collect()
    };
    let (test, path) = (folders(test), folders(path));
    let most = test.len().max(path.len());
    if most == 0 {
        return 1.0;
    }
    let common = test.iter().filter(|folder| path.contains(folder)).count();
    common as f32 / most as f32
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
        let log = "\u{1}a\nmessage\n\u{2}\nsrc/parser.py\ntests/test_past.py\n";
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
