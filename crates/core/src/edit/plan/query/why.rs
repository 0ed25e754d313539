//! Reasons why a query matched nothing: words for the model, and the region to look at.

use std::collections::BTreeMap;

use tree_sitter::{Language as Grammar, Node};

use super::matches::Query;
use crate::budget::Budget;
use crate::edit::locate::nearest::{Region, region};
use crate::plural::amount;
use crate::syntax::Parsed;
use crate::text::{Slice, Source};
use crate::word::is_word;

/// Names that are listed.
const SHOWN: usize = 6;

/// Says why `query` matches nothing, with the node that comes nearest.
pub(super) fn no_match(
    budget: &Budget,
    source: &Source,
    tree: &Parsed<'_>,
    query: &Query,
) -> (String, Option<Region>) {
    let bare = without_predicates(query.text());
    if bare != query.text()
        && let Some((why, node)) = predicates(budget, tree, &bare)
    {
        return (why, Some(around(source, node)));
    }
    let mut counts: BTreeMap<&str, (usize, Option<Node<'_>>)> = BTreeMap::new();
    let kinds = kinds_in(&bare);
    tree.walk(|node| {
        if let Some(kind) = kinds.iter().find(|kind| **kind == node.kind()) {
            let entry = counts.entry(kind).or_insert((0, Some(node)));
            entry.0 += 1;
        }
    });
    let missing: Vec<&str> = kinds
        .iter()
        .copied()
        .filter(|kind| !counts.contains_key(kind))
        .collect();
    if !missing.is_empty() {
        let there = present(tree);
        return (
            format!(
                "nothing matches: the file has no node `{}`; most frequent are {there}",
                missing.join("`, `")
            ),
            None,
        );
    }
    let outer = kinds.first().and_then(|kind| counts.get(kind));
    match outer.and_then(|(count, node)| node.map(|node| (*count, node))) {
        Some((count, node)) => {
            let shape = shape(node);
            let why = format!(
                "nothing matches: the file has {count} `{}`, but none built like that; the first is {shape}",
                node.kind()
            );
            (why, Some(around(source, node)))
        }
        None => ("nothing matches the query".into(), None),
    }
}

/// Returns the structure of a small node; printing one walks it recursively.
fn shape(node: Node<'_>) -> String {
    match node.descendant_count() {
        0..200 => node.to_sexp().chars().take(300).collect(),
        count => format!("one of {count} nodes"),
    }
}

/// Says what the query would match if it had no predicates.
fn predicates<'t>(budget: &Budget, tree: &'t Parsed<'_>, bare: &str) -> Option<(String, Node<'t>)> {
    let query = Query::new(tree, bare).ok()?;
    let found = query.run(budget, tree, None).ok()?;
    let first = found.first()?;
    let mut texts: Vec<String> = Vec::new();
    for one in &found {
        for capture in &one.found.captures {
            let text = tree.whole().slice(capture.range.clone());
            let text: String = text.chars().take(40).collect();
            let shown = format!("@{} = {text:?}", capture.name);
            if texts.len() < SHOWN && !texts.contains(&shown) {
                texts.push(shown);
            }
        }
    }
    let why = format!(
        "nothing matches: without its predicates the query has {}, such as {}",
        amount(found.len(), "match", "matches"),
        texts.join(", ")
    );
    Some((why, first.node))
}

/// Returns the query without its `(#...)`.
fn without_predicates(query: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut quoted) = (0_usize, false);
    let mut chars = query.chars().peekable();
    while let Some(c) = chars.next() {
        if depth == 0 {
            if c == '(' && !quoted && chars.peek() == Some(&'#') {
                depth = 1;
                continue;
            }
            out.push(c);
        }
        match c {
            '\\' if quoted => {
                let escaped = chars.next();
                if depth == 0 {
                    out.extend(escaped);
                }
            }
            '"' => quoted = !quoted,
            '(' if !quoted && depth > 0 => depth += 1,
            ')' if !quoted && depth > 0 => depth -= 1,
            _ => {}
        }
    }
    out
}

/// Returns the node kinds that a query names, in order.
fn kinds_in(query: &str) -> Vec<&str> {
    let mut kinds = Vec::new();
    for part in query.split('(').skip(1) {
        let end = part.find(|c: char| !is_word(c)).unwrap_or(part.len());
        let kind = part.slice(..end);
        let special = matches!(kind, "" | "_" | "ERROR" | "MISSING");
        if !special && !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// Returns the commonest named kinds of a tree, with their numbers.
fn present(tree: &Parsed<'_>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    tree.walk(|node| {
        if node.is_named() {
            *counts.entry(node.kind()).or_default() += 1;
        }
    });
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let shown = counts.iter().take(2 * SHOWN);
    shown
        .map(|(kind, count)| format!("{kind} ({count})"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns kinds whose names are like `name`.
pub(super) fn kinds_like(grammar: &Grammar, name: &str) -> String {
    let ids = 0..u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
    let named =
        ids.filter(|id| grammar.node_kind_is_named(*id) && grammar.node_kind_is_visible(*id));
    like(named.filter_map(|id| grammar.node_kind_for_id(id)), name)
}

/// Returns fields whose names are like `name`.
pub(super) fn fields_like(grammar: &Grammar, name: &str) -> String {
    let ids = 1..=u16::try_from(grammar.field_count()).unwrap_or(u16::MAX);
    like(ids.filter_map(|id| grammar.field_name_for_id(id)), name)
}

fn like<'a>(all: impl Iterator<Item = &'a str>, name: &str) -> String {
    let words: Vec<&str> = name.split('_').filter(|word| word.len() > 2).collect();
    let mut scored: Vec<_> = all
        .map(|other| (likeness(name, &words, other), other))
        .collect();
    scored.retain(|((shared, head), _)| *shared > 0 || *head >= 3);
    scored.sort_by(|a, b| b.cmp(a));
    scored.dedup();
    let names: Vec<&str> = scored.iter().take(SHOWN).map(|(_, other)| *other).collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("; it has {}", names.join(", "))
    }
}

/// Returns how many words of a name another shares, and how many bytes their heads have in common.
fn likeness(name: &str, words: &[&str], other: &str) -> (usize, usize) {
    let shared = words
        .iter()
        .filter(|word| other.split('_').any(|own| own == **word))
        .count();
    let head = other
        .bytes()
        .zip(name.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    (shared, head)
}

fn around(source: &Source, node: Node<'_>) -> Region {
    let (first, last) = (node.start_position().row, node.end_position().row);
    region(source, first, last - first + 1)
}
