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
    /// All commands, newest last, with whether they passed.
    commands: Vec<(String, Option<bool>)>,
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
        self.commands
            .push((line.to_owned(), exit_code_is_of_all(line).then_some(passed)));
        if is_of_tests(line) {
            self.add(line, exit_code_is_of_all(line).then_some(passed));
        }
    }

    /// Takes note of how a run of tests ended.
    pub fn came_to(&mut self, name: &str, passed: bool) {
        self.commands.push((name.to_owned(), Some(passed)));
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

    /// Tells whether a command ran that may make or remove files that no hunk has.
    pub fn may_make_files(&self) -> bool {
        self.commands.iter().any(|(line, _)| {
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
        let mut found = self.commands.iter().rev().filter(|(line, _)| is_it(line));
        match found.next() {
            Some((_, Some(true))) => NamedRun::Passed,
            Some((_, Some(false))) => NamedRun::Failed,
            Some((_, None)) => NamedRun::Unknown,
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

    /// Tells whether a command ran that may have run any other: a script, or a target of a build tool.
    fn has_opaque(&self) -> bool {
        self.commands.iter().any(|(line, _)| {
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
