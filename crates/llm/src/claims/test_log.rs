//! The tests that ran in a conversation.
//!
//! ```text
//! cargo test        exit 1      failed
//! cargo test        exit 0      passed
//! an edit                       passed, and not current
//! ```
//!
//! The newest run decides. The list of commands that run tests is not whole: any other command may have run some.
//!
//! In: command lines with how they ended, and that something was staged. Out: [`TestsRun`].

use signoff_core::role::Role;

use crate::permission::simple_commands;

/// The tests that ran last in a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TestsRun {
    /// No command ran.
    #[default]
    Never,
    /// Commands ran, none of which is known to run tests: it may have.
    Unknown,
    /// The newest run passed, and all others that it does not repeat.
    Passed {
        /// Whether nothing was staged since.
        is_current: bool,
    },
    /// The newest run failed, and nothing was staged since.
    Failed {
        /// The command line.
        line: String,
    },
    /// Tests ran, and what came of all of them is not known.
    Unclear,
}

/// Tests as they ran, by their command lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestLog {
    /// The newest run of each line, newest last.
    runs: Vec<TestRun>,
    /// Whether another command ran.
    has_others: bool,
}

/// A run of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TestRun {
    line: String,
    /// Whether it passed; none where its exit code does not tell.
    passed: Option<bool>,
    /// Whether nothing was staged since.
    is_current: bool,
}

impl TestLog {
    /// Takes note of a command.
    pub fn ran(&mut self, line: &str, passed: bool) {
        if is_of_tests(line) {
            self.add(line, exit_code_is_of_all(line).then_some(passed));
        } else {
            self.has_others = true;
        }
    }

    /// Takes note of how a run of tests ended.
    pub fn came_to(&mut self, name: &str, passed: bool) {
        self.add(name, Some(passed));
    }

    fn add(&mut self, line: &str, passed: Option<bool>) {
        let line = line.trim().to_owned();
        self.runs.retain(|run| run.line != line);
        self.runs.push(TestRun {
            line,
            passed,
            is_current: true,
        });
    }

    /// Tells whether no tests ran, as far as is known.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Takes note that something was staged.
    pub fn outdate(&mut self) {
        for run in &mut self.runs {
            run.is_current = false;
        }
    }

    /// Tells whether any command ran.
    pub fn has_commands(&self) -> bool {
        self.has_others || !self.runs.is_empty()
    }

    /// Returns what came of the tests.
    pub fn state(&self) -> TestsRun {
        let Some(newest) = self.runs.last() else {
            return if self.has_others {
                TestsRun::Unknown
            } else {
                TestsRun::Never
            };
        };
        let is_settled = |run: &TestRun| {
            run.passed == Some(true) && run.is_current == newest.is_current
                || repeats(&newest.line, &run.line)
        };
        match newest.passed {
            Some(true) if self.runs.iter().all(is_settled) => TestsRun::Passed {
                is_current: newest.is_current,
            },
            Some(false) if newest.is_current => TestsRun::Failed {
                line: newest.line.clone(),
            },
            _ => TestsRun::Unclear,
        }
    }
}

/// Tells whether a line runs all tests that another one did: it has no word that the other has not.
///
/// ```text
/// pytest -q    repeats    pytest tests/test_a.py
/// pytest tests/test_a.py  repeats not    pytest
/// ```
fn repeats(newer: &str, older: &str) -> bool {
    const WORDINESS: [&str; 5] = ["-q", "-v", "-vv", "--quiet", "--verbose"];
    let older: Vec<&str> = older.split_whitespace().collect();
    let mut words = newer.split_whitespace();
    words.all(|word| older.contains(&word) || WORDINESS.contains(&word))
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
    fn the_newest_run_counts() {
        let failed = |line: &str| TestsRun::Failed {
            line: line.to_owned(),
        };
        let passed = |is_current| TestsRun::Passed { is_current };
        // `*` is an edit, `!` before a line that it failed.
        let table: [(&[&str], TestsRun); 12] = [
            (&[], TestsRun::Never),
            (&["ls"], TestsRun::Unknown),
            (&["bin/rails test"], TestsRun::Unknown),
            (&["pytest"], passed(true)),
            (&["pytest", "*"], passed(false)),
            (&["!pytest"], failed("pytest")),
            (&["!pytest", "*"], TestsRun::Unclear),
            (&["!pytest a.py", "*", "pytest -q"], passed(true)),
            (&["!pytest", "*", "pytest a.py"], TestsRun::Unclear),
            (&["pytest", "*", "pytest a.py"], TestsRun::Unclear),
            (&["!cargo test", "pytest"], TestsRun::Unclear),
            (&["cargo test", "pytest"], passed(true)),
        ];
        for (lines, expected) in table {
            let mut log = TestLog::default();
            for line in lines {
                match (line, line.strip_prefix('!')) {
                    (&"*", _) => log.outdate(),
                    (_, Some(line)) => log.ran(line, false),
                    (line, None) => log.ran(line, true),
                }
            }
            assert_eq!(log.state(), expected, "{lines:?}");
        }
    }
}
