//! Necessity: which hunks of a change no test and no check needs, by delta debugging.
//!
//! In: hunks, and for each set of dropped hunks that is asked for whether tests and checks still pass without it. Out: of each
//! hunk whether it is needed. Nothing here runs a program: [`NecessitySearch`] is polled for the next set and fed its outcome.
//!
//! For example, of hunks 0 to 3 a test needs 1, and 3 is in code that no test reaches:
//!
//! ```text
//! asked                 fed
//! without 0, 1 and 2    test_sum fails        all at once: no
//! without 0             passes                0 stays dropped
//! without 0 and 1       test_sum fails        1 is needed by test_sum
//! without 0 and 2       passes                2 stays dropped
//! without 0 and 2       passes, passes        the end result, twice more: no test is flaky
//! ```
//!
//! Hunks 0 and 2 are not needed, 1 is needed by `test_sum`, and 3 is not covered: it is never dropped.
//!
//! This is the part of ddmin (Zeller and Hildebrandt, 2002) that tests complements. How many hunks are dropped at once follows
//! group testing: few where most of what was tried is needed, many where most is not. Of 30 hunks, 31 sets are asked for where
//! all are needed, and 3 where none is.

mod reach;

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

pub use reach::{ChangedFile, FunctionPlace, HunkLines, ReachPlan};

/// What is said of a hunk that can be dropped.
const UNNEEDED: &str = "no test or check fails without this hunk";
/// The same of several: one of them alone may be needed by the others.
const UNNEEDED_TOGETHER: &str =
    "no test or check fails without this hunk and the others that are not needed";
/// What reports call the search for hunks that make tests fail.
pub const BREAKING: &str = "breaking hunks";
/// Times that a state has to pass before a hunk counts as not needed: a flaky test may pass without it once.
const PASSES: usize = 3;
/// Share of needed hunks that is assumed at first, as a count of hunks needed and hunks tried.
const ASSUMED: (f64, f64) = (1.0, 2.0);
/// Group size times the share of needed hunks: a group of `ln 2 / share` holds none of them half of the time, so that each
/// run tells most.
const HALF_LIFE: f64 = std::f64::consts::LN_2;

/// Returns what is said of each of so many hunks that can be dropped.
pub fn unneeded(hunks: usize) -> &'static str {
    match hunks {
        0 | 1 => UNNEEDED,
        _ => UNNEEDED_TOGETHER,
    }
}

/// Returns whether that is said.
pub fn says_unneeded(message: &str) -> bool {
    [UNNEEDED, UNNEEDED_TOGETHER].contains(&message)
}

/// What the search has to know of a hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suspect {
    /// Why it is never dropped, if it is not: no test would fail, whatever it does.
    pub uncovered: Option<String>,
    /// Whether it has no code, and stands in a file with this number that may have: comments go with the code beside them.
    pub beside_code: bool,
    /// The number of its file.
    pub file: usize,
    /// Functions in which its added lines are.
    pub within: BTreeSet<FunctionPlace>,
    /// Whether the code is the same without it.
    pub same_code: bool,
    /// How many words of the request its lines have.
    pub asked_words: usize,
    /// Lines added and removed.
    pub lines: u32,
    /// Hunks that cannot stand without it, and those that it moves with: they are dropped with it.
    pub carries: BTreeSet<usize>,
    /// Hunks that use a name which is new with this change and which it has too.
    pub linked: BTreeSet<usize>,
}

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NecessityBudget {
    /// Runs.
    pub runs: usize,
    /// How long they may take together.
    pub time: Duration,
}

/// What tests and checks say of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateOutcome {
    /// What passes with all hunks passes.
    Passes,
    /// Something does not.
    Fails {
        /// A test or check that fails, or is not there any more.
        by: String,
    },
}

/// Whether a hunk is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// Something fails without it.
    Needed {
        /// A test or check that fails.
        by: String,
    },
    /// No test or check fails without it, and without all others that are not needed.
    Unneeded,
    /// No test reaches its code, so that none says anything of it.
    Uncovered {
        /// How that is known.
        why: String,
    },
    /// The search ended before.
    Undecided,
}

/// What the search does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchPhase {
    /// All hunks are dropped at once.
    All,
    /// Hunks are dropped in groups.
    Groups,
    /// Needed hunks are dropped together with those that they are linked to, or after those that are dropped by now.
    Pairs,
    /// All that is dropped is run again.
    Confirming,
    /// Comments beside code that is dropped are dropped with it.
    Comments,
    Over,
}

