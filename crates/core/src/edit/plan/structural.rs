//! Patterns with holes or metavariables: the strategy `struct`.
//!
//! In: a pattern in one of two notations. *Holes*, for any text: `:[x]` takes as little as
//! possible up to what follows, with its brackets, strings and comments whole; across lines
//! only between brackets of the pattern; `:[[x]]` takes one word, `:[x~regex]` what the
//! expression matches, `:[_]` and `...` take text that has no name. White space in a pattern
//! stands for any run of it, at least one character; where a pattern has none, the text has
//! none either. *Metavariables*, for files with a grammar: `$A` is one node, `$$$A` any number or
//! none, `$_` one without a name. In both, a name that occurs twice stands for equal text.
//! Out: splices for every match. A result that would not parse any more is refused.

mod constraints;
mod lexis;
mod matching;
mod meta;
mod pattern;
mod reparsed;
mod suite;
mod units;
mod why;

use std::cell::LazyCell;
use std::ops::Range;

use super::outcome::{OrAnswer, already, invalid, modified, refused};
use super::template::{Piece, Rewriter, Rewritten, TemplateMatch};
use super::{Outcome, Plan, tongue};
use crate::disk::workspace::WorkspacePath;
use crate::edit::locate::Rung;
use crate::edit::locate::nearest::{Region, region};
use crate::edit::request::StructRequest;
use crate::plural::amount;
use crate::syntax::{Language, MAX_PARSE_BYTES, Parsed, SyntaxCache};
use crate::text::Source;
use crate::text::indent::Unit;
use constraints::Constraints;
use pattern::{HolePattern, Notation};
use units::Units;

/// Plans `request` for the file at `path`.
pub(super) fn plan(
    cache: &SyntaxCache,
    path: &WorkspacePath,
    source: &Source,
    request: &StructRequest,
) -> OrAnswer<Plan> {
    let asked = parse(source, request)?;
    let work = StructuralWork::new(cache, path, source, request)?;
    let found = locate(&work, &asked)?;
    splice(&work, asked, found)
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
    let Some(pattern) = HolePattern::of_template(template) else {
        return false;
    };
    let units = Units::new(text, units::quoted(tree));
    pattern.is_telling() && matching::first(text, &units, &pattern).is_some()
}

/// What a request says, whatever the text.
struct PatternRewrite {
    notation: Notation,
    template: Vec<Piece>,
    constraints: Constraints,
}

fn parse(source: &Source, request: &StructRequest) -> OrAnswer<PatternRewrite> {
    let notation = Notation::of(&request.pattern, &request.replacement).map_err(invalid)?;
    Ok(PatternRewrite {
        notation,
        template: pattern::template(request, notation, Unit::of(source)).map_err(invalid)?,
        constraints: Constraints::parse(&request.constraints).map_err(invalid)?,
    })
}

/// A text and the request for it.
struct StructuralWork<'a> {
    cache: &'a SyntaxCache,
    path: &'a WorkspacePath,
    source: &'a Source,
    text: &'a str,
    language: Option<Language>,
    tree: Option<Parsed<'a>>,
    units: Units,
    request: &'a StructRequest,
}

/// The steps that a search may take are used up.
struct StepsUsedUp;

/// Steps of a search on an empty text.
const BASE_STEPS: usize = 1_000_000;

/// What a notation found.
struct NotationMatches {
    matches: Vec<TemplateMatch>,
    /// Matches that are already as the replacement makes them.
    already: usize,
    /// How they were found, and what is to be known of it.
    notes: Vec<String>,
}

/// Finds the matches that are as the constraints ask.
fn locate(work: &StructuralWork<'_>, asked: &PatternRewrite) -> OrAnswer<NotationMatches> {
    let mut found = match asked.notation {
        Notation::Metavariables => meta::find(work, &asked.template)?,
        Notation::Holes => match work.by_holes(&asked.template) {
            Err(none @ Outcome::NotFound { .. }) => work.by_nodes(&asked.template).ok_or(none)?,
            found => found?,
        },
    };
    let matches = std::mem::take(&mut found.matches);
    found.matches = asked.constraints.kept(work.source, work.text, matches)?;
    Ok(found)
}

