//! Checks in the review pane.
//!
//! In: that a check runs, and its report. Out: a few words for the title, and rows for the hunk that a
//! diagnostic is about.

use std::collections::HashMap;

use signoff_checks::check::{CheckOutcome, CheckReport, Severity};
use signoff_core::id::HunkId;
use signoff_core::plural::counted;

use super::review_file::{ReviewFile, proposals};
use crate::diagnosed::hunk_of;
use crate::theme::Role;
use crate::wrap::Row;

/// How far the check of what is staged is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Checks {
    /// Nothing is known.
    #[default]
    None,
    /// It runs.
    Running,
    /// It is over: its words for the title, and the diagnostics about each hunk.
    Over(Role, String, HashMap<HunkId, Vec<(Role, String)>>),
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
            (0, _, Some(check)) => (Role::Warn, format!("checks: {check}")),
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
        for new in &report.new {
            let role = match new.severity {
                Severity::Error => Role::Bad,
                Severity::Warning => Role::Warn,
            };
            if let Some(hunk) = hunk_of(new, proposals(files)) {
                found.entry(hunk).or_default().push((role, new.to_string()));
            }
        }
        Self::Over(role, words, found)
    }

    /// Returns what the title says.
    pub fn title(&self) -> Option<(Role, &str)> {
        match self {
            Self::None => None,
            Self::Running => Some((Role::Dim, "checks: running")),
            Self::Over(role, words, _) => Some((*role, words)),
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
            Self::Over(_, words, _) => Some(words),
        }
    }

    /// Returns a word for the worst that was found in a file.
    pub(super) fn sign_of(&self, file: &ReviewFile) -> Option<(Role, &'static str)> {
        let Self::Over(_, _, found) = self else {
            return None;
        };
        let own = found.iter();
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

    /// Returns true if a check found something in a hunk.
    pub(super) fn has_found(&self, hunk: HunkId) -> bool {
        !self.found_in(hunk).is_empty()
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
            Self::Over(_, _, found) => found.get(&hunk).map_or(&[], Vec::as_slice),
        }
    }
}
