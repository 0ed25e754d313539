//! Checks in the review pane.
//!
//! In: that a check runs, its report, and the hunks that waited then and wait now. Out: a few words for the title, rows for the
//! hunk that a diagnostic is about, and rows for the sign-off page: which tests ran, and on which state.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use signoff_checks::check::{CheckOutcome, CheckReport, Checked, Severity};
use signoff_checks::necessity::says_unneeded;
use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::stage::review::DisplayHash;

use super::review_file::{ReviewFile, proposals};
use crate::diagnosed::hunk_of;
use crate::theme::Role;
use crate::wrap::Row;

/// Test files that are named on the page; of more, their number.
const NAMED_TESTS: usize = 3;
/// Failing tests, and other errors about no hunk, that are on the page.
const MOST_ERRORS: usize = 5;

/// How far the check of what is staged is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Checks {
    /// Nothing is known.
    #[default]
    None,
    /// It runs.
    Running,
    /// It is over.
    Over(Box<CheckFindings>),
}

/// What checks found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFindings {
    role: Role,
    /// What the title says.
    words: String,
    /// The diagnostics about each hunk.
    found: HashMap<HunkId, Vec<(Role, String)>>,
    /// The hunks that no test and no check needs.
    needless: HashSet<HunkId>,
    /// What the sign-off page says of tests, a line each.
    page: Vec<(Role, String)>,
    /// True if something else is staged by now.
    is_older: bool,
}

/// What waits for a verdict, as it reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WaitingState(Vec<(HunkId, DisplayHash)>);

impl WaitingState {
    /// Returns that of these files.
    pub(super) fn of(files: &[ReviewFile]) -> Self {
        let hunks = files.iter().flat_map(ReviewFile::hunks);
        let waiting = hunks.filter(|hunk| hunk.status.is_open());
        Self(waiting.map(|hunk| (hunk.id, hunk.displayed)).collect())
    }
}

impl Checks {
    /// Takes over a report about these proposals.
    pub(super) fn of(report: &CheckReport, files: &[ReviewFile]) -> Self {
        if report.checks.is_empty() {
            return Self::None;
        }
        let errors = report.errors();
        let warnings = report.new.len() - errors;
        let failed = report.unfinished().next();
        let passed = report.checks.iter().map(|check| match check.outcome {
            CheckOutcome::Tested { passed, .. } => passed,
            _ => 0,
        });
        let passed: usize = passed.sum();
        let (role, words) = match (errors, warnings, failed) {
            (0, 0, None) if passed > 0 => {
                let tests = counted(passed, "test");
                (Role::Good, format!("checks: ok, {tests} passed"))
            }
            (0, 0, None) => (Role::Good, "checks: ok".to_owned()),
            (0, _, Some(check)) if passed > 0 => {
                let tests = counted(passed, "test");
                let what = in_short(check);
                (Role::Warn, format!("checks: {tests} passed, {what}"))
            }
            (0, _, Some(check)) => (Role::Warn, format!("checks: {}", in_short(check))),
            (0, warnings, None) => (
                Role::Warn,
                format!("checks: {}", counted(warnings, "new warning")),
            ),
            (errors, _, _) => (
                Role::Bad,
                format!("checks: {}", counted(errors, "new error")),
            ),
        };
        let mut found: HashMap<HunkId, Vec<(Role, String)>> = HashMap::new();
        let (mut elsewhere, mut needless) = (Vec::new(), HashSet::new());
        for new in &report.new {
            let is_needless = says_unneeded(&new.message);
            let role = match new.severity {
                Severity::Error => Role::Bad,
                Severity::Warning => Role::Warn,
            };
            match hunk_of(new, proposals(files)) {
                Some(hunk) => {
                    needless.extend(is_needless.then_some(hunk));
                    found.entry(hunk).or_default().push((role, new.to_string()));
                }
                None if role == Role::Bad => elsewhere.push((role, format!("! {new}"))),
                None => {}
            }
        }
        let page = report.checks.iter().filter_map(on_page);
        let mut page: Vec<(Role, String)> = page.collect();
        let more = elsewhere.len().saturating_sub(MOST_ERRORS);
        page.extend(elsewhere.into_iter().take(MOST_ERRORS));
        if more > 0 {
            page.push((Role::Bad, format!("! {more} more")));
        }
        Self::Over(Box::new(CheckFindings {
            role,
            words,
            found,
            needless,
            page,
            is_older: false,
        }))
    }

    /// Adds which hunks make tests fail, and why that is not told.
    pub(super) fn add(&mut self, report: &CheckReport, files: &[ReviewFile]) {
        let Self::Over(findings) = self else {
            return;
        };
        for new in report.new.iter().take(MOST_ERRORS) {
            findings.page.push((Role::Bad, format!("! {new}")));
        }
        for new in &report.new {
            if let Some(hunk) = hunk_of(new, proposals(files)) {
                let found = findings.found.entry(hunk).or_default();
                found.push((Role::Bad, new.to_string()));
            }
        }
        findings
            .page
            .extend(report.checks.iter().filter_map(on_page));
    }

    /// Takes over whether something else is staged than what was looked at.
    pub(super) fn compare(&mut self, is_older: bool) {
        match self {
            Self::Over(findings) => findings.is_older = is_older,
            // What is staged now is checked once it is all there.
            Self::Running if is_older => *self = Self::None,
            Self::None | Self::Running => {}
        }
    }

