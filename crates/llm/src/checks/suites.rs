//! Test files that are run on what is staged.
//!
//! In: the commands that run them. Out: each test, or a report in which only those stand that fail with what
//! is staged and do not fail without it.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use signoff_checks::check::{CheckOutcome, CheckReport, CheckStep, Checked, Diagnostic, Severity};
use signoff_checks::suite::{Framework, SuiteCommand, SuiteTimes, TestCase, TestStatus};
use signoff_core::engine::Engine;
use signoff_sandbox::process::Ended;
use signoff_sandbox::shadow::{Origin, Shadow};

use super::{Before, Bench, NOT_RUN, SIGNALLED, TIMEOUT, by_signal, reason, too_much};
use crate::notice::one_line;
use crate::shadow::ShadowError;
use crate::tool::lock;
use crate::verified::CheckWatch;

/// Seconds that all tests of a project may run: the user asked for them, and can go on meanwhile.
const TIMEOUT_ALL: u64 = 600;
/// Lines and characters of what a failing test says: where, what, and both values of a comparison.
const SAID_LINES: usize = 4;
const SAID_CHARS: usize = 300;
/// Failing tests that are named: a mistake in what all of them use fails thousands.
const MOST_TOLD: usize = 50;

/// What came of the test files of one framework.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteRun {
    /// What ran them.
    pub framework: Framework,
    /// The tests.
    pub cases: Vec<TestCase>,
    /// Those of the failing ones that fail without what is staged too.
    pub known: HashSet<String>,
    /// Why it failed, where no test says so.
    pub failed: Option<SuiteFailure>,
    /// How long it took.
    pub took: Duration,
}

/// Why test files could not be run to their end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SuiteFailure {
    /// They took longer than these seconds.
    #[error("ended after {0} s")]
    TimedOut(u64),
    /// Nobody waited any more.
    #[error("ended")]
    Stopped,
    /// What runs them failed.
    #[error("{0}")]
    Failed(String),
}

/// Runs test files on what is staged, and those with failing tests also without it. `stop` ends them; `begins` is called
/// before each.
///
/// Tests that are compiled run without what is staged first, if no run of theirs is on record: what that builds stays, and a
/// run on staged files leaves nothing.
pub fn run_tests(
    engine: &Mutex<Engine>,
    bench: &Bench,
    commands: &[SuiteCommand],
    (stop, begins): CheckWatch<'_>,
) -> Result<Vec<SuiteRun>, ShadowError> {
    let mut times = SuiteTimes::load(&bench.setup.layers);
    let bench = &bench.hiding(engine)?;
    let staged = lock(engine).for_program()?;
    let mut before = Before::new(bench);
    let begins = |number: usize, command: &SuiteCommand| {
        begins(CheckStep {
            name: command.framework.to_string(),
            number: number + 1,
            of: commands.len(),
        });
    };
    let mut earlier: Vec<Option<SuiteRun>> = Vec::new();
    for (number, command) in commands.iter().enumerate() {
        let is_first = command.framework.compiles() && times.last(command).is_none();
        earlier.push(if is_first {
            begins(number, command);
            Some(bench.suite(before.shadow()?, command, stop)?)
        } else {
            None
        });
    }
    let mut shadow = bench.open_on(Origin::Tests, before.shadow()?)?;
    shadow.stage(staged)?;
    let mut runs = Vec::new();
    for (number, command) in commands.iter().enumerate() {
        begins(number, command);
        let run = bench.suite(&shadow, command, stop)?;
        // What was stopped says nothing of how long it takes.
        if run.failed != Some(SuiteFailure::Stopped) {
            times.note(command, run.took)?;
        }
        runs.push(run);
    }
    drop(shadow);
    for ((command, run), earlier) in commands.iter().zip(&mut runs).zip(earlier) {
        if run.failing().next().is_none() {
            continue;
        }
        let earlier = match earlier {
            Some(earlier) => earlier,
            None => bench.suite(before.shadow()?, command, stop)?,
        };
        run.known = earlier.failing_tests();
    }
    Ok(runs)
}

impl SuiteRun {
    /// Returns that of test files which were not run.
    pub(super) fn unasked(command: &SuiteCommand) -> Self {
        Self {
            framework: command.framework,
            cases: Vec::new(),
            known: HashSet::new(),
            failed: None,
            took: Duration::ZERO,
        }
    }

