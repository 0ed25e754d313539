//! A tree-sitter query and a template: the strategy `ast`.
//!
//! In: a query whose captures name nodes, and what becomes of one of them: text put before,
//! after or within it, another text in its place, or nothing. Out: splices of the text as it
//! is; nothing is printed anew. Every match counts; of nodes within one another the outermost
//! is rewritten, with those that its template carries over.

mod endless;
mod matches;
mod place;
mod template;
mod tokens;
mod why;
mod wide;
mod windows;

use std::cell::LazyCell;
use std::collections::HashSet;
use std::ops::Range;

use super::PlanContext;
use super::outcome::{OrAnswer, already, invalid, modified, refused};
use super::template::{Piece, Rewriter, TemplateMatch, removal};
use super::{Outcome, Plan, structural, tongue};
use crate::budget::Budget;
use crate::disk::workspace::WorkspacePath;
use crate::edit::locate::Rung;
use crate::edit::request::{AstAction, AstRequest, InsertPosition};
use crate::plural::amount;
use crate::syntax::node_links::NodeLinks;
use crate::syntax::{MAX_PARSE_BYTES, Parsed, SyntaxCache};
use crate::text::indent::Unit;
use crate::text::{Slice, Source, Splice};
use matches::{Captured, Query};

/// Indentation of text that is put in where the file shows none.
const DEFAULT_UNIT: Unit = Unit::Spaces(4);

/// Lines that are named where no match is in those that are asked for.
const LINES_TOLD: usize = 5;

/// Plans `request` for the file at `path`.
pub(super) fn plan(
    context: &PlanContext,
    path: &WorkspacePath,
    source: &Source,
    request: &AstRequest,
) -> OrAnswer<Plan> {
    let tree = tree(context.syntax(), path, source, request)?;
    let asked = parse(source, &tree, request)?;
    let work = QueryWork::new(context.budget(), source, &tree, request, asked);
    let found = locate(&work)?;
    let mut plan = splice(&work, found)?.found_by(Rung::Syntax);
    if let directives @ [_, ..] = work.query.directives() {
        let remark = format!("; {} without effect", directives.join(", "));
        plan.evidence.how.push_str(&remark);
    }
    Ok(plan)
}

fn tree<'a>(
    cache: &SyntaxCache,
    path: &WorkspacePath,
    source: &'a Source,
    request: &AstRequest,
) -> OrAnswer<Parsed<'a>> {
    if request.engine != "tree-sitter" {
        return Err(invalid(format!(
            "engine `{}` is not built in; `tree-sitter` is the only one",
            request.engine
        )));
    }
    let text = source.text().map_err(|error| refused(error.to_string()))?;
    let language = tongue::language(path, request.language.as_deref()).map_err(invalid)?;
    let Some(language) = language else {
        return Err(refused(format!(
            "there is no grammar for {path}; use `struct`, `section` or `diff`"
        )));
    };
    cache.parse(language, text).ok_or_else(|| {
        refused(format!(
            "{path} has {} bytes; over {MAX_PARSE_BYTES} nothing is parsed, use `diff` or `section`",
            text.len()
        ))
    })
}

/// A query and a template that the text's language knows.
struct KnownQuery {
    query: Query,
    template: Vec<Piece>,
    unit: Option<Unit>,
}

fn parse(source: &Source, tree: &Parsed<'_>, request: &AstRequest) -> OrAnswer<KnownQuery> {
    let query = Query::new(tree, &request.query).map_err(invalid)?;
    let unit = Unit::of(source);
    let template = template::parse(&request.template, &query, unit).map_err(invalid)?;
    Ok(KnownQuery {
        query,
        template,
        unit,
    })
}

/// Runs the query.
fn locate<'a>(work: &QueryWork<'a>) -> OrAnswer<Vec<Captured<'a>>> {
    let capture = work.request.capture.as_deref();
    match work.query.run(work.budget, work.tree, capture) {
        Ok(found) if found.is_empty() => Err(work.no_match()),
        Ok(found) => work.in_lines(found),
        Err(matches::QueryFailure::Invalid(why)) => Err(invalid(why)),
        Err(matches::QueryFailure::TooMuch(why)) => Err(refused(why)),
    }
}