/// Writes the replacement for every match; refuses a result that would not parse any more.
fn splice(
    work: &StructuralWork<'_>,
    asked: PatternRewrite,
    found: NotationMatches,
) -> OrAnswer<Plan> {
    let rewriter = Rewriter {
        source: work.source,
        text: work.text,
        verbatim: LazyCell::new(Box::new(|| work.units.ranges())),
        template: asked.template,
        flush: pattern::flush(&work.request.pattern),
    };
    let mut result = rewriter.rewrite(found.matches).map_err(refused)?;
    result.already += found.already;
    if result.changed == 0 {
        return Err(already(match result.already {
            1 => "the match is already as asked".to_owned(),
            count => format!("all {count} matches are already as asked"),
        }));
    }
    if let (Some(language), Some(before)) = (work.language, &work.tree)
        && let Some((line, shown)) =
            reparsed::fresh_error(work.cache, language, before, &result.splices)
    {
        return Err(refused(format!(
            "{} would not parse any more; after the change line {line} is `{shown}`",
            work.path
        )));
    }
    let evidence = evidence(&result, &found.notes);
    let rung = match asked.notation {
        Notation::Metavariables if work.tree.is_some() => Rung::Syntax,
        _ => Rung::Pattern,
    };
    Ok(modified(result.splices, evidence, result.changed)?.found_by(rung))
}

impl<'a> StructuralWork<'a> {
    fn new(
        cache: &'a SyntaxCache,
        path: &'a WorkspacePath,
        source: &'a Source,
        request: &'a StructRequest,
    ) -> OrAnswer<Self> {
        let text = source.text().map_err(|error| refused(error.to_string()))?;
        if text.len() > MAX_PARSE_BYTES {
            return Err(refused(format!(
                "{path} has {} bytes; over {MAX_PARSE_BYTES} no patterns are looked for, use `diff` \
                 or `section`",
                text.len()
            )));
        }
        let named = request.language.as_deref();
        // Without a grammar the lexical table may still know the language by its name.
        let language = tongue::language(path, named).unwrap_or_default();
        let tree = language.and_then(|language| cache.parse(language, text));
        let quoted = match &tree {
            Some(tree) => units::quoted(tree),
            None => lexis::quoted(text, path, named),
        };
        Ok(Self {
            cache,
            path,
            source,
            text,
            language,
            tree,
            units: Units::new(text, quoted),
            request,
        })
    }

    /// Finds a pattern without holes as code that is laid out otherwise.
    fn by_nodes(&self, template: &[Piece]) -> Option<NotationMatches> {
        let pattern = &self.request.pattern;
        let plain = !pattern.contains(":[") && !pattern.contains("...");
        self.tree.as_ref().filter(|_| plain)?;
        let mut found = meta::find(self, template).ok()?;
        found.notes.push("laid out otherwise".into());
        Some(found)
    }

    fn by_holes(&self, template: &[Piece]) -> OrAnswer<NotationMatches> {
        let pattern = HolePattern::parse(&self.request.pattern).map_err(invalid)?;
        pattern.knows(template).map_err(invalid)?;
        self.starts_well(template)?;
        let search = matching::all(self.text, &self.units, &pattern).map_err(refused)?;
        if search.matches.is_empty() {
            return Err(self.none(template, why::holes(self.source, &pattern, &search)));
        }
        let mut search = search;
        if matches!(self.language, Some(Language::Python | Language::Yaml)) {
            suite::widen(self.text, &self.request.pattern, &mut search.matches);
        }
        let total = search.matches.len();
        let made = HolePattern::of_template(template);
        let matches: Vec<TemplateMatch> = match made.filter(|made| grows(&pattern, made)) {
            Some(made) => matching::not_yet(self.text, &self.units, &made, search.matches),
            None => search.matches,
        };
        Ok(NotationMatches {
            already: total - matches.len(),
            matches,
            notes: Vec::new(),
        })
    }

    /// Refuses a hole at the start whose extent cannot be told and would matter: where an
    /// operator or a word follows, what belongs to it is a question of precedence.
    fn starts_well(&self, template: &[Piece]) -> OrAnswer<()> {
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
    fn none(&self, template: &[Piece], (mut why, nearest): (String, Option<Region>)) -> Outcome {
        let made = HolePattern::of_template(template).filter(HolePattern::is_telling);
        let made = made.and_then(|made| matching::first(self.text, &self.units, &made));
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
}

/// Returns whether a result of the replacement matches the pattern again, and is told from
/// what has not been rewritten by text that the pattern has not.
fn grows(pattern: &HolePattern, made: &HolePattern) -> bool {
    if pattern.literals() == made.literals() {
        return false;
    }
    let sample = made.sample();
    let units = Units::new(&sample, Vec::new());
    matching::first(&sample, &units, pattern).is_some()
}

fn evidence(result: &Rewritten, notes: &[String]) -> String {
    let matches = amount(result.changed, "match", "matches");
    let mut words = format!("{matches} of the pattern");
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

#[cfg(test)]
mod tests;
