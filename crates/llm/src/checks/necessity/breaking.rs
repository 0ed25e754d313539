//! Breaking hunks: which hunks make a test fail, found by running the tests without some of them.
//!
//! In: staged work, and tests that fail with it and pass without it. Out: the hunks without which each passes. For example, of hunks 0 to 3 hunk 2 makes `test_sum` fail:
//!
//! ```text
//! staged                test_sum
//! 0, 1, 2 and 3         fails; it passes on the files on disk
//! nothing               passes, so that it is these hunks
//! 0                     passes: 0 is staged again
//! 0 and 1               passes
//! 0, 1 and 2            fails: 2 breaks it
//! 0, 1 and 3            passes three times
//! ```
//!
//! [`NecessitySearch`] decides what is run: a hunk that it drops is staged again here, and a hunk that it finds to be needed is one
//! that has to stay out. Hunks of test files are staged in every state.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use signoff_checks::necessity::{NecessityBudget, NecessitySearch, Need, StateOutcome, Suspect};
use signoff_checks::suite::{SuiteCommand, SuiteTimes};
use signoff_core::engine::{Engine, StagedPart, StagedParts};
use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_sandbox::shadow::{Origin, Shadow};

use super::{LEAST_TIME, MOST_HUNKS, NecessityWork, SLOWER, StagedLines, hunk_lines, warm};
use crate::checks::suites::{SuiteFailure, SuiteRun, suite_limit};
use crate::checks::{Before, Bench, CheckStep};
use crate::shadow::ShadowError;
use crate::tool::lock;
use crate::verified::CheckWatch;

/// Failing tests of one suite that are explained at most: one mistake may fail thousands, and each is looked for in all cases.
const MOST_EXPLAINED: usize = 50;

/// A hunk that makes tests fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakingHunk {
    /// The hunk.
    pub hunk: HunkId,
    /// Its file, with all hunks; empty where no line of it is there.
    pub path: String,
    /// Its first line there, from 1.
    pub line: usize,
    /// Tests that fail with it; at least one.
    tests: Vec<String>,
    /// Hunks that have to be away with it for them to pass.
    others: usize,
}

/// Which hunks make tests fail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BreakingReport {
    /// The hunks.
    pub hunks: Vec<BreakingHunk>,
    /// Tests of which that is not told, each with why.
    pub unexplained: Vec<String>,
    /// How many states were run.
    pub runs: usize,
    /// How long they took.
    pub took: Duration,
}

/// A test that fails with what is staged and not without it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FailingTest {
    suite: usize,
    /// None where what runs the tests fails, and no test is named.
    name: Option<String>,
}

/// States of what is staged, each without some hunks, for tests.
pub(super) struct BreakingStates<'a> {
    pub(super) bench: &'a Bench,
    /// The shadow without what is staged.
    pub(super) base: &'a Shadow,
    pub(super) suites: &'a [SuiteCommand],
    pub(super) parts: &'a StagedParts,
    pub(super) hunks: &'a [HunkId],
    pub(super) lines: &'a StagedLines,
    pub(super) is_test: &'a dyn Fn(&str) -> bool,
}

impl BreakingHunk {
    /// Returns what is said of it, in one line.
    pub fn told(&self) -> String {
        let first = self.tests.first().map_or("", String::as_str);
        let (tests, fails, passes) = match self.tests.len() {
            0 | 1 => (format!("the test {first}"), "fails", "passes"),
            many => {
                let others = counted(many - 1, "other");
                (format!("the test {first} and {others}"), "fail", "pass")
            }
        };
        match self.others {
            0 => format!("{tests} {fails} with this hunk, and {passes} without it"),
            more => {
                let others = counted(more, "other");
                format!("{tests} {fails} with this hunk and {others}, and {passes} without them")
            }
        }
    }
}

