//! Necessity of hunks that wait: tests and checks on what is staged without some of them.
//!
//! In: the engine with staged work, the checks and tests that saw it. Out: of each hunk whether a test or a check needs it.
//! Each state runs in a shadow of its own, one after the other, so that one core is busy at most with what is not parallel
//! itself, and no state finds what another one left, as a cache of compiled code of the same size and second.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use signoff_checks::check::{self, Check, CheckStep, Diagnostic, Severity};
use signoff_checks::necessity::{
    ChangedFile, HunkLines, NecessityBudget, NecessitySearch, Need, ReachPlan, StateOutcome,
    Suspect,
};
use signoff_checks::suite::{SuiteCommand, SuiteTimes};
use signoff_core::edit::diff::lines::diff_lines;
use signoff_core::engine::{Engine, ProgramContent, ProgramFile, StagedPart, StagedParts};
use signoff_core::id::HunkId;
use signoff_core::stage::review::{Proof, ProposalView};
use signoff_sandbox::shadow::{Origin, Shadow};

use super::suites::{SuiteRun, suite_limit};
use super::{Before, Bench, Said};
use crate::shadow::ShadowError;
use crate::tool::lock;
use crate::verified::CheckWatch;
use breaking::BreakingStates;
pub use breaking::{BreakingHunk, BreakingReport, find_breaking};

mod breaking;

/// Hunks that are judged at most: of each, the files without it are made and compared.
const MOST_HUNKS: usize = 200;
/// The least time that tests have on a state, and how much longer than on all hunks they may take: without one, a loop may
/// not end.
const LEAST_TIME: Duration = Duration::from_secs(10);
const SLOWER: u32 = 4;
/// The share of the time in which all other tests of the project show what they run into: `test_data.py` of tomli runs the parser,
/// and changed with it too seldom to be among the related tests.
const OTHERS_SHARE: u32 = 6;
/// Names of the files that probes make, before a number; they are made in a shadow's layer.
const MARKER: &str = ".signoff-reached-";

/// What is run on each state.
pub struct NecessityWork<'a> {
    /// Compilers and linters.
    pub checks: &'a [Check],
    /// Tests.
    pub suites: &'a [SuiteCommand],
    /// What runs all tests of the project, as far as `suites` do not; else why some of them cannot be run.
    pub others: Result<&'a [SuiteCommand], &'a str>,
    /// Whether code that does not change, and is no test, has both the name of a module and another name.
    pub is_used: &'a dyn Fn(&str, &str) -> bool,
    /// Whether a file is part of the tests: its hunks are never dropped, as they would take their test with them.
    pub is_test: &'a dyn Fn(&str) -> bool,
    /// How far the search goes.
    pub budget: NecessityBudget,
}

/// Whether a hunk is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkNeed {
    /// The hunk.
    pub hunk: HunkId,
    /// Its file, with all hunks.
    pub path: String,
    /// Its first line there, from 1.
    pub line: usize,
    /// Whether it is needed.
    pub need: Need,
    /// Which tests fail with it and pass without it, in one line.
    pub breaks: Option<String>,
}

/// Which hunks are needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NecessityReport {
    /// Each hunk that waits.
    pub hunks: Vec<HunkNeed>,
    /// Tests that fail with what is staged where it is not told which hunks that is, each with why.
    pub unexplained: Vec<String>,
    /// How many states were run, that with all hunks and that with probes included.
    pub runs: usize,
    /// How long they took.
    pub took: Duration,
}

/// What tests and checks say of one state.
struct StateRun {
    /// What each check found, and whether it came to its end.
    found: Vec<(Vec<Diagnostic>, bool)>,
    suites: Vec<SuiteRun>,
    took: Duration,
}

/// Runs states.
struct Trial<'a> {
    bench: &'a Bench,
    base: &'a Shadow,
    checks: &'a [Check],
    suites: &'a [SuiteCommand],
    /// The most time that tests have on all hunks, beside the limit of each suite.
    most: Duration,
    stop: &'a AtomicBool,
}

