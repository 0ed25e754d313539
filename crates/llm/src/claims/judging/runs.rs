//! Judges what is said of checks: tests, linters, type checkers, builds and other commands that ran.
//!
//! ```text
//! "`ruff check` is clean"      no command that ran has these words
//! "the full suite passes"      `pytest tests/test_a.py` is all that ran
//! ```

use signoff_core::plural::counted;
use signoff_core::quote;

use super::super::frame::Frame;
use super::super::lexicon::{Act, Lexeme, Mark, Thing, lexeme};
use super::super::test_log::{CheckKind, NamedRun, TestsRun, tool_kind};
use super::{Finding, Judge};

/// What a frame says of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CheckResult {
    Passed,
    Failed,
    Ran,
    NotRun,
}

impl Judge<'_> {
    /// Judges what is said of the outcome of checks.
    pub(super) fn runs(&self, frame: &Frame) -> Finding {
        let Some(result) = result_of(frame) else {
            return Finding::Open;
        };
        let mut findings: Vec<Finding> = Vec::new();
        for name in frame.names() {
            if is_command(name) {
                findings.push(self.named_run(name, result));
            }
        }
        let has_commands = !findings.is_empty();
        for word in frame
            .text
            .split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'))
        {
            if tool_kind(word).is_some_and(|kind| kind != CheckKind::Tests) && !has_commands {
                findings.push(self.named_run(word, result));
            }
        }
        let kinds = [
            (Thing::Lint, CheckKind::Lint, "no linter ran"),
            (Thing::Types, CheckKind::Types, "no type checker ran"),
            (Thing::Build, CheckKind::Build, "nothing was built"),
        ];
        if findings.is_empty() {
            for (thing, kind, instead) in kinds {
                if frame.has_thing(&[thing]) && result == CheckResult::Passed {
                    findings.push(self.kind_run(kind, instead));
                }
            }
        }
        let mut words = frame.text.split(|c: char| !c.is_alphanumeric());
        let has_runner = words.any(|word| tool_kind(word) == Some(CheckKind::Tests));
        let is_of_tests = frame.has_thing(&[Thing::Test, Thing::Suite])
            || has_runner
            || frame.things.is_empty() && frame.unknown == 0 && frame.names().next().is_none();
        if is_of_tests && !has_commands {
            findings.push(self.tests_run(frame, result));
            findings.extend(
                frame
                    .count
                    .map(|count| self.tests_counted(count, frame, result)),
            );
        }
        super::strictest(findings)
    }

    fn named_run(&self, name: &str, result: CheckResult) -> Finding {
        let run = self.log.named(name);
        let shown = quote::name(name);
        match (result, run) {
            (CheckResult::NotRun, _) => Finding::Open,
            (CheckResult::Passed, NamedRun::Passed) => Finding::Holds,
            (CheckResult::Failed, NamedRun::Failed) => Finding::Holds,
            (CheckResult::Ran, NamedRun::Passed | NamedRun::Failed) => Finding::Holds,
            (_, NamedRun::Never) if !self.has_other_runs => {
                Finding::against(format!("{shown} did not run"))
            }
            (CheckResult::Passed, NamedRun::Failed) => Finding::against(format!("{shown} failed")),
            _ => Finding::Open,
        }
    }

    fn kind_run(&self, kind: CheckKind, instead: &str) -> Finding {
        match self.log.of_kind(kind) {
            NamedRun::Passed => Finding::Holds,
            NamedRun::Never if !self.has_other_runs => Finding::against(instead),
            NamedRun::Failed | NamedRun::Never | NamedRun::Unknown => Finding::Open,
        }
    }

    /// Judges how many tests there are to pass. Fewer than ran may be those that are meant.
    fn tests_counted(&self, count: usize, frame: &Frame, result: CheckResult) -> Finding {
        let is_sure = result == CheckResult::Passed && is_of_tests(count, &frame.text);
        match self.log.count().filter(|_| is_sure) {
            Some(ran) if ran == count => Finding::Holds,
            Some(ran) if ran < count && !self.has_other_runs => {
                let ran = counted(ran, "test");
                Finding::against(format!("the run was of {ran}"))
            }
            _ => Finding::Open,
        }
    }

    fn tests_run(&self, frame: &Frame, result: CheckResult) -> Finding {
        let tests = &self.tests;
        let is_of_all = frame.things.is_empty() || frame.says(&["checks"]);
        if result == CheckResult::Passed
            && is_of_all
            && let Some(check) = self.log.failed_check()
        {
            return if check.is_current {
                Finding::against(format!("{} failed", quote::name(&check.line)))
            } else {
                Finding::Open
            };
        }
        if result == CheckResult::Passed
            && (frame.has(Mark::Whole) || frame.has_thing(&[Thing::Project]))
            && let Some(line) = self.log.failed()
        {
            return Finding::against(format!("{} failed", quote::name(line)));
        }
        match (result, tests) {
            (CheckResult::NotRun, TestsRun::Never) if !self.has_other_runs => Finding::Holds,
            (CheckResult::NotRun, _) | (_, TestsRun::Unclear | TestsRun::Unknown) => Finding::Open,
            (_, TestsRun::Never) if self.has_other_runs => Finding::Open,
            (_, TestsRun::Never) => Finding::against("no test ran"),
            (CheckResult::Ran, _) => Finding::Holds,
            (CheckResult::Passed, TestsRun::Failed { line }) => {
                Finding::against(format!("{} failed", quote::name(line)))
            }
            (CheckResult::Failed, TestsRun::Failed { .. }) => Finding::Holds,
            (CheckResult::Passed, TestsRun::Passed { is_current }) => {
                let part = self
                    .log
                    .partial()
                    .filter(|_| frame.has(Mark::Whole) || frame.has_thing(&[Thing::Project]));
                match part {
                    Some(line) => Finding::against(format!("only {} ran", quote::name(line))),
                    None if *is_current => Finding::Holds,
                    None => Finding::Open,
                }
            }
            (CheckResult::Failed, TestsRun::Passed { is_current: true })
                if is_plain_failure(frame) =>
            {
                Finding::against("the tests passed")
            }
            (CheckResult::Failed, TestsRun::Passed { .. }) => Finding::Open,
        }
    }
}