/// Does with what was captured as the request says.
fn splice<'a>(work: &QueryWork<'a>, found: Vec<Captured<'a>>) -> OrAnswer<Plan> {
    let root = found.iter().all(|one| one.node == work.tree.root());
    match work.request.action {
        AstAction::Implied if root => work.insert(&found, InsertPosition::Start),
        AstAction::Insert(position) => work.insert(&found, position),
        AstAction::Implied | AstAction::Replace => work.replace(found),
        AstAction::Delete => work.delete(&found),
    }
}

/// Ranges of the text, in order, each with the furthest end of those up to it.
struct Ranges(Vec<(usize, usize)>);

/// What all actions need.
struct QueryWork<'a> {
    budget: &'a Budget,
    source: &'a Source,
    text: &'a str,
    tree: &'a Parsed<'a>,
    query: Query,
    rewriter: Rewriter<'a>,
    request: &'a AstRequest,
    /// One step of the text's indentation.
    unit: String,
}

impl<'a> QueryWork<'a> {
    fn new(
        budget: &'a Budget,
        source: &'a Source,
        tree: &'a Parsed<'a>,
        request: &'a AstRequest,
        asked: KnownQuery,
    ) -> Self {
        let text = tree.whole();
        Self {
            budget,
            source,
            text,
            tree,
            query: asked.query,
            rewriter: Rewriter {
                source,
                text,
                verbatim: LazyCell::new(Box::new(|| structural::quoted(tree))),
                template: asked.template,
                flush: Vec::new(),
            },
            request,
            unit: asked.unit.unwrap_or(DEFAULT_UNIT).levels(1),
        }
    }