/// Delta debugging over hunks, as a state machine.
#[derive(Clone, Debug)]
pub struct NecessitySearch {
    hunks: Vec<Suspect>,
    budget: NecessityBudget,
    phase: SearchPhase,
    /// Hunks that were not tried, the least suspicious first.
    rest: Vec<usize>,
    /// Groups that are tried before the rest, the next one last.
    groups: Vec<BTreeSet<usize>>,
    needed: HashMap<usize, String>,
    dropped: BTreeSet<usize>,
    /// What is known of sets of dropped hunks: how often each passed, or what failed.
    known: HashMap<BTreeSet<usize>, KnownState>,
    /// How often a set has to pass before its group stays dropped; more than once after a flaky test was met.
    passes: usize,
    /// How often all that is dropped has to pass together.
    confirms: usize,
    asked: Option<BTreeSet<usize>>,
    runs: usize,
    took: Duration,
}

#[derive(Clone, Debug)]
enum KnownState {
    Passed(usize),
    Failed(String),
}

impl Need {
    /// Takes what a search among the unneeded says of a hunk; `limit` says why that has not come to its end, if it has not.
    pub fn refine(&mut self, by_all: Self, limit: &str) {
        if *self == Self::Unneeded {
            *self = match by_all {
                Self::Undecided => Self::Uncovered {
                    why: limit.to_owned(),
                },
                told => told,
            };
        }
    }
}

impl NecessitySearch {
    /// Begins a search over hunks that pass together.
    pub fn new(hunks: Vec<Suspect>, budget: NecessityBudget) -> Self {
        Self::confirmed(hunks, budget, PASSES)
    }

    /// Begins a search among what another search found unneeded, with tests that it did not run: one run that passes without
    /// all of it is enough. What of it is undecided in the end is uncovered.
    ///
    /// ```text
    /// first search, tests a and b      0, 2 and 5 are unneeded
    /// this one, all tests              without 0, 2 and 5: test_z fails; without 0: passes; without 0 and 2: passes
    /// so                               0 and 2 are unneeded, 5 is needed by test_z
    /// ```
    pub fn among_unneeded(hunks: &[Suspect], needs: &[Need], budget: NecessityBudget) -> Self {
        let hunks = hunks.iter().zip(needs).map(|(hunk, need)| {
            let uncovered = match need {
                Need::Unneeded => hunk.uncovered.clone(),
                _ => Some(String::new()),
            };
            Suspect {
                uncovered,
                ..hunk.clone()
            }
        });
        Self::confirmed(hunks.collect(), budget, 1)
    }

    fn confirmed(hunks: Vec<Suspect>, budget: NecessityBudget, confirms: usize) -> Self {
        let mut search = Self {
            phase: SearchPhase::Over,
            rest: Vec::new(),
            groups: Vec::new(),
            needed: HashMap::new(),
            dropped: BTreeSet::new(),
            known: HashMap::new(),
            passes: 1,
            confirms,
            asked: None,
            runs: 0,
            took: Duration::ZERO,
            budget,
            hunks,
        };
        search.pin();
        search.begin();
        search
    }

    /// Returns the hunks that are to be dropped next; none once the search is over.
    pub fn asked(&self) -> Option<&BTreeSet<usize>> {
        self.asked.as_ref()
    }

    /// Takes what came of the hunks that were asked for, and how long that took.
    pub fn feed(&mut self, outcome: StateOutcome, took: Duration) {
        let Some(asked) = self.asked.take() else {
            return;
        };
        self.runs += 1;
        self.took += took;
        let known = match (outcome, self.known.get(&asked)) {
            (StateOutcome::Fails { by }, _) => KnownState::Failed(by),
            (StateOutcome::Passes, Some(KnownState::Passed(times))) => {
                KnownState::Passed(times + 1)
            }
            (StateOutcome::Passes, _) => KnownState::Passed(1),
        };
        self.known.insert(asked, known);
        self.advance();
    }

    /// Ends the search: what is not known by now stays undecided.
    pub fn stop(&mut self) {
        self.asked = None;
        self.phase = SearchPhase::Over;
    }

    /// Returns how many states were run, and how long that took.
    pub fn spent(&self) -> (usize, Duration) {
        (self.runs, self.took)
    }

    /// Returns what is known of each hunk.
    pub fn needs(&self) -> Vec<Need> {
        let is_confirmed = self.has_passed(&self.dropped, self.confirms);
        let comments = self.comments();
        let are_confirmed = self.has_passed(&self.with_comments(&comments), 1);
        let each = self.hunks.iter().enumerate().map(|(hunk, suspect)| {
            if are_confirmed && comments.contains(&hunk) {
                return Need::Unneeded;
            }
            if let Some(why) = &suspect.uncovered {
                return Need::Uncovered { why: why.clone() };
            }
            match self.needed.get(&hunk) {
                Some(by) => Need::Needed { by: by.clone() },
                None if is_confirmed && self.dropped.contains(&hunk) => Need::Unneeded,
                None => Need::Undecided,
            }
        });
        each.collect()
    }

