//! Test files that are run on what is staged.
//!
//! In: the commands that run them. Out: each test, or a report in which only those stand that fail with what
//! is staged and do not fail without it.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use signoff_core::engine::Engine;
use signoff_verify::check::{CheckOutcome, CheckReport, Checked, Diagnostic, Severity};
use signoff_verify::process::Ended;
use signoff_verify::shadow::{Origin, Shadow};
use signoff_verify::suite::{Framework, SuiteCommand, TestCase, TestStatus};

use super::{Before, Bench, SIGNALLED, TIMEOUT, by_signal, reason, too_much};
use crate::notice::one_line;
use crate::shadow::{self, ShadowError};
use crate::tool::lock;

/// Lines and characters of what a failing test says: where, what, and both values of a comparison.
const SAID_LINES: usize = 4;
const SAID_CHARS: usize = 300;
/// Failing tests that are told.
const MOST_TOLD: usize = 50;

/// What came of the test files of one framework.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteRun {
    /// What ran them.
    pub framework: Framework,
    /// The tests.
    pub cases: Vec<TestCase>,
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

/// Runs test files on what is staged. `stop` ends them.
pub fn run_tests(
    engine: &Mutex<Engine>,
    bench: &Bench,
    commands: &[SuiteCommand],
    stop: &AtomicBool,
) -> Result<Vec<SuiteRun>, ShadowError> {
    let bench = &bench.hiding(engine)?;
    let staged = shadow::staged(&mut lock(engine))?;
    let mut before = Before::new(bench);
    let mut shadow = bench.open_on(Origin::Tests, before.shadow()?)?;
    shadow.stage(staged)?;
    let each = commands.iter();
    each.map(|command| bench.suite(&shadow, command, stop))
        .collect()
}

/// Runs test files on what is staged, as a check.
pub fn tested(
    engine: &Mutex<Engine>,
    bench: &Bench,
    commands: &[SuiteCommand],
    stop: &AtomicBool,
) -> Result<CheckReport, ShadowError> {
    let runs = run_tests(engine, bench, commands, stop)?;
    let mut before = Before::new(bench);
    let mut report = CheckReport::default();
    for (command, run) in commands.iter().zip(runs) {
        let failing = |case: &&TestCase| case.status == TestStatus::Failed;
        let known: HashSet<String> = if run.cases.iter().any(|case| failing(&case)) {
            let earlier = bench.suite(before.shadow()?, command, stop)?;
            let failed = earlier.cases.iter().filter(failing);
            failed.map(|case| case.test.clone()).collect()
        } else {
            HashSet::new()
        };
        let name = run.framework.to_string();
        let new = run.cases.iter().filter(failing);
        let new: Vec<Diagnostic> = new
            .filter(|case| !known.contains(&case.test))
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
    let said = case.message.lines().map(str::trim);
    let said = said.filter(|line| !line.is_empty() && !line.starts_with("note: "));
    let said: Vec<&str> = said.take(SAID_LINES).collect();
    Diagnostic {
        check: check.to_owned(),
        path: file.unwrap_or_default().to_owned(),
        line: 0,
        column: 0,
        severity: Severity::Error,
        code: String::new(),
        message: one_line(
            &format!("the test {} fails: {}", case.test, said.join(" ")),
            SAID_CHARS,
        ),
    }
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
        let failed = |why: String| Some(SuiteFailure::Failed(why));
        let failed = match report.ended {
            Ended::TimedOut => Some(SuiteFailure::TimedOut),
            Ended::Stopped => Some(SuiteFailure::Stopped),
            Ended::Exit(_) if report.out.is_cut() || report.err.is_cut() => failed(too_much()),
            Ended::Exit(0) if cases.is_empty() => {
                failed("it ended well and ran no test".to_owned())
            }
            Ended::Exit(0) => None,
            Ended::Exit(code) if code > SIGNALLED => failed(by_signal(code - SIGNALLED)),
            Ended::Signal(signal) => failed(by_signal(signal)),
            Ended::Exit(_) if told => None,
            Ended::Exit(_) => failed(reason(&err, &out)),
        };
        Ok(SuiteRun {
            framework: command.framework,
            cases,
            failed,
            took: began.elapsed(),
        })
    }
}
