//! Insertion points of a query's action.
//!
//! In: a node, a position and a template. Out: a splice, or that the text stands there.
//! Beside a node that has its lines for itself, and in a body of several lines, whole lines
//! are put in; elsewhere the text goes into the line. `insertion` decides how it stands there.

mod body;
mod compare;

use std::ops::Range;

use tree_sitter::Node;

use crate::edit::plan::body::LEADING;
use crate::edit::plan::insertion::{BlankMargin, InsertionPlace, InsertionPoint};
use crate::edit::request::InsertPosition;
use crate::syntax::Parsed;
use crate::syntax::node_links::NodeLinks;
use crate::text::indent::{begins_line, leading_at};
use crate::text::{Slice, Source, Splice};

/// Node kinds that wrap an item and are meant with it.
const WRAPPERS: &[&str] = &["export_statement", "decorated_definition"];
/// A text and its tree.
pub(super) struct QuerySite<'a> {
    pub(super) source: &'a Source,
    pub(super) text: &'a str,
    pub(super) tree: &'a Parsed<'a>,
    /// Of the nodes that are asked about.
    pub(super) links: &'a NodeLinks<'a>,
    /// One step of its indentation.
    pub(super) unit: &'a str,
}

/// What an insertion comes to.
pub(super) enum Put {
    /// It stands there already.
    There(Range<usize>),
    /// It goes here.
    Here(Splice),
}

/// A point, and what the same text there would look like.
struct QueryPoint {
    point: InsertionPoint,
    /// Whether a comma at the end of the text would be one too many.
    bare: bool,
    /// Where the same text would stand if it were there.
    seen: TwinPosition,
}

enum TwinPosition {
    /// Directly after this byte, white space apart.
    After(usize),
    /// Directly before this byte.
    Before(usize),
    /// Directly before this byte, or after it.
    Around(usize),
    /// The same for what belongs to an item: decorators are a part of it in some grammars.
    Leading(usize),
}

impl<'a> QuerySite<'a> {
    /// Puts what `made` makes of a template, given the indentation of the place, by `node`.
    pub(super) fn put(
        &self,
        node: Node<'a>,
        position: InsertPosition,
        template: &str,
        implied: bool,
        made: impl Fn(&str) -> Result<String, String>,
    ) -> Result<Put, String> {
        let mut spot = match position {
            InsertPosition::Before => self.before(self.wrapped(node), template),
            InsertPosition::After => self.after(self.wrapped(node), template),
            InsertPosition::Start => self.start(node, template),
            InsertPosition::End => self.end(node, template),
        };
        let new = made(&spot.point.base)?;
        let inline = spot.point.is_inline();
        let bare = match (inline, spot.bare) {
            (false, true) => new.trim_end().trim_end_matches(','),
            (false, false) => new.trim_end(),
            (true, _) => new.as_str(),
        };
        if let Some(range) = self.stands(&spot, bare) {
            return Ok(Put::There(range));
        }
        if !inline {
            spot.point.add_blank_lines(blank_lines_below(template));
        }
        let root = self.is_root(node) && matches!(position, InsertPosition::Start);
        if root
            && (implied || compare::is_import(bare))
            && let Some(range) = compare::whole_lines(self.source, bare)
        {
            return Ok(Put::There(range));
        }
        Ok(Put::Here(spot.point.splice(self.source, bare)))
    }

    /// Returns what goes away with a node: what wraps it, its comma in a list, and the
    /// attributes and documentation directly above it.
    pub(super) fn doomed(&self, node: Node<'a>) -> Range<usize> {
        let node = self.wrapped(node);
        let range = body::with_comma(self.links, node);
        if !self.is_alone(node) {
            return self.with_blanks(node, range);
        }
        let mut top = node;
        for above in self.above(node) {
            let text = self.tree.text(above);
            let bound = ["///", "/**", "#[", "@"]
                .iter()
                .any(|head| text.starts_with(head));
            let last = self.source.line_of(self.end_of(above).saturating_sub(1));
            let near = last + 1 == top.start_position().row && self.is_alone(above);
            if !(bound && near && LEADING.contains(&above.kind())) {
                break;
            }
            top = above;
        }
        top.start_byte().min(range.start)..range.end
    }

    /// Returns a range within a line with the blanks before it, where they would be left over.
    fn with_blanks(&self, node: Node<'_>, range: Range<usize>) -> Range<usize> {
        let head = self.text.slice(..range.start);
        let tail = self.text.slice(range.end..);
        let kept = head.trim_end_matches([' ', '\t']);
        let closes = node.kind().ends_with("attribute") && tail.starts_with(['>', '/']);
        let left_over = closes || tail.starts_with([' ', '\t', '\n', '\r']);
        if left_over && !kept.is_empty() && !kept.ends_with('\n') {
            kept.len()..range.end
        } else {
            range
        }
    }

    fn stands(&self, spot: &QueryPoint, new: &str) -> Option<Range<usize>> {
        match spot.seen {
            TwinPosition::After(at) => compare::follows(self.text, at, new),
            TwinPosition::Before(at) => compare::precedes(self.text, at, new),
            TwinPosition::Leading(at) => compare::precedes(self.text, at, new)
                .or_else(|| compare::follows(self.text, at, new)),
            // A modifier becomes part of the node that it was put before.
            TwinPosition::Around(at) => compare::precedes(self.text, at, new).or_else(|| {
                let word = new.trim_end().ends_with(char::is_alphanumeric);
                compare::follows(self.text, at, new).filter(|_| word)
            }),
        }
    }