/// States of what is staged, each without some hunks.
struct StagedStates<'a> {
    parts: &'a StagedParts,
    whole: &'a StagedPart,
    hunks: &'a [HunkId],
}

/// Finds out which hunks are needed; the inner error says why that cannot be told. `stop` ends it, and leaves hunks undecided.
///
/// # Errors
///
/// Fails if programs cannot be run in a shadow, or the staged work cannot be read.
pub fn find_needs(
    engine: &Mutex<Engine>,
    bench: &Bench,
    work: &NecessityWork<'_>,
    (stop, begins): CheckWatch<'_>,
) -> Result<Result<NecessityReport, String>, ShadowError> {
    let bench = &bench.hiding(engine)?;
    let (parts, views) = {
        let mut engine = lock(engine);
        (engine.staged_parts()?, engine.waiting()?)
    };
    let hunks = parts.hunks();
    if hunks.len() > MOST_HUNKS {
        return Ok(Err(format!("more than {MOST_HUNKS} hunks wait")));
    }
    let Some(whole) = parts.without(&BTreeSet::new())? else {
        return Ok(Err("what is staged cannot be taken apart".to_owned()));
    };
    let step = |number: usize, of: usize, spent: Duration| {
        let (spent, most) = (spent.as_secs(), work.budget.time.as_secs());
        let name = format!("hunks that nothing needs, {spent} of {most} s spent");
        begins(CheckStep { name, number, of });
    };
    let mut before = Before::new(bench);
    // What compiles finds in each state what it built of the files on disk.
    for check in work.checks {
        before.of(check, stop)?;
    }
    warm(bench, before.shadow()?, work.suites, stop)?;
    let trial = Trial {
        bench,
        base: before.shadow()?,
        checks: work.checks,
        suites: work.suites,
        most: Duration::MAX,
        stop,
    };
    let least = hunks.len() + 2;
    step(1, least, Duration::ZERO);
    let all = trial.run(&whole.files, None)?;
    let lines = hunk_lines(&parts, &whole, &hunks)?;
    let breaking = BreakingStates {
        bench,
        base: trial.base,
        suites: work.suites,
        parts: &parts,
        hunks: &hunks,
        lines: &lines,
        is_test: work.is_test,
    };
    let broken = breaking.breaking(&all.suites, work.breaking_budget(), (stop, begins))?;
    if let Err(why) = all.speaks() {
        if broken.hunks.is_empty() {
            return Ok(Err(why));
        }
        let needs = hunks.iter().map(|_| Need::Uncovered { why: why.clone() });
        return Ok(Ok(lines.report(&hunks, needs, broken)));
    }
    let plan = {
        let root = &bench.setup.root;
        let marker = |number: usize| root.join(format!("{MARKER}{number}")).display().to_string();
        ReachPlan::new(&lines.files, &marker, work.is_used)
    };
    step(2, least, all.took);
    let (reached, probed) = trial.reached(&whole.files, &plan, work)?;
    let suspects = suspects(
        (&parts, views.as_slice()),
        &hunks,
        &lines,
        (&plan, &reached),
        work.is_test,
    );
    let states = StagedStates {
        parts: &parts,
        whole: &whole,
        hunks: &hunks,
    };
    let mut search = NecessitySearch::new(suspects.clone(), work.first_budget());
    trial.search(&states, &mut search, &all, &|runs, spent| {
        step(runs + 3, least.max(runs + 3), spent);
    })?;
    let mut needs = search.needs();
    let (mut runs, mut took) = search.spent();
    let (more_runs, more) = trial.confirm(&states, (&suspects, &mut needs), work, (runs, took))?;
    runs += more_runs;
    took += more;
    let mut report = lines.report(&hunks, needs.into_iter(), broken);
    report.runs += runs + 1;
    report.took += took + all.took + probed;
    Ok(Ok(report))
}

