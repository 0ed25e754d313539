//! Matches and a template become splices.
//!
//! In: the ranges that a query or a pattern found, with what they captured, and a template.
//! Out: splices. Text that a capture carries over keeps its bytes, save that its later lines
//! move with the place they go to; text of the template takes the place's indentation, the
//! file's unit of indentation and its line endings. Of matches that overlap the outermost is
//! rewritten, and with it those within what it carries over.

mod indent;
pub(super) mod removal;

use std::cell::LazyCell;
use std::ops::Range;

pub(super) use indent::{Style, leading, normalised};

use crate::text::{Ending, Source, Splice};

/// Matches within matches are followed so deep.
const MAX_DEPTH: usize = 100;
/// Output may grow by at most this many bytes.
const MAX_GROWTH: usize = 8 * 1024 * 1024;

/// One part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text that is written as it is.
    Text(String),
    /// What was captured under this name.
    Hole(String),
}

/// What a name stands for in one match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Capture {
    pub(super) name: String,
    pub(super) range: Range<usize>,
}

/// One match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) range: Range<usize>,
    pub(super) captures: Vec<Capture>,
}

/// Strings and comments of a text, found when they are asked for.
pub(super) type Quoted<'a> =
    LazyCell<Vec<Range<usize>>, Box<dyn FnOnce() -> Vec<Range<usize>> + 'a>>;

/// A text that is rewritten.
pub(super) struct Rewriter<'a> {
    pub(super) source: &'a Source,
    pub(super) text: &'a str,
    /// Strings and comments: lines that begin within one are not indented anew. Asked for only
    /// where lines move.
    pub(super) verbatim: Quoted<'a>,
    pub(super) template: Vec<Piece>,
    /// Names that the pattern has at the start of a line without indentation, though the text
    /// has some: where the template has them so too, the text's indentation stays.
    pub(super) flush: Vec<String>,
}

/// What came of rewriting.
#[derive(Debug, Default)]
pub(super) struct Rewritten {
    pub(super) splices: Vec<Splice>,
    /// How many matches are rewritten.
    pub(super) changed: usize,
    /// How many are already as the template would make them.
    pub(super) already: usize,
    /// How many overlap another one and stay.
    pub(super) dropped: usize,
}

/// A match and the matches within what it carries over.
struct Tree<'m> {
    found: &'m Match,
    within: Vec<Self>,
}