    /// Returns what the title says.
    pub fn title(&self) -> Option<(Role, String)> {
        match self {
            Self::None => None,
            Self::Running => Some((Role::Dim, "checks: running".to_owned())),
            Self::Over(findings) if findings.is_older => {
                Some((Role::Warn, format!("{}, on an older state", findings.words)))
            }
            Self::Over(findings) => Some((findings.role, findings.words.clone())),
        }
    }

    /// Returns what the sign-off page says of tests.
    pub(super) fn page(&self) -> &[(Role, String)] {
        match self {
            Self::None | Self::Running => &[],
            Self::Over(findings) => &findings.page,
        }
    }

    /// Returns true while they run.
    pub fn is_running(&self) -> bool {
        matches!(self, Self::Running)
    }

    /// Returns what the checks have found, once they are over.
    pub fn found(&self) -> Option<&str> {
        match self {
            Self::None | Self::Running => None,
            Self::Over(findings) => Some(&findings.words),
        }
    }

    /// Returns a word for the worst that was found in a file.
    pub(super) fn sign_of(&self, file: &ReviewFile) -> Option<(Role, &'static str)> {
        let Self::Over(findings) = self else {
            return None;
        };
        let own = findings.found.iter();
        let own = own.filter(|(hunk, _)| file.proposal(hunk.proposal).is_some());
        let mut own = own.flat_map(|(_, found)| found).peekable();
        own.peek()?;
        let is_error = own.any(|(role, _)| *role == Role::Bad);
        Some(if is_error {
            (Role::Bad, "err")
        } else {
            (Role::Warn, "warn")
        })
    }

    /// Returns true if a check found an error in a hunk of what is staged now.
    pub(super) fn has_error(&self, hunk: HunkId) -> bool {
        match self {
            Self::Over(findings) if !findings.is_older => {
                let found = self.found_in(hunk);
                found.iter().any(|(role, _)| *role == Role::Bad)
            }
            Self::None | Self::Running | Self::Over(_) => false,
        }
    }

    /// Returns true if a check found something in a hunk.
    pub(super) fn has_found(&self, hunk: HunkId) -> bool {
        !self.found_in(hunk).is_empty()
    }

    /// Returns the hunks of what is staged now that no test and no check needs.
    pub(super) fn needless(&self) -> &HashSet<HunkId> {
        static NONE: LazyLock<HashSet<HunkId>> = LazyLock::new(HashSet::new);
        match self {
            Self::Over(findings) if !findings.is_older => &findings.needless,
            Self::None | Self::Running | Self::Over(_) => &NONE,
        }
    }

    /// Returns the rows that stand below a hunk.
    pub(super) fn rows(&self, hunk: HunkId) -> Vec<Row> {
        let found = self.found_in(hunk).iter();
        let rows = found.map(|(role, text)| Row::new(*role, "! ").with(*role, text));
        rows.collect()
    }

    fn found_in(&self, hunk: HunkId) -> &[(Role, String)] {
        match self {
            Self::None | Self::Running => &[],
            Self::Over(findings) => findings.found.get(&hunk).map_or(&[], Vec::as_slice),
        }
    }
}

/// Returns what the title has room for; why is on the page, and in the transcript.
fn in_short(check: &Checked) -> String {
    let what = match check.outcome {
        CheckOutcome::TimedOut => "took too long",
        CheckOutcome::Stopped => "was ended",
        CheckOutcome::NotRun { .. } => "did not run",
        CheckOutcome::Failed { .. }
        | CheckOutcome::Ok
        | CheckOutcome::Found { .. }
        | CheckOutcome::Tested { .. }
        | CheckOutcome::Necessity { .. } => "could not be done",
    };
    format!("{} {what}", check.name)
}

/// Returns what the page says of a check: of tests which ran, of others only that they did not come to their end.
fn on_page(check: &Checked) -> Option<(Role, String)> {
    let Checked { name, outcome, .. } = check;
    let (role, what) = match outcome {
        CheckOutcome::Tested { failed, files, .. } => {
            let what = match files.as_slice() {
                [] => "all tests".to_owned(),
                files if files.len() <= NAMED_TESTS => files.join(", "),
                files => counted(files.len(), "file"),
            };
            let role = if *failed == 0 { Role::Good } else { Role::Bad };
            (role, format!(" ({what})"))
        }
        CheckOutcome::Necessity { unneeded: 1.., .. } => (Role::Warn, String::new()),
        CheckOutcome::Necessity { .. } => (Role::Good, String::new()),
        outcome if outcome.is_finished() => return None,
        _ => (Role::Warn, String::new()),
    };
    let seconds = check.took_ms as f64 / 1000.0;
    Some((role, format!("{name}{what}: {outcome}, {seconds:.1} s")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(name: &str, outcome: CheckOutcome) -> Checked {
        Checked {
            name: name.to_owned(),
            outcome,
            took_ms: 1,
        }
    }

    #[test]
    fn the_title_says_what_passed_beside_what_did_not_run() {
        let tested = |passed| CheckOutcome::Tested {
            passed,
            failed: 0,
            known: 0,
            files: Vec::new(),
        };
        let missing = || CheckOutcome::NotRun {
            why: "mypy is not installed".to_owned(),
        };
        for (passed, is_missing, expected) in [
            (3, false, "checks: ok, 3 tests passed"),
            (3, true, "checks: 3 tests passed, mypy did not run"),
            (0, true, "checks: mypy did not run"),
        ] {
            let mut checks = vec![checked("pytest", tested(passed))];
            checks.extend(is_missing.then(|| checked("mypy", missing())));
            let report = CheckReport {
                checks,
                new: Vec::new(),
            };
            let title = Checks::of(&report, &[]).title();
            assert_eq!(title.map(|(_, words)| words).as_deref(), Some(expected));
        }
    }
}