    /// Never drops a hunk that carries one which is never dropped.
    fn pin(&mut self) {
        for hunk in 0..self.hunks.len() {
            let carried = self.closed(BTreeSet::from([hunk]));
            let mut pinned = carried.into_iter().filter(|own| *own != hunk);
            let why = pinned.find_map(|own| self.hunks.get(own)?.uncovered.clone());
            if let (Some(why), Some(own)) = (why, self.hunks.get_mut(hunk))
                && own.uncovered.is_none()
            {
                own.uncovered = Some(format!("a hunk goes with it, and {why}"));
            }
        }
    }

    /// Begins with all hunks that may be dropped, the most suspicious first and linked ones in a row.
    fn begin(&mut self) {
        let judged = |hunk: &usize| {
            self.hunks
                .get(*hunk)
                .is_some_and(|own| own.uncovered.is_none())
        };
        let mut order: Vec<usize> = (0..self.hunks.len()).filter(judged).collect();
        order.sort_by_key(|hunk| {
            let own = self.hunks.get(*hunk);
            own.map(|own| (!own.same_code, own.asked_words, own.lines))
        });
        let mut rest: Vec<usize> = Vec::new();
        for first in order.iter().copied() {
            let mut row = vec![first];
            while let Some(hunk) = row.pop() {
                if !order.contains(&hunk) || rest.contains(&hunk) {
                    continue;
                }
                rest.push(hunk);
                row.extend(self.hunks.get(hunk).into_iter().flat_map(|own| &own.linked));
            }
        }
        self.groups.clear();
        rest.reverse();
        self.rest = rest;
        self.phase = SearchPhase::All;
        self.advance();
    }

    /// Goes on until a set is asked for whose outcome is not known, or the search is over.
    fn advance(&mut self) {
        while self.phase != SearchPhase::Over {
            let is_last = matches!(self.phase, SearchPhase::Confirming | SearchPhase::Comments);
            if self.is_spent() && !is_last {
                self.phase = SearchPhase::Confirming;
            }
            match self.phase {
                SearchPhase::All => self.try_all(),
                SearchPhase::Groups => self.try_group(),
                SearchPhase::Pairs => self.try_pair(),
                SearchPhase::Confirming => self.confirm(),
                SearchPhase::Comments => self.try_comments(),
                SearchPhase::Over => {}
            }
            if self.asked.is_some() {
                return;
            }
        }
    }

    fn try_all(&mut self) {
        let all = self.rest.iter().copied().collect();
        if self.tried(&all).is_some() {
            self.phase = SearchPhase::Groups;
        }
    }

    fn try_group(&mut self) {
        let Some(group) = self.groups.pop().or_else(|| self.next_group()) else {
            self.phase = SearchPhase::Pairs;
            self.groups = self.linked_pairs();
            return;
        };
        let open: BTreeSet<usize> = group
            .iter()
            .copied()
            .filter(|own| self.is_open(*own))
            .collect();
        if open.is_empty() {
            return;
        }
        let Some(failed_by) = self.tried(&open) else {
            self.groups.push(group);
            return;
        };
        let Some(by) = failed_by else {
            return;
        };
        match open.len() {
            1 => self
                .needed
                .extend(open.into_iter().map(|own| (own, by.clone()))),
            many => {
                let mut first = open.into_iter();
                let half = first.by_ref().take(many / 2).collect();
                self.groups.push(first.collect());
                self.groups.push(half);
            }
        }
    }

    /// Tries hunks together that fail alone: a function that nothing needs, and its only call.
    fn try_pair(&mut self) {
        let Some(pair) = self.groups.pop() else {
            self.phase = SearchPhase::Confirming;
            return;
        };
        if !pair.iter().all(|own| self.needed.contains_key(own)) {
            return;
        }
        match self.tried(&pair) {
            None => self.groups.push(pair),
            Some(Some(_)) => {}
            Some(None) => self.needed.retain(|own, _| !pair.contains(own)),
        }
    }

    /// Runs all that is dropped until it has passed often enough; begins anew, and with more runs for each state, where it
    /// fails.
    fn confirm(&mut self) {
        let failed = matches!(self.known.get(&self.dropped), Some(KnownState::Failed(_)));
        let is_over = self.dropped.is_empty() || self.has_passed(&self.dropped, self.confirms);
        if failed && self.passes < self.confirms && !self.is_spent() {
            self.passes = self.confirms;
            self.dropped.clear();
            self.needed.clear();
            self.begin();
        } else if failed || is_over || self.runs >= self.budget.runs {
            self.phase = SearchPhase::Comments;
        } else {
            self.asked = Some(self.dropped.clone());
        }
    }

    /// Drops the comments that go with what is dropped, once.
    fn try_comments(&mut self) {
        let set = self.with_comments(&self.comments());
        if set == self.dropped || self.known.contains_key(&set) || self.runs >= self.budget.runs {
            self.phase = SearchPhase::Over;
        } else {
            self.asked = Some(set);
        }
    }