impl FailingTest {
    /// A file of tests that could not be read is no test once it can: `test_a.py` fails, and `test_a.py::test_x` passes then.
    fn passes(&self, runs: &[SuiteRun]) -> bool {
        let Some(run) = runs.get(self.suite) else {
            return false;
        };
        // Where nothing ran, nothing passed.
        let is_whole = run.failed.is_none() && run.passed().next().is_some();
        match &self.name {
            Some(name) => {
                let has_passed = run.passed().any(|test| test == name);
                has_passed || is_whole && !run.fails_newly()
            }
            None => is_whole,
        }
    }

    fn named<'a>(&'a self, suites: &'a [SuiteCommand]) -> String {
        let suite = suites.get(self.suite);
        match (&self.name, suite) {
            (Some(name), _) => name.clone(),
            (None, Some(suite)) => suite.framework.to_string(),
            (None, None) => String::new(),
        }
    }
}

/// Finds out which hunks make tests fail that pass without what is staged; the inner error says why that cannot be told.
///
/// # Errors
///
/// Fails if programs cannot be run in a shadow, or the staged work cannot be read.
pub fn find_breaking(
    engine: &Mutex<Engine>,
    bench: &Bench,
    work: &NecessityWork<'_>,
    watch: CheckWatch<'_>,
) -> Result<Result<BreakingReport, String>, ShadowError> {
    let bench = &bench.hiding(engine)?;
    let parts = lock(engine).staged_parts()?;
    let hunks = parts.hunks();
    if hunks.len() > MOST_HUNKS {
        return Ok(Err(format!("more than {MOST_HUNKS} hunks wait")));
    }
    let Some(whole) = parts.without(&BTreeSet::new())? else {
        return Ok(Err("what is staged cannot be taken apart".to_owned()));
    };
    let mut before = Before::new(bench);
    let base = before.shadow()?;
    let lines = hunk_lines(&parts, &whole, &hunks)?;
    let times = SuiteTimes::load(&bench.setup.layers);
    // Of tests that are not related, those that the user had run, and that can be run a few times.
    let was_short = |suite: &&SuiteCommand| {
        let last = times.last(suite);
        last.is_some_and(|took| took * SLOWER <= work.budget.time)
    };
    let others: Vec<SuiteCommand> = work
        .others
        .unwrap_or(&[])
        .iter()
        .filter(was_short)
        .cloned()
        .collect();
    let mut report = BreakingReport::default();
    for suites in [work.suites, others.as_slice()] {
        warm(bench, base, suites, watch.0)?;
        let states = BreakingStates {
            bench,
            base,
            suites,
            parts: &parts,
            hunks: &hunks,
            lines: &lines,
            is_test: work.is_test,
        };
        let (all, took) = states.run_on(&whole, None, watch)?;
        let found = states.breaking(&all, work.budget, watch)?;
        report = BreakingReport {
            runs: report.runs + found.runs + 1,
            took: report.took + found.took + took,
            ..found
        };
        if !report.hunks.is_empty() || !report.unexplained.is_empty() {
            break;
        }
    }
    Ok(Ok(report))
}

