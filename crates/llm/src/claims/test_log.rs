//! The tests that ran in a conversation.
//!
//! ```text
//! cargo test        exit 1      failed
//! cargo test        exit 0      passed
//! an edit                       passed, and not current
//! ```
//!
//! In: command lines with how they ended, and that something was staged. Out: [`TestsRun`].

use std::collections::BTreeMap;

/// The tests that ran last in a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TestsRun {
    /// None ran.
    #[default]
    Never,
    /// All passed.
    Passed {
        /// Whether nothing was staged since.
        is_current: bool,
    },
    /// Some failed.
    Failed {
        /// The command line.
        line: String,
    },
}

/// Tests as they ran, by their command lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestLog {
    /// Whether the newest run of each line passed.
    passed: BTreeMap<String, bool>,
    is_current: bool,
}

impl TestLog {
    /// Takes note of a command, if it runs tests.
    pub fn ran(&mut self, line: &str, passed: bool) {
        if is_of_tests(line) {
            self.came_to(line.trim(), passed);
        }
    }

    /// Takes note of how a run of tests ended.
    pub fn came_to(&mut self, name: &str, passed: bool) {
        self.passed.insert(name.to_owned(), passed);
        self.is_current = true;
    }

    /// Tells whether none ran.
    pub fn is_empty(&self) -> bool {
        self.passed.is_empty()
    }

    /// Takes note that something was staged.
    pub fn outdate(&mut self) {
        self.is_current = false;
    }

    /// Returns what came of the tests.
    pub fn state(&self) -> TestsRun {
        let failed = self.passed.iter().find(|(_, passed)| !**passed);
        match failed {
            Some((line, _)) => TestsRun::Failed { line: line.clone() },
            None if self.passed.is_empty() => TestsRun::Never,
            None => TestsRun::Passed {
                is_current: self.is_current,
            },
        }
    }
}

/// Programs that run tests whatever they are given.
pub(super) const RUNNERS: [&str; 11] = [
    "pytest", "py.test", "tox", "nox", "jest", "vitest", "mocha", "rspec", "phpunit", "ctest",
    "bats",
];

/// Programs that look at files or move them, also those of tests.
const LOOKING: [&str; 16] = [
    "cat", "less", "ls", "grep", "rg", "find", "echo", "sed", "head", "tail", "rm", "cp", "mv",
    "mkdir", "touch", "wc",
];

/// What version control is asked for, which names tests as files or in messages.
const OF_REPOSITORIES: [&str; 10] = [
    "add", "blame", "checkout", "commit", "diff", "log", "restore", "show", "stash", "status",
];

/// Tells whether a command line runs tests: `cd a && cargo test`, `make check`; not `cat tests/a.py`.
pub(super) fn is_of_tests(line: &str) -> bool {
    line.split(['&', ';', '|', '\n']).any(|command| {
        let words: Vec<&str> = command
            .split_whitespace()
            .filter(|word| !word.contains('='))
            .collect();
        let Some(first) = words.first() else {
            return false;
        };
        let name = first.rsplit('/').next().unwrap_or(first);
        let looks = LOOKING.contains(&name)
            || words
                .get(1)
                .is_some_and(|word| OF_REPOSITORIES.contains(word));
        let checks = ["make", "gradle", "gradlew", "mvn", "just", "task", "rake"].contains(&name)
            && words
                .iter()
                .any(|word| matches!(*word, "check" | "verify" | "spec"));
        !looks
            && (checks
                || words
                    .iter()
                    .any(|word| RUNNERS.contains(&word.rsplit('/').next().unwrap_or(word)))
                || words
                    .iter()
                    .any(|word| word.to_lowercase().contains("test")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_by_their_commands() {
        let table = [
            ("cargo test -q", true),
            ("cd a && python -m unittest", true),
            ("npm run test:unit", true),
            ("npx vitest run", true),
            ("CI=1 make check", true),
            ("go build ./...", false),
            ("cat tests/a.py", false),
            ("git diff tests", false),
            ("cargo build", false),
            ("", false),
        ];
        for (line, expected) in table {
            assert_eq!(is_of_tests(line), expected, "{line}");
        }
    }

    #[test]
    fn the_newest_run_of_each_command_counts() {
        let mut log = TestLog::default();
        assert_eq!(log.state(), TestsRun::Never);
        log.ran("cargo test", false);
        log.ran("pytest", true);
        assert_eq!(
            log.state(),
            TestsRun::Failed {
                line: "cargo test".to_owned()
            }
        );
        log.ran("cargo test", true);
        assert_eq!(log.state(), TestsRun::Passed { is_current: true });
        log.outdate();
        assert_eq!(log.state(), TestsRun::Passed { is_current: false });
    }
}