impl Rewriter<'_> {
    /// Rewrites every match; refuses two that would make different things of one place.
    pub(super) fn rewrite(&self, mut found: Vec<Match>) -> Result<Rewritten, String> {
        found.sort_by_key(|one| (one.range.start, std::cmp::Reverse(one.range.end)));
        found.dedup();
        let carried = self.carried();
        let (trees, dropped) = forest(&found, &carried)?;
        let mut result = Rewritten {
            dropped,
            ..Rewritten::default()
        };
        let mut grown = 0;
        for tree in &trees {
            let new = self.made(tree)?;
            let old = self.text.get(tree.found.range.clone()).unwrap_or_default();
            if is_done(self.text, tree.found.range.start, old, &new) {
                result.already += 1;
                continue;
            }
            grown += new.len();
            if grown > self.text.len() + MAX_GROWTH {
                return Err("the text would grow without bounds".into());
            }
            result.changed += 1 + size(&tree.within);
            result.splices.push(self.splice(tree, old, new));
        }
        Ok(result)
    }

    /// Returns what the template makes of one match on a line indented by `base`.
    pub(super) fn made_at(&self, found: &Match, base: &str) -> Result<String, String> {
        let within = Vec::new();
        self.made_with(&Tree { found, within }, base)
    }

    fn splice(&self, tree: &Tree<'_>, old: &str, new: String) -> Splice {
        if new.is_empty() {
            return removal::of_range(self.source, self.text, tree.found.range.clone());
        }
        Splice {
            at: tree.found.range.start,
            old: old.as_bytes().to_vec(),
            new: new.into_bytes(),
        }
    }

    fn carried(&self) -> Vec<&str> {
        let holes = self.template.iter().filter_map(|piece| match piece {
            Piece::Hole(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        });
        holes.collect()
    }

    fn made(&self, tree: &Tree<'_>) -> Result<String, String> {
        self.made_with(tree, leading(self.text, tree.found.range.start))
    }

    fn made_with(&self, tree: &Tree<'_>, base: &str) -> Result<String, String> {
        let start = tree.found.range.start;
        let absolute = indent::is_absolute(&self.template, base);
        let ending = ending_at(self.source, start).as_str();
        let mut out = String::new();
        let mut swallow = Swallow::Nothing;
        for (index, piece) in self.template.iter().enumerate() {
            match piece {
                Piece::Text(text) => {
                    let text = std::mem::take(&mut swallow).rest_of(text);
                    let base = if absolute { "" } else { base };
                    indent::push_lines(&mut out, text, base, ending);
                }
                Piece::Hole(name) => {
                    let next = match self.template.get(index + 1) {
                        Some(Piece::Text(text)) => text.as_str(),
                        _ => "",
                    };
                    swallow = self.push_hole(&mut out, tree, (name, next), base)?;
                }
            }
            if out.len() > self.text.len() + MAX_GROWTH {
                return Err("the text would grow without bounds".into());
            }
        }
        Ok(out)
    }

    /// Appends what a name stands for; says what the text after it is to lose.
    fn push_hole(
        &self,
        out: &mut String,
        tree: &Tree<'_>,
        (name, next): (&str, &str),
        base: &str,
    ) -> Result<Swallow, String> {
        let capture = tree.found.captures.iter().find(|one| one.name == name);
        let Some(range) = capture.map(|capture| capture.range.clone()) else {
            return Ok(Swallow::Nothing);
        };
        self.keep_margin(out, &range, name, base);
        let line = out.rfind('\n').map(|line| line + 1);
        let to = line.map_or(base, |line| leading(out, line)).to_owned();
        if let Some(room) = self.room(out, next, &range) {
            out.truncate(out.trim_end_matches(' ').len());
            let from = leading(self.text, room.start);
            out.push_str(&self.captured(tree, room, (from, &to))?);
            return Ok(Swallow::Blanks);
        }
        let from = leading(self.text, range.start);
        let begins = out.get(line.unwrap_or(0)..).unwrap_or_default();
        // Parts that stood one below the other, and of which the first goes into a line, keep theirs.
        let inline = !begins.trim().is_empty() && self.begins_line(range.start);
        let to = if inline && self.is_list(&range, from) {
            from
        } else {
            to.as_str()
        };
        let mut text = self.captured(tree, range, (from, to))?;
        // Some grammars count the line's end as part of a list of statements.
        if next
            .trim_start_matches([' ', '\t'])
            .starts_with(['\n', '\r'])
        {
            text.truncate(text.trim_end_matches(['\n', '\r']).len());
        }
        let mut comma = false;
        tidy_comma(out, &mut text, next, &mut comma);
        out.push_str(&text);
        Ok(if comma {
            Swallow::Comma
        } else {
            Swallow::Nothing
        })
    }

    /// Returns whether a line of a range begins as far in as its first, other than with what closes that.
    fn is_list(&self, range: &Range<usize>, from: &str) -> bool {
        let text = self.text.get(range.clone()).unwrap_or_default();
        let mut lines = text.lines().skip(1);
        lines.any(|line| {
            let rest = line.strip_prefix(from).unwrap_or_default();
            !rest.is_empty() && !rest.starts_with([' ', '\t', ')', ']', '}', '<'])
        })
    }

    /// Returns the range between the brackets that a capture fills, if these stand on other lines in
    /// the text, and beside the hole in the template: `f(@args)` keeps the lines of `f(\n  a,\n)`.
    fn room(&self, out: &str, next: &str, capture: &Range<usize>) -> Option<Range<usize>> {
        let open = out.trim_end_matches(' ').chars().next_back()?;
        let close = next.trim_start_matches(' ').chars().next()?;
        let known = matches!(
            (open, close),
            ('(', ')') | ('[', ']') | ('{', '}') | ('>', '<')
        );
        let head = self.text.get(..capture.start)?.trim_end();
        let tail = self.text.get(capture.end..)?;
        let end = capture.end + (tail.len() - tail.trim_start().len());
        let blanks = (
            self.text.get(head.len()..capture.start)?,
            self.text.get(capture.end..end)?,
        );
        let lines = blanks.0.contains('\n') && blanks.1.contains('\n');
        let same = head.ends_with(open) && tail.trim_start().starts_with(close);
        (known && lines && same && !capture.is_empty()).then_some(head.len()..end)
    }

    /// Gives a line that a capture begins the capture's own indentation, if the pattern leaves
    /// it out as the template does.
    fn keep_margin(&self, out: &mut String, capture: &Range<usize>, name: &str, base: &str) {
        let Some(line) = out.rfind('\n') else {
            return;
        };
        let at = capture.start;
        let own = leading(self.text, at);
        let margin = out.get(line + 1..).unwrap_or_default();
        let flush = self.flush.iter().any(|flush| flush == name) && margin == base;
        if flush && own.starts_with(base) && self.begins_line(at) {
            out.truncate(line + 1);
            out.push_str(own);
        }
    }

    fn begins_line(&self, at: usize) -> bool {
        let line = self.source.line_range(self.source.line_of(at)).start;
        self.text
            .get(line..at)
            .is_some_and(|head| head.trim().is_empty())
    }

    /// Returns a range of a match with the matches in it rewritten, its lines indented anew.
    fn captured(
        &self,
        tree: &Tree<'_>,
        range: Range<usize>,
        (from, to): (&str, &str),
    ) -> Result<String, String> {
        let mut out = String::new();
        let mut at = range.start;
        for inner in &tree.within {
            let inside = inner.found.range.start >= at && inner.found.range.end <= range.end;
            if !inside {
                continue;
            }
            self.push_moved(&mut out, at..inner.found.range.start, from, to);
            let new = self.made(inner)?;
            indent::push_reindented(&mut out, &new, from, to);
            at = inner.found.range.end;
        }
        self.push_moved(&mut out, at..range.end, from, to);
        Ok(out)
    }

    /// Appends a range of the text, its later lines indented by `to` where they were by `from`.
    fn push_moved(&self, out: &mut String, range: Range<usize>, from: &str, to: &str) {
        let text = self.text.get(range.clone()).unwrap_or_default();
        if from == to {
            out.push_str(text);
            return;
        }
        let mut at = range.start;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let quiet = index == 0 || self.is_within(at);
            // Blanks that end what is moved stand before what follows.
            let blank = |rest: &str| rest.trim().is_empty() && line.ends_with('\n');
            let moved = line.strip_prefix(from).filter(|rest| !blank(rest));
            match moved {
                Some(rest) if !quiet => {
                    out.push_str(to);
                    out.push_str(rest);
                }
                _ => out.push_str(line),
            }
            at += line.len();
        }
    }

    fn is_within(&self, at: usize) -> bool {
        let next = self.verbatim.partition_point(|range| range.start < at);
        let before = next
            .checked_sub(1)
            .and_then(|index| self.verbatim.get(index));
        before.is_some_and(|range| at < range.end)
    }
}

