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
    /// All commands, newest last.
    commands: Vec<RanCommand>,
}

/// A command that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RanCommand {
    pub(super) line: String,
    /// Whether it passed; none where its exit code does not tell.
    passed: Option<bool>,
    /// Whether nothing was staged since.
    pub(super) is_current: bool,
}

/// A run of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TestRun {
    line: String,
    /// Whether it passed; none where its exit code does not tell.
    passed: Option<bool>,
    /// Whether nothing was staged since.
    is_current: bool,
    /// How many tests it had, where it said so.
    count: Option<usize>,
}

impl TestLog {
    /// Takes note of a command.
    pub fn ran(&mut self, line: &str, passed: bool) {
        let passed = exit_code_is_of_all(line).then_some(passed);
        self.push(line, passed);
        if is_of_tests(line) {
            self.add(line, passed);
        }
    }

    /// Takes what the newest command printed.
    pub fn printed(&mut self, out: &str, err: &str) {
        let newest = self.commands.last().map(|command| command.line.trim());
        if let Some(run) = self.runs.last_mut().filter(|run| newest == Some(&run.line)) {
            run.count = count_in(out, err);
        }
    }

    fn push(&mut self, line: &str, passed: Option<bool>) {
        self.commands.push(RanCommand {
            line: line.to_owned(),
            passed,
            is_current: true,
        });
    }

    /// Takes note of how a run of tests ended.
    pub fn came_to(&mut self, name: &str, passed: bool) {
        self.push(name, Some(passed));
        self.add(name, Some(passed));
    }

