//! Templates: turns matches and a template into splices.
//!
//! In: the ranges that a query or a pattern found, with what they captured, and a template.
//! Out: splices. Text that a capture carries over keeps its bytes, save that its later lines
//! move with the place they go to; text of the template takes the place's indentation, the
//! file's unit of indentation and its line endings. Of matches that overlap the outermost is
//! rewritten, and with it those within what it carries over.

mod hole;
mod indent;
pub(super) mod removal;

use std::cell::LazyCell;
use std::ops::Range;

use hole::Swallow;
pub(super) use indent::normalised;

use crate::text::indent::leading_at;
use crate::text::{Slice, Source, Splice};

/// Matches of one pattern or query that are taken. Attack: `:[x]`, or `(_) @a`, matches at every node of a file, and each
/// match is a splice with its captures.
pub(super) const MAX_MATCHES: usize = 50_000;
/// Matches within matches are followed so deep. Attack: `f(f(f(…)))` by the thousand; each level recurses.
const MAX_DEPTH: usize = 100;
/// Bytes by which one request may make a text grow. Attack: `e` replaced by a page at each of its places, or
/// `f(:[x])` by `f(:[x], :[x])` in nested calls, which doubles with each level.
pub(super) const MAX_GROWTH: usize = 8 * 1024 * 1024;

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
pub(super) struct TemplateMatch {
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
    found: &'m TemplateMatch,
    within: Vec<Self>,
}

impl Rewriter<'_> {
    /// Rewrites every match; refuses two that would make different things of one place.
    pub(super) fn rewrite(&self, mut found: Vec<TemplateMatch>) -> Result<Rewritten, String> {
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
            let old = self.text.slice(tree.found.range.clone());
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
    pub(super) fn made_at(&self, found: &TemplateMatch, base: &str) -> Result<String, String> {
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
        self.made_with(tree, leading_at(self.text, tree.found.range.start))
    }

    fn made_with(&self, tree: &Tree<'_>, base: &str) -> Result<String, String> {
        let start = tree.found.range.start;
        let absolute = indent::is_absolute(&self.template, base);
        let ending = self.source.ending_near(self.source.line_of(start)).as_str();
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
                    swallow = self.push_hole(&mut out, tree, name, next, base)?;
                }
            }
            if out.len() > self.text.len() + MAX_GROWTH {
                return Err("the text would grow without bounds".into());
            }
        }
        Ok(out)
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

impl TemplateMatch {
    /// Returns whether both stand for the same under every name in `names`.
    fn agrees(&self, other: &Self, names: &[&str]) -> bool {
        let named = |one: &Capture| names.contains(&one.name.as_str());
        let own = self.captures.iter().filter(|one| named(one));
        own.eq(other.captures.iter().filter(|one| named(one)))
    }
}

/// Puts matches that lie in what another one carries over under that one; counts those that
/// overlap another otherwise.
fn forest<'m>(
    found: &'m [TemplateMatch],
    carried: &[&str],
) -> Result<(Vec<Tree<'m>>, usize), String> {
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
            // What the template does not name makes no difference.
            Some(top) if top.found.range == one.range && top.found.agrees(one, carried) => continue,
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
        let matches = found.iter().map(|(range, captures)| TemplateMatch {
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
