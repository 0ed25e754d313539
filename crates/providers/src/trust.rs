//! Trust records: what the user thinks of something that is not theirs, as hooks and servers of a workspace, or a model that
//! was found on this machine.
//!
//! In: what is known of earlier decisions, and the user's answer to the question. Out: whether it is trusted.
//!
//! ```text
//! unknown   the user says yes, and that is written down  ->  trusted
//! unknown   the user says yes, and the disk is full      ->  refused until the end of the run
//! trusted   its definition changes, before a later run   ->  changed: the user is asked again
//! ```
//!
//! `TrustRecord`: what the user thinks of something that is not theirs: hooks and servers of a workspace, a model
//! that was found. The question, the standing, and how a decision is written down are one value;
//! `setup/definitions/trust` makes it, `session/prompt_queue` has the user asked.
//!
//! **Invariant:** what cannot be read or written down is no trust.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the label of a question about a model server begins with that was found: it is asked, and nothing is run.
pub const USE_OF: &str = "use of ";

/// A question whether something that is not the user's is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustQuestion {
    /// What would be allowed: `hooks of .claude/settings.json`.
    pub label: String,
    /// All of it, a line for each part, as it is written.
    pub text: String,
}

/// What the user thinks of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustStanding {
    /// It may run.
    Trusted,
    /// It may not.
    Refused,
    /// Something else was decided on under this name.
    Changed,
    /// Nothing was.
    Unknown,
}

/// Writes down what the user decided; an error says why that cannot be.
pub type KeepDecision = Box<dyn Fn(bool) -> Result<(), String> + Send + Sync>;

/// What the user thinks of one definition. Clones share the decision.
#[derive(Clone)]
pub struct TrustRecord(Arc<TrustState>);

struct TrustState {
    question: TrustQuestion,
    standing: Mutex<TrustStanding>,
    keep: KeepDecision,
}

impl TrustRecord {
    /// Returns the record of what this question is about.
    pub fn new(question: TrustQuestion, standing: TrustStanding, keep: KeepDecision) -> Self {
        Self(Arc::new(TrustState {
            question,
            standing: Mutex::new(standing),
            keep,
        }))
    }

    /// Returns what the user is asked, all of it.
    pub fn question(&self) -> &TrustQuestion {
        &self.0.question
    }

    /// Returns what the user thinks of it.
    pub fn standing(&self) -> TrustStanding {
        *self.held()
    }

    /// Tells whether it may run.
    pub fn is_trusted(&self) -> bool {
        self.standing() == TrustStanding::Trusted
    }

    /// Tells whether nothing was decided on it as it is.
    pub fn is_open(&self) -> bool {
        matches!(
            self.standing(),
            TrustStanding::Changed | TrustStanding::Unknown
        )
    }

    /// Takes the user's decision. It is trusted only if that could be written down.
    ///
    /// # Errors
    ///
    /// Says why it could not be.
    pub fn decide(&self, is_trusted: bool) -> Result<(), String> {
        let mut standing = self.held();
        *standing = TrustStanding::Refused;
        (self.0.keep)(is_trusted)?;
        if is_trusted {
            *standing = TrustStanding::Trusted;
        }
        Ok(())
    }

    fn held(&self) -> MutexGuard<'_, TrustStanding> {
        self.0
            .standing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for TrustRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrustRecord")
            .field("question", &self.0.question)
            .field("standing", &self.standing())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(standing: TrustStanding, is_kept: bool) -> TrustRecord {
        let question = TrustQuestion {
            label: "s".to_owned(),
            text: "all of it".to_owned(),
        };
        TrustRecord::new(
            question,
            standing,
            Box::new(move |_| is_kept.then_some(()).ok_or("the disk is full".to_owned())),
        )
    }

    #[test]
    fn what_cannot_be_written_down_is_not_trusted() {
        use TrustStanding::{Changed, Refused, Trusted, Unknown};
        for standing in [Trusted, Refused, Changed, Unknown] {
            for (is_trusted, is_kept, expected) in [
                (true, true, Trusted),
                (false, true, Refused),
                (true, false, Refused),
                (false, false, Refused),
            ] {
                let record = record(standing, is_kept);
                let shared = record.clone();
                assert_eq!(record.is_open(), matches!(standing, Changed | Unknown));
                assert_eq!(record.decide(is_trusted).is_ok(), is_kept);
                assert_eq!(shared.standing(), expected);
                assert_eq!(shared.is_trusted(), expected == Trusted);
            }
        }
    }
}