    /// Returns the names of the tests that failed.
    pub(super) fn failing_tests(&self) -> HashSet<String> {
        self.failing().map(|case| case.test.clone()).collect()
    }

    /// Returns whether a test fails that passes without what is staged.
    pub fn fails_newly(&self) -> bool {
        let mut failing = self.failing();
        failing.any(|case| !self.known.contains(&case.test))
    }

    /// Returns the tests that passed.
    pub(super) fn passed(&self) -> impl Iterator<Item = &str> {
        self.passed_cases().map(|case| case.test.as_str())
    }

    fn passed_cases(&self) -> impl Iterator<Item = &TestCase> {
        let cases = self.cases.iter();
        cases.filter(|case| case.status == TestStatus::Passed)
    }

    pub(super) fn failing(&self) -> impl Iterator<Item = &TestCase> {
        let cases = self.cases.iter();
        cases.filter(|case| case.status == TestStatus::Failed)
    }
}

/// Runs test files on what is staged, as a check.
pub fn tested(
    engine: &Mutex<Engine>,
    bench: &Bench,
    commands: &[SuiteCommand],
    watch: CheckWatch<'_>,
) -> Result<CheckReport, ShadowError> {
    let runs = run_tests(engine, bench, commands, watch)?;
    Ok(suite_report(&runs, commands))
}

/// Returns what came of test files, as a check.
pub fn suite_report(runs: &[SuiteRun], commands: &[SuiteCommand]) -> CheckReport {
    let mut report = CheckReport::default();
    for (run, command) in runs.iter().zip(commands) {
        let name = run.framework.to_string();
        let is_known = |case: &&TestCase| run.known.contains(&case.test);
        let new: Vec<Diagnostic> = run
            .failing()
            .filter(|case| !is_known(case))
            .map(|case| diagnostic(&name, case))
            .collect();
        let outcome = match &run.failed {
            None => CheckOutcome::Tested {
                passed: run.passed_cases().map(|case| case.count).sum(),
                failed: new.len(),
                known: run.failing().filter(is_known).count(),
                files: command.files.clone(),
            },
            Some(SuiteFailure::TimedOut(_)) => CheckOutcome::TimedOut,
            Some(SuiteFailure::Stopped) => CheckOutcome::Stopped,
            Some(SuiteFailure::Failed(why)) => CheckOutcome::Failed { why: why.clone() },
        };
        report.new.extend(new.into_iter().take(MOST_TOLD));
        report.checks.push(Checked {
            name,
            outcome,
            took_ms: u64::try_from(run.took.as_millis()).unwrap_or(u64::MAX),
        });
    }
    report
}

/// Returns a failing test as a diagnostic; of pytest's names, the part before `::` is the file.
fn diagnostic(check: &str, case: &TestCase) -> Diagnostic {
    let file = case.test.split_once("::").map(|(file, _)| file);
    let file = file.filter(|file| file.ends_with(".py"));
    let said = said(&case.message);
    Diagnostic {
        check: check.to_owned(),
        path: file.unwrap_or_default().to_owned(),
        line: 0,
        column: 0,
        severity: Severity::Error,
        code: String::new(),
        message: one_line(&format!("the test {} fails: {said}", case.test), SAID_CHARS),
    }
}

/// Returns what a failing test says, on one line: its first lines, and both values of a comparison, which in a matcher's
/// message stand behind a hint and a comment.
fn said(message: &str) -> String {
    let lines = message.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("note: "));
    // A difference has them behind `-` and `+`.
    let lines: Vec<&str> = lines.collect();
    let values = lines
        .iter()
        .copied()
        .filter(|line| says_value(line))
        .take(SAID_LINES - 1);
    let values: Vec<&str> = values.collect();
    let others = lines.iter().copied().filter(|line| !says_value(line));
    let first = others.take(SAID_LINES - values.len());
    first.chain(values).collect::<Vec<_>>().join(" ")
}

/// Says which setting shows programs a path.
fn how_to_show(path: &impl fmt::Display) -> String {
    format!("`show = [\"{path}\"]` below [run] of the configuration shows it")
}

fn says_value(line: &str) -> bool {
    let line = line.trim_start_matches(['-', '+', ' ']);
    line.starts_with("Expected") || line.starts_with("Received")
}

