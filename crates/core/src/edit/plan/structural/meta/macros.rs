//! Patterns with metavariables where there are no nodes: in macros, and in files without a grammar.
//!
//! In: a pattern and a text. Out: the matches of its tokens. In Rust the arguments of macro calls
//! and what `macro_rules!` makes have no nodes, in C what `#define` says. A `$$$` may be nothing,
//! and then needs no comma.

use std::ops::Range;

use super::super::pattern::{HolePattern, Meta, metavariables};
use super::super::{NotationMatches, OrAnswer, StructuralWork, invalid, matching, refused, why};
use crate::edit::plan::template::{Capture, Piece, TemplateMatch};
use crate::syntax::Parsed;
use crate::text::Slice;

/// Metavariables that are tried with nothing in them: each doubles the number of patterns that are searched for.
const MAX_EMPTY: usize = 3;

/// Finds the pattern's tokens in macros.
pub(super) fn in_macros(
    work: &StructuralWork<'_>,
    tree: &Parsed<'_>,
    template: &[Piece],
) -> OrAnswer<Vec<TemplateMatch>> {
    let text = work.request.pattern.trim();
    let ranges: Vec<_> = bodies(tree)
        .into_iter()
        .filter(|body| body.takes(template))
        .map(|body| body.range)
        .collect();
    if ranges.is_empty() || !is_bounded(text) {
        return Ok(Vec::new());
    }
    let mut found: Vec<TemplateMatch> = Vec::new();
    for way in ways(text) {
        let Ok(pattern) = HolePattern::of_metavariables(&way.text) else {
            continue;
        };
        let search = matching::within(work.text, &work.units, &pattern, &ranges);
        found.extend(way.completed(search.map_err(refused)?.matches));
    }
    Ok(without_doubles(found))
}

/// Finds the pattern's tokens in a text without nodes for them.
pub(super) fn by_tokens(
    work: &StructuralWork<'_>,
    template: &[Piece],
    reason: &str,
) -> OrAnswer<NotationMatches> {
    work.starts_well(template)?;
    let text = work.request.pattern.trim();
    let pattern = HolePattern::of_metavariables(text).map_err(invalid)?;
    let search = matching::all(work.text, &work.units, &pattern).map_err(refused)?;
    let mut found = Vec::new();
    for way in ways(text).into_iter().skip(1) {
        if let Ok(pattern) = HolePattern::of_metavariables(&way.text) {
            let search = matching::all(work.text, &work.units, &pattern).map_err(refused)?;
            found.extend(way.completed(search.matches));
        }
    }
    if search.matches.is_empty() && found.is_empty() {
        return Err(work.none(template, why::holes(work.source, &pattern, &search)));
    }
    found.splice(..0, search.matches);
    Ok(NotationMatches {
        matches: without_doubles(found),
        already: 0,
        notes: vec![format!("by tokens, {reason}")],
    })
}

/// Says how many macros hold the pattern's text and are not looked into.
pub(super) fn unseen(work: &StructuralWork<'_>, tree: &Parsed<'_>, template: &[Piece]) -> String {
    let pattern = work.request.pattern.trim();
    let Some(telling) = telling(pattern) else {
        return String::new();
    };
    let bounded = is_bounded(pattern);
    let bodies = bodies(tree).into_iter();
    let held = bodies.filter(|body| {
        let text = work.text.get(body.range.clone());
        !(bounded && body.takes(template)) && text.is_some_and(|text| text.contains(telling))
    });
    match held.count() {
        0 => String::new(),
        1 => format!("; 1 macro with `{telling}` is not looked into"),
        count => format!("; {count} macros with `{telling}` are not looked into"),
    }
}

/// Returns the longest text of a pattern's own that has a letter.
fn telling(pattern: &str) -> Option<&str> {
    let mut literals: Vec<&str> = Vec::new();
    let mut at = 0;
    for meta in &metavariables(pattern) {
        literals.push(pattern.slice(at..meta.start).trim());
        at = meta.end;
    }
    literals.push(pattern.slice(at..).trim());
    let telling = literals.into_iter().max_by_key(|literal| literal.len());
    telling.filter(|literal| literal.contains(char::is_alphanumeric))
}