/// Runs tests that are compiled on the files on disk, if no run of theirs is on record: what that builds is there for all
/// states.
fn warm(
    bench: &Bench,
    base: &Shadow,
    suites: &[SuiteCommand],
    stop: &AtomicBool,
) -> Result<(), ShadowError> {
    let times = SuiteTimes::load(&bench.setup.layers);
    for suite in suites {
        if suite.framework.compiles() && times.last(suite).is_none() {
            bench.suite(base, suite, stop)?;
        }
    }
    Ok(())
}

impl NecessityWork<'_> {
    /// Returns how far the search for what makes tests fail goes: half of the time is left for what is needed.
    fn breaking_budget(&self) -> NecessityBudget {
        NecessityBudget {
            runs: self.budget.runs,
            time: self.budget.time / 2,
        }
    }

    /// Returns how far the search with the related tests goes: a third of the time is left for all others.
    fn first_budget(&self) -> NecessityBudget {
        let mut budget = self.budget;
        if self.others.is_ok_and(|others| !others.is_empty()) {
            budget.time = budget.time * 2 / 3;
        }
        budget
    }
}

impl StateRun {
    /// Returns why nothing can be told from how tests end with all hunks, if so.
    fn speaks(&self) -> Result<(), String> {
        if let Some((run, why)) = self
            .suites
            .iter()
            .find_map(|run| Some((run, run.failed.as_ref()?)))
        {
            return Err(format!("{} could not be done: {why}", run.framework));
        }
        if self.suites.iter().all(|run| run.passed().next().is_none()) {
            return Err("no test passes".to_owned());
        }
        Ok(())
    }

    /// Returns a test or check that passes with `all` hunks and fails in this state, or is not there, as far as it was run.
    fn failed(&self, all: &Self, checks: &[Check]) -> Option<String> {
        let checks = checks.iter().zip(self.found.iter().zip(&all.found));
        for (check, ((now, is_whole), (before, was_whole))) in checks {
            if *was_whole && !is_whole {
                return Some(format!("{}, which does not come to its end", check.name));
            }
            let new = check::new(now.clone(), before);
            if let Some(error) = new.iter().find(|own| own.severity == Severity::Error) {
                return Some(format!("{}: {}", check.name, error.message));
            }
        }
        self.suites
            .iter()
            .zip(&all.suites)
            .find_map(|(now, before)| {
                let passed: BTreeSet<&str> = now.passed().collect();
                let lost = || before.passed().filter(|test| !passed.contains(test));
                // One that fails says more than one that is not there.
                let failing: BTreeSet<&str> = now.failing().map(|own| own.test.as_str()).collect();
                let test = lost().find(|test| failing.contains(test)).or(lost().next());
                // What runs the tests may fail with no test that is named, as for a part of one.
                let whole = now.failed.as_ref();
                let whole = whole.map(|why| format!("{}: {why}", now.framework));
                test.map(str::to_owned).or(whole)
            })
    }
}

