//! Check report: what came of the checks of a changeset.
//!
//! In: the outcome of each check. Out: what is new, and in words how it ended.

use std::fmt;

use serde::{Deserialize, Serialize};
use signoff_source::plural;

use super::{Diagnostic, Severity};

/// What came of the checks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckReport {
    /// Each check.
    pub checks: Vec<Checked>,
    /// What the staged work brings in, errors first.
    pub new: Vec<Diagnostic>,
}

/// A check that begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckStep {
    /// Its name.
    pub name: String,
    /// Which one it is, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

/// What came of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The check.
    pub name: String,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: CheckOutcome,
    /// Milliseconds that it took.
    pub took_ms: u64,
}

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum CheckOutcome {
    /// It said nothing new.
    Ok,
    /// It said something new.
    Found {
        /// New errors.
        errors: usize,
        /// New warnings.
        warnings: usize,
    },
    /// Tests were run.
    Tested {
        /// Tests that passed.
        passed: usize,
        /// Tests that fail and did not before.
        failed: usize,
        /// Tests that fail without what is staged too.
        #[serde(default)]
        known: usize,
        /// The test files, relative to the workspace; all of the project where there are none.
        #[serde(default)]
        files: Vec<String>,
    },
    /// Hunks were dropped, to see whether a test or a check needs them.
    Necessity {
        /// Hunks without which something fails.
        needed: usize,
        /// Hunks without which nothing does.
        unneeded: usize,
        /// Hunks that no test speaks about.
        uncovered: usize,
        /// Hunks for which the time did not suffice.
        undecided: usize,
        /// States that were run.
        runs: usize,
    },
    /// It could not do its work.
    Failed {
        /// Why, in one line.
        why: String,
    },
    /// It was not started.
    NotRun {
        /// Why, in one line.
        why: String,
    },
    /// It ran out of time.
    TimedOut,
    /// Nobody waited any more.
    Stopped,
}

impl CheckOutcome {
    /// Returns whether the check did its work to the end, whatever it found.
    pub fn is_finished(&self) -> bool {
        match self {
            Self::Ok | Self::Found { .. } | Self::Tested { .. } | Self::Necessity { .. } => true,
            Self::Failed { .. } | Self::NotRun { .. } | Self::TimedOut | Self::Stopped => false,
        }
    }

    /// Returns whether the check did its work and found no new error.
    pub fn holds(&self) -> bool {
        let is_bad = matches!(
            self,
            Self::Found { errors: 1.., .. } | Self::Tested { failed: 1.., .. }
        );
        self.is_finished() && !is_bad
    }
}

impl Checked {
    /// Returns what became of it, without the time that it took.
    pub fn told(&self) -> String {
        format!("{}: {}", self.name, self.outcome)
    }
}

impl CheckReport {
    /// Returns a report on checks that were not started.
    pub fn not_run(names: impl Iterator<Item = String>, why: &str) -> Self {
        let each = names.map(|name| Checked {
            name,
            outcome: CheckOutcome::NotRun {
                why: why.to_owned(),
            },
            took_ms: 0,
        });
        Self {
            checks: each.collect(),
            new: Vec::new(),
        }
    }

    /// Returns both as one.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.checks.extend(other.checks);
        self.new.extend(other.new);
        self
    }

    /// Returns the checks that did not do their work to the end: nothing follows from what they did not say.
    pub fn unfinished(&self) -> impl Iterator<Item = &Checked> {
        let checks = self.checks.iter();
        checks.filter(|check| !check.outcome.is_finished())
    }

    /// Returns whether tests fail that did not before.
    pub fn breaks_tests(&self) -> bool {
        let mut outcomes = self.checks.iter().map(|check| &check.outcome);
        outcomes.any(|outcome| matches!(outcome, CheckOutcome::Tested { failed: 1.., .. }))
    }

    /// Returns the number of new errors.
    pub fn errors(&self) -> usize {
        let is_error = |d: &&Diagnostic| d.severity == Severity::Error;
        self.new.iter().filter(is_error).count()
    }
}

impl fmt::Display for CheckOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => f.write_str("nothing new"),
            Self::Found { errors, warnings } => {
                let counts = [(*errors, "new error"), (*warnings, "new warning")];
                let there = counts.iter().filter(|(count, _)| *count > 0);
                let told: Vec<String> = there
                    .map(|(count, noun)| plural::counted(*count, noun))
                    .collect();
                f.write_str(&told.join(", "))
            }
            Self::Tested {
                passed,
                failed,
                known,
                ..
            } => {
                write!(f, "{passed} passed")?;
                if *failed > 0 {
                    write!(f, ", {failed} newly failed")?;
                }
                if *known > 0 {
                    write!(f, ", {known} failed before too")?;
                }
                Ok(())
            }
            Self::Necessity {
                needed,
                unneeded,
                uncovered,
                undecided,
                runs,
            } => {
                let counts = [
                    (*needed, "needed"),
                    (*unneeded, "not needed"),
                    (*uncovered, "not covered"),
                    (*undecided, "undecided"),
                ];
                let there = counts.iter().filter(|(count, _)| *count > 0);
                let told: Vec<String> = there.map(|(count, is)| format!("{count} {is}")).collect();
                write!(f, "{}, {}", told.join(", "), plural::counted(*runs, "run"))
            }
            Self::Failed { why } => write!(f, "could not be done: {why}"),
            Self::NotRun { why } => write!(f, "not run: {why}"),
            Self::TimedOut => f.write_str("took too long and was ended"),
            Self::Stopped => f.write_str("was ended"),
        }
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.took_ms as f64 / 1000.0;
        write!(f, "{}: {} ({seconds:.1} s)", self.name, self.outcome)
    }
}