/// Returns whether a place is, or is part of, what it would become.
fn is_done(text: &str, at: usize, old: &str, new: &str) -> bool {
    if old == new {
        return true;
    }
    if old.is_empty() || new.is_empty() {
        return false;
    }
    let mut shifts = new.match_indices(old).take(16);
    shifts.any(|(shift, _)| {
        let start = at.checked_sub(shift);
        start.is_some_and(|start| {
            text.as_bytes().get(start..start + new.len()) == Some(new.as_bytes())
        })
    })
}

/// Puts matches that lie in what another one carries over under that one; counts those that
/// overlap another otherwise.
fn forest<'m>(found: &'m [Match], carried: &[&str]) -> Result<(Vec<Tree<'m>>, usize), String> {
    let mut trees: Vec<Tree<'m>> = Vec::new();
    let mut open: Vec<Tree<'m>> = Vec::new();
    let mut dropped = 0;
    for one in found {
        while open
            .last()
            .is_some_and(|top| top.found.range.end <= one.range.start)
        {
            close(&mut open, &mut trees);
        }
        match open.last() {
            Some(top) if top.found.range == one.range => {
                return Err("one place is matched in several ways; make them one".into());
            }
            Some(top) => {
                let within = top.found.captures.iter().any(|capture| {
                    carried.contains(&capture.name.as_str())
                        && capture.range.start <= one.range.start
                        && one.range.end <= capture.range.end
                });
                if !within || open.len() >= MAX_DEPTH {
                    dropped += 1;
                    continue;
                }
            }
            None => {}
        }
        open.push(Tree {
            found: one,
            within: Vec::new(),
        });
    }
    while !open.is_empty() {
        close(&mut open, &mut trees);
    }
    Ok((trees, dropped))
}

fn close<'m>(open: &mut Vec<Tree<'m>>, trees: &mut Vec<Tree<'m>>) {
    let Some(done) = open.pop() else { return };
    match open.last_mut() {
        Some(parent) => parent.within.push(done),
        None => trees.push(done),
    }
}

