//! Project checks: what compiles and lints the staged files of this workspace.
//!
//! In: the folders of this run, what is configured, and the engine. Out: the checks for the touched files,
//! how they are run, and their report.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use signoff_core::engine::Engine;
use signoff_llm::checks::{self, Bench};
use signoff_verify::check::{Check, CheckReport, found};
use signoff_verify::process::{Supervision, installed};

use crate::config::Programs;
use crate::paths::Paths;
use crate::shadow_setup;

/// Runs the project's checks on what is staged, if there are any for it.
pub(crate) fn report(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    stop: &AtomicBool,
) -> anyhow::Result<CheckReport> {
    let touched = touched(engine)?;
    let checks = of_project(paths, programs, &touched);
    if checks.is_empty() {
        return Ok(CheckReport::default());
    }
    Ok(checks::run(
        engine,
        &bench(paths, programs)?,
        &checks,
        stop,
    )?)
}

/// Returns the files with staged work, as they will be called.
pub(crate) fn touched(engine: &Mutex<Engine>) -> anyhow::Result<Vec<String>> {
    let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
    let paths = engine.staged_paths()?;
    Ok(paths.into_iter().map(|(path, _)| path).collect())
}

/// Returns how programs of the project are run.
pub(crate) fn bench(paths: &Paths, programs: &Programs) -> anyhow::Result<Bench> {
    Ok(Bench {
        setup: shadow_setup::of_workspace(paths, programs)?,
        hidden: programs.hidden.clone(),
        supervision: Supervision::OwnExecutable,
    })
}

/// Returns the checks for the touched files: those that are found, and the user's own, which stand in
/// the place of a found one of their name.
pub(crate) fn of_project(paths: &Paths, programs: &Programs, touched: &[String]) -> Vec<Check> {
    let Some(own) = &programs.checks else {
        return Vec::new();
    };
    let mut checks = found(&paths.root, touched, &installed);
    checks.retain(|check| own.iter().all(|own| own.name() != check.name));
    checks.extend(own.iter().filter_map(|own| own.check(touched)));
    checks
}