/// Returns whether a pattern begins and ends with text of its own.
fn is_bounded(pattern: &str) -> bool {
    let metas = metavariables(pattern);
    metas.first().is_none_or(|meta| meta.start > 0)
        && metas.last().is_none_or(|meta| meta.end < pattern.len())
}

/// What a macro is given, or stands for.
struct Body {
    range: Range<usize>,
    /// Whether a line break would end it.
    line: bool,
}

impl Body {
    /// Returns whether what the template makes can stand in it.
    fn takes(&self, template: &[Piece]) -> bool {
        !self.line
            || !template
                .iter()
                .any(|piece| matches!(piece, Piece::Text(text) if text.contains('\n')))
    }
}

/// Returns the parts of macros that have no nodes, outermost only.
fn bodies(tree: &Parsed<'_>) -> Vec<Body> {
    let mut bodies: Vec<Body> = Vec::new();
    let grammar = tree.root().language();
    let id = |kind: &str| grammar.id_for_node_kind(kind, true);
    let (tokens, argument) = (id("token_tree"), id("preproc_arg"));
    let any = (tokens > 0 && tree.whole().contains('!'))
        || (argument > 0 && tree.whole().contains("#define"));
    if !any {
        return bodies;
    }
    tree.walk_into(|node, above| {
        let parent = above.last().map(|parent| parent.kind());
        let rust = tokens > 0
            && node.kind_id() == tokens
            && matches!(parent, Some("macro_invocation" | "macro_rule"));
        let line = argument > 0 && node.kind_id() == argument;
        if rust || line {
            let range = node.byte_range();
            bodies.push(Body { range, line });
        }
        !(rust || line)
    });
    bodies
}

/// A pattern with nothing for some of its `$$$`.
struct Way {
    text: String,
    empty: Vec<String>,
}

impl Way {
    /// Adds what the pattern leaves out to its matches.
    fn completed(&self, matches: Vec<TemplateMatch>) -> Vec<TemplateMatch> {
        let completed = |mut one: TemplateMatch| {
            let at = one.range.start;
            one.captures.extend(self.empty.iter().map(|name| Capture {
                name: name.clone(),
                range: at..at,
            }));
            one
        };
        matches.into_iter().map(completed).collect()
    }
}

/// Returns the ways to read a pattern: as it stands, then with nothing for those `$$$` that have a
/// comma beside them.
fn ways(pattern: &str) -> Vec<Way> {
    let listed: Vec<(Meta<'_>, Range<usize>)> = metavariables(pattern)
        .into_iter()
        .filter_map(|meta| without(pattern, &meta).map(|range| (meta, range)))
        .take(MAX_EMPTY)
        .collect();
    let mut ways = Vec::new();
    for chosen in 0_u32..1 << listed.len() {
        let mut way = Way {
            text: pattern.to_owned(),
            empty: Vec::new(),
        };
        let mut least = pattern.len();
        for (index, (meta, range)) in listed.iter().enumerate().rev() {
            if chosen & (1 << index) == 0 || range.end > least {
                continue;
            }
            way.text.replace_range(range.clone(), "");
            least = range.start;
            if !meta.name.is_empty() {
                way.empty.push(meta.name.to_owned());
            }
        }
        ways.push(way);
    }
    ways
}

/// Returns what goes with a `$$$` that is nothing: the comma before it, or after it.
fn without(pattern: &str, meta: &Meta<'_>) -> Option<Range<usize>> {
    if !meta.many {
        return None;
    }
    let head = pattern.get(..meta.start)?.trim_end();
    let tail = pattern.get(meta.end..)?;
    if head.ends_with(',') {
        return Some(head.len() - 1..meta.end);
    }
    let rest = tail.trim_start().strip_prefix(',')?;
    Some(meta.start..pattern.len() - rest.trim_start().len())
}

/// Returns the matches in order, of those that begin at one place the first.
fn without_doubles(mut matches: Vec<TemplateMatch>) -> Vec<TemplateMatch> {
    matches.sort_by_key(|one| one.range.start);
    matches.dedup_by_key(|one| one.range.start);
    matches
}