fn size(trees: &[Tree<'_>]) -> usize {
    trees.iter().map(|tree| 1 + size(&tree.within)).sum()
}

/// Mends the commas around a list that is empty or ends in one: `f(@args, x)` becomes `f(x)`; and
/// the blanks around what is empty: `<B @rest />` becomes `<B />`.
fn tidy_comma(out: &mut String, text: &mut String, next: &str, swallow: &mut bool) {
    if text.is_empty() && next.starts_with(' ') {
        let kept = out.trim_end_matches(' ');
        if !kept.is_empty() && !kept.ends_with('\n') {
            out.truncate(kept.len());
        }
    }
    let next = next.trim_start();
    if text.is_empty() {
        let bare = out.trim_end();
        if next.starts_with(',') && bare.ends_with(['(', '[', '{', '<', ',']) {
            *swallow = true;
        } else if next.starts_with([')', ']', '}', '>']) && bare.ends_with(',') {
            let keep = bare.len() - 1;
            out.truncate(keep);
        }
    } else if next.starts_with(',') && text.trim_end().ends_with(',') {
        let keep = text.trim_end().len() - 1;
        text.truncate(keep);
    }
}

/// What a text of the template loses, for what stands before it.
#[derive(Default)]
enum Swallow {
    #[default]
    Nothing,
    /// A comma and the blanks after it.
    Comma,
    /// The blanks at its start.
    Blanks,
}

impl Swallow {
    fn rest_of(self, text: &str) -> &str {
        let comma = || text.trim_start().strip_prefix(',');
        match self {
            Self::Nothing => text,
            Self::Comma => comma().map_or(text, |rest| rest.trim_start_matches(' ')),
            Self::Blanks => text.trim_start_matches(' '),
        }
    }
}

/// Returns the ending that new lines get at byte `at`.
pub(super) fn ending_at(source: &Source, at: usize) -> Ending {
    let own = source.ending_of(source.line_of(at));
    own.unwrap_or_else(|| source.ending())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A match, and the one thing that it captures as `x`.
    type Case<'a> = (Range<usize>, &'a [(&'a str, Range<usize>)]);

    fn check(text: &str, template: &[Piece], found: &[Case<'_>], after: &str) {
        let source = Source::new(text);
        let rewriter = Rewriter {
            source: &source,
            text,
            verbatim: LazyCell::new(Box::new(Vec::new)),
            template: template.to_vec(),
            flush: Vec::new(),
        };
        let matches = found.iter().map(|(range, captures)| Match {
            range: range.clone(),
            captures: captures
                .iter()
                .map(|(name, range)| Capture {
                    name: (*name).into(),
                    range: range.clone(),
                })
                .collect(),
        });
        let result = rewriter.rewrite(matches.collect()).unwrap();
        let edits = crate::text::EditSet::new(result.splices).unwrap();
        assert_eq!(
            String::from_utf8(edits.apply(text.as_bytes()).unwrap()).unwrap(),
            after
        );
    }

    fn text(text: &str) -> Piece {
        Piece::Text(text.into())
    }

    fn hole() -> Piece {
        Piece::Hole("x".into())
    }

    #[test]
    fn later_lines_move_with_their_place() {
        check(
            "  f(a,\n    b)\n",
            &[text("g {\n    "), hole(), text("\n}")],
            &[(2..13, &[("x", 4..12)])],
            "  g {\n      a,\n        b\n  }\n",
        );
        check("f(x)\r\n", &[text("a\nb")], &[(0..4, &[])], "a\r\nb\r\n");
    }

    #[test]
    fn matches_within_what_is_carried_over_are_rewritten_too() {
        check(
            "f(f(1))",
            &[text("g("), hole(), text(")")],
            &[(0..7, &[("x", 2..6)]), (2..6, &[("x", 4..5)])],
            "g(g(1))",
        );
    }

    #[test]
    fn commas_of_empty_lists_go() {
        check(
            "f()",
            &[text("f("), hole(), text(", y)")],
            &[(0..3, &[("x", 2..2)])],
            "f(y)",
        );
        check(
            "f()",
            &[text("f(y, "), hole(), text(")")],
            &[(0..3, &[("x", 2..2)])],
            "f(y)",
        );
        check(
            "f(a,)",
            &[text("f("), hole(), text(", y)")],
            &[(0..5, &[("x", 2..4)])],
            "f(a, y)",
        );
        check(
            "<B />",
            &[text("<C "), hole(), text(" />")],
            &[(0..5, &[("x", 3..3)])],
            "<C />",
        );
    }
}