/// Returns how long test files may run unless another limit is given.
pub(super) fn suite_limit(command: &SuiteCommand) -> Duration {
    Duration::from_secs(if command.files.is_empty() {
        TIMEOUT_ALL
    } else {
        TIMEOUT
    })
}

impl Bench {
    pub(super) fn suite(
        &self,
        shadow: &Shadow,
        command: &SuiteCommand,
        stop: &AtomicBool,
    ) -> Result<SuiteRun, ShadowError> {
        self.suite_within(shadow, command, suite_limit(command), stop)
    }

    /// Runs test files, which are ended after a time.
    pub(super) fn suite_within(
        &self,
        shadow: &Shadow,
        command: &SuiteCommand,
        timeout: Duration,
        stop: &AtomicBool,
    ) -> Result<SuiteRun, ShadowError> {
        let began = Instant::now();
        let ended = |cases, failed| SuiteRun {
            framework: command.framework,
            cases,
            known: HashSet::new(),
            failed,
            took: began.elapsed(),
        };
        if let Some(folder) = self.setup.unseen_of_program(Path::new(&command.program)) {
            let folder = folder.display();
            let why = format!(
                "{} leads to {folder}, which programs do not see; {}",
                command.program,
                how_to_show(&folder)
            );
            return Ok(ended(Vec::new(), Some(SuiteFailure::Failed(why))));
        }
        let words = (command.program.as_str(), command.arguments.as_slice());
        let report = self.run(shadow, words, &command.folder, timeout, stop)?;
        let (out, err) = (report.out.text(), report.err.text());
        let mut cases = command.framework.read(&out, &err);
        let names_failing = cases.iter().any(|case| case.status == TestStatus::Failed);
        // All tests as one, where only the exit code tells.
        let whole = |status, message: String| TestCase {
            test: command.line(),
            status,
            count: 1,
            message,
        };
        let lacking = match report.ended {
            Ended::Exit(code) if code != 0 && !names_failing => {
                self.lacking((&command.program, code), &command.folder, (&err, &out))
            }
            _ => None,
        };
        let is_opaque = matches!(command.framework, Framework::Script | Framework::Configured);
        let failed = match report.ended {
            Ended::TimedOut => Some(SuiteFailure::TimedOut(timeout.as_secs())),
            Ended::Stopped => Some(SuiteFailure::Stopped),
            Ended::Exit(_) if report.out.is_cut() || report.err.is_cut() => {
                Some(SuiteFailure::Failed(too_much()))
            }
            Ended::Exit(0) if cases.is_empty() && command.framework.names_tests() => Some(
                SuiteFailure::Failed("it ended well and ran no test".to_owned()),
            ),
            Ended::Exit(0) => {
                if cases.is_empty() {
                    cases.push(whole(TestStatus::Passed, String::new()));
                }
                None
            }
            Ended::Exit(code) if code > SIGNALLED => {
                Some(SuiteFailure::Failed(by_signal(code - SIGNALLED)))
            }
            Ended::Signal(signal) => Some(SuiteFailure::Failed(by_signal(signal))),
            Ended::Exit(_) if names_failing => None,
            Ended::Exit(_) if let Some(why) = &lacking => Some(SuiteFailure::Failed(why.clone())),
            Ended::Exit(code) if is_opaque && !NOT_RUN.contains(&code) => {
                cases.push(whole(TestStatus::Failed, reason(&err, &out)));
                None
            }
            Ended::Exit(_) => {
                let mut why = reason(&err, &out);
                for path in self.setup.unseen(&format!("{err}\n{out}")) {
                    let path = path.display();
                    why += &format!("; {path} is not shown to programs; {}", how_to_show(&path));
                }
                Some(SuiteFailure::Failed(why))
            }
        };
        Ok(ended(cases, failed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_test_says_what_and_both_values() {
        for (message, expected) in [
            ("assert 1 == 2\n", "assert 1 == 2"),
            ("a\nnote: run with\n\nb\nc\nd\ne\n", "a b c d"),
            (
                "Error: expect(received).toBe(expected)\n\nthe sum\nof all\nparts\n\nExpected: 3\nReceived: 2\n",
                "Error: expect(received).toBe(expected) the sum Expected: 3 Received: 2",
            ),
        ] {
            assert_eq!(said(message), expected, "{message}");
        }
    }
}
