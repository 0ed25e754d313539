//! Matching a pattern with metavariables against nodes.
//!
//! In: the tree of a text and a reading of a pattern. Out: the matches. A `$$$` takes as few
//! nodes as will do, and none is among what will do. A match holds nothing but what the pattern
//! says; nodes that fit but for a keyword, a comment or another branch are told apart, since a
//! rewrite would lose these.

use std::ops::Range;

use tree_sitter::Node;

use super::super::{BASE_STEPS, StepsUsedUp};
use super::reading::PatternReading;
use super::shape::{ChildInText, List, Separators, Shape, items, own_text, trimmed};
use crate::edit::plan::template::{Capture, MAX_MATCHES, TemplateMatch};
use crate::syntax::Parsed;
use crate::text::Slice;

/// Steps for each byte of text. Attack: `f($$$A, $$$B, $$$C)` on a call with thousands of arguments. Fewer than of text
/// patterns, because a step is a node.
const STEPS_A_BYTE: usize = 4;

/// What one reading matches.
#[derive(Default)]
pub(super) struct Hits {
    pub(super) matches: Vec<TemplateMatch>,
    /// Where nodes begin that fit, and hold more than the pattern says.
    pub(super) partial: Vec<usize>,
    /// How many nodes are of the reading's kind, and the row of the first.
    pub(super) count: usize,
    pub(super) first: Option<usize>,
}

/// Returns what a reading matches; says why if it is too much.
pub(super) fn hits(tree: &Parsed<'_>, reading: &PatternReading) -> Result<Hits, String> {
    let mut hits = Hits::default();
    let mut search = NodeSearch::new(tree.whole(), reading);
    let mut enough = Ok(());
    tree.walk_into(|node, _| {
        if enough.is_ok() && reading.shape.kind() == Some(node.kind_id()) {
            hits.count += 1;
            hits.first = hits.first.or(Some(node.start_position().row));
            enough = search.look_at(node, &mut hits);
        }
        enough.is_ok() && hits.matches.len() <= MAX_MATCHES
    });
    match enough {
        _ if hits.matches.len() > MAX_MATCHES => {
            Err(format!("the pattern matches more than {MAX_MATCHES} times"))
        }
        Err(StepsUsedUp) => Err(
            "the pattern has too many ways to match in this file; put more text of its own into it"
                .into(),
        ),
        Ok(()) => Ok(hits),
    }
}

/// How far a list of nodes is from what is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Yes,
    No,
    /// Nor would it be if an earlier `$$$` took more.
    Never,
}

struct NodeSearch<'a> {
    text: &'a str,
    reading: &'a PatternReading,
    /// What each metavariable of the pattern stands for.
    bound: Vec<Option<Range<usize>>>,
    /// Which of them were bound, in order.
    trail: Vec<usize>,
    steps: usize,
    /// Whether keywords, comments and what comes last may be more than is asked.
    loose: bool,
}

/// A list of the pattern and the nodes that it is held against.
struct Held<'l, 't> {
    list: &'l List,
    items: &'l [ChildInText<'t>],
    tail: Separators,
    kind: &'l str,
    start: usize,
    text: &'l str,
}

impl<'a> NodeSearch<'a> {
    fn new(text: &'a str, reading: &'a PatternReading) -> Self {
        Self {
            text,
            reading,
            bound: vec![None; reading.names.len()],
            trail: Vec::new(),
            steps: BASE_STEPS + STEPS_A_BYTE * text.len(),
            loose: false,
        }
    }

    /// Looks at a node of the reading's kind.
    fn look_at(&mut self, node: Node<'_>, hits: &mut Hits) -> Result<(), StepsUsedUp> {
        self.undo(0);
        self.loose = false;
        if self.node(&self.reading.shape, node)? {
            let range = self.range_of(node);
            if !range.is_empty() {
                let captures = self.captures();
                hits.matches.push(TemplateMatch { range, captures });
            }
            return Ok(());
        }
        self.undo(0);
        self.loose = true;
        if self.node(&self.reading.shape, node)? {
            hits.partial.push(node.start_byte());
        }
        Ok(())
    }

    /// Returns the range of a match: less the comma or semicolon at its end if the pattern has none.
    fn range_of(&self, node: Node<'_>) -> Range<usize> {
        let range = trimmed(node, self.text);
        range.start..self.end_of(&self.reading.shape, node)
    }

    fn end_of(&self, shape: &Shape, node: Node<'_>) -> usize {
        let end = trimmed(node, self.text).end;
        let Shape::Inner { list, .. } = shape else {
            return end;
        };
        let (items, _) = items(node, self.text);
        let last = items.last().zip(list.parts.last());
        match last {
            Some((item, part)) if list.tail.is_none() => self.end_of(&part.shape, item.node),
            _ => end,
        }
    }

    fn captures(&self) -> Vec<Capture> {
        let mut captures: Vec<Capture> = Vec::new();
        for ((name, _), range) in self.reading.names.iter().zip(&self.bound) {
            let known = captures.iter().any(|capture| capture.name == *name);
            if let Some(range) = range.clone().filter(|_| !known && !name.is_empty()) {
                let name = name.clone();
                captures.push(Capture { name, range });
            }
        }
        captures
    }

    fn node(&mut self, shape: &Shape, node: Node<'_>) -> Result<bool, StepsUsedUp> {
        self.spend(1)?;
        match shape {
            Shape::One(index) => Ok(node.is_named()
                && !node.is_extra()
                && self.bind(*index, trimmed(node, self.text))),
            Shape::Many(index) => Ok(self.bind(*index, trimmed(node, self.text))),
            Shape::Leaf { kind, text } => {
                Ok(*kind == node.kind_id()
                    && self.text.get(node.byte_range()) == Some(text.as_str()))
            }
            Shape::Inner { kind, list } => {
                Ok(*kind == node.kind_id() && self.children(list, node)?)
            }
        }
    }