    fn add(&mut self, line: &str, passed: Option<bool>) {
        let line = line.trim().to_owned();
        self.runs.retain(|run| run.line != line);
        self.runs.push(TestRun {
            line,
            passed,
            is_current: true,
            count: None,
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
        for command in &mut self.commands {
            command.is_current = false;
        }
    }

    /// Tells whether a command ran that may make or remove files that no hunk has.
    pub fn may_make_files(&self) -> bool {
        self.commands.iter().any(|RanCommand { line, .. }| {
            let mut words = line.split(|c: char| c.is_whitespace() || c == '/');
            !is_of_tests(line)
                && !words.any(|word| tool_kind(word).is_some() || has_word(BUILDS, word))
        })
    }

    /// Returns what came of the tests.
    pub fn state(&self) -> TestsRun {
        let Some(newest) = self.runs.last() else {
            return if self.has_opaque() {
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

/// What a command checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckKind {
    Tests,
    Lint,
    Types,
    Build,
}

/// What became of a command that a message names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamedRun {
    Passed,
    Failed,
    /// Nothing like it ran.
    Never,
    /// It may have run within another one, or its outcome is not known.
    Unknown,
}

impl TestLog {
    /// Returns what became of the newest command that has the words of a name: `prettier --check` of `npx prettier --check src`.
    pub(super) fn named(&self, name: &str) -> NamedRun {
        let said: Vec<&str> = name
            .split_whitespace()
            .filter(|word| *word != "npx")
            .collect();
        let is_it = |line: &str| {
            let words: Vec<&str> = line
                .split_whitespace()
                .map(|word| {
                    word.rsplit('/')
                        .next()
                        .filter(|it| !it.is_empty() && *it != "...")
                        .unwrap_or(word)
                })
                .chain(line.split_whitespace())
                .collect();
            said.iter().all(|word| {
                let is_alias = |it: &&str| *it == *word || aliases(word).contains(it);
                words.iter().any(is_alias) || *word == "run" || *word == "-q"
            })
        };
        self.newest(is_it)
    }

    fn newest(&self, is_it: impl Fn(&str) -> bool) -> NamedRun {
        let mut found = self.commands.iter().rev();
        let found = found.find(|command| is_it(&command.line));
        match found.map(|command| command.passed) {
            Some(Some(true)) => NamedRun::Passed,
            Some(Some(false)) => NamedRun::Failed,
            Some(None) => NamedRun::Unknown,
            None if self.has_opaque() => NamedRun::Unknown,
            None => NamedRun::Never,
        }
    }

    /// Returns what became of the newest command of a kind.
    pub(super) fn of_kind(&self, kind: CheckKind) -> NamedRun {
        let is_of_kind = |line: &str| {
            let mut words = line.split(|c: char| c.is_whitespace() || c == '/');
            words.any(|word| {
                tool_kind(word) == Some(kind) || kind == CheckKind::Build && has_word(BUILDS, word)
            }) || kind == CheckKind::Build && is_of_tests(line)
                || kind == CheckKind::Lint && line.contains("fmt")
        };
        self.newest(is_of_kind)
    }

    /// Returns a run of tests that names a file or folder, where no run is of all.
    pub(super) fn partial(&self) -> Option<&str> {
        let is_part = |line: &str| {
            let mut words = line.split_whitespace().skip(1);
            words.any(|word| {
                !word.starts_with('-')
                    && word != "./..."
                    && (word.contains('/') || word.contains("::") || word.contains("test_"))
            })
        };
        let newest = self.runs.last()?;
        let is_all_part = self.runs.iter().all(|run| is_part(&run.line));
        is_all_part.then_some(newest.line.as_str())
    }

    /// Returns a run of tests that failed, with nothing staged since and no run that repeats it.
    pub(super) fn failed(&self) -> Option<&str> {
        let newest = self.runs.last()?;
        let is_failed = |run: &&TestRun| {
            run.passed == Some(false) && run.is_current && !repeats(&newest.line, &run.line)
        };
        self.runs
            .iter()
            .find(is_failed)
            .map(|run| run.line.as_str())
    }

    /// Returns a check other than tests that failed when it ran last.
    pub(super) fn failed_check(&self) -> Option<&RanCommand> {
        let is_check = |line: &str| {
            let mut words = line.split(|c: char| c.is_whitespace() || c == '/');
            words.any(|word| tool_kind(word).is_some_and(|kind| kind != CheckKind::Tests))
        };
        let mut newest: Vec<&RanCommand> = Vec::new();
        for command in self.commands.iter().rev() {
            if !newest
                .iter()
                .any(|newer| repeats(&newer.line, &command.line))
            {
                newest.push(command);
            }
        }
        newest
            .into_iter()
            .find(|it| it.passed == Some(false) && is_check(&it.line))
    }

    /// Returns how many tests the newest run had, where it said so and is of all that ran.
    pub(super) fn count(&self) -> Option<usize> {
        let newest = self.runs.last()?;
        let mut runs = self.runs.iter();
        let is_of_all = runs.all(|run| repeats(&newest.line, &run.line));
        newest.count.filter(|_| is_of_all)
    }

    /// Tells whether a command ran that may have run any other: a script, or a target of a build tool.
    fn has_opaque(&self) -> bool {
        self.commands.iter().any(|RanCommand { line, .. }| {
            let commands = simple_commands(line);
            !is_of_tests(line)
                && (commands.is_empty() || commands.iter().any(|words| is_opaque(words)))
        })
    }
}

/// Tells whether a command may have run any other: a script, or a target of a build tool.
fn is_opaque(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (first, rest) = match words.as_slice() {
        [first, rest @ ..] => (*first, rest),
        [] => return true,
    };
    let is_own = |word: &&str| has_word(BUILDS, word) || tool_kind(word).is_some();
    let is_plain = match first {
        "npx" | "bunx" | "bundle" | "poetry" | "uv" => {
            rest.iter().any(|word| tool_kind(word).is_some())
        }
        "cargo" | "go" | "npm" | "yarn" | "pnpm" | "mvn" | "./gradlew" | "gradle" | "make" => {
            const KNOWN: [&str; 11] = [
                "clippy", "fmt", "vet", "doc", "mod", "get", "ci", "i", "run", "lint", "format",
            ];
            let is_script = |word: &str| {
                matches!(word, "dev" | "start")
                    || is_own(&word)
                    || KNOWN.contains(&word)
                    || word.starts_with('-')
                    || word.contains('/')
            };
            rest.iter()
                .take_while(|word| **word != "--")
                .all(|word| is_script(word))
        }
        "node" | "python" | "python3" | "ruby" => rest.first().is_some_and(|file| {
            const RUNNING: [&str; 5] = ["run", "check", "manage", "test", "verify"];
            !file.starts_with('-') && !RUNNING.iter().any(|word| file.contains(word))
        }),
        "cc" | "gcc" | "clang" | "rustc" | "javac" | "helm" | "terraform" => true,
        _ => has_word(PLAIN, first) || is_own(&first),
    };
    !is_plain
}

/// Returns other words of a command line that mean a program.
fn aliases(word: &str) -> &'static [&'static str] {
    match word {
        "pytest" => &["py.test"],
        "maven" => &["mvn", "mvnw"],
        "gradle" => &["gradlew"],
        "clippy" => &["cargo-clippy"],
        "typescript" => &["tsc"],
        _ => &[],
    }
}

/// Words of command lines that build.
const BUILDS: &str = "\
    build check compile compileJava install assemble gcc cc clang rustc javac tsc package make";

/// Programs that check, as messages name them.
pub(super) fn tool_kind(word: &str) -> Option<CheckKind> {
    Some(match word {
        "pytest" | "rspec" | "vitest" | "jest" | "mocha" | "unittest" | "minitest" | "phpunit"
        | "bats" | "junit" | "tox" | "nox" => CheckKind::Tests,
        "eslint" | "ruff" | "flake8" | "pylint" | "clippy" | "rubocop" | "checkstyle"
        | "shellcheck" | "golangci-lint" | "prettier" | "gofmt" | "rustfmt" | "isort" | "black"
        | "stylelint" | "clang-tidy" | "hadolint" | "yamllint" | "kubeconform" | "biome"
        | "staticcheck" | "spotless" | "valgrind" | "addresssanitizer" => CheckKind::Lint,
        "mypy" | "tsc" | "pyright" => CheckKind::Types,
        _ => return None,
    })
}

/// Programs that check nothing and run no other.
const PLAIN: &str = "ls cat git grep rg sed find echo cd mkdir rm cp mv head tail wc pwd diff";

/// Programs that may run others, as messages name them.
const OTHERS: &str =
    "npx bundle cc gcc clang rustc javac helm docker terraform uv poetry bin/rails";

fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|it| it == word)
}

/// Returns how many tests a run says that it had; none where it says so in no form that is known, or speaks of some that did not
/// pass.
///
/// ```text
/// Ran 3 tests in 0.001s                     3
/// ===== 2 passed in 0.01s =====             2
/// test result: ok. 2 passed; 0 failed       2, and those of other such lines
/// ```
fn count_in(out: &str, err: &str) -> Option<usize> {
    const OTHERS: &str = "failed failing skipped ignored xfailed xpassed pending todo deselected";
    let mut sum = None;
    for line in out.lines().chain(err.lines()) {
        let line = line.trim().trim_matches('=').trim();
        let is_total = ["test result: ", "Tests", "Ran "]
            .iter()
            .any(|it| line.starts_with(it))
            || line.starts_with(|c: char| c.is_ascii_digit());
        let is_of_files = line.starts_with("Test Files") || line.starts_with("Test Suites");
        if !is_total || is_of_files {
            continue;
        }
        let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            let (Some(Ok(count)), Some(of)) =
                (pair.first().map(|it| it.parse::<usize>()), pair.get(1))
            else {
                continue;
            };
            let is_ran = line.starts_with("Ran ") && matches!(*of, "test" | "tests");
            if is_ran || matches!(*of, "passed" | "passing") {
                sum = Some(sum.unwrap_or(0) + count);
            } else if count > 0 && has_word(OTHERS, of) {
                return None;
            }
        }
    }
    sum
}

