//! `signoff test`: the tests that belong to what is staged.
//!
//! In: what is staged, or files. Out: their tests, best first, with reasons; or the outcome of each on the
//! staged state. A failing test needs the user.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use serde_json::json;
use signoff_checks::necessity::{Need, unneeded};
use signoff_checks::suite::{Extent, FoundSuites, LackingSuite, SuiteCommand, TestStatus};
use signoff_context::related::Related;
use signoff_core::engine::Engine;
use signoff_core::plural::counted;
use signoff_llm::checks::{HunkNeed, SuiteRun, run_tests, suite_report};
use signoff_llm::tool::lock;
use signoff_setup::config::Programs;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_setup::project::checks::{note, touched};
use signoff_setup::project::consent::{Starter, bench};
use signoff_setup::project::necessity::needs;
use signoff_setup::project::test_files::{related, suites};
use signoff_setup::workspace_index::rounded;

use super::{Ending, out};
use crate::args::TestArgs;

pub(super) fn run(paths: &Paths, args: &TestArgs) -> anyhow::Result<Ending> {
    let engine = Mutex::new(opened::engine(paths)?);
    let staged = touched(&engine)?.paths;
    let files = if args.files.is_empty() {
        staged
    } else {
        args.files.clone()
    };
    if files.is_empty() {
        out::remark("nothing is staged; `signoff test --list FILE` names the tests of a file");
        out::nothing(args.json)?;
        return Ok(Ending::Done);
    }
    if args.list {
        let related = related(paths, &engine, &files)?;
        related.iter().try_for_each(|test| list(test, args.json))?;
        if related.is_empty() {
            out::nothing(args.json)?;
        }
        return Ok(Ending::Done);
    }
    let programs = Programs::load(&paths.config, &paths.root)?;
    if args.needed {
        return print_needs(paths, &programs, &engine, args.json);
    }
    let FoundSuites { commands, lacking } =
        suites(paths, &programs, &engine, &files, Extent::Named)?;
    for LackingSuite { name, why } in &lacking {
        out::remark(&format!("{name}: not run: {why}"));
        if args.json {
            let error = format!("not run: {why}");
            out::json(&json!({"framework": name, "error": error}))?;
        }
    }
    if commands.is_empty() && lacking.is_empty() {
        out::remark("no tests of what is staged are known");
        out::nothing(args.json)?;
        return Ok(Ending::Done);
    }
    // Tests that could not run say nothing for what is staged.
    if commands.is_empty() {
        return Ok(Ending::NeedsUser);
    }
    let lines: Vec<String> = commands.iter().map(SuiteCommand::line).collect();
    let bench = match bench(paths, &programs, &engine, Starter::User, &lines)? {
        Ok(bench) => bench,
        Err(why) => {
            out::remark(&format!("the tests are not run: {why}"));
            if args.json {
                out::json(&json!({"error": format!("not run: {why}")}))?;
            }
            return Ok(Ending::NeedsUser);
        }
    };
    let never = AtomicBool::new(false);
    let state = lock(&engine).staged_files()?;
    let runs = run_tests(&engine, &bench, &commands, (&never, &|_| {}))?;
    note(&engine, state, &suite_report(&runs, &commands))?;
    let mut failed = !lacking.is_empty();
    for run in &runs {
        failed |= print(run, args.json)?;
    }
    if runs.iter().any(SuiteRun::fails_newly) {
        out::remark("`signoff test --needed` looks for the hunks that make it fail");
    }
    if runs
        .iter()
        .all(|run| run.cases.is_empty() && run.failed.is_none())
    {
        out::nothing(args.json)?;
    }
    Ok(if failed {
        Ending::NeedsUser
    } else {
        Ending::Done
    })
}

fn list(test: &Related, as_json: bool) -> anyhow::Result<()> {
    let Related {
        path,
        score,
        reason,
    } = test;
    if as_json {
        let name = path.rsplit('/').next().unwrap_or(path);
        let score = rounded(*score);
        return out::json(&json!({"path": path, "test": name, "score": score, "reason": reason}));
    }
    out::line(&format!("{path}: {reason}"))
}