    fn before(&self, node: Node<'a>, template: &str) -> QueryPoint {
        let at = node.start_byte();
        if !self.is_alone(node) || glues(template) {
            return self.within(InsertionPlace::Inline(at), TwinPosition::Around(at));
        }
        let leads = is_leading(template);
        let top = if leads { node } else { self.with_leading(node) };
        let at = top.start_byte();
        let seen = if leads {
            TwinPosition::Leading(at)
        } else {
            TwinPosition::Before(at)
        };
        let line = self.source.line_of(at);
        self.lines(line, leading_at(self.text, at), seen)
    }

    fn after(&self, node: Node<'_>, template: &str) -> QueryPoint {
        let end = self.end_of(node);
        if !self.is_alone(node) || glues(template) {
            let rest = self.text.slice(end..);
            let spaced = is_sentence(node) && rest.starts_with(' ') && !glues(template);
            let place = if spaced {
                InsertionPlace::Spaced(end)
            } else {
                InsertionPlace::Inline(end)
            };
            return self.within(place, TwinPosition::After(end));
        }
        self.next_line(end, leading_at(self.text, node.start_byte()))
    }

    /// Returns the point for whole lines below the one that byte `at` is in.
    fn next_line(&self, at: usize, base: &str) -> QueryPoint {
        let line = self.source.line_of(at.saturating_sub(1));
        let next = self.source.line_range(line).end;
        self.lines(line + 1, base, TwinPosition::After(next))
    }

    /// Returns the point for whole lines above a 0-based line.
    fn lines(&self, above: usize, base: &str, seen: TwinPosition) -> QueryPoint {
        let place = InsertionPlace::Lines(above, BlankMargin::Below(0));
        self.at(place, base, seen)
    }

    fn within(&self, place: InsertionPlace<'_>, seen: TwinPosition) -> QueryPoint {
        self.at(place, "", seen)
    }

    fn at(&self, place: InsertionPlace<'_>, base: &str, seen: TwinPosition) -> QueryPoint {
        QueryPoint {
            point: InsertionPoint::new(self.source, place, base),
            bare: false,
            seen,
        }
    }

    /// Returns the end of a node, less a line break that some grammars count in.
    fn end_of(&self, node: Node<'_>) -> usize {
        let text = self.tree.text(node);
        node.start_byte() + text.trim_end().len()
    }

    /// Returns whether nothing else is on the node's lines, closing punctuation and a comment
    /// behind it apart.
    fn is_alone(&self, node: Node<'_>) -> bool {
        // The rest of a line with many nodes is not looked at for each of them.
        if !begins_line(self.text, node.start_byte()) {
            return false;
        }
        let end = self.end_of(node);
        let rest = self.text.slice(end..).lines().next().unwrap_or_default();
        let rest = rest.trim_start_matches([';', ',', ' ', '\t']);
        let comment = rest.starts_with("//") || rest.starts_with('#') || rest.starts_with("--");
        rest.trim().is_empty() || comment
    }

    /// Returns the first of the comments and attributes directly above a node, or the node.
    fn with_leading(&self, node: Node<'a>) -> Node<'a> {
        let mut top = node;
        for above in self.above(node) {
            let last = self.source.line_of(self.end_of(above).saturating_sub(1));
            let near = last + 1 == top.start_position().row && self.is_alone(above);
            if !(near && LEADING.contains(&above.kind())) {
                break;
            }
            top = above;
        }
        top
    }

    /// Returns what stands before a node beside it, the nearest first, without comments that
    /// trail something on their line.
    fn above(&self, node: Node<'a>) -> impl Iterator<Item = Node<'a>> {
        let before = self.links.place(node).map(|place| place.before);
        let before = before.unwrap_or_default().iter().rev().copied();
        before.filter(move |node| {
            !node.kind().ends_with("comment") || begins_line(self.text, node.start_byte())
        })
    }

    /// Returns a node with what wraps it.
    fn wrapped(&self, node: Node<'a>) -> Node<'a> {
        let mut outer = node;
        while let Some(parent) = self.links.parent(outer)
            && WRAPPERS.contains(&parent.kind())
        {
            outer = parent;
        }
        outer
    }

    fn is_root(&self, node: Node<'_>) -> bool {
        node == self.tree.root()
    }
}

/// Returns how many blank lines a template ends with.
fn blank_lines_below(template: &str) -> usize {
    let tail = template.slice(template.trim_end().len()..);
    tail.matches('\n').count().saturating_sub(1)
}

/// Returns whether a blank parts a node from the next of its kind on the same line.
fn is_sentence(node: Node<'_>) -> bool {
    let kinds = ["statement", "declaration", "item", "definition"];
    kinds.iter().any(|kind| node.kind().ends_with(kind))
}

/// Returns whether a template is made to touch what is beside it.
fn glues(template: &str) -> bool {
    let starts = template.starts_with([' ', ',', '.', ')', ']', '}', ';', '?', ':']);
    let ends = template.ends_with([' ', '(', '[', '!', '&', '*', '.', '-', '?', ':']);
    (starts && !template.starts_with("  ")) || ends
}

/// Returns whether a template is a comment or an attribute of the item below it.
fn is_leading(template: &str) -> bool {
    let text = template.trim();
    let comment = text.starts_with("//") || text.starts_with("/*") || text.starts_with('#');
    let last = text.lines().last().unwrap_or_default().trim();
    comment && (last.starts_with("//") || last.ends_with("*/") || last.starts_with('#'))
        || text.starts_with('@') && !text.contains('\n')
}
