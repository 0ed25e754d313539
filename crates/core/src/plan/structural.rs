//! A pattern with holes and what its matches become.
//!
//! In: a pattern in one of two notations. *Holes*, for any text: `:[x]` takes as little as
//! possible up to what follows, with its brackets, strings and comments whole; across lines
//! only between brackets of the pattern; `:[[x]]` takes one word, `:[x~regex]` what the
//! expression matches, `:[_]` and `...` take text that has no name. White space in a pattern
//! stands for any run of it, at least one character; where a pattern has none, the text has
//! none either. *Metavariables*, for files with a grammar: `$A` is one node, `$$$A` any number,
//! `$_` one without a name. In both, a name that occurs twice stands for equal text.
//! Out: splices for every match. A result that would not parse any more is refused.

mod lexis;
mod matching;
mod meta;
mod pattern;
mod units;
mod why;

use std::cell::LazyCell;
use std::ops::Range;

use super::template::{Match, Piece, Rewriter, Rewritten, Style};
use super::{Outcome, modified, tongue};
use crate::locate::Rung;
use crate::locate::nearest::{Region, region};
use crate::request::{Constraint, ConstraintTest, StructRequest};
use crate::syntax::{Earlier, Language, MAX_PARSE_BYTES, Parsed};
use crate::text::{EditSet, Source};
use crate::workspace::WorkspacePath;
use pattern::{Notation, Pattern};
use units::Units;

/// Regular expressions may compile to this many bytes.
const MAX_REGEX: usize = 1 << 20;

/// Plans `request` for the file at `path`.
pub(super) fn plan(path: &WorkspacePath, source: &Source, request: &StructRequest) -> Outcome {
    match attempt(path, source, request) {
        Ok(outcome) | Err(outcome) => outcome,
    }
}

/// Returns the strings and comments of a text, in order.
pub(super) fn quoted(tree: &Parsed<'_>) -> Vec<Range<usize>> {
    units::quoted(tree)
        .into_iter()
        .map(|span| span.range)
        .collect()
}

/// Returns whether text that a template would make stands somewhere, and says enough.
pub(super) fn stands_in(text: &str, tree: &Parsed<'_>, template: &[Piece]) -> bool {
    let Some(pattern) = Pattern::of_template(template) else {
        return false;
    };
    let units = Units::new(text, units::quoted(tree));
    pattern.is_telling() && matching::first(text, &units, &pattern).is_some()
}

/// A request and what it is about.
struct Work<'a> {
    path: &'a WorkspacePath,
    source: &'a Source,
    text: &'a str,
    language: Option<Language>,
    tree: Option<Parsed<'a>>,
    request: &'a StructRequest,
}

/// What a notation found.
struct Found {
    matches: Vec<Match>,
    /// Matches that are already as the replacement makes them.
    already: usize,
    /// How they were found, and what is to be known of it.
    notes: Vec<String>,
}

fn attempt(
    path: &WorkspacePath,
    source: &Source,
    request: &StructRequest,
) -> Result<Outcome, Outcome> {
    let text = source.text().map_err(|error| refused(error.to_string()))?;
    let language = tongue::language(path, request.language.as_deref());
    if text.len() > MAX_PARSE_BYTES {
        return Err(refused(format!(
            "{path} has {} bytes; over {MAX_PARSE_BYTES} no patterns are looked for, use `diff` or \
             `section`",
            text.len()
        )));
    }
    let tests = compiled(&request.constraints).map_err(invalid)?;
    let notation = Notation::of(&request.pattern, &request.replacement).map_err(invalid)?;
    // Without a grammar the lexical table may still know the language by its name.
    let language = language.unwrap_or_default();
    let tree = language.and_then(|language| language.parse(text));
    let work = Work {
        path,
        source,
        text,
        language,
        tree,
        request,
    };
    let spans = match &work.tree {
        Some(tree) => units::quoted(tree),
        None => lexis::quoted(text, path, request.language.as_deref()),
    };
    let units = Units::new(text, spans);
    let template = pattern::template(request, notation, Style::of(source)).map_err(invalid)?;
    let found = match notation {
        Notation::Metavariables => meta::find(&work, &units, &template)?,
        Notation::Holes => work.by_holes(&units, &template)?,
    };
    let rung = match notation {
        Notation::Metavariables if work.tree.is_some() => Rung::Syntax,
        _ => Rung::Pattern,
    };
    let outcome = work.rewrite(found, &units, template, &tests)?;
    Ok(outcome.found_by(rung))
}