/// Tells whether a number is of tests: "57 tests", "12 passed".
fn is_of_tests(count: usize, text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    words.windows(2).any(|pair| match pair {
        [number, of] => {
            let is_test = matches!(
                lexeme(of),
                Lexeme::Thing(Thing::Test) | Lexeme::Deed(Act::Pass, _)
            );
            is_test && lexeme(number) == Lexeme::Count(count)
        }
        _ => false,
    })
}

/// Tells whether a frame says that the tests fail as they are, and not that some did once.
fn is_plain_failure(frame: &Frame) -> bool {
    let is_of_tests = frame.has_only(&[Thing::Test, Thing::Suite]);
    is_of_tests
        && frame.unknown == 0
        && frame.names().next().is_none()
        && !frame.has(Mark::New)
        && !frame.is_act(&[Act::Change])
        && (frame.is_act(&[Act::Fail]) && !frame.text.contains("failed")
            || frame.has(Mark::Bad) && frame.text.contains(" is ")
            || frame.text.contains(" are "))
}

/// Tells whether a name is a command line that checks something.
fn is_command(name: &str) -> bool {
    let first = name.split_whitespace().next().unwrap_or(name);
    name.contains(' ') && super::super::test_log::is_program(first) || tool_kind(name).is_some()
}

fn result_of(frame: &Frame) -> Option<CheckResult> {
    let is_check = frame.has_thing(&[
        Thing::Test,
        Thing::Suite,
        Thing::Lint,
        Thing::Types,
        Thing::Build,
    ]) || frame.names().any(|name| is_command(name))
        || frame
            .text
            .split(|c: char| !(c.is_alphanumeric() || c == '-'))
            .any(|word| tool_kind(word).is_some());
    let is_all = frame.things.is_empty() && frame.names().next().is_none();
    let is_negative = frame.is_negative();
    let is_limited = frame.has_any(&[Mark::Except, Mark::Part, Mark::Only, Mark::Gone]);
    if is_limited || !is_check && !is_all {
        return None;
    }
    let builds = frame.has_thing(&[Thing::Build])
        && frame.says(&["builds", "compiles", "built", "compiled"]);
    let is_valid = frame.text.contains("validate") && frame.names().any(|name| is_command(name));
    let is_good = is_valid
        || frame.has(Mark::Good)
        || frame.is_act(&[Act::Pass])
        || builds && frame.act.is_none();
    let is_bad = frame.has(Mark::Bad) || frame.is_act(&[Act::Fail]);
    if is_good && is_bad {
        return None;
    }
    if !is_check {
        let is_told = frame.text.contains("green")
            || frame.is_act(&[Act::Pass]) && frame.text.starts_with("they ");
        return (is_told && is_good && !is_negative).then_some(CheckResult::Passed);
    }
    match (is_good, is_bad, is_negative) {
        (true, _, false) => Some(CheckResult::Passed),
        (false, false, true) if frame.act.is_none() && frame.text.ends_with("nothing") => {
            Some(CheckResult::Passed)
        }
        (true, _, true) => Some(CheckResult::Failed).filter(|_| frame.is_act(&[Act::Pass])),
        (_, true, false) => Some(CheckResult::Failed),
        (_, true, true) => None,
        _ if frame.is_act(&[Act::Run]) && frame.is_deed => Some(if is_negative {
            CheckResult::NotRun
        } else {
            CheckResult::Ran
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{ChangeRecord, Judgement, TestLog, judge};

    #[test]
    fn a_number_of_tests_is_held_against_what_the_run_said() {
        let so = Some(None);
        let not_so = |why: &str| Some(Some(why.to_owned()));
        let table = [
            ("All 3 tests pass.", "Ran 3 tests in 0.1s", so.clone()),
            ("Three tests pass.", "Ran 3 tests in 0.1s", so),
            (
                "All 57 tests pass.",
                "Ran 3 tests in 0.1s",
                not_so("the run was of 3 tests"),
            ),
            (
                "57 tests passed.",
                "Ran 1 test in 0.1s",
                not_so("the run was of 1 test"),
            ),
            // They may be some of those that ran.
            ("All 2 tests pass.", "Ran 3 tests in 0.1s", None),
            ("All 57 tests pass.", "OK", None),
        ];
        for (sentence, printed, expected) in table {
            let mut tests = TestLog::default();
            tests.ran("python3 -m unittest", true);
            tests.printed("", printed);
            let record = ChangeRecord {
                tests,
                ..ChangeRecord::default()
            };
            let judged = judge(sentence, &record, &|_, _| None).into_iter().next();
            let found = judged.map(|it| match it.judgement {
                Judgement::Holds => None,
                Judgement::Contradicted { why, .. } => Some(why),
            });
            assert_eq!(found, expected, "{sentence} {printed}");
        }
    }
}
