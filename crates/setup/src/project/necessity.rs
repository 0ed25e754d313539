//! Necessity in this workspace: which hunks that wait no related test and no check needs.
//!
//! In: the folders of this run, what is configured, and the engine. Out: of each hunk whether it is needed, or why that cannot
//! be told here.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use signoff_checks::check::{Check, CheckOutcome, CheckReport, Checked, Diagnostic, Severity};
use signoff_checks::necessity::{self, BREAKING, NecessityBudget, Need};
use signoff_checks::suite::{Extent, FoundSuites, SuiteCommand, SuiteTimes};
use signoff_context::role::Role;
use signoff_core::engine::Engine;
use signoff_core::syntax::Language;
use signoff_core::syntax::mentions::mentions;
use signoff_core::word::is_word;
use signoff_llm::checks::{Bench, NecessityReport, NecessityWork, find_breaking, find_needs};
use signoff_llm::shadow::ShadowError;
use signoff_llm::verified::CheckWatch;

use super::checks::{of_project, touched};
use super::consent::{Starter, bench};
use super::test_files::{all_tests, suites, text};
use crate::config::Programs;
use crate::paths::Paths;
use crate::workspace_index::index;

/// What reports call it.
const NAME: &str = "necessity";
/// What a search may take beside the review: 30 hunks and tests of a second take half of it.
const BESIDE: NecessityBudget = NecessityBudget {
    runs: 200,
    time: Duration::from_secs(60),
};
/// What one may take that the user asked for and waits for.
const ASKED: NecessityBudget = NecessityBudget {
    runs: 1000,
    time: Duration::from_secs(600),
};

/// Finds out which hunks are needed; the inner error says why that cannot be told.
///
/// # Errors
///
/// Fails if tests cannot be looked for or run.
pub fn needs(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    starter: Starter,
    watch: CheckWatch<'_>,
) -> anyhow::Result<Result<NecessityReport, String>> {
    on_states(paths, programs, engine, starter, |bench, work| {
        find_needs(engine, bench, work, watch)
    })
}

