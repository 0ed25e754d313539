//! Test files that are run on what is staged.
//!
//! In: the commands that run them. Out: each test, or a report in which only those stand that fail with what
//! is staged and do not fail without it.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use signoff_checks::check::{CheckOutcome, CheckReport, Checked, Diagnostic, Severity};
use signoff_checks::suite::{Framework, SuiteCommand, TestCase, TestStatus};
use signoff_core::engine::Engine;
use signoff_sandbox::process::Ended;
use signoff_sandbox::shadow::{Origin, Shadow};

use super::{Before, Bench, SIGNALLED, TIMEOUT, by_signal, reason, too_much};
use crate::notice::one_line;
use crate::shadow::ShadowError;
use crate::tool::lock;

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
    /// They took too long.
    #[error("ended after {TIMEOUT} s")]
    TimedOut,
    /// Nobody waited any more.
    #[error("ended")]
    Stopped,
    /// What runs them failed.
    #[error("{0}")]
    Failed(String),
}

/// Runs test files on what is staged, and those with failing tests also without it. `stop` ends them.
pub fn run_tests(
    engine: &Mutex<Engine>,
    bench: &Bench,
    commands: &[SuiteCommand],
    stop: &AtomicBool,
) -> Result<Vec<SuiteRun>, ShadowError> {
    let bench = &bench.hiding(engine)?;
    let staged = lock(engine).for_program()?;
    let mut before = Before::new(bench);
    let mut shadow = bench.open_on(Origin::Tests, before.shadow()?)?;
    shadow.stage(staged)?;
    let each = commands.iter();
    let runs: Result<Vec<SuiteRun>, ShadowError> = each
        .map(|command| bench.suite(&shadow, command, stop))
        .collect();
    drop(shadow);
    let mut runs = runs?;
    let mut before = Before::new(bench);
    for (command, run) in commands.iter().zip(&mut runs) {
        if run.failing().next().is_some() {
            let earlier = bench.suite(before.shadow()?, command, stop)?;
            run.known = earlier.failing().map(|case| case.test.clone()).collect();
        }
    }
    Ok(runs)
}

impl SuiteRun {
    fn failing(&self) -> impl Iterator<Item = &TestCase> {
        let cases = self.cases.iter();
        cases.filter(|case| case.status == TestStatus::Failed)
    }
}

/// Runs test files on what is staged, as a check.
pub fn tested(
    engine: &Mutex<Engine>,
    bench: &Bench,
    commands: &[SuiteCommand],
    stop: &AtomicBool,
) -> Result<CheckReport, ShadowError> {
    let runs = run_tests(engine, bench, commands, stop)?;
    let mut report = CheckReport::default();
    for run in runs {
        let name = run.framework.to_string();
        let new = run.failing();
        let new: Vec<Diagnostic> = new
            .filter(|case| !run.known.contains(&case.test))
            .map(|case| diagnostic(&name, case))
            .collect();
        let passed = run.cases.iter();
        let passed = passed.filter(|case| case.status == TestStatus::Passed);
        let outcome = match run.failed {
            None => CheckOutcome::Tested {
                passed: passed.count(),
                failed: new.len(),
            },
            Some(SuiteFailure::TimedOut) => CheckOutcome::TimedOut,
            Some(SuiteFailure::Stopped) => CheckOutcome::Stopped,
            Some(SuiteFailure::Failed(why)) => CheckOutcome::Failed { why },
        };
        report.new.extend(new.into_iter().take(MOST_TOLD));
        report.checks.push(Checked {
            name,
            outcome,
            took_ms: u64::try_from(run.took.as_millis()).unwrap_or(u64::MAX),
        });
    }
    Ok(report)
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

fn says_value(line: &str) -> bool {
    let line = line.trim_start_matches(['-', '+', ' ']);
    line.starts_with("Expected") || line.starts_with("Received")
}

impl Bench {
    fn suite(
        &self,
        shadow: &Shadow,
        command: &SuiteCommand,
        stop: &AtomicBool,
    ) -> Result<SuiteRun, ShadowError> {
        let began = Instant::now();
        let words = (command.program.as_str(), command.arguments.as_slice());
        let timeout = Duration::from_secs(TIMEOUT);
        let report = self.run(shadow, words, &command.folder, timeout, stop)?;
        let (out, err) = (report.out.text(), report.err.text());
        let cases = command.framework.read(&out);
        let told = cases.iter().any(|case| case.status == TestStatus::Failed);
        let why = match report.ended {
            Ended::TimedOut => Some(SuiteFailure::TimedOut),
            Ended::Stopped => Some(SuiteFailure::Stopped),
            Ended::Exit(_) if report.out.is_cut() || report.err.is_cut() => {
                Some(SuiteFailure::Failed(too_much()))
            }
            Ended::Exit(0) if cases.is_empty() => Some(SuiteFailure::Failed(
                "it ended well and ran no test".to_owned(),
            )),
            Ended::Exit(0) => None,
            Ended::Exit(code) if code > SIGNALLED => {
                Some(SuiteFailure::Failed(by_signal(code - SIGNALLED)))
            }
            Ended::Signal(signal) => Some(SuiteFailure::Failed(by_signal(signal))),
            Ended::Exit(_) if told => None,
            Ended::Exit(_) => Some(SuiteFailure::Failed(reason(&err, &out))),
        };
        Ok(SuiteRun {
            framework: command.framework,
            cases,
            known: HashSet::new(),
            failed: why,
            took: began.elapsed(),
        })
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