    fn children(&mut self, list: &List, node: Node<'_>) -> Result<bool, StepsUsedUp> {
        self.spend(node.child_count() as usize)?;
        if own_text(node, self.text) != list.own {
            return Ok(false);
        }
        let (mut items, tail) = items(node, self.text);
        if self.loose {
            items.retain(|item| !item.node.is_extra() && self.is_wanted(list, item.node));
        }
        let held = Held {
            list,
            items: &items,
            tail,
            kind: node.kind(),
            start: node.start_byte(),
            text: self.text,
        };
        self.run(&held, 0, 0).map(|fit| fit == Fit::Yes)
    }

    /// Returns whether a node is no mere keyword, or one that the pattern has.
    fn is_wanted(&self, list: &List, node: Node<'_>) -> bool {
        node.is_named()
            || list
                .parts
                .iter()
                .any(|part| part.shape.kind() == Some(node.kind_id()))
    }

    /// Holds the parts from `part` on against the nodes from `item` on.
    fn run(
        &mut self,
        held: &Held<'_, '_>,
        mut part: usize,
        mut item: usize,
    ) -> Result<Fit, StepsUsedUp> {
        let parts = &held.list.parts;
        let mut open = part > 0 || self.loose;
        while let Some(wanted) = parts.get(part) {
            if let Shape::Many(index) = wanted.shape {
                return self.many(held, part, index, item);
            }
            let Some(has) = held.items.get(item) else {
                return Ok(Fit::No);
            };
            // What closes a list may have a comma before it, or none.
            let parted = open || !has.node.is_named() || wanted.before.is_as(has.before, held.kind);
            if !parted || !self.node(&wanted.shape, has.node)? {
                return Ok(Fit::No);
            }
            open = self.loose;
            part += 1;
            item += 1;
        }
        if self.loose || item == held.items.len() {
            Ok(Fit::Yes)
        } else {
            Ok(Fit::No)
        }
    }

    /// Gives a `$$$` as few of the nodes from `from` on as will do.
    fn many(
        &mut self,
        held: &Held<'_, '_>,
        part: usize,
        index: usize,
        from: usize,
    ) -> Result<Fit, StepsUsedUp> {
        let after = held.list.parts.get(part + 1..).unwrap_or_default();
        let last = !after
            .iter()
            .any(|part| matches!(part.shape, Shape::Many(_)));
        let fixed = after
            .iter()
            .filter(|part| !matches!(part.shape, Shape::Many(_)));
        let Some(most) = held.items.len().checked_sub(fixed.count()) else {
            return Ok(Fit::Never);
        };
        // After the last `$$$` all that remains is given.
        let least = if last && !self.loose { most } else { from };
        for end in least.max(from)..=most {
            self.spend(1)?;
            let mark = self.trail.len();
            let fit = if self.bind(index, held.taken(part, from..end)) {
                self.run(held, part + 1, end)?
            } else {
                Fit::No
            };
            if fit == Fit::Yes || (fit == Fit::Never && !self.reading.repeats) {
                return Ok(fit);
            }
            self.undo(mark);
        }
        Ok(Fit::Never)
    }

    /// Binds a metavariable, unless its name stands for other text already.
    fn bind(&mut self, index: usize, range: Range<usize>) -> bool {
        let name = self.reading.names.get(index).map(|(name, _)| name.as_str());
        let name = name.unwrap_or_default();
        if self.reading.repeats && !name.is_empty() {
            let bound = self.reading.names.iter().zip(&self.bound);
            let mut same = bound.filter(|((other, _), _)| other == name);
            let known = same.find_map(|(_, known)| known.clone());
            if known.is_some_and(|known| !self.is_same(known, range.clone())) {
                return false;
            }
        }
        if let Some(slot) = self.bound.get_mut(index) {
            *slot = Some(range);
            self.trail.push(index);
        }
        true
    }

    fn is_same(&self, one: Range<usize>, other: Range<usize>) -> bool {
        let words = |range| {
            let text: &str = self.text.slice(range);
            text.split_whitespace()
        };
        words(one).eq(words(other))
    }

    fn undo(&mut self, mark: usize) {
        for index in self.trail.drain(mark.min(self.trail.len())..) {
            if let Some(slot) = self.bound.get_mut(index) {
                *slot = None;
            }
        }
    }

    fn spend(&mut self, steps: usize) -> Result<(), StepsUsedUp> {
        self.steps = self.steps.checked_sub(steps).ok_or(StepsUsedUp)?;
        Ok(())
    }
}

impl Held<'_, '_> {
    /// Returns the range of the items that a `$$$` takes, with a comma or semicolon at their end if
    /// the pattern has none there.
    fn taken(&self, part: usize, taken: Range<usize>) -> Range<usize> {
        let node = |index: usize| self.items.get(index).map(|item| item.node);
        let before = taken.start.checked_sub(1).and_then(node);
        if taken.is_empty() {
            let at = before.map_or(self.start, |node| node.end_byte());
            return at..at;
        }
        let start = node(taken.start).map_or(self.start, |node| node.start_byte());
        let end = node(taken.end - 1).map_or(start, |node| trimmed(node, self.text).end);
        let wanted = self.list.parts.get(part + 1);
        let wanted = wanted.map_or(self.list.tail, |part| part.before);
        let has = self.items.get(taken.end);
        let has = has.map_or(self.tail, |item| item.before);
        if wanted.is_none() && !has.is_none() {
            start..has.end.max(end)
        } else {
            start..end
        }
    }
}