impl Trial<'_> {
    /// Runs the states that a search asks for, until it is over or stopped; `begins` is told of each.
    fn search(
        &self,
        states: &StagedStates<'_>,
        search: &mut NecessitySearch,
        all: &StateRun,
        begins: &dyn Fn(usize, Duration),
    ) -> Result<(), ShadowError> {
        while let Some(dropped) = search.asked().cloned() {
            let (runs, spent) = search.spent();
            begins(runs, spent);
            let dropped = dropped
                .iter()
                .filter_map(|own| states.hunks.get(*own).copied())
                .collect();
            // Without a state to run there is nothing that would pass.
            let Some(part) = states.parts.without(&dropped)? else {
                let by = "what is staged, which cannot be taken apart".to_owned();
                search.feed(StateOutcome::Fails { by }, Duration::ZERO);
                continue;
            };
            let now = self.run(&part.files, Some(all))?;
            if self.stop.load(Ordering::Relaxed) {
                search.stop();
                break;
            }
            let outcome = match now.failed(all, self.checks) {
                Some(by) => StateOutcome::Fails { by },
                None => StateOutcome::Passes,
            };
            search.feed(outcome, now.took);
        }
        Ok(())
    }

    /// Runs all other tests of the project without what is unneeded, in the time that is left, and finds out what of it they
    /// need. Returns how many states that took, and how long.
    fn confirm(
        &self,
        states: &StagedStates<'_>,
        (suspects, needs): (&[Suspect], &mut [Need]),
        work: &NecessityWork<'_>,
        (runs, took): (usize, Duration),
    ) -> Result<(usize, Duration), ShadowError> {
        let budget = |runs, took| NecessityBudget {
            runs: work.budget.runs.saturating_sub(runs),
            time: work.budget.time.saturating_sub(took),
        };
        let others = match work.others {
            _ if !needs.contains(&Need::Unneeded) => return Ok((0, Duration::ZERO)),
            Ok([]) => return Ok((0, Duration::ZERO)),
            Ok(others) => others,
            Err(why) => {
                refine(needs, None, &format!("not all tests can be run: {why}"));
                return Ok((0, Duration::ZERO));
            }
        };
        let began = Instant::now();
        warm(self.bench, self.base, others, self.stop)?;
        let trial = Trial {
            checks: &[],
            suites: others,
            most: budget(runs, took + began.elapsed()).time,
            ..*self
        };
        let all = trial.run(&states.whole.files, None)?;
        if let Err(why) = all.speaks() {
            refine(needs, None, &format!("not all tests were run: {why}"));
            return Ok((1, began.elapsed()));
        }
        let left = budget(runs + 1, took + began.elapsed());
        let mut search = NecessitySearch::among_unneeded(suspects, needs, left);
        trial.search(states, &mut search, &all, &|_, _| {})?;
        let late = format!(
            "not all tests were run without it in {} s",
            work.budget.time.as_secs()
        );
        refine(needs, Some(search.needs()), &late);
        Ok((search.spent().0 + 1, began.elapsed()))
    }

    /// Runs checks and tests on these files. Beside what passes with `all` hunks, the first thing that fails ends it.
    fn run(&self, files: &[ProgramFile], all: Option<&StateRun>) -> Result<StateRun, ShadowError> {
        let began = Instant::now();
        let mut shadow = self.bench.open_on(Origin::Tests, self.base)?;
        shadow.stage(files.to_vec())?;
        let mut run = StateRun {
            found: Vec::new(),
            suites: Vec::new(),
            took: Duration::ZERO,
        };
        for check in self.checks {
            run.found
                .push(match self.bench.said(&shadow, check, self.stop)? {
                    Said::Diagnostics(found) => (found, true),
                    Said::Partly(found, _) => (found, false),
                    Said::Nothing(_) => (Vec::new(), false),
                });
        }
        for (number, suite) in self.suites.iter().enumerate() {
            let before = all.and_then(|all| all.suites.get(number));
            let is_over = all.is_some_and(|all| run.failed(all, self.checks).is_some());
            if is_over || self.stop.load(Ordering::Relaxed) {
                break;
            }
            let limit = before.map(|own| LEAST_TIME.max(own.took * SLOWER));
            let limit = limit.unwrap_or_else(|| suite_limit(suite).min(self.most));
            let told = self.bench.suite_within(&shadow, suite, limit, self.stop)?;
            run.suites.push(told);
        }
        run.took = began.elapsed();
        Ok(run)
    }

    /// Runs the tests on files with probes, and all others of the project where some did not run; returns those that ran, and how
    /// long it took.
    fn reached(
        &self,
        files: &[ProgramFile],
        plan: &ReachPlan,
        work: &NecessityWork<'_>,
    ) -> Result<(BTreeSet<usize>, Duration), ShadowError> {
        let began = Instant::now();
        let mut files = files.to_vec();
        for file in &mut files {
            let probed = plan.texts.iter().find(|(path, _)| *path == file.path);
            if let (Some((_, text)), Some(ProgramContent::File { bytes, .. })) =
                (probed, &mut file.content)
            {
                *bytes = text.clone().into_bytes();
            }
        }
        let mut shadow = self.bench.open_on(Origin::Tests, self.base)?;
        shadow.stage(files)?;
        for suite in self.suites {
            self.bench.suite(&shadow, suite, self.stop)?;
        }
        let ran = || -> Result<BTreeSet<usize>, ShadowError> {
            let names = shadow.names_written()?.into_iter();
            let ran = names.filter_map(|name| name.to_str()?.strip_prefix(MARKER)?.parse().ok());
            Ok(ran.collect())
        };
        let mut reached = ran()?;
        // Tests that take longer could not be run twice in what is left in the end: what they need is not told.
        let most = work.budget.time / OTHERS_SHARE;
        for suite in work.others.unwrap_or(&[]) {
            if !plan.lacks(&reached) || self.stop.load(Ordering::Relaxed) {
                break;
            }
            self.bench.suite_within(&shadow, suite, most, self.stop)?;
            reached = ran()?;
        }
        Ok((reached, began.elapsed()))
    }
}

