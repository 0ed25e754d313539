//! `signoff test`: the tests that belong to what is staged.
//!
//! In: what is staged, or files. Out: their tests, best first, with reasons; or the outcome of each on the
//! staged state. A failing test needs the user.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use serde_json::json;
use signoff_checks::suite::{SuiteCommand, TestStatus};
use signoff_context::related::Related;
use signoff_core::plural::counted;
use signoff_llm::checks::{SuiteRun, run_tests};
use signoff_setup::config::Programs;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_setup::project::checks::touched;
use signoff_setup::project::consent::{Starter, bench};
use signoff_setup::project::test_files::{commands_of, related};
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
    let related = related(paths, &engine, &files)?;
    if args.list {
        related.iter().try_for_each(|test| list(test, args.json))?;
        if related.is_empty() {
            out::nothing(args.json)?;
        }
        return Ok(Ending::Done);
    }
    let commands = commands_of(paths, related);
    if commands.is_empty() {
        out::remark("no tests of what is staged are known, or nothing that runs them is installed");
        out::nothing(args.json)?;
        return Ok(Ending::Done);
    }
    let programs = Programs::load(&paths.config, &paths.root)?;
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
    let runs = run_tests(&engine, &bench, &commands, &AtomicBool::new(false))?;
    let mut failed = false;
    for run in &runs {
        failed |= print(run, args.json)?;
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

/// Prints the outcome of tests; returns whether any failed.
fn print(run: &SuiteRun, as_json: bool) -> anyhow::Result<bool> {
    let count = |status: TestStatus| {
        run.cases
            .iter()
            .filter(|case| case.status == status)
            .count()
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
            out::text(&format!("{}\n", case.message))?;
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