impl Work<'_> {
    fn by_holes(&self, units: &Units, template: &[Piece]) -> Result<Found, Outcome> {
        let pattern = Pattern::parse(&self.request.pattern).map_err(invalid)?;
        pattern.knows(template).map_err(invalid)?;
        self.starts_well(template)?;
        let search = matching::all(self.text, units, &pattern).map_err(refused)?;
        if search.matches.is_empty() {
            return Err(self.none(units, template, why::holes(self.source, &pattern, &search)));
        }
        let total = search.matches.len();
        let made = Pattern::of_template(template);
        let matches: Vec<Match> = match made.filter(|made| grows(&pattern, made)) {
            Some(made) => matching::not_yet(self.text, units, &made, search.matches),
            None => search.matches,
        };
        Ok(Found {
            already: total - matches.len(),
            matches,
            notes: Vec::new(),
        })
    }

    /// Refuses a hole at the start whose extent cannot be told and would matter: where an
    /// operator or a word follows, what belongs to it is a question of precedence.
    fn starts_well(&self, template: &[Piece]) -> Result<(), Outcome> {
        let Some((name, hard)) = pattern::leading_hole(&self.request.pattern) else {
            return Ok(());
        };
        let kept = matches!(template.first(), Some(Piece::Hole(first)) if first == name);
        if hard && !kept {
            return Err(invalid(format!(
                "where `{name}` begins cannot be told; begin the pattern with text or with \
                 `:[[{name}]]`, or begin the replacement with the same hole"
            )));
        }
        Ok(())
    }

    /// Answers that nothing matches. Text as the replacement makes it may be this change made
    /// before, or have been there all along: it is named, and proves nothing.
    fn none(
        &self,
        units: &Units,
        template: &[Piece],
        (mut why, nearest): (String, Option<Region>),
    ) -> Outcome {
        let made = Pattern::of_template(template).filter(Pattern::is_telling);
        let made = made.and_then(|made| matching::first(self.text, units, &made));
        let Some(at) = made else {
            return Outcome::NotFound { why, nearest };
        };
        let line = self.source.line_of(at);
        why.push_str(&format!(
            "; text as the replacement makes it is on line {}: it may have been done before",
            line + 1
        ));
        let nearest = nearest.or_else(|| Some(region(self.source, line.saturating_sub(1), 3)));
        Outcome::NotFound { why, nearest }
    }

    fn rewrite(
        &self,
        mut found: Found,
        units: &Units,
        template: Vec<Piece>,
        tests: &[(String, Test, bool)],
    ) -> Result<Outcome, Outcome> {
        let total = found.matches.len();
        known(tests, &found.matches).map_err(invalid)?;
        found.matches.retain(|one| passes(self.text, one, tests));
        if total > 0 && found.matches.is_empty() {
            let why = format!("{total} matches of the pattern, but none is as `where` asks");
            return Err(Outcome::NotFound { why, nearest: None });
        }
        let rewriter = Rewriter {
            source: self.source,
            text: self.text,
            verbatim: LazyCell::new(Box::new(|| units.ranges())),
            template,
            flush: pattern::flush(&self.request.pattern),
        };
        let mut result = rewriter.rewrite(found.matches).map_err(refused)?;
        result.already += found.already;
        if result.changed == 0 {
            return Ok(Outcome::AlreadyApplied {
                why: format!("{} matches, already as asked", result.already),
            });
        }
        self.still_parses(&result)?;
        let evidence = evidence(&result, &found.notes);
        Ok(modified(result.splices, evidence, result.changed))
    }

    /// Refuses a result with more syntax errors than the text has.
    fn still_parses(&self, result: &Rewritten) -> Result<(), Outcome> {
        let (Some(language), Some(before)) = (self.language, &self.tree) else {
            return Ok(());
        };
        let Ok(edits) = EditSet::new(result.splices.clone()) else {
            return Ok(());
        };
        let after = edits.apply(self.text.as_bytes()).ok();
        let Some(after) = after.and_then(|bytes| String::from_utf8(bytes).ok()) else {
            return Ok(());
        };
        let earlier = Earlier {
            text: self.text,
            edits: &edits,
        };
        let Some(tree) = language.parse_after(&after, &earlier) else {
            return Ok(());
        };
        let (old, new) = (errors(before), errors(&tree));
        if new.len() <= old.len() {
            return Ok(());
        }
        let fresh = new
            .iter()
            .find(|(line, _)| !old.iter().any(|(known, _)| known == line));
        let (line, shown) = fresh.or(new.first()).cloned().unwrap_or_default();
        Err(refused(format!(
            "{} would not parse any more; after the change line {line} is `{shown}`",
            self.path
        )))
    }
}