/// Takes what a search with all tests says; `limit` says why it says nothing of some hunks, or of all.
fn refine(needs: &mut [Need], by_all: Option<Vec<Need>>, limit: &str) {
    let by_all = by_all.unwrap_or_else(|| vec![Need::Undecided; needs.len()]);
    for (need, by_all) in needs.iter_mut().zip(by_all) {
        need.refine(by_all, limit);
    }
}

/// Changed files and where each hunk stands in them.
struct StagedLines {
    files: Vec<ChangedFile>,
    places: BTreeMap<HunkId, (String, usize)>,
    /// Hunks that are gone where a hunk is.
    carried: BTreeMap<HunkId, BTreeSet<HunkId>>,
}

impl StagedLines {
    /// Returns where a hunk stands: its file and its first line; no file where no line of it is there.
    fn place(&self, hunk: HunkId) -> (String, usize) {
        let place = self.places.get(&hunk).cloned();
        place.unwrap_or((String::new(), 1))
    }

    /// Returns the hunks that are gone where a hunk is, for each.
    fn carried(&self) -> &BTreeMap<HunkId, BTreeSet<HunkId>> {
        &self.carried
    }

    /// Returns the report: for each hunk its place, its need and the tests that it breaks.
    fn report(
        &self,
        hunks: &[HunkId],
        needs: impl Iterator<Item = Need>,
        broken: BreakingReport,
    ) -> NecessityReport {
        let each = hunks.iter().zip(needs).map(|(hunk, need)| {
            let (path, line) = self.place(*hunk);
            let breaking = broken.hunks.iter().find(|own| own.hunk == *hunk);
            HunkNeed {
                hunk: *hunk,
                path,
                line,
                need,
                breaks: breaking.map(BreakingHunk::told),
            }
        });
        NecessityReport {
            hunks: each.collect(),
            unexplained: broken.unexplained,
            // That with all hunks, too.
            runs: broken.runs + 1,
            took: broken.took,
        }
    }
}

fn hunk_lines(
    parts: &StagedParts,
    whole: &StagedPart,
    hunks: &[HunkId],
) -> Result<StagedLines, ShadowError> {
    let texts: BTreeMap<&str, &str> = whole.files.iter().filter_map(text_of).collect();
    let mut changes: BTreeMap<&str, Vec<HunkLines>> = BTreeMap::new();
    let mut lines = StagedLines {
        files: Vec::new(),
        places: BTreeMap::new(),
        carried: BTreeMap::new(),
    };
    for (number, hunk) in hunks.iter().enumerate() {
        let Some(part) = parts.without(&BTreeSet::from([*hunk]))? else {
            continue;
        };
        let without: BTreeMap<&str, &str> = part.files.iter().filter_map(text_of).collect();
        for (path, text) in &texts {
            let before = without.get(path).copied().unwrap_or("");
            if before == *text {
                continue;
            }
            let (old, new) = (split(before), split(text));
            let differences = diff_lines(&old, &new);
            let first = differences.first().map_or(0, |own| own.new.start);
            lines.places.insert(*hunk, ((*path).to_owned(), first + 1));
            let removed = differences
                .iter()
                .flat_map(|own| old.get(own.old.clone()).unwrap_or(&[]));
            let removed = removed.map(|line| String::from_utf8_lossy(line).into_owned());
            changes.entry(*path).or_default().push(HunkLines {
                hunk: number,
                removed: removed.collect(),
                added: differences
                    .iter()
                    .map(|own| own.new.clone())
                    .collect::<Vec<Range<usize>>>(),
            });
        }
        lines.carried.insert(*hunk, part.gone);
    }
    let files = changes.into_iter().map(|(path, changes)| ChangedFile {
        path: path.to_owned(),
        text: texts.get(path).copied().unwrap_or("").to_owned(),
        changes,
    });
    lines.files = files.collect();
    Ok(lines)
}