/// Does something with tests and checks on states of what is staged; the inner error says why that cannot be done.
fn on_states<T>(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    starter: Starter,
    find: impl FnOnce(&Bench, &NecessityWork<'_>) -> Result<Result<T, String>, ShadowError>,
) -> anyhow::Result<Result<T, String>> {
    let touched = touched(engine)?;
    let found = suites(paths, programs, engine, &touched.paths, Extent::Named)?;
    if let Some(lacking) = found.lacking.first() {
        return Ok(Err(format!("{}: {}", lacking.name, lacking.why)));
    }
    let others = others(paths, programs, engine, &touched.paths, &found)?;
    if found.commands.is_empty() && others.as_ref().is_ok_and(Vec::is_empty) {
        return Ok(Err("no tests of what is staged are known".to_owned()));
    }
    let checks = of_project(paths, programs, &touched);
    let lines = checks.iter().map(Check::line);
    let all = found
        .commands
        .iter()
        .chain(others.as_deref().unwrap_or(&[]));
    let lines: Vec<String> = lines.chain(all.map(SuiteCommand::line)).collect();
    let bench = match bench(paths, programs, engine, starter, &lines)? {
        Ok(bench) => bench,
        Err(why) => return Ok(Err(why)),
    };
    let budget = match starter {
        Starter::User => ASKED,
        Starter::Session => BESIDE,
    };
    if starter == Starter::Session {
        let times = SuiteTimes::load(&bench.setup.layers);
        if found
            .commands
            .iter()
            .any(|command| times.slow(command).is_some())
        {
            return Ok(Err(
                "its tests take long; `signoff test --needed` runs them".to_owned(),
            ));
        }
    }
    let work = NecessityWork {
        checks: &checks,
        suites: &found.commands,
        others: others.as_deref().map_err(String::as_str),
        is_used: &|module, name| users(paths, engine, &touched.paths, module, name).unwrap_or(true),
        is_test: &|path| Role::of(path) == Role::Test,
        budget,
    };
    Ok(find(&bench, &work)?)
}

/// Returns what runs all tests of the project, as far as these suites do not; the inner error says why some cannot be run.
fn others(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    files: &[String],
    found: &FoundSuites,
) -> anyhow::Result<Result<Vec<SuiteCommand>, String>> {
    let run = found.commands.iter().flat_map(|own| &own.files);
    let run: BTreeSet<&String> = run.collect();
    if all_tests(paths, engine)?
        .iter()
        .all(|file| run.contains(file))
    {
        return Ok(Ok(Vec::new()));
    }
    let mut all = suites(paths, programs, engine, files, Extent::All)?;
    let is_run = |own: &SuiteCommand| found.commands.contains(own);
    all.commands.retain(|own| !is_run(own));
    Ok(match all.lacking.first() {
        Some(lacking) => Err(format!("{}: {}", lacking.name, lacking.why)),
        None => Ok(all.commands),
    })
}

/// Returns whether a file of Python that is neither changed nor a test has both the name of a module and another name.
fn users(
    paths: &Paths,
    engine: &Mutex<Engine>,
    changed: &[String],
    module: &str,
    name: &str,
) -> anyhow::Result<bool> {
    let index = index(paths)?;
    let files = index
        .sources()
        .filter(|path| Role::of(path) == Role::Source);
    let mut files = files.filter(|path| path.ends_with(".py"));
    Ok(files.any(|path| {
        let text = text(engine, path).unwrap_or_default();
        !changed.iter().any(|own| own == path) && are_used(&text, module, name)
    }))
}

/// Returns whether code of Python has both names, and not its comments and texts alone: `funcutils.py` of boltons says of logging
/// and of `strutils.indent` what they are for.
fn are_used(text: &str, module: &str, name: &str) -> bool {
    let has = |word| text.split(|c| !is_word(c)).any(|own| own == word);
    if !has(module) || !has(name) {
        return false;
    }
    let Some(parsed) = Language::Python.parse(text) else {
        return true;
    };
    let is_name = |word| !mentions(Language::Python, &parsed, word).is_empty();
    is_name(module) && is_name(name)
}

/// Finds out which hunks are needed, as a check: a warning stands at each that is not.
pub(super) fn report(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    starter: Starter,
    watch: CheckWatch<'_>,
) -> anyhow::Result<CheckReport> {
    let told = match needs(paths, programs, engine, starter, watch)? {
        Ok(told) => told,
        Err(why) => return Ok(CheckReport::not_run(std::iter::once(NAME.to_owned()), &why)),
    };
    let unneeded = told.hunks.iter().filter(|own| own.need == Need::Unneeded);
    let message = necessity::unneeded(unneeded.clone().count());
    let new = unneeded.map(|own| Diagnostic {
        code: "unneeded".to_owned(),
        ..warning(NAME, (&own.path, own.line), message)
    });
    let new: Vec<Diagnostic> = new.collect();
    let (mut needed, mut uncovered, mut undecided) = (0, 0, 0);
    for own in &told.hunks {
        match own.need {
            Need::Needed { .. } => needed += 1,
            Need::Uncovered { .. } => uncovered += 1,
            Need::Undecided => undecided += 1,
            Need::Unneeded => {}
        }
    }
    let outcome = CheckOutcome::Necessity {
        needed,
        unneeded: new.len(),
        uncovered,
        undecided,
        runs: told.runs,
    };
    let checked = Checked {
        name: NAME.to_owned(),
        outcome,
        took_ms: u64::try_from(told.took.as_millis()).unwrap_or(u64::MAX),
    };
    Ok(CheckReport {
        checks: vec![checked],
        new,
    })
}

/// Returns a warning at the first line of a hunk.
fn warning(check: &str, (path, line): (&str, usize), message: &str) -> Diagnostic {
    Diagnostic {
        check: check.to_owned(),
        path: path.to_owned(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        column: 1,
        severity: Severity::Warning,
        code: String::new(),
        message: message.to_owned(),
    }
}

/// Finds out which hunks make tests fail, as a check: a warning stands at each.
pub(super) fn breaking(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    starter: Starter,
    watch: CheckWatch<'_>,
) -> anyhow::Result<CheckReport> {
    let told = on_states(paths, programs, engine, starter, |bench, work| {
        find_breaking(engine, bench, work, watch)
    })?;
    let not_run = |why: &str| CheckReport::not_run(std::iter::once(BREAKING.to_owned()), why);
    let told = match told {
        Ok(told) => told,
        Err(why) => return Ok(not_run(&why)),
    };
    let new: Vec<Diagnostic> = told
        .hunks
        .iter()
        .map(|own| warning(BREAKING, (&own.path, own.line), &own.told()))
        .collect();
    let outcome = match told.unexplained.first() {
        Some(why) if new.is_empty() => CheckOutcome::Failed { why: why.clone() },
        None if new.is_empty() => CheckOutcome::Failed {
            why: "no test failed when they ran again".to_owned(),
        },
        _ => CheckOutcome::Found {
            errors: 0,
            warnings: new.len(),
        },
    };
    let checked = Checked {
        name: BREAKING.to_owned(),
        outcome,
        took_ms: u64::try_from(told.took.as_millis()).unwrap_or(u64::MAX),
    };
    Ok(CheckReport {
        checks: vec![checked],
        new,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comments_and_texts_say_is_no_use() {
        for (text, expected) in [
            ("from .core import read\n", true),
            ("import core\ncore.read()\n", true),
            ("import core  # to read\n", false),
            (
                "def f():\n    \"\"\"As core has it.\"\"\"\n    read()\n",
                false,
            ),
            ("import core\n", false),
        ] {
            assert_eq!(are_used(text, "core", "read"), expected, "{text}");
        }
    }
}
