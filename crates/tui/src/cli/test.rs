//! `signoff test`: the tests that belong to what is staged.
//!
//! In: what is staged, or files. Out: their tests, best first, with reasons; or the outcome of each on the
//! staged state. A failing test needs the user.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use serde_json::json;
use signoff_context::related::{self, Related};
use signoff_core::engine::Engine;
use signoff_core::plural::counted;
use signoff_llm::checks::{SuiteRun, run_tests};
use signoff_verify::process::installed;
use signoff_verify::suite::{TestStatus, commands};

use super::context::{index, rounded};
use super::{Ending, opened, out};
use crate::args::TestArgs;
use crate::config::Programs;
use crate::paths::Paths;
use crate::project_checks::{bench, touched};

/// Test files that are named.
const LISTED: usize = 20;
/// Test files that are run: the first of those that are more than near.
const RUN: usize = 10;
/// The least score of a test file that is run.
const RUN_SCORE: f32 = 0.5;

pub(super) fn run(paths: &Paths, args: &TestArgs) -> anyhow::Result<Ending> {
    let engine = Mutex::new(opened::engine(paths)?);
    let staged = touched(&engine)?;
    let files = if args.files.is_empty() {
        staged
    } else {
        args.files.clone()
    };
    if files.is_empty() {
        out::remark("nothing is staged; `signoff test --list FILE` names the tests of a file");
        return Ok(Ending::Done);
    }
    let index = index(paths)?;
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let has_tests = |path: &str| has_tests(&engine, path);
    let related = related::tests(&index, &names, &has_tests, LISTED);
    if args.list {
        related.iter().try_for_each(|test| list(test, args.json))?;
        return Ok(Ending::Done);
    }
    let related = related.into_iter().filter(|test| test.score >= RUN_SCORE);
    let related: Vec<String> = related.take(RUN).map(|test| test.path).collect();
    let commands = commands(&paths.root, &related, &installed);
    if commands.is_empty() {
        out::remark("no tests of what is staged are known, or nothing that runs them is installed");
        return Ok(Ending::Done);
    }
    let bench = bench(paths, &Programs::load(&paths.config, &paths.root)?)?;
    let runs = run_tests(&engine, &bench, &commands, &AtomicBool::new(false))?;
    let mut failed = false;
    for run in &runs {
        failed |= print(run, args.json)?;
    }
    Ok(if failed {
        Ending::NeedsUser
    } else {
        Ending::Done
    })
}

/// Returns whether a file has tests beside its code, as Rust has them.
fn has_tests(engine: &Mutex<Engine>, path: &str) -> bool {
    let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
    let source = engine.read(path).ok().flatten();
    let text = source.as_ref().and_then(|source| source.text().ok());
    path.ends_with(".rs")
        && text.is_some_and(|text| text.contains("#[test]") || text.contains("#[cfg(test)]"))
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
        if as_json {
            out::json(case)?;
        } else if case.status == TestStatus::Failed {
            out::line(&format!("failed: {}", case.test))?;
            out::text(&format!("{}\n", case.message))?;
        }
    }
    let passed = counted(count(TestStatus::Passed), "test");
    out::remark(&match &run.failed {
        Some(why) => format!("{:?}: could not be done: {why}", run.framework),
        None => format!("{:?}: {passed} passed, {failures} failed", run.framework),
    });
    Ok(failures > 0 || run.failed.is_some())
}
