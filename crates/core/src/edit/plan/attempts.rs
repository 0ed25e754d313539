//! Fallback strategies: several ways to ask for the same change.
//!
//! In: requests in the order in which they are tried. Out: the first that can be done, and
//! what became of the others. What is ambiguous, already applied, or has another number of
//! matches than expected is an answer that no other way goes past.

use super::outcome::invalid;
use super::{Outcome, PlanContext, Strategy, by_strategy};
use crate::disk::workspace::WorkspacePath;
use crate::edit::request::Request;
use crate::text::Source;

/// One strategy that did not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Which.
    pub strategy: Strategy,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a change, and by which strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempted {
    /// What became of it.
    pub outcome: Outcome,
    /// The strategy that says so.
    pub strategy: Strategy,
    /// Those that were tried without success, in order.
    pub others: Vec<Attempt>,
}

/// Tries `requests` one after another.
pub(super) fn first_of(
    context: &PlanContext,
    path: &WorkspacePath,
    source: Option<&Source>,
    requests: &[Request],
    expected: Option<usize>,
) -> Attempted {
    let mut others: Vec<Attempt> = Vec::new();
    for request in requests {
        let strategy = request.strategy();
        let found = by_strategy(context, path, source, request);
        let planned = matches!(found, Outcome::Planned(_));
        let outcome = found.counted(expected, source);
        let open = matches!(
            outcome,
            Outcome::NotFound { .. } | Outcome::Refused { .. } | Outcome::Invalid { .. }
        );
        if planned || !open {
            return Attempted {
                outcome,
                strategy,
                others,
            };
        }
        others.push(Attempt { strategy, outcome });
    }
    last_word(others)
}

/// Answers with the attempt that tells most: the first that knows the nearest place, or the
/// first.
fn last_word(mut others: Vec<Attempt>) -> Attempted {
    let index = others.iter().position(has_nearest).unwrap_or_default();
    if others.is_empty() {
        return Attempted {
            outcome: invalid("nothing is asked for"),
            strategy: Strategy::Diff,
            others,
        };
    }
    let Attempt { strategy, outcome } = others.remove(index);
    Attempted {
        outcome,
        strategy,
        others,
    }
}

fn has_nearest(attempt: &Attempt) -> bool {
    matches!(
        &attempt.outcome,
        Outcome::NotFound {
            nearest: Some(_),
            ..
        }
    )
}

#[cfg(test)]
mod tests;
