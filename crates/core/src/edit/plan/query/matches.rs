//! Compiling and running a query.
//!
//! In: query text and a tree. Out: matches, each with its target node and the ranges of all
//! its captures; bounded in matches, states and steps.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, QueryCursor, QueryCursorOptions, QueryError, QueryErrorKind};

use super::endless::{Endless, endless};
use super::tokens::{lone_predicate, untested};
use super::why;
use super::wide::too_wide;
use super::windows::windows;
use crate::budget::Budget;
use crate::edit::plan::template::{Capture, MAX_MATCHES, TemplateMatch};
use crate::syntax::{MATCH_LIMIT, Parsed};
use crate::text::Slice;

/// Progress reports of the cursor (each some hundred steps) on an empty text. Attack: `((_)* (_)*)`, which starts anew
/// at each sibling.
const BASE_STEPS: usize = 20_000;
/// Steps of the request's budget that one report stands for.
const STEPS_PER_REPORT: usize = 2_000;

/// A query that compiles.
pub(super) struct Query {
    compiled: tree_sitter::Query,
    /// Names of directives, such as `#set!`, which have no effect here.
    directives: Vec<String>,
    text: String,
}

/// A match and the node that is meant.
pub(super) struct Captured<'t> {
    pub(super) node: Node<'t>,
    pub(super) found: TemplateMatch,
}

/// Why a query gave nothing that could be used.
pub(super) enum QueryFailure {
    /// It makes no sense.
    Invalid(String),
    /// It takes too long.
    TooMuch(String),
}

impl Query {
    /// Compiles `text` for the language of the tree.
    pub(super) fn new(tree: &Parsed<'_>, text: &str) -> Result<Self, String> {
        let text = text.replace("\r\n", "\n");
        if let Some(at) = lone_predicate(&text) {
            let name = text.slice(at..);
            let name = name.split_whitespace().next().unwrap_or_default();
            return Err(format!(
                "{}: the predicate `{}` has no node before it; put it behind the node that it is about",
                place(&text, at),
                name.trim_end_matches(')')
            ));
        }
        if let Some(name) = untested(&text) {
            return Err(format!(
                "the predicate `{name}` is not known; `#any-of?` compares with several texts"
            ));
        }
        let language = tree.tree().language();
        let is_supertype =
            |name: &str| language.node_kind_is_supertype(language.id_for_node_kind(name, true));
        if let Some(Endless { at, why }) = endless(&text, is_supertype) {
            return Err(format!("{}: {why}", place(&text, at)));
        }
        let compiled = tree_sitter::Query::new(&language, &text)
            .map_err(|error| explain(&language, &text, &error))?;
        let directives = directives(&compiled)?;
        if compiled.capture_names().is_empty() {
            return Err("the query captures nothing; name a node with `@name`".into());
        }
        Ok(Self {
            compiled,
            directives,
            text,
        })
    }

    /// Returns the compiled query.
    pub(super) fn compiled(&self) -> &tree_sitter::Query {
        &self.compiled
    }

    /// Returns the names of directives, such as `#set!`, which have no effect here.
    pub(super) fn directives(&self) -> &[String] {
        &self.directives
    }

    /// Returns the query as written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the query has a capture of that name.
    pub(super) fn has_capture(&self, name: &str) -> bool {
        self.compiled().capture_index_for_name(name).is_some()
    }