/// Finds out which hunks are needed, and prints a line of each.
fn print_needs(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    as_json: bool,
) -> anyhow::Result<Ending> {
    let never = AtomicBool::new(false);
    let report = match needs(paths, programs, engine, Starter::User, (&never, &|_| {}))? {
        Ok(report) => report,
        Err(why) => {
            out::remark(&format!("which hunks are needed cannot be told: {why}"));
            if as_json {
                out::json(&json!({"error": why}))?;
            }
            return Ok(Ending::NeedsUser);
        }
    };
    let needless = report.hunks.iter();
    let needless = needless.filter(|own| own.need == Need::Unneeded).count();
    for own in &report.hunks {
        let (word, detail) = match &own.need {
            Need::Needed { by } => ("needed", Some(by)),
            Need::Unneeded => ("unneeded", None),
            Need::Uncovered { why } => ("uncovered", Some(why)),
            Need::Undecided => ("undecided", None),
        };
        let HunkNeed {
            hunk, path, line, ..
        } = own;
        if as_json {
            let told = json!({"hunk": hunk.to_string(), "path": path, "line": line, "need": word, "detail": detail, "breaks": own.breaks});
            out::json(&told)?;
        } else {
            let detail = match (&own.breaks, &own.need) {
                (Some(breaks), _) => breaks.clone(),
                (None, Need::Needed { by }) => format!("needed by {by}"),
                (None, Need::Unneeded) => unneeded(needless).to_owned(),
                (None, Need::Uncovered { why }) => format!("not covered: {why}"),
                (None, Need::Undecided) => "undecided".to_owned(),
            };
            out::line(&format!("{hunk} {path}:{line}: {detail}"))?;
        }
    }
    for why in &report.unexplained {
        out::remark(&format!("which hunks break a test is not told: {why}"));
    }
    let seconds = report.took.as_secs_f64();
    if as_json {
        out::json(&json!({"runs": report.runs, "seconds": rounded(report.took.as_secs_f32())}))?;
    }
    out::remark(&format!(
        "{} in {seconds:.1} s",
        counted(report.runs, "run")
    ));
    Ok(Ending::Done)
}

/// Prints the outcome of tests; returns whether any failed.
fn print(run: &SuiteRun, as_json: bool) -> anyhow::Result<bool> {
    let count = |status: TestStatus| {
        let cases = run.cases.iter().filter(|case| case.status == status);
        cases.map(|case| case.count).sum::<usize>()
    };
    let failures = count(TestStatus::Failed);
    for case in &run.cases {
        let is_known = run.known.contains(&case.test);
        if as_json && is_known {
            let mut told = json!(case);
            told["known"] = json!(true);
            out::json(&told)?;
        } else if as_json {
            out::json(case)?;
        } else if case.status == TestStatus::Failed {
            let known = if is_known {
                " (also without what is staged)"
            } else {
                ""
            };
            out::line(&format!("failed: {}{known}", case.test))?;
            // Set off: whoever wrote the test says what it prints.
            out::text_set_off(&format!("{}\n", case.message), "  ", false)?;
        }
    }
    if let Some(why) = run.failed.as_ref().filter(|_| as_json) {
        let error = format!("could not be done: {why}");
        out::json(&json!({"framework": run.framework, "error": error}))?;
    }
    let passed = counted(count(TestStatus::Passed), "test");
    out::remark(&match &run.failed {
        Some(why) => format!("{}: could not be done: {why}", run.framework),
        None if run.known.is_empty() => {
            format!("{}: {passed} passed, {failures} failed", run.framework)
        }
        None => format!(
            "{}: {passed} passed, {failures} failed, {} of them also without what is staged",
            run.framework,
            run.known.len()
        ),
    });
    Ok(failures > 0 || run.failed.is_some())
}
