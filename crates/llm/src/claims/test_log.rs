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

use signoff_core::role::Role;

use crate::permission::simple_commands;

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
    /// Some ran in a line whose exit code is not theirs: `cargo test | tail`.
    Unclear,
}

/// Tests as they ran, by their command lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestLog {
    /// Whether the newest run of each line passed; none where its exit code does not tell.
    passed: BTreeMap<String, Option<bool>>,
    is_current: bool,
}

impl TestLog {
    /// Takes note of a command, if it runs tests.
    pub fn ran(&mut self, line: &str, passed: bool) {
        if is_of_tests(line) {
            let passed = exit_code_is_of_all(line).then_some(passed);
            self.passed.insert(line.trim().to_owned(), passed);
            self.is_current = true;
        }
    }

    /// Takes note of how a run of tests ended.
    pub fn came_to(&mut self, name: &str, passed: bool) {
        self.passed.insert(name.to_owned(), Some(passed));
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
        let failed = self
            .passed
            .iter()
            .find(|(_, passed)| **passed == Some(false));
        match failed {
            Some((line, _)) => TestsRun::Failed { line: line.clone() },
            None if self.passed.is_empty() => TestsRun::Never,
            None if self.passed.values().any(Option::is_none) => TestsRun::Unclear,
            None => TestsRun::Passed {
                is_current: self.is_current,
            },
        }
    }
}

/// Programs that run tests.
pub(super) const RUNNERS: [&str; 11] = [
    "pytest", "py.test", "tox", "nox", "jest", "vitest", "mocha", "rspec", "phpunit", "ctest",
    "bats",
];

/// Programs whose first argument says that they run tests.
const WITH_TEST: [&str; 12] = [
    "cargo", "go", "deno", "dotnet", "swift", "mix", "bun", "npm", "pnpm", "yarn", "sbt", "stack",
];

/// Programs that build what they are named.
const BUILDERS: [&str; 9] = [
    "make", "gradle", "gradlew", "mvn", "mvnw", "just", "task", "rake", "ninja",
];

/// Programs that run a file.
const INTERPRETERS: [&str; 7] = ["python", "python3", "node", "ruby", "sh", "bash", "php"];

/// What runs the program behind it.
const WRAPPERS: [&str; 5] = ["npx", "bunx", "time", "env", "xvfb-run"];

/// Arguments with which no test runs.
const RUNS_NONE: [&str; 5] = [
    "--no-run",
    "--help",
    "--version",
    "--collect-only",
    "--list",
];

/// Tells whether a command line runs tests: `cd a && cargo test`, `make check`; not `cat tests/a.py`, `npm install jest`.
pub(super) fn is_of_tests(line: &str) -> bool {
    let commands = simple_commands(line);
    commands.iter().any(|words| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        runs_tests(&words)
    })
}

/// Tells whether the exit code of a line is 0 only where that of each of its commands is.
fn exit_code_is_of_all(line: &str) -> bool {
    let line = line.trim().replace("2>&1", "").replace("&>", "");
    let rest = line.replace("&&", "");
    !rest.contains(['&', ';', '|', '\n'])
}

fn runs_tests(words: &[&str]) -> bool {
    let (first, rest) = match words {
        [first, rest @ ..] => (*first, rest),
        [] => return false,
    };
    if rest.iter().any(|word| RUNS_NONE.contains(word)) {
        return false;
    }
    let name = first.rsplit('/').next().unwrap_or(first);
    let is_test = |word: &str| word.contains("test") || word.contains("spec");
    let is_test_file = |path: &str| Role::of(path) == Role::Test || is_test(&path.to_lowercase());
    match (name, rest) {
        (name, _) if WRAPPERS.contains(&name) => runs_tests(rest),
        (
            "uv" | "poetry" | "pipenv" | "hatch" | "bundle" | "pnpm" | "yarn",
            ["run" | "exec", rest @ ..],
        ) if runs_tests(rest) => true,
        ("python" | "python3", ["-m", module, ..]) => {
            RUNNERS.contains(module) || *module == "unittest"
        }
        (name, _) if RUNNERS.contains(&name) => true,
        (name, ["run" | "run-script", script, ..]) if WITH_TEST.contains(&name) => is_test(script),
        (name, [verb, ..]) if WITH_TEST.contains(&name) => {
            matches!(*verb, "test" | "t" | "nextest")
        }
        (name, _) if BUILDERS.contains(&name) => rest.iter().any(|word| {
            !word.starts_with('-') && (is_test(word) || matches!(*word, "check" | "verify"))
        }),
        ("node", _) if rest.contains(&"--test") => true,
        (name, [file, ..]) if INTERPRETERS.contains(&name) => {
            !file.starts_with('-') && is_test_file(file)
        }
        _ => first.contains('/') && is_test_file(first),
    }
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
            ("cargo test --no-run", false),
            ("npm install jest", false),
            ("python make_data.py", false),
            ("python tests/test_a.py", true),
            ("./run_tests.sh", true),
            ("uv run pytest -q", true),
            ("git commit -m 'cargo test'", false),
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
    fn an_exit_code_of_another_command_tells_nothing() {
        for line in [
            "pytest | tail -3",
            "pytest; echo done",
            "pytest || true",
            "pytest &",
        ] {
            let mut log = TestLog::default();
            log.ran(line, true);
            assert_eq!(log.state(), TestsRun::Unclear, "{line}");
        }
        for line in ["cd a && pytest -q 2>&1", "pytest"] {
            let mut log = TestLog::default();
            log.ran(line, true);
            assert_eq!(log.state(), TestsRun::Passed { is_current: true }, "{line}");
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
