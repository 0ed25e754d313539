//! Constraints on the text of holes: a match counts if it passes all tests of a request.

use regex::RegexBuilder;

use crate::edit::locate::nearest::region;
use crate::edit::plan::Outcome;
use crate::edit::plan::outcome::{OrAnswer, invalid};
use crate::edit::plan::template::TemplateMatch;
use crate::edit::request::{Constraint, ConstraintTest};
use crate::plural::amount;
use crate::text::Source;

/// Bytes to which a regular expression may compile. Attack: `(a{1000}){1000}` is short and takes gigabytes.
pub(super) const MAX_REGEX: usize = 1 << 20;

/// Tests of holes.
pub(super) struct Constraints(Vec<Compiled>);

struct Compiled {
    hole: String,
    test: Test,
    wanted: bool,
}

enum Test {
    Regex(regex::Regex),
    Equals(String),
}

impl Constraints {
    /// Compiles the expressions, or says what is wrong with one.
    pub(super) fn parse(constraints: &[Constraint]) -> Result<Self, String> {
        let tests = constraints.iter().map(|constraint| {
            let test = match &constraint.test {
                ConstraintTest::Equals(text) => Test::Equals(text.clone()),
                ConstraintTest::Regex(expression) => Test::Regex(
                    RegexBuilder::new(expression)
                        .size_limit(MAX_REGEX)
                        .build()
                        .map_err(|error| format!("where.{}: {error}", constraint.hole))?,
                ),
            };
            Ok(Compiled {
                hole: constraint.hole.clone(),
                test,
                wanted: constraint.wanted,
            })
        });
        tests.collect::<Result<_, _>>().map(Self)
    }

    /// Returns the matches that pass; answers if none of several does, or if a test is for a hole
    /// that the pattern has not.
    pub(super) fn kept(
        &self,
        source: &Source,
        text: &str,
        matches: Vec<TemplateMatch>,
    ) -> OrAnswer<Vec<TemplateMatch>> {
        let Some(first) = matches.first() else {
            return Ok(matches);
        };
        let has = |hole: &str| first.captures.iter().any(|capture| capture.name == hole);
        if let Some(Compiled { hole, .. }) = self.0.iter().find(|test| !has(&test.hole)) {
            return Err(invalid(format!(
                "`where` names `{hole}`, which the pattern has not"
            )));
        }
        let (count, line) = (matches.len(), source.line_of(first.range.start));
        let kept: Vec<TemplateMatch> = matches
            .into_iter()
            .filter(|one| self.0.iter().all(|test| test.holds(text, one)))
            .collect();
        if kept.is_empty() {
            let matches = amount(count, "match", "matches");
            return Err(Outcome::NotFound {
                why: format!("{matches} of the pattern, but none is as `where` asks"),
                nearest: Some(region(source, line, 1)),
            });
        }
        Ok(kept)
    }
}

impl Compiled {
    fn holds(&self, text: &str, one: &TemplateMatch) -> bool {
        let capture = one
            .captures
            .iter()
            .find(|capture| capture.name == self.hole);
        let own = capture
            .and_then(|capture| text.get(capture.range.clone()))
            .unwrap_or_default();
        let holds = match &self.test {
            Test::Regex(regex) => regex.is_match(own),
            Test::Equals(other) => own == other,
        };
        holds == self.wanted
    }
}
