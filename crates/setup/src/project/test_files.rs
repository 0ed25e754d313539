//! Project tests: the test files that belong to staged files of this workspace.
//!
//! In: the folders of this run, the engine, and files. Out: their test files, best first, the commands that
//! run the best of them, and what came of these as a check.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use signoff_checks::check::CheckReport;
use signoff_checks::suite::{SuiteCommand, commands};
use signoff_context::related::{self, Related};
use signoff_core::engine::Engine;
use signoff_llm::checks;
use signoff_llm::tool::lock;
use signoff_sandbox::process::installed;

use super::consent::{Starter, bench};
use crate::config::Programs;
use crate::paths::Paths;
use crate::workspace_index::index;

/// Test files that are named.
const LISTED: usize = 20;
/// Test files that are run: the first of those that are more than near.
const RUN: usize = 10;
/// The least score of a test file that is run.
const RUN_SCORE: f32 = 0.5;

/// Returns the test files of these files, best first.
pub fn related(
    paths: &Paths,
    engine: &Mutex<Engine>,
    files: &[String],
) -> anyhow::Result<Vec<Related>> {
    let index = index(paths)?;
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let has_tests = |path: &str| has_tests(engine, path);
    Ok(related::tests(&index, &names, &has_tests, LISTED))
}

/// Returns the commands that run the best of these test files.
pub fn commands_of(paths: &Paths, related: Vec<Related>) -> Vec<SuiteCommand> {
    let related = related.into_iter().filter(|test| test.score >= RUN_SCORE);
    let related: Vec<String> = related.take(RUN).map(|test| test.path).collect();
    commands(&paths.root, &related, &installed)
}

/// Runs the tests of these files on what is staged.
pub(crate) fn report(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    (files, starter): (&[String], Starter),
    stop: &AtomicBool,
) -> anyhow::Result<CheckReport> {
    let commands = commands_of(paths, related(paths, engine, files)?);
    if commands.is_empty() {
        return Ok(CheckReport::default());
    }
    let lines: Vec<String> = commands.iter().map(SuiteCommand::line).collect();
    let bench = match bench(paths, programs, engine, starter, &lines)? {
        Ok(bench) => bench,
        Err(why) => {
            let names = commands.iter().map(|command| command.framework.to_string());
            return Ok(CheckReport::not_run(names, &why));
        }
    };
    Ok(checks::tested(engine, &bench, &commands, stop)?)
}

/// Returns whether a file has tests beside its code, as Rust has them.
fn has_tests(engine: &Mutex<Engine>, path: &str) -> bool {
    let mut engine = lock(engine);
    let source = engine.read(path).ok().flatten();
    let text = source.as_ref().and_then(|source| source.text().ok());
    path.ends_with(".rs")
        && text.is_some_and(|text| text.contains("#[test]") || text.contains("#[cfg(test)]"))
}