    /// Returns the matches in the order of the text; `target` names the capture that is meant.
    pub(super) fn run<'t>(
        &self,
        budget: &Budget,
        tree: &'t Parsed<'_>,
        target: Option<&str>,
    ) -> Result<Vec<Captured<'t>>, QueryFailure> {
        if let Some(why) = too_wide(self, tree) {
            return Err(QueryFailure::TooMuch(why));
        }
        match windows(self, tree.whole()) {
            Some(windows) => self.run_in(budget, tree, target, &windows),
            None => self.run_in(budget, tree, target, std::slice::from_ref(&(0..usize::MAX))),
        }
    }

    /// Returns the matches that have a node in one of the windows.
    fn run_in<'t>(
        &self,
        budget: &Budget,
        tree: &'t Parsed<'_>,
        target: Option<&str>,
        windows: &[Range<usize>],
    ) -> Result<Vec<Captured<'t>>, QueryFailure> {
        let target = self.target(target).map_err(QueryFailure::Invalid)?;
        let text = tree.whole();
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MATCH_LIMIT);
        let (mut steps, limit) = (0, BASE_STEPS + text.len() / 8);
        let mut progress = |_: &tree_sitter::QueryCursorState| {
            steps += 1;
            if steps > limit || budget.spend(STEPS_PER_REPORT).is_err() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let mut found = Vec::new();
        let mut known = HashMap::new();
        for window in windows {
            cursor.set_byte_range(window.clone());
            let options = QueryCursorOptions::new().progress_callback(&mut progress);
            let mut matches =
                cursor.matches_with_options(self.compiled(), tree.root(), text.as_bytes(), options);
            while let Some(one) = matches.next() {
                if found.len() >= MAX_MATCHES {
                    let why = format!("the query matches more than {MAX_MATCHES} times");
                    return Err(QueryFailure::TooMuch(why));
                }
                // A match that reaches from one window into another is found in both. Within one,
                // the same nodes may be captured by two matches.
                if windows.len() > 1 {
                    let key = key(one.pattern_index, one.captures());
                    if *known.entry(key).or_insert(window.start) != window.start {
                        continue;
                    }
                }
                let captured = self.captured(one.captures(), target);
                found.extend(captured.map_err(QueryFailure::Invalid)?);
            }
        }
        if steps > limit || cursor.did_exceed_match_limit() {
            return Err(QueryFailure::TooMuch(
                "the query takes too many steps on this file; make it more specific, or use `diff`"
                    .into(),
            ));
        }
        found.sort_by_key(|one| {
            (
                one.node.start_byte(),
                std::cmp::Reverse(one.node.end_byte()),
            )
        });
        Ok(found)
    }

    /// Returns the index of the capture that is meant, if that can be told without a match.
    fn target(&self, name: Option<&str>) -> Result<Option<u32>, String> {
        let names = self.compiled().capture_names();
        if let Some(name) = name {
            let index = self.compiled().capture_index_for_name(name);
            return index.map(Some).ok_or_else(|| {
                format!(
                    "the query has no capture `@{name}`; it has @{}",
                    names.join(", @")
                )
            });
        }
        let mut open = (0_u32..)
            .zip(names)
            .filter(|(_, name)| !name.starts_with('_'));
        match (open.next(), open.next()) {
            (Some((index, _)), None) => Ok(Some(index)),
            _ => Ok(None),
        }
    }

    fn captured<'t>(
        &self,
        captures: &[tree_sitter::QueryCapture<'t>],
        target: Option<u32>,
    ) -> Result<Option<Captured<'t>>, String> {
        let names = self.compiled().capture_names();
        let node = match target {
            Some(index) => captures.iter().find(|capture| capture.index == index),
            None => outermost(captures),
        };
        let Some(target) = node else {
            return match target {
                // The capture is in another branch of the query, or optional.
                Some(_) => Ok(None),
                None => Err(format!(
                    "which capture is meant? Name one in `capture`: @{}",
                    names.join(", @")
                )),
            };
        };
        let mut ranges: Vec<Capture> = Vec::new();
        for capture in captures {
            let name = names
                .get(capture.index as usize)
                .copied()
                .unwrap_or_default();
            let range = capture.node.byte_range();
            match ranges.iter_mut().find(|known| known.name == name) {
                Some(known) => known.range = joined(&known.range, &range),
                None => ranges.push(Capture {
                    name: name.to_owned(),
                    range,
                }),
            }
        }
        // Several nodes under the target's name are rewritten as one.
        let name = names
            .get(target.index as usize)
            .copied()
            .unwrap_or_default();
        let whole = ranges.iter().find(|capture| capture.name == name);
        let range = whole.map_or(target.node.byte_range(), |capture| capture.range.clone());
        Ok(Some(Captured {
            node: target.node,
            found: TemplateMatch {
                range,
                captures: ranges,
            },
        }))
    }
}

