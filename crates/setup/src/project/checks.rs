//! Project checks: what compiles and lints the staged files of this workspace.
//!
//! In: the folders of this run, what is configured, and the engine. Out: the checks for the touched files,
//! how they are run, and their report.

use std::sync::Mutex;

use signoff_checks::check::{
    Check, CheckOutcome, CheckReport, Kind, Touched, builds, found, missing,
};
use signoff_core::engine::Engine;
use signoff_core::record::store::StagedFiles;
use signoff_core::stage::review::CheckRun;
use signoff_llm::checks::{self, ServerCheck};
use signoff_llm::tool::lock;
use signoff_llm::verified::{CheckWatch, Wanted};
use signoff_sandbox::process::installed;

use super::consent::{Starter, bench};
use super::test_files::{self, WhichTests};
use super::{language_servers, necessity};
use crate::config::{Programs, WhenTested};
use crate::paths::Paths;

/// Runs the project's checks on what is staged, if there are any for it, and keeps for the sign-off what they said.
pub fn report(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    asked: (Wanted, Starter),
    watch: CheckWatch<'_>,
) -> anyhow::Result<CheckReport> {
    let files = lock(engine).staged_files()?;
    let report = run(paths, programs, engine, asked, watch)?;
    note(engine, files, &report)?;
    Ok(report)
}

/// Keeps what checks said of the staged files, unless these are others by now.
pub fn note(
    engine: &Mutex<Engine>,
    files: StagedFiles,
    report: &CheckReport,
) -> anyhow::Result<()> {
    let runs = report.checks.iter().filter_map(|checked| {
        let passed = match &checked.outcome {
            CheckOutcome::Necessity { .. }
            | CheckOutcome::NotRun { .. }
            | CheckOutcome::Stopped => return None,
            CheckOutcome::Tested { passed: 0, .. } | CheckOutcome::Tested { known: 1.., .. } => {
                false
            }
            outcome => outcome.holds(),
        };
        Some(CheckRun {
            name: checked.name.clone(),
            passed,
            outcome: checked.outcome.to_string(),
        })
    });
    Ok(lock(engine).note_checks(files, runs.collect())?)
}

fn run(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    (wanted, starter): (Wanted, Starter),
    (stop, begins): CheckWatch<'_>,
) -> anyhow::Result<CheckReport> {
    if let Wanted::StepCheck { line } = &wanted {
        let lines = std::slice::from_ref(line);
        return match bench(paths, programs, engine, starter, lines)? {
            Ok(bench) => Ok(checks::run_line(engine, &bench, line, stop)?),
            Err(why) => Ok(CheckReport::not_run(std::iter::once(line.clone()), &why)),
        };
    }
    if wanted == Wanted::Breaking {
        return necessity::breaking(paths, programs, engine, starter, (stop, begins));
    }
    let touched = touched(engine)?;
    let lacking = lacking(paths, programs, &touched, &wanted);
    let checks = match wanted {
        Wanted::Found
        | Wanted::Beside
        | Wanted::Breaking
        | Wanted::AllTests
        | Wanted::StepCheck { .. } => of_project(paths, programs, &touched),
        Wanted::Asked { kind, limit } => {
            let checks = of_kind(paths, programs, &touched, kind);
            let limited = checks.into_iter().map(|check| Check {
                timeout: [check.timeout, limit].into_iter().flatten().min(),
                ..check
            });
            limited.collect()
        }
    };
    let servers = match wanted {
        Wanted::Found
        | Wanted::Beside
        | Wanted::AllTests
        | Wanted::Asked {
            kind: Kind::Types, ..
        } => servers(paths, programs, &touched),
        Wanted::Asked { .. } | Wanted::Breaking | Wanted::StepCheck { .. } => Vec::new(),
    };
    if checks.is_empty() && servers.is_empty() {
        let touched = &touched.paths;
        let tested = tests(
            paths,
            programs,
            engine,
            (touched, &wanted, starter),
            (stop, begins),
        )?;
        return Ok(lacking.and(tested));
    }
    let started = servers.iter().map(|own| own.command.program.clone());
    let commands: Vec<String> = checks.iter().map(Check::line).chain(started).collect();
    let bench = match bench(paths, programs, engine, starter, &commands)? {
        Ok(bench) => bench,
        Err(why) => {
            let started = servers.into_iter().map(|own| own.command.program);
            let names = checks.into_iter().map(|check| check.name).chain(started);
            return Ok(lacking.and(CheckReport::not_run(names, &why)));
        }
    };
    let mut report = match checks.as_slice() {
        [] => CheckReport::default(),
        checks => checks::run(engine, &bench, checks, (stop, begins))?,
    };
    report = report.and(checks::run_servers(
        engine,
        &bench,
        &servers,
        (stop, begins),
    ));
    // What does not compile has no tests that could be run.
    if report.errors() == 0 {
        let touched = &touched.paths;
        let tested = tests(
            paths,
            programs,
            engine,
            (touched, &wanted, starter),
            (stop, begins),
        )?;
        report = report.and(tested);
    }
    Ok(report.and(lacking))
}

