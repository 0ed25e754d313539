//! Sign-offs: what of a written change was displayed, and which checks had run on the files as they were written.
//!
//! In: what whoever approved a hunk had on the screen, and what is known of checks. Out: plain values for history, blame and
//! receipts.
//!
//! For example, of an entry with three splices in two hunks, the first was displayed and the second is a rename:
//!
//! ```text
//! sights  2 splices seen, 1 splice folded (total → sum)
//! checks  pytest: 12 passed
//! told    1 hunk seen, 1 folded; pytest passed
//! ```

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::plural::counted;
use crate::quote::one_line;

/// What of a hunk was displayed when it was approved.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "as")]
pub enum Sight {
    /// All of its lines.
    Seen,
    /// The line of its proof.
    Folded {
        /// What the line said.
        proof: String,
    },
    /// Its lines, by an editor.
    Editor,
    /// Nothing that signoff knows of: it was named by its id or its group on the command line.
    Named,
    /// Not all of its lines: it was approved with all that waited, or with a key that was pressed before they were
    /// displayed. A kind that this version does not know counts as this one.
    #[default]
    #[serde(other)]
    Unseen,
}

impl Sight {
    /// Returns the word for it, as in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Seen => "seen",
            Self::Folded { .. } => "folded",
            Self::Editor => "editor",
            Self::Named => "named",
            Self::Unseen => "unseen",
        }
    }

    /// Returns whether somebody had it displayed, as its lines or as its proof.
    pub fn is_displayed(&self) -> bool {
        match self {
            Self::Seen | Self::Folded { .. } | Self::Editor => true,
            Self::Named | Self::Unseen => false,
        }
    }
}

impl fmt::Display for Sight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folded { proof } => write!(f, "folded ({proof})"),
            Self::Editor => f.write_str("seen in an editor"),
            Self::Named => f.write_str("approved by its id"),
            Self::Seen | Self::Unseen => f.write_str(self.word()),
        }
    }
}

/// A check, or tests, that had run on files as they were written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CheckRun {
    /// Its name: `cargo check`, `pytest`.
    pub name: String,
    /// Whether it came to its end and found no new error; of tests, whether all of them passed.
    pub passed: bool,
    /// How it ended, in words: `12 passed`.
    pub outcome: String,
}

impl CheckRun {
    /// Returns it with texts of one line each, of no more than `chars` characters.
    pub fn bounded(&self, chars: usize) -> Self {
        Self {
            name: one_line(&self.name, chars),
            passed: self.passed,
            outcome: one_line(&self.outcome, chars),
        }
    }
}

impl fmt::Display for CheckRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            passed,
            outcome,
        } = self;
        if *passed {
            write!(f, "{name} passed")
        } else {
            write!(f, "{name}: {outcome}")
        }
    }
}

/// Says which checks had run, in a few words.
pub fn checks_in_words(checks: &[CheckRun]) -> String {
    let told: Vec<String> = checks.iter().map(ToString::to_string).collect();
    if told.is_empty() {
        "no check had run".to_owned()
    } else {
        told.join(", ")
    }
}

/// Splices in a row of one hunk, and what of it was displayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenSplices {
    /// How many.
    pub splices: usize,
    /// What was displayed.
    #[serde(flatten)]
    pub sight: Sight,
}

/// How an entry of history was signed off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignOff {
    /// Of each of its hunks, in the order of its splices, what was displayed.
    pub hunks: Vec<SeenSplices>,
    /// What had run on all files of the staged work as they were written.
    pub checks: Vec<CheckRun>,
}

impl SignOff {
    /// Returns what was displayed of the hunk that a splice is of.
    pub fn sight(&self, splice: usize) -> Option<&Sight> {
        let mut before = 0;
        let own = self.hunks.iter().find(|own| {
            before += own.splices;
            splice < before
        });
        own.map(|own| &own.sight)
    }

    /// Says in a few words what was displayed, and which checks had run.
    pub fn in_words(&self) -> String {
        let mut counts: Vec<(&Sight, usize)> = Vec::new();
        for own in &self.hunks {
            let known = counts.iter_mut();
            let mut known = known.filter(|(sight, _)| sight.word() == own.sight.word());
            match known.next() {
                Some((_, count)) => *count += 1,
                None => counts.push((&own.sight, 1)),
            }
        }
        let seen = match counts.as_slice() {
            [] => "nothing to see".to_owned(),
            [(sight, 1)] => sight.to_string(),
            [(sight, _)] => sight.word().to_owned(),
            [(first, count), others @ ..] => {
                let first = format!("{} {}", counted(*count, "hunk"), first.word());
                let others = others.iter();
                let others = others.map(|(sight, count)| format!(", {count} {}", sight.word()));
                others.fold(first, |told, other| told + &other)
            }
        };
        format!("{seen}; {}", checks_in_words(&self.checks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(splices: usize, sight: Sight) -> SeenSplices {
        SeenSplices { splices, sight }
    }

    #[test]
    fn a_splice_is_of_the_hunk_that_it_lies_in() {
        let signed = SignOff {
            hunks: vec![seen(2, Sight::Seen), seen(1, Sight::Unseen)],
            checks: Vec::new(),
        };
        let told: Vec<_> = (0..4).map(|splice| signed.sight(splice)).collect();
        assert_eq!(
            told,
            [
                Some(&Sight::Seen),
                Some(&Sight::Seen),
                Some(&Sight::Unseen),
                None
            ]
        );
    }

    #[test]
    fn a_sign_off_is_told_in_a_few_words() {
        let fold = Sight::Folded {
            proof: "a → b".to_owned(),
        };
        let run = |passed| CheckRun {
            name: "pytest".to_owned(),
            passed,
            outcome: "1 passed, 1 newly failed".to_owned(),
        };
        for (hunks, checks, told) in [
            (
                vec![seen(1, Sight::Seen)],
                vec![run(true)],
                "seen; pytest passed",
            ),
            (
                vec![seen(1, fold.clone())],
                Vec::new(),
                "folded (a → b); no check had run",
            ),
            (
                vec![seen(1, fold), seen(1, Sight::Seen), seen(4, Sight::Seen)],
                vec![run(false)],
                "1 hunk folded, 2 seen; pytest: 1 passed, 1 newly failed",
            ),
        ] {
            assert_eq!(SignOff { hunks, checks }.in_words(), told);
        }
    }

    #[test]
    fn what_another_version_calls_a_sight_counts_as_unseen() {
        let read: SeenSplices = serde_json::from_str(r#"{"splices": 1, "as": "heard"}"#).unwrap();
        assert_eq!(read, seen(1, Sight::Unseen));
        let text = serde_json::to_string(&seen(2, Sight::Unseen)).unwrap();
        assert_eq!(text, r#"{"splices":2,"as":"unseen"}"#);
    }
}
