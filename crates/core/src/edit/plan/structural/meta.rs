//! Patterns with metavariables, matched against the nodes of a tree.
//!
//! `f($A, $$$REST)`: `$A` stands for one node, `$$$REST` for any number of neighbours:
//!
//! ```text
//! f(a)            $A is `a`, $$$REST is empty
//! f(a, g(b), c)   $A is `a`, $$$REST is `g(b), c`
//! f( a,           the same; blanks and line breaks are no nodes
//!    g(b), c )
//! f()             no match: $A is one node
//! "f(a, b)"       no match: a string is one node
//! ```
//!
//! A pattern is no whole program. `$N: $T` may be a parameter, a field or an argument, so [`reading`] parses it within
//! several contexts, and the first reading that matches anything counts. [`shape`] is a reading as a tree to match,
//! [`finding`] the search. Macro calls hold tokens and no nodes: in them [`macros`] looks for the tokens of a pattern that
//! begins and ends with text of its own.

mod finding;
mod macros;
mod reading;
mod shape;

use std::collections::HashSet;
use std::ops::Range;

use super::pattern::{Meta, metavariables};
use super::{NotationMatches, OrAnswer, StructuralWork, invalid, refused};
use crate::edit::locate::nearest::region;
use crate::edit::plan::template::{Piece, TemplateMatch};
use crate::syntax::Parsed;
use crate::text::Slice;
use crate::word::is_word;
use finding::Hits;
use macros::{by_tokens, in_macros, unseen};
use reading::PatternReading;

/// What a declaration may begin with that a pattern leaves out.
const MODIFIERS: &[&str] = &[
    "pub ",
    "pub(crate) ",
    "export ",
    "export default ",
    "async ",
    "pub async ",
    "export async ",
    "static ",
    "public ",
    "private ",
    "protected ",
    "public static ",
    "unsafe ",
    "const ",
    "pub const ",
];

/// Finds the pattern of a request.
pub(super) fn find(work: &StructuralWork<'_>, template: &[Piece]) -> OrAnswer<NotationMatches> {
    let Some(tree) = &work.tree else {
        return by_tokens(work, template, "there is no grammar for this file");
    };
    let text = work.request.pattern.trim();
    let readings = reading::readings(tree, text);
    if readings.is_empty() {
        return Err(invalid(
            "the pattern does not parse as one piece of this language; \
             make it one whole expression, statement or item, or write holes: `:[x]`",
        ));
    }
    if readings.iter().any(|reading| reading.tokens) {
        return by_tokens(work, template, "macros have no nodes");
    }
    let mut found = None;
    let mut missed = Hits::default();
    for reading in &readings {
        let hits = finding::hits(tree, reading).map_err(refused)?;
        if !hits.matches.is_empty() {
            found = Some((reading, hits));
            break;
        }
        missed.partial.extend(hits.partial);
        missed.count += hits.count;
        missed.first = missed.first.into_iter().chain(hits.first).min();
    }
    let macros = in_macros(work, tree, template)?;
    let Some((reading, hits)) = found else {
        if !macros.is_empty() {
            return Ok(only_macros(macros));
        }
        return Err(work.none(template, no_match(work, tree, template, &readings, &missed)));
    };
    Ok(gathered(work, tree, reading, hits, macros, template))
}

fn gathered(
    work: &StructuralWork<'_>,
    tree: &Parsed<'_>,
    reading: &PatternReading,
    hits: Hits,
    macros: Vec<TemplateMatch>,
    template: &[Piece],
) -> NotationMatches {
    let total = hits.matches.len();
    let mut matches = hits.matches;
    if let Some(made) = made(tree, template).filter(|made| grows(reading, made, work)) {
        let done = hits_of(tree, &made);
        matches.retain(|one| !done.contains(&one.range));
    }
    let already = total - matches.len();
    let mut notes = vec![format!("as {}", reading.kind)];
    if !hits.partial.is_empty() {
        notes.push(format!(
            "{} that fit but hold more left out",
            hits.partial.len()
        ));
    }
    if !macros.is_empty() {
        notes.push(format!(
            "{} of them within macro calls, by tokens",
            macros.len()
        ));
    }
    let unseen = unseen(work, tree, template);
    if !unseen.is_empty() {
        notes.push(unseen.trim_start_matches("; ").to_owned());
    }
    matches.extend(macros);
    NotationMatches {
        matches,
        already,
        notes,
    }
}

fn only_macros(matches: Vec<TemplateMatch>) -> NotationMatches {
    NotationMatches {
        matches,
        already: 0,
        notes: vec!["within macro calls, by tokens".into()],
    }
}