/// Tells a match from others.
fn key(pattern: usize, captures: &[tree_sitter::QueryCapture<'_>]) -> (usize, Vec<(u32, usize)>) {
    (
        pattern,
        captures
            .iter()
            .map(|one| (one.index, one.node.id()))
            .collect(),
    )
}

/// Returns the names of a query's directives, sorted; an error for predicates that are not known.
fn directives(query: &tree_sitter::Query) -> Result<Vec<String>, String> {
    let mut directives = Vec::new();
    for pattern in 0..query.pattern_count() {
        for predicate in query.general_predicates(pattern) {
            // A directive, as `#strip!`, tells editors what to do with a match, and does not test it.
            if !predicate.operator.ends_with('!') {
                return Err(format!(
                    "the predicate `#{}` is not known; `#eq?`, `#not-eq?`, `#match?`, \
                     `#not-match?`, `#any-of?` and `#not-any-of?` are",
                    predicate.operator
                ));
            }
            directives.push(format!("#{}", predicate.operator));
        }
        if !query.property_settings(pattern).is_empty() {
            directives.push("#set!".to_owned());
        }
        if !query.property_predicates(pattern).is_empty() {
            return Err("`#is?` and `#is-not?` are not known".into());
        }
    }
    directives.sort_unstable();
    directives.dedup();
    Ok(directives)
}

/// Returns the capture that holds all the others.
fn outermost<'c, 't>(
    captures: &'c [tree_sitter::QueryCapture<'t>],
) -> Option<&'c tree_sitter::QueryCapture<'t>> {
    let mut all = captures
        .iter()
        .filter(|capture| holds_all(captures, capture.node.byte_range()));
    let first = all.next()?;
    let same = all.all(|other| {
        other.index == first.index || other.node.byte_range() != first.node.byte_range()
    });
    same.then_some(first)
}

fn holds_all(captures: &[tree_sitter::QueryCapture<'_>], outer: Range<usize>) -> bool {
    captures.iter().all(|inner| {
        let inner = inner.node.byte_range();
        outer.start <= inner.start && inner.end <= outer.end
    })
}

fn joined(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.min(b.start)..a.end.max(b.end)
}

/// Returns the line and column of a byte of a query, in words.
fn place(text: &str, at: usize) -> String {
    let head = text.slice(..at);
    let line = head.matches('\n').count() + 1;
    let column = head
        .rsplit('\n')
        .next()
        .map_or(0, |line| line.chars().count())
        + 1;
    format!("query line {line}, column {column}")
}

fn explain(language: &tree_sitter::Language, text: &str, error: &QueryError) -> String {
    let place = format!("query line {}, column {}", error.row + 1, error.column + 1);
    let name = error.message.trim_matches('"');
    match error.kind {
        QueryErrorKind::NodeType => {
            format!(
                "{place}: this language has no node kind `{name}`{}",
                why::kinds_like(language, name)
            )
        }
        QueryErrorKind::Field => {
            format!(
                "{place}: this language has no field `{name}`{}",
                why::fields_like(language, name)
            )
        }
        QueryErrorKind::Capture => format!("{place}: the query has no capture `@{name}`"),
        QueryErrorKind::Structure => {
            format!(
                "{place}: no node of this language is built like that:\n{}",
                error.message
            )
        }
        _ if text.trim().is_empty() => "the query is empty".into(),
        _ => format!("{place}: not a query: {}", error.message),
    }
}

#[cfg(test)]
mod tests;
