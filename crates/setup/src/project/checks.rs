//! Project checks: what compiles and lints the staged files of this workspace.
//!
//! In: the folders of this run, what is configured, and the engine. Out: the checks for the touched files,
//! how they are run, and their report.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use signoff_checks::check::{Check, CheckReport, Kind, Touched, builds, found, missing};
use signoff_core::engine::Engine;
use signoff_llm::checks::{self, ServerCheck};
use signoff_llm::tool::lock;
use signoff_llm::verified::{CheckWatch, Wanted};
use signoff_sandbox::process::installed;

use super::consent::{Starter, bench};
use super::language_servers;
use super::test_files;
use crate::config::Programs;
use crate::paths::Paths;

/// Runs the project's checks on what is staged, if there are any for it.
pub fn report(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    (wanted, starter): (Wanted, Starter),
    (stop, begins): CheckWatch<'_>,
) -> anyhow::Result<CheckReport> {
    let touched = touched(engine)?;
    let lacking = lacking(paths, programs, &touched, wanted);
    let checks = match wanted {
        Wanted::Found => of_project(paths, programs, &touched),
        Wanted::Asked { kind, limit } => {
            let checks = of_kind(paths, programs, &touched, kind);
            let limited = |check: Check| Check {
                timeout: [check.timeout, limit].into_iter().flatten().min(),
                ..check
            };
            checks.into_iter().map(limited).collect()
        }
    };
    let servers = match wanted {
        Wanted::Found
        | Wanted::Asked {
            kind: Kind::Types, ..
        } => servers(paths, programs, &touched),
        Wanted::Asked { .. } => Vec::new(),
    };
    if checks.is_empty() && servers.is_empty() {
        let tested = tests(paths, programs, engine, (wanted, starter), &touched, stop)?;
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
        let tested = tests(paths, programs, engine, (wanted, starter), &touched, stop)?;
        report = report.and(tested);
    }
    Ok(report.and(lacking))
}

/// Returns the language servers that are asked about touched files, where checks are not switched off.
fn servers(paths: &Paths, programs: &Programs, touched: &Touched) -> Vec<ServerCheck> {
    let Some(own) = &programs.checks else {
        return Vec::new();
    };
    let known = |touched: &Touched| {
        let all = own.iter();
        all.filter_map(|own| own.check(&touched.paths)).collect()
    };
    language_servers::checks(&paths.root, programs, touched, &known)
}

/// Returns a report on the checks that the project asks for by its configuration and that are not installed.
fn lacking(paths: &Paths, programs: &Programs, touched: &Touched, wanted: Wanted) -> CheckReport {
    let Some(own) = &programs.checks else {
        return CheckReport::default();
    };
    let is_wanted = |check: &Check| match wanted {
        Wanted::Found => check.kind != Kind::Build,
        Wanted::Asked { kind, .. } => check.kind == kind,
    };
    let missing = missing(&paths.root, touched, &installed).into_iter();
    let missing = missing.filter(|missing| is_wanted(&missing.check));
    let missing = missing.filter(|missing| own.iter().all(|own| own.name() != missing.check.name));
    let each = missing.map(|missing| {
        let why = format!("{} is not installed", missing.program);
        CheckReport::not_run(std::iter::once(missing.check.name), &why)
    });
    each.fold(CheckReport::default(), CheckReport::and)
}

/// Runs the tests that belong to the touched files, where they run with the checks.
fn tests(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    (wanted, starter): (Wanted, Starter),
    touched: &Touched,
    stop: &AtomicBool,
) -> anyhow::Result<CheckReport> {
    if wanted == Wanted::Found && programs.tests {
        test_files::report(paths, programs, engine, (&touched.paths, starter), stop)
    } else {
        Ok(CheckReport::default())
    }
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
fn of_project(paths: &Paths, programs: &Programs, touched: &Touched) -> Vec<Check> {
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