    /// Returns the matches that lie in the lines that are asked for.
    fn in_lines(&self, found: Vec<Captured<'a>>) -> OrAnswer<Vec<Captured<'a>>> {
        let Some(lines) = &self.request.lines else {
            return Ok(found);
        };
        let places: Vec<(usize, usize)> = found
            .iter()
            .map(|one| {
                (
                    one.node.start_position().row + 1,
                    one.node.end_position().row + 1,
                )
            })
            .collect();
        let holds = |(start, end): &(usize, usize)| lines.contains(start) && lines.contains(end);
        let inside = found
            .into_iter()
            .zip(&places)
            .filter(|(_, place)| holds(place));
        let inside: Vec<Captured<'a>> = inside.map(|(one, _)| one).collect();
        if !inside.is_empty() {
            return Ok(inside);
        }
        let all = places
            .iter()
            .take(LINES_TOLD)
            .map(|(start, _)| start.to_string());
        let why = format!(
            "no match in lines {} to {}; the query has {} of them, at line {}",
            lines.start(),
            lines.end(),
            places.len(),
            all.collect::<Vec<_>>().join(", ")
        );
        Err(Outcome::NotFound { why, nearest: None })
    }

    fn replace(&self, found: Vec<Captured<'a>>) -> OrAnswer<Plan> {
        let matches: Vec<TemplateMatch> = found.into_iter().map(|one| one.found).collect();
        let result = self.rewriter.rewrite(matches).map_err(refused)?;
        if result.changed == 0 {
            return Err(done(result.already));
        }
        let evidence = evidence(result.changed, result.already, result.dropped);
        modified(result.splices, evidence, result.changed)
    }

    fn delete(&self, found: &[Captured<'a>]) -> OrAnswer<Plan> {
        let links = self.links(found);
        let site = self.site(&links);
        let mut ranges: Vec<_> = found.iter().map(|one| site.doomed(one.node)).collect();
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        let (mut splices, mut end, mut dropped) = (Vec::new(), 0, 0);
        let mut count = 0;
        for range in ranges.into_iter().filter(|range| !range.is_empty()) {
            if range.end <= end && !splices.is_empty() {
                dropped += 1;
                continue;
            }
            // Of a list, each of two neighbours would take the comma between them.
            if range.start < end {
                self.take_comma_before(&mut splices);
            }
            let range = range.start.max(end)..range.end;
            let splice = removal::of_range(self.source, self.text, range.clone());
            // A blank line that two neighbours both would take stays with the first.
            let splice = if splice.at < end {
                removal::exactly(self.text, range)
            } else {
                splice
            };
            end = splice.end();
            count += 1;
            splices.push(splice);
        }
        modified(splices, evidence(count, 0, dropped), count)
    }

    /// The last of a list goes with the comma before it; where that went with its neighbour, the
    /// one before the row of neighbours goes instead.
    fn take_comma_before(&self, splices: &mut Vec<Splice>) {
        let mut row = splices.len().saturating_sub(1);
        while let Some([.., before, own]) = splices.get(..=row)
            && before.end() == own.at
        {
            row -= 1;
        }
        let before = row.checked_sub(1).and_then(|index| splices.get(index));
        let floor = before.map_or(0, Splice::end);
        let Some(first) = splices.get_mut(row) else {
            return;
        };
        let before = self.text.get(floor..first.at).unwrap_or_default();
        if let Some(head) = before.trim_end().strip_suffix(',') {
            let (comma, from) = (floor + head.len(), first.at);
            let gap = self.text.slice(comma..from);
            if gap.contains('\n') {
                splices.insert(row, removal::exactly(self.text, comma..comma + 1));
            } else {
                *first = removal::exactly(self.text, comma..first.end());
            }
        }
    }

    fn insert(&self, found: &[Captured<'a>], position: InsertPosition) -> OrAnswer<Plan> {
        let links = self.links(found);
        let site = self.site(&links);
        let (mut already, mut standing) = (0, Vec::new());
        let mut open = Vec::new();
        for one in found {
            match self.insertion(&site, one, position).map_err(refused)? {
                place::Put::There(range) => {
                    already += 1;
                    standing.push(range);
                }
                place::Put::Here(splice) => open.push((one, splice)),
            }
        }
        let standing = Ranges::new(standing);
        open.retain(|(one, _)| !standing.hold(&one.found.range));
        let mut known = HashSet::new();
        let mut splices: Vec<Splice> = open.into_iter().map(|(_, splice)| splice).collect();
        splices.retain(|splice| known.insert(splice.clone()));
        if splices.is_empty() {
            return Err(done(already));
        }
        let count = splices.len();
        modified(splices, evidence(count, already, 0), count)
    }

    fn links(&self, found: &[Captured<'a>]) -> NodeLinks<'a> {
        NodeLinks::of(self.tree.root(), found.iter().map(|one| one.node))
    }

    fn site<'s>(&'s self, links: &'s NodeLinks<'s>) -> place::QuerySite<'s> {
        place::QuerySite {
            source: self.source,
            text: self.text,
            tree: self.tree,
            links,
            unit: &self.unit,
        }
    }

    fn insertion(
        &self,
        site: &place::QuerySite<'_>,
        one: &Captured<'_>,
        position: InsertPosition,
    ) -> Result<place::Put, String> {
        let template = &self.request.template;
        let implied = matches!(self.request.action, AstAction::Implied);
        site.put(one.node, position, template, implied, |base| {
            self.rewriter.made_at(&one.found, base)
        })
    }

    /// Says why nothing matched, unless what is asked for stands in the text.
    fn no_match(&self) -> Outcome {
        let replaces = matches!(self.request.action, AstAction::Replace | AstAction::Implied);
        if replaces && structural::stands_in(self.text, self.tree, &self.rewriter.template) {
            return already(
                "nothing matches the query, and text as the template makes it is there",
            );
        }
        let (why, nearest) = why::no_match(self.budget, self.source, self.tree, &self.query);
        Outcome::NotFound { why, nearest }
    }
}

impl Ranges {
    fn new(mut ranges: Vec<Range<usize>>) -> Self {
        ranges.sort_unstable_by_key(|range| range.start);
        let mut furthest = 0;
        let ends = ranges.into_iter().map(|range| {
            furthest = furthest.max(range.end);
            (range.start, furthest)
        });
        Self(ends.collect())
    }

    /// Returns whether one of them holds all of `range`.
    fn hold(&self, range: &Range<usize>) -> bool {
        let upto = self.0.partition_point(|(start, _)| *start <= range.start);
        let last = upto.checked_sub(1).and_then(|last| self.0.get(last));
        last.is_some_and(|(_, end)| range.end <= *end)
    }
}

fn evidence(changed: usize, already: usize, dropped: usize) -> String {
    let mut words = format!("{} of the query", amount(changed, "match", "matches"));
    if already > 0 {
        words.push_str(&format!("; {already} already as asked"));
    }
    if dropped > 0 {
        words.push_str(&format!("; {dropped} within another match left out"));
    }
    words
}

fn done(count: usize) -> Outcome {
    already(match count {
        1 => "the match is already as asked".to_owned(),
        _ => format!("all {count} matches are already as asked"),
    })
}

#[cfg(test)]
mod tests;