/// Tells whether a word is a program, as the first word of a command line in a message.
pub(super) fn is_program(word: &str) -> bool {
    has_word(PLAIN, word)
        || has_word(OTHERS, word)
        || has_word(RUNNERS, word)
        || has_word(BUILDERS, word)
        || has_word(INTERPRETERS, word)
        || tool_kind(word).is_some()
        || has_word(WITH_TEST, word)
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
const RUNNERS: &str = "pytest py.test tox nox jest vitest mocha rspec phpunit ctest bats";

/// Programs whose first argument says that they run tests.
const WITH_TEST: &str = "cargo go deno dotnet swift mix bun npm pnpm yarn sbt stack";

/// Programs that build what they are named.
const BUILDERS: &str = "make gradle gradlew mvn mvnw just task rake ninja";

/// Programs that run a file.
const INTERPRETERS: &str = "python python3 node ruby sh bash php";

/// What runs the program behind it.
const WRAPPERS: &str = "npx bunx time env xvfb-run";

/// Arguments with which no test runs.
const RUNS_NONE: &str = "--no-run --help --version --collect-only --list";

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
    if rest.iter().any(|word| has_word(RUNS_NONE, word)) {
        return false;
    }
    let name = first.rsplit('/').next().unwrap_or(first);
    let is_test = |word: &str| word.contains("test") || word.contains("spec");
    let is_test_file = |path: &str| Role::of(path) == Role::Test || is_test(&path.to_lowercase());
    match (name, rest) {
        (name, _) if has_word(WRAPPERS, name) => runs_tests(rest),
        (
            "uv" | "poetry" | "pipenv" | "hatch" | "bundle" | "pnpm" | "yarn",
            ["run" | "exec", rest @ ..],
        ) if runs_tests(rest) => true,
        ("python" | "python3", ["-m", module, ..]) => {
            has_word(RUNNERS, module) || *module == "unittest"
        }
        (name, _) if has_word(RUNNERS, name) => true,
        (name, ["run" | "run-script", script, ..]) if has_word(WITH_TEST, name) => is_test(script),
        (name, [verb, ..]) if has_word(WITH_TEST, name) => {
            matches!(*verb, "test" | "t" | "nextest")
        }
        (name, _) if has_word(BUILDERS, name) => rest.iter().any(|word| {
            !word.starts_with('-') && (is_test(word) || matches!(*word, "check" | "verify"))
        }),
        ("node", _) if rest.contains(&"--test") => true,
        (name, [file, ..]) if has_word(INTERPRETERS, name) => {
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
    fn a_run_says_how_many_tests_it_had() {
        let table = [
            ("", "Ran 3 tests in 0.001s\n\nOK", Some(3)),
            ("===== 2 passed in 0.01s =====", "", Some(2)),
            ("12 passed in 0.10s", "", Some(12)),
            ("2 passed, 1 skipped in 0.01s", "", None),
            (
                "test result: ok. 2 passed; 0 failed; 0 ignored\ntest result: ok. 3 passed; 0 failed",
                "",
                Some(5),
            ),
            (
                "Test Suites: 2 passed, 2 total\nTests:       5 passed, 5 total",
                "",
                Some(5),
            ),
            (
                " Test Files  1 passed (1)\n      Tests  4 passed (4)",
                "",
                Some(4),
            ),
            ("  6 passing (3ms)", "", Some(6)),
            ("ok  \tpkg\t0.01s", "", None),
        ];
        for (out, err, expected) in table {
            let mut log = TestLog::default();
            log.ran("pytest -q", true);
            log.printed(out, err);
            assert_eq!(log.count(), expected, "{out}{err}");
            log.ran("pytest tests/b.py", true);
            assert_eq!(log.count(), None, "two runs");
        }
    }

    #[test]
    fn a_check_that_failed_and_was_not_run_again_is_known() {
        let mut log = TestLog::default();
        log.ran("python3 -m mypy app", false);
        log.ran("pytest", true);
        let failed = log
            .failed_check()
            .map(|it| (it.line.as_str(), it.is_current));
        assert_eq!(failed, Some(("python3 -m mypy app", true)));
        log.outdate();
        assert_eq!(log.failed_check().map(|it| it.is_current), Some(false));
        log.ran("python3 -m mypy app", true);
        assert_eq!(log.failed_check(), None);
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
            (&["ls"], TestsRun::Never),
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