    /// Returns the hunks without code in files of which some code is not needed, and none is needed or undecided; of those in
    /// functions, where all code of their functions is not needed. What says something of needed code stays with it.
    fn comments(&self) -> BTreeSet<usize> {
        if !self.has_passed(&self.dropped, self.confirms) {
            return BTreeSet::new();
        }
        let goes = |own: &Suspect| {
            let beside = self.hunks.iter().enumerate();
            let mut beside =
                beside.filter(|(_, other)| other.file == own.file && !other.beside_code);
            let some = beside.clone().any(|(at, _)| self.dropped.contains(&at));
            some && beside.all(|(at, other)| {
                let is_about = if own.within.is_empty() {
                    other.uncovered.is_none()
                } else {
                    !own.within.is_disjoint(&other.within)
                };
                self.dropped.contains(&at) || !is_about
            })
        };
        let hunks = self.hunks.iter().enumerate();
        let comments = hunks.filter(|(_, own)| own.beside_code && goes(own));
        comments.map(|(at, _)| at).collect()
    }

    fn with_comments(&self, comments: &BTreeSet<usize>) -> BTreeSet<usize> {
        self.closed(self.dropped.union(comments).copied().collect())
    }

    /// Returns whether hunks can be dropped beside those that are: what failed, if anything did. None if that has to be run.
    fn tried(&mut self, group: &BTreeSet<usize>) -> Option<Option<String>> {
        let set = self.closed(self.dropped.union(group).copied().collect());
        match self.known.get(&set) {
            Some(KnownState::Failed(by)) => Some(Some(by.clone())),
            Some(KnownState::Passed(times)) if *times >= self.passes => {
                self.needed.retain(|own, _| !set.contains(own));
                self.dropped = set;
                Some(None)
            }
            Some(KnownState::Passed(_)) | None => {
                self.asked = Some(set);
                None
            }
        }
    }

    /// Returns hunks with all that they carry.
    fn closed(&self, hunks: BTreeSet<usize>) -> BTreeSet<usize> {
        let mut all = BTreeSet::new();
        let mut open: Vec<usize> = hunks.into_iter().collect();
        while let Some(hunk) = open.pop() {
            if all.insert(hunk) {
                open.extend(
                    self.hunks
                        .get(hunk)
                        .into_iter()
                        .flat_map(|own| &own.carries),
                );
            }
        }
        all
    }

    fn is_open(&self, hunk: usize) -> bool {
        !self.dropped.contains(&hunk) && !self.needed.contains_key(&hunk)
    }

    /// Takes the next hunks of the rest.
    fn next_group(&mut self) -> Option<BTreeSet<usize>> {
        let needed = self.needed.len() as f64;
        let tried = needed + self.dropped.len() as f64;
        let share = (needed + ASSUMED.0) / (tried + ASSUMED.1);
        let size = (HALF_LIFE / share).round().max(1.0) as usize;
        let rest = std::mem::take(&mut self.rest);
        let mut rest: Vec<usize> = rest.into_iter().filter(|own| self.is_open(*own)).collect();
        let at = rest.len().saturating_sub(size);
        let group: BTreeSet<usize> = rest.split_off(at).into_iter().collect();
        self.rest = rest;
        (!group.is_empty()).then_some(group)
    }

    /// Returns the pairs of needed hunks that are linked, and alone those that are linked to a dropped one: an import is needed
    /// until its only use is gone.
    fn linked_pairs(&self) -> Vec<BTreeSet<usize>> {
        let mut pairs = BTreeSet::new();
        for hunk in self.needed.keys().copied() {
            let linked = self.hunks.get(hunk).into_iter().flat_map(|own| &own.linked);
            for other in linked.copied() {
                if self.dropped.contains(&other) {
                    pairs.insert(BTreeSet::from([hunk]));
                } else if self.needed.contains_key(&other) {
                    pairs.insert(BTreeSet::from([hunk, other]));
                }
            }
        }
        pairs.into_iter().collect()
    }

    fn has_passed(&self, set: &BTreeSet<usize>, times: usize) -> bool {
        matches!(self.known.get(set), Some(KnownState::Passed(passed)) if *passed >= times)
    }

    /// Returns whether no more can be spent than what confirming the result takes.
    fn is_spent(&self) -> bool {
        let left = self.budget.runs.saturating_sub(self.runs);
        let each = self
            .took
            .checked_div(u32::try_from(self.runs).unwrap_or(u32::MAX));
        let confirming = u32::try_from(self.confirms.saturating_sub(1)).unwrap_or(u32::MAX);
        let last = each.unwrap_or(Duration::ZERO).saturating_mul(confirming);
        left < self.confirms || self.took.saturating_add(last) >= self.budget.time
    }
}

#[cfg(test)]
mod tests;
