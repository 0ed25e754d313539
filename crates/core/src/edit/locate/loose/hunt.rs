//! The loose searches in order, until one gives a valid answer.
//!
//! In: what each rung came to, the strictest first. Out: the first answer. That the lines after a
//! change are in the file is none as long as a weaker rung may find those before it: where what
//! is asked for goes and its surroundings stand elsewhere too, both are there.

use std::ops::Range;

use super::{LocateOutcome, LooseMatch, Scope};
use crate::budget::OutOfBudget;
use crate::edit::locate::Rung;
use crate::edit::locate::context::{ChosenLine, choose};

/// What the rungs so far came to.
pub(crate) struct Hunt {
    scope: Scope,
    /// Where the lines after the change are, though those before it were not found.
    there: Vec<Range<usize>>,
}

impl Hunt {
    /// Begins a hunt.
    pub(crate) fn new(scope: Scope) -> Self {
        Self {
            scope,
            there: Vec::new(),
        }
    }

    /// Takes what a rung came to; none if the next one is to be asked.
    pub(crate) fn take(&mut self, found: LocateOutcome) -> Option<LocateOutcome> {
        match found {
            LocateOutcome::Missing => None,
            LocateOutcome::There(places) => {
                if self.there.is_empty() {
                    self.there = places;
                }
                None
            }
            LocateOutcome::At(matches) if !self.there.is_empty() && !self.scope.all => {
                Some(self.contest(matches))
            }
            other => Some(other),
        }
    }

    /// Returns what is left when no rung gave an answer.
    pub(crate) fn rest(self) -> LocateOutcome {
        if self.there.is_empty() {
            LocateOutcome::Missing
        } else {
            LocateOutcome::There(self.there)
        }
    }

    /// Runs through rungs.
    pub(crate) fn run(
        mut self,
        rungs: impl Iterator<Item = Result<LocateOutcome, OutOfBudget>>,
    ) -> Result<LocateOutcome, OutOfBudget> {
        for found in rungs {
            if let Some(found) = self.take(found?) {
                return Ok(found);
            }
        }
        Ok(self.rest())
    }

    /// Decides between lines before the change that a weaker rung has found, and lines after it
    /// that a stricter one has.
    fn contest(&self, matches: Vec<LooseMatch>) -> LocateOutcome {
        let Some((found, span)) = matches
            .first()
            .and_then(|found| Some((found, found.alignment.first()?..found.alignment.end()?)))
        else {
            return LocateOutcome::Missing;
        };
        let mut there = self.there.iter();
        if there.any(|place| place.start < span.end && span.start < place.end) {
            // Where every line that goes is still there, in its place, nothing went.
            let open =
                found.script.removes() && found.finding.rung < Rung::Fuzzy && found.is_solid();
            return if open {
                LocateOutcome::At(matches)
            } else {
                LocateOutcome::Done
            };
        }
        let mut lines: Vec<usize> = self.there.iter().map(|place| place.start).collect();
        lines.push(span.start);
        match choose(lines.clone(), self.scope.number) {
            ChosenLine::One { line, .. } if line == span.start => LocateOutcome::At(matches),
            ChosenLine::One { .. } => LocateOutcome::Done,
            _ => LocateOutcome::Many(
                lines,
                "where one of them is as it would be after the change".into(),
            ),
        }
    }
}

impl LooseMatch {
    /// Returns whether every row stands, one below the other.
    fn is_solid(&self) -> bool {
        let lines = &self.alignment.lines;
        let pairs = lines.windows(2);
        lines.iter().all(Option::is_some)
            && pairs
                .into_iter()
                .all(|pair| matches!(pair, [Some(a), Some(b)] if a + 1 == *b))
    }
}