impl BreakingStates<'_> {
    /// Finds out which hunks make tests fail, of which `all` says how they end with all hunks.
    pub(super) fn breaking(
        &self,
        all: &[SuiteRun],
        budget: NecessityBudget,
        watch: CheckWatch<'_>,
    ) -> Result<BreakingReport, ShadowError> {
        let began = Instant::now();
        let mut report = BreakingReport::default();
        let (mut tests, before) = self.newly_failing(all, watch)?;
        report.runs += before.iter().flatten().count();
        let candidates: Vec<usize> = (0..self.hunks.len())
            .filter(|hunk| !self.is_of_tests(*hunk))
            .collect();
        if tests.is_empty() {
            return Ok(report);
        }
        if candidates.len() < self.hunks.len() {
            // Without hunks of the tests that is the state on disk.
            let none = self.run(&candidates, &BTreeSet::new(), &before, watch)?;
            report.runs += 1;
            tests.retain(|test| {
                let why = match &none {
                    Some((runs, _)) if test.passes(runs) => return true,
                    Some(_) => "it does not pass either with only the tests' hunks staged",
                    None => "the tests' hunks cannot be staged alone",
                };
                let name = test.named(self.suites);
                report.unexplained.push(format!("{name}: {why}"));
                false
            });
        }
        while let Some(test) = tests.first().cloned() {
            let left = NecessityBudget {
                runs: budget.runs.saturating_sub(report.runs),
                time: budget.time.saturating_sub(began.elapsed()),
            };
            let mut search = NecessitySearch::new(self.restorable(&candidates), left);
            let passing = self.search(&mut search, (&candidates, &test), &before, watch)?;
            report.runs += search.spent().0;
            if watch.0.load(Ordering::Relaxed) {
                break;
            }
            let needs = search.needs();
            let is_told = !needs.contains(&Need::Undecided);
            // Others pass without the same hunks.
            let (told, rest): (Vec<FailingTest>, Vec<FailingTest>) = tests
                .into_iter()
                .partition(|own| *own == test || is_told && own.passes(&passing));
            tests = rest;
            if !is_told {
                let name = test.named(self.suites);
                let seconds = budget.time.as_secs();
                report
                    .unexplained
                    .push(format!("{name}: not found out in {seconds} s"));
                continue;
            }
            let names: Vec<String> = told.iter().map(|own| own.named(self.suites)).collect();
            let away = candidates.iter().zip(&needs);
            let away = away.filter(|(_, need)| matches!(need, Need::Needed { .. }));
            let away: Vec<usize> = away.map(|(hunk, _)| *hunk).collect();
            self.tell(&mut report, &away, &names);
        }
        report.took = began.elapsed();
        Ok(report)
    }

    /// Adds hunks that make tests fail.
    fn tell(&self, report: &mut BreakingReport, away: &[usize], names: &[String]) {
        for hunk in away.iter().filter_map(|own| self.hunks.get(*own)) {
            if let Some(own) = report.hunks.iter_mut().find(|own| own.hunk == *hunk) {
                own.tests.extend_from_slice(names);
                continue;
            }
            let (path, line) = self.lines.place(*hunk);
            report.hunks.push(BreakingHunk {
                hunk: *hunk,
                path,
                line,
                tests: names.to_vec(),
                others: away.len() - 1,
            });
        }
    }

    /// Returns the tests that fail with all hunks and not without any, and the runs without any.
    fn newly_failing(
        &self,
        all: &[SuiteRun],
        (stop, _): CheckWatch<'_>,
    ) -> Result<(Vec<FailingTest>, Vec<Option<SuiteRun>>), ShadowError> {
        let (mut tests, mut before) = (Vec::new(), Vec::new());
        for (suite, (command, run)) in self.suites.iter().zip(all).enumerate() {
            let is_whole = run.failed.is_some() && run.failed != Some(SuiteFailure::Stopped);
            if run.failing().next().is_none() && !is_whole {
                before.push(None);
                continue;
            }
            let earlier = self.bench.suite(self.base, command, stop)?;
            let known = earlier.failing_tests();
            let new = run.failing().map(|case| case.test.clone());
            let new = new.filter(|test| !known.contains(test));
            let named: Vec<Option<String>> = new.take(MOST_EXPLAINED).map(Some).collect();
            let whole = (named.is_empty() && is_whole && earlier.failed.is_none()).then_some(None);
            let each = named.into_iter().chain(whole);
            tests.extend(each.map(|name| FailingTest { suite, name }));
            before.push(Some(earlier));
        }
        Ok((tests, before))
    }

    /// Puts hunks back as long as a test passes; returns how all tests ended in the last state in which it did.
    fn search(
        &self,
        search: &mut NecessitySearch,
        (candidates, test): (&[usize], &FailingTest),
        before: &[Option<SuiteRun>],
        watch: CheckWatch<'_>,
    ) -> Result<Vec<SuiteRun>, ShadowError> {
        let each = self.suites.iter().zip(before);
        let mut last = each
            .map(|(suite, run)| run.clone().unwrap_or_else(|| SuiteRun::unasked(suite)))
            .collect();
        let fails = || StateOutcome::Fails { by: String::new() };
        while let Some(back) = search.asked().cloned() {
            if back.len() == candidates.len() {
                search.feed(fails(), Duration::ZERO);
                continue;
            }
            let (runs, spent) = search.spent();
            let step = CheckStep {
                name: format!(
                    "hunks that break {}, {} s spent",
                    test.named(self.suites),
                    spent.as_secs()
                ),
                number: runs + 1,
                of: candidates.len().max(runs + 1),
            };
            (watch.1)(step);
            let Some((runs, took)) = self.run(candidates, &back, before, watch)? else {
                search.feed(fails(), Duration::ZERO);
                continue;
            };
            if watch.0.load(Ordering::Relaxed) {
                search.stop();
                break;
            }
            if test.passes(&runs) {
                last = runs;
                search.feed(StateOutcome::Passes, took);
            } else {
                search.feed(fails(), took);
            }
        }
        Ok(last)
    }

    /// Runs the tests that were run before, with those candidates that are `back`; none if there is no such state.
    fn run(
        &self,
        candidates: &[usize],
        back: &BTreeSet<usize>,
        before: &[Option<SuiteRun>],
        watch: CheckWatch<'_>,
    ) -> Result<Option<(Vec<SuiteRun>, Duration)>, ShadowError> {
        let away = candidates
            .iter()
            .enumerate()
            .filter(|(at, _)| !back.contains(at));
        let away = away.filter_map(|(_, hunk)| self.hunks.get(*hunk).copied());
        let Some(part) = self.parts.without(&away.collect())? else {
            return Ok(None);
        };
        self.run_on(&part, Some(before), watch).map(Some)
    }

    /// Runs tests; those that were not run before only where nothing was.
    fn run_on(
        &self,
        part: &StagedPart,
        before: Option<&[Option<SuiteRun>]>,
        (stop, _): CheckWatch<'_>,
    ) -> Result<(Vec<SuiteRun>, Duration), ShadowError> {
        let began = Instant::now();
        let mut shadow = self.bench.open_on(Origin::Tests, self.base)?;
        shadow.stage(part.files.clone())?;
        let mut runs = Vec::new();
        for (number, suite) in self.suites.iter().enumerate() {
            let (limit, known) = match before.map(|before| before.get(number)) {
                None => (suite_limit(suite), HashSet::new()),
                Some(Some(Some(earlier))) => {
                    let limit = LEAST_TIME.max(earlier.took * SLOWER);
                    (limit, earlier.failing_tests())
                }
                Some(_) => {
                    runs.push(SuiteRun::unasked(suite));
                    continue;
                }
            };
            let run = self.bench.suite_within(&shadow, suite, limit, stop)?;
            runs.push(SuiteRun { known, ..run });
        }
        Ok((runs, began.elapsed()))
    }

    fn is_of_tests(&self, hunk: usize) -> bool {
        let place = self.hunks.get(hunk).map(|hunk| self.lines.place(*hunk));
        place.is_some_and(|(path, _)| (self.is_test)(&path))
    }

    /// Returns what the search has to know of the candidates: with a hunk come back those that it cannot stand without.
    fn restorable(&self, candidates: &[usize]) -> Vec<Suspect> {
        let at: BTreeMap<HunkId, usize> = candidates
            .iter()
            .enumerate()
            .filter_map(|(at, hunk)| Some((*self.hunks.get(*hunk)?, at)))
            .collect();
        let mut suspects = vec![Suspect::default(); candidates.len()];
        for (below, gone) in self.lines.carried() {
            let Some(below) = at.get(below) else { continue };
            for above in gone.iter().filter_map(|hunk| at.get(hunk)) {
                if let Some(own) = suspects.get_mut(*above).filter(|_| above != below) {
                    own.carries.insert(*below);
                }
            }
        }
        suspects
    }
}