/// Returns the ranges that a reading matches.
fn hits_of(tree: &Parsed<'_>, reading: &PatternReading) -> HashSet<Range<usize>> {
    let hits = finding::hits(tree, reading).ok();
    let matches = hits.into_iter().flat_map(|hits| hits.matches);
    matches.map(|one| one.range).collect()
}

/// Reads the replacement as a pattern.
fn made(tree: &Parsed<'_>, template: &[Piece]) -> Option<PatternReading> {
    let mut text = String::new();
    for piece in template {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Hole(name) => text.push_str(&format!("$$${name}")),
        }
    }
    let many = reading::readings(tree, text.trim()).into_iter().next();
    many.or_else(|| {
        reading::readings(tree, text.replace("$$$", "$").trim())
            .into_iter()
            .next()
    })
}

/// Returns whether a result of the replacement matches the pattern again and is told from
/// what has not been rewritten.
fn grows(reading: &PatternReading, made: &PatternReading, work: &StructuralWork<'_>) -> bool {
    if literal_text(&work.request.pattern) == literal_text(&work.request.replacement) {
        return false;
    }
    let sample = work
        .request
        .replacement
        .replace("$$$", "hole_")
        .replace('$', "hole_");
    let Some(language) = work.language else {
        return false;
    };
    let Some(tree) = work.cache.parse_once(language, &sample) else {
        return false;
    };
    let again = finding::hits(&tree, reading).is_ok_and(|hits| !hits.matches.is_empty());
    again && reading.shape.kind() == made.shape.kind()
}

fn literal_text(text: &str) -> String {
    let mut bare = text.to_owned();
    for Meta { start, end, .. } in metavariables(text).into_iter().rev() {
        bare.replace_range(start..end, "");
    }
    bare.split_whitespace().collect::<String>()
}

/// Says why no reading matches.
fn no_match(
    work: &StructuralWork<'_>,
    tree: &Parsed<'_>,
    template: &[Piece],
    readings: &[PatternReading],
    missed: &Hits,
) -> (String, Option<crate::edit::locate::nearest::Region>) {
    let kinds: Vec<&str> = readings
        .iter()
        .map(|reading| reading.kind.as_str())
        .collect();
    let (count, mut first) = (missed.count, missed.first);
    let mut why = format!(
        "nothing matches: the pattern reads as {}, of which the file has {count}",
        kinds.join(" or ")
    );
    if kinds.iter().any(|kind| {
        let parts = ["item", "declaration", "definition", "signature"];
        parts.iter().any(|part| kind.contains(part))
    }) && let Some(modifier) = modifier(work, tree)
    {
        why.push_str(&format!(
            "; it matches when it begins with `{}`",
            modifier.trim_end()
        ));
    }
    if let Some(at) = missed.partial.first() {
        first = Some(work.source.line_of(*at));
        why.push_str(&format!(
            "; {} fit but hold more than the pattern says (a keyword, a comment, another branch), \
             the first in line {}",
            missed.partial.len(),
            work.source.line_of(*at) + 1
        ));
    }
    if let Some(name) = ended(&work.request.pattern) {
        why.push_str(&format!(
            "; `$$${name};` is one statement: without its `;` it is any number of them"
        ));
    }
    why.push_str(&unseen(work, tree, template));
    (why, first.map(|row| region(work.source, row, 3)))
}

/// Returns the name of a `$$$` that a semicolon makes a single statement.
fn ended(pattern: &str) -> Option<&str> {
    let metas = metavariables(pattern);
    metas
        .into_iter()
        .find(|meta| {
            let head = pattern.slice(..meta.start).trim_end();
            let tail = pattern.slice(meta.end..);
            meta.many && head.ends_with(['{', '}', ';']) && tail.trim_start().starts_with(';')
        })
        .map(|meta| meta.name)
}

/// Returns a modifier with which the pattern would match.
fn modifier(work: &StructuralWork<'_>, tree: &Parsed<'_>) -> Option<&'static str> {
    let text = work.request.pattern.trim();
    let word: String = text.chars().take_while(|c| is_word(*c)).collect();
    // To read a pattern takes longer than to see that the file has no such words.
    MODIFIERS
        .iter()
        .filter(|modifier| tree.whole().contains(&format!("{modifier}{word}")))
        .find(|modifier| {
            let readings = reading::readings(tree, &format!("{modifier}{text}"));
            readings.iter().any(|reading| {
                finding::hits(tree, reading).is_ok_and(|hits| !hits.matches.is_empty())
            })
        })
        .copied()
}
