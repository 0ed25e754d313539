//! Patterns with metavariables.
//!
//! In: a pattern such as `f($A, $$$REST)` and the tree of a text. Out: the nodes that match.
//! A pattern is no whole program, so it is read within several contexts; the first reading
//! that matches anything counts. Calls of Rust macros hold no nodes to match: in them a
//! pattern that begins and ends with text of its own is found by its tokens.

mod tongue;

use ast_grep_core::matcher::{MatcherExt, PatternNode};
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{AstGrep, Matcher, Node, NodeMatch, Pattern as Shape};

use super::pattern::{Meta, Pattern, metavariables};
use super::units::Units;
use super::{Found, Work, invalid, matching, refused, why};
use crate::locate::nearest::region;
use crate::plan::Outcome;
use crate::plan::rewrite::{Capture, Match, Piece};
use crate::syntax::Parsed;
use tongue::{Reading, Tongue};

/// Matches that are taken.
const MAX_MATCHES: usize = 50_000;
/// Children that a node may have where a pattern has several `$$$`.
const MAX_CHILDREN: u32 = 4_000;
/// Depth of trees in which equal nodes are compared.
const MAX_DEPTH: u32 = 400;
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

type Doc = StrDoc<Tongue>;

/// Finds the pattern of a request.
pub(super) fn find(work: &Work<'_>, units: &Units, template: &[Piece]) -> Result<Found, Outcome> {
    let Some(tree) = &work.tree else {
        return by_tokens(work, units, template);
    };
    let text = work.request.pattern.trim();
    check(text, tree)?;
    let readings = tongue::readings(tree, text);
    if readings.is_empty() {
        return Err(invalid(
            "the pattern does not parse as one piece of this language; \
             make it one whole expression, statement or item, or write holes: `:[x]`"
                .into(),
        ));
    }
    let root = AstGrep::doc(tongue::document(tree));
    let mut found = None;
    for reading in &readings {
        let hits = hits(&root, reading, work.text)?;
        if !hits.matches.is_empty() {
            found = Some((reading, hits));
            break;
        }
    }
    let macros = in_macros(work, units, tree, text)?;
    let Some((reading, hits)) = found else {
        if !macros.is_empty() {
            return Ok(only_macros(macros));
        }
        return Err(work.none(units, template, no_match(work, tree, &root, &readings)));
    };
    comments_stay(work, units, &hits.matches, template)?;
    Ok(gathered(
        work,
        tree,
        &root,
        reading,
        (hits, macros),
        template,
    ))
}

/// What one reading matches.
struct Hits {
    matches: Vec<Match>,
    /// Nodes that go on where the pattern ends.
    partial: usize,
}

fn gathered(
    work: &Work<'_>,
    tree: &Parsed<'_>,
    root: &AstGrep<Doc>,
    reading: &Reading,
    (hits, macros): (Hits, Vec<Match>),
    template: &[Piece],
) -> Found {
    let total = hits.matches.len();
    let mut matches = hits.matches;
    if let Some(made) = made(tree, template).filter(|made| grows(reading, made, work)) {
        let done = done(root, &made);
        matches.retain(|one| !done.contains(&one.range));
    }
    let already = total - matches.len();
    let mut notes = vec![format!("as {}", reading.kind)];
    if hits.partial > 0 {
        notes.push(format!(
            "{} that go on after the pattern left out",
            hits.partial
        ));
    }
    if !macros.is_empty() {
        notes.push(format!(
            "{} of them within macro calls, by tokens",
            macros.len()
        ));
    }
    matches.extend(macros);
    Found {
        matches,
        already,
        notes,
    }
}

fn only_macros(matches: Vec<Match>) -> Found {
    Found {
        matches,
        already: 0,
        notes: vec!["within macro calls, by tokens".into()],
    }
}

/// Refuses what the matcher would take too long or too deep for.
fn check(pattern: &str, tree: &Parsed<'_>) -> Result<(), Outcome> {
    let metas = metavariables(pattern);
    let (mut widest, mut deepest) = (0, 0);
    let mut cursor = tree.tree().walk();
    tree.walk(|node| widest = widest.max(node.child_count()));
    loop {
        deepest = deepest.max(cursor.depth());
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        while cursor.goto_parent() {
            if cursor.goto_next_sibling() {
                break;
            }
        }
        if cursor.depth() == 0 {
            break;
        }
    }
    let repeats = metas.iter().enumerate().any(|(index, meta)| {
        !meta.name.is_empty()
            && metas
                .iter()
                .skip(index + 1)
                .any(|other| other.name == meta.name)
    });
    if repeats && deepest > MAX_DEPTH {
        return Err(refused(format!(
            "the file nests {deepest} deep; a metavariable that occurs twice is not looked for there"
        )));
    }
    if metas.iter().filter(|meta| meta.many).count() > 1 && widest > MAX_CHILDREN {
        return Err(refused(format!(
            "a node of the file has {widest} children; several `$$$` are not looked for there"
        )));
    }
    Ok(())
}