/// Returns the lines with syntax errors, each with its text.
fn errors(tree: &Parsed<'_>) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    if !tree.root().has_error() {
        return found;
    }
    tree.walk(|node| {
        if node.is_error() || node.is_missing() {
            let row = node.start_position().row;
            let line = tree
                .whole()
                .lines()
                .nth(if found.len() < 64 { row } else { usize::MAX });
            let shown = line.unwrap_or_default().trim().chars().take(120).collect();
            found.push((row + 1, shown));
        }
    });
    found
}

/// Returns whether a result of the replacement matches the pattern again, and is told from
/// what has not been rewritten by text that the pattern has not.
fn grows(pattern: &Pattern, made: &Pattern) -> bool {
    if pattern.literals() == made.literals() {
        return false;
    }
    let sample = made.sample();
    let units = Units::new(&sample, Vec::new());
    matching::first(&sample, &units, pattern).is_some()
}

/// A test of a hole's text.
enum Test {
    Regex(regex::Regex),
    Equals(String),
}

fn compiled(constraints: &[Constraint]) -> Result<Vec<(String, Test, bool)>, String> {
    let tests = constraints.iter().map(|constraint| {
        let test = match &constraint.test {
            ConstraintTest::Equals(text) => Test::Equals(text.clone()),
            ConstraintTest::Regex(expression) => Test::Regex(
                regex::RegexBuilder::new(expression)
                    .size_limit(MAX_REGEX)
                    .build()
                    .map_err(|error| format!("where.{}: {error}", constraint.hole))?,
            ),
        };
        Ok((constraint.hole.clone(), test, constraint.wanted))
    });
    tests.collect()
}

/// Refuses tests of holes that no match has.
fn known(tests: &[(String, Test, bool)], matches: &[Match]) -> Result<(), String> {
    let Some(one) = matches.first() else {
        return Ok(());
    };
    let names = |one: &Match, name: &str| one.captures.iter().any(|capture| capture.name == name);
    match tests.iter().find(|(name, ..)| !names(one, name)) {
        Some((name, ..)) => Err(format!("`where` names `{name}`, which the pattern has not")),
        None => Ok(()),
    }
}

fn passes(text: &str, one: &Match, tests: &[(String, Test, bool)]) -> bool {
    tests.iter().all(|(name, test, wanted)| {
        let capture = one.captures.iter().find(|capture| capture.name == *name);
        let own = capture
            .and_then(|capture| text.get(capture.range.clone()))
            .unwrap_or_default();
        let holds = match test {
            Test::Regex(regex) => regex.is_match(own),
            Test::Equals(other) => own == other,
        };
        holds == *wanted
    })
}

fn evidence(result: &Rewritten, notes: &[String]) -> String {
    let mut words = match result.changed {
        1 => "1 match of the pattern".to_owned(),
        changed => format!("{changed} matches of the pattern"),
    };
    if result.already > 0 {
        words.push_str(&format!("; {} already as asked", result.already));
    }
    if result.dropped > 0 {
        words.push_str(&format!(
            "; {} overlapping another left out",
            result.dropped
        ));
    }
    for note in notes {
        words.push_str("; ");
        words.push_str(note);
    }
    words
}

fn invalid(why: String) -> Outcome {
    Outcome::Invalid { why }
}

fn refused(why: String) -> Outcome {
    Outcome::Refused { why }
}

#[cfg(test)]
mod tests;