/// Returns the language servers that are asked about touched files, where checks are not switched off.
fn servers(paths: &Paths, programs: &Programs, touched: &Touched) -> Vec<ServerCheck> {
    let Some(configured) = &programs.checks else {
        return Vec::new();
    };
    language_servers::checks(&paths.root, programs, touched, &|touched| {
        let checks = configured.iter();
        checks
            .filter_map(|check| check.check(&touched.paths))
            .collect()
    })
}

/// Returns a report on the checks that the project asks for by its configuration and that are not installed.
fn lacking(paths: &Paths, programs: &Programs, touched: &Touched, wanted: &Wanted) -> CheckReport {
    let Some(configured) = &programs.checks else {
        return CheckReport::default();
    };
    let missing = missing(&paths.root, touched, &installed).into_iter();
    let missing = missing.filter(|missing| match wanted {
        Wanted::Asked { kind, .. } => missing.check.kind == *kind,
        Wanted::Found
        | Wanted::Beside
        | Wanted::Breaking
        | Wanted::AllTests
        | Wanted::StepCheck { .. } => missing.check.kind != Kind::Build,
    });
    let missing = missing.filter(|missing| {
        let name = &missing.check.name;
        configured.iter().all(|check| check.name() != *name)
    });
    let each = missing.map(|missing| {
        let why = format!("{} is not installed", missing.program);
        CheckReport::not_run(std::iter::once(missing.check.name), &why)
    });
    each.fold(CheckReport::default(), CheckReport::and)
}

/// Runs the tests that belong to the touched files, or all, where they run with the checks.
fn tests(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    (touched, wanted, starter): (&[String], &Wanted, Starter),
    watch: CheckWatch<'_>,
) -> anyhow::Result<CheckReport> {
    let which = match (wanted, programs.tests) {
        (Wanted::AllTests, _) => WhichTests::All,
        (Wanted::Found | Wanted::Beside, WhenTested::Auto) => WhichTests::Related,
        (Wanted::Beside, WhenTested::Beside | WhenTested::Needed) => WhichTests::Quick,
        (
            Wanted::Found
            | Wanted::Beside
            | Wanted::Breaking
            | Wanted::Asked { .. }
            | Wanted::StepCheck { .. },
            _,
        ) => return Ok(CheckReport::default()),
    };
    let files = lock(engine).staged_files()?;
    let report = test_files::report(paths, programs, engine, (touched, which, starter), watch)?;
    // What is signed off while hunks are dropped has been tested.
    note(engine, files, &report)?;
    let is_asked = programs.tests == WhenTested::Needed && *wanted == Wanted::Beside;
    let has_passed = report
        .checks
        .iter()
        .any(|own| matches!(own.outcome, CheckOutcome::Tested { passed: 1.., .. }));
    if !is_asked || !has_passed || report.errors() > 0 {
        return Ok(report);
    }
    Ok(report.and(necessity::report(paths, programs, engine, starter, watch)?))
}

/// Returns the files with staged work, as they will be called.
pub fn touched(engine: &Mutex<Engine>) -> anyhow::Result<Touched> {
    let mut touched = Touched::default();
    for (path, is_there) in lock(engine).staged_paths()? {
        if !is_there {
            touched.gone.insert(path.clone());
        }
        touched.paths.push(path);
    }
    Ok(touched)
}

/// Returns the checks that a touched file brings about. Builds are left out: they take long, and say what
/// the others say.
pub(super) fn of_project(paths: &Paths, programs: &Programs, touched: &Touched) -> Vec<Check> {
    let mut checks = known(paths, programs, touched);
    checks.retain(|check| check.kind != Kind::Build);
    checks
}

/// Returns the checks of a kind for the touched files.
fn of_kind(paths: &Paths, programs: &Programs, touched: &Touched, kind: Kind) -> Vec<Check> {
    let mut checks = known(paths, programs, touched);
    checks.retain(|check| check.kind == kind);
    if kind == Kind::Build && checks.is_empty() && programs.checks.is_some() {
        checks = builds(&paths.root, touched, &installed);
    }
    checks
}

/// Returns the checks for the touched files: those that are found, and the user's own, which stand in
/// the place of a found one of their name.
fn known(paths: &Paths, programs: &Programs, touched: &Touched) -> Vec<Check> {
    let Some(own) = &programs.checks else {
        return Vec::new();
    };
    let mut checks = found(&paths.root, touched, &installed);
    checks.retain(|check| own.iter().all(|own| own.name() != check.name));
    checks.extend(own.iter().filter_map(|own| own.check(&touched.paths)));
    checks
}