fn hits(root: &AstGrep<Doc>, reading: &Reading, text: &str) -> Result<Hits, Outcome> {
    let kind = kind_of(&reading.shape);
    let mut hits = Hits {
        matches: Vec::new(),
        partial: 0,
    };
    for node in root.root().dfs() {
        if kind.is_some_and(|kind| kind != node.kind_id()) {
            continue;
        }
        let Some(found) = reading.shape.match_node(node.clone()) else {
            continue;
        };
        let range = found.range();
        let length = reading.shape.get_match_len(node).unwrap_or(range.len());
        let rest = text
            .get(range.start + length..range.end)
            .unwrap_or_default();
        if !rest
            .trim_matches([';', ',', ' ', '\t', '\n', '\r'])
            .is_empty()
        {
            hits.partial += 1;
            continue;
        }
        if range.is_empty() {
            continue;
        }
        if hits.matches.len() >= MAX_MATCHES {
            return Err(refused(format!(
                "the pattern matches more than {MAX_MATCHES} times"
            )));
        }
        hits.matches.push(Match {
            captures: captures(&found, reading),
            range: range.start..range.start + length,
        });
    }
    Ok(hits)
}

fn captures(found: &NodeMatch<'_, Doc>, reading: &Reading) -> Vec<Capture> {
    let env = found.get_env();
    let ranges = reading.names.iter().filter_map(|(name, many)| {
        let range = match many {
            false => env.get_match(name)?.range(),
            true => {
                let nodes = env.get_multiple_matches(name);
                let (first, last) = (nodes.first(), nodes.last());
                match first.zip(last) {
                    Some((first, last)) => first.range().start..last.range().end,
                    None => found.range().start..found.range().start,
                }
            }
        };
        Some(Capture {
            name: name.clone(),
            range,
        })
    });
    ranges.collect()
}

fn kind_of(shape: &Shape) -> Option<u16> {
    match &shape.node {
        PatternNode::Internal { kind_id, .. } | PatternNode::Terminal { kind_id, .. } => {
            Some(*kind_id)
        }
        PatternNode::MetaVar { .. } => None,
    }
}

/// Reads the replacement as a pattern.
fn made(tree: &Parsed<'_>, template: &[Piece]) -> Option<Reading> {
    let mut text = String::new();
    for piece in template {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Hole(name) => text.push_str(&format!("$$${name}")),
        }
    }
    let many = tongue::readings(tree, text.trim()).into_iter().next();
    many.or_else(|| {
        tongue::readings(tree, text.replace("$$$", "$").trim())
            .into_iter()
            .next()
    })
}

