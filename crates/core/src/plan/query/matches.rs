//! Running a query.
//!
//! In: query text and a tree. Out: matches, each with its target node and the ranges of all
//! its captures; bounded in matches, states and steps.

use std::collections::HashSet;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use streaming_iterator::StreamingIterator;
use tree_sitter::{
    Node, QueryCursor, QueryCursorOptions, QueryError, QueryErrorKind, QueryMatch, QueryPredicate,
};

use super::endless::{Endless, endless};
use super::shape::{Compared, Shape, lone_predicate};
use super::why;
use super::wide::too_wide;
use super::windows::windows;
use crate::budget;
use crate::plan::template::{Capture, Match};
use crate::syntax::Parsed;
use crate::syntax::recent::Recent;

/// States that a query may be in at once. At each node all are compared with each other, without a
/// report in between.
const MATCH_LIMIT: u32 = 512;
/// Matches that are taken.
const MAX_MATCHES: usize = 50_000;
/// Progress reports of the cursor (each some hundred steps) on an empty text.
const BASE_STEPS: usize = 20_000;
/// What one report stands for in the work's budget.
const STEPS_PER_REPORT: usize = 2_000;

/// Queries that were compiled lately are kept, up to so many bytes as written. Those that are
/// shapes are another sort.
static COMPILED: Recent<(tree_sitter::Language, String, Sort), Arc<Compiled>> =
    Recent::new(64 * 1024);

/// What a compiled query takes beside its wording, in bytes as written.
const OVERHEAD: usize = 1024;

/// A query that compiles.
pub(super) struct Query {
    compiled: Arc<Compiled>,
    /// What its predicates compare with.
    texts: Vec<String>,
    text: String,
}

/// A query, and what of its predicates is looked at here, pattern by pattern.
struct Compiled {
    query: tree_sitter::Query,
    compared: Vec<Vec<Compared>>,
    /// Names of directives, such as `#set!`, which have no effect here.
    directives: Vec<String>,
}

/// What is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// A query as written.
    Plain,
    /// One with numbers for texts.
    Shape,
}

/// A match and the node that is meant.
pub(super) struct Captured<'t> {
    pub(super) node: Node<'t>,
    pub(super) found: Match,
}

/// Why a query gave nothing that could be used.
pub(super) enum Failure {
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
            let name = text.get(at..).unwrap_or_default();
            let name = name.split_whitespace().next().unwrap_or_default();
            return Err(format!(
                "{}: the predicate `{}` has no node before it; put it behind the node that it is about",
                place(&text, at),
                name.trim_end_matches(')')
            ));
        }
        let language = tree.tree().language();
        let is_supertype =
            |name: &str| language.node_kind_is_supertype(language.id_for_node_kind(name, true));
        if let Some(Endless { at, why }) = endless(&text, is_supertype) {
            return Err(format!("{}: {why}", place(&text, at)));
        }
        let shape = Shape::of(&text).and_then(|shape| {
            let compiled = compiled(&language, shape.wording, Sort::Shape).ok()?;
            Some((compiled, shape.texts))
        });
        // What is wrong with a query is told of it as written.
        let (compiled, texts) = match shape {
            Some(shape) => shape,
            None => (compiled(&language, text.clone(), Sort::Plain)?, Vec::new()),
        };
        Ok(Self {
            compiled,
            texts,
            text,
        })
    }

    /// Returns the query without what is looked at here.
    pub(super) fn compiled(&self) -> &tree_sitter::Query {
        &self.compiled.query
    }

    /// Returns what is looked at here, pattern by pattern.
    pub(super) fn compared(&self) -> &[Vec<Compared>] {
        &self.compiled.compared
    }

    /// Returns the names of directives, such as `#set!`, which have no effect here.
    pub(super) fn directives(&self) -> &[String] {
        &self.compiled.directives
    }

    /// Returns what a predicate compares with.
    pub(super) fn texts_of<'q>(&'q self, one: &Compared) -> impl Iterator<Item = &'q str> {
        one.texts(&self.texts)
    }

    /// Returns whether what is looked at here holds of a match.
    fn holds(&self, one: &QueryMatch<'_, '_>, text: &str) -> bool {
        let compared = self.compared().get(one.pattern_index);
        let mut compared = compared.map(Vec::as_slice).unwrap_or_default().iter();
        compared.all(|compared| compared.holds(one, &self.texts, text))
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
        tree: &'t Parsed<'_>,
        target: Option<&str>,
    ) -> Result<Vec<Captured<'t>>, Failure> {
        if let Some(why) = too_wide(self, tree) {
            return Err(Failure::TooMuch(why));
        }
        match windows(self, tree.whole()) {
            Some(windows) => self.run_in(tree, target, &windows),
            None => self.run_in(tree, target, std::slice::from_ref(&(0..usize::MAX))),
        }
    }

    /// Returns the matches that have a node in one of the windows.
    fn run_in<'t>(
        &self,
        tree: &'t Parsed<'_>,
        target: Option<&str>,
        windows: &[Range<usize>],
    ) -> Result<Vec<Captured<'t>>, Failure> {
        let target = self.target(target).map_err(Failure::Invalid)?;
        let text = tree.whole();
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MATCH_LIMIT);
        let (mut steps, limit) = (0, BASE_STEPS + text.len() / 8);
        let mut progress = |_: &tree_sitter::QueryCursorState| {
            steps += 1;
            if steps > limit || !budget::spend(STEPS_PER_REPORT) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let mut found = Vec::new();
        let mut known = HashSet::new();
        for window in windows {
            cursor.set_byte_range(window.clone());
            let mut own = Vec::new();
            let options = QueryCursorOptions::new().progress_callback(&mut progress);
            let mut matches =
                cursor.matches_with_options(self.compiled(), tree.root(), text.as_bytes(), options);
            while let Some(one) = matches.next() {
                if !self.holds(one, text) {
                    continue;
                }
                if found.len() >= MAX_MATCHES {
                    let why = format!("the query matches more than {MAX_MATCHES} times");
                    return Err(Failure::TooMuch(why));
                }
                if windows.len() > 1 {
                    // A match that reaches from one window to another is found in both.
                    let key = key(one.pattern_index, one.captures());
                    if known.contains(&key) {
                        continue;
                    }
                    own.push(key);
                }
                found.extend(
                    self.captured(one.captures(), target)
                        .map_err(Failure::Invalid)?,
                );
            }
            known.extend(own);
        }
        if steps > limit || cursor.did_exceed_match_limit() {
            return Err(Failure::TooMuch(
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
            found: Match {
                range,
                captures: ranges,
            },
        }))
    }
}

