//! Project tests: the test files that belong to staged files of this workspace.
//!
//! In: the folders of this run, the engine, and files. Out: their test files, best first, the commands that
//! run the best of them or all, and what came of these as a check.

use std::path::PathBuf;
use std::sync::Mutex;

use signoff_checks::check::CheckReport;
use signoff_checks::suite::{
    Extent, FoundSuites, Framework, SuiteCommand, SuiteTimes, TestPlace, find_suites,
    is_package_marker,
};
use signoff_context::related::{self, Related};
use signoff_context::role::Role;
use signoff_core::engine::Engine;
use signoff_llm::checks;
use signoff_llm::tool::lock;
use signoff_llm::verified::CheckWatch;
use signoff_sandbox::process::on_path;

use super::consent::{Starter, bench};
use crate::config::{Programs, variable};
use crate::paths::Paths;
use crate::workspace_index::index;

/// Test files that are named.
const LISTED: usize = 20;
/// Test files that are run: the first of those that are more than near.
const RUN: usize = 10;
/// The least score of a test file that is run.
const RUN_SCORE: f32 = 0.5;

/// Which tests are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichTests {
    /// Those that belong to what is staged, whose last run was short.
    Quick,
    /// Those that belong to what is staged.
    Related,
    /// All of the project.
    All,
}

/// Returns the test files of these files, best first.
pub fn related(
    paths: &Paths,
    engine: &Mutex<Engine>,
    files: &[String],
) -> anyhow::Result<Vec<Related>> {
    let index = index(paths)?;
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let mut tests = related::tests(&index, &names, &|path| has_tests(engine, path), LISTED);
    tests.retain(|test| !is_package_marker(&test.path, &|path| text(engine, path)));
    Ok(tests)
}

/// Returns what runs the tests of these files, or all of their projects.
pub fn suites(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    files: &[String],
    extent: Extent,
) -> anyhow::Result<FoundSuites> {
    if let Some(command) = configured(programs, files) {
        return Ok(FoundSuites {
            commands: vec![command],
            lacking: Vec::new(),
        });
    }
    let related = related(paths, engine, files)?.into_iter();
    let related = related.filter(|test| test.score >= RUN_SCORE);
    let mut tests: Vec<String> = related.take(RUN).map(|test| test.path).collect();
    let mut extent = extent;
    if extent == Extent::All {
        tests.extend(related::all_tests(&index(paths)?));
    } else if tests.is_empty() {
        tests = all_of_few(paths, files)?;
        extent = Extent::All;
    }
    let environment = variable("VIRTUAL_ENV").map(PathBuf::from);
    let place = TestPlace {
        root: &paths.root,
        text: &|path| text(engine, path),
        program: &on_path,
        environment: environment.as_deref(),
    };
    Ok(find_suites(&place, &tests, extent))
}

/// Returns the tests of a project that has so few that there is nothing to choose among: `tests/sums.rs` for `src/lib.rs`.
fn all_of_few(paths: &Paths, files: &[String]) -> anyhow::Result<Vec<String>> {
    if !files.iter().any(|path| Role::of(path) == Role::Source) {
        return Ok(Vec::new());
    }
    let tests = related::all_tests(&index(paths)?);
    Ok(if tests.len() > RUN { Vec::new() } else { tests })
}

/// Returns the user's own command, if there is one for these files.
fn configured(programs: &Programs, files: &[String]) -> Option<SuiteCommand> {
    let (program, arguments) = programs.test_command.as_ref()?.of(files)?;
    Some(SuiteCommand {
        framework: Framework::Configured,
        program,
        arguments,
        folder: String::new(),
        files: Vec::new(),
    })
}

/// Runs the tests of these files on what is staged.
pub(crate) fn report(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    (files, which, starter): (&[String], WhichTests, Starter),
    watch: CheckWatch<'_>,
) -> anyhow::Result<CheckReport> {
    let extent = match which {
        WhichTests::Quick | WhichTests::Related => Extent::Named,
        WhichTests::All => Extent::All,
    };
    let FoundSuites {
        mut commands,
        lacking,
    } = suites(paths, programs, engine, files, extent)?;
    let mut report = CheckReport::default();
    for lacking in lacking {
        report = report.and(CheckReport::not_run(
            std::iter::once(lacking.name),
            &lacking.why,
        ));
    }
    if commands.is_empty() {
        return Ok(report);
    }
    let lines: Vec<String> = commands.iter().map(SuiteCommand::line).collect();
    let bench = match bench(paths, programs, engine, starter, &lines)? {
        Ok(bench) => bench,
        Err(why) => {
            let names = commands.iter().map(|command| command.framework.to_string());
            return Ok(report.and(CheckReport::not_run(names, &why)));
        }
    };
    if which == WhichTests::Quick {
        let times = SuiteTimes::load(&bench.setup.layers);
        commands.retain(|command| {
            let Some(took) = times.slow(command) else {
                return true;
            };
            let why = format!(
                "its last run took {} s; run it from the sign-off page, or by `signoff test`",
                took.as_secs()
            );
            let name = std::iter::once(command.framework.to_string());
            report
                .checks
                .extend(CheckReport::not_run(name, &why).checks);
            false
        });
    }
    if commands.is_empty() {
        return Ok(report);
    }
    Ok(report.and(checks::tested(engine, &bench, &commands, watch)?))
}

/// Returns whether a file has tests beside its code, as Rust has them.
fn has_tests(engine: &Mutex<Engine>, path: &str) -> bool {
    path.ends_with(".rs")
        && text(engine, path)
            .is_some_and(|text| text.contains("#[test]") || text.contains("#[cfg(test)]"))
}

/// Returns all files that have tests.
pub(super) fn all_tests(paths: &Paths, engine: &Mutex<Engine>) -> anyhow::Result<Vec<String>> {
    let index = index(paths)?;
    let mut tests = related::all_tests(&index);
    tests.retain(|path| !is_package_marker(path, &|path| text(engine, path)));
    let beside = index.sources().filter(|path| has_tests(engine, path));
    tests.extend(beside.map(str::to_owned));
    Ok(tests)
}

/// Returns the text of a file with what is staged.
pub(super) fn text(engine: &Mutex<Engine>, path: &str) -> Option<String> {
    let source = lock(engine).read(path).ok().flatten();
    source.and_then(|source| source.text().ok().map(str::to_owned))
}