/// Returns whether a result of the replacement matches the pattern again and is told from
/// what has not been rewritten.
fn grows(reading: &Reading, made: &Reading, work: &Work<'_>) -> bool {
    let text = |text: &str| {
        let mut bare = text.to_owned();
        for Meta { start, end, .. } in metavariables(text).into_iter().rev() {
            bare.replace_range(start..end, "");
        }
        bare.split_whitespace().collect::<String>()
    };
    if text(&work.request.pattern) == text(&work.request.replacement) {
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
    let Some(tree) = language.parse(&sample) else {
        return false;
    };
    let root = AstGrep::doc(tongue::document(&tree));
    let again = root
        .root()
        .dfs()
        .any(|node| reading.shape.match_node(node).is_some());
    again && kind_of(&reading.shape) == kind_of(&made.shape)
}

/// Returns the ranges that are as the replacement makes them.
fn done(root: &AstGrep<Doc>, made: &Reading) -> Vec<std::ops::Range<usize>> {
    let kind = kind_of(&made.shape);
    let top = root.root();
    let nodes = top
        .dfs()
        .filter(|node: &Node<'_, Doc>| kind.is_none_or(|kind| kind == node.kind_id()));
    let found = nodes.filter_map(|node| {
        let found = made.shape.match_node(node.clone())?;
        let length = made
            .shape
            .get_match_len(node)
            .unwrap_or(found.range().len());
        Some(found.range().start..found.range().start + length)
    });
    found.collect()
}

/// Refuses to drop comments that stand in a match but in nothing that is carried over.
fn comments_stay(
    work: &Work<'_>,
    units: &Units,
    matches: &[Match],
    template: &[Piece],
) -> Result<(), Outcome> {
    let carried = |one: &Match, comment: &std::ops::Range<usize>| {
        one.captures.iter().any(|capture| {
            capture.range.start <= comment.start
                && comment.end <= capture.range.end
                && template.contains(&Piece::Hole(capture.name.clone()))
        })
    };
    for comment in units.comments() {
        // Matches are in the order of their starts, and may lie within one another.
        let until = matches.partition_point(|one| one.range.start <= comment.start);
        let around = matches.iter().take(until).rev().take(64);
        let mut holding = around.filter(|one| comment.end <= one.range.end).peekable();
        if holding.peek().is_some() && !holding.any(|one| carried(one, comment)) {
            return Err(refused(format!(
                "the comment in line {} would be lost; use `section` there, or capture it with `$$$`",
                work.source.line_of(comment.start) + 1
            )));
        }
    }
    Ok(())
}

/// Finds the pattern's tokens in the arguments of macro calls.
fn in_macros(
    work: &Work<'_>,
    units: &Units,
    tree: &Parsed<'_>,
    text: &str,
) -> Result<Vec<Match>, Outcome> {
    let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
    tree.walk(|node| {
        let call = node.kind() == "token_tree"
            && node
                .parent()
                .is_some_and(|parent| parent.kind() == "macro_invocation");
        let within = ranges
            .last()
            .is_some_and(|last| node.end_byte() <= last.end);
        if call && !within {
            ranges.push(node.byte_range());
        }
    });
    let metas = metavariables(text);
    let bounded = metas.first().is_none_or(|meta| meta.start > 0)
        && metas.last().is_none_or(|meta| meta.end < text.len());
    if ranges.is_empty() || !bounded {
        return Ok(Vec::new());
    }
    let Ok(pattern) = Pattern::of_metavariables(text) else {
        return Ok(Vec::new());
    };
    Ok(matching::within(work.text, units, &pattern, &ranges)
        .map_err(refused)?
        .matches)
}

/// Finds the pattern's tokens in a text without a grammar.
fn by_tokens(work: &Work<'_>, units: &Units, template: &[Piece]) -> Result<Found, Outcome> {
    let pattern = Pattern::of_metavariables(work.request.pattern.trim()).map_err(invalid)?;
    let search = matching::all(work.text, units, &pattern).map_err(refused)?;
    if search.matches.is_empty() {
        return Err(work.none(units, template, why::holes(work.source, &pattern, &search)));
    }
    Ok(Found {
        matches: search.matches,
        already: 0,
        notes: vec!["by tokens, there is no grammar for this file".into()],
    })
}

/// Says why no reading matches.
fn no_match(
    work: &Work<'_>,
    tree: &Parsed<'_>,
    root: &AstGrep<Doc>,
    readings: &[Reading],
) -> (String, Option<crate::locate::nearest::Region>) {
    let kinds: Vec<&str> = readings
        .iter()
        .map(|reading| reading.kind.as_str())
        .collect();
    let (mut count, mut first) = (0, None);
    tree.walk(|node| {
        if kinds.contains(&node.kind()) {
            count += 1;
            first = first.or(Some(node.start_position().row));
        }
    });
    let mut why = format!(
        "nothing matches: the pattern reads as {}, of which the file has {count}",
        kinds.join(" or ")
    );
    if let Some(modifier) = modifier(work, tree, root) {
        why.push_str(&format!(
            "; it matches when it begins with `{}`",
            modifier.trim_end()
        ));
    }
    let partial: usize = readings
        .iter()
        .filter_map(|reading| hits(root, reading, work.text).ok())
        .map(|hits| hits.partial)
        .sum();
    if partial > 0 {
        why.push_str(&format!(
            "; {partial} fit but go on after the pattern's end"
        ));
    }
    if work.text.contains("macro_rules!") || kinds_of_macros(tree) > 0 {
        why.push_str("; within macro calls only patterns that begin and end with text are found");
    }
    (why, first.map(|row| region(work.source, row, 3)))
}

fn kinds_of_macros(tree: &Parsed<'_>) -> usize {
    let mut count = 0;
    tree.walk(|node| count += usize::from(node.kind() == "macro_invocation"));
    count
}

/// Returns a modifier with which the pattern would match.
fn modifier(work: &Work<'_>, tree: &Parsed<'_>, root: &AstGrep<Doc>) -> Option<&'static str> {
    let text = work.request.pattern.trim();
    let matches = |modifier: &&&str| {
        let readings = tongue::readings(tree, &format!("{modifier}{text}"));
        readings.iter().any(|reading| {
            hits(root, reading, work.text).is_ok_and(|hits| !hits.matches.is_empty())
        })
    };
    MODIFIERS.iter().find(matches).copied()
}