/// Returns a query that was compiled before, or compiles it.
fn compiled(
    language: &tree_sitter::Language,
    wording: String,
    sort: Sort,
) -> Result<Arc<Compiled>, String> {
    let key = (language.clone(), wording, sort);
    if let Some(compiled) = COMPILED.get(&key) {
        return Ok(compiled);
    }
    let compiled = Arc::new(Compiled::new(language, &key.1, sort)?);
    let weight = key.1.len() + OVERHEAD;
    COMPILED.put(key, Arc::clone(&compiled), weight);
    Ok(compiled)
}

impl Compiled {
    fn new(language: &tree_sitter::Language, wording: &str, sort: Sort) -> Result<Self, String> {
        let query = tree_sitter::Query::new(language, wording)
            .map_err(|error| explain(language, wording, &error))?;
        let (mut compared, mut directives) = (Vec::new(), Vec::new());
        for pattern in 0..query.pattern_count() {
            let mut own = Vec::new();
            // A directive, as `#strip!`, tells editors what to do with a match, and does not test it.
            let is_directive = |one: &&QueryPredicate| one.operator.ends_with('!');
            let (annotating, testing): (Vec<_>, Vec<_>) = query
                .general_predicates(pattern)
                .iter()
                .partition(is_directive);
            directives.extend(annotating.iter().map(|one| format!("#{}", one.operator)));
            if !query.property_settings(pattern).is_empty() {
                directives.push("#set!".to_owned());
            }
            for predicate in testing {
                let known = Compared::of(predicate).filter(|_| sort == Sort::Shape);
                own.push(known.ok_or_else(|| {
                    format!(
                        "the predicate `#{}` is not known; `#eq?`, `#not-eq?`, `#match?`, \
                         `#not-match?`, `#any-of?` and `#not-any-of?` are",
                        predicate.operator
                    )
                })?);
            }
            if !query.property_predicates(pattern).is_empty() {
                return Err("`#is?` and `#is-not?` are not known".into());
            }
            compared.push(own);
        }
        if query.capture_names().is_empty() {
            return Err("the query captures nothing; name a node with `@name`".into());
        }
        directives.sort_unstable();
        directives.dedup();
        Ok(Self {
            query,
            compared,
            directives,
        })
    }
}

/// Tells a match from others.
fn key(pattern: usize, captures: &[tree_sitter::QueryCapture<'_>]) -> (usize, Vec<(u32, usize)>) {
    let capture = |one: &tree_sitter::QueryCapture<'_>| (one.index, one.node.id());
    (pattern, captures.iter().map(capture).collect())
}

/// Returns the capture that holds all the others.
fn outermost<'c, 't>(
    captures: &'c [tree_sitter::QueryCapture<'t>],
) -> Option<&'c tree_sitter::QueryCapture<'t>> {
    let holds = |outer: Range<usize>| {
        captures.iter().all(|inner| {
            let inner = inner.node.byte_range();
            outer.start <= inner.start && inner.end <= outer.end
        })
    };
    let mut all = captures
        .iter()
        .filter(|capture| holds(capture.node.byte_range()));
    let first = all.next()?;
    let same = all.all(|other| {
        other.index == first.index || other.node.byte_range() != first.node.byte_range()
    });
    same.then_some(first)
}

fn joined(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.min(b.start)..a.end.max(b.end)
}

/// Returns the line and column of a byte of a query, in words.
fn place(text: &str, at: usize) -> String {
    let head = text.get(..at).unwrap_or_default();
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