fn split(text: &str) -> Vec<&[u8]> {
    text.split_inclusive('\n').map(str::as_bytes).collect()
}

fn text_of(file: &ProgramFile) -> Option<(&str, &str)> {
    match &file.content {
        Some(ProgramContent::File { bytes, .. }) => {
            Some((file.path.as_str(), std::str::from_utf8(bytes).ok()?))
        }
        Some(ProgramContent::Link(_)) | None => None,
    }
}

/// Returns what the search has to know of each hunk.
fn suspects(
    (parts, views): (&StagedParts, &[ProposalView]),
    hunks: &[HunkId],
    lines: &StagedLines,
    (plan, reached): (&ReachPlan, &BTreeSet<usize>),
    is_test: &dyn Fn(&str) -> bool,
) -> Vec<Suspect> {
    let number: BTreeMap<HunkId, usize> = (0..).zip(hunks).map(|(at, own)| (*own, at)).collect();
    let shown: Vec<_> = views.iter().flat_map(|view| &view.hunks).collect();
    let uncovered = plan.uncovered(reached);
    let each = hunks.iter().enumerate().map(|(at, hunk)| {
        let view = shown.iter().find(|own| own.id == *hunk);
        let proof = view.and_then(|own| own.proof.as_ref());
        let carried = lines.carried.get(hunk).into_iter().flatten();
        let mut carries: BTreeSet<HunkId> = carried.copied().collect();
        carries.extend(view.and_then(|own| Some(own.moved.as_ref()?.with)));
        match proof {
            Some(Proof::Moved { with, .. }) => carries.extend([*with]),
            Some(Proof::Renamed { .. }) => {
                let same = shown.iter().filter(|own| own.proof.as_ref() == proof);
                carries.extend(same.map(|own| own.id));
            }
            Some(Proof::Layout) | None => {}
        }
        carries.remove(hunk);
        let same_code = matches!(proof, Some(Proof::Layout));
        let place = lines.places.get(hunk);
        let why = match place {
            None => Some("what tests use of it cannot be seen".to_owned()),
            Some((path, _)) if is_test(path) || plan.is_of_tests(at) => {
                Some("it belongs to the tests".to_owned())
            }
            Some(_) if same_code => None,
            Some(_) => uncovered.get(&at).cloned(),
        };
        let words = parts
            .request(*hunk)
            .split(|c: char| !signoff_core::word::is_word(c));
        let words = words
            .filter(|word| word.len() > 2)
            .map(str::to_owned)
            .collect();
        let file = place.and_then(|(path, _)| {
            let mut files = lines.files.iter();
            files.position(|file| file.path == *path)
        });
        Suspect {
            beside_code: !plan.has_code(at) && file.is_some(),
            file: file.unwrap_or(usize::MAX),
            within: plan.within(at),
            uncovered: why,
            same_code,
            asked_words: plan.shares(at, &words),
            lines: view.map_or(0, |own| own.added + own.removed),
            carries: carries
                .iter()
                .filter_map(|own| number.get(own).copied())
                .collect(),
            linked: plan.linked(at),
        }
    });
    each.collect()
}
